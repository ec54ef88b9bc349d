"""What a tree shows as it is written: which piles are shuffled or ordered, which fields are
assigned, what is mentioned and offered. It must be known before anything is checked, and is the
same for every number of players."""

from __future__ import annotations

from collections.abc import Iterator

from ludex.node import CONTENTS, node, replace
from ludex.source import Span
from ludex.syntax import ast


@node
class Survey:
    """What is found in a definition's tree, names by their text."""

    nodes: tuple[object, ...]
    """All of them."""
    shuffled: frozenset[str]
    """Piles."""
    ordered: frozenset[str]
    """Piles."""
    assigned: frozenset[tuple[str, str]]
    """Components and their fields."""
    mentioned: frozenset[str]
    """Names that are used for something, bound ones too."""
    offered: frozenset[str]
    """Actions, also in procedures that the options leave unused."""
    cites: tuple[ast.Cite, ...]
    """Those that are to be checked."""
    templates: dict[Span, ast.Template]
    """Texts with holes that have been parsed, by where they stand."""

    def without_cites(self) -> Survey:
        """For those who have checked them: they are the same for every number of players."""
        return replace(self, cites=())


def walk(tree: object) -> Iterator[object]:
    """All nodes of a tree, itself first."""
    stack = [tree]
    while stack:
        n = stack.pop()
        kind = type(n)
        if kind is tuple:
            stack.extend(n[::-1])  # type: ignore[index]
        elif kind in CONTENTS:
            yield n
            stack.extend(CONTENTS[kind](n)[::-1])


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


def survey(game: ast.Game) -> Survey:
    piles = {p.name.text for p in game.piles}
    fields_of = {c.name.text: {_field(p) for p in c.per} for c in game.components}
    nodes = tuple(walk(game))
    shuffled: set[str | None] = set()
    ordered: set[str | None] = set()
    assigned: set[tuple[str, str]] = set()
    mentioned: set[str] = set()
    offered: set[str] = set()
    for n in nodes:
        if type(n) not in _TELLING:
            continue
        match n:
            case ast.Name(id, _):
                mentioned.add(id)
            case ast.Attr(_, attr, _):
                mentioned.add(attr.text)
            case ast.TypeRef(_, _, tuple(names), _):
                mentioned.update(name.text for name in names)
            case ast.Run(procedure, _, _) | ast.Try(procedure, _, _, _):
                mentioned.add(procedure.text)
            case ast.PileDecl():
                mentioned.update(kind.text for kind in n.holds)
            case ast.Record(_, of, _, _):
                mentioned.update(name.text for name in of)
            case ast.Diagram():
                mentioned.add(n.space.text)
            case ast.Act(offers):
                offered.update(o.name.text for o in offers)
            case ast.Shuffle(pile, _):
                shuffled.add(head(pile))
            case ast.TurnOver(pile, _):
                ordered.add(head(pile))
            case ast.Deal(_, source, _, _):
                ordered.add(head(source))
            case ast.Move(_, _, _, target, True, _):
                ordered.add(head(target))
            case ast.Call(ast.Name("top", _), args, _) if args:
                ordered.update(piles & {head(args[0])} or piles)
            case ast.Assign(ast.Attr(_, attr, _), _, _, _):
                for kind, fields in fields_of.items():
                    if attr.text in fields:
                        assigned.add((kind, attr.text))
    mixed = frozenset(piles & shuffled)
    return Survey(
        nodes,
        mixed,
        mixed | (piles & ordered),
        frozenset(assigned),
        frozenset(mentioned),
        frozenset(offered),
        tuple(n for n in nodes if isinstance(n, ast.Cite)),
        {},
    )


_TELLING = frozenset(
    (
        ast.Name, ast.Attr, ast.TypeRef, ast.Run, ast.Try, ast.PileDecl, ast.Record, ast.Diagram,
        ast.Act, ast.Shuffle, ast.TurnOver, ast.Deal, ast.Move, ast.Call, ast.Assign,
    )
)  # fmt: skip
"""What a survey looks at."""


def _field(per: ast.PerField) -> str:
    if per.name is not None:
        return per.name.text
    return per.domain.id if isinstance(per.domain, ast.Name) else "?"


def declared_names(game: ast.Game) -> frozenset[str]:
    """Every name that a definition declares for the whole game, but for those of things made by a pattern."""
    g = game
    declared: list[ast.Ident] = [d.name for d in g.types] + [d.name for d in g.options]
    declared += [d.name for d in g.constants] + [d.name for d in g.spaces] + [d.name for d in g.tracks]
    declared += [d.name for d in g.components]
    declared += [d.name for d in g.dice] + [d.name for d in g.piles] + [d.name for d in g.state]
    declared += [d.name for d in g.defines] + [d.name for d in g.actions] + [d.name for d in g.procedures]
    declared += [d.name for d in g.records] + [d.name for d in g.diagrams]
    lists = [d.type.base for d in game.options] + [d.body for d in game.types]
    for members in lists:
        if isinstance(members, ast.EnumType):
            declared += members.members
    return frozenset(d.text for d in declared)
