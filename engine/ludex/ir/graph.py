"""Control-flow graphs while they are built: blocks with calls, and which variables outlive what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ludex.ir import program as p
from ludex.ir.walk import nodes
from ludex.node import node
from ludex.typed import code
from ludex.typed import expr as x


@node
class Call:
    """Calls the region of a unit with values for its parameters, then goes on at `next`."""

    unit: int
    args: tuple[x.Expr, ...]
    next: int


@node
class Clear:
    """Sets to 0 what code that was left may have left behind: the frame words of these units
    (None: every frame word there is) and of these variables, once homes are known."""

    units: frozenset[int] | None
    variables: frozenset[int] = frozenset()


Building: TypeAlias = code.Stmt | Clear
End: TypeAlias = p.Terminator | Call


@dataclass(slots=True, eq=False, repr=False)
class Draft:
    """A block being built; `region` is the procedure, strand or main line it belongs to."""

    region: int
    code: list[Building] = field(default_factory=list)
    end: End | None = None
    tick: bool = False


_BINDERS = (x.Binding, x.OptionBinding, x.OptionLet, x.Region, x.Reachable, x.Family, p.MemberChance)


def uses(tree: object) -> set[int]:
    """The variables that a piece of code reads from outside: read, and not bound by itself."""
    read: set[int] = set()
    own: set[int] = set()
    for n in nodes(tree):
        if isinstance(n, x.Var):
            read.add(n.id)
        elif isinstance(n, _BINDERS):
            own.add(n.var)
    return read - own


def bound(tree: object) -> set[int]:
    """The variables bound inside expressions: binders, options' parameters and lets."""
    return {n.var for n in nodes(tree) if isinstance(n, _BINDERS)}


@node
class Liveness:
    """`before[b]`: variables live on entry of block b; `waiting[b]`: live while b's end waits
    (or runs a call)."""

    before: list[frozenset[int]]
    waiting: list[frozenset[int]]


def successors(end: End | None) -> Iterable[int]:
    match end:
        case p.Jump(target):
            return (target,)
        case p.Branch(_, then, orelse):
            return (then, orelse)
        case p.Decide():
            targets = [o.target for o in end.options]
            return (*targets, end.orelse)
        case p.Chance():
            return (end.next,)
        case p.Simultaneous():
            return (*end.entries, end.next)
        case Call():
            return (end.next,)
        case _:
            return ()


def _end_uses(end: End | None) -> set[int]:
    match end:
        case p.Branch(test, _, _):
            return uses(test)
        case p.Return(var):
            return {var}
        case p.Decide():
            live = uses((end.player, end.default_value))
            for o in end.options:
                live |= uses((o.site, o.label, tuple(e for _, e in o.stores)))
            return live
        case p.Chance():
            return uses(end.event)
        case p.Simultaneous(players):
            return uses(players)
        case Call(_, args, _):
            return uses(args)
        case _:
            return set()


def _kept(end: End | None) -> list[tuple[int, set[int]]]:
    """The blocks that may follow, each with the variables that are set on the way there."""
    match end:
        case p.Decide():
            ways = [(o.target, bound(o.site) | {v for v, _ in o.stores}) for o in end.options]
            return [*ways, (end.orelse, set())]
        case p.Chance():
            return [(end.next, {end.var})]
        case _:
            return [(s, set()) for s in successors(end)]


@node
class _Flow:
    """What a block reads before it sets it, what it sets, and what its end reads."""

    reads: set[int]
    sets: set[int]
    end: set[int]
    ways: list[tuple[int, set[int]]]
    waits: bool


def _flow(draft: Draft, departures: frozenset[int]) -> _Flow:
    live = _end_uses(draft.end)
    end = set(live)
    sets: set[int] = set()
    for s in reversed(draft.code):
        match s:
            case code.SetVar(var, value):
                sets.add(var)
                live.discard(var)
                live |= uses(value)
            case code.For(var, domain, guard, body):
                live |= uses((domain, guard, body)) - {var}
            case Clear():
                pass
            case _:
                live |= uses(s)
    waits = isinstance(draft.end, p.Decide | p.Chance | p.Simultaneous)
    ways = _kept(draft.end) + [(target, set()) for target in departures]
    return _Flow(live, sets, end, ways, waits)


def liveness(drafts: list[Draft], departures: Mapping[int, frozenset[int]]) -> Liveness:
    """Backward data flow over all blocks; calls are opaque, regions share no variables.

    `departures`: the blocks at which the game goes on after some that leave what is being played.
    """
    flows = [_flow(d, departures.get(i, frozenset())) for i, d in enumerate(drafts)]
    before: list[frozenset[int]] = [frozenset()] * len(drafts)
    waiting: list[frozenset[int]] = [frozenset()] * len(drafts)
    predecessors: dict[int, list[int]] = {}
    for i, flow in enumerate(flows):
        for s, _ in flow.ways:
            predecessors.setdefault(s, []).append(i)
    pending = list(range(len(drafts)))
    queued = set(pending)
    while pending:
        i = pending.pop()
        queued.discard(i)
        flow = flows[i]
        after: set[int] = set()
        for target, gone in flow.ways:
            after |= before[target] - gone
        waiting[i] = frozenset(after | flow.end if flow.waits else after)
        new = frozenset(flow.reads | (after - flow.sets))
        if new != before[i]:
            before[i] = new
            for q in predecessors.get(i, ()):
                if q not in queued:
                    queued.add(q)
                    pending.append(q)
    return Liveness(before, waiting)
