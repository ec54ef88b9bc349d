"""Options: the loop nest of an offer, compiled once, asked in several ways.

A *binding* of an offer is the tuple of its parameters' values. While a visitor is called
the variables of the offer (parameters and lets) have the values of the binding it gets.
Conditions are counted in the coverage: `tested` whenever asked, `applied` when they refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from ludex.backends.interpreter.collapse import Collapse, Key, collapse
from ludex.backends.interpreter.folds import domain, weight
from ludex.backends.interpreter.memory import Fn
from ludex.backends.interpreter.narrowing import narrowed, split
from ludex.backends.machine import Fault, Words
from ludex.ir.passes.analysis import conjuncts, total
from ludex.ir.walk import binds, nodes, reads
from ludex.typed import expr as e
from ludex.typed.types import INT_MAX, INT_MIN, EntityType, IntType

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler

Values: TypeAlias = tuple[int, ...]
Emit: TypeAlias = Callable[[Values], bool | None]
Enumerate: TypeAlias = Callable[[Words, Values, Emit], bool]
Item: TypeAlias = tuple[int, Fn]
"""(rule of a condition, its test), or (-1, a let that is carried out)."""


class OfferCode:
    """One `OptionSite`, compiled."""

    def __init__(self, c: Compiler, site: e.OptionSite) -> None:
        self.site = site
        self._context = c.context
        self._levels = tuple(_Level(c, level, site.levels[:i]) for i, level in enumerate(site.levels))
        self._late = tuple((guard.rule, c.expr(guard.test)) for guard in site.late)
        self._late_needs = tuple(Need(c, guard.test) for guard in site.late)
        run: Enumerate | None = None
        for level in reversed(self._levels):
            run = level.around(run)
        self._run: Enumerate = run or _no_level
        self.has_late = bool(self._late)

    def candidates(self, w: Words) -> list[Values]:
        """All bindings that pass the conditions that are not late."""
        found: list[Values] = []
        self._run(w, (), found.append)
        return found

    def full(self, w: Words) -> list[Values]:
        """All options, in order."""
        if not self._late:
            return self.candidates(w)
        found: list[Values] = []

        def emit(values: Values) -> None:
            if self.passes_late(w):
                found.append(values)

        self._run(w, (), emit)
        return found

    def exists(self, w: Words) -> bool:
        """Whether there is an option; stops at the first."""
        if not self._late:
            return self._run(w, (), _stop)
        return self._run(w, (), lambda values: self.passes_late(w))

    def passes_late(self, w: Words) -> bool:
        """The late conditions of the binding that the variables have."""
        context = self._context
        for rule, test in self._late:
            context.coverage.tested[rule] += 1
            if not test(w):
                context.applied[rule] += 1
                return False
        return True

    def bind(self, w: Words, values: Values) -> None:
        """Gives the variables the values of an option."""
        rest = iter(values)
        for level in self._levels:
            if level.write is not None:
                level.write(w, next(rest))
            for rule, run in level.items:
                if rule < 0:
                    run(w)

    def arity(self) -> int:
        return sum(1 for level in self._levels if level.write is not None)

    def is_legal(self, w: Words, values: Values) -> bool:
        """Whether the values are in their domains and all conditions hold (so also for copies)."""
        if len(values) != self.arity():
            return False
        rest = iter(values)
        for level in self._levels:
            if level.write is not None:
                value = next(rest)
                if value not in level.domain(w):
                    return False
                level.write(w, value)
            if not level.passes(w):
                return False
        return self.passes_late(w)

    def representative(self, w: Words, values: Values) -> Values:
        """The option that stands for a legal binding: copies replaced by the lowest of their class."""
        chosen: list[int] = []
        rest = iter(values)
        for level in self._levels:
            if level.write is not None:
                value = next(rest)
                if level.collapse is not None:
                    value = level.collapse.lowest(w, value, level.domain(w))
                level.write(w, value)
                chosen.append(value)
            for rule, run in level.items:
                if rule < 0:
                    run(w)
        return tuple(chosen)

    def failing(self, w: Words, values: Values) -> tuple[bool, list[int]]:
        """(whether the values are in their domains, the conditions that fail and can be told).

        Of a value that is not even of its parameter's type no condition is asked.
        """
        if len(values) != self.arity():
            return False, []
        inside, rules, unknown = True, list[int](), set[int]()
        rest = iter(values)
        for level in self._levels:
            if level.write is not None:
                value = next(rest)
                if not level.fits(value):
                    return False, rules
                try:
                    inside = inside and value in level.domain(w)
                except Fault:
                    inside = False
                level.write(w, value)
            for (rule, run), need, var in zip(level.items, level.needs, level.lets, strict=True):
                fails = need.fails(w, run, unknown)
                if rule < 0 and fails is None:
                    unknown.add(var)
                elif rule >= 0 and fails:
                    rules.append(rule)
        for (rule, test), need in zip(self._late, self._late_needs, strict=True):
            if need.fails(w, test, unknown):
                rules.append(rule)
        return inside, rules


class Need:
    """What a condition or let relies on: variables it reads, and those that must not be none.

    The checker lets a condition take an optional name as present where an earlier condition
    says so. When that one fails, this one cannot be asked.
    """

    def __init__(self, c: Compiler, expr: e.Expr) -> None:
        self.variables = reads(expr) - binds(expr)
        self._present = tuple(
            c.slot(node.id)
            for node in nodes(expr)
            if isinstance(node, e.Var)
            and node.id in self.variables
            and isinstance(node.type, EntityType)
            and not node.type.optional
        )

    def fails(self, w: Words, run: Fn, unknown: set[int]) -> bool | None:
        """Whether a condition does not hold; None if it cannot be evaluated."""
        if not unknown.isdisjoint(self.variables) or any(w[slot] == 0 for slot in self._present):
            return None
        try:
            return not run(w)
        except Fault:
            return None


def _no_level(w: Words, values: Values, emit: Emit) -> bool:
    return bool(emit(values))


def _stop(values: Values) -> bool:
    return True


class _Level:
    """One level: its parameter (if any), and what is computed and tested once that is bound."""

    def __init__(self, c: Compiler, level: e.OptionLevel, before: tuple[e.OptionLevel, ...]) -> None:
        self._c = c
        self._level = level
        self.items: tuple[Item, ...] = tuple(_item(c, item, level.binding) for item in level.items)
        self.lets = tuple(item.var if isinstance(item, e.OptionLet) else -1 for item in level.items)
        self.needs = tuple(
            Need(c, _asked(item, level.binding)) for item in level.items
        )
        self._passing = _passing(c, self.items)
        self.write: Callable[[Words, int], None] | None = None
        self.domain: Callable[[Words], Iterable[int]] = lambda w: ()
        self.collapse: Collapse | None = None
        binding = level.binding
        if binding is not None:
            self.write = c.writer(binding.var)
            self.domain = domain(c, binding.domain, 8 * weight(level.items))
            if binding.collapse:
                self.collapse = collapse(c, binding.type, _bound(before))

    def fits(self, value: int) -> bool:
        """Whether a value is of the parameter's type."""
        type_ = None if self._level.binding is None else self._level.binding.type
        if isinstance(type_, EntityType):
            kinds = [kind for kind in self._c.program.world.kinds if kind.name in type_.kinds]
            return any(value in kind.ids for kind in kinds) or (type_.optional and value == 0)
        if isinstance(type_, IntType):
            return INT_MIN <= value <= INT_MAX
        return value >= 0

    def passes(self, w: Words) -> bool:
        return self._passing is None or bool(self._passing(w))

    def around(self, inner: Enumerate | None) -> Enumerate:
        """The enumeration from this level on, `inner` being that of the next."""
        c, binding = self._c, self._level.binding
        if binding is None:
            passing, following = self._passing, inner or _no_level
            if passing is None:
                return following
            test = passing

            def start(w: Words, values: Values, emit: Emit) -> bool:
                return bool(test(w)) and following(w, values, emit)

            return start
        source, items = self._source(binding)
        passing, slot = _passing(c, items), c.slot(binding.var)
        if self.collapse is not None:
            return _collapsing(source, slot, passing, self.collapse, inner)
        return _plain(source, slot, passing, inner)

    def _source(self, binding: e.OptionBinding) -> tuple[Callable[[Words], Iterable[int]], tuple[Item, ...]]:
        """The domain, narrowed by leading conditions where they are masks, and what is left.

        A condition may overtake lets that cannot fault and that it does not read.
        """
        c = self._c
        if not isinstance(binding.domain, e.SetDomain):
            return self.domain, self.items
        masks: list[tuple[int, Fn]] = []
        left: list[Item] = []
        overtaken: set[int] = set()
        for i, item in enumerate(self._level.items):
            if isinstance(item, e.OptionLet):
                if not total(item.value):
                    left.extend(self.items[i:])
                    break
                overtaken.add(item.var)
                left.append(self.items[i])
                continue
            found, rest = split(c, binding.var, conjuncts(_asked(item, binding)))
            if rest or not overtaken.isdisjoint(self.needs[i].variables):
                left.extend(self.items[i:])
                break
            masks.append((item.rule, narrowed(lambda w: -1, found)))
        if not masks:
            return self.domain, self.items
        whole, members, context = c.expr(binding.domain.set), c.members, c.context
        each = 8 * weight(self._level.items)

        def source(w: Words) -> Iterable[int]:
            mask, tested, applied = whole(w), context.coverage.tested, context.applied
            for rule, passing in masks:
                kept = mask & passing(w)
                tested[rule] += mask.bit_count()
                if kept != mask:
                    applied[rule] += (mask & ~kept).bit_count()
                mask = kept
            found = members(mask)
            context.spend(each * len(found))
            return found

        return source, tuple(left)


def _bound(levels: tuple[e.OptionLevel, ...]) -> list[int]:
    """The parameters and lets of levels."""
    found = []
    for level in levels:
        if level.binding is not None:
            found.append(level.binding.var)
        found.extend(item.var for item in level.items if isinstance(item, e.OptionLet) and not item.aside)
    return found


def _asked(item: e.OptionLet | e.OptionGuard | e.OptionMask, binding: e.OptionBinding | None) -> e.Expr:
    """What a let computes or a condition asks."""
    match item:
        case e.OptionLet(_, value):
            return value
        case e.OptionGuard(_, test):
            return test
        case e.OptionMask(_, set_):
            assert binding is not None
            return e.Membership(e.Var(binding.var, binding.type), set_)


def _item(
    c: Compiler, item: e.OptionLet | e.OptionGuard | e.OptionMask, binding: e.OptionBinding | None
) -> Item:
    if not isinstance(item, e.OptionLet):
        return item.rule, c.expr(_asked(item, binding))
    value = c.word(item.value)
    if c.plain(item.var):
        slot = c.slot(item.var)

        def let(w: Words) -> int:
            w[slot] = value(w)
            return True

        return -1, let
    write = c.writer(item.var)

    def let_packed(w: Words) -> int:
        write(w, value(w))
        return True

    return -1, let_packed


def _passing(c: Compiler, items: tuple[Item, ...]) -> Fn | None:
    """Carries out lets and tests conditions, in order, up to the first that fails."""
    context, tested = c.context, c.context.coverage.tested
    if not items:
        return None
    if len(items) == 1 and items[0][0] >= 0:
        ((only, test),) = items

        def run_one(w: Words) -> int:
            tested[only] += 1
            if test(w):
                return True
            context.applied[only] += 1
            return False

        return run_one

    def run(w: Words) -> int:
        for rule, part in items:
            if rule < 0:
                part(w)
                continue
            tested[rule] += 1
            if not part(w):
                context.applied[rule] += 1
                return False
        return True

    return run


def _plain(
    source: Callable[[Words], Iterable[int]],
    slot: int,
    passing: Fn | None,
    inner: Enumerate | None,
) -> Enumerate:
    if passing is None and inner is None:

        def every(w: Words, values: Values, emit: Emit) -> bool:
            for x in source(w):
                w[slot] = x
                if emit((*values, x)):
                    return True
            return False

        return every

    def run(w: Words, values: Values, emit: Emit) -> bool:
        for x in source(w):
            w[slot] = x
            if passing is None or passing(w):
                if inner is None:
                    if emit((*values, x)):
                        return True
                elif inner(w, (*values, x), emit):
                    return True
        return False

    return run


def _collapsing(
    source: Callable[[Words], Iterable[int]],
    slot: int,
    passing: Fn | None,
    classes: Collapse,
    inner: Enumerate | None,
) -> Enumerate:
    """Conditions come first: what is interchangeable passes the same ones."""

    def run(w: Words, values: Values, emit: Emit) -> bool:
        held = classes.held(w)
        seen: set[Key] = set()
        for x in source(w):
            w[slot] = x
            if passing is not None and not passing(w):
                continue
            key = classes.key(w, x, held)
            if key is not None:
                if key in seen:
                    continue
                seen.add(key)
            if inner is None:
                if emit((*values, x)):
                    return True
            elif inner(w, (*values, x), emit):
                return True
        return False

    return run
