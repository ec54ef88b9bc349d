"""A parsed definition with its rules' names, labels and captions in another language.

Only what is shown is put in: identifiers stay, so that actions are typed, saved and replayed
as ever. What is filled into labels and texts that are said is marked (see `wording`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ludex.node import parts
from ludex.syntax import ast
from ludex.translation.wording import Wording

_RULES = (ast.Step, ast.Condition, ast.EndCondition, ast.RankingKey)
_PIECES = re.compile(r"(\{\{|\}\}|\{[^{}]*\})")


def translated(tree: ast.Game, wording: Wording) -> ast.Game:
    """The same definition, to be shown in this language."""
    made = _node(tree, wording)
    assert isinstance(made, ast.Game)
    return made


def _node(node: Any, wording: Wording) -> Any:
    """A node with what is in it; the node itself where nothing is different."""
    if isinstance(node, tuple):
        items = tuple(_node(item, wording) for item in node)
        return items if any(a is not b for a, b in zip(items, node, strict=True)) else node
    names = parts(node)
    if not names or isinstance(node, ast.Ident):
        return node
    changed = {}
    for name in names:
        value = getattr(node, name)
        made = _node(value, wording)
        if made is not value:
            changed[name] = made
    match node:
        case ast.Step() | ast.Condition() | ast.EndCondition() | ast.RankingKey():
            changed["name"] = _ident(node.name, wording.word(wording.rule(node.name.text)))
            changed["provenance"] = _provenance(node.provenance, wording)
        case ast.Panel():
            changed["name"] = _ident(node.name, wording.text(node.name.text))
            rows = changed.get("rows", node.rows)
            changed["rows"] = tuple((_ident(n, wording.text(n.text)), t) for n, t in rows)
        case ast.Map():
            changed["name"] = _ident(node.name, wording.text(node.name.text))
        case ast.Action() if node.label is not None:
            changed["label"] = wording.template(node.label)
        case ast.Say():
            changed["text"] = wording.template(node.text)
        case ast.Template():
            changed["parts"] = _template(node, wording)
        case _:
            pass
    return replace(node, **changed) if changed else node


def _ident(ident: ast.Ident, text: str) -> ast.Ident:
    return ident if ident.text == text else ast.Ident(text, ident.span)


def _provenance(provenance: ast.Provenance, wording: Wording) -> ast.Provenance:
    if provenance.note is None:
        return provenance
    return ast.Provenance(provenance.cite, wording.text(provenance.note))


def _template(template: ast.Template, wording: Wording) -> tuple[str | ast.Expr, ...]:
    """The translation's words around the expressions of the template itself."""
    exprs = {"".join(p.span.text.split()): p for p in template.parts if not isinstance(p, str)}
    text = "".join(
        p.replace("{", "{{").replace("}", "}}") if isinstance(p, str) else f"{{{p.span.text}}}"
        for p in template.parts
    )
    shown = wording.text(text)
    if shown == text:
        return template.parts
    made: list[str | ast.Expr] = []
    for piece in filter(None, _PIECES.split(shown)):
        hole = piece[0] == "{" and piece != "{{"
        if not hole:
            made.append(piece[0] if piece in ("{{", "}}") else piece)
            continue
        expr = exprs.get("".join(piece[1:-1].split()))
        if expr is None:
            return template.parts
        made.append(expr)
    return tuple(made)
