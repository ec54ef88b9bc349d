"""What a piece of the tree mentions: names as written, nodes of typed expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass

from ludex.check.context import Context, DefineSymbol, ProcedureSymbol
from ludex.syntax import ast


def names_in(node: object) -> frozenset[str]:
    """All names in an AST, bound ones too."""
    found: set[str] = set()
    _collect(node, found)
    return frozenset(found)


def _collect(node: object, found: set[str]) -> None:
    if isinstance(node, ast.Name):
        found.add(node.id)
    elif isinstance(node, tuple):
        for item in node:
            _collect(item, found)
    elif is_dataclass(node) and type(node).__module__ == ast.__name__:
        for f in fields(node):
            if f.name != "span":
                _collect(getattr(node, f.name), found)


def any_node(node: object, test: Callable[[object], bool]) -> bool:
    """Whether some node of a typed tree passes a test."""
    if isinstance(node, tuple):
        return any(any_node(item, test) for item in node)
    if not is_dataclass(node) or isinstance(node, type):
        return False
    if test(node):
        return True
    if not type(node).__module__.startswith("ludex.typed"):
        return False
    return any(any_node(getattr(node, f.name), test) for f in fields(node))


def mentions_me(cx: Context, decl: ast.Procedure, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a procedure needs a `me` from its caller."""
    return any(_needs_me(cx, s.body, seen | {decl.name.text}) for s in decl.steps)


def _needs_me(cx: Context, node: object, seen: frozenset[str]) -> bool:
    if isinstance(node, ast.Ask):
        return _needs_me(cx, node.player, seen)
    if isinstance(node, ast.SecretlyAsk):
        return _needs_me(cx, node.players, seen)
    if isinstance(node, ast.Act | ast.Choose | ast.ChooseSeveral | ast.ChooseAmounts):
        return True
    if isinstance(node, ast.Name):
        if node.id == "me":
            return True
        symbol = cx.symbols.get(node.id)
        if isinstance(symbol, DefineSymbol) and node.id not in seen:
            return _needs_me(cx, symbol.decl.body, seen | {node.id})
        return False
    if isinstance(node, ast.Run):
        symbol = cx.symbols.get(node.procedure.text)
        if (
            isinstance(symbol, ProcedureSymbol)
            and node.procedure.text not in seen
            and mentions_me(cx, symbol.decl, seen)
        ):
            return True
        return _needs_me(cx, node.args, seen)
    if isinstance(node, tuple):
        return any(_needs_me(cx, item, seen) for item in node)
    if is_dataclass(node) and type(node).__module__ == ast.__name__:
        return any(_needs_me(cx, getattr(node, f.name), seen) for f in fields(node) if f.name != "span")
    return False
