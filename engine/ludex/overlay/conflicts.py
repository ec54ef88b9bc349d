"""Whether the edits of several overlays can hold together, found before any is applied.

Edits are compared as paths, so the findings do not depend on an order of application.
"""

from __future__ import annotations

from collections.abc import Iterator

from ludex.diagnostics import Label, Report, nearest
from ludex.node import node
from ludex.overlay import codes
from ludex.overlay.edits import Edit, Edits, Missing, Path
from ludex.overlay.load import Overlay
from ludex.overlay.order import Stack
from ludex.overlay.shape import DOCUMENT, Shape, address, child_shape, said

_DONE = {"add": "added", "replace": "replaced", "remove": "removed"}


@node
class _Touch:
    """An edit, the overlay it is of, and that overlay's place in the stack."""

    overlay: Overlay
    edit: Edit

    @property
    def owner(self) -> str:
        return self.overlay.name.text

    def label(self) -> Label:
        return Label(self.edit.span, f"{_DONE[self.edit.kind]} by `{self.owner}`")


def check_conflicts(stack: Stack, edits: dict[str, Edits], report: Report) -> None:
    """Report edits that meet another, and names that are missing, with the reason if it is in the stack."""
    touches = [_Touch(o, e) for o in stack.overlays for e in edits[o.name.text].edits]
    by_path: dict[Path, list[_Touch]] = {}
    for touch in touches:
        by_path.setdefault(touch.edit.path, []).append(touch)
    for touch in touches:
        _check_paths(touch, by_path, stack, report)
    _check_anchors(touches, by_path, stack, report)
    for overlay in stack.overlays:
        for missing in edits[overlay.name.text].missing:
            _report_missing(overlay, missing, by_path.get(missing.path, []), report)


def _check_paths(touch: _Touch, by_path: dict[Path, list[_Touch]], stack: Stack, report: Report) -> None:
    """The touch against those before it at its path, and against all above it."""
    path = touch.edit.path
    for other in by_path[path]:
        if other is touch:
            break
        if not _built_on(touch, other, stack):
            _report_same_rule(touch, other, report)
    for above in _prefixes(path):
        for other in by_path.get(above, []):
            if not _built_on(touch, other, stack):
                report.add(
                    codes.BELOW_CHANGED,
                    f"`{touch.owner}` changes `{said(path)}`, but `{said(above)}` is "
                    f"{_DONE[other.edit.kind]} as a whole by `{other.owner}`",
                    touch.edit.span,
                    labels=[other.label()],
                    help=_how(touch, other),
                )


def _built_on(one: _Touch, other: _Touch, stack: Stack) -> bool:
    """Whether the two are of different overlays of which one requires the other."""
    return one.owner != other.owner and stack.related(one.owner, other.owner)


def _report_same_rule(touch: _Touch, other: _Touch, report: Report) -> None:
    name = said(touch.edit.path)
    if touch.owner == other.owner:
        message = f"the overlay `{touch.owner}` changes `{name}` twice"
    else:
        message = f"the overlays `{other.owner}` and `{touch.owner}` both change `{name}`"
    report.add(
        codes.SAME_RULE, message, touch.edit.span, labels=[other.label()], help=_how(touch, other)
    )


def _how(touch: _Touch, other: _Touch) -> str | None:
    if touch.owner == other.owner:
        return None
    mine, theirs = touch.owner, other.owner
    return f"if `{mine}` is meant to be built on `{theirs}`, say `requires: [{theirs}]` in it"


def _check_anchors(
    touches: list[_Touch], by_path: dict[Path, list[_Touch]], stack: Stack, report: Report
) -> None:
    """Two insertions at one place, and insertions beside what is removed."""
    taken: dict[tuple[Path, str], list[_Touch]] = {}
    for touch in touches:
        anchor = touch.edit.anchor
        if anchor is None:
            continue
        target = (*touch.edit.path[:-1], anchor.name)
        others = taken.setdefault((target, anchor.side), [])
        for other in others:
            # one overlay may insert several at one place: they stand there in the order written
            if other.owner != touch.owner and not _built_on(touch, other, stack):
                assert other.edit.anchor is not None
                report.add(
                    codes.SAME_ANCHOR,
                    f"the overlays `{other.owner}` and `{touch.owner}` both insert a rule "
                    f"{anchor.side} `{said(target)}`",
                    anchor.span,
                    labels=[Label(other.edit.anchor.span, f"`{other.owner}` inserts here")],
                    help=_how(touch, other),
                )
        others.append(touch)
        for other in by_path.get(target, []):
            if other.edit.kind == "remove" and not _built_on(touch, other, stack):
                report.add(
                    codes.ANCHOR_REMOVED,
                    f"`{said(touch.edit.path)}` is inserted {anchor.side} `{anchor.name}`, which "
                    f"`{other.owner}` removes",
                    anchor.span,
                    labels=[other.label()],
                )


def _report_missing(overlay: Overlay, missing: Missing, others: list[_Touch], report: Report) -> None:
    """`others` are the edits of all overlays at the missing path."""
    *above, name = missing.path
    names = [_name(e.name, missing.path) for e in missing.siblings]
    close = nearest(name, names)
    labels: list[Label] = []
    hint: str | None = None
    code = codes.NO_TARGET if missing.what == "target" else codes.NO_ANCHOR
    for other in others:
        if other.owner == overlay.name.text:
            continue
        labels.append(other.label())
        if other.edit.kind == "remove":
            code = code if missing.what == "target" else codes.ANCHOR_REMOVED
        elif other.edit.kind == "add":
            hint = f"`{other.owner}` adds it: say `requires: [{other.owner}]` to build on it"
    if close is not None:
        hint = hint or f"did you mean `{close}`?"
        sibling = missing.siblings[names.index(close)]
        labels.append(Label(sibling.key.span, f"`{close}` is here"))
    if not names and above and missing.what == "target":
        hint = hint or f"this is one rule without named parts; to remove it, list its name: `[{above[-1]}]`"
    if not labels:
        labels.append(Label(missing.parent, _listing(names)))
    where = f"`{said(tuple(above))}`" if above else "the game"
    report.add(code, f"{where} has no `{name}`", missing.span, labels=labels, help=hint)


def _listing(names: list[str]) -> str:
    if not names:
        return "this has no named parts"
    shown = ", ".join(f"`{n}`" for n in names[:8])
    return f"this has {shown}" + (" and others" if len(names) > 8 else "")


def _name(key: str, path: Path) -> str:
    """The address of a sibling of the last name of `path`."""
    shape: Shape = DOCUMENT
    for name in path[:-1]:
        shape = child_shape(shape, name)
    return address(shape, key)


def _prefixes(path: Path) -> Iterator[Path]:
    for length in range(1, len(path)):
        yield path[:length]
