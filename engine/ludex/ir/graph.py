"""Control-flow graphs while they are built: blocks with calls, and which variables outlive what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TypeAlias

from ludex.ir import program as p
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


@dataclass(slots=True)
class Draft:
    """A block being built; `region` is the procedure, strand or main line it belongs to."""

    region: int
    code: list[Building] = field(default_factory=list)
    end: End | None = None
    tick: bool = False


def used(node: object, found: set[int]) -> None:
    """Collects the variables that an expression (or statement) reads, bound ones left out where
    they are bound by it: binders never outlive their expression, so a superset does no harm."""
    if isinstance(node, x.Var):
        found.add(node.id)
    elif isinstance(node, tuple):
        for item in node:
            used(item, found)
    elif is_dataclass(node) and not isinstance(node, type) and type(node).__module__.startswith("ludex."):
        for f in fields(node):
            used(getattr(node, f.name), found)


def bound(node: object, found: set[int]) -> None:
    """Collects the variables bound inside expressions: binders, options' parameters and lets."""
    if isinstance(node, x.Binding | x.OptionBinding | x.OptionLet | x.Region | x.Reachable | p.MemberChance):
        found.add(node.var)
    if isinstance(node, tuple):
        for item in node:
            bound(item, found)
    elif is_dataclass(node) and not isinstance(node, type) and type(node).__module__.startswith("ludex."):
        for f in fields(node):
            bound(getattr(node, f.name), found)


def uses(node: object) -> set[int]:
    """The variables that a piece of code reads from outside: read, and not bound by itself."""
    found: set[int] = set()
    used(node, found)
    own: set[int] = set()
    bound(node, own)
    return found - own


def _statement(s: Building, live: set[int]) -> None:
    """Updates a live set backwards over one statement."""
    match s:
        case code.SetVar(var, value):
            live.discard(var)
            live |= uses(value)
        case code.For(var, domain, guard, body):
            live |= uses((domain, guard, body)) - {var}
        case Clear():
            pass
        case _:
            live |= uses(s)


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


def _end_uses(end: End | None, live: set[int]) -> None:
    match end:
        case p.Branch(test, _, _):
            live |= uses(test)
        case p.Return(var):
            live.add(var)
        case p.Decide():
            live |= uses(end.player)
            for o in end.options:
                live |= uses((o.site, o.label, tuple(e for _, e in o.stores)))
        case p.Chance():
            live |= uses(end.event)
        case p.Simultaneous(players):
            live |= uses(players)
        case Call(_, args, _):
            live |= uses(args)


def liveness(drafts: list[Draft]) -> Liveness:
    """Backward data flow over all blocks; calls are opaque, regions share no variables."""
    before: list[frozenset[int]] = [frozenset()] * len(drafts)
    waiting: list[frozenset[int]] = [frozenset()] * len(drafts)
    predecessors: dict[int, list[int]] = {}
    for i, d in enumerate(drafts):
        for s in successors(d.end):
            predecessors.setdefault(s, []).append(i)
    pending = list(range(len(drafts)))
    queued = set(pending)
    while pending:
        i = pending.pop()
        queued.discard(i)
        d = drafts[i]
        after: set[int] = set()
        match d.end:
            case p.Decide():
                for o in d.end.options:
                    gone = {v for v, _ in o.stores}
                    own: set[int] = set()
                    bound(o.site, own)
                    after |= before[o.target] - gone - own
                after |= before[d.end.orelse]
            case p.Chance():
                after |= before[d.end.next] - {d.end.var}
            case _:
                for s in successors(d.end):
                    after |= before[s]
        across = set(after)
        _end_uses(d.end, after)
        waiting[i] = frozenset(after if isinstance(d.end, p.Decide | p.Chance | p.Simultaneous) else across)
        live = after
        for statement in reversed(d.code):
            _statement(statement, live)
        new = frozenset(live)
        if new != before[i]:
            before[i] = new
            for q in predecessors.get(i, ()):
                if q not in queued:
                    queued.add(q)
                    pending.append(q)
    return Liveness(before, waiting)
