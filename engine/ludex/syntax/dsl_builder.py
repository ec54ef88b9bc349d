"""The walk over the parser's trees, and what the builders of the AST have in common.

Trees are walked with a stack of our own, so that no text can exhaust Python's, and refused
beyond a depth that later, recursive stages rely on. Values on the way are as untyped as
the children of trees; what leaves `Builder.build` is `ast`.

May import: `source`, `diagnostics`, `limits`, `document`, `ast`, `codes_dsl`, `dsl_parser`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from ludex.diagnostics import Code, Report, normalise
from ludex.limits import MAX_EXPRESSION_DEPTH
from ludex.node import node
from ludex.source import Span
from ludex.syntax import ast, codes_dsl
from ludex.syntax.document import Scalar
from ludex.syntax.dsl_parser import Child, Token, Tree

Kids: TypeAlias = list[Any]

RESERVED: Final = frozenset(["if", "not", "try", "true", "false", "none"])
"""The words with which an expression may begin; they are never names."""


@node
class Signature:
    """`NAME` or `NAME(KIND NAME, …)`: the key of a define or a procedure."""

    name: ast.Ident
    params: tuple[ast.Param, ...]


@node
class Domain:
    """A set to choose from. `binder` is set for `c in S [where C]`, which names the element."""

    optional: bool
    binder: ast.Ident | None
    expr: ast.Expr
    where: ast.Expr | None


@node
class Ranking:
    """`most E` or `least E`."""

    most: bool
    expr: ast.Expr


class Builder:
    """Builds the AST of one text; `failed` once something in it was reported."""

    def __init__(self, scalar: Scalar, report: Report, builders: Mapping[str, BuilderFunction]) -> None:
        self.scalar = scalar
        self.builders = builders
        self.report = report
        self.failed = False

    def span(self, start: int, end: int) -> Span:
        """Characters `start` to `end` of the text, as a span of the file."""
        return file_span(self.scalar, start, end)

    def tree_span(self, tree: Tree) -> Span:
        return self.span(tree.start, tree.end)

    def ident(self, token: Token) -> ast.Ident:
        return ast.Ident(normalise(token.text), self.span(token.start, token.end))

    def error(self, code: Code, message: str, span: Span, help: str | None = None) -> None:
        self.failed = True
        self.report.add(code, message, span, help=help)

    def build(self, root: Tree) -> Any:
        """The AST of a whole tree, or None if something in it was reported."""
        # A frame is a tree, an iterator over its children, and those built so far; beside it the
        # greatest depth among these.
        frames: list[tuple[Tree, Iterator[Child], Kids]] = [(root, iter(root.children), [])]
        depths = [0]
        while True:
            tree, children, kids = frames[-1]
            for child in children:
                if isinstance(child, Tree):
                    frames.append((child, iter(child.children), []))
                    depths.append(0)
                    break
                kids.append(child)
            else:
                value = self.builders[tree.rule](self, kids, tree)
                depth = depths.pop() + self._level(tree)
                if depth > MAX_EXPRESSION_DEPTH:
                    self.error(
                        codes_dsl.DSL_TOO_DEEP,
                        f"this is nested more than {MAX_EXPRESSION_DEPTH} levels deep",
                        self.tree_span(tree),
                        "give a part of it a name under `define` or `procedures`",
                    )
                    return None
                frames.pop()
                if not frames:
                    return None if self.failed else value
                frames[-1][2].append(value)
                if depth > depths[-1]:
                    depths[-1] = depth

    def _level(self, tree: Tree) -> int:
        """How much deeper a tree is than the deepest of its children."""
        level = 0 if tree.rule in FLAT else 1
        if tree.rule in LADDERS:
            level += sum(isinstance(c, Tree) and c.rule in STEPS for c in tree.children)
        return level


def file_span(scalar: Scalar, start: int, end: int) -> Span:
    """Characters `start` to `end` of a scalar's text, as a span of its file."""
    offsets = scalar.offsets
    first = offsets[min(start, len(offsets) - 1)]
    if end <= start:
        return Span(scalar.span.source, first, first)
    return Span(scalar.span.source, first, max(first, offsets[min(end, len(offsets) - 1) - 1] + 1))


def plain_node(cls: Callable[..., Any]) -> BuilderFunction:
    """A node whose fields are the rule's children in order."""

    def make(b: Builder, k: Kids, t: Tree) -> Any:
        return cls(*(b.ident(x) if isinstance(x, Token) else x for x in k), b.tree_span(t))

    return make


def first(b: Builder, k: Kids, t: Tree) -> Any:
    """The builder of a rule that only wraps another."""
    return k[0]


BuilderFunction: TypeAlias = Callable[[Builder, Kids, Tree], Any]
"""Makes the value of a rule from its built children, which it may consume, and its tree."""

FLAT: Final = frozenset(
    (
        "args", "arguments", "for_", "binder", "where", "by", "else_", "paren", "target", "all_of",
        "block", "else_block", "elif_block", "elif_expr", "default", "size", "weighing", "params",
        "start_expression", "start_steps", "start_domain", "start_optional_domain", "start_type",
        "start_signature", "start_offer", "start_ranking",
    )
)
"""Rules that add no level to the AST."""

LADDERS: Final = frozenset({"if_block", "cond"})
STEPS: Final = frozenset({"elif_block", "elif_expr"})
"""`elif` is written flat and nests in the AST."""
