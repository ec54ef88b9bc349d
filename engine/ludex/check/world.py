"""The finished world: where things begin, and which copies no rule tells apart."""

from __future__ import annotations

from ludex.check import codes
from ludex.check.arithmetic import NotConstant
from ludex.check.coercions import entity
from ludex.check.context import Context, Env
from ludex.check.elaborated import Wrong
from ludex.check.members import count_of
from ludex.check.symbols import TrackSymbol
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import EntityType
from ludex.typed.world import FieldValues, World


def starts(cx: Context) -> tuple[typed.Start, ...]:
    """Where every piece, card and token begins."""
    made: list[typed.Start] = []
    box = cx.kinds["box"].base
    for kind in list(cx.kinds.values()):
        if kind.is_movable:
            for i, place in zip(kind.ids, _places(cx, kind.name), strict=True):
                made.append(typed.Start(i, place or box, 1))
        elif kind.category == "token":
            decl = next(c for c in cx.game.components if c.name.text == kind.name)
            counts = _token_counts(cx, decl, kind.name)
            for i, place, n in zip(kind.ids, _places(cx, kind.name), counts, strict=True):
                made.append(typed.Start(i, place or box, n))
    _fit(cx, made)
    return tuple(made)


def _fit(cx: Context, starts: list[typed.Start]) -> None:
    """Reports a space that holds one thing and on which more begin: once, at the kind that is too many."""
    single = sum(kind.mask for kind in cx.kinds.values() if kind.capacity == 1)
    held: dict[int, int] = {}
    for start in starts:
        if single >> start.place & 1 and start.count:
            held[start.place] = held.get(start.place, 0) + start.count
            if held[start.place] > 1:
                kind = next(k for k in cx.kinds.values() if start.entity in k.ids)
                node, _ = cx.starts[kind.name]
                message = f"`{cx.names[start.place]}` holds 1, and more than one begins there"
                help = "say where each begins, or leave out `holds: 1`"
                cx.error(codes.BAD_COMPONENT, message, node.span, help=help)
                return


UNLIMITED_TOKENS = 1 << 16
"""How many tokens of a face the box holds where no count is given."""


def _token_counts(cx: Context, decl: ast.ComponentDecl, kind: str) -> list[int]:
    k = cx.kinds[kind]
    if decl.count is None:
        return [UNLIMITED_TOKENS] * k.count
    env, fields, variables = _fields(cx, kind, k.fields)
    try:
        return [
            count_of(
                cx,
                decl.count,
                env,
                variables,
                tuple(f.values[i] for f in fields),
                decl.name,
                UNLIMITED_TOKENS,
            )
            for i in range(k.count)
        ]
    except Wrong:
        return [0] * k.count


def _fields(cx: Context, kind: str, names: tuple[str, ...]) -> tuple[Env, list[FieldValues], list[x.Var]]:
    """Fields of a kind as local names: their values, and the variables that stand for them."""
    env, fields, variables = Env(), [], []
    for name in names:
        field = cx.kinds[kind].attribute(name)
        assert field is not None
        var = cx.new_var(name, field.type)
        fields.append(field)
        variables.append(var)
        env = env.bind(name, var)
    return env, fields, variables


def _places(cx: Context, kind: str) -> list[int]:
    k = cx.kinds[kind]
    if kind not in cx.starts:
        return [0] * k.count
    node, names = cx.starts[kind]
    env, fields, variables = _fields(cx, kind, names)
    try:
        e = entity(cx, node, env)
    except Wrong:
        return [0] * k.count
    assert isinstance(e.type, EntityType)
    if not all(cx.kinds[p].is_location for p in e.type.kinds):
        cx.error(codes.BAD_COMPONENT, f"`{kind}` cannot start there: it is no place", node.span)
        return [0] * k.count
    result = []
    for i in range(k.count):
        try:
            bound = {v.id: f.values[i] for v, f in zip(variables, fields, strict=True)}
            result.append(cx.evaluator.value(e, bound))
        except NotConstant:
            cx.error(codes.CONSTANT_NEEDED, f"where `{kind}` starts must be constant", node.span)
            return [0] * k.count
    return result


def world(cx: Context) -> World:
    """Kinds and names; which copies no rule tells apart."""
    copies = list(range(len(cx.names)))
    faces = list(cx.names)
    for kind in cx.kinds.values():
        if not kind.is_movable or kind.name in cx.copies_read:
            continue
        seen: dict[tuple[int, ...], int] = {}
        columns = [a for a in kind.attributes if a.name not in ("n", "number", "@faces")]
        for i in kind.ids:
            key = tuple(a.values[i - kind.base] for a in columns)
            copies[i] = seen.setdefault(key, i)
        if "n" in kind.fields and len(seen) < kind.count:
            shown = [a for a in kind.attributes if a.name in kind.fields and a.name != "n"]
            for i in kind.ids:
                parts = []
                for a in shown:
                    v = a.values[i - kind.base]
                    parts.append(cx.names[v] if isinstance(a.type, EntityType) else str(v))
                if cx.names[i].startswith(f"{kind.name}(") or not cx.names[i].isidentifier():
                    faces[i] = f"{kind.name}({', '.join(parts)})" if parts else kind.name
    tracks = tuple(s.track for s in cx.symbols.values() if isinstance(s, TrackSymbol))
    return World(tuple(cx.kinds.values()), tuple(cx.names), tuple(copies), tuple(faces), tracks)
