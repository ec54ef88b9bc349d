"""Types as written: ranges, kinds, unions, optional values and sets."""

from __future__ import annotations

from ludex import limits
from ludex.check import codes
from ludex.check.coercions import describe, wrong
from ludex.check.constants import integer_constant
from ludex.check.context import Context
from ludex.check.elaborated import Wrong
from ludex.check.symbols import KindSymbol, RangeSymbol
from ludex.source import Span
from ludex.syntax import ast
from ludex.typed.tables import Dimension
from ludex.typed.types import BOOL, INT, MAX_SET_NUMBER, EntityType, IntType, SetType, Type


def param_type(cx: Context, ref: ast.TypeRef) -> Type:
    return resolve_type(cx, ref)


def resolve_type(cx: Context, ref: ast.TypeRef) -> Type:
    base = ref.base
    if isinstance(base, ast.Range):
        lo = integer_constant(cx, base.lo, "a bound", -(2**31), 2**31 - 1)
        hi = integer_constant(cx, base.hi, "a bound", -(2**31), 2**31 - 1)
        if hi < lo:
            raise wrong(cx, codes.OUT_OF_RANGE, "this range is empty", base.span)
        t: Type = IntType(lo, hi)
    elif isinstance(base, ast.EnumType):
        raise wrong(
            cx, codes.WRONG_TYPE, "an enumeration needs a name here", base.span, "declare it under `types`"
        )
    else:
        t = _named_type(cx, base, ref.span)
    if ref.optional:
        if not isinstance(t, EntityType):
            raise wrong(
                cx,
                codes.WRONG_TYPE,
                f"{describe(t)} cannot be optional",
                ref.span,
                "use 0 or another number for none",
            )
        t = EntityType(t.kinds, True)
    if ref.set_of:
        if not isinstance(t, EntityType | IntType):
            raise wrong(cx, codes.WRONG_TYPE, f"there are no sets of {describe(t)}", ref.span)
        if isinstance(t, IntType) and not 0 <= t.lo <= t.hi <= MAX_SET_NUMBER:
            raise wrong(
                cx,
                codes.OUT_OF_RANGE,
                f"a set of numbers holds numbers from 0 to {MAX_SET_NUMBER}, not {t}",
                ref.span,
            )
        t = SetType(t)
    return t


def _named_type(cx: Context, names: tuple[ast.Ident, ...], span: Span) -> Type:
    if len(names) == 1 and names[0].text == "bool":
        return BOOL
    if len(names) == 1 and names[0].text == "int":
        return INT
    kinds: list[str] = []
    for n in names:
        symbol = cx.symbols.get(n.text)
        cx.used.add(n.text)
        if isinstance(symbol, RangeSymbol) and len(names) == 1:
            return symbol.type
        if not isinstance(symbol, KindSymbol):
            known = {k for k, s in cx.symbols.items() if isinstance(s, KindSymbol | RangeSymbol)}
            cx.unknown(n.text, n.span, known | {"bool", "int", "player"}, "type or kind")
            raise Wrong
        for k in flatten(cx, symbol.kinds):
            if k not in kinds:
                kinds.append(k)
    return EntityType(tuple(kinds))


def flatten(cx: Context, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Kind names with unions replaced by what they are made of."""
    result: list[str] = []
    seen: set[str] = set()
    stack = list(reversed(kinds))
    while stack:
        k = stack.pop()
        if k in seen:  # a second time, or a union within itself, which `declare_types` reports
            continue
        seen.add(k)
        cx.spend(cx.game.span)
        symbol = cx.symbols.get(k)
        if isinstance(symbol, KindSymbol) and symbol.kinds != (k,):
            stack.extend(reversed(symbol.kinds))
        elif k in cx.kinds or k in cx.pending_kinds:
            if cx.need_kind(k) is None:
                if k in cx.failed:
                    raise Wrong
                span = symbol.span if symbol is not None else cx.game.span
                raise wrong(cx, codes.CYCLE, f"`{k}` is used before it can be made", span)
            result.append(k)
        else:
            known = {n for n, s in cx.symbols.items() if isinstance(s, KindSymbol)}
            span = symbol.span if symbol is not None else cx.game.span
            cx.unknown(k, span, known, "kind")
            raise Wrong
    return tuple(result)


def dimension(cx: Context, ref: ast.TypeRef) -> Dimension:
    t = resolve_type(cx, ref)
    return type_dimension(cx, t, ref.span)


def type_dimension(cx: Context, t: Type, span: Span) -> Dimension:
    if isinstance(t, IntType):
        if t.hi - t.lo >= limits.MAX_TABLE_CELLS:
            raise wrong(cx, codes.TOO_LARGE, "too many numbers to index by", span)
        return Dimension(t.lo, t.hi - t.lo + 1, None)
    if isinstance(t, EntityType) and t.kinds and not t.optional:
        return cx.span_dimension(t.kinds)
    if t == BOOL:
        return Dimension(0, 2, None)
    raise wrong(cx, codes.WRONG_TYPE, f"nothing can be indexed by {describe(t)}", span)
