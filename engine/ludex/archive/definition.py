"""What a definition cites: its sources, and every named rule with its citations.

Works on the resolved document (overlays applied), so that whatever carries a `cite` is found
wherever it stands, for no particular number of players, in a definition with mistakes as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ludex.archive.index import Source, declared
from ludex.diagnostics import Report, nearest, normalise
from ludex.syntax import ast
from ludex.syntax.document import Entry, Mapping, Node
from ludex.syntax.sections_about import source as parse_source
from ludex.syntax.sections_base import Slots

_NO_RULES = frozenset({"sources", "view", "types", "legend"})
"""Keys below which nothing has the address of a rule."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Something that can be named: its address, the last part of it, and what it cites itself.

    Definitions and procedures are addressed without their parameters.
    """

    address: str
    name: str
    cites: tuple[ast.Cite, ...]
    note: str | None


def sources_of(document: Mapping) -> tuple[Source, ...]:
    """The sources of a definition, in its order; what is wrong with one is left out."""
    node = document.get("sources")
    slots = Slots(Report())
    found = (parse_source(slots, entry) for entry in node) if isinstance(node, Mapping) else ()
    return tuple(declared(s) for s in found if s is not None)


def rules_of(document: Mapping) -> tuple[Rule, ...]:
    """All that has an address, in the order of the document; the game itself has the address ``."""
    slots = Slots(Report())
    found = [_rule(slots, "", "", document)]
    for entry in document:
        if entry.name not in _NO_RULES and isinstance(entry.value, Mapping):
            found.extend(_rules(slots, entry, ""))
    return tuple(found)


def overlay_rules(document: Mapping) -> list[Rule]:
    """What an overlay adds or replaces, by the addresses in the game; the overlay itself has ``."""
    slots = Slots(Report())
    found = [_rule(slots, "", "", document)]
    for part in (document.get("add"), document.get("replace")):
        for entry in part if isinstance(part, Mapping) else ():
            if entry.name not in _NO_RULES:
                found.extend(_rules(slots, entry, ""))
    return found


def _rules(slots: Slots, entry: Entry, above: str) -> Iterator[Rule]:
    name = normalise(entry.name.strip())
    if above in ("define", "procedures"):
        name = name.partition("(")[0].strip()
    address = f"{above}/{name}" if above else name
    yield _rule(slots, address, name, entry.value)
    if isinstance(entry.value, Mapping):
        for inner in entry.value:
            if inner.name not in ("cite", "note") and inner.name not in _NO_RULES:
                yield from _rules(slots, inner, address)


def _rule(slots: Slots, address: str, name: str, node: Node) -> Rule:
    provenance = slots.provenance(node)
    return Rule(address, name, provenance.cite, provenance.note)


def find_rules(rules: Sequence[Rule], text: str) -> list[Rule]:
    """The rules that a text means: by address, else by name, else by the end of the address."""
    wanted = normalise(" ".join(text.split())).strip("/")
    folded = wanted.casefold()
    ways: tuple[Callable[[Rule], bool], ...] = (
        lambda rule: rule.address == wanted,
        lambda rule: rule.name == wanted,
        lambda rule: folded in (rule.address.casefold(), rule.name.casefold()),
        lambda rule: rule.address.casefold().endswith("/" + folded),
    )
    for meant in ways:
        found = [rule for rule in rules if rule.address and meant(rule)]
        if found:
            return found
    return []


def nearest_rule(rules: Sequence[Rule], text: str) -> str | None:
    """The name or address of a rule nearest to a text that is neither."""
    part = nearest(text, {rule.address for rule in rules} | {rule.name for rule in rules})
    if part is not None:
        return part
    folded = text.casefold()
    inside = [rule.address for rule in rules if len(folded) > 2 and folded in rule.address.casefold()]
    return min(inside, key=len, default=None)


def citing(rules: Sequence[Rule], rule: Rule) -> list[Rule]:
    """The rule itself if it cites anything, else all below it that do."""
    if rule.cites:
        return [rule]
    return [r for r in rules if r.cites and r.address.startswith(f"{rule.address}/")]
