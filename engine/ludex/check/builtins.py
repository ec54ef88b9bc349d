"""Built-in values and functions: one table, read by the checker, the editor and the docs."""

from __future__ import annotations

from ludex import limits
from ludex.check import build, codes
from ludex.check.calls import Builtin
from ludex.check.context import ActionSymbol, Context, Env, RecordSymbol, TableSymbol, TrackSymbol
from ludex.check.expressions import (
    Direction,
    Elaborated,
    Ints,
    Seats,
    Wrong,
    boolean,
    describe,
    domain,
    elaborate,
    entity,
    facts,
    integer,
    set_,
    value,
    wrong,
)
from ludex.check.geometry import DIRECTION_SETS, DIRECTIONS, clearance, segments_cross
from ludex.source import NOWHERE
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.tables import Dimension, Table
from ludex.typed.types import BOOL, EntityType, FamilyType, IntType, SetType, TrackType, Type

PLAYER = EntityType(("player",))
VALUES: dict[str, str] = {
    "players": "all players, in seat order",
    "player_count": "how many play",
    "clockwise": "the direction of the seats in order",
    "counterclockwise": "the other direction",
    "active": "the player whose turn it is; none outside turns",
    "round_number": "the round of the phase, from 1",
    "game_number": "the game of the match, from 1",
    "score": "in `ranking`: the sum of the scoring lines",
    **{d: f"the direction {d}" for d, _, _ in DIRECTIONS},
    **{n: "a set of directions: " + ", ".join(m) for n, m in DIRECTION_SETS.items()},
}


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
            return x.Load(name, (), IntType(1, 1 << 30), -1)
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


def _arity(cx: Context, node: ast.Call, lo: int, hi: int, usage: str) -> None:
    if not node.is_plain or not lo <= len(node.args) <= hi:
        raise wrong(cx, codes.WRONG_ARGUMENTS, f"this is used as `{usage}`", node.span)


def _name(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else "?"


# ------------------------------------------------------------------------ numbers, sets


def _abs(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    _arity(cx, node, 1, 1, "abs(n)")
    n = integer(cx, node.args[0], env)
    minus = build.arith("sub", build.integer(0), n, cx.site(node.span))
    return build.arith("max", n, minus, cx.site(node.span))


def _top(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    _arity(cx, node, 1, 2, "top(PILE) or top(PILE, n)")
    pile = pile_of(cx, node.args[0], env)
    assert isinstance(pile.type, EntityType)
    holds: dict[str, None] = {}
    for k in pile.type.kinds:
        if k in cx.shuffled and not getattr(env, "drawing", False) and not cx.drawing:
            raise wrong(
                cx, codes.UNKNOWN_ORDER, f"the order of `{k}` is unknown once it is shuffled", node.span,
                "take the card in a step of its own: `move top(…) to …`, `let c = top(…)`",
            )
        holds.update(dict.fromkeys(cx.kinds[k].holds))
    kinds = tuple(h for h in holds if h in cx.kinds)
    cx.state_reads += 1
    if len(node.args) == 1:
        return x.Top(pile, EntityType(kinds), cx.site(node.span))
    count = integer(cx, node.args[1], env)
    return x.TopSet(pile, count, SetType(EntityType(kinds)), cx.site(node.span))


def pile_of(cx: Context, node: ast.Expr, env: Env) -> x.Expr:
    e = entity(cx, node, env)
    assert isinstance(e.type, EntityType)
    if not all(cx.kinds[k].category == "pile" for k in e.type.kinds):
        raise wrong(cx, codes.WRONG_TYPE, f"a pile is needed, this is {describe(e.type)}", node.span)
    return e


def _index(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    _arity(cx, node, 2, 2, "index(TRACK, space)")
    track = value(cx, node.args[0], env)
    if not isinstance(track.type, TrackType):
        raise wrong(cx, codes.WRONG_TYPE, f"a track is needed, this is {describe(track.type)}", node.args[0].span)
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


# ------------------------------------------------------------------------------- seats


def _seat(steps: int | None, usage: str) -> Builtin:
    def made(cx: Context, node: ast.Call, env: Env) -> Elaborated:
        if node.from_ is not None:
            return _next_where(cx, node, env)
        _arity(cx, node, 1, 3 if steps is None else 2, usage)
        p = entity(cx, node.args[0], env, ("player",), optional=True)
        rest = list(node.args[1:])
        n: x.Expr = build.integer(steps or 1)
        if steps is None:
            if not rest:
                raise wrong(cx, codes.WRONG_ARGUMENTS, f"this is used as `{usage}`", node.span)
            n = integer(cx, rest.pop(0), env)
        d: x.Expr = build.integer(1)
        if rest:
            e = elaborate(cx, rest[0], env)
            if not isinstance(e, Direction):
                raise wrong(cx, codes.WRONG_TYPE, "a direction is needed here", rest[0].span)
            d = e.value
        assert isinstance(p.type, EntityType)
        return cx.fold(x.NextSeat(p, d, n, p.type))

    return made


def _next_where(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    """`next(p from q where C)`: the first seat after q that passes; none if no other does."""
    if len(node.args) != 1 or not isinstance(node.args[0], ast.Name) or node.where is None or node.from_ is None:
        raise wrong(cx, codes.WRONG_ARGUMENTS, "this is used as `next(p from q where C)`", node.span)
    start = entity(cx, node.from_, env, ("player",))
    var = cx.new_var(node.args[0].id, PLAYER)
    inner = env.bind(node.args[0].id, var)
    guard = boolean(cx, node.where, inner)
    after = x.NextSeat(start, build.integer(1), build.integer(1), PLAYER)
    binding = x.Binding(var.id, x.SeatsDomain(build.integer(1), after))
    return x.Fold("first", (binding,), guard, var, None, None, EntityType(("player",), True), cx.site(node.span))


def _opponent(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    _arity(cx, node, 1, 1, "opponent(p)")
    if cx.players != 2:
        raise wrong(
            cx, codes.WRONG_ARGUMENTS, "`opponent` needs a game of two players", node.span, "use `next(p)` or a loop"
        )
    p = entity(cx, node.args[0], env, ("player",), optional=True)
    assert isinstance(p.type, EntityType)
    return cx.fold(x.NextSeat(p, build.integer(1), build.integer(1), p.type))


# ------------------------------------------------------------------------------ boards


def _board_kind(cx: Context, e: x.Expr, node: ast.Expr) -> str:
    t = e.type.element if isinstance(e.type, SetType) else e.type
    if isinstance(t, EntityType) and len(t.kinds) == 1 and t.kinds[0] in cx.boards:
        return t.kinds[0]
    raise wrong(
        cx, codes.WRONG_TYPE, f"a space of a board is needed, this is {describe(e.type)}", node.span,
        "boards are declared with `grid`, `hex`, `lines` or `at`",
    )


def _table(cx: Context, name: str, dims: tuple[Dimension, ...], make: object) -> str:
    if name not in cx.tables:
        size = 1
        for d in dims:
            size *= d.size
        if size > limits.MAX_TABLE_CELLS:
            raise wrong(cx, codes.TOO_LARGE, f"the board is too large for `{name.split(':')[0]}`", NOWHERE)
        cells = make()  # type: ignore[operator]
        cx.tables[name] = Table(name, dims, tuple(cells))
    return name


def neighbor_table(cx: Context, kind: str) -> str:
    board = cx.boards[kind]
    return _table(
        cx, f"@neighbors:{kind}", (cx.span_dimension((kind,)),),
        lambda: [board.neighbors.get(s, 0) for s in cx.kinds[kind].ids],
    )


def _neighbors(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    _arity(cx, node, 1, 1, "neighbors(space)")
    s = entity(cx, node.args[0], env, optional=True)
    kind = _board_kind(cx, s, node.args[0])
    lifted = isinstance(s.type, EntityType) and s.type.optional
    t = SetType(EntityType((kind,)))
    return cx.fold(x.Lookup(neighbor_table(cx, kind), (s,), t, cx.site(node.span), lifted))


def _step(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    _arity(cx, node, 2, 2, "step(space, direction)")
    s = entity(cx, node.args[0], env, optional=True)
    kind = _board_kind(cx, s, node.args[0])
    d = entity(cx, node.args[1], env, ("direction",))
    lifted = isinstance(s.type, EntityType) and s.type.optional
    return cx.fold(x.Lookup(step_table(cx, kind), (s, d), EntityType((kind,), True), cx.site(node.span), lifted))


def step_table(cx: Context, kind: str) -> str:
    board = cx.boards[kind]

    def make() -> list[int]:
        return [
            board.space(board.at[s][0] + dx, board.at[s][1] + dy) if s in board.at else 0
            for s in cx.kinds[kind].ids
            for _, dx, dy in DIRECTIONS
        ]

    return _table(cx, f"@step:{kind}", (cx.span_dimension((kind,)), cx.span_dimension(("direction",))), make)


def _per_direction(single: str, usage: str) -> Builtin:
    """`steps(s, D)` and `rays(s, D)`: the union over the directions of the set D (or one)."""

    def made(cx: Context, node: ast.Call, env: Env) -> Elaborated:
        _arity(cx, node, 2, 2, usage)
        s = entity(cx, node.args[0], env)
        kind = _board_kind(cx, s, node.args[0])
        ways = set_(cx, node.args[1], env)
        board = cx.boards[kind]

        def cell(space: int, dx: int, dy: int) -> int:
            if space not in board.at:
                return 0
            if single == "step":
                other = board.space(board.at[space][0] + dx, board.at[space][1] + dy)
                return 1 << other if other else 0
            mask = 0
            for other in board.ray(space, dx, dy):
                mask |= 1 << other
            return mask

        table = _table(
            cx, f"@{single}s:{kind}", (cx.span_dimension((kind,)), cx.span_dimension(("direction",))),
            lambda: [cell(i, dx, dy) for i in cx.kinds[kind].ids for _, dx, dy in DIRECTIONS],
        )
        t = SetType(EntityType((kind,)))
        var = cx.new_var("way", EntityType(("direction",)))
        inner = x.Lookup(table, (s, var), t, cx.site(node.span))
        binding = x.Binding(var.id, x.SetDomain(ways))
        return cx.fold(x.Fold("union", (binding,), None, inner, None, None, t, cx.site(node.span)))

    return made


def _sights(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    _arity(cx, node, 2, 2, "sights(space, directions)")
    s = entity(cx, node.args[0], env)
    kind = _board_kind(cx, s, node.args[0])
    ways = set_(cx, node.args[1], env)
    board = cx.boards[kind]
    name = f"@sights:{kind}"
    if name not in cx.tables:
        rays = tuple(
            board.ray(i, dx, dy) if i in board.at else ()
            for i in cx.kinds[kind].ids
            for _, dx, dy in DIRECTIONS
        )
        dims = (cx.span_dimension((kind,)), cx.span_dimension(("direction",)))
        cx.tables[name] = Table(name, dims, sequences=rays)
    cx.state_reads += 1
    return x.Sights(s, ways, name, SetType(EntityType((kind,))))


def _leaps(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    _arity(cx, node, 3, 3, "leaps(space, a, b)")
    s = entity(cx, node.args[0], env)
    kind = _board_kind(cx, s, node.args[0])
    a, b = (cx.constant(integer(cx, arg, env)) for arg in node.args[1:])
    if a is None or b is None:
        raise wrong(cx, codes.CONSTANT_NEEDED, "the lengths of a leap must be constant", node.span)
    board = cx.boards[kind]
    jumps = {(sx * p, sy * q) for p, q in ((a, b), (b, a)) for sx in (1, -1) for sy in (1, -1)}

    def cell(space: int) -> int:
        mask = 0
        for dx, dy in jumps:
            other = board.space(board.at[space][0] + dx, board.at[space][1] + dy)
            if other:
                mask |= 1 << other
        return mask

    table = _table(
        cx, f"@leaps:{kind}:{a}:{b}", (cx.span_dimension((kind,)),), lambda: [cell(i) for i in cx.kinds[kind].ids]
    )
    return cx.fold(x.Lookup(table, (s,), SetType(EntityType((kind,))), cx.site(node.span)))


def _pairwise(name: str, is_set: bool) -> Builtin:
    def made(cx: Context, node: ast.Call, env: Env) -> Elaborated:
        _arity(cx, node, 2, 2, f"{name}(space, space)")
        a, b = (entity(cx, arg, env, optional=is_set) for arg in node.args)
        if not is_set and _pointed(cx, a) and _pointed(cx, b):
            return _point_distance(cx, node, a, b)
        kind = _board_kind(cx, a, node.args[0])
        board = cx.boards[kind]
        dim = cx.span_dimension((kind,))
        ids = cx.kinds[kind].ids
        pick = board.between if is_set else board.distance
        table = _table(cx, f"@{name}:{kind}", (dim, dim), lambda: [pick(i, j) for i in ids for j in ids])
        lifted = any(isinstance(e.type, EntityType) and e.type.optional for e in (a, b))
        t: Type = SetType(EntityType((kind,))) if is_set else IntType(-1, max(cx.tables[table].values))
        return cx.fold(x.Lookup(table, (a, b), t, cx.site(node.span), lifted))

    return made


def _pointed(cx: Context, e: x.Expr) -> bool:
    t = e.type
    return isinstance(t, EntityType) and bool(t.kinds) and all(
        k in cx.boards and cx.boards[k].shape == "points" for k in t.kinds
    )


def _points(cx: Context) -> dict[int, tuple[int, int]]:
    return {s: at for board in cx.boards.values() if board.shape == "points" for s, at in board.at.items()}


def _point_distance(cx: Context, node: ast.Call, a: x.Expr, b: x.Expr) -> Elaborated:
    points = _points(cx)
    from ludex.check.geometry import point_distance

    dim = Dimension(min(points), max(points) - min(points) + 1, "any")
    span = range(dim.base, dim.base + dim.size)
    table = _table(
        cx, "@distance", (dim, dim),
        lambda: [point_distance(points[i], points[j]) if i in points and j in points else 0 for i in span for j in span],
    )
    return cx.fold(x.Lookup(table, (a, b), IntType(0, max(cx.tables[table].values)), cx.site(node.span)))


def _geometry(name: str, count: int) -> Builtin:
    """`clearance(c, a, b)` and `segments_cross(a, b, c, d)`: computed from constant points."""

    def made(cx: Context, node: ast.Call, env: Env) -> Elaborated:
        _arity(cx, node, count, count, f"{name}({', '.join('abcd'[:count])})")
        args = [entity(cx, a, env) for a in node.args]
        for e, a in zip(args, node.args, strict=True):
            if not _pointed(cx, e):
                raise wrong(cx, codes.WRONG_TYPE, "a point is needed (a space declared with `at`)", a.span)
        t: Type = BOOL if name == "segments_cross" else IntType(0, 1 << 20)
        return cx.fold(x.Geometry(name, tuple(args), t))

    return made


def geometry_value(cx: Context, name: str, args: list[int]) -> int:
    points = _points(cx)
    at = [points[a] for a in args]
    if name == "clearance":
        return clearance(at[0], at[1], at[2])
    return int(segments_cross(at[0], at[1], at[2], at[3]))


def _region(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    if len(node.args) != 1 or not isinstance(node.args[0], ast.Name) or node.from_ is None:
        raise wrong(cx, codes.WRONG_ARGUMENTS, "this is used as `region(q from START where C)`", node.span)
    starts = set_(cx, node.from_, env)
    kind = _board_kind(cx, starts, node.from_)
    var = cx.new_var(node.args[0].id, EntityType((kind,)))
    guard = None
    if node.where is not None:
        guard = boolean(cx, node.where, env.bind(node.args[0].id, var))
    return x.Region(var.id, starts, guard, neighbor_table(cx, kind), SetType(EntityType((kind,))))


def _lines(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    _arity(cx, node, 1, 2, "lines(space) or lines(KIND, length)")
    first = value(cx, node.args[0], env)
    kind = _board_kind(cx, first, node.args[0])
    board = cx.boards[kind]
    if isinstance(first.type, EntityType):
        name = f"@lines:{kind}"
        if name not in cx.tables:
            masks = [sum(1 << s for s in line) for line in board.lines]
            families = tuple(tuple(m for m in masks if m >> i & 1) for i in cx.kinds[kind].ids)
            cx.tables[name] = Table(name, (cx.span_dimension((kind,)),), families=families)
        return x.FamilyLookup(name, (first,), FamilyType(EntityType((kind,))), cx.site(node.span))
    if len(node.args) != 2:
        masks = tuple(sum(1 << s for s in line) for line in board.lines)
        return _family(cx, f"@lines:{kind}:all", masks, EntityType((kind,)), node)
    n = cx.constant(integer(cx, node.args[1], env))
    if n is None:
        raise wrong(cx, codes.CONSTANT_NEEDED, "the length of a line must be constant", node.args[1].span)
    found: dict[int, None] = {}
    for s in cx.kinds[kind].ids:
        for _, dx, dy in DIRECTIONS[:4]:
            run = (s, *board.ray(s, dx, dy))[:n]
            if len(run) == n:
                found[sum(1 << i for i in run)] = None
    return _family(cx, f"@lines:{kind}:{n}", tuple(found), EntityType((kind,)), node)


def _family(
    cx: Context, name: str, masks: tuple[int, ...], element: EntityType | IntType, node: ast.Call
) -> Elaborated:
    if len(masks) > limits.MAX_TABLE_CELLS:
        raise wrong(cx, codes.TOO_LARGE, "there are too many sets", node.span)
    cx.tables.setdefault(name, Table(name, (), families=(masks,)))
    return x.FamilyLookup(name, (), FamilyType(element), cx.site(node.span))


# ---------------------------------------------------------------- sets of sets (melds)


def _subsets(by: bool) -> Builtin:
    """`subsets(lo..hi, x in S where C)`, `windows(lo..hi, x in S where C by K)`."""

    def made(cx: Context, node: ast.Call, env: Env) -> Elaborated:
        usage = "windows(3..5, x in S by K)" if by else "subsets(3..4, x in S where C)"
        if len(node.args) != 2 or not isinstance(node.args[1], ast.Member) or (node.by is None) == by:
            raise wrong(cx, codes.WRONG_ARGUMENTS, f"this is used as `{usage}`", node.span)
        sizes = elaborate(cx, node.args[0], env)
        m = node.args[1]
        if not isinstance(sizes, Ints) or not isinstance(m.left, ast.Name):
            raise wrong(cx, codes.WRONG_ARGUMENTS, f"this is used as `{usage}`", node.span)
        lo, hi = cx.constant(sizes.lo), cx.constant(sizes.hi)
        d, t = domain(cx, m.right, env)
        var = cx.new_var(m.left.id, t)
        inner = env.bind(m.left.id, var)
        guard = boolean(cx, node.where, inner) if node.where is not None else None
        key = integer(cx, node.by, inner) if node.by is not None else None
        if lo is None or hi is None or not isinstance(d, x.SetDomain) or not isinstance(t, EntityType):
            raise wrong(cx, codes.CONSTANT_NEEDED, "sizes and members must be constant", node.span)
        return x.Family("windows" if by else "subsets", lo, hi, var.id, d.set, guard, key, FamilyType(t))

    return made


# ------------------------------------------------------------------- records, actions


def _seen(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    _arity(cx, node, 1, 1, "seen(RECORD)")
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
    from ludex.check.statements import action_site

    _arity(cx, node, 1, 1, "can(ACTION)")
    arg = node.args[0]
    args: tuple[ast.Expr, ...] = ()
    if isinstance(arg, ast.Call) and isinstance(arg.func, ast.Name):
        arg, args = arg.func, arg.args
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
    "neighbors": _neighbors,
    "step": _step,
    "steps": _per_direction("step", "steps(space, directions)"),
    "rays": _per_direction("ray", "rays(space, directions)"),
    "sights": _sights,
    "leaps": _leaps,
    "between": _pairwise("between", True),
    "distance": _pairwise("distance", False),
    "clearance": _geometry("clearance", 3),
    "segments_cross": _geometry("segments_cross", 4),
    "region": _region,
    "lines": _lines,
    "subsets": _subsets(False),
    "windows": _subsets(True),
    "seen": _seen,
    "can": _can,
}
__all__ = ["BUILTINS", "VALUES", "Seats", "TableSymbol", "builtin_value", "facts"]
