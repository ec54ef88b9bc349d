"""DSL texts, and the trees they give (in printed form)."""

from __future__ import annotations

import dataclasses
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludex.diagnostics import Report
from ludex.source import SourceFile, Span
from ludex.syntax import ast, dsl
from ludex.syntax.document import Scalar
from ludex.syntax.printer import print_block, print_expr, print_signature, print_type
from ludex.syntax.reader import read_document


def bare(node: Any) -> Any:
    """A tree as nested tuples, without spans."""
    if isinstance(node, tuple):
        return tuple(bare(item) for item in node)
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        fields = (f.name for f in dataclasses.fields(node) if f.name != "span")
        return (type(node).__name__, *((name, bare(getattr(node, name))) for name in fields))
    return node


def expression(text: str) -> ast.Expr:
    report = Report()
    expr = dsl.parse_expression(dsl.scalar_of(text), report)
    assert not report.found, report.found
    assert expr is not None
    return expr


def steps(text: str) -> ast.Block:
    report = Report()
    block = dsl.parse_steps(dsl.scalar_of(text), report)
    assert not report.found, report.found
    assert block is not None
    return block


# -------------------------------------------------------------------------- expressions

SHAPES = {
    "a + b * c": "(+ a (* b c))",
    "(a + b) * c": "(* (+ a b) c)",
    "a - b - c": "(- (- a b) c)",
    "-a div b mod 2": "(mod (div (neg a) b) 2)",
    "not a == b": "(not (== a b))",
    "not a in b": "(not (in a b))",
    "a not in 1..6": "(not-in a (.. 1 6))",
    "a is not none": "(is-not none a)",
    "s is empty": "(is empty s)",
    "a and b and c": "(and a b c)",
    "a and (b or c)": "(and a (or b c))",
    "knight of me at s": "(at (of knight me) s)",
    "man at from": "(at man from)",
    "order from starter": "(from order starter)",
    "m within hand(me)": "(within m (hand me))",
    "if a then b elif c then d else e": "(if a b (if c d e))",
    "try carry(from, to) then not in_check(me)": "(try carry from to (not (in_check me)))",
    "try put then x": "(try put x)",
    "count(x in S where C)": "(count (in x S) where C)",
    "sum(E for x in S, y in T where C by K else D)": "(sum E for x S y T where C by K else D)",
    "region(q from side(p, 1) where C)": "(region q from (side p 1) where C)",
    "next(p from q where C)": "(next p from q where C)",
    "next(opener, counterclockwise)": "(next opener counterclockwise)",
    "first(p in order from q where C)": "(first (in p (from order q)) where C)",
    "windows(3..13, c in card where C by c.value)": "(windows (.. 3 13) (in c card) where C by (. c value))",
    "set()": "(set)",
    "the(tile at s).value": "(. (the (at tile s)) value)",
    "player(1 + (k.n - 1) mod 2)": "(player (+ 1 (mod (- (. k n) 1) 2)))",
    "x in if_any": "(in x if_any)",
    "order + model + android": "(+ (+ order model) android)",
    "from + to + by + at + of_face + turn + move + over + total + each": (
        "(+ (+ (+ (+ (+ (+ (+ (+ (+ from to) by) at) of_face) turn) move) over) total) each)"
    ),
    "ﬁve": "five",  # NFKC
    "été == Ritter": "(== été Ritter)",
    "a # a comment": "a",
    "a\n  and b": "(and a b)",
}


def shape(e: ast.Expr) -> str:
    """A compact prefix form that shows how an expression was grouped."""
    match e:
        case ast.Name():
            return e.id
        case ast.Int():
            return str(e.value)
        case ast.Bool():
            return str(e.value).lower()
        case ast.NoneLiteral():
            return "none"
        case ast.Cond():
            return f"(if {shape(e.test)} {shape(e.then)} {shape(e.orelse)})"
        case ast.Try():
            return "(" + " ".join(["try", e.procedure.text, *map(shape, e.args), shape(e.body)]) + ")"
        case ast.Logic():
            return f"({e.op} {' '.join(map(shape, e.operands))})"
        case ast.Not():
            return f"(not {shape(e.operand)})"
        case ast.Compare() | ast.Binary():
            return f"({e.op} {shape(e.left)} {shape(e.right)})"
        case ast.Member():
            return f"({'not-in' if e.negated else 'in'} {shape(e.left)} {shape(e.right)})"
        case ast.Within():
            return f"(within {shape(e.left)} {shape(e.right)})"
        case ast.Is():
            return f"({'is-not' if e.negated else 'is'} {e.what} {shape(e.operand)})"
        case ast.Range():
            return f"(.. {shape(e.lo)} {shape(e.hi)})"
        case ast.SeatsFrom():
            return f"(from {shape(e.direction)} {shape(e.start)})"
        case ast.Neg():
            return f"(neg {shape(e.operand)})"
        case ast.At():
            return f"(at {shape(e.thing)} {shape(e.place)})"
        case ast.Of():
            return f"(of {shape(e.left)} {shape(e.right)})"
        case ast.Attr():
            return f"(. {shape(e.base)} {e.name.text})"
        case ast.Call():
            parts = [shape(e.func), *map(shape, e.args)]
            if e.from_ is not None:
                parts += ["from", shape(e.from_)]
            if e.binders:
                parts.append("for")
                for binder in e.binders:
                    parts += [binder.var.text, shape(binder.domain)]
            for word, part in (("where", e.where), ("by", e.by), ("else", e.orelse)):
                if part is not None:
                    parts += [word, shape(part)]
            return f"({' '.join(parts)})"


@pytest.mark.parametrize("text", SHAPES)
def test_an_expression_is_grouped_as_documented(text: str) -> None:
    assert shape(expression(text)) == SHAPES[text]


@pytest.mark.parametrize("text", SHAPES)
def test_a_printed_expression_parses_to_the_same_tree(text: str) -> None:
    first = expression(text)
    printed = print_expr(first)
    again = expression(printed)
    assert bare(again) == bare(first)
    assert print_expr(again) == printed


# --------------------------------------------------------------------------- statements

STEPS = [
    "let m = k.place",
    "let a = roll(die)",
    "starter = random p in players where p != me",
    "pips(a) += 1",
    "m.kind -= 1",
    "move k to nest",
    "move from from from to to",
    "move 1 stone from supply to i",
    "move n knight of me from s to t",
    "move 1 stone at s to t",
    "move c under program(me)",
    "place stone(me) on c",
    "remove piece at s",
    "replace piece at s with piece(me, king)",
    "deal 13 from deck to hand(p)",
    "shuffle deck",
    "turn stock over",
    "lay opening",
    "roll d",
    "show hand(me) to players",
    "reveal die",
    "note position",
    "forget position",
    'say "{k} rides" to me',
    'say "a # b"',
    "end turn",
    "end round",
    "end phase",
    "end game",
    "again",
    "stop",
    "win me",
    "lose opponent(me)",
    "tie",
    "run auction",
    "run carry(from, to)",
    "act place or move(k) or take or pass or stop default pass longest",
    "act walk\nelse:\n  run fall",
    "if a:\n  act walk\n  else:\n    tie\nelif b:\n  stop\nelse:\n  again",
    "choose c in hand(me) where c.n > 1 default top(deck):\n  move c to laid(me)\nelse:\n  tie",
    "choose c in hand(me)",
    "choose 3 c in hand(me):\n  move c to passing(me)",
    "choose several c in hand(me) where a size 1..2 total c.value in 1..36:\n  tie",
    "choose amounts n for s in near where a each 0..spare(s) total 1..5:\n  move n knight of me from s to t",
    "for each p in order from starter where bidding(p):\n  ask p:\n    act raise",
    "secretly ask players:\n  repeat 5:\n    run x",
    "repeat:\n  act meld or stop",
    "while any(bidding(p) for p in players):\n  stop",
    # words that begin statements are names where they are assigned to
    "turn = 3\nmove(me) = 4\nplace.kind += 1\nlet = 1\nend(a, b(c)) = 2",
]


@pytest.mark.parametrize("text", STEPS)
def test_printed_steps_are_the_text_and_parse_to_the_same_tree(text: str) -> None:
    block = steps(text)
    assert print_block(block) == text
    assert bare(steps(print_block(block))) == bare(block)


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("if a then tie", "if a:\n  tie"),
        ("if a then x = 1 else y = 2", "if a:\n  x = 1\nelse:\n  y = 2"),
        ("if a then if b then tie else stop", "if a:\n  if b:\n    tie\n  else:\n    stop"),
        ("if a then act take", "if a:\n  act take"),
        ("x = if a then b else c", "x = if a then b else c"),
        (
            "if a then x = if b then 1 else 2 else tie",
            "if a:\n  x = if b then 1 else 2\nelse:\n  tie",
        ),
        ("for each x in S where C do x.n = 1", "for each x in S where C:\n  x.n = 1"),
        (
            "for each x in S do if a then tie else stop",
            "for each x in S:\n  if a:\n    tie\n  else:\n    stop",
        ),
        ("move all taken(p) to deck", "move taken(p) to deck"),
        ("move all discards - kept to stock", "move discards - kept to stock"),
        ("run f()", "run f"),
        ("x = (a +\n    b)\ntie", "x = a + b\ntie"),
        ("# before\n\ntie   # here\n   # odd indentation of a comment\nstop\n", "tie\nstop"),
    ],
)
def test_short_forms_mean_the_same_as_blocks(short: str, long: str) -> None:
    assert print_block(steps(short)) == long


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("optional kind", "optional kind"),
        ("set of card", "set of card"),
        ("island or village", "island or village"),
        ("-1..1", "-1..1"),
        ("optional 1..size", "optional 1..size"),
    ],
)
def test_types(text: str, expected: str) -> None:
    report = Report()
    type_ref = dsl.parse_type(dsl.scalar_of(text), report)
    assert type_ref is not None and not report.found
    assert print_type(type_ref) == expected


@pytest.mark.parametrize("text", ["order", "owner(knight k)", "carry(square from, optional square to)"])
def test_signatures(text: str) -> None:
    signature = dsl.parse_signature(dsl.scalar_of(text), Report())
    assert signature is not None
    assert print_signature(signature.name, signature.params) == text


def test_a_domain_may_bind_or_be_optional() -> None:
    bound = dsl.parse_domain(dsl.scalar_of("c in color where c != d"), Report())
    assert bound is not None and bound.binder is not None and bound.where is not None
    assert (bound.binder.text, print_expr(bound.expr), print_expr(bound.where)) == ("c", "color", "c != d")
    optional = dsl.parse_domain(dsl.scalar_of("optional kind"), Report())
    assert optional is not None and optional.optional and print_expr(optional.expr) == "kind"


def test_a_template_holds_expressions_and_doubled_braces() -> None:
    template = dsl.parse_template(dsl.scalar_of("{{{color}_{knight at s}}}"), Report())
    assert template is not None
    shown = [part if isinstance(part, str) else f"<{print_expr(part)}>" for part in template.parts]
    assert shown == ["{", "<color>", "_", "<knight at s>", "}"]


# -------------------------------------------------------------------------------- spans


def spans(node: Any) -> list[Span]:
    if isinstance(node, tuple):
        return [span for item in node for span in spans(item)]
    if not dataclasses.is_dataclass(node) or isinstance(node, type | SourceFile):
        return []
    if isinstance(node, Span):
        return [node]
    return [span for f in dataclasses.fields(node) for span in spans(getattr(node, f.name))]


def test_spans_are_exact_in_the_file_for_block_scalars() -> None:
    text = "a: |\n  if x == first:\n    move k to lair\n  tie\nb: 'x + (y)'\n"
    document = read_document(SourceFile("f", text), Report())
    assert document is not None
    steps_node, expr_node = document.get("a"), document.get("b")
    assert isinstance(steps_node, Scalar) and isinstance(expr_node, Scalar)
    block = dsl.parse_steps(steps_node, Report())
    assert block is not None
    first = block[0]
    assert isinstance(first, ast.If)
    assert first.span.text == "if x == first:\n    move k to lair"
    assert first.test.span.text == "x == first"
    assert (first.then[0].span.text, first.then[0].span.line, first.then[0].span.column) == (
        "move k to lair",
        3,
        5,
    )
    assert block[1].span.text == "tie"
    expr = dsl.parse_expression(expr_node, Report())
    assert isinstance(expr, ast.Binary)
    assert (expr.span.text, expr.right.span.text) == ("x + (y)", "y")


@pytest.mark.parametrize("text", STEPS)
def test_spans_lie_within_the_text(text: str) -> None:
    for span in spans(steps(text)):
        assert 0 <= span.start < span.end <= len(text), span.text
        assert span.text == span.text.strip()


def test_threads_share_the_parser() -> None:
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda text: print_block(steps(text)), STEPS * 20))
    assert results == STEPS * 20


# --------------------------------------------------------------------------- properties

names = st.sampled_from(["a", "knight", "from", "turn", "roll", "é", "x1", "all", "place"])
ast_names = names.map(lambda n: ast.Name(n, Span(SourceFile("", ""), 0, 0)))
NOWHERE = Span(SourceFile("", ""), 0, 0)


def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.none() | inner
    binder = st.builds(ast.Binder, names.map(lambda n: ast.Ident(n, NOWHERE)), inner, st.just(NOWHERE))
    ident = names.map(lambda n: ast.Ident(n, NOWHERE))
    where = st.just(NOWHERE)
    return st.one_of(
        st.builds(ast.Binary, st.sampled_from(["+", "-", "*", "div", "mod"]), inner, inner, where),
        st.builds(ast.Compare, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), inner, inner, where),
        st.builds(ast.Member, inner, inner, st.booleans(), where),
        st.builds(ast.Within, inner, inner, where),
        st.builds(ast.Is, inner, st.sampled_from(["none", "empty"]), st.booleans(), where),
        st.builds(ast.Logic, st.sampled_from(["and", "or"]), st.tuples(inner, inner), where),
        st.builds(ast.Not, inner, where),
        st.builds(ast.Neg, inner, where),
        st.builds(ast.At, inner, inner, where),
        st.builds(ast.Of, inner, inner, where),
        st.builds(ast.Range, inner, inner, where),
        st.builds(ast.SeatsFrom, inner, inner, where),
        st.builds(ast.Attr, inner, ident, where),
        st.builds(ast.Cond, inner, inner, inner, where),
        st.builds(ast.Try, ident, st.tuples(inner), inner, where),
        st.builds(
            ast.Call,
            inner,
            st.tuples(inner) | st.tuples(inner, inner),
            where,
            st.just(()) | st.tuples(binder),
            st.none(),
            some,
            some,
            some,
        ),
    )


expressions = st.recursive(
    ast_names
    | st.integers(0, 2**31 - 1).map(lambda n: ast.Int(n, NOWHERE))
    | st.just(ast.Bool(True, NOWHERE)),
    grown,
    max_leaves=12,
)


@given(expressions)
@settings(deadline=None)
def test_any_tree_survives_printing_and_parsing(tree: ast.Expr) -> None:
    assert bare(expression(print_expr(tree))) == bare(tree)


SCRAPS = """( ) = : . , + - < > == .. " # { [ | if then else elif where not or and a 3 move let é"""
LINES = ["\n", "\n  ", "\n    ", "\t", " ", "for each x in S", "act a", "choose c in S", "x = 1", "tie"]
words = st.sampled_from([*SCRAPS.split(), *LINES])
PARSERS = [
    dsl.parse_expression,
    dsl.parse_steps,
    dsl.parse_domain,
    dsl.parse_type,
    dsl.parse_signature,
    dsl.parse_offer,
    dsl.parse_ranking,
    dsl.parse_template,
]


@given(st.text() | st.lists(words).map(" ".join) | st.lists(words).map("".join))
@settings(deadline=None, max_examples=300)
def test_no_text_raises(text: str) -> None:
    for parse in PARSERS:
        report = Report()
        result = parse(dsl.scalar_of(text), report)
        assert (result is None) == bool(report.found)
        for diagnostic in report.found:
            assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)


@given(st.lists(words).map(" ".join) | st.lists(words).map("".join))
@settings(deadline=None, max_examples=300)
def test_any_steps_survive_printing_and_parsing(text: str) -> None:
    block = dsl.parse_steps(dsl.scalar_of(text), Report())
    if block is not None:
        assert bare(steps(print_block(block))) == bare(block)


OPENINGS = ["(", "not ", "-(", "if a then ", "f(", "a.", "a + ", "try p then ", "a at "]


@pytest.mark.parametrize("opening", OPENINGS)
def test_no_nesting_exhausts_the_stack(opening: str) -> None:
    text = opening * (60_000 // len(opening))
    report = Report()
    assert dsl.parse_expression(dsl.scalar_of(text + "a"), report) is None
    assert report.found


LONG = ["!", "a[", "else if ", "not ", "a + ", "a(", "x = 1\n", "\ta\n", "(", "a(b)"]


@pytest.mark.parametrize("text", LONG)
def test_long_texts_take_no_long_time(text: str) -> None:
    long = text * (60_000 // len(text))
    started = time.process_time()
    for parse in (dsl.parse_expression, dsl.parse_steps):
        parse(dsl.scalar_of(long), Report())
    assert time.process_time() - started < 20  # seconds; anything quadratic takes minutes
