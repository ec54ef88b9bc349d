"""Moving things: pieces and cards one by one, tokens by number, all kinds of sugar."""

from __future__ import annotations

from ludex.check import build, codes
from ludex.check.arithmetic import bits
from ludex.check.assignments import step_value
from ludex.check.attributes import possible_places, tokens_of
from ludex.check.audience import tell_by_move
from ludex.check.coercions import as_set, describe, entity, integer, pile_of, plain, wrong
from ludex.check.context import Context, Env
from ludex.check.elaborated import Bag, Direction, Elaborated, Seats, Wrong
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import EntityType, SetType


def move(
    cx: Context, s: ast.Move | ast.Put | ast.Remove | ast.Replace | ast.Deal, env: Env
) -> list[typed.Stmt]:
    match s:
        case ast.Move():
            return _move(cx, s, env)
        case ast.Deal(count, source, target, span):
            return _deal(
                cx, integer(cx, count, env), pile_of(cx, source, env), _place(cx, target, env), span, env
            )
        case ast.Put(thing, target, span):
            return _put(cx, thing, _place(cx, target, env), span, env)
        case ast.Remove(thing, span):
            return _to(cx, cx.elaborate(thing, env), thing, _box(cx), False, span, env)
        case ast.Replace(thing, by, span):
            return _replace_token(cx, thing, by, span, env)


def _box(cx: Context) -> x.Const:
    return x.Const(cx.kinds["box"].base, EntityType(("box",)))


def _place(cx: Context, node: ast.Expr, env: Env) -> x.Expr:
    e = entity(cx, node, env)
    assert isinstance(e.type, EntityType)
    if not all(cx.kinds[k].is_location for k in e.type.kinds):
        raise wrong(cx, codes.WRONG_TYPE, f"a place is needed, this is {describe(e.type)}", node.span)
    return e


def _allowed(cx: Context, kinds: tuple[str, ...], target: x.Expr, span: Span) -> None:
    """Whether some of these kinds may be at the target at all."""
    assert isinstance(target.type, EntityType)
    for k in kinds:
        places = (
            possible_places(cx, k)
            if cx.kinds[k].is_movable
            else (*cx.kinds[k].places, "box")
            if cx.kinds[k].places
            else None
        )
        if places is not None and not set(places) & set(target.type.kinds):
            raise wrong(
                cx,
                codes.PLACE_NOT_ALLOWED,
                f"a {k} may never be in {describe(target.type)}",
                span,
                f"its places are {', '.join(places)}",
            )


def _secret_place(cx: Context, target: x.Expr, span: Span, env: Env) -> None:
    """Inside a sealed choice only the player's own hidden piles change."""
    if env.secret is None:
        return
    if isinstance(target, x.Const):
        kind = cx.kind_of(target.value)
        owner = kind.attribute("owner")
        if (
            kind.audience == "owner"
            and owner is not None
            and owner.values[target.value - kind.base] == env.secret
        ):
            return
    raise wrong(
        cx,
        codes.IN_SECRET,
        "this place is seen by others, inside `secretly ask`",
        span,
        "move between piles that only this player sees (`visible: owner`)",
    )


def _move(cx: Context, s: ast.Move, env: Env) -> list[typed.Stmt]:
    target = _place(cx, s.target, env)
    if (
        isinstance(s.thing, ast.Call)
        and isinstance(s.thing.func, ast.Name)
        and s.thing.func.id == "top"
        and s.thing.is_plain
    ):
        return _move_top(cx, s, s.thing, target, env)
    thing = tokens_of(cx, cx.elaborate(s.thing, env), s.thing)
    if isinstance(thing, Bag):
        return _move_tokens(cx, s, thing, target, env)
    if s.count is not None:
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            "only tokens are moved by number",
            s.count.span,
            "`deal N from PILE to PLACE` takes cards from the top",
        )
    if s.source is not None:
        source = _place(cx, s.source, env)
        here = as_set(cx, thing, s.thing)
        assert isinstance(here.type, SetType) and isinstance(here.type.element, EntityType)
        occupants = x.Occupants(source, cx.mask(here.type.element.kinds), here.type)
        if isinstance(s.thing, ast.Name) and isinstance(here, x.Const):
            thing = build.set_operation("inter", occupants, here, here.type)
            e = plain(cx, cx.elaborate(s.source, env), s.source)
            assert isinstance(e.type, EntityType)
            if all(cx.kinds[k].capacity == 1 for k in e.type.kinds):
                thing = x.Pick("the", thing, here.type.element, cx.site(s.thing.span))
    return _to(cx, thing, s.thing, target, s.under, s.span, env)


def _to(
    cx: Context, thing: Elaborated, node: ast.Expr, target: x.Expr, under: bool, span: Span, env: Env
) -> list[typed.Stmt]:
    if isinstance(thing, Bag):
        if thing.place is None:
            raise wrong(
                cx, codes.WRONG_TYPE, "from where are the tokens taken?", node.span, "say `… at PLACE`"
            )
        _secret_place(cx, target, span, env)
        return _all_tokens(cx, thing.faces, thing.place, target, span)
    if isinstance(thing, x.TokenAt):
        _secret_place(cx, target, span, env)
        return [code.MoveTokens(build.integer(1), thing, thing.place, target, cx.site(span))]
    if isinstance(thing, Seats | Direction):
        raise wrong(cx, codes.WRONG_TYPE, "this cannot be moved", node.span)
    e = plain(cx, thing, node)
    t = e.type
    if isinstance(t, EntityType) and t.kinds and all(cx.kinds[k].category == "pile" for k in t.kinds):
        if any(k in cx.shuffled for k in t.kinds) and _keeps_order(cx, target):
            return _deal(cx, build.size(as_set(cx, e, node)), e, target, span, env, under)
        e = as_set(cx, e, node)
        t = e.type
    element = t.element if isinstance(t, SetType) else t
    if (
        not isinstance(element, EntityType)
        or not element.kinds
        or not all(cx.kinds[k].is_movable for k in element.kinds)
    ):
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            f"pieces or cards are needed, this is {describe(t)}",
            node.span,
            "only pieces, cards and tokens can be moved",
        )
    if isinstance(t, EntityType) and t.optional and not isinstance(e, x.Pick):
        raise wrong(
            cx, codes.MAY_BE_NONE, "what is moved may be none", node.span, "test it first: `if … is not none`"
        )
    _allowed(cx, element.kinds, target, span)
    _secret_place(cx, target, span, env)
    site = cx.site(span)
    if isinstance(t, SetType):
        return [code.MoveAll(e, target, under, site)]
    if isinstance(e, x.Var):
        tell_by_move(cx, e, target, env.me)
    return [code.MoveOne(e, target, under, site)]


def _move_top(cx: Context, s: ast.Move, top: ast.Call, target: x.Expr, env: Env) -> list[typed.Stmt]:
    """`move top(P)` and `move top(P, n)`: a shuffled pile is drawn from, one card after another."""
    pile = pile_of(cx, top.args[0], env)
    assert isinstance(pile.type, EntityType)
    shuffled = any(k in cx.shuffled for k in pile.type.kinds)
    holds = tuple(dict.fromkeys(h for k in pile.type.kinds for h in cx.kinds[k].holds))
    _allowed(cx, holds, target, s.span)
    if len(top.args) == 1:
        before, card = step_value(cx, top, env)
        _secret_place(cx, target, s.span, env)
        return [*before, code.MoveOne(card, target, s.under, cx.site(s.span))]
    count = integer(cx, top.args[1], env)
    if shuffled:
        return _deal(cx, count, pile, target, s.span, env, s.under)
    _secret_place(cx, target, s.span, env)
    cards = x.TopSet(pile, count, SetType(EntityType(holds)), cx.site(top.span))
    return [code.MoveAll(cards, target, s.under, cx.site(s.span))]


def _keeps_order(cx: Context, place: x.Expr) -> bool:
    return isinstance(place.type, EntityType) and any(cx.kinds[k].ordered for k in place.type.kinds)


def _deal(
    cx: Context, count: x.Expr, pile: x.Expr, target: x.Expr, span: Span, env: Env, under: bool = False
) -> list[typed.Stmt]:
    """Cards from the top, one after another; as many as there are if there are fewer."""
    assert isinstance(pile.type, EntityType)
    if env.secret is not None:
        raise wrong(cx, codes.IN_SECRET, "cards cannot be drawn inside `secretly ask`", span)
    holds = tuple(dict.fromkeys(h for k in pile.type.kinds for h in cx.kinds[k].holds))
    _allowed(cx, holds, target, span)
    from_var, to_var = cx.new_var("pile", pile.type), cx.new_var("place", target.type)
    contents = x.Occupants(from_var, cx.mask(holds), SetType(EntityType(holds)))
    card = x.Top(from_var, EntityType(holds), cx.site(span))
    body: list[typed.Stmt] = []
    if any(k in cx.shuffled for k in pile.type.kinds):
        body.append(typed.Draw(from_var))
    body.append(code.MoveOne(card, to_var, under, cx.site(span)))
    return [
        code.SetVar(from_var.id, pile),
        code.SetVar(to_var.id, target),
        typed.Loop(count, build.not_empty(contents), tuple(body)),
    ]


def _move_tokens(cx: Context, s: ast.Move, bag: Bag, target: x.Expr, env: Env) -> list[typed.Stmt]:
    source = bag.place
    if s.source is not None:
        source = _place(cx, s.source, env)
    if source is None:
        if isinstance(bag.faces, x.Const) and s.count is None:
            raise wrong(
                cx,
                codes.WRONG_TYPE,
                "from where are the tokens taken?",
                s.thing.span,
                f"`move {bag.kind} at PLACE to …` or `move 1 {bag.kind} from PLACE to …`",
            )
        source = _box(cx)
    _allowed(cx, (bag.kind,), target, s.span)
    _secret_place(cx, target, s.span, env)
    site = cx.site(s.span)
    single = isinstance(source.type, EntityType) and all(cx.kinds[k].capacity == 1 for k in source.type.kinds)
    if s.count is None and single:
        face = x.TokenAt(source, cx.kinds[bag.kind].mask, EntityType((bag.kind,), True))
        return [code.MoveTokens(build.integer(1), face, source, target, site)]
    if s.count is None and (bag.place is not None or s.source is None or _several(cx, bag)):
        return _all_tokens(cx, bag.faces, source, target, s.span)
    if not isinstance(source.type, EntityType):
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            "tokens by number are taken from one place, these are several",
            s.thing.span,
            f"`for each p in PLACES do move 1 {bag.kind} from p to …`",
        )
    count = build.integer(1) if s.count is None else integer(cx, s.count, env)
    return [code.MoveTokens(count, _one_face(cx, bag, s.thing.span), source, target, site)]


def _all_tokens(cx: Context, faces: x.Expr, source: x.Expr, target: x.Expr, span: Span) -> list[typed.Stmt]:
    """All tokens of some faces at a place, or at each of a set of places."""
    site = cx.site(span)
    if not isinstance(source.type, SetType):
        return [code.MoveAllTokens(faces, source, target, site)]
    moved, to = cx.new_var("faces", faces.type), cx.new_var("place", target.type)
    place = cx.new_var("place", source.type.element)
    return [
        code.SetVar(moved.id, faces),
        code.SetVar(to.id, target),
        typed.For(place.id, x.SetDomain(source), None, (code.MoveAllTokens(moved, place, to, site),)),
    ]


def _several(cx: Context, bag: Bag) -> bool:
    return isinstance(bag.faces, x.Const) and bag.faces.value.bit_count() > 1


def _one_face(cx: Context, bag: Bag, span: Span) -> x.Expr:
    if isinstance(bag.faces, x.Const):
        faces = list(bits(bag.faces.value))
        if len(faces) == 1:
            return x.Const(faces[0], EntityType((bag.kind,)))
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            f"which {bag.kind}? there are {len(faces)} sorts",
            span,
            f"say whose: `{bag.kind} of PLAYER`, or which: `{bag.kind}(…)`",
        )
    return x.Pick("the", bag.faces, EntityType((bag.kind,)), cx.site(span))


def face_of(cx: Context, node: ast.Expr, env: Env) -> tuple[x.Expr, str]:
    """A token's face: `stone(me)`, or the kind's name if it has but one."""
    e = cx.elaborate(node, env)
    if isinstance(e, Bag):
        return _one_face(cx, e, node.span), e.kind
    v = plain(cx, e, node)
    if (
        isinstance(v.type, EntityType)
        and len(v.type.kinds) == 1
        and cx.kinds[v.type.kinds[0]].category == "token"
    ):
        if v.type.optional:
            v = x.Pick(
                "the", x.Singleton(v, build.set_of(v.type)), EntityType(v.type.kinds), cx.site(node.span)
            )
        return v, v.type.kinds[0]  # type: ignore[union-attr]
    if (
        isinstance(v.type, SetType)
        and isinstance(v.type.element, EntityType)
        and len(v.type.element.kinds) == 1
    ):
        kind = v.type.element.kinds[0]
        if cx.kinds[kind].category == "token":
            return x.Pick("the", v, EntityType((kind,)), cx.site(node.span)), kind
    raise wrong(cx, codes.WRONG_TYPE, f"a token is needed, this is {describe(v.type)}", node.span)


def _put(cx: Context, thing: ast.Expr, target: x.Expr, span: Span, env: Env) -> list[typed.Stmt]:
    e = cx.elaborate(thing, env)
    if not isinstance(e, Bag | Seats | Direction):
        v = plain(cx, e, thing)
        t = v.type.element if isinstance(v.type, SetType) else v.type
        if isinstance(t, EntityType) and t.kinds and all(cx.kinds[k].is_movable for k in t.kinds):
            return _to(cx, e, thing, target, False, span, env)
    face, kind = face_of(cx, thing, env)
    _allowed(cx, (kind,), target, span)
    _secret_place(cx, target, span, env)
    return [code.MoveTokens(build.integer(1), face, _box(cx), target, cx.site(span))]


def _replace_token(cx: Context, thing: ast.Expr, by: ast.Expr, span: Span, env: Env) -> list[typed.Stmt]:
    old = cx.elaborate(thing, env)
    face, _ = face_of(cx, by, env)
    if not isinstance(old, x.TokenAt):
        raise wrong(
            cx,
            codes.WRONG_TYPE,
            "a token on a space is replaced",
            thing.span,
            "`replace piece at s with piece(me, king)`",
        )
    where = cx.new_var("space", old.place.type)
    new = cx.new_var("new", face.type)
    there = x.TokenAt(where, old.mask, old.type)
    site = cx.site(span)
    return [
        code.SetVar(where.id, old.place),
        code.SetVar(new.id, face),
        code.MoveTokens(build.integer(1), there, where, _box(cx), site),
        code.MoveTokens(build.integer(1), new, _box(cx), where, site),
    ]


def lay(cx: Context, decl: ast.Diagram, span: Span) -> list[typed.Stmt]:
    """A drawn layout: rows from the north, each sign a piece (the next free one) or token."""
    env = Env()
    board = cx.boards.get(decl.space.text)
    if board is None or board.shape not in ("grid", "hex"):
        raise wrong(cx, codes.BAD_COMPONENT, f"`{decl.space}` is no grid to draw on", decl.space.span)
    legend: dict[str, tuple[x.Expr, bool]] = {}
    for sign, node in decl.legend:
        e = cx.elaborate(node, env)
        if isinstance(e, Bag):
            legend[sign] = (_one_face(cx, e, node.span), True)
            continue
        v = cx.fold(plain(cx, e, node))
        t = v.type.element if isinstance(v.type, SetType) else v.type
        token = isinstance(t, EntityType) and all(cx.kinds[k].category == "token" for k in t.kinds)
        legend[sign] = (v, token)
    used: dict[str, int] = {}
    made: list[typed.Stmt] = []
    height = len(decl.rows)
    for r, row in enumerate(decl.rows):
        for c, sign in enumerate(row):
            if sign in (".", "_", "-"):
                continue
            s = board.space(c + 1, height - r)
            if s == 0 or sign not in legend:
                cx.error(
                    codes.BAD_COMPONENT,
                    f"the sign `{sign}` is not in the legend"
                    if sign not in legend
                    else "this is off the board",
                    decl.span,
                )
                raise Wrong
            v, token = legend[sign]
            target = x.Const(s, EntityType((decl.space.text,)))
            if token:
                made.append(code.MoveTokens(build.integer(1), v, _box(cx), target, cx.site(span)))
                continue
            mask = cx.constant(v)
            if mask is None:
                raise wrong(cx, codes.CONSTANT_NEEDED, "a sign stands for constant things", decl.span)
            ids = list(bits(mask)) if isinstance(v.type, SetType) else [mask]
            n = used.get(sign, 0)
            if n >= len(ids):
                raise wrong(cx, codes.BAD_COMPONENT, f"there are only {len(ids)} of `{sign}`", decl.span)
            used[sign] = n + 1
            kind = cx.kind_of(ids[n]).name
            made.append(code.MoveOne(x.Const(ids[n], EntityType((kind,))), target, False, cx.site(span)))
    return made
