"""Who can see what an expression reads: options must follow from what their player sees."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from ludex.check import codes
from ludex.check.context import Context, Env, StateSymbol
from ludex.source import Span
from ludex.typed import expr as x
from ludex.typed.types import EntityType


def check_visible(cx: Context, e: object, env: Env, span: Span, what: str) -> None:
    """Reports what of `e` the player `me` may not see. Raises nothing: the rule is still typed."""
    found = hidden(cx, e, env.me)
    if found is not None:
        who = "the player who chooses"
        cx.error(
            codes.HIDDEN_INFORMATION,
            f"{what} depends on {found}, which {who} cannot see",
            span,
            "let it depend only on what that player sees (his own hand, open piles, sizes of piles)",
        )


def hidden(cx: Context, e: object, me: x.Expr | None, seen: frozenset[str] = frozenset()) -> str | None:
    """The name of something that `e` reads and `me` may not see; None if there is none."""
    match e:
        case x.Load("@place", index):
            return _hidden_place(cx, e) or hidden(cx, index, me, seen)
        case x.Load("@face", index):
            return _hidden_face(cx, index, me) or hidden(cx, index, me, seen)
        case x.Load(name, index):
            symbol = cx.symbols.get(name)
            if isinstance(symbol, StateSymbol):
                v = symbol.variable
                if v.audience == "none":
                    return f"`{name}`"
                if v.audience == "owner" and (v.owner_dim is None or not _same(index[v.owner_dim], me)):
                    return f"`{name}` of others"
            return hidden(cx, index, me, seen)
        case x.Size(x.Occupants(place)):
            return hidden(cx, place, me, seen)
        case x.Comparison("eq" | "ne", x.Occupants(place), x.Const(0)):
            return hidden(cx, place, me, seen)
        case x.Occupants(place):
            return _hidden_pile(cx, place, me) or hidden(cx, place, me, seen)
        case x.Top(pile):
            return _hidden_pile(cx, pile, me, top=True) or hidden(cx, pile, me, seen)
        case x.TopSet(pile, count):
            return _hidden_pile(cx, pile, me) or hidden(cx, (pile, count), me, seen)
        case x.Apply(name, args):
            inner = hidden(cx, args, me, seen)
            if inner is not None or name in seen or name not in cx.functions:
                return inner
            function = cx.functions[name]
            signature = cx.signatures.get(name)
            own: x.Expr | None = me
            if signature is not None and signature.uses_me:
                first = function.params[0]
                own = x.Var(first, EntityType(("player",))) if _same(args[0], me) else None
            return hidden(cx, function.body, own, seen | {name})
        case x.Exists(site):
            return hidden(cx, site, me, seen)
    if isinstance(e, tuple):
        for item in e:
            found = hidden(cx, item, me, seen)
            if found is not None:
                return found
        return None
    if is_dataclass(e) and not isinstance(e, type) and type(e).__module__ == x.__name__:
        for f in fields(e):
            found = hidden(cx, getattr(e, f.name), me, seen)
            if found is not None:
                return found
    return None


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


def _hidden_face(cx: Context, index: tuple[x.Expr, ...], me: x.Expr | None) -> str | None:
    t = index[0].type
    if isinstance(t, EntityType):
        for k in t.kinds:
            if cx.kinds[k].audience == "none":
                return f"the face of `{k}`"
    return None


def _hidden_pile(cx: Context, place: x.Expr, me: x.Expr | None, top: bool = False) -> str | None:
    t = place.type
    if not isinstance(t, EntityType):
        return None
    for k in t.kinds:
        kind = cx.kinds[k]
        if kind.category == "pile" or (kind.category == "box" and len(t.kinds) == 1):
            if kind.audience == "all" or (kind.audience == "top" and top):
                continue
            if kind.audience == "owner" and _owned_by(cx, place, me):
                continue
            return f"the contents of `{k}`"
    return None


def _owned_by(cx: Context, place: x.Expr, me: x.Expr | None) -> bool:
    """Whether a pile is `PILE(me)`: made from its owner alone, or constant and owned by the seat."""
    if isinstance(place, x.Lookup) and place.table.startswith("@make:"):
        kind = cx.kinds[place.table.split(":")[1]]
        if "owner" in kind.fields:
            at = kind.fields.index("owner")
            return at < len(place.index) and _same(place.index[at], me)
    if isinstance(place, x.Const) and isinstance(me, x.Const):
        kind = cx.kind_of(place.value)
        owner = kind.attribute("owner")
        return owner is not None and owner.values[place.value - kind.base] == me.value
    return False
