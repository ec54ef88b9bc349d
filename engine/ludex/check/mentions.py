"""What a piece of the tree mentions: names as written, nodes of typed expressions."""

from __future__ import annotations

from collections.abc import Callable

from ludex.check.context import Context
from ludex.check.symbols import ActionSymbol
from ludex.node import CONTENTS
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
        elif type(n) in CONTENTS:
            pending.extend(CONTENTS[type(n)](n))
    return frozenset(found)


def shaping_names(game: ast.Game) -> frozenset[str]:
    """Names that decide what there is in a game: those in its declarations, and in the definitions
    and constants that these use."""
    bodies: dict[str, object] = {d.name.text: d.body for d in game.defines}
    bodies.update({c.name.text: (c.value, c.per) for c in game.constants})
    declared: list[object] = [*game.types, *game.spaces, *game.tracks, *game.components, *game.dice]
    declared += [*game.piles, *((s.type, s.per) for s in game.state)]
    declared += [c.value for c in game.constants if isinstance(c.value, ast.By) or c.per]
    found: set[str] = set()
    pending = [names_in(tuple(declared))]
    while pending:
        new = pending.pop() - found
        found |= new
        pending.extend(names_in(bodies[name]) for name in new if name in bodies)
    return frozenset(found)


def any_node(tree: object, test: Callable[[object], bool]) -> bool:
    """Whether some node of a typed tree passes a test."""
    pending = [tree]
    while pending:
        n = pending.pop()
        if isinstance(n, tuple):
            pending.extend(n)
            continue
        if type(n) in CONTENTS:
            if test(n):
                return True
            pending.extend(CONTENTS[type(n)](n))
    return False


def mentions_me(cx: Context, decl: ast.Procedure | ast.Define) -> bool:
    """Whether a procedure or definition needs a `me` from where it is used, also through what it uses."""
    if cx.about_me is None:
        cx.about_me = _about_me(cx)
    return decl.name.text in cx.about_me


def _about_me(cx: Context) -> frozenset[str]:
    """The definitions and procedures that speak of `me` outside `ask`, or use one that does."""
    users: dict[str, set[str]] = {}
    pending: list[str] = []
    bodies: list[tuple[str, object]] = [(d.name.text, d.body) for d in cx.game.defines]
    bodies += [(p.name.text, tuple(s.body for s in p.steps)) for p in cx.game.procedures]
    for name, body in bodies:
        speaks, uses = _speaks_of_me(cx, body)
        if speaks:
            pending.append(name)
        for used in uses:
            users.setdefault(used, set()).add(name)
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(users.get(name, ()))
    return frozenset(found)


def _speaks_of_me(cx: Context, body: object) -> tuple[bool, set[str]]:
    """Whether `me` is spoken of outside `ask`, and the definitions and procedures that are used there."""
    uses: set[str] = set()
    pending = [body]
    while pending:
        node = pending.pop()
        match node:
            case ast.Ask(player, _, _):
                pending.append(player)
            case ast.SecretlyAsk(players, _, _):
                pending.append(players)
            case ast.Act() | ast.Choose() | ast.ChooseSeveral() | ast.ChooseAmounts() | ast.Name("me"):
                return True, uses
            case ast.Name(id):
                if isinstance(cx.symbols.get(id), ActionSymbol):  # `can(A)`
                    return True, uses
                uses.add(id)
            case ast.Attr(base, attr):
                uses.add(attr.text)
                pending.append(base)
            case ast.Run(procedure, args):
                uses.add(procedure.text)
                pending.append(args)
            case ast.Try(procedure, args, body):
                uses.add(procedure.text)
                pending.extend((args, body))
            case tuple():
                pending.extend(node)
            case _:
                if type(node) in CONTENTS:
                    pending.extend(CONTENTS[type(node)](node))
    return False, uses
