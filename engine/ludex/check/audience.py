"""Who can see what an expression reads: options must follow from what their player sees."""

from __future__ import annotations

from collections.abc import Iterable

from ludex.check import codes
from ludex.check.context import Context, Env, StateSymbol
from ludex.node import parts
from ludex.source import Span
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import PLAYER, EntityType, SetType


def check_visible(cx: Context, e: object, env: Env, span: Span, what: str) -> None:
    """Reports what of `e` the player `me` may not see. Raises nothing: the rule is still typed."""
    found = _Reader(cx, env.me).hidden(e)
    if found is not None:
        cx.error(
            codes.HIDDEN_INFORMATION,
            f"{what} depends on {found}, which the player who chooses cannot see",
            span,
            "let it depend only on what that player sees (his own hand, open piles, sizes of piles)",
        )


def check_asked(cx: Context, env: Env, span: Span) -> None:
    """That it comes to this decision at all must follow from what its player sees."""
    for guard in env.guards:
        check_visible(cx, guard, env, span, "whether this is asked")


def check_strand(cx: Context, strand: typed.Block, me: x.Expr, span: Span) -> None:
    """What happens in a sealed choice follows from what its player sees, sizes of piles that
    others change meanwhile left out."""
    found = _Reader(cx, me, sealed=True).hidden(strand)
    if found is not None:
        cx.error(
            codes.HIDDEN_INFORMATION,
            f"what happens inside `secretly ask` depends on {found}, which that player cannot see",
            span,
            "inside, a player acts on what he alone sees",
        )


class _Reader:
    """Looks for what an expression reads and `me` may not see."""

    def __init__(self, cx: Context, me: x.Expr | None, sealed: bool = False) -> None:
        self.cx = cx
        self.me = me
        self.sealed = sealed
        self.passed: set[int | str] = set()
        """Variables, functions and units that were looked into, and those known to be of `me`'s."""

    def hidden(self, e: object) -> str | None:
        """The name of something hidden that is read; None if there is nothing."""
        match e:
            case x.Load(name, index):
                return self._load(e, name, index) or self.hidden(index)
            case x.Var(id):
                if id in self.passed:
                    return None
                self.passed.add(id)
                return self.hidden(self.cx.lets.get(id))
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
            case typed.Run(unit, args):
                return self.hidden(args) or self._unit(unit)
            case x.Binding(var, x.SetDomain(x.Lookup(table, (owner,)))) if table.startswith("@of:"):
                if _same(owner, self.me):
                    self.passed.add(-var)
        return self._parts(e)

    def _parts(self, e: object) -> str | None:
        if isinstance(e, tuple):
            within: Iterable[object] = e
        else:
            within = [getattr(e, name) for name in parts(e)]
        for part in within:
            found = self.hidden(part)
            if found is not None:
                return found
        return None

    def _function(self, name: str, args: tuple[x.Expr, ...]) -> str | None:
        function = self.cx.functions.get(name)
        if function is None or name in self.passed:
            return None
        self.passed.add(name)
        signature = self.cx.signatures.get(name)
        outer = self.me
        if signature is not None and signature.uses_me:
            self.me = x.Var(function.params[0], PLAYER) if _same(args[0], self.me) else None
        try:
            return self.hidden(function.body)
        finally:
            self.me = outer

    def _unit(self, index: int) -> str | None:
        key = f"unit {index}"
        unit = self.cx.units[index]
        if unit is None or key in self.passed:
            return None
        self.passed.add(key)
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
        if v.audience == "owner" and (v.owner_dim is None or not _same(index[v.owner_dim], self.me)):
            return f"`{name}` of others"
        return None

    def _face(self, die: x.Expr) -> str | None:
        if not isinstance(die.type, EntityType):
            return None
        for k in die.type.kinds:
            audience = self.cx.kinds[k].audience
            mine = isinstance(die, x.Var) and -die.id in self.passed
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
                return f"the contents of `{k}`"
        return None

    def _is_mine(self, place: x.Expr) -> bool:
        """Whether a pile is `PILE(me)`: made from its owner alone, or constant and owned by the seat."""
        cx, me = self.cx, self.me
        if isinstance(place, x.Lookup) and place.table.startswith("@make:"):
            kind = cx.kinds[place.table.split(":")[1]]
            if "owner" in kind.fields:
                at = kind.fields.index("owner")
                return at < len(place.index) and _same(place.index[at], me)
        if isinstance(place, x.Const) and isinstance(me, x.Const) and place.value:
            kind = cx.kind_of(place.value)
            owner = kind.attribute("owner")
            return owner is not None and owner.values[place.value - kind.base] == me.value
        return False


def is_seen_by(cx: Context, place: x.Expr, me: x.Expr | None) -> bool:
    """Whether `me` sees what lies at a place."""
    return _Reader(cx, me).hidden(x.Occupants(place, 0, SetType(EntityType(())))) is None


def _same(a: x.Expr, b: x.Expr | None) -> bool:
    if isinstance(a, x.Var) and isinstance(b, x.Var):
        return a.id == b.id
    return b is not None and a == b


def _hidden_place(cx: Context, e: x.Load) -> str | None:
    """The place of a card is a secret if it may be in a pile that not all can see."""
    if not isinstance(e.type, EntityType):
        return None
    for k in e.type.kinds:
        kind = cx.kinds[k]
        if kind.category == "pile" and kind.audience != "all":
            return f"where a card is (it may be in `{k}`)"
    return None
