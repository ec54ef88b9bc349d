"""What must be known before anything is checked: which piles are shuffled or ordered, which
fields are assigned. Found by walking the tree as written."""

from __future__ import annotations

from collections.abc import Iterator

from ludex.check.context import Context
from ludex.node import parts
from ludex.syntax import ast


def walk(node: object) -> Iterator[object]:
    """All nodes of a tree, itself first."""
    stack = [node]
    while stack:
        n = stack.pop()
        if isinstance(n, tuple):
            stack.extend(reversed(n))
            continue
        names = parts(n)
        if names:
            yield n
            stack.extend([getattr(n, name) for name in reversed(names) if name != "span"])


def head(node: ast.Expr) -> str | None:
    """The name a pile expression begins with: `deck`, `stack` of `stack(m)`, `hand of p`."""
    match node:
        case ast.Name(id, _):
            return id
        case ast.Call(ast.Name(id, _), _, _):
            return id
        case ast.Of(ast.Name(id, _), _, _):
            return id
        case ast.Attr(_, name, _):
            return name.text
    return None


def survey(cx: Context) -> None:
    piles = {p.name.text for p in cx.game.piles}
    fields_of = {c.name.text: {_field(p) for p in c.per} for c in cx.game.components}
    cx.nodes = tuple(walk(cx.game))
    for n in cx.nodes:
        match n:
            case ast.Shuffle(pile, _):
                cx.shuffled.update(piles & {head(pile)})
            case ast.TurnOver(pile, _):
                cx.ordered.update(piles & {head(pile)})
            case ast.Deal(_, source, _, _):
                cx.ordered.update(piles & {head(source)})
            case ast.Move(_, _, _, target, True, _):
                cx.ordered.update(piles & {head(target)})
            case ast.Call(ast.Name("top", _), args, _) if args:
                cx.ordered.update(piles & {head(args[0])} or piles)
            case ast.Assign(ast.Attr(_, attr, _), _, _, _):
                for kind, names in fields_of.items():
                    if attr.text in names:
                        cx.assigned.add((kind, attr.text))
    cx.ordered |= cx.shuffled


def _field(per: ast.PerField) -> str:
    if per.name is not None:
        return per.name.text
    return per.domain.id if isinstance(per.domain, ast.Name) else "?"
