"""The register of ambiguities kept true under overlays.

A reading is listed with the option values, or the overlay, that play it. An overlay that sets
such an option thereby chooses a reading, so `chosen` follows; if the values belong to no
reading, the register would be false, and that is reported.
"""

from __future__ import annotations

from dataclasses import replace

from ludex.diagnostics import Label, Report, normalise
from ludex.node import node
from ludex.overlay import codes
from ludex.overlay.edits import Edit
from ludex.overlay.load import Overlay
from ludex.overlay.shape import made
from ludex.syntax.document import Entry, Mapping, Node, Scalar


@node
class Applied:
    """An edit and the overlay it is of."""

    overlay: Overlay
    edit: Edit


@node
class _Reading:
    name: str
    options: dict[str, str]
    overlay: str | None


def follow_readings(document: Mapping, applied: list[Applied], report: Report) -> Mapping:
    """The document with `chosen` of every ambiguity that the overlays decide anew."""
    register = document.get("ambiguities")
    if not isinstance(register, Mapping):
        return document
    values = _defaults(document)
    setters = {a.edit.path[1]: a for a in applied if _sets_default(a.edit)}
    stacked = {a.overlay.name.text: a.overlay for a in applied}
    said = {a.edit.path for a in applied if a.edit.path[0] == "ambiguities"}
    entries: list[Entry] = []
    for entry in register:
        changed: Node = entry.value
        if entry.name != "settled" and isinstance(changed, Mapping):
            path = ("ambiguities", normalise(entry.name).strip())
            if not {path, (*path, "chosen")} & said:
                explained = (*path, "because") in said
                changed = _follow(entry, changed, values, setters, stacked, report, explained=explained)
        entries.append(replace(entry, value=changed))
    rewritten = replace(register, entries=tuple(entries))
    return replace(
        document,
        entries=tuple(replace(e, value=rewritten) if e.value is register else e for e in document),
    )


def _follow(
    entry: Entry,
    ambiguity: Mapping,
    values: dict[str, str | None],
    setters: dict[str, Applied],
    stacked: dict[str, Overlay],
    report: Report,
    *,
    explained: bool,
) -> Mapping:
    readings = _readings(ambiguity)
    reasons = [(s.overlay, s.edit.span) for o, s in setters.items() if any(o in r.options for r in readings)]
    reasons += [(stacked[r.overlay], stacked[r.overlay].span) for r in readings if r.overlay in stacked]
    if not reasons or any(values.get(o, "") is None for r in readings for o in r.options):
        return ambiguity
    fitting = [r for r in readings if _holds(r, values, stacked)]
    if not fitting:
        label = ambiguity.entry("readings") or entry
        overlay, span = reasons[0]
        report.add(
            codes.NO_READING,
            f"with what `{overlay.name}` sets, no reading of `{entry.name}` is played",
            span,
            labels=[Label(label.key.span, "the readings are listed here")],
        )
        return ambiguity
    # a reading that names an overlay of the stack says more than one that names options only
    fitting.sort(key=lambda r: r.overlay is None)
    chosen = ambiguity.get("chosen")
    present = normalise(chosen.text).strip() if isinstance(chosen, Scalar) else None
    best = [r.name for r in fitting if (r.overlay is None) == (fitting[0].overlay is None)]
    if present in best:
        return ambiguity
    overlay, span = reasons[0]
    if fitting[0].overlay is not None:
        overlay = stacked[fitting[0].overlay]
        span = overlay.span
    ambiguity = _with(ambiguity, "chosen", made(best[0], span))
    if not explained:
        title = overlay.title or overlay.name.text
        ambiguity = _with(ambiguity, "because", made(f"Chosen by the overlay {title}.", span))
    return ambiguity


def _sets_default(edit: Edit) -> bool:
    """Whether an edit gives an existing option another value (new options come with theirs)."""
    match edit.path:
        case ("options", _, "default"):
            return edit.kind != "remove"
        case ("options", _):
            return edit.kind == "replace"
        case _:
            return False


def _defaults(document: Mapping) -> dict[str, str | None]:
    """The value of every option; None where it is not one plain value."""
    options = document.get("options")
    found: dict[str, str | None] = {}
    for entry in options if isinstance(options, Mapping) else ():
        node = entry.value.get("default") if isinstance(entry.value, Mapping) else entry.value
        found[normalise(entry.name).strip()] = _value(node) if isinstance(node, Scalar) else None
    return found


def _readings(ambiguity: Mapping) -> list[_Reading]:
    listed = ambiguity.get("readings")
    found: list[_Reading] = []
    for entry in listed if isinstance(listed, Mapping) else ():
        options: dict[str, str] = {}
        overlay: str | None = None
        for selection in entry.value if isinstance(entry.value, Mapping) else ():
            if isinstance(selection.value, Scalar):
                if selection.name == "overlay":
                    overlay = normalise(selection.value.text).strip()
                else:
                    options[normalise(selection.name).strip()] = _value(selection.value)
        if options or overlay is not None:
            found.append(_Reading(normalise(entry.name).strip(), options, overlay))
    return found


def _holds(reading: _Reading, values: dict[str, str | None], stacked: dict[str, Overlay]) -> bool:
    if reading.overlay is not None and reading.overlay not in stacked:
        return False
    return all(values.get(option) == value for option, value in reading.options.items())


def _value(node: Scalar) -> str:
    text = normalise(node.text).strip()
    return text.casefold() if node.kind == "bool" else text


def _with(ambiguity: Mapping, name: str, value: Scalar) -> Mapping:
    """The ambiguity with one attribute set; its other attributes keep their spans."""
    if ambiguity.entry(name) is None:
        new = Entry(made(name, value.span), value)
        return replace(ambiguity, entries=(*ambiguity.entries, new))
    return replace(
        ambiguity,
        entries=tuple(replace(e, value=value) if e.name == name else e for e in ambiguity),
    )
