"""What is wrong with a program: findings as text, none for a sound one.

A finding is a fault of the engine (of lowering or a pass), never of a definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from ludex.ir import code as s
from ludex.ir import program as p
from ludex.ir.layout import Field
from ludex.ir.verify_flow import assignment_findings, endless_findings
from ludex.ir.walk import binds, nodes
from ludex.typed import expr as e
from ludex.typed.types import (
    INT_MAX,
    INT_MIN,
    BoolType,
    EntityType,
    FamilyType,
    IntType,
    SetType,
    Type,
)


def verify(program: p.Program) -> list[str]:
    """All findings, in the order of the program's parts."""
    return list(_Verifier(program).findings())


def targets(end: p.Terminator) -> tuple[int, ...]:
    """The blocks a terminator names (a `Return` goes wherever its variable says)."""
    match end:
        case p.Jump(target):
            return (target,)
        case p.Branch(_, then, orelse):
            return then, orelse
        case p.Decide():
            return (*(option.target for option in end.options), end.orelse)
        case p.Chance():
            return (end.next,)
        case p.Simultaneous():
            return (*end.entries, end.next)
        case p.Return() | p.StrandEnd() | p.GameOver():
            return ()
        case _:
            assert_never(end)


def shape(type_: Type) -> str:
    """How a value is represented: narrowing may change a type, never this."""
    match type_:
        case SetType(EntityType()):
            return "set of entities"
        case SetType():
            return "set of integers"
        case EntityType():
            return "entity"
        case IntType():
            return "integer"
        case BoolType():
            return "truth value"
        case FamilyType():
            return "family"
        case _:
            return str(type_)


class _Verifier:
    def __init__(self, program: p.Program) -> None:
        self._program = program
        self._fields = {field.name: field for field in program.layout.fields}
        self._tables = {table.name: table for table in program.tables}
        self._functions = {function.name: function for function in program.functions}
        self._atomics = {atomic.name: atomic for atomic in program.atomics}
        self._records = {record.name for record in program.records}
        frames = (range(f.offset, f.offset + f.size) for f in program.layout.fields if f.role == "frame")
        self._frame = {word for frame in frames for word in frame}

    def findings(self) -> Iterator[str]:
        program = self._program
        yield from self._layout()
        yield from self._variables()
        for table in program.tables:
            yield from self._table(table)
        for function in program.functions:
            where = f"function {function.name}"
            yield from self._tree(where, function.body)
            outside = binds(function.body) - set(function.variables)
            if function.variables[: len(function.params)] != function.params or outside:
                yield f"{where}: its variables are not listed, parameters first"
        for atomic in program.atomics:
            yield from self._tree(f"atomic {atomic.name}", atomic.body)
            yield from self._breaks(f"atomic {atomic.name}", atomic.body, inside=False)
        for i, block in enumerate(program.blocks):
            yield from self._block(i, block)
        for name in (*p.ASKED, "panels", "glyphs"):
            yield from self._tree(name, getattr(program, name))
        yield from self._calls()
        if not any("block" in finding for finding in self._targets()):
            yield from endless_findings(program)
            yield from assignment_findings(program)

    # ------------------------------------------------------------------- words and variables

    def _layout(self) -> Iterator[str]:
        layout = self._program.layout
        taken: dict[int, str] = {}
        for field in layout.fields:
            if field.lo > field.hi:
                yield f"field {field.name}: empty range {field.lo}..{field.hi}"
            if field.offset < 0 or field.offset + field.size > layout.words:
                yield f"field {field.name}: outside the {layout.words} words"
            yield from self._type(f"field {field.name}", field.type)
            yield from self._width(field)
            for word in range(field.offset, field.offset + field.size):
                other = taken.setdefault(word, field.name)
                if other != field.name:
                    yield f"word {word}: both {other} and {field.name}"
        for record in layout.records:
            if record.name not in self._records:
                yield f"record {record.name}: nothing says what is hashed"
        if "@pc" not in self._fields:
            yield "layout: no @pc"

    def _width(self, field: Field) -> Iterator[str]:
        if not isinstance(field.type, SetType):
            if field.width != 1:
                yield f"field {field.name}: width {field.width} without being a set"
            return
        element = field.type.element
        if isinstance(element, EntityType):
            kinds = [kind for kind in self._program.world.kinds if kind.name in element.kinds and kind.count]
            lo = min((kind.base for kind in kinds), default=0)
            hi = max((kind.ids[-1] for kind in kinds), default=0)
        else:
            lo, hi = max(element.lo, 0), min(element.hi, 1023)
        if lo < field.set_base or hi >= field.set_base + 32 * field.width:
            yield f"field {field.name}: {field.width} words from {field.set_base} do not hold {lo}..{hi}"

    def _variables(self) -> Iterator[str]:
        homes: dict[tuple[bool, int], int] = {}
        for i, variable in enumerate(self._program.variables):
            where = f"variable {variable.name}%{i}"
            yield from self._type(where, variable.type)
            if variable.frame and variable.word not in self._frame:
                yield f"{where}: word {variable.word} is no frame word"
            if not variable.frame and not 0 <= variable.word < self._program.registers:
                yield f"{where}: no register {variable.word}"
            other = homes.setdefault((variable.frame, variable.word), i)
            if other != i and not variable.frame:
                yield f"{where}: shares its register with %{other}"

    def _type(self, where: str, type_: Type) -> Iterator[str]:
        element = type_.element if isinstance(type_, SetType | FamilyType) else type_
        if isinstance(element, IntType) and not INT_MIN <= element.lo <= element.hi <= INT_MAX:
            yield f"{where}: no integers are {element.lo}..{element.hi}"
        if isinstance(element, EntityType):
            known = {kind.name for kind in self._program.world.kinds}
            for kind in element.kinds:
                if kind not in known:
                    yield f"{where}: no kind {kind}"

    def _table(self, table: p.Table) -> Iterator[str]:
        cells = 1
        for dim in table.dims:
            cells *= dim.size
        for part in (table.values, table.families, table.sequences):
            if part and len(part) != cells:
                yield f"table {table.name}: {len(part)} cells, not {cells}"

    # --------------------------------------------------------------------------------- nodes

    def _tree(self, where: str, tree: object) -> Iterator[str]:
        for node in nodes(tree):
            for problem in self._node(node):
                yield f"{where}: {problem}"

    def _node(self, node: object) -> Iterator[str]:
        match node:
            case e.Var(id_, type_):
                yield from self._variable(id_, type_)
            case e.Binding(var) | e.Region(var) | e.Reachable(var) | e.OptionLet(var):
                yield from self._bound(var)
            case e.OptionBinding():
                yield from self._bound(node.var)
                yield from self._variable(node.var, node.type)
            case e.OptionGuard(rule) | e.OptionMask(rule) | s.Enter(rule) | s.Resume(rule):
                yield from self._rule(rule)
            case e.Load(name, index) | s.Store(name, index):
                field = self._fields.get(name)
                yield from self._indexed("field", name, field is not None, field.dims if field else (), index)
            case e.Having(name):
                if name not in self._fields or len(self._fields[name].dims) != 1:
                    yield f"no field {name} of one dimension"
            case e.Lookup(name, index) | e.FamilyLookup(name, index):
                table = self._tables.get(name)
                yield from self._indexed("table", name, table is not None, table.dims if table else (), index)
            case e.HoldersBy(name):
                if name not in self._tables or len(self._tables[name].dims) != 1:
                    yield f"no table {name} of one dimension"
            case e.Apply(name, args):
                yield from self._call("function", name, self._functions.get(name), args)
            case e.Hypothetical(name, args) | s.RunAtomic(name, args):
                yield from self._call("atomic", name, self._atomics.get(name), args)
            case e.Seen(name) | s.NoteRecord(name) | s.ForgetRecord(name):
                if name not in self._records:
                    yield f"no record {name}"
            case s.SetVar(var, value):
                yield from self._variable(var, value.type)
            case s.For(var):
                yield from self._variable(var, None)
            case e.Geometry() | e.Family():
                yield f"{type(node).__name__} is to be computed when the game is loaded"
            case e.SetOperation(_, left, right) | e.Subset(left, right):
                if not (isinstance(left.type, SetType) and isinstance(right.type, SetType)):
                    yield f"{type(node).__name__} of {left.type} and {right.type}"
            case e.Arithmetic(_, left, right):
                if shape(left.type) != "integer" or shape(right.type) != "integer":
                    yield f"arithmetic of {left.type} and {right.type}"
            case e.SetDomain(set_) | e.Size(set_):
                if not isinstance(set_.type, SetType):
                    yield f"{set_.type} is no set"
            case e.Region(neighbors=name) | e.Sights(rays=name):
                if name not in self._tables:
                    yield f"no table {name}"
            case _:
                pass
        site = getattr(node, "site", None)
        if isinstance(site, int) and not -1 <= site < len(self._program.sites):
            yield f"no site {site}"

    def _variable(self, var: int, type_: Type | None) -> Iterator[str]:
        if not 0 <= var < len(self._program.variables):
            yield f"no variable %{var}"
            return
        variable = self._program.variables[var]
        if type_ is not None and shape(type_) != shape(variable.type):
            yield f"{variable.name}%{var} is a {shape(variable.type)}, not a {shape(type_)}"

    def _bound(self, var: int) -> Iterator[str]:
        """What an expression binds must be a register: evaluating changes no saved word."""
        yield from self._variable(var, None)
        if 0 <= var < len(self._program.variables) and self._program.variables[var].frame:
            yield f"{self._program.variables[var].name}%{var} is bound by an expression, but a frame word"

    def _rule(self, rule: int) -> Iterator[str]:
        if not 0 <= rule < len(self._program.rules):
            yield f"no rule {rule}"

    def _indexed(
        self, what: str, name: str, known: bool, dims: tuple[object, ...], index: tuple[e.Expr, ...]
    ) -> Iterator[str]:
        if not known:
            yield f"no {what} {name}"
        elif len(dims) != len(index):
            yield f"{what} {name} has {len(dims)} dimensions, not {len(index)}"

    def _call(
        self, what: str, name: str, called: p.Function | p.Atomic | None, args: tuple[e.Expr, ...]
    ) -> Iterator[str]:
        if called is None:
            yield f"no {what} {name}"
        elif len(called.params) != len(args):
            yield f"{what} {name} takes {len(called.params)} arguments, not {len(args)}"
        else:
            for param, arg in zip(called.params, args, strict=True):
                yield from self._variable(param, arg.type)

    # -------------------------------------------------------------------------------- blocks

    def _targets(self) -> Iterator[str]:
        blocks = self._program.blocks
        for i, block in enumerate(blocks):
            for target in targets(block.end):
                if not 0 <= target < len(blocks):
                    yield f"block {i}: no block {target}"

    def _block(self, index: int, block: p.Block) -> Iterator[str]:
        where = f"block {index}"
        for target in targets(block.end):
            if not 0 <= target < len(self._program.blocks):
                yield f"{where}: no block {target}"
        for word in block.clear:
            if word not in self._frame:
                yield f"{where}: clears word {word}, which is no frame word"
        yield from self._tree(where, (block.code, block.end))
        yield from self._breaks(where, block.code, inside=False)
        match block.end:
            case p.Decide():
                yield from (f"{where}: {problem}" for problem in self._decide(block.end))
            case p.Simultaneous():
                if len(block.end.entries) != self._program.world.players.count:
                    yield f"{where}: an entry for each seat is needed"
                if "@strand" not in self._fields:
                    yield f"{where}: sealed choices without @strand"
            case p.Chance(event, var):
                if var >= 0:
                    yield from (f"{where}: {problem}" for problem in self._variable(var, None))
                if isinstance(event, p.MemberChance):
                    yield from (f"{where}: {problem}" for problem in self._bound(event.var))
            case p.Return(var):
                yield from (f"{where}: {problem}" for problem in self._variable(var, IntType()))
            case _:
                pass

    def _decide(self, decide: p.Decide) -> Iterator[str]:
        type_ = decide.player.type
        if not (isinstance(type_, EntityType) and type_.kinds == (self._program.world.players.name,)):
            yield f"{type_} is no player to decide"
        if not decide.options:
            yield "a decision without offers"
        if not -1 <= decide.default < len(decide.options):
            yield f"no option {decide.default} to default to"
        for option in decide.options:
            for var, value in option.stores:
                yield from self._variable(var, value.type)
        if decide.longest:
            if len(decide.effects) != len(decide.options):
                yield "an effect for each option is needed"
            for option, name in zip(decide.options, decide.effects, strict=False):
                if not name:
                    continue
                values = tuple(value for _, value in option.stores)
                yield from self._call("atomic", name, self._atomics.get(name), values)

    def _breaks(self, where: str, code: Iterable[s.Stmt], *, inside: bool) -> Iterator[str]:
        for statement in code:
            match statement:
                case s.Break():
                    if not inside:
                        yield f"{where}: a break outside loops"
                case s.If(_, then, orelse):
                    yield from self._breaks(where, then, inside=inside)
                    yield from self._breaks(where, orelse, inside=inside)
                case s.For() | s.Loop():
                    yield from self._breaks(where, statement.body, inside=True)
                case _:
                    pass

    # --------------------------------------------------------------------------------- calls

    def _calls(self) -> Iterator[str]:
        """Procedures must not call themselves by any way; functions must say so if they do."""
        calls: dict[str, set[str]] = {}
        for name, function in self._functions.items():
            calls[f"f {name}"] = _called(function.body)
        for name, atomic in self._atomics.items():
            calls[f"a {name}"] = _called(atomic.body)
        for node in calls:
            if node not in _closure(calls, node):
                continue
            what, name = node.split(" ", 1)
            if what == "a":
                yield f"atomic {name}: calls itself"
            elif not self._functions[name].recursive:
                yield f"function {name}: calls itself without being marked recursive"


def _called(tree: object) -> set[str]:
    found = set()
    for node in nodes(tree):
        if isinstance(node, e.Apply):
            found.add(f"f {node.function}")
        elif isinstance(node, e.Hypothetical | s.RunAtomic):
            found.add(f"a {node.procedure}")
    return found


def _closure(calls: dict[str, set[str]], start: str) -> set[str]:
    """All that is called from a node, by one call or more."""
    reached: set[str] = set()
    waiting = list(calls.get(start, ()))
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            waiting.extend(calls.get(node, ()))
    return reached
