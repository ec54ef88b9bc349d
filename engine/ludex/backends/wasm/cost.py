"""How much work code may be, at most: what ticks do not count is counted where it may be much.

An estimate in steps of a few nanoseconds, from the sizes of domains. Loops of statements and
recursive calls take their body off the budget in every turn, aggregates and offers that may
be long take each element off; so what stands within a loop is at most `LARGE` of its own. A
definition that means well comes nowhere near the budget.
"""

from __future__ import annotations

from ludex.backends.wasm.shapes import span
from ludex.ir import code as s
from ludex.ir import program as p
from ludex.ir.walk import children, nodes
from ludex.typed import expr as e
from ludex.typed.types import FamilyType, IntType, SetType

LARGE = 1 << 20
UNIT = 1 << 10
"""Steps that count as one."""

BUDGET = 1 << 22
"""Units between two decisions: some seconds."""


class Cost:
    """The costs of one program's code."""

    def __init__(self, program: p.Program) -> None:
        self._program = program
        self._functions = {f.name: f for f in program.functions}
        self._families = {t.name: max(map(len, t.families), default=1) for t in program.tables}
        self._known: dict[str, int] = {}
        self._within = 0
        """How many functions are being looked at."""
        self._found: dict[int, tuple[object, int]] = {}
        """By identity, with the tree, which must live on."""

    def of(self, tree: object) -> int:
        """At most `LARGE`: what is more is counted where it is done."""
        if not children(tree) and not isinstance(tree, e.Reachable):
            return 0 if tree is None or isinstance(tree, tuple | int | str) else 2
        found = self._found.get(id(tree))
        if found is None:
            found = tree, min(self._of(tree), LARGE)
            if not self._within and not isinstance(tree, tuple):
                self._found[id(tree)] = found
        return found[1]

    def _of(self, tree: object) -> int:
        match tree:
            case tuple():
                return sum(map(self.of, tree))
            case e.Fold(_, bindings, guard, value, key, default):
                return self._around(bindings, (guard, value, key)) + self.of(default)
            case e.Region(starts=starts, guard=guard, type=type_):
                return self.size(e.SetDomain(e.Const(0, type_))) * (4 + self.of(guard)) + self.of(starts)
            case e.Apply(name, args):
                return self.of(args) + self._function(name)
            case e.Exists(site):
                return self.site(site)
            case e.Reachable():
                return LARGE
            case s.For() | s.Loop() | s.RunAtomic():
                return 1
            case _:
                return 2 + sum(map(self.of, children(tree)))  # with its type

    def each(self, bindings: tuple[e.Binding, ...], body: tuple[object, ...]) -> int:
        """The units that an element of an aggregate takes off: 0 if all of them are not worth it."""
        return max(1, self.of(body) // UNIT) if self._around(bindings, body) > LARGE else 0

    def _around(self, bindings: tuple[e.Binding, ...], body: tuple[object, ...]) -> int:
        turns = 1
        for binding in bindings:
            turns *= self.size(binding.domain)
        return turns * (1 + self.of(body))

    def _function(self, name: str) -> int:
        if name not in self._known:
            self._known[name] = 1  # a recursive call takes its own
            self._within += 1
            self._known[name] = self.of(self._functions[name].body)
            self._within -= 1
        return self._known[name]

    def candidate(self, site: e.OptionSite, level: e.OptionLevel) -> int:
        """The units that a value of a parameter takes off: 0 if all of them are not worth it."""
        return max(1, self.of((level.items, site.late)) // UNIT) if self.site(site) > LARGE else 0

    def site(self, site: e.OptionSite) -> int:
        """All candidates, each with all its conditions."""
        turns = 1
        for level in site.levels:
            if level.binding is not None:
                turns *= self.size(level.binding.domain)
        each = 1 + self.of(tuple(level.items for level in site.levels)) + self.of(site.late)
        return min(turns * each, 1 << 40)

    def size(self, domain: e.Domain) -> int:
        """The greatest number of elements."""
        match domain:
            case e.SetDomain(set_):
                if not isinstance(set_.type, SetType):
                    return 1
                if isinstance(set_, e.Const):
                    return set_.value.bit_count() or 1
                lo, hi = span(self._program.world, set_.type.element)
                return hi - lo + 1
            case e.RangeDomain(lo, hi):
                if isinstance(lo.type, IntType) and isinstance(hi.type, IntType):
                    return max(hi.type.hi - lo.type.lo + 1, 1)
                return LARGE
            case e.SeatsDomain():
                return self._program.world.players.count
            case e.FamilyDomain(family):
                assert isinstance(family.type, FamilyType)
                names = [n.table for n in nodes(family) if isinstance(n, e.FamilyLookup)]
                return max((self._families[name] for name in names), default=1)
