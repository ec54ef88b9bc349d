"""What a piece of the tree mentions: names as written, nodes of typed expressions."""

from __future__ import annotations

from collections.abc import Callable

from ludex.check.context import ActionSymbol, Context, DefineSymbol, ProcedureSymbol
from ludex.node import parts
from ludex.syntax import ast


def names_in(tree: object) -> frozenset[str]:
    """All names in an AST, bound ones too."""
    found: set[str] = set()
    pending = [tree]
    while pending:
        n = pending.pop()
        if isinstance(n, ast.Name):
            found.add(n.id)
        elif isinstance(n, tuple):
            pending.extend(n)
        else:
            pending.extend(getattr(n, name) for name in parts(n) if name != "span")
    return frozenset(found)


def any_node(tree: object, test: Callable[[object], bool]) -> bool:
    """Whether some node of a typed tree passes a test."""
    pending = [tree]
    while pending:
        n = pending.pop()
        if isinstance(n, tuple):
            pending.extend(n)
            continue
        names = parts(n)
        if names and test(n):
            return True
        pending.extend(getattr(n, name) for name in names)
    return False


def mentions_me(cx: Context, decl: ast.Procedure) -> bool:
    """Whether a procedure needs a `me` from its caller."""
    return _needs_me(cx, tuple(s.body for s in decl.steps), decl.name.text)


def definition_mentions_me(cx: Context, decl: ast.Define) -> bool:
    """Whether a definition's value depends on `me`, also through the definitions it uses."""
    return _needs_me(cx, decl.body, decl.name.text)


def _needs_me(cx: Context, tree: object, name: str) -> bool:
    """Whether `me` is spoken of outside `ask`, in a tree or in what it uses."""
    seen = {name}
    pending = [tree]

    def use(name: str) -> None:
        symbol = cx.symbols.get(name)
        if name in seen:
            return
        seen.add(name)
        if isinstance(symbol, DefineSymbol):
            pending.append(symbol.decl.body)
        elif isinstance(symbol, ProcedureSymbol):
            pending.append(tuple(s.body for s in symbol.decl.steps))

    while pending:
        node = pending.pop()
        match node:
            case ast.Ask(player, _, _):
                pending.append(player)
            case ast.SecretlyAsk(players, _, _):
                pending.append(players)
            case ast.Act() | ast.Choose() | ast.ChooseSeveral() | ast.ChooseAmounts() | ast.Name("me"):
                return True
            case ast.Name(id):
                if isinstance(cx.symbols.get(id), ActionSymbol):  # `can(A)`
                    return True
                use(id)
            case ast.Attr(base, attr):
                use(attr.text)
                pending.append(base)
            case ast.Run(procedure, args):
                use(procedure.text)
                pending.append(args)
            case ast.Try(procedure, args, body):
                use(procedure.text)
                pending.extend((args, body))
            case tuple():
                pending.extend(node)
            case _:
                pending.extend(getattr(node, field) for field in parts(node) if field != "span")
    return False
