"""What changed between two documents, rule by rule: not which lines, but which rules."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal

from ludex.diagnostics import printable
from ludex.node import node
from ludex.overlay.shape import DOCUMENT, Named, Record, Rule, Shape, address, child_shape, said, unfold
from ludex.syntax.document import Entry, Mapping, Node, Scalar

ChangeKind = Literal["added", "removed", "replaced", "moved"]


@node
class Change:
    """One rule that is not as it was. `before` is None if it was added, `after` if it was removed.

    `detail` says what the nodes do not show: the sibling after which a moved rule now stands, or
    how a signature changed.
    """

    kind: ChangeKind
    path: tuple[str, ...]
    before: Node | None
    after: Node | None
    detail: str | None = None


def diff_documents(before: Mapping, after: Mapping) -> tuple[Change, ...]:
    """The rules that differ, in the order of `before`, what is new after the rest of its section.

    Spans, styles of writing, and short against long form of the same rule are no difference.
    """
    return tuple(_compare(before, after, DOCUMENT, ()))


def describe(change: Change) -> str:
    """A change in words: the rule's path and what happened, then the old and the new text.

    The word `do` is left out of paths: a step stands directly under what it is a step of.
    Safe for a terminal, whatever the documents hold.
    """
    path = tuple(name for i, name in enumerate(change.path) if name != "do" or i + 1 == len(change.path))
    lines = [f"{said(path)}: {change.kind}" + (f", {change.detail}" if change.detail else "")]
    if change.kind != "moved":
        if change.before is not None:
            lines.extend(f"  - {line}" for line in _lines(change.before))
        if change.after is not None:
            lines.extend(f"  + {line}" for line in _lines(change.after))
    return printable("\n".join(lines))


def _compare(
    before: Node | None, after: Node | None, shape: Shape, path: tuple[str, ...]
) -> Iterator[Change]:
    """Where a side is None, a container counts as empty and a rule as absent."""
    if before is None and after is None:
        return
    if isinstance(shape, Rule) or _is_whole(before, shape) or _is_whole(after, shape):
        yield from _compare_rules(before, after, shape, path)
        return
    old, new = _entries(before, shape), _entries(after, shape)
    for name, was in old.items():
        now = new.get(name)
        child = child_shape(shape, name)
        if now is None:
            yield from _one_sided(was, child, shape, (*path, name), "removed")
        else:
            if isinstance(shape, Named) and shape.signatures and _squeezed(was) != _squeezed(now):
                detail = f"`{was.name}` became `{now.name}`"
                yield Change("replaced", (*path, name), was.value, now.value, detail)
            yield from _compare(was.value, now.value, child, (*path, name))
    for name, now in new.items():
        if name not in old:
            yield from _one_sided(now, child_shape(shape, name), shape, (*path, name), "added")
    if isinstance(shape, Named) and shape.ordered:
        yield from _moved(old, new, path)


def _is_whole(node: Node | None, shape: Shape) -> bool:
    """Whether the node is one unnamed rule where there could be a mapping of named ones."""
    if node is None:
        return False
    return not isinstance(node, Mapping) or (isinstance(shape, Named) and shape.is_single(node))


def _entries(node: Node | None, shape: Shape) -> dict[str, Entry]:
    node = unfold(node, shape) if node is not None else None
    found: dict[str, Entry] = {}
    for entry in node if isinstance(node, Mapping) else ():
        found.setdefault(address(shape, entry.name), entry)
    return found


def _one_sided(
    entry: Entry, shape: Shape, parent: Shape, path: tuple[str, ...], kind: Literal["added", "removed"]
) -> Iterator[Change]:
    """A named thing comes and goes as one; what the language names (`where`), as what is in it."""
    was, now = (None, entry.value) if kind == "added" else (entry.value, None)
    is_section = isinstance(parent, Record) or shape is not getattr(parent, "item", None)
    if is_section and isinstance(shape, Named | Record):
        yield from _compare(was, now, shape, path)
    else:
        yield Change(kind, path, was, now)


def _compare_rules(
    before: Node | None, after: Node | None, shape: Shape, path: tuple[str, ...]
) -> Iterator[Change]:
    """Two rules: as a whole if their texts differ, else attribute by attribute."""
    if before is None or after is None:
        yield Change("added" if before is None else "removed", path, before, after)
        return
    rule = shape if isinstance(shape, Rule) else getattr(shape, "single", None)
    attributes = rule.attributes if isinstance(rule, Rule) else frozenset()
    body = rule.body if isinstance(rule, Rule) else None
    old, new = _parts(before, body), _parts(after, body)
    differing = [n for n in {**old, **new} if not _same(old.get(n), new.get(n))]
    if not differing:
        return
    if all(name in attributes for name in differing):
        for name in differing:
            yield from _compare_rules(old.get(name), new.get(name), Rule(), (*path, name))
        return
    yield Change("replaced", path, before, after)


def _parts(node: Node, body: str | None) -> dict[str, Node]:
    """A rule in long form, whatever form it is written in; a plain value under an empty name."""
    if isinstance(node, Mapping):
        return {entry.name: entry.value for entry in node}
    return {body or "": node}


def _same(one: Node | None, other: Node | None) -> bool:
    """Whether two nodes say the same: spans, quotes and blank ends of lines do not count."""
    if one is None or other is None:
        return one is other
    if isinstance(one, Scalar) or isinstance(other, Scalar):
        return isinstance(one, Scalar) and isinstance(other, Scalar) and _text(one) == _text(other)
    if isinstance(one, Mapping) or isinstance(other, Mapping):
        if not (isinstance(one, Mapping) and isinstance(other, Mapping)):
            return False
        if [e.name for e in one] != [e.name for e in other]:
            return False
        return all(_same(a.value, b.value) for a, b in zip(one, other, strict=True))
    if len(one.items) != len(other.items):
        return False
    return all(_same(a, b) for a, b in zip(one.items, other.items, strict=True))


def _text(node: Scalar) -> list[str]:
    return [line.rstrip() for line in node.text.strip().splitlines()]


def _squeezed(entry: Entry) -> str:
    return " ".join(entry.name.replace("(", " ( ").replace(",", " , ").replace(")", " ) ").split())


def _moved(old: dict[str, Entry], new: dict[str, Entry], path: tuple[str, ...]) -> Iterator[Change]:
    """Rules that changed places: the fewest that must move to get from one order to the other.

    Those on a longest increasing run of old positions stayed (patience sorting).
    """
    common = [name for name in new if name in old]
    position = {name: i for i, name in enumerate(n for n in old if n in new)}
    ends: list[int] = []
    tops: list[str] = []
    previous: dict[str, str | None] = {}
    for name in common:
        at = bisect_left(ends, position[name])
        previous[name] = tops[at - 1] if at else None
        ends[at : at + 1] = [position[name]]
        tops[at : at + 1] = [name]
    stayed: set[str] = set()
    last = tops[-1] if tops else None
    while last is not None:
        stayed.add(last)
        last = previous[last]
    names = list(new)
    for name in common:
        if name not in stayed:
            at = names.index(name)
            detail = f"now after `{names[at - 1]}`" if at else "now first"
            yield Change("moved", (*path, name), old[name].value, new[name].value, detail)


def _lines(node: Node) -> list[str]:
    """A node as text, nearly YAML: for reading, not for reading back."""
    if isinstance(node, Scalar):
        return node.text.rstrip().splitlines() or [""]
    if isinstance(node, Mapping):
        lines: list[str] = []
        for entry in node:
            inner = _lines(entry.value)
            if isinstance(entry.value, Scalar) and len(inner) == 1:
                lines.append(f"{entry.name}: {inner[0]}")
            else:
                lines.append(f"{entry.name}:")
                lines.extend(f"  {line}" for line in inner)
        return lines
    if all(isinstance(item, Scalar) for item in node.items):
        return ["[" + ", ".join(" ".join(_lines(item)) for item in node.items) + "]"]
    return [f"- {line}" for item in node.items for line in _lines(item)]
