"""Whether the value of an expression depends on what a viewer may not see.

Conservative: what is not understood counts as secret where the game hides anything at all.
Numbers of pieces and cards of a kind at a place are public, their faces are what the place
shows. Used for scores in mid-game; the checker does the same for what players decide on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from ludex.backends.machine import Words
from ludex.game.naming import Naming
from ludex.game.position import Reader, index_of
from ludex.game.sources import FIELD_ROLES, Source, Sources, domain_parts
from ludex.game.values import Environment, Evaluator, Values
from ludex.game.visibility import Visibility
from ludex.ir.layout import Field
from ludex.ir.walk import reads
from ludex.typed.expr import (
    Apply,
    Binding,
    Comparison,
    Exists,
    Expr,
    Fold,
    Hypothetical,
    Load,
    Negation,
    Occupants,
    Reachable,
    Region,
    Seen,
    SetDomain,
    Size,
    TokenAt,
    TokenCount,
    Top,
    TopSet,
    Var,
)

_MAX_CALLS = 8


class Secrets:
    """The question for one position, one viewer: does evaluating this read anything hidden?"""

    __slots__ = (
        "_bit",
        "_contents",
        "_evaluator",
        "_fields",
        "_naming",
        "_open",
        "_seen_by",
        "_sources",
        "_visibility",
        "_words",
    )

    def __init__(
        self,
        evaluator: Evaluator,
        sources: Sources,
        visibility: Visibility,
        reader: Reader,
        naming: Naming,
        words: Words,
        bit: int,
    ) -> None:
        self._evaluator = evaluator
        self._sources = sources
        self._open: dict[Source, bool] = {}
        self._visibility = visibility
        self._naming = naming
        self._words = words
        self._bit = bit
        self._contents = reader.contents(words)
        self._seen_by = visibility.things(words)
        self._fields = {f.name: f for f in evaluator.program.layout.fields}

    def is_open(self, expr: Expr, env: Environment, calls: int = 0) -> bool:
        """Whether the viewer may know the value, `env` giving the variables bound outside."""
        if all(map(self._source_open, self._sources.of(expr))):
            return True
        match expr:
            case Load(name, index):
                return self._all_open(index, env, calls) and self._load_open(self._fields[name], index, env)
            case Size(Occupants(place, mask)) if self._whole_kinds(mask):
                return self.is_open(place, env, calls)
            case Occupants(place, mask):
                return self.is_open(place, env, calls) and all(
                    self._sees(thing)
                    for location in self._places(place, env)
                    for thing in self._contents.get(location, ())
                    if self._naming.kind(thing).mask & mask
                )
            case Fold():
                return self._fold_open(expr, env, calls)
            case Top(pile) | TopSet(pile):
                whole = isinstance(expr, TopSet)
                return self.is_open(pile, env, calls) and all(
                    self._sees(thing)
                    for location in self._places(pile, env)
                    for thing in self._contents.get(location, ())[: None if whole else 1]
                )
            case TokenCount(faces, place):
                return self.is_open(faces, env, calls) and self._tokens_open(place, env, calls)
            case TokenAt(place):
                return self._tokens_open(place, env, calls)
            case Apply(function, args):
                if not self._all_open(args, env, calls):
                    return False
                if calls >= _MAX_CALLS:
                    return not self._visibility.hides_something
                inner, body = self._evaluator.bound(function, args, env, self._words)
                return self.is_open(body, inner, calls + 1)
            case Hypothetical() | Seen() | Exists():
                return not self._visibility.hides_something
            case Region(var) | Reachable(var):
                return self._all_open(self._sources.children(expr), {**env, var: None}, calls)
            case _:
                return self._all_open(self._sources.children(expr), env, calls)

    def is_countable(self, expr: Expr, env: Environment) -> bool:
        """Whether the viewer may know how many things are in a set, though not which: what lies
        in a pile, or what of it is (or is not) some thing that he sees."""
        if self.is_open(expr, env):
            return True
        match expr:
            case Occupants(place, mask):
                return self._whole_kinds(mask) and self.is_open(place, env)
            case Fold("set", (Binding(var, SetDomain(Occupants() as pile)),), guard, Var(value)):
                faceless = guard is None or self._is_faceless(guard, var, env)
                return value == var and faceless and self.is_countable(pile, env)
            case _:
                return False

    def _is_faceless(self, guard: Expr, var: int, env: Environment) -> bool:
        """Whether a condition asks of a variable only whether it is a thing that the viewer sees."""
        match guard:
            case Comparison("eq" | "ne", Var(id), other) | Comparison("eq" | "ne", other, Var(id)) if (
                id == var
            ):
                return isinstance(other, Top) and self.is_open(other, env)
            case Negation(operand):
                return self._is_faceless(operand, var, env)
            case _:
                return var not in reads(guard) and self.is_open(guard, env)

    def is_open_for_all(self, bindings: Sequence[Binding], expr: Expr) -> bool:
        """Whether the viewer may know the values for all that some bindings go through."""
        env: dict[int, Values] = {}
        for binding in bindings:
            if not self._all_open(domain_parts(binding.domain), env, 0):
                return False
            env[binding.var] = self._evaluator.domain(binding.domain, env, self._words)
        return self.is_open(expr, env)

    def _source_open(self, source: Source) -> bool:
        """Whether nothing at all is hidden of a source."""
        known = self._open.get(source)
        if known is None:
            known = self._open[source] = self._look(source)
        return known

    def _look(self, source: Source) -> bool:
        match source:
            case ("field", name):
                field = self._fields[name]
                if field.role != "face" and field.audience == "all":
                    return True
                elements = (index_of(field, number) for number in range(field.count))
                return all(self._visibility.field_element(field, at) & self._bit for at in elements)
            case ("things", kind):
                return all(map(self._sees, self._evaluator.program.world.kind(kind).ids))
            case ("tokens", kind):
                places = self._evaluator.program.world.kind(kind).ids
                return all(self._visibility.location(place) & self._bit for place in places)
            case _:
                return not self._visibility.hides_something

    def _all_open(self, exprs: Iterable[Expr], env: Environment, calls: int) -> bool:
        return all(self.is_open(e, env, calls) for e in exprs)

    def _sees(self, thing: int) -> bool:
        return bool(self._seen_by[thing] & self._bit)

    def _whole_kinds(self, mask: int) -> bool:
        return all(mask & k.mask in (0, k.mask) for k in self._evaluator.program.world.kinds)

    def _places(self, place: Expr, env: Environment) -> Iterable[int]:
        found = self._evaluator.of(place, env, self._words)
        if found is None:
            found = self._evaluator.members(place.type)
        return self._contents if found is None else found

    def _tokens_open(self, place: Expr, env: Environment, calls: int) -> bool:
        return self.is_open(place, env, calls) and all(
            self._visibility.location(location) & self._bit
            for location in self._places(place, env)
            if location
        )

    def _load_open(self, field: Field, index: Sequence[Expr], env: Environment) -> bool:
        values = [
            v if (v := self._evaluator.of(i, env, self._words)) is not None else self._all_of(i, field, n)
            for n, i in enumerate(index)
        ]
        if field.role == "place":
            return all(self._sees(thing) for thing in values[0] if thing in self._seen_by)
        if field.role == "face":
            return all(self._visibility.field_element(field, at) & self._bit for at in product(*values))
        if field.role not in FIELD_ROLES:
            return not self._visibility.hides_something
        if field.audience == "all":
            return True
        return all(self._visibility.field_element(field, at) & self._bit for at in product(*values))

    def _all_of(self, expr: Expr, field: Field, dimension: int) -> frozenset[int]:
        members = self._evaluator.members(expr.type)
        d = field.dims[dimension]
        return members if members is not None else frozenset(range(d.base, d.base + d.size))

    def _fold_open(self, fold: Fold, env: Environment, calls: int) -> bool:
        if fold.kind == "count" and fold.guard is None and len(fold.bindings) == 1:
            match fold.bindings[0].domain:
                case SetDomain(Occupants(place, mask)) if self._whole_kinds(mask):
                    return self.is_open(place, env, calls)
        inner: dict[int, Values] = dict(env)
        for binding in fold.bindings:
            if not self._all_open(domain_parts(binding.domain), inner, calls):
                return False
            inner[binding.var] = self._evaluator.domain(binding.domain, inner, self._words)
        rest = (fold.guard, fold.value, fold.key, fold.default)
        return self._all_open((e for e in rest if e is not None), inner, calls)
