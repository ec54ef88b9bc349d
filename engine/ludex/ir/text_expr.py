"""Expressions as text: infix where that is short, calls else."""

from __future__ import annotations

from typing import assert_never

from ludex.ir.program import Program
from ludex.typed import expr as e
from ludex.typed.types import BoolType, EntityType, SetType

_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "div", "mod": "mod", "min": "min", "max": "max"}
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_SETS = {"union": "|", "inter": "&", "diff": "-"}


class Expressions:
    """Writes the expressions of one program, with its names."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def variable(self, var: int) -> str:
        variables = self._program.variables
        return f"{variables[var].name}%{var}" if 0 <= var < len(variables) else f"?%{var}"

    def entity(self, value: int) -> str:
        names = self._program.world.names
        return names[value] if 0 <= value < len(names) else f"?{value}"

    def element(self, name: str, index: tuple[e.Expr, ...]) -> str:
        return f"{name}[{self._list(index)}]" if index else name

    def template(self, parts: tuple[str | e.Expr, ...]) -> str:
        return " ".join(repr(part) if isinstance(part, str) else self.expr(part) for part in parts)

    def _list(self, exprs: tuple[e.Expr, ...]) -> str:
        return ", ".join(self.expr(expr) for expr in exprs)

    def _mask(self, mask: int, entities: bool) -> str:
        """The elements; a kind of which all members are in is written `kind*`."""
        if not entities:
            return "{" + ", ".join(str(i) for i in range(mask.bit_length()) if mask >> i & 1) + "}"
        parts = ["none"] if mask & 1 else []
        for kind in self._program.world.kinds:
            if kind.count > 1 and mask & kind.mask == kind.mask:
                parts.append(f"{kind.name}*")
            else:
                parts += [self.entity(i) for i in kind.ids if mask >> i & 1]
        return "{" + ", ".join(parts) + "}"

    def _constant(self, expr: e.Const) -> str:
        match expr.type:
            case SetType(element):
                return self._mask(expr.value, isinstance(element, EntityType))
            case EntityType():
                return self.entity(expr.value)
            case BoolType():
                return "true" if expr.value else "false"
            case _:
                return str(expr.value)

    def _infix(self, op: str, *parts: e.Expr) -> str:
        return "(" + f" {op} ".join(self.expr(part) for part in parts) + ")"

    def expr(self, expr: e.Expr) -> str:
        x = self.expr
        match expr:
            case e.Const():
                return self._constant(expr)
            case e.Var(id_):
                return self.variable(id_)
            case e.Load(field, index):
                return self.element(field, index) + ("?" if expr.lifted else "")
            case e.Lookup(table, index):
                return self.element(f"#{table}", index) + ("?" if expr.lifted else "")
            case e.Arithmetic(op, left, right):
                return self._infix(_ARITHMETIC[op] + ("" if expr.checked else "."), left, right)
            case e.Comparison(op, left, right):
                return self._infix(_COMPARE[op], left, right)
            case e.Negation(operand):
                return f"not {x(operand)}"
            case e.Junction(op, operands):
                return self._infix(op, *operands)
            case e.Select(test, then, orelse):
                return f"({x(test)} ? {x(then)} : {x(orelse)})"
            case e.SetOperation(op, left, right):
                return self._infix(_SETS[op], left, right)
            case e.Singleton(element):
                return "{" + x(element) + ("?}" if expr.keep_none else "}")
            case e.IntRange(lo, hi):
                return f"{{{x(lo)}..{x(hi)}}}"
            case e.InRange(element, lo, hi):
                return f"({x(element)} in {x(lo)}..{x(hi)})"
            case e.Membership(element, set_):
                return self._infix("in", element, set_)
            case e.Subset(left, right):
                return self._infix("within", left, right)
            case e.Size(set_):
                return f"size({x(set_)})"
            case e.Pick(how, set_):
                return f"{how}({x(set_)})"
            case e.Fold():
                return self._fold(expr)
            case e.Apply(function, args):
                return f"{function}({self._list(args)})"
            case e.Hypothetical(procedure, args, body):
                return f"(try {procedure}({self._list(args)}) then {x(body)})"
            case e.Occupants(place, mask):
                return f"at({x(place)}, {self._mask(mask, entities=True)})"
            case e.Top(pile):
                return f"top({x(pile)})"
            case e.TopSet(pile, count):
                return f"top({x(pile)}, {x(count)})"
            case e.UnknownTop(pile):
                return f"unknown_top({x(pile)})"
            case e.TokenCount(faces, place):
                return f"tokens({x(faces)}, {x(place)})"
            case e.TokenAt(place, mask):
                return f"token({x(place)}, {self._mask(mask, entities=True)})"
            case _:
                return self._rare(expr)

    def _rare(
        self,
        expr: e.Region
        | e.Sights
        | e.Holders
        | e.HoldersBy
        | e.HoldersOf
        | e.Having
        | e.Shifted
        | e.NextSeat
        | e.FamilyMember
        | e.FamilyLookup
        | e.Geometry
        | e.Family
        | e.Reachable
        | e.Seen
        | e.Exists,
    ) -> str:
        x = self.expr
        match expr:
            case e.Region(var, starts, guard, neighbors):
                where = "" if guard is None else f" where {x(guard)}"
                return f"region({self.variable(var)} from {x(starts)} by #{neighbors}{where})"
            case e.Sights(space, directions, rays):
                return f"sights({x(space)}, {x(directions)}, #{rays})"
            case e.Holders(mask):
                return f"holders({self._mask(mask, entities=True)})"
            case e.HoldersBy(table, mask):
                return f"holders({self._mask(mask, entities=True)} by #{table})"
            case e.HoldersOf(face, least=least):
                return f"holders({x(face)})" if least == 1 else f"holders({least} {x(face)})"
            case e.Having(field, value):
                return f"having({field} {x(value)})"
            case e.Shifted(shifted, steps, within):
                return f"shifted({x(shifted)}, {x(steps)}, {x(within)})"
            case e.NextSeat(player, direction, steps):
                return f"seat({x(player)}, {x(direction)}, {x(steps)})"
            case e.FamilyMember(set_, family):
                return self._infix("in", set_, family)
            case e.FamilyLookup(table, index):
                return self.element(f"#{table}", index)
            case e.Geometry(name, args):
                return f"{name}({self._list(args)})"
            case e.Family(how, lo, hi, var, set_, guard, key):
                where = "" if guard is None else f" where {x(guard)}"
                by = "" if key is None else f" by {x(key)}"
                return f"{how}({lo}..{hi}, {self.variable(var)} in {x(set_)}{where}{by})"
            case e.Reachable(var, set_, weight, lo, hi, size_lo, size_hi):
                bounds = f"total {x(lo)}..{x(hi)} size {x(size_lo)}..{x(size_hi)}"
                return f"reachable({x(weight)} for {self.variable(var)} in {x(set_)} {bounds})"
            case e.Seen(record):
                return f"seen({record})"
            case e.Exists(site):
                return f"can({'; '.join([site.name, *self.site(site)])})"
            case _:
                assert_never(expr)

    def domain(self, domain: e.Domain) -> str:
        match domain:
            case e.SetDomain(set_):
                return self.expr(set_)
            case e.RangeDomain(lo, hi):
                return f"{self.expr(lo)}..{self.expr(hi)}"
            case e.SeatsDomain(direction, start):
                return f"seats({self.expr(direction)} from {self.expr(start)})"
            case e.FamilyDomain(family):
                return f"family {self.expr(family)}"

    def bindings(self, bindings: tuple[e.Binding, ...]) -> str:
        return "".join(f" for {self.variable(b.var)} in {self.domain(b.domain)}" for b in bindings)

    def _fold(self, fold: e.Fold) -> str:
        value = "" if fold.value is None else self.expr(fold.value)
        where = "" if fold.guard is None else f" where {self.expr(fold.guard)}"
        by = "" if fold.key is None else f" by {self.expr(fold.key)}"
        other = "" if fold.default is None else f" else {self.expr(fold.default)}"
        over = f"{value}{self.bindings(fold.bindings)}".lstrip()
        return f"{fold.kind}({over}{where}{by}{other})"

    def site(self, site: e.OptionSite) -> list[str]:
        """The loop nest, a line for each parameter, let and condition."""
        lines = []
        for level in site.levels:
            if level.binding is not None:
                b = level.binding
                mark = " collapse" if b.collapse else ""
                lines.append(f"choose {b.name} {self.variable(b.var)} in {self.domain(b.domain)}{mark}")
            for item in level.items:
                if isinstance(item, e.OptionLet):
                    lines.append(f"let {self.variable(item.var)} = {self.expr(item.value)}")
                elif isinstance(item, e.OptionMask):
                    lines.append(f"among {self._named(item.rule, item.set)}")
                else:
                    lines.append(f"where {self._guard(item)}")
        lines += [f"late {self._guard(guard)}" for guard in site.late]
        return lines

    def _guard(self, guard: e.OptionGuard) -> str:
        named = self._named(guard.rule, guard.test)
        if guard.answer is None:
            return named
        when = "" if guard.answer.when is None else f" when {self.expr(guard.answer.when)}"
        return f"{named} unless offer {guard.answer.offer}{when}"

    def _named(self, rule: int, expr: e.Expr) -> str:
        rules = self._program.rules
        path = rules[rule].path if 0 <= rule < len(rules) else "-"
        return f'"{path}" {self.expr(expr)}'
