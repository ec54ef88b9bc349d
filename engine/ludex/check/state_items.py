"""State items, and fields of pieces that rules assign to."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

from ludex.check import build, codes
from ludex.check.attributes import kind_attribute
from ludex.check.coercions import fit, value, wrong
from ludex.check.context import Context, Env
from ludex.check.elaborated import Wrong
from ludex.check.kinds import value_bounds
from ludex.check.members import field_type
from ludex.check.symbols import StateSymbol
from ludex.check.type_refs import resolve_type, type_dimension
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.tables import Dimension
from ludex.typed.types import EntityType, IntType, Type
from ludex.typed.world import Audience

_AUDIENCES: dict[str, Audience] = {"all": "all", "owner": "owner", "none": "none"}
_RESETS: dict[str, Literal["turn", "round", "phase", "game", "match"]] = {
    "turn": "turn",
    "round": "round",
    "phase": "phase",
    "game": "game",
    "match": "match",
}


def assigned_attributes(cx: Context) -> list[typed.StateVariable]:
    """Fields of pieces that some statement assigns become state, starting at their constant."""
    made = []
    names = {s.name.text for s in cx.game.state} | {d.name.text for d in cx.game.defines}
    for kind in list(cx.kinds.values()):
        for a in kind.attributes:
            if (kind.name, a.name) not in cx.assigned or a.name in names or a.name.startswith("@"):
                continue
            var = cx.new_var("it", EntityType((kind.name,)))
            cx.assigned.discard((kind.name, a.name))
            start = kind_attribute(cx, var, EntityType((kind.name,)), a.name, kind.span)
            cx.assigned.add((kind.name, a.name))
            assert start is not None
            t = a.type
            if isinstance(t, EntityType):
                lo, hi = value_bounds(cx, t)
            else:
                lo, hi = t.lo, t.hi
            v = typed.StateVariable(
                f"{kind.name}.{a.name}",
                ((kind.name, kind.base, kind.count),),
                t,
                lo,
                hi,
                "all",
                None,
                "game",
                (var.id,),
                start,
            )
            cx.symbols[v.name] = StateSymbol(v, kind.span)
            made.append(v)
    return made


def declare_state(cx: Context) -> list[typed.StateVariable]:
    found: list[typed.StateVariable] = []
    for decl in cx.game.state:
        with suppress(Wrong):
            found.append(state_variable(cx, decl))
    return found


def state_variable(cx: Context, decl: ast.StateDecl) -> typed.StateVariable:
    name = decl.name.text
    t = resolve_type(cx, decl.type)
    dims: list[Dimension] = []
    env = Env()
    index: list[int] = []
    owner_dim = None
    for i, per in enumerate(decl.per):
        if per.binder is not None:
            raise wrong(cx, codes.BAD_COMPONENT, "a state item is indexed by whole kinds or ranges", per.span)
        ft = field_type(cx, per)
        dim = type_dimension(cx, ft, per.span)
        dims.append(dim)
        if dim.kind == "player" and owner_dim is None:
            owner_dim = i
        var = cx.new_var(per.name.text if per.name else "index", ft)
        index.append(var.id)
        if per.name is not None:
            env = env.bind(per.name.text, var)
    visible = _AUDIENCES.get(decl.visible.text) if decl.visible is not None else "all"
    if visible is None:
        assert decl.visible is not None
        cx.error(
            codes.BAD_COMPONENT,
            f"`{decl.visible}` is nobody who could see it",
            decl.visible.span,
            "say `all`, `owner` or `none`",
        )
        visible = "none"
    if visible == "owner" and owner_dim is None:
        cx.error(codes.BAD_COMPONENT, f"`{name}` has no owner", decl.span, "give it `per: player`")
    reset = _RESETS.get(decl.reset.text) if decl.reset is not None else "game"
    if reset is None:
        assert decl.reset is not None
        cx.error(
            codes.BAD_COMPONENT,
            f"there is no reset at `{decl.reset}`",
            decl.reset.span,
            "say `turn`, `round`, `phase`, `game` or `match`",
        )
        reset = "game"
    start = _start_value(cx, decl, t, env)
    lo, hi = value_bounds(cx, t)
    variable = typed.StateVariable(
        name,
        tuple((d.kind, d.base, d.size) for d in dims),
        t,
        lo,
        hi,
        visible,
        owner_dim,
        reset,
        tuple(index),
        start,
    )
    cx.declare(name, StateSymbol(variable, decl.name.span))
    return variable


def _start_value(cx: Context, decl: ast.StateDecl, t: Type, env: Env) -> x.Expr:
    if decl.start is not None:
        e = value(cx, decl.start, env)
        return fit(cx, e, t, decl.start.span, f"`{decl.name}`", codes.WRONG_TYPE)
    if isinstance(t, IntType):
        return build.integer(min(max(0, t.lo), t.hi))
    if isinstance(t, EntityType) and not t.optional and t.kinds:
        return x.Const(cx.kinds[t.kinds[0]].base, t)
    return x.Const(0, t)
