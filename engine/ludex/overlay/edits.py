"""What an overlay does to the document it sees, as a list of edits at paths.

The document an overlay sees is the base game with the overlays it requires. What does not hit
anything there is collected as `Missing` and reported by `conflicts`, which also knows whether
another overlay of the stack is the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ludex.diagnostics import Label, Report
from ludex.node import node
from ludex.overlay import codes
from ludex.overlay.load import Overlay
from ludex.overlay.shape import (
    DOCUMENT,
    Named,
    Record,
    Rule,
    Shape,
    address,
    child_shape,
    find,
    made,
    said,
    unfold,
)
from ludex.source import Span
from ludex.syntax.document import Entry, Mapping, Node, Scalar, Sequence

Path: TypeAlias = tuple[str, ...]
EditKind: TypeAlias = Literal["add", "replace", "remove"]


@node
class Anchor:
    """The sibling that a new rule is inserted before or after. `word` is that word in the file."""

    side: Literal["before", "after"]
    name: str
    span: Span


@node
class Edit:
    """One thing added, replaced or removed. `keys` are the keys of its path as the overlay has them."""

    kind: EditKind
    path: Path
    keys: tuple[Scalar, ...]
    value: Node | None = None
    anchor: Anchor | None = None

    @property
    def span(self) -> Span:
        return self.keys[-1].span


@node
class Missing:
    """A name that the overlay speaks of and the document has not."""

    path: Path
    span: Span
    what: Literal["target", "anchor"]
    siblings: tuple[Entry, ...]
    """What there is under the same container."""
    parent: Span
    """The nearest thing above it that exists."""


@node
class Edits:
    """All that one overlay does, in the order of the overlay's text by kind."""

    edits: tuple[Edit, ...]
    missing: tuple[Missing, ...]


def edits_of(overlay: Overlay, document: Mapping, report: Report) -> Edits:
    """The edits of an overlay on the document it sees; what it may not do is reported."""
    game = document.get("game")
    walk = _Walk(report, (game or document).span)
    for name, edit in (("add", walk.add), ("replace", walk.replace)):
        part = overlay.add if name == "add" else overlay.replace
        if part is not None:
            edit(document, part, DOCUMENT, _At())
    if overlay.remove is not None:
        walk.remove(document, overlay.remove, DOCUMENT, _At())
    walk.set_values(document, overlay)
    walk.check_anchors(document)
    return Edits(tuple(walk.edits), tuple(walk.missing))


@node
class _At:
    """Where the walk stands: the path, its keys in the overlay, the nearest existing thing."""

    path: Path = ()
    keys: tuple[Scalar, ...] = ()
    existing: Span | None = None

    def down(self, name: str, key: Scalar, entry: Entry | None) -> _At:
        existing = entry.key.span if entry is not None else self.existing
        return _At((*self.path, name), (*self.keys, key), existing)


@dataclass(slots=True)
class _Walk:
    report: Report
    game: Span
    edits: list[Edit] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)

    # ------------------------------------------------------------------------------- add

    def add(
        self, seen: Node | None, given: Node, shape: Shape, at: _At, anchor: Anchor | None = None
    ) -> None:
        """Add `given` where `seen` is; `seen` is None where nothing is yet."""
        match shape:
            case Named():
                if seen is not None and (shape.is_single(seen) or not isinstance(seen, Mapping)):
                    self._exists(at)
                elif not shape.is_single(given):
                    self._add_named(seen, given, shape, at)
                elif seen is not None and isinstance(seen, Mapping) and seen.entries:
                    self._exists(at)
                else:
                    self._edit("add", at, given)
            case Record():
                if seen is not None and not isinstance(seen, Mapping):
                    self._exists(at)
                else:
                    for entry, name in self._entries(unfold(given, shape), shape, at):
                        known = find(unfold(seen, shape) if seen else None, shape, name)
                        child = child_shape(shape, name)
                        below = at.down(name, entry.key, known)
                        self.add(known.value if known else None, entry.value, child, below)
            case Rule():
                attributes = _attributes_alone(given, shape)
                if seen is None:
                    self._edit("add", at, given, anchor)
                elif attributes is None or (shape.body is None and not isinstance(seen, Mapping)):
                    self._exists(at)
                else:
                    for entry in attributes:
                        known = find(seen, shape, entry.name)
                        below = at.down(entry.name, entry.key, known)
                        self.add(known.value if known else None, entry.value, Rule(), below)

    def _add_named(self, seen: Node | None, given: Node, shape: Named, at: _At) -> None:
        for entry, name in self._entries(given, shape, at):
            known = find(seen, shape, name)
            item = child_shape(shape, name)
            below = at.down(name, entry.key, known)
            value, anchor = self._anchored(entry.value, item) if shape.ordered else (entry.value, None)
            if known is None and name not in shape.special:
                self._edit("add", below, value, anchor)
                continue
            if anchor is not None and (not isinstance(item, Rule) or _attributes_alone(value, item)):
                self._misplaced(anchor.span, f"`{said(below.path)}` exists already and keeps its place")
            self.add(known.value if known else None, value, item, below)

    def _anchored(self, value: Node, item: Shape) -> tuple[Node, Anchor | None]:
        """A new rule without its `before` or `after`, and that."""
        if not isinstance(value, Mapping):
            return value, None
        words = [e for e in value if e.name in ("before", "after")]
        if not words:
            return value, None
        if len(words) > 1:
            self._misplaced(words[1].key.span, "a rule is inserted either before or after another")
        rest = tuple(e for e in value if e not in words)
        anchor: Anchor | None = None
        target = words[0].value
        if isinstance(target, Scalar):
            side: Literal["before", "after"] = "before" if words[0].name == "before" else "after"
            anchor = Anchor(side, address(Named(item), target.text), target.span)
        else:
            self._form(target.span, f"`{words[0].name}` takes the name of one sibling")
        is_text = len(rest) == 1 and isinstance(rest[0].value, Scalar)
        if is_text and isinstance(item, Rule) and rest[0].name == item.body:
            return rest[0].value, anchor
        return Mapping(rest, value.span, value.flow), anchor

    # --------------------------------------------------------------------------- replace

    def replace(self, seen: Node, given: Node, shape: Shape, at: _At) -> None:
        """Replace in `seen` what `given` names: descend to the first rule, and put it in whole."""
        match shape:
            case Named():
                if shape.is_single(seen) or shape.is_single(given):
                    self._edit("replace", at, given)
                    return
            case Record():
                if not isinstance(seen, Mapping):
                    self._edit("replace", at, given)
                    return
            case Rule():
                if _attributes_alone(given, shape) is None:
                    self._edit("replace", at, given)
                    return
        seen = unfold(seen, shape)
        for entry, name in self._entries(unfold(given, shape), shape, at):
            known = find(seen, shape, name)
            below = at.down(name, entry.key, known)
            if known is None:
                self._missing(below, seen)
                continue
            if isinstance(shape, Named) and shape.ordered and isinstance(entry.value, Mapping):
                for word in (e for e in entry.value if e.name in ("before", "after")):
                    self._misplaced(word.key.span, "a rule that is replaced keeps its place")
            self.replace(known.value, entry.value, child_shape(shape, name), below)

    # ---------------------------------------------------------------------------- remove

    def remove(self, seen: Node, given: Node, shape: Shape, at: _At) -> None:
        """Remove from `seen` what the lists of names in `given` say."""
        seen = unfold(seen, shape)
        if isinstance(given, Mapping):
            for entry, name in self._entries(given, shape, at):
                known = find(seen, shape, name)
                below = at.down(name, entry.key, known)
                if known is None:
                    self._missing(below, seen)
                else:
                    self.remove(known.value, entry.value, child_shape(shape, name), below)
            return
        for item in given.items if isinstance(given, Sequence) else (given,):
            if not isinstance(item, Scalar) or item.kind == "null":
                self._form(item.span, "`remove` ends in names of what is removed")
                continue
            name = address(shape, item.text)
            if isinstance(shape, Record) and name in shape.fixed:
                self._form(item.span, f"no overlay can change `{name}`")
                continue
            known = find(seen, shape, name)
            steps = find(seen, shape, shape.bare) if isinstance(shape, Record) and shape.bare else None
            if known is None and steps is not None:
                # the steps of a procedure may be addressed without their `do`
                self.remove(
                    steps.value, item, child_shape(shape, steps.name), at.down(steps.name, item, steps)
                )
            elif known is None:
                self._missing(at.down(name, item, None), seen)
            else:
                self._edit("remove", at.down(name, item, known), None)

    # ---------------------------------------------------------------- options and constants

    def set_values(self, document: Mapping, overlay: Overlay) -> None:
        """The overlay's own `options` and `constants`: values for names that exist."""
        for section, part in (("options", overlay.options), ("constants", overlay.constants)):
            shape = child_shape(DOCUMENT, section)
            known_section = document.entry(section)
            for entry in part or ():
                name = address(shape, entry.name)
                seen = known_section.value if known_section else None
                known = find(seen, shape, name)
                section_key = made(section, entry.key.span)
                at = _At().down(section, section_key, known_section).down(name, entry.key, known)
                if known is None:
                    self._missing(at, seen or Mapping((), document.span))
                elif section == "options" and not isinstance(entry.value, Scalar):
                    self._form(entry.value.span, "`options` gives an option's value; to change the rest of "
                               "its declaration, use `replace`")
                else:
                    self._set(known.value, entry, at, section)

    def _set(self, seen: Node, entry: Entry, at: _At, section: str) -> None:
        attribute: str | None = None
        if isinstance(seen, Mapping):
            if section == "options":
                attribute = "default"
            elif isinstance(entry.value, Sequence) and seen.entry("values") is not None:
                attribute = "values"
        if attribute is None:
            self._edit("replace", at, entry.value)
        else:
            known = find(seen, Rule(), attribute)
            at = at.down(attribute, made(attribute, entry.key.span), known)
            self._edit("replace" if known else "add", at, entry.value)

    # --------------------------------------------------------------------------- anchors

    def check_anchors(self, document: Mapping) -> None:
        """Every anchor must exist beside the new rule, or be a new rule that has a place."""
        new = {e.path: e for e in self.edits if e.kind == "add"}
        placed: set[Path] = set()
        for edit in new.values():
            seen, trail = edit, [edit.path]
            while seen.anchor is not None and seen.path not in placed:
                target = (*seen.path[:-1], seen.anchor.name)
                if target in trail:
                    self.report.add(
                        codes.ANCHOR_CIRCULAR,
                        f"`{said(seen.path)}` is placed beside a rule whose own place depends on it",
                        seen.anchor.span,
                        labels=[Label(new[target].span, "this is that rule")],
                    )
                    break
                if target not in new:
                    self._check_anchor(document, target, seen.anchor)
                    break
                seen = new[target]
                trail.append(target)
            placed.update(trail)

    def _check_anchor(self, document: Mapping, target: Path, anchor: Anchor) -> None:
        node: Node | None = document
        shape: Shape = DOCUMENT
        parent = self.game
        for name in target[:-1]:
            entry = find(unfold(node, shape) if node else None, shape, name)
            shape = child_shape(shape, name)
            node = entry.value if entry else None
            parent = entry.key.span if entry else parent
        if find(unfold(node, shape) if node else None, shape, target[-1]) is None:
            siblings = node.entries if isinstance(node, Mapping) else ()
            self.missing.append(Missing(target, anchor.span, "anchor", siblings, parent))

    # --------------------------------------------------------------------------- reports

    def _entries(self, given: Node, shape: Shape, at: _At) -> Iterator[tuple[Entry, str]]:
        """The entries of a node that must be a mapping, each with its address."""
        if not isinstance(given, Mapping):
            where = f"`{said(at.path)}`" if at.path else "an overlay"
            self._form(given.span, f"{where} takes names, each with what belongs to it")
            return
        for entry in given:
            name = address(shape, entry.name)
            if isinstance(shape, Record) and name in shape.fixed:
                self._form(entry.key.span, f"no overlay can change `{name}`")
            else:
                yield entry, name

    def _edit(self, kind: EditKind, at: _At, value: Node | None, anchor: Anchor | None = None) -> None:
        self.edits.append(Edit(kind, at.path, at.keys, value, anchor))

    def _exists(self, at: _At) -> None:
        self.report.add(
            codes.EXISTS,
            f"`{said(at.path)}` exists already",
            at.keys[-1].span if at.keys else self.game,
            labels=[Label(at.existing or self.game, "it is here")],
            help="use `replace` to change it, or another name",
        )

    def _missing(self, at: _At, seen: Node) -> None:
        siblings = seen.entries if isinstance(seen, Mapping) else ()
        parent = at.existing or self.game
        self.missing.append(Missing(at.path, at.keys[-1].span, "target", siblings, parent))

    def _form(self, span: Span, message: str) -> None:
        self.report.add(codes.FORM, message, span)

    def _misplaced(self, span: Span, message: str) -> None:
        self.report.add(codes.ANCHOR_MISPLACED, message, span)


def _attributes_alone(given: Node, rule: Rule) -> Mapping | None:
    """The mapping, if it speaks of nothing but attributes of an existing rule."""
    if isinstance(given, Mapping) and given.entries and all(e.name in rule.attributes for e in given):
        return given
    return None
