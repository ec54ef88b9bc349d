"""Sharing: a condition that an earlier offer of the same decision has answered is not asked again.

That jumping is compulsory is said of a step as `not any(can_jump(s) for s in square)`, or as
`not can(jump)`: it holds if `jump`, which stands before it, has no option. Both are read as
claims, "there are values for which these tests hold", and compared. Only of what can neither
fault nor cost ticks; the condition stays, for whoever has not listed the earlier offer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from ludex.ir.passes.analysis import conjuncts
from ludex.ir.passes.facts import Facts
from ludex.ir.program import Decide, Option, Program
from ludex.ir.walk import nodes, reads, rewrite, same
from ludex.node import replace
from ludex.typed import expr as e
from ludex.typed.types import EntityType, SetType, Type
from ludex.typed.world import World

OFFERS = 32
"""Only the first so many offers answer: a back end may keep a bit for each."""


class Unreadable(Exception):
    """An expression that is no such claim."""


@dataclass
class Claim:
    """There are values of `variables` for which all `tests` hold."""

    world: World
    variables: list[tuple[int, Type]] = field(default_factory=list)
    tests: list[e.Expr] = field(default_factory=list)
    evaluated: list[e.Expr] = field(default_factory=list)
    """All that is evaluated to find out."""
    _values: dict[int, e.Expr] = field(default_factory=dict)

    def add(self, test: e.Expr) -> None:
        """One more test."""
        for part in conjuncts(test):
            match part:
                case e.Exists(site):
                    self.add_offer(site)
                case e.Fold("any", bindings, guard, value):
                    for binding in bindings:
                        self._bind(binding.var, binding.domain)
                    for inner in (guard, value):
                        if inner is not None:
                            self.add(inner)
                case e.Comparison("ne", left, e.Const(0)) if isinstance(left.type, SetType):
                    fresh = -1 - len(self.variables)
                    self._choose(fresh, left.type.element, left)
                case _:
                    self._test(part)

    def add_offer(self, site: e.OptionSite) -> None:
        """That an offer has an option."""
        if site.late:
            raise Unreadable
        for level in site.levels:
            if level.binding is not None:
                self._bind(level.binding.var, level.binding.domain)
            for item in level.items:
                match item:
                    case e.OptionLet(var, value):
                        self._name(var, self._seen(value))
                    case e.OptionGuard(test=test):
                        self.add(test)
                    case e.OptionMask():
                        raise Unreadable

    def _bind(self, var: int, domain: e.Domain) -> None:
        match domain:
            case e.SetDomain(e.Singleton(element, keep_none=False)) if isinstance(element.type, EntityType):
                value = self._seen(element)
                self._name(var, value)
                if element.type.optional:
                    self._test(e.Comparison("ne", value, e.Const(0, element.type)))
            case e.SetDomain(set_) if isinstance(set_.type, SetType):
                self._choose(var, set_.type.element, set_)
            case _:
                raise Unreadable

    def _choose(self, var: int, type_: Type, set_: e.Expr) -> None:
        """One more variable, whose value is in a set."""
        if not isinstance(type_, EntityType) or type_.optional:
            raise Unreadable
        whole = sum(self.world.kind(name).mask for name in type_.kinds)
        self._once(var)
        self.variables.append((var, type_))
        if not (isinstance(set_, e.Const) and set_.value == whole):
            self._test(e.Membership(e.Var(var, type_), set_))

    def _name(self, var: int, value: e.Expr) -> None:
        self._once(var)
        self._values[var] = value

    def _once(self, var: int) -> None:
        """A function that was inlined twice has the same names for other values."""
        if var in self._values or any(var == known for known, _ in self.variables):
            raise Unreadable

    def _test(self, test: e.Expr) -> None:
        self.tests.append(self._seen(test))

    def _seen(self, expr: e.Expr) -> e.Expr:
        """With values in the place of their names."""
        self.evaluated.append(expr)
        made = rewrite(expr, lambda n: self._values.get(n.id) if isinstance(n, e.Var) else None)
        return cast(e.Expr, made)


class Sharing:
    """Finds the answers to the conditions of decisions."""

    def __init__(self, program: Program) -> None:
        self._world = program.world
        self._facts = Facts(program)

    def decision(self, decide: Decide) -> Decide:
        if decide.longest:
            return decide
        made: list[Option] = []
        for option in decide.options:
            first, *levels = option.site.levels
            items = tuple(
                self._answered(item, made) if isinstance(item, e.OptionGuard) else item
                for item in first.items
            )
            if first.binding is None and items != first.items:
                site = replace(option.site, levels=(replace(first, items=items), *levels))
                option = replace(option, site=site)
            made.append(option)
        return replace(decide, options=tuple(made)) if tuple(made) != decide.options else decide

    def _answered(self, guard: e.OptionGuard, earlier: list[Option]) -> e.OptionGuard:
        """A condition with the earlier offer that answers it, if there is one."""
        if not isinstance(guard.test, e.Negation) or not isinstance(guard.test.operand, e.Fold | e.Exists):
            return guard
        asked = self._claim(guard.test.operand)
        rules = _refusing(guard.test)
        for i, option in enumerate(earlier[:OFFERS] if asked is not None else ()):
            answer = self._answer(asked, option.site)
            if answer is not None and rules <= _refusing(option.site):
                return replace(guard, answer=e.OptionAnswer(i, *answer))
        return guard

    def _claim(self, of: e.Expr | e.OptionSite) -> Claim | None:
        claim = Claim(self._world)
        try:
            claim.add_offer(of) if isinstance(of, e.OptionSite) else claim.add(of)
        except Unreadable:
            return None
        return claim if all(map(self._facts.total, claim.evaluated)) else None

    def _answer(self, asked: Claim | None, site: e.OptionSite) -> tuple[e.Expr | None] | None:
        """(when a claim holds only if an offer has an option), if it always holds if that has one."""
        offered = self._claim(site)
        if asked is None or offered is None:
            return None
        if [type_ for _, type_ in asked.variables] != [type_ for _, type_ in offered.variables]:
            return None
        pairs = [(a, b) for (a, _), (b, _) in zip(asked.variables, offered.variables, strict=True)]
        theirs, ours = dict(pairs), {b: a for a, b in pairs}
        if not all(_implied(offered, test, theirs) for test in asked.tests):
            return None
        conditions = []
        for test in offered.tests:
            if not _implied(asked, test, ours):
                without = self._holding(test, frozenset(ours))
                if without is None:
                    return None
                conditions.append(without)
        if not conditions:
            return (None,)
        return (conditions[0] if len(conditions) == 1 else e.Junction("and", tuple(conditions)),)

    def _holding(self, test: e.Expr, variables: frozenset[int]) -> e.Expr | None:
        """When a test holds whatever the values of variables are."""
        if not isinstance(test, e.Junction) or test.op != "or":
            return None
        for part in test.operands:
            if reads(part).isdisjoint(variables) and self._facts.self_reliant(part):
                return part
        return None


def _refusing(tree: object) -> frozenset[int]:
    """The rules of the conditions in a tree, whose refusals are counted."""
    return frozenset(n.rule for n in nodes(tree) if isinstance(n, e.OptionGuard))


def _implied(claim: Claim, test: e.Expr, names: dict[int, int]) -> bool:
    """Whether a test is among those of a claim, where other names are used, or follows from one."""
    return any(same(test, own, dict(names)) or _present(test, own, names) for own in claim.tests)


def _present(test: e.Expr, other: e.Expr, names: dict[int, int]) -> bool:
    """Whether a test asks only for the presence of what another says something of."""
    match test, other:
        case (
            e.Comparison("ne", left, e.Const(0)),
            e.Comparison("eq", e.Lookup(index=index, type=EntityType()), value),
        ):
            sure = _is_present(value.type) and isinstance(left.type, EntityType)
            return sure and any(same(left, i, dict(names)) for i in index)
        case _:
            return False


def _is_present(type_: Type) -> bool:
    return isinstance(type_, EntityType) and not type_.optional


def shared(program: Program) -> Program:
    """The program with conditions that earlier offers answer marked."""
    sharing = Sharing(program)
    blocks = tuple(
        replace(block, end=sharing.decision(block.end)) if isinstance(block.end, Decide) else block
        for block in program.blocks
    )
    return replace(program, blocks=blocks)
