"""Built-in values and functions: one table, read by the checker, the editor and the docs."""

from __future__ import annotations

from ludex.check import build, codes
from ludex.check.actions import action_site
from ludex.check.arity import Builtin, arity
from ludex.check.board_functions import (
    geometry,
    leaps,
    lines,
    neighbors,
    pairwise,
    per_direction,
    region,
    sights,
    step,
    subsets,
)
from ludex.check.coercions import boolean, describe, entity, integer, pile_of, value, wrong
from ludex.check.context import Context, Env
from ludex.check.elaborated import Direction, Elaborated, Wrong
from ludex.check.geometry import DIRECTION_SETS, DIRECTIONS
from ludex.check.symbols import ActionSymbol, RecordSymbol, TrackSymbol
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.tables import Dimension
from ludex.typed.types import PLAYER, EntityType, IntType, SetType, TrackType

VALUES: dict[str, str] = {
    "players": "all players, in seat order",
    "player_count": "how many play",
    "clockwise": "the direction of the seats in order",
    "counterclockwise": "the other direction",
    "active": "the player whose turn it is; none outside turns",
    "round_number": "the round of the phase, from 1; 0 in `setup` and `begin`",
    "game_number": "the game of the match, from 1",
    "score": "in `ranking`: the sum of the scoring lines",
    **{d: f"the direction {d}" for d, _, _ in DIRECTIONS},
    **{n: "a set of directions: " + ", ".join(m) for n, m in DIRECTION_SETS.items()},
}


def value_names(cx: Context) -> set[str]:
    """Those that mean something in this game, wherever they stand."""
    directions = {*DIRECTION_SETS, *(d for d, _, _ in DIRECTIONS)} if "direction" not in cx.kinds else set()
    return VALUES.keys() - directions - {"score"}


def builtin_value(cx: Context, name: str, env: Env) -> Elaborated | None:
    match name:
        case "players":
            return cx.kind_set(("player",))
        case "player_count":
            cx.option_reads += 1
            return build.integer(cx.players)
        case "clockwise":
            return Direction(build.integer(1))
        case "counterclockwise":
            return Direction(build.integer(-1))
        case "active":
            cx.state_reads += 1
            return x.Load("active", (), EntityType(("player",), True), -1)
        case "round_number" | "game_number":
            cx.state_reads += 1
            return x.Load(name, (), IntType(int(name == "game_number"), 1 << 30), -1)
    if "direction" in cx.kinds:
        kind = cx.kinds["direction"]
        names = [d for d, _, _ in DIRECTIONS]
        if name in names:
            return x.Const(kind.base + names.index(name), EntityType(("direction",)))
        if name in DIRECTION_SETS:
            mask = 0
            for d in DIRECTION_SETS[name]:
                mask |= 1 << (kind.base + names.index(d))
            return x.Const(mask, SetType(EntityType(("direction",))))
    return None


def _name(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else "?"


def _abs(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    arity(cx, node, 1, 1, "abs(n)")
    n = integer(cx, node.args[0], env)
    minus = build.arith("sub", build.integer(0), n, cx.site(node.span))
    return build.arith("max", n, minus, cx.site(node.span))


def _top(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    arity(cx, node, 1, 2, "top(PILE) or top(PILE, n)")
    pile = pile_of(cx, node.args[0], env)
    assert isinstance(pile.type, EntityType)
    holds: dict[str, None] = {}
    for k in pile.type.kinds:
        if k in cx.shuffled and not getattr(env, "drawing", False) and not cx.drawing:
            raise wrong(
                cx,
                codes.UNKNOWN_ORDER,
                f"the order of `{k}` is unknown once it is shuffled",
                node.span,
                "take the card in a step of its own: `move top(…) to …`, `let c = top(…)`",
            )
        holds.update(dict.fromkeys(cx.kinds[k].holds))
    kinds = tuple(h for h in holds if h in cx.kinds)
    cx.state_reads += 1
    if len(node.args) == 1:
        return x.Top(pile, EntityType(kinds), cx.site(node.span))
    count = integer(cx, node.args[1], env)
    return x.TopSet(pile, count, SetType(EntityType(kinds)), cx.site(node.span))


def _index(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    arity(cx, node, 2, 2, "index(TRACK, space)")
    track = value(cx, node.args[0], env)
    if not isinstance(track.type, TrackType):
        raise wrong(
            cx, codes.WRONG_TYPE, f"a track is needed, this is {describe(track.type)}", node.args[0].span
        )
    place = entity(cx, node.args[1], env, optional=True)
    symbol = cx.symbols[track.type.track]
    assert isinstance(symbol, TrackSymbol)
    table = f"@index:{track.type.track}"
    if table not in cx.tables:
        cells = [0] * len(cx.names)
        for i, s in enumerate(symbol.track.spaces):
            cells[s] = i + 1
        cx.add_table(table, (Dimension(0, len(cells), "any"),), tuple(cells))
    t = IntType(0, len(symbol.track.spaces))
    return cx.fold(x.Lookup(table, (place,), t, cx.site(node.span)))


def _seat(steps: int | None, usage: str) -> Builtin:
    def made(cx: Context, node: ast.Call, env: Env) -> Elaborated:
        if node.from_ is not None:
            return _next_where(cx, node, env)
        arity(cx, node, 1, 3 if steps is None else 2, usage)
        p = entity(cx, node.args[0], env, ("player",), optional=True)
        rest = list(node.args[1:])
        n: x.Expr = build.integer(steps or 1)
        if steps is None:
            if not rest:
                raise wrong(cx, codes.WRONG_ARGUMENTS, f"this is used as `{usage}`", node.span)
            n = integer(cx, rest.pop(0), env)
        d: x.Expr = build.integer(1)
        if rest:
            e = cx.elaborate(rest[0], env)
            if not isinstance(e, Direction):
                raise wrong(cx, codes.WRONG_TYPE, "a direction is needed here", rest[0].span)
            d = e.value
        assert isinstance(p.type, EntityType)
        return cx.fold(x.NextSeat(p, d, n, p.type))

    return made


def _next_where(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    """`next(p from q where C)`: the first seat after q that passes; none if no other does."""
    if (
        len(node.args) != 1
        or not isinstance(node.args[0], ast.Name)
        or node.where is None
        or node.from_ is None
    ):
        raise wrong(cx, codes.WRONG_ARGUMENTS, "this is used as `next(p from q where C)`", node.span)
    start = entity(cx, node.from_, env, ("player",))
    var = cx.new_var(node.args[0].id, PLAYER)
    inner = env.bind(node.args[0].id, var)
    guard = boolean(cx, node.where, inner)
    after = x.NextSeat(start, build.integer(1), build.integer(1), PLAYER)
    binding = x.Binding(var.id, x.SeatsDomain(build.integer(1), after))
    return x.Fold(
        "first", (binding,), guard, var, None, None, EntityType(("player",), True), cx.site(node.span)
    )


def _opponent(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    arity(cx, node, 1, 1, "opponent(p)")
    if cx.players != 2:
        raise wrong(
            cx,
            codes.WRONG_ARGUMENTS,
            "`opponent` needs a game of two players",
            node.span,
            "use `next(p)` or a loop",
        )
    p = entity(cx, node.args[0], env, ("player",), optional=True)
    assert isinstance(p.type, EntityType)
    return cx.fold(x.NextSeat(p, build.integer(1), build.integer(1), p.type))


def _seen(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    arity(cx, node, 1, 1, "seen(RECORD)")
    arg = node.args[0]
    name = arg.id if isinstance(arg, ast.Name) else "?"
    if not isinstance(cx.symbols.get(name), RecordSymbol):
        known = {n for n, s in cx.symbols.items() if isinstance(s, RecordSymbol)}
        cx.unknown(name, arg.span, known, "record")
        raise Wrong
    cx.used.add(name)
    cx.state_reads += 1
    return x.Seen(name, IntType(0, 1 << 16))


def _can(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    arity(cx, node, 1, 1, "can(ACTION)")
    whole = node.args[0]
    arg, args = (whole.func, whole.args) if isinstance(whole, ast.Call) else (whole, ())
    name = arg.id if isinstance(arg, ast.Name) else "?"
    symbol = cx.symbols.get(name)
    if not isinstance(symbol, ActionSymbol):
        known = {n for n, s in cx.symbols.items() if isinstance(s, ActionSymbol)}
        cx.unknown(name, arg.span, known, "action")
        raise Wrong
    cx.state_reads += 1
    site, _, _ = action_site(cx, symbol.decl, args, env, node.span)
    return x.Exists(site)


BUILTINS: dict[str, Builtin] = {
    "abs": _abs,
    "top": _top,
    "index": _index,
    "next": _seat(1, "next(p) or next(p, direction)"),
    "previous": _seat(-1, "previous(p) or previous(p, direction)"),
    "ahead": _seat(None, "ahead(p, n) or ahead(p, n, direction)"),
    "opponent": _opponent,
    "neighbors": neighbors,
    "step": step,
    "steps": per_direction("step", "steps(space, directions)"),
    "rays": per_direction("ray", "rays(space, directions)"),
    "sights": sights,
    "leaps": leaps,
    "between": pairwise("between", True),
    "distance": pairwise("distance", False),
    "clearance": geometry("clearance", 3),
    "segments_cross": geometry("segments_cross", 4),
    "region": region,
    "lines": lines,
    "subsets": subsets(False),
    "windows": subsets(True),
    "seen": _seen,
    "can": _can,
}
