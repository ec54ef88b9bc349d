"""An overlay as a value: what it is called, what it is put on, and its edits as written."""

from __future__ import annotations

from ludex.diagnostics import Report, did_you_mean, normalise
from ludex.node import node
from ludex.overlay import codes
from ludex.source import Span
from ludex.syntax.ast import Ident
from ludex.syntax.document import Mapping, Node, Scalar, Sequence

_KEYS = (
    "ludex",
    "overlay",
    "extends",
    "title",
    "cite",
    "note",
    "requires",
    "excludes",
    "options",
    "constants",
    "add",
    "replace",
    "remove",
)


@node
class Overlay:
    """One overlay. `options` and `constants` set values; the rest are edits by path.

    `document` is the whole of it, for what does not concern stacking (`cite`, `note`).
    """

    name: Ident
    extends: Ident
    title: str | None
    requires: tuple[Ident, ...]
    excludes: tuple[Ident, ...]
    options: Mapping | None
    constants: Mapping | None
    add: Mapping | None
    replace: Mapping | None
    remove: Mapping | Sequence | None
    document: Mapping

    @property
    def span(self) -> Span:
        """Where its name stands: the place to point at when the overlay as a whole is meant."""
        return self.name.span


def load_overlay(document: Mapping, report: Report) -> Overlay | None:
    """The overlay in a parsed document, or None if it says not what it is or what it is for.

    Parts of a wrong form are reported and left out, so that the rest is looked at as well.
    """
    for entry in document:
        if entry.name not in _KEYS:
            report.add(
                codes.UNKNOWN_KEY,
                f"an overlay has no `{entry.name}`",
                entry.key.span,
                help=did_you_mean(entry.name, _KEYS)
                or "sections of the game stand under `add` or `replace`",
            )
    name = _identifier(document, "overlay", report)
    extends = _identifier(document, "extends", report)
    title = document.get("title")
    remove = document.get("remove")
    if remove is not None and not isinstance(remove, Mapping | Sequence):
        _wrong_form(remove, "`remove` takes sections with lists of names", report)
        remove = None
    options, constants, add, replace = (
        _mapping(document, key, report) for key in ("options", "constants", "add", "replace")
    )
    requires = _names(document, "requires", report)
    excludes = _names(document, "excludes", report)
    if name is None or extends is None:
        return None
    return Overlay(
        name=name,
        extends=extends,
        title=title.text if isinstance(title, Scalar) else None,
        requires=requires,
        excludes=excludes,
        options=options,
        constants=constants,
        add=add,
        replace=replace,
        remove=remove,
        document=document,
    )


def _identifier(document: Mapping, key: str, report: Report) -> Ident | None:
    node = document.get(key)
    if node is None:
        report.add(codes.FORM, f"the overlay does not say `{key}`", document.span)
        return None
    if not isinstance(node, Scalar) or not node.text.strip() or node.kind == "null":
        _wrong_form(node, f"`{key}` takes one name", report)
        return None
    return Ident(normalise(node.text).strip(), node.span)


def _mapping(document: Mapping, key: str, report: Report) -> Mapping | None:
    node = document.get(key)
    if node is None or isinstance(node, Mapping):
        return node
    _wrong_form(node, f"`{key}` takes names, each with what belongs to it", report)
    return None


def _names(document: Mapping, key: str, report: Report) -> tuple[Ident, ...]:
    """A list of names; a single one may stand without the list."""
    node = document.get(key)
    if node is None:
        return ()
    found: list[Ident] = []
    for item in node.items if isinstance(node, Sequence) else (node,):
        if isinstance(item, Scalar) and item.kind != "null" and item.text.strip():
            found.append(Ident(normalise(item.text).strip(), item.span))
        else:
            _wrong_form(item, f"`{key}` takes a list of names of overlays", report)
    return tuple(found)


def _wrong_form(node: Node, message: str, report: Report) -> None:
    report.add(codes.FORM, message, node.span)
