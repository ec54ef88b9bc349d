"""Where `end turn`, `end round` and `end phase` go on.

Each returns through a variable in which the phase has put the block that follows. Phases are
nested, so at every block of the main line it is known which block that is, and so it is for a
procedure at each place where it is run.
"""

from __future__ import annotations

from collections.abc import Mapping

from ludex.ir import program as p
from ludex.ir.drafting import Drafting
from ludex.ir.graph import Call, Clear, Draft, successors
from ludex.typed import code
from ludex.typed import expr as x

Armed = Mapping[int, int]
"""The block that each exit's variable names."""


def departures(d: Drafting) -> dict[int, frozenset[int]]:
    """The blocks of the main line that leave, themselves or by what they run, and where that leads."""
    taken = _taken(d)
    found: dict[int, frozenset[int]] = {}
    armed: dict[int, Armed] = {0: {}}
    pending = [0]
    while pending:
        i = pending.pop()
        draft = d.blocks[i]
        after = _armed(draft, armed[i], frozenset(d.exits.values()))
        ways = set()
        match draft.end:
            case p.Return(var) if var in after:
                ways = {after[var]}
            case Call(unit):
                ways = {after[var] for var in taken[unit] if var in after}
        if ways:
            found[i] = frozenset(ways)
        for target in (*successors(draft.end), *ways):
            if target not in armed:
                armed[target] = after
                pending.append(target)
    return found


def _armed(draft: Draft, before: Armed, exits: frozenset[int]) -> Armed:
    after = dict(before)
    for s in draft.code:
        match s:
            case code.SetVar(var, x.Const(value)) if var in exits and value:
                after[var] = value
            case Clear(_, variables):
                for var in variables:
                    after.pop(var, None)
    return after


def _taken(d: Drafting) -> dict[int, set[int]]:
    """The exits that each unit leaves by, itself or by what it runs."""
    units = {region: unit for unit, region in d.unit_region.items()}
    taken: dict[int, set[int]] = {unit: set() for unit in d.unit_region}
    calls: dict[int, set[int]] = {unit: set() for unit in d.unit_region}
    exits = set(d.exits.values())
    for draft in d.blocks:
        unit = units.get(draft.region)
        if unit is not None:
            match draft.end:
                case p.Return(var) if var in exits:
                    taken[unit].add(var)
                case Call(called):
                    calls[unit].add(called)
    changed = True
    while changed:
        changed = False
        for unit, called_by_it in calls.items():
            more = set().union(*(taken[c] for c in called_by_it)) - taken[unit]
            taken[unit] |= more
            changed = changed or bool(more)
    return taken
