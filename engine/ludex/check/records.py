"""Records of positions: what is compared."""

from __future__ import annotations

from ludex import limits
from ludex.check import codes
from ludex.check.calls import call_values
from ludex.check.coercions import plain
from ludex.check.constants import integer_constant
from ludex.check.context import Context, Env
from ludex.check.definitions import signature
from ludex.check.elaborated import Wrong
from ludex.check.mentions import any_node
from ludex.check.symbols import DefineSymbol, StateSymbol
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import PLAYER, EntityType


def records(cx: Context) -> tuple[typed.RecordDecl, ...]:
    made = []
    for r in cx.game.records:
        parts: list[tuple[tuple[x.Binding, ...], x.Expr]] = []
        try:
            keep = integer_constant(cx, r.keep, "how many are kept", 1, limits.MAX_RECORDED_POSITIONS)
            for n in r.of:
                symbol = cx.symbols.get(n.text)
                if isinstance(symbol, DefineSymbol):
                    params = signature(cx, symbol.decl, n.span).params
                elif isinstance(symbol, StateSymbol):
                    params = tuple(
                        EntityType(tuple(k.split(" or ")))
                        for k, _, _ in symbol.variable.dims
                        if k is not None
                    )
                else:
                    cx.unknown(n.text, n.span, set(cx.symbols), "definition or state")
                    continue
                bindings, args = [], []
                for t in params:
                    assert isinstance(t, EntityType)
                    var = cx.new_var("it", t)
                    bindings.append(x.Binding(var.id, x.SetDomain(cx.kind_set(t.kinds))))
                    args.append((var, n.span))
                me = x.Load("active", (), PLAYER, -1)
                e = call_values(cx, n.text, n.span, args, Env(me=me), n.span)  # type: ignore[arg-type]
                parts.append((tuple(bindings), plain(cx, e, ast.Name(n.text, n.span))))
        except Wrong:
            continue
        made.append(typed.RecordDecl(r.name.text, tuple(parts), keep))
    _refuse_circles(cx, made)
    return tuple(made)


def _refuse_circles(cx: Context, made: list[typed.RecordDecl]) -> None:
    """A position that depends on how often it was seen could never be compared."""
    asked = {r.name: _asked(cx, r.parts) for r in made}
    for r in cx.game.records:
        pending, met = [*asked.get(r.name.text, ())], set[str]()
        while pending:
            name = pending.pop()
            if name not in met:
                met.add(name)
                pending.extend(asked.get(name, ()))
        if r.name.text in met:
            cx.error(codes.CYCLE, f"positions of `{r.name.text}` depend on what stands in it", r.name.span)


def _asked(cx: Context, tree: object) -> set[str]:
    """The records that something asks of, and what it calls."""
    found: set[str] = set()
    called: set[str] = set()

    def look(n: object) -> bool:
        match n:
            case x.Seen(record):
                found.add(record)
            case x.Apply(name) if name not in called and name in cx.functions:
                called.add(name)
                any_node(cx.functions[name].body, look)
        return False

    any_node(tree, look)
    return found
