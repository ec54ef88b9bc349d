"""Known tests: a test that was false, and whose inputs nothing has written since, is not asked again.

End conditions are tested after each step that may change them, and all of them once more at the
end of a turn's step; between two decisions the second time is often about the same position.
Nothing is known of a state that waited: it may come from anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

from ludex.ir import code as s
from ludex.ir import program as p
from ludex.ir.passes.facts import Facts
from ludex.ir.reads import reads as fields_read
from ludex.ir.reads import writes
from ludex.ir.walk import binds, classes, nodes, reads
from ludex.node import replace
from ludex.typed import expr as e


@dataclass(frozen=True, eq=False, slots=True)
class Fact:
    """A test that does not hold, or (with `var`) an expression whose value a variable has.

    There is one of each: equal facts are the same.
    """

    expr: e.Expr
    var: int | None
    fields: frozenset[str]
    variables: frozenset[int]


Known = frozenset[Fact]

_HARMLESS = (s.Enter, s.Resume, s.Announce)
_TRACKED = (
    s.Store, s.MoveOne, s.MoveAll, s.MoveTokens, s.MoveAllTokens, s.ShufflePile, s.ReversePile,
    s.NoteRecord, s.ForgetRecord, s.SetVar, s.If, s.For, s.Loop, s.Break,
)  # fmt: skip


class Tests:
    """What is known where blocks begin, and their code without what need not be asked."""

    def __init__(self, program: p.Program) -> None:
        self._blocks = program.blocks
        self._facts = Facts(program)
        self._functions = {f.name: f for f in program.functions}
        self._found: dict[tuple[int, int | None], Fact | None] = {}
        self._made_before: dict[tuple[e.Expr, int | None], Fact] = {}
        self._changed: dict[int, tuple[s.Stmt, tuple[frozenset[str], frozenset[int]] | None]] = {}
        """By identity, with the statement, which must live on."""
        self._returns = return_targets(program)

    def blocks(self) -> tuple[p.Block, ...]:
        """The blocks, with tests that are known to fail as jumps.

        A block that goes on at such a test from one of several places goes on behind it.
        """
        before = self._before()
        made = []
        for i, block in enumerate(self._blocks):
            if i in before:
                known = self._through(before[i], block.code)
                end = self._onward(block.end, known)
                passed = {i}
                while isinstance(end, p.Jump) and end.target not in passed:
                    following = self._blocks[end.target]
                    if following.tick or following.clear or not isinstance(following.end, p.Branch):
                        break
                    known = self._through(known, following.code)
                    onward = self._onward(following.end, known)
                    if not isinstance(onward, p.Jump):
                        break
                    passed.add(end.target)
                    block, end = replace(block, code=block.code + following.code), onward
                block = replace(block, end=end)
            made.append(block)
        return tuple(made)

    def _onward(self, end: p.Terminator, known: Known) -> p.Terminator:
        if isinstance(end, p.Branch) and self._fact(end.test) in known:
            return p.Jump(end.orelse)
        return end

    def _before(self) -> dict[int, Known]:
        """What is known at the beginning of each block that is reached: the greatest solution."""
        before: dict[int, Known] = {i: frozenset() for i in self._entries()}
        left = sorted(before)
        waiting = set(left)
        while left:
            i = heappop(left)
            waiting.discard(i)
            for target, known in self._after(i, before[i]):
                old = before.get(target)
                new = known if old is None else old & known
                if new != old:
                    before[target] = new
                    if target not in waiting:
                        waiting.add(target)
                        heappush(left, target)
        return before

    def _entries(self) -> set[int]:
        """Blocks that are gone on at from outside, or after a state has waited."""
        found = {0}
        for block in self._blocks:
            match block.end:
                case p.Decide(options=offers, orelse=orelse):
                    found.update((orelse, *(offer.target for offer in offers)))
                case p.Chance(next=following):
                    found.add(following)
                case p.Simultaneous(entries=entries, next=following):
                    found.update((*entries, following))
        return found

    def _after(self, i: int, known: Known) -> Iterator[tuple[int, Known]]:
        block = self._blocks[i]
        known = frozenset() if block.clear else self._through(known, block.code)
        match block.end:
            case p.Jump(target):
                yield target, known
            case p.Branch(test, then, orelse):
                yield then, known
                fact = self._fact(test)
                yield orelse, known if fact is None else known | {fact}
            case p.Return(var):
                for target in self._returns.get(var, ()):
                    yield target, self._without(known, frozenset(), frozenset({var}))

    def _through(self, known: Known, code: s.Code) -> Known:
        for statement in code:
            if isinstance(statement, _HARMLESS):
                continue
            if isinstance(statement, s.SetVar):
                value = statement.value
                copy = self._fact(value, statement.var) if isinstance(value, e.Load | e.Const) else None
                if copy in known:
                    continue
                known = self._without(known, frozenset(), frozenset({statement.var}))
                if copy is not None:
                    known |= {copy}
            elif known:
                changes = self._changes(statement)
                known = frozenset() if changes is None else self._without(known, *changes)
        return known

    def _changes(self, statement: s.Stmt) -> tuple[frozenset[str], frozenset[int]] | None:
        found = self._changed.get(id(statement))
        if found is None:
            found = self._changed[id(statement)] = statement, changed_by(statement)
        return found[1]

    def _without(self, known: Known, written: frozenset[str], variables: frozenset[int]) -> Known:
        """What is still known after some fields and variables were written."""
        if "*" in written:
            return frozenset()
        return frozenset(
            fact
            for fact in known
            if variables.isdisjoint(fact.variables) and written.isdisjoint(fact.fields)
        )

    def _fact(self, expr: e.Expr, var: int | None = None) -> Fact | None:
        """None of what has effects, or costs ticks."""
        key = id(expr), var
        if key not in self._found:
            self._found[key] = self._made(expr, var) if self._facts.total(expr) else None
        return self._found[key]

    def _made(self, expr: e.Expr, var: int | None) -> Fact:
        if (expr, var) not in self._made_before:
            variables = reads(expr) - binds(expr) if var is None else reads(expr) | {var}
            self._made_before[expr, var] = Fact(expr, var, fields_read(expr, self._functions), variables)
        return self._made_before[expr, var]


def changed_by(statement: s.Stmt) -> tuple[frozenset[str], frozenset[int]] | None:
    """The fields and variables that a statement may change; None if it may change anything."""
    tracked = all(isinstance(n, _TRACKED) for n in nodes(statement) if isinstance(n, s.Stmt))
    return (writes((statement,)), _variables(statement)) if tracked else None


def _variables(statement: s.Stmt) -> frozenset[int]:
    """The variables that a statement gives values."""
    inner = {n.var for n in nodes(statement) if isinstance(n, s.SetVar | s.For)}
    return binds(statement) | inner


def return_targets(program: p.Program) -> dict[int, set[int]]:
    """For each variable that is returned through the blocks it may name."""
    found: dict[int, set[int]] = {b.end.var: set() for b in program.blocks if isinstance(b.end, p.Return)}
    for n in nodes(program.blocks, classes(s.SetVar, e.OptionSite)):
        stores = n.stores if isinstance(n, p.Option) else ()
        if isinstance(n, s.SetVar):
            stores = ((n.var, n.value),)
        for var, value in stores:
            if var in found and isinstance(value, e.Const):
                found[var].add(value.value)
    return found


def pruned(program: p.Program) -> p.Program:
    """The program without tests that are known to fail."""
    return replace(program, blocks=Tests(program).blocks())
