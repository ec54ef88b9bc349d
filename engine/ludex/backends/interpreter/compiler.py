"""The compiler's core: it knows the program and where things lie, and dispatches by node."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from ludex.backends.interpreter import expressions, folds, geometry, indexing, sets, statements, tokens
from ludex.backends.interpreter.memory import Context, Fn, Members, Memory, unpack_set, write_set
from ludex.backends.interpreter.options import OfferCode
from ludex.backends.interpreter.piles import Piles
from ludex.backends.interpreter.records import Records
from ludex.backends.machine import Fault, Words
from ludex.ir.passes.analysis import Inliner, inlined
from ludex.ir.program import Atomic, Function, Program, Table
from ludex.typed import expr as e
from ludex.typed.types import BoolType

Family = Callable[[Words], tuple[int, ...]]


class Compiler:
    """Compiles the parts of one program into closures over its memory and context."""

    def __init__(self, program: Program) -> None:
        program = self.program = inlined(program)
        self.memory = Memory(program)
        self.context = Context(program)
        self.members = Members()
        self.tables: dict[str, Table] = {table.name: table for table in program.tables}
        self.functions: dict[str, Function] = {f.name: f for f in program.functions}
        self.atomics: dict[str, Atomic] = {a.name: a for a in program.atomics}
        self.inline = Inliner(program)
        self.piles = Piles(self)
        self.records = Records(self)
        self.bodies: dict[str, Fn] = {}
        self.procedures: dict[str, Callable[[Words], object]] = {}
        self.offers: dict[int, OfferCode] = {}

    # ---------------------------------------------------------------------------- variables

    def slot(self, var: int) -> int:
        """The word of a variable (its first, if it is a packed set)."""
        return self.memory.slot(self.program.variables[var])

    def plain(self, var: int) -> bool:
        """Whether the variable's word holds its value as it is."""
        return self.memory.wide(self.program.variables[var]) is None

    def reader(self, var: int) -> Fn:
        slot = self.slot(var)
        wide = self.memory.wide(self.program.variables[var])
        if wide is not None:
            return unpack_set(slot, *wide)
        return lambda w: w[slot]

    def writer(self, var: int, site: int = -1) -> Callable[[Words, int], None]:
        """Assigns a variable a value that is known only when it happens."""
        variable = self.program.variables[var]
        slot, name, wide = self.slot(var), variable.name, self.memory.wide(variable)
        if wide is None:

            def write(w: Words, value: int) -> None:
                w[slot] = value

            return write
        width, base = wide

        def write_packed(w: Words, value: int) -> None:
            if not write_set(w, slot, width, base, value):
                raise Fault("range", site, f"{name} cannot hold such a set")

        return write_packed

    # -------------------------------------------------------------------------- expressions

    def expr(self, expr: e.Expr) -> Fn:
        """The exact value (truth values may be Python's)."""
        match expr:
            case e.Const(value):
                return lambda w: value
            case e.Var(id_):
                return self.reader(id_)
            case e.Load():
                return indexing.load(self, expr)
            case e.Lookup():
                return indexing.lookup(self, expr)
            case e.Arithmetic():
                return expressions.arithmetic(self, expr)
            case e.Comparison():
                return expressions.comparison(self, expr)
            case e.Negation():
                return expressions.negation(self, expr)
            case e.Junction():
                return expressions.junction(self, expr)
            case e.Select():
                return expressions.select(self, expr)
            case e.InRange():
                return expressions.in_range(self, expr)
            case e.Apply():
                return expressions.apply(self, expr)
            case e.Hypothetical():
                return expressions.hypothetical(self, expr)
            case e.SetOperation():
                return sets.operation(self, expr)
            case e.Singleton():
                return sets.singleton(self, expr)
            case e.IntRange():
                return sets.int_range(self, expr)
            case e.Membership():
                return sets.membership(self, expr)
            case e.Subset():
                return sets.subset(self, expr)
            case e.Size():
                return sets.size(self, expr)
            case e.Pick():
                return sets.pick(self, expr)
            case e.FamilyMember():
                return sets.family_member(self, expr)
            case e.Reachable():
                return sets.reachable(self, expr)
            case e.Fold():
                return folds.fold(self, expr)
            case e.Occupants() | e.Top() | e.TopSet() | e.UnknownTop():
                return geometry.occupancy(self, expr)
            case e.TokenCount() | e.TokenAt():
                return tokens.tokens(self, expr)
            case e.Region():
                return geometry.region(self, expr)
            case e.Sights():
                return geometry.sights(self, expr)
            case e.Holders(mask):
                return geometry.holders(self, mask)
            case e.HoldersBy():
                return geometry.holders_by(self, expr)
            case e.HoldersOf(face, least=least):
                return geometry.holders_of(self, face, least)
            case e.Having():
                return indexing.having(self, expr)
            case e.Shifted():
                return sets.shifted(self, expr)
            case e.NextSeat():
                return geometry.next_seat(self, expr)
            case e.Seen():
                return self.records.seen(expr.record)
            case e.Exists():
                return self.offer(expr.site).exists
            case e.FamilyLookup() | e.Family() | e.Geometry():
                raise TypeError(f"{type(expr).__name__} is no word: it is computed when a game is loaded")
            case _:
                assert_never(expr)

    def word(self, expr: e.Expr) -> Fn:
        """The value as it is stored: truth values as 0 or 1."""
        value = self.expr(expr)
        if isinstance(expr.type, BoolType) and not isinstance(expr, e.Const | e.Var | e.Load):
            return lambda w: 1 if value(w) else 0
        return value

    def values(self, exprs: tuple[e.Expr, ...]) -> Callable[[Words], tuple[int, ...]]:
        parts = tuple(self.word(expr) for expr in exprs)
        if len(parts) == 0:
            return lambda w: ()
        if len(parts) == 1:
            (only,) = parts
            return lambda w: (only(w),)
        return lambda w: tuple([part(w) for part in parts])

    def family(self, expr: e.Expr) -> Family:
        """A constant family, as the tuple of its sets."""
        match expr:
            case e.FamilyLookup():
                return sets.family_lookup(self, expr)
            case e.Select(test, then, orelse):
                choose, yes, no = self.expr(test), self.family(then), self.family(orelse)
                return lambda w: yes(w) if choose(w) else no(w)
            case _:
                raise TypeError(f"not a family: {type(expr).__name__}")

    def body(self, name: str) -> Fn:
        """The body of a pure function; looked up when called, so that it may call itself."""
        if name not in self.bodies:
            bodies = self.bodies
            bodies[name] = lambda w: bodies[name](w)
            bodies[name] = self.expr(self.functions[name].body)
        return self.bodies[name]

    def procedure(self, name: str) -> Callable[[Words], object]:
        """The body of an atomic procedure, compiled when first asked for."""
        if name not in self.procedures:
            body = statements.code(self, self.atomics[name].body)
            self.procedures[name] = body or (lambda w: None)
        return self.procedures[name]

    def offer(self, site: e.OptionSite) -> OfferCode:
        """One compiled offer per site, however often it is asked about."""
        found = self.offers.get(id(site))
        if found is None:
            found = self.offers[id(site)] = OfferCode(self, site)
        return found
