"""Overlays applied: a base document and a stack of overlays become one document."""

from __future__ import annotations

from collections.abc import Sequence

from ludex.diagnostics import Report, normalise
from ludex.overlay import codes
from ludex.overlay.conflicts import check_conflicts
from ludex.overlay.edits import Edit, Edits, edits_of
from ludex.overlay.load import Overlay
from ludex.overlay.order import stack
from ludex.overlay.register import Applied, follow_readings
from ludex.overlay.shape import (
    DOCUMENT,
    Named,
    Rule,
    Shape,
    address,
    child_shape,
    long_form,
    unfold,
)
from ludex.syntax.ast import Ident
from ludex.syntax.document import Entry, Mapping, Node, Scalar


def apply_overlays(base: Mapping, overlays: Sequence[Overlay], report: Report) -> Mapping | None:
    """The base with all overlays applied, whatever the order they are given in.

    None if the overlays do not fit the base or one another; everything found is in the report.
    Conflicts are found by comparing what the overlays touch, before any is applied: each overlay
    is read against the base with the overlays it requires, and those not related by `requires`
    must touch different rules. So the result holds in any order of the unrelated ones.
    """
    game = base.get("game")
    if not isinstance(game, Scalar):
        if overlays:
            report.add(codes.FORM, "overlays need a base that says which `game` it is", base.span)
            return None
        return base
    before = len(report.errors)
    ordered = stack(Ident(normalise(game.text).strip(), game.span), overlays, report)
    if ordered is None:
        return None
    edits: dict[str, Edits] = {}
    for overlay in ordered.overlays:
        seen = base
        for required in ordered.overlays:
            if required.name.text in ordered.below[overlay.name.text]:
                seen = _apply(seen, edits[required.name.text].edits)
        edits[overlay.name.text] = edits_of(overlay, seen, report)
    check_conflicts(ordered, edits, report)
    if len(report.errors) > before:
        return None
    result = base
    for overlay in ordered.overlays:
        result = _apply(result, edits[overlay.name.text].edits)
    applied = [Applied(o, e) for o in ordered.overlays for e in edits[o.name.text].edits]
    result = follow_readings(result, applied, report)
    return result if len(report.errors) == before else None


def _apply(document: Mapping, edits: Sequence[Edit]) -> Mapping:
    return _rebuild(document, DOCUMENT, edits, 0)


def _rebuild(node: Node | None, shape: Shape, edits: Sequence[Edit], depth: int) -> Mapping:
    """The node with edits of paths that are equal up to `depth` made at and below it."""
    if node is None:
        node = Mapping((), edits[0].keys[max(depth - 1, 0)].span)
    node = unfold(node, shape)
    if isinstance(shape, Rule):
        node = long_form(node, shape)
    if not isinstance(node, Mapping):
        node = Mapping((), node.span)
    groups: dict[str, list[Edit]] = {}
    for edit in edits:
        groups.setdefault(edit.path[depth], []).append(edit)
    entries: list[Entry] = []
    for entry in node:
        name = address(shape, entry.name)
        here = groups.pop(name, None)
        changed = entry if here is None else _changed(entry, shape, here, depth)
        if changed is not None:
            entries.append(changed)
    before: dict[str, list[Entry]] = {}
    after: dict[str, list[Entry]] = {}
    for name, here in groups.items():
        added = _added(child_shape(shape, name), here, depth)
        if added is None:
            continue
        anchor = here[0].anchor if len(here[0].path) == depth + 1 else None
        if anchor is None:
            entries.append(added)
        else:
            beside = before if anchor.side == "before" else after
            beside.setdefault(anchor.name, []).append(added)
    return Mapping(_placed(entries, before, after, shape), node.span, node.flow)


def _changed(entry: Entry, parent: Shape, edits: list[Edit], depth: int) -> Entry | None:
    """An existing entry of a `parent` after its edits; None if it is removed.

    A list of named rules from which the last is removed goes too: it says nothing any more.
    """
    whole = [e for e in edits if len(e.path) == depth + 1]
    if whole:
        edit = whole[0]
        if edit.value is None:
            return None
        key = edit.keys[depth]
        if isinstance(parent, Named) and parent.signatures and "(" not in key.text:
            key = entry.key  # what is addressed by its name alone keeps its parameters
        return Entry(key, edit.value)
    shape = child_shape(parent, address(parent, entry.name))
    value = _rebuild(entry.value, shape, edits, depth + 1)
    if isinstance(shape, Named) and not value.entries:
        return None
    return Entry(entry.key, value)


def _added(shape: Shape, edits: list[Edit], depth: int) -> Entry | None:
    edit = edits[0]
    key = edit.keys[depth]
    if len(edit.path) == depth + 1:
        return Entry(key, edit.value) if edit.value is not None else None
    return Entry(key, _rebuild(None, shape, edits, depth + 1))


def _placed(
    entries: list[Entry], before: dict[str, list[Entry]], after: dict[str, list[Entry]], shape: Shape
) -> tuple[Entry, ...]:
    """The entries with new ones beside their anchors, which may themselves be new."""
    placed: list[Entry] = []
    waiting = [(entry, False) for entry in reversed(entries)]
    while waiting:
        entry, is_ready = waiting.pop()
        if is_ready:
            placed.append(entry)
            continue
        name = address(shape, entry.name)
        waiting.extend((e, False) for e in reversed(after.pop(name, [])))
        waiting.append((entry, True))
        waiting.extend((e, False) for e in reversed(before.pop(name, [])))
    return tuple(placed)
