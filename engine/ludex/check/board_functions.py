"""Built-in functions of boards: constant tables made when they are first asked for."""

from __future__ import annotations

from ludex import limits
from ludex.check import codes
from ludex.check.arity import Builtin, arity
from ludex.check.coercions import boolean, describe, domain, entity, integer, set_, value, wrong
from ludex.check.context import Context, Env
from ludex.check.elaborated import Elaborated, Ints
from ludex.check.geometry import DIRECTIONS, point_distance
from ludex.source import NOWHERE
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.tables import Dimension, Table
from ludex.typed.types import BOOL, EntityType, FamilyType, IntType, SetType, Type


def board_kind(cx: Context, e: x.Expr, node: ast.Expr) -> str:
    t = e.type.element if isinstance(e.type, SetType) else e.type
    if isinstance(t, EntityType) and len(t.kinds) == 1 and t.kinds[0] in cx.boards:
        return t.kinds[0]
    raise wrong(
        cx,
        codes.WRONG_TYPE,
        f"a space of a board is needed, this is {describe(e.type)}",
        node.span,
        "boards are declared with `grid`, `hex`, `lines` or `at`",
    )


def board_table(cx: Context, name: str, dims: tuple[Dimension, ...], make: object) -> str:
    if name not in cx.tables:
        size = 1
        for d in dims:
            size *= d.size
        if size > limits.MAX_TABLE_CELLS:
            raise wrong(cx, codes.TOO_LARGE, f"the board is too large for `{name.split(':')[0]}`", NOWHERE)
        if size + sum(len(t.values) for t in cx.tables.values()) > limits.MAX_TABULATED_CELLS:
            message = f"the tables of all boards have more than {limits.MAX_TABULATED_CELLS} cells together"
            raise wrong(cx, codes.TOO_LARGE, message, cx.game.span)
        cells = make()  # type: ignore[operator]
        cx.tables[name] = Table(name, dims, tuple(cells))
    return name


def neighbor_table(cx: Context, kind: str) -> str:
    board = cx.boards[kind]
    return board_table(
        cx,
        f"@neighbors:{kind}",
        (cx.span_dimension((kind,)),),
        lambda: [board.neighbors.get(s, 0) for s in cx.kinds[kind].ids],
    )


def neighbors(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    arity(cx, node, 1, 1, "neighbors(space)")
    s = entity(cx, node.args[0], env, optional=True)
    kind = board_kind(cx, s, node.args[0])
    lifted = isinstance(s.type, EntityType) and s.type.optional
    t = SetType(EntityType((kind,)))
    return cx.fold(x.Lookup(neighbor_table(cx, kind), (s,), t, cx.site(node.span), lifted))


def step(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    arity(cx, node, 2, 2, "step(space, direction)")
    s = entity(cx, node.args[0], env, optional=True)
    kind = board_kind(cx, s, node.args[0])
    d = entity(cx, node.args[1], env, ("direction",))
    lifted = isinstance(s.type, EntityType) and s.type.optional
    return cx.fold(
        x.Lookup(step_table(cx, kind), (s, d), EntityType((kind,), True), cx.site(node.span), lifted)
    )


def step_table(cx: Context, kind: str) -> str:
    board = cx.boards[kind]

    def make() -> list[int]:
        return [
            board.space(board.at[s][0] + dx, board.at[s][1] + dy) if s in board.at else 0
            for s in cx.kinds[kind].ids
            for _, dx, dy in DIRECTIONS
        ]

    return board_table(
        cx, f"@step:{kind}", (cx.span_dimension((kind,)), cx.span_dimension(("direction",))), make
    )


def per_direction(single: str, usage: str) -> Builtin:
    """`steps(s, D)` and `rays(s, D)`: the union over the directions of the set D (or one)."""

    def made(cx: Context, node: ast.Call, env: Env) -> Elaborated:
        arity(cx, node, 2, 2, usage)
        s = entity(cx, node.args[0], env)
        kind = board_kind(cx, s, node.args[0])
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

        table = board_table(
            cx,
            f"@{single}s:{kind}",
            (cx.span_dimension((kind,)), cx.span_dimension(("direction",))),
            lambda: [cell(i, dx, dy) for i in cx.kinds[kind].ids for _, dx, dy in DIRECTIONS],
        )
        t = SetType(EntityType((kind,)))
        var = cx.new_var("way", EntityType(("direction",)))
        inner = x.Lookup(table, (s, var), t, cx.site(node.span))
        binding = x.Binding(var.id, x.SetDomain(ways))
        return cx.fold(x.Fold("union", (binding,), None, inner, None, None, t, cx.site(node.span)))

    return made


def sights(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    arity(cx, node, 2, 2, "sights(space, directions)")
    s = entity(cx, node.args[0], env)
    kind = board_kind(cx, s, node.args[0])
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


def leaps(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    arity(cx, node, 3, 3, "leaps(space, a, b)")
    s = entity(cx, node.args[0], env)
    kind = board_kind(cx, s, node.args[0])
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

    table = board_table(
        cx,
        f"@leaps:{kind}:{a}:{b}",
        (cx.span_dimension((kind,)),),
        lambda: [cell(i) for i in cx.kinds[kind].ids],
    )
    return cx.fold(x.Lookup(table, (s,), SetType(EntityType((kind,))), cx.site(node.span)))


def pairwise(name: str, is_set: bool) -> Builtin:
    def made(cx: Context, node: ast.Call, env: Env) -> Elaborated:
        arity(cx, node, 2, 2, f"{name}(space, space)")
        a, b = (entity(cx, arg, env, optional=is_set) for arg in node.args)
        if not is_set and _pointed(cx, a) and _pointed(cx, b):
            return _point_distance(cx, node, a, b)
        kind = board_kind(cx, a, node.args[0])
        board = cx.boards[kind]
        dim = cx.span_dimension((kind,))
        ids = cx.kinds[kind].ids
        pick = board.between if is_set else board.distance
        table = board_table(cx, f"@{name}:{kind}", (dim, dim), lambda: [pick(i, j) for i in ids for j in ids])
        lifted = any(isinstance(e.type, EntityType) and e.type.optional for e in (a, b))
        t: Type = SetType(EntityType((kind,))) if is_set else IntType(-1, max(cx.tables[table].values))
        return cx.fold(x.Lookup(table, (a, b), t, cx.site(node.span), lifted))

    return made


def _pointed(cx: Context, e: x.Expr) -> bool:
    t = e.type
    return (
        isinstance(t, EntityType)
        and bool(t.kinds)
        and all(k in cx.boards and cx.boards[k].shape == "points" for k in t.kinds)
    )


def _point_distance(cx: Context, node: ast.Call, a: x.Expr, b: x.Expr) -> Elaborated:
    points = cx.points
    dim = Dimension(min(points), max(points) - min(points) + 1, "any")
    span = range(dim.base, dim.base + dim.size)
    table = board_table(
        cx,
        "@distance",
        (dim, dim),
        lambda: [
            point_distance(points[i], points[j]) if i in points and j in points else 0
            for i in span
            for j in span
        ],
    )
    return cx.fold(x.Lookup(table, (a, b), IntType(0, max(cx.tables[table].values)), cx.site(node.span)))


def geometry(name: str, count: int) -> Builtin:
    """`clearance(c, a, b)` and `segments_cross(a, b, c, d)`: computed from constant points."""

    def made(cx: Context, node: ast.Call, env: Env) -> Elaborated:
        arity(cx, node, count, count, f"{name}({', '.join('abcd'[:count])})")
        args = [entity(cx, a, env) for a in node.args]
        for e, a in zip(args, node.args, strict=True):
            if not _pointed(cx, e):
                raise wrong(cx, codes.WRONG_TYPE, "a point is needed (a space declared with `at`)", a.span)
        t: Type = BOOL if name == "segments_cross" else IntType(0, 1 << 20)
        return cx.fold(x.Geometry(name, tuple(args), t))

    return made


def region(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    if len(node.args) != 1 or not isinstance(node.args[0], ast.Name) or node.from_ is None:
        raise wrong(cx, codes.WRONG_ARGUMENTS, "this is used as `region(q from START where C)`", node.span)
    starts = set_(cx, node.from_, env)
    kind = board_kind(cx, starts, node.from_)
    var = cx.new_var(node.args[0].id, EntityType((kind,)))
    guard = None
    if node.where is not None:
        guard = boolean(cx, node.where, env.bind(node.args[0].id, var))
    return x.Region(var.id, starts, guard, neighbor_table(cx, kind), SetType(EntityType((kind,))))


def lines(cx: Context, node: ast.Call, env: Env) -> Elaborated:
    arity(cx, node, 1, 2, "lines(space) or lines(KIND, length)")
    first = value(cx, node.args[0], env)
    kind = board_kind(cx, first, node.args[0])
    board = cx.boards[kind]
    if isinstance(first.type, EntityType):
        name = f"@lines:{kind}"
        if name not in cx.tables:
            masks = [sum(1 << s for s in line) for line in board.lines]
            families = tuple(tuple(m for m in masks if m >> i & 1) for i in cx.kinds[kind].ids)
            cx.tables[name] = Table(name, (cx.span_dimension((kind,)),), families=families)
        return x.FamilyLookup(name, (first,), FamilyType(EntityType((kind,))), cx.site(node.span))
    if len(node.args) != 2:
        every = tuple(sum(1 << s for s in line) for line in board.lines)
        return _family(cx, f"@lines:{kind}:all", every, EntityType((kind,)), node)
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


def subsets(by: bool) -> Builtin:
    """`subsets(lo..hi, x in S where C)`, `windows(lo..hi, x in S where C by K)`."""

    def made(cx: Context, node: ast.Call, env: Env) -> Elaborated:
        usage = "windows(3..5, x in S by K)" if by else "subsets(3..4, x in S where C)"
        if len(node.args) != 2 or not isinstance(node.args[1], ast.Member) or (node.by is None) == by:
            raise wrong(cx, codes.WRONG_ARGUMENTS, f"this is used as `{usage}`", node.span)
        sizes = cx.elaborate(node.args[0], env)
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
