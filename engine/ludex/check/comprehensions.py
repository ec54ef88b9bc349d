"""`f(E for x in S where C by K else D)`: every aggregate becomes a fold."""

from __future__ import annotations

from typing import cast

from ludex.check import build, codes
from ludex.check.coercions import (
    amount,
    as_integer,
    as_set,
    boolean,
    check_local,
    constant_family,
    describe,
    domain,
    integer,
    join,
    plain,
    value,
    wrong,
)
from ludex.check.context import Context, Env
from ludex.check.elaborated import Bag, Elaborated, Ints
from ludex.check.narrowing import facts
from ludex.check.operators import occupied, token_count, tokens_present
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import (
    BOOL,
    MAX_SET_NUMBER,
    BoolType,
    EntityType,
    FamilyType,
    IntType,
    SetType,
    TrackType,
    Type,
)

COMPREHENSIONS = frozenset(
    {"count", "sum", "min", "max", "any", "all", "set", "union", "first", "the", "most", "least"}
)

NUMBER_OF = IntType(0, 1 << 20)
"""How many combinations a `count` may find, where nothing better is known."""


def comprehension(cx: Context, node: ast.Call, func: str, env: Env) -> Elaborated:
    if node.from_ is not None:
        raise wrong(cx, codes.WRONG_ARGUMENTS, f"`{func}` takes no `from`", node.span)
    head, binders = _binders(cx, node, env)
    if not binders:
        return _plain(cx, node, func, env)
    bindings: list[x.Binding] = []
    for b in binders:
        d, t = domain(cx, b.domain, env)
        check_local(cx, b.var.text, b.var.span, env)
        var = cx.new_var(b.var.text, t)
        env = env.bind(b.var.text, var)
        bindings.append(x.Binding(var.id, d))
    guard = None
    if node.where is not None:
        guard = boolean(cx, node.where, env)
        env = env.narrowed(facts(cx, node.where, True))
    only = env.names[binders[0].var.text] if len(binders) == 1 else None
    return _fold(cx, node, func, head, tuple(bindings), guard, only, env)


def _binders(cx: Context, node: ast.Call, env: Env) -> tuple[ast.Expr | None, tuple[ast.Binder, ...]]:
    """The head and the binders; `f(x in S)` binds `x` if that is no known name."""
    if node.binders:
        if len(node.args) != 1:
            raise wrong(cx, codes.WRONG_ARGUMENTS, "one expression is needed before `for`", node.span)
        return node.args[0], node.binders
    if len(node.args) == 1 and isinstance(node.args[0], ast.Member) and not node.args[0].negated:
        m = node.args[0]
        if isinstance(m.left, ast.Name):
            known = m.left.id in cx.symbols or m.left.id in env.names or m.left.id == "me"
            if not known or node.where is not None or node.by is not None:
                return None, (ast.Binder(ast.Ident(m.left.id, m.left.span), m.right, m.span),)
    if node.where is not None or node.by is not None:
        raise wrong(
            cx,
            codes.WRONG_ARGUMENTS,
            "nothing is gone through here",
            node.span,
            "say what: `count(x in S where …)`",
        )
    return None, ()


def _plain(cx: Context, node: ast.Call, func: str, env: Env) -> Elaborated:
    args = [cx.elaborate(a, env) for a in node.args]
    if func == "set":
        return _listed(cx, node, args)
    if func in ("min", "max") and len(args) >= 2:
        op: x.ArithmeticOp = "min" if func == "min" else "max"
        result, *others = (as_integer(cx, e, a) for e, a in zip(args, node.args, strict=True))
        for other in others:
            result = build.arith(op, result, other, cx.site(node.span))
        return result
    if len(args) != 1:
        raise wrong(
            cx, codes.WRONG_ARGUMENTS, f"`{func}` takes one set, not {len(args)} arguments", node.span
        )
    arg, arg_node = args[0], node.args[0]
    if func == "count":
        if isinstance(arg, Bag):
            if arg.place is None:
                return build.size(arg.faces)
            return token_count(cx, arg, arg_node.span)
        if isinstance(arg.type, TrackType):
            return build.integer(len(cx.track(arg.type.track).spaces))
        if isinstance(arg.type, FamilyType):
            var = cx.new_var("it", SetType(arg.type.element))
            family = x.FamilyDomain(constant_family(cx, plain(cx, arg, arg_node), arg_node.span))
            bindings = (x.Binding(var.id, family),)
            return x.Fold("count", bindings, None, None, None, None, NUMBER_OF, cx.site(node.span))
        if isinstance(arg, Ints):
            length = build.arith("sub", arg.hi, arg.lo, cx.site(node.span))
            one_more = build.arith("add", length, build.integer(1), cx.site(node.span))
            return build.arith("max", one_more, build.integer(0), cx.site(node.span))
        return build.size(as_set(cx, arg, arg_node))
    if func == "any":
        if isinstance(arg, Bag):
            return tokens_present(cx, arg, arg_node.span)
        return occupied(cx, arg, arg_node)
    if func == "union" and isinstance(arg.type, FamilyType):
        raise wrong(cx, codes.WRONG_ARGUMENTS, "name the sets: `union(s for s in …)`", node.span)
    if func == "the" and isinstance(arg.type, EntityType) and arg.type.optional:
        one, t = plain(cx, arg, arg_node), EntityType(arg.type.kinds)
        return x.Pick("the", x.Singleton(one, build.set_of(t)), t, cx.site(node.span))
    if func in ("the", "first", "min", "max", "sum"):
        s = as_set(cx, arg, arg_node)
        return _of_set(cx, node, func, s)
    raise wrong(
        cx,
        codes.WRONG_ARGUMENTS,
        f"`{func}` needs something to go through",
        node.span,
        f"`{func}(… for x in S)`" if func in ("all", "union") else f"`{func}(x in S by …)`",
    )


def _of_set(cx: Context, node: ast.Call, func: str, s: x.Expr) -> x.Expr:
    assert isinstance(s.type, SetType)
    element: Type = s.type.element
    if func in ("the", "first"):
        if isinstance(element, EntityType):
            if func == "first":
                return cx.fold(x.Pick("first", s, EntityType(element.kinds, True), cx.site(node.span)))
            return cx.fold(x.Pick("the", s, EntityType(element.kinds), cx.site(node.span)))
        return cx.fold(x.Pick("the" if func == "the" else "some", s, element, cx.site(node.span)))
    if not isinstance(element, IntType):
        raise wrong(
            cx, codes.WRONG_TYPE, f"`{func}` needs numbers", node.span, f"`{func}(x.value for x in …)`"
        )
    var = cx.new_var("it", element)
    binding = x.Binding(var.id, x.SetDomain(s))
    t = IntType() if func == "sum" else element
    return x.Fold(cast("x.FoldKind", func), (binding,), None, var, None, None, t, cx.site(node.span))


def _listed(cx: Context, node: ast.Call, args: list[Elaborated]) -> x.Expr:
    """`set(a, b, …)`, `set()`, `set(none)`."""
    result: x.Expr = x.Const(0, SetType(EntityType(())))
    for arg, arg_node in zip(args, node.args, strict=True):
        e = plain(cx, arg, arg_node)
        part: x.Expr
        if isinstance(e.type, EntityType) and e.type.optional and len(args) == 1:
            keep = not e.type.kinds
            t: Type = SetType(EntityType(e.type.kinds, keep))
            part = x.Const(1, t) if keep else x.Singleton(e, t)
        elif isinstance(e.type, SetType):
            part = e
        elif isinstance(e.type, EntityType | IntType):
            if isinstance(e.type, EntityType) and e.type.optional:
                part = x.Singleton(e, SetType(EntityType(e.type.kinds)))
            else:
                if isinstance(e.type, IntType) and (e.type.hi < 0 or e.type.lo > MAX_SET_NUMBER):
                    raise wrong(
                        cx,
                        codes.OUT_OF_RANGE,
                        f"a set holds numbers from 0 to {MAX_SET_NUMBER}, this is {amount(e.type)}",
                        arg_node.span,
                    )
                part = cx.fold(x.Singleton(e, build.set_of(e.type), isinstance(e.type, IntType)))
        else:
            raise wrong(cx, codes.WRONG_TYPE, f"{describe(e.type)} cannot be in a set", arg_node.span)
        joined = join(result.type, part.type)
        if joined is None:
            raise wrong(
                cx, codes.WRONG_TYPE, "the elements of this set are of different sorts", arg_node.span
            )
        result = build.set_operation("union", result, part, joined)
    return result


def _fold(
    cx: Context,
    node: ast.Call,
    func: str,
    head: ast.Expr | None,
    bindings: tuple[x.Binding, ...],
    guard: x.Expr | None,
    only: x.Expr | None,
    env: Env,
) -> x.Expr:
    site = cx.site(node.span)
    if node.by is not None and func not in ("most", "least"):
        raise wrong(cx, codes.WRONG_ARGUMENTS, f"`{func}` takes no `by`", node.by.span)
    if func in ("any", "all"):
        return _truth(cx, node, func, head, bindings, guard, env, site)
    if func == "count":
        if head is not None:
            test = boolean(cx, head, env)
            guard = test if guard is None else build.junction("and", [guard, test])
        if guard is None and len(bindings) == 1:
            return cx.fold(_count_all(cx, bindings[0].domain, node.span))
        return cx.fold(x.Fold("count", bindings, guard, None, None, None, NUMBER_OF, site))
    if head is None:
        if only is None:
            raise wrong(cx, codes.WRONG_ARGUMENTS, f"`{func}` needs a value before `for`", node.span)
        result = only
    else:
        result = value(cx, head, env)
    default = None
    if node.orelse is not None:
        default = value(cx, node.orelse, env)
    key = None
    if func in ("most", "least"):
        if node.by is None:
            raise wrong(cx, codes.WRONG_ARGUMENTS, f"`{func}` needs `by`: by what?", node.span)
        key = integer(cx, node.by, env)
    t = _result(cx, node, func, result, default, head or node)
    if func == "set" and head is None and guard is None:
        d = bindings[0].domain
        if isinstance(d, x.SetDomain):
            return d.set
    return cx.fold(x.Fold(cast("x.FoldKind", func), bindings, guard, result, key, default, t, site))


def _count_all(cx: Context, d: x.Domain, span: Span) -> x.Expr:
    if isinstance(d, x.SetDomain):
        return build.size(d.set)
    var = cx.new_var("it", IntType())
    return x.Fold(
        "count", (x.Binding(var.id, d),), None, None, None, None, NUMBER_OF, cx.site(span)
    )


def _truth(
    cx: Context,
    node: ast.Call,
    func: str,
    head: ast.Expr | None,
    bindings: tuple[x.Binding, ...],
    guard: x.Expr | None,
    env: Env,
    site: int,
) -> x.Expr:
    if head is None:
        if func == "all":
            raise wrong(
                cx,
                codes.WRONG_ARGUMENTS,
                "`all` needs a condition before `for`",
                node.span,
                "`all(COND for x in S where …)`",
            )
        if guard is None and len(bindings) == 1 and isinstance(bindings[0].domain, x.SetDomain):
            return build.not_empty(bindings[0].domain.set)
        test, guard = guard or build.TRUE, None
    else:
        test = boolean(cx, head, env)
    if isinstance(test, x.Const) and guard is None and bool(test.value) == (func == "all"):
        return build.TRUE if func == "all" else x.Fold("any", bindings, None, test, None, None, BOOL, site)
    return cx.fold(x.Fold(cast("x.FoldKind", func), bindings, guard, test, None, None, BOOL, site))


def _result(
    cx: Context, node: ast.Call, func: str, result: x.Expr, default: x.Expr | None, at: ast.Expr
) -> Type:
    t = result.type
    if func in ("sum", "min", "max"):
        if not isinstance(t, IntType):
            raise wrong(cx, codes.WRONG_TYPE, f"`{func}` needs numbers, this is {describe(t)}", at.span)
        if func == "sum":
            return IntType(0 if t.lo >= 0 else IntType().lo, IntType().hi)
        if default is not None and isinstance(default.type, IntType):
            return IntType(min(t.lo, default.type.lo), max(t.hi, default.type.hi))
        return t
    if func == "set":
        if not isinstance(t, EntityType | IntType):
            raise wrong(cx, codes.WRONG_TYPE, f"a set holds things or numbers, not {describe(t)}", at.span)
        return build.set_of(t)
    if func == "union":
        if not isinstance(t, SetType | FamilyType):
            raise wrong(cx, codes.WRONG_TYPE, f"`union` needs sets, this is {describe(t)}", at.span)
        return t
    if isinstance(t, EntityType):
        optional = func != "the" and default is None
        if default is not None:
            joined = join(t, default.type)
            if joined is None:
                raise wrong(cx, codes.WRONG_TYPE, "the value after `else` is of another sort", node.span)
            return joined
        return EntityType(t.kinds, optional or t.optional)
    if isinstance(t, BoolType | IntType) and func != "the" and default is None:
        raise wrong(
            cx, codes.MAY_BE_NONE, f"`{func}` of numbers needs an `else` for when there is none", node.span
        )
    return t
