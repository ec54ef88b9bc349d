"""Who can see what an expression reads: options must follow from what their player sees."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from functools import cache

from ludex.check.context import Context
from ludex.check.symbols import DefineSymbol, RecordSymbol, StateSymbol
from ludex.node import CONTENTS, getter, parts
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.tables import Function
from ludex.typed.types import EntityType, SetType


class Reader:
    """Looks for what an expression reads and the player `me` may not see.

    It looks through local names, definitions and procedures to what they stand for. Parameters of
    the procedure that is being checked stand for nothing yet: they are noted in `open`, as what
    they are given is known where the procedure is run.
    """

    def __init__(self, cx: Context, me: x.Expr | None, sealed: bool = False) -> None:
        self.cx = cx
        self.stands: Mapping[int, x.Expr] = cx.lets
        self.me = None if me is None else self.origin(me)
        self.sealed = sealed
        self.open: dict[int, None] = {}
        self.passed: set[object] = set()
        """Variables, definitions (with whom they are about) and units that were looked into."""
        self.owned: set[int] = set()
        """Variables that go through things of `me`."""

    def hidden(self, e: object) -> str | None:
        """The name of something hidden that is read; None if there is nothing."""
        match e:
            case x.Load(name, index):
                return self._load(e, name, index) or self.hidden(index)
            case x.Var(id):
                return self._variable(id)
            case x.Size(x.Occupants(place)) | x.Comparison("eq" | "ne", x.Occupants(place), x.Const(0)):
                return self._others_size(place) or self.hidden(place)
            case x.Occupants(place):
                return self._pile(place) or self.hidden(place)
            case x.Top(pile):
                return self._pile(pile, top=True) or self.hidden(pile)
            case x.TopSet(pile, count):
                return self._pile(pile) or self.hidden((pile, count))
            case x.Apply(name, args):
                return self.hidden(args) or self._function(name, args)
            case x.Hypothetical(name, args, body):
                return self.hidden(args) or self._atomic(name) or self.hidden(body)
            case x.Seen(record):
                return self._record(record)
            case typed.Run(unit, args):
                return self.hidden(args) or self._unit(unit)
            case x.Binding(var, x.SetDomain(x.Lookup(table, (owner,)))) if table.startswith("@of:"):
                if self.same(owner, self.me):
                    self.owned.add(var)
        return self._parts(e)

    def origin(self, e: x.Expr) -> x.Expr:
        """What a local name stands for, as long as that is one thing and never changes."""
        while isinstance(e, x.Var):
            other = self.stands.get(e.id)
            if other is None or not isinstance(other.type, EntityType) or not is_still(other):
                return e
            e = other
        return e

    def same(self, a: x.Expr, b: x.Expr | None) -> bool:
        """Whether two expressions are sure to be the same player."""
        return b is not None and self.origin(a) == self.origin(b)

    def _parts(self, e: object) -> str | None:
        for part in e if isinstance(e, tuple) else _reader(parts(e))(e):
            if type(part) is tuple or type(part) in CONTENTS:
                found = self.hidden(part)
                if found is not None:
                    return found
        return None

    def _variable(self, id: int) -> str | None:
        if id in self.passed:
            return None
        self.passed.add(id)
        if id in self.cx.told:
            to = self.cx.told[id]
            if to is None or self.same(to, self.me):
                return None
        if id in self.stands:
            return self.hidden(self.stands[id])
        if id in self.cx.parameters:
            self.open[id] = None
        return None

    def _function(self, name: str, args: tuple[x.Expr, ...]) -> str | None:
        function = self.cx.functions.get(name)
        if function is None:
            return None
        bound = self._bound(function, args)
        about = tuple(bound[p] if p in bound and is_still(bound[p]) else None for p in function.params)
        if (name, about) in self.passed:
            return None
        self.passed.add((name, about))
        self.cx.spend(self.cx.game.span)
        outer = self.stands
        self.stands = ChainMap(bound, outer)  # type: ignore[arg-type]
        try:
            return self.hidden(function.body)
        finally:
            self.stands = outer

    def _bound(self, function: Function, args: tuple[x.Expr, ...]) -> dict[int, x.Expr]:
        """Arguments that are things, by parameter: they tell whose something is."""
        found: dict[int, x.Expr] = {}
        for p, a in zip(function.params, args, strict=True):
            given = self.origin(a)
            if isinstance(given.type, EntityType) and (is_still(given) or not function.recursive):
                found[p] = given
        return found

    def _atomic(self, name: str) -> str | None:
        if ("try", name) in self.passed or name not in self.cx.atomics:
            return None
        self.passed.add(("try", name))
        return self.hidden(self.cx.atomics[name].body)

    def _record(self, name: str) -> str | None:
        """What a record of positions compares may not be seen."""
        symbol = self.cx.symbols.get(name)
        assert isinstance(symbol, RecordSymbol)
        for part in symbol.decl.of:
            of = self.cx.symbols.get(part.text)
            found = None
            if isinstance(of, StateSymbol) and of.variable.audience != "all":
                found = f"`{part}`"
            elif isinstance(of, DefineSymbol) and part.text in self.cx.functions:
                found = self.hidden(self.cx.functions[part.text].body)
            if found is not None:
                return f"{found} (by the record `{name}`)"
        return None

    def _unit(self, index: int) -> str | None:
        unit = self.cx.units[index]
        if unit is None or ("unit", index) in self.passed:
            return None
        self.passed.add(("unit", index))
        return self.hidden(unit.steps)

    def _load(self, e: x.Load, name: str, index: tuple[x.Expr, ...]) -> str | None:
        if name == "@place":
            return _hidden_place(self.cx, e)
        if name == "@face":
            return self._face(index[0])
        symbol = self.cx.symbols.get(name)
        if not isinstance(symbol, StateSymbol):
            return None
        v = symbol.variable
        if v.audience == "none":
            return f"`{name}`"
        if v.audience == "owner" and (v.owner_dim is None or not self.same(index[v.owner_dim], self.me)):
            return f"`{name}` of others"
        return None

    def _face(self, die: x.Expr) -> str | None:
        if not isinstance(die.type, EntityType):
            return None
        for k in die.type.kinds:
            audience = self.cx.kinds[k].audience
            mine = isinstance(die, x.Var) and die.id in self.owned
            if audience == "none" or (audience == "owner" and not mine):
                return f"the face of `{k}`" + (" of others" if audience == "owner" else "")
        return None

    def _others_size(self, place: x.Expr) -> str | None:
        """Sizes are public, but in a sealed choice not those that others change at the same time."""
        t = place.type
        if not self.sealed or not isinstance(t, EntityType) or self._is_mine(place):
            return None
        for k in t.kinds:
            if self.cx.kinds[k].audience == "owner":
                return f"how many others have in `{k}`"
        return None

    def _pile(self, place: x.Expr, top: bool = False) -> str | None:
        t = place.type
        if not isinstance(t, EntityType):
            return None
        for k in t.kinds:
            kind = self.cx.kinds[k]
            if kind.category == "pile" or (kind.category == "box" and len(t.kinds) == 1):
                if kind.audience == "all" or (kind.audience == "top" and top):
                    continue
                if kind.audience == "owner" and self._is_mine(place):
                    continue
                return f"the contents of `{k}`" + (" of others" if kind.audience == "owner" else "")
        return None

    def _is_mine(self, place: x.Expr) -> bool:
        """Whether a pile is `PILE(me)`: made from its owner alone, or constant and owned by the seat."""
        cx, me, place = self.cx, self.me, self.origin(place)
        if isinstance(place, x.Lookup) and place.table.startswith("@make:"):
            kind = cx.kinds[place.table.split(":")[1]]
            if "owner" in kind.fields:
                at = kind.fields.index("owner")
                return at < len(place.index) and self.same(place.index[at], me)
        if isinstance(place, x.Const) and isinstance(me, x.Const) and place.value:
            kind = cx.kind_of(place.value)
            owner = kind.attribute("owner")
            return owner is not None and owner.values[place.value - kind.base] == me.value
        return False


@cache
def _reader(names: tuple[str, ...]) -> Callable[[object], tuple[object, ...]]:
    """Gives what is read where a node with these fields is: what they hold, but for types and sites."""
    return getter(tuple([name for name in names if name not in ("type", "site")]))


def is_still(e: x.Expr) -> bool:
    """Whether an expression reads no state, so that it is the same wherever it stands."""
    match e:
        case x.Var() | x.Const():
            return True
        case x.Lookup(_, index):
            return all(is_still(i) for i in index)
        case x.NextSeat(player, direction, steps):
            return is_still(player) and is_still(direction) and is_still(steps)
    return False


def tell(cx: Context, e: x.Expr, to: x.Expr | None) -> None:
    """Notes that a thing that a local name stands for was shown to a player (None: to everybody)."""
    if isinstance(e, x.Var) and (to is None or e.id not in cx.told):
        cx.told[e.id] = to


def tell_by_move(cx: Context, thing: x.Expr, place: x.Expr, me: x.Expr | None) -> None:
    """What is moved to where it is seen has been shown by that."""
    contents = x.Occupants(place, 0, SetType(EntityType(())))
    for who in (None, me):
        if Reader(cx, who).hidden(contents) is None:
            tell(cx, thing, who)
            return


def _hidden_place(cx: Context, e: x.Load) -> str | None:
    """The place of a card is a secret if it may be in a pile that not all can see."""
    if not isinstance(e.type, EntityType):
        return None
    for k in e.type.kinds:
        kind = cx.kinds[k]
        if kind.category == "pile" and kind.audience != "all":
            return f"where a card is (it may be in `{k}`)"
    return None
