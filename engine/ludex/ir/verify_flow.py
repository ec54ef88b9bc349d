"""Findings that take the paths through blocks: endless loops, registers read before set."""

from __future__ import annotations

from collections.abc import Iterator

from ludex.ir import code as s
from ludex.ir import program as p
from ludex.ir.walk import binds, reads
from ludex.typed.expr import Const

Set = frozenset[int]


def _runs_on(end: p.Terminator) -> tuple[int, ...]:
    """The blocks that may follow without anything being waited for."""
    match end:
        case p.Jump(target):
            return (target,)
        case p.Branch(_, then, orelse):
            return then, orelse
        case p.Decide():
            return (end.orelse,)
        case p.Simultaneous():
            return (*end.entries, end.next)
        case _:
            return ()


def endless_findings(program: p.Program) -> Iterator[str]:
    """A loop of blocks that neither waits nor costs a tick could run for ever.

    (Returns are taken to cost one at the entry of what returns.)
    """
    state: dict[int, int] = {}
    for root in range(len(program.blocks)):
        stack: list[tuple[int, Iterator[int]]] = []
        if root not in state:
            state[root] = 1
            stack.append((root, iter(_runs_on(program.blocks[root].end))))
        while stack:
            node, following = stack[-1]
            target = next(following, None)
            if target is None:
                state[node] = 2
                stack.pop()
            elif program.blocks[target].tick:
                continue
            elif state.get(target) == 1:
                yield f"block {target}: a loop through it costs no tick"
            elif target not in state:
                state[target] = 1
                stack.append((target, iter(_runs_on(program.blocks[target].end))))


def assignment_findings(program: p.Program) -> Iterator[str]:
    """Registers that a block may read before they are set in the same step.

    A register is known where every way to the block sets it since the last point. Where a
    `Return` leads to, what was known at the call is known, unless something was waited for in
    between; after a decision what the chosen option binds and stores, after a chance event its
    outcome.
    """
    registers = frozenset(i for i, variable in enumerate(program.variables) if not variable.frame)
    known: dict[int, Set] = {}
    waiting: list[int] = []

    def arrive(block: int, assigned: Set) -> None:
        before = known.get(block)
        after = assigned if before is None else before & assigned
        if after != before:
            known[block] = after
            waiting.append(block)

    arrive(0, frozenset())
    for block in program.blocks:
        for target, stored in _after_waiting(block.end):
            arrive(target, stored)
        if isinstance(block.end, p.Simultaneous):
            arrive(block.end.next, frozenset())
    calls: dict[int, list[int]] = {}
    for caller, target in _calls(program):
        if _waits(program, caller):
            arrive(target, frozenset())
        else:
            calls.setdefault(caller, []).append(target)
    while waiting:
        index = waiting.pop()
        block = program.blocks[index]
        assigned, _ = _code(block.code, known[index], registers)
        for target in (*_runs_on(block.end), *calls.get(index, ())):
            arrive(target, assigned)
    told: set[tuple[int, int]] = set()
    for index, before in sorted(known.items()):
        block = program.blocks[index]
        assigned, missing = _code(block.code, before, registers)
        missing |= (reads(block.end) - _bound(block.end) - assigned) & registers
        for var in sorted(missing):
            if (index, var) not in told:
                told.add((index, var))
                yield f"block {index}: {program.variables[var].name}%{var} may be read before it is set"
    for atomic in program.atomics:
        _, missing = _code(atomic.body, frozenset(atomic.params), registers)
        for var in sorted(missing):
            yield f"atomic {atomic.name}: {program.variables[var].name}%{var} may be read before it is set"
    for function in program.functions:
        for var in sorted((reads(function.body) - binds(function.body) - set(function.params)) & registers):
            yield f"function {function.name}: {program.variables[var].name}%{var} is not its own"


def _after_waiting(end: p.Terminator) -> Iterator[tuple[int, Set]]:
    match end:
        case p.Decide():
            for option in end.options:
                yield option.target, _bound(option.site) | {var for var, _ in option.stores}
        case p.Chance():
            yield end.next, frozenset({end.var}) if end.var >= 0 else frozenset()
        case _:
            return


def _calls(program: p.Program) -> Iterator[tuple[int, int]]:
    """Blocks that set a variable to return by, and the block that is then returned to."""
    returning = {block.end.var for block in program.blocks if isinstance(block.end, p.Return)}
    for index, block in enumerate(program.blocks):
        for statement in block.code:
            if isinstance(statement, s.SetVar) and statement.var in returning:
                value = statement.value
                if isinstance(value, Const) and 0 < value.value < len(program.blocks):
                    yield index, value.value


def _waits(program: p.Program, caller: int) -> bool:
    """Whether something may be waited for between a call and its return."""
    inner = dict[int, list[int]]()
    for index, target in _calls(program):
        if index != caller:
            inner.setdefault(index, []).append(target)
    seen = set(_runs_on(program.blocks[caller].end))
    pending = list(seen)
    while pending:
        index = pending.pop()
        end = program.blocks[index].end
        if isinstance(end, p.Decide | p.Chance | p.Simultaneous):
            return True
        for target in (*_runs_on(end), *inner.get(index, ())):
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return False


def _bound(tree: object) -> Set:
    """Variables a terminator binds itself: those of its expressions and of a chance event."""
    bound = set(binds(tree))
    if isinstance(tree, p.Chance) and isinstance(tree.event, p.MemberChance):
        bound.add(tree.event.var)
    return frozenset(bound)


def _code(code: s.Code, assigned: Set, registers: Set) -> tuple[Set, Set]:
    """(what is set after the code, what it may read unset)."""
    missing: Set = frozenset()

    def use(tree: object, known: Set) -> None:
        nonlocal missing
        missing |= (reads(tree) - binds(tree) - known) & registers

    for statement in code:
        match statement:
            case s.SetVar(var, value):
                use(value, assigned)
                assigned |= {var}
            case s.If(test, then, orelse):
                use(test, assigned)
                first, one = _code(then, assigned, registers)
                second, other = _code(orelse, assigned, registers)
                assigned = first & second
                missing |= one | other
            case s.For(var, domain, guard, body):
                use(domain, assigned)
                use(guard, assigned | {var})
                _, inside = _code(body, assigned | {var}, registers)
                missing |= inside
            case s.Loop(count, test, body):
                use((count, test), assigned)
                _, inside = _code(body, assigned, registers)
                missing |= inside
            case _:
                use(statement, assigned)
    return assigned, missing
