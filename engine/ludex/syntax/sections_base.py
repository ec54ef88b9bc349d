"""What the sections of a definition have in common: names, texts, rules in short and long form.

`Slots` reads one YAML node as what its place asks for. A node of the wrong shape is reported
and left out; nothing is raised. The shape of a file was checked before against the JSON
Schema, so the messages here are a second net, not the usual way to learn of a mistake.

May import: `source`, `diagnostics`, `document`, `ast`, `codes_dsl`, `dsl`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from ludex.diagnostics import Report, normalise, printable
from ludex.limits import MAX_DIAGNOSTICS
from ludex.node import node
from ludex.source import Span
from ludex.syntax import ast, codes_dsl, dsl
from ludex.syntax.document import Entry, Mapping, Node, Scalar, Sequence, raw_text
from ludex.syntax.dsl_builder import RESERVED

T = TypeVar("T")

_PASSAGE: Final = re.compile(r"[\w.]+(\s*[-–]\s*[\w.]+)?(\s*,\s*[\w.]+(\s*[-–]\s*[\w.]+)?)*\Z")
"""Sentences, or paragraphs as a rulebook numbers them: `3.1-3.9`, `b-c`."""
_SENTENCES: Final = re.compile(r"\d+(\s*[-–]\s*\d+)?(\s*,\s*\d+(\s*[-–]\s*\d+)?)*\Z")
RULE_KEYS: Final = frozenset(("is", "do", "cite", "note", "after", "before"))
"""The keys of a rule in long form; `after` and `before` are an overlay's, gone once it is applied."""


@node
class Slots:
    """Reads nodes; everything wrong goes to `report`."""

    report: Report

    def wrong(self, node: Node | Span, message: str, help: str | None = None) -> None:
        if len(self.report.found) >= MAX_DIAGNOSTICS:
            return
        span = node if isinstance(node, Span) else node.span
        self.report.add(codes_dsl.GAME_SHAPE, message, span, help=help)

    # ------------------------------------------------------------------------- shapes

    def entries(self, node: Node | None, what: str) -> Iterator[Entry]:
        """The entries of a mapping; none for nothing, a report for anything else."""
        if isinstance(node, Mapping):
            yield from node.entries
        elif node is not None and not is_null(node):
            self.wrong(node, f"{what} is a mapping: one `name: value` a line")

    def named(self, entry: Entry | None) -> Entry | None:
        """The entry of a section that holds rules by name; a report if it is a text."""
        if entry is not None and isinstance(entry.value, Scalar) and not is_null(entry.value):
            self.wrong(entry.value, f"`{entry.name}` is a mapping: one `name: rule` a line")
            return None
        return entry

    def items(self, node: Node | None) -> tuple[Node, ...]:
        """The items of a list; a single value is a list of one."""
        if node is None or is_null(node):
            return ()
        return node.items if isinstance(node, Sequence) else (node,)

    def scalar(self, node: Node, what: str) -> Scalar | None:
        """A node as text; braces and brackets on one line as they were written."""
        text = raw_text(node)
        if text is None:
            self.wrong(node, f"{what} is a text, not a {_shape(node)}", "write it after `|`, or in quotes")
        return text

    def text(self, node: Node | None, what: str) -> str | None:
        """A text that is only shown."""
        if node is None:
            return None
        scalar = self.scalar(node, what)
        return None if scalar is None or is_null(scalar) else scalar.text.strip()

    def ident(self, node: Node, what: str) -> ast.Ident | None:
        """A name of the language."""
        scalar = self.scalar(node, what)
        if scalar is None:
            return None
        name = normalise(scalar.text.strip())
        if not name.isidentifier() or name in RESERVED:
            reserved = name in RESERVED
            why = "it is a word of the language" if reserved else "names have letters, digits and `_` only"
            message = f"`{printable(name)}` cannot be {what}: {why}"
            self.report.add(codes_dsl.GAME_NAME, message, scalar.span, help="choose another name")
            return None
        return ast.Ident(name, scalar.span)

    def idents(self, node: Node | None, what: str) -> tuple[ast.Ident, ...]:
        found = (self.ident(item, what) for item in self.items(node))
        return tuple(name for name in found if name is not None)

    def integer(self, node: Node, what: str) -> int | None:
        scalar = self.scalar(node, what)
        if scalar is None:
            return None
        if not re.fullmatch(r"-?[0-9]{1,9}", scalar.text.strip()):
            self.report.add(codes_dsl.GAME_NUMBER, f"{what} is a whole number", scalar.span)
            return None
        return int(scalar.text)

    # -------------------------------------------------------------------- expressions

    def expr(self, node: Node, what: str = "this") -> ast.Expr | None:
        scalar = self.scalar(node, what)
        return None if scalar is None else dsl.parse_expression(scalar, self.report)

    def optional_expr(self, node: Node | None, what: str = "this") -> ast.Expr | None:
        return None if node is None or is_null(node) else self.expr(node, what)

    def exprs(self, node: Node | None, what: str) -> tuple[ast.Expr, ...]:
        found = (self.expr(item, what) for item in self.items(node))
        return tuple(expr for expr in found if expr is not None)

    def type_ref(self, node: Node) -> ast.TypeRef | None:
        """A type; a list is an enumeration of its own."""
        if isinstance(node, Sequence):
            enum = self.enum(node)
            return ast.TypeRef(False, False, enum, node.span)
        scalar = self.scalar(node, "a type")
        return None if scalar is None else dsl.parse_type(scalar, self.report)

    def enum(self, node: Node) -> ast.EnumType:
        return ast.EnumType(self.idents(node, "a member of an enumeration"), node.span)

    def by(self, node: Mapping, case: Callable[[Node], T | None], skip: frozenset[str]) -> ast.By[T] | None:
        """`{by: SELECTOR, KEY: VALUE, …, otherwise: VALUE}`."""
        selector_node = node.get("by")
        selector = None if selector_node is None else self.expr(selector_node, "what `by` goes by")
        cases: list[tuple[ast.Ident, T]] = []
        otherwise: T | None = None
        for entry in node:
            if entry.name == "by" or entry.name in skip:
                continue
            value = case(entry.value)
            if value is None:
                continue
            if entry.name == "otherwise":
                otherwise = value
            else:
                cases.append((key_ident(entry), value))
        if selector is None:
            return None
        return ast.By(selector, tuple(cases), otherwise, node.span)

    def count(self, node: Node | None) -> ast.CountValue | None:
        """`count:` an expression, or `{by: …}`."""
        if node is None or is_null(node):
            return None
        if isinstance(node, Mapping) and node.get("by") is not None:
            return self.by(node, lambda n: self.expr(n, "a count"), frozenset())
        return self.expr(node, "a count")

    # -------------------------------------------------------------------------- rules

    def provenance(self, node: Node) -> ast.Provenance:
        """`cite` and `note` of a rule in long form."""
        if not isinstance(node, Mapping):
            return ast.Provenance()
        found = (self.cite(item) for item in self.items(node.get("cite")))
        note = self.text(node.get("note"), "a note")
        return ast.Provenance(tuple(cite for cite in found if cite is not None), note)

    def cite(self, node: Node) -> ast.Cite | None:
        """`source / heading / sentences`."""
        scalar = self.scalar(node, "a citation")
        if scalar is None:
            return None
        parts = [part.strip() for part in re.split(r"\s/\s", scalar.text)]
        if not all(parts) or not parts[0].isidentifier():
            message = "this is no citation"
            self.report.add(codes_dsl.GAME_CITE, message, scalar.span, help="`source / heading / sentences`")
            return None
        length = len(scalar.text) - len(scalar.text.lstrip()) + len(parts[0])
        source = ast.Ident(normalise(parts[0]), dsl.slice_scalar(scalar, 0, length).span)
        rest = parts[1:]
        sentences = None
        if len(rest) > 1 or (rest and _SENTENCES.match(rest[0])):
            sentences = rest.pop()
            if not _PASSAGE.match(sentences):
                shown = printable(sentences)
                message = f"a citation ends in the numbers of sentences, and `{shown}` are none"
                help = "`source / heading / 2-3, 5`; several citations are a list in brackets"
                self.report.add(codes_dsl.GAME_CITE, message, scalar.span, help=help)
                return None
        return ast.Cite(source, " / ".join(rest) or None, sentences, scalar.span)

    def condition(self, name: ast.Ident, node: Node, what: str = "a condition") -> ast.Condition | None:
        """`EXPR` or `{is: EXPR, cite: …, note: …}`."""
        value = self._inner(node, "is", what)
        expr = None if value is None else self.expr(value, what)
        if expr is None:
            return None
        return ast.Condition(name, expr, self.provenance(node), name.span.to(node.span))

    def conditions(self, entry: Entry | None, what: str = "a condition") -> ast.Conditions:
        """Named conditions, or a single one that bears the name of its section."""
        if entry is None or is_null(entry.value):
            return ()
        node = entry.value
        if not isinstance(node, Mapping) or _is_long(node, "is"):
            single = self.condition(key_ident(entry), node, what)
            return () if single is None else (single,)
        found = (self.condition(key_ident(e), e.value, what) for e in node)
        return tuple(c for c in found if c is not None)

    def step(self, name: ast.Ident, node: Node) -> ast.Step | None:
        """`STEPS` or `{do: STEPS, cite: …, note: …}`."""
        value = self._inner(node, "do", "a step")
        scalar = None if value is None else self.scalar(value, "a step")
        body = None if scalar is None else dsl.parse_steps(scalar, self.report)
        if body is None:
            return None
        return ast.Step(name, body, self.provenance(node), name.span.to(node.span))

    def steps(self, entry: Entry | None) -> ast.Steps:
        """Named steps, or a single text whose step bears the name of its section."""
        if entry is None or is_null(entry.value):
            return ()
        node = entry.value
        if not isinstance(node, Mapping) or _is_long(node, "do"):
            single = self.step(key_ident(entry), node)
            return () if single is None else (single,)
        found = (self.step(key_ident(e), e.value) for e in node)
        return tuple(s for s in found if s is not None)

    def _inner(self, node: Node, key: str, what: str) -> Node | None:
        """The text of a rule: the node itself, or what its long form has under `key`."""
        if not isinstance(node, Mapping):
            return node
        inner = node.get(key)
        if inner is not None:
            return inner
        if node.flow and not any(entry.name in RULE_KEYS for entry in node):
            return node  # a text that begins with a brace; reading it as such explains the mistake
        self.wrong(node, f"{what} in long form has `{key}`", f"`{{{key}: …, cite: …, note: …}}`")
        return None


def is_null(node: Node) -> bool:
    """Whether nothing was written."""
    return isinstance(node, Scalar) and node.kind == "null" and node.text in ("", "~", "null")


def key_ident(entry: Entry) -> ast.Ident:
    """The name of a rule: any text."""
    return ast.Ident(normalise(entry.key.text.strip()), entry.key.span)


def _is_long(node: Mapping, key: str) -> bool:
    """Whether a mapping is one rule in long form and not rules by name."""
    return node.get(key) is not None and all(entry.name in RULE_KEYS for entry in node)


def _shape(node: Node) -> str:
    return "mapping" if isinstance(node, Mapping) else "list"
