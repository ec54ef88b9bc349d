"""Our parser against lark's, from which its tables come: the same trees, stops at the same places.

The texts are all that stand in the definitions, the sketches and the diagnostics' cases, and those
with pieces taken out, put in or moved.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import lark
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.indenter import DedentError

from ludex.diagnostics import Report
from ludex.resources import grammar_path
from ludex.syntax import dsl, dsl_parser, dsl_tables
from ludex.syntax.document import Scalar, walk
from ludex.syntax.dsl_parser import Stopped, Tree
from ludex.syntax.parser import parse_game
from ludex.syntax.reader import read_documents, read_file

ROOT = Path(__file__).resolve().parents[2]
GRAMMAR = grammar_path("ludex.lark").read_text(encoding="utf-8")
LARK = dsl_tables.build(GRAMMAR)
FOLDERS = ("definitions", "tests/sketches", "tests/overlay/sketches", "tests/diagnostics")
Text = tuple[str, str]
"""A text as the parser gets it, and the rule that it is to match."""


class Recorder:
    """Stands for the parser, and notes what it is asked."""

    def __init__(self) -> None:
        self.asked: dict[Text, None] = {}

    def parse(self, text: str, start: str) -> Tree:
        self.asked[text, start] = None
        return dsl_parser.parser().parse(text, start)


@cache
def corpus() -> tuple[Text, ...]:
    """What definitions say, each by the rule of its place; every other text as steps and expression."""
    recorder = Recorder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dsl, "parser", lambda: recorder)
        for path in sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*.yaml")):
            source = read_file(path, Report())
            for document in () if source is None else read_documents(source, Report()):
                if document.get("game") is not None:
                    parse_game(document, Report())
                    continue
                for node in walk(document):
                    if isinstance(node, Scalar):
                        dsl.parse_steps(node, Report())
                        dsl.parse_expression(node, Report())
    return tuple(recorder.asked)


# ------------------------------------------------------------------------- comparing


def by_ours(text: str, start: str) -> Any:
    def shown(node: Any) -> Any:
        if isinstance(node, Tree):
            return (node.rule, node.start, node.end, [shown(child) for child in node.children])
        return None if node is None else (node.text, node.start, node.end)

    try:
        return shown(dsl_parser.parser().parse(text, start))
    except Stopped as stopped:
        return stopped


def by_lark(text: str, start: str) -> Any:
    def shown(node: Any) -> Any:
        if isinstance(node, lark.Tree):
            meta = node.meta
            return (str(node.data), meta.start_pos, meta.end_pos, [shown(child) for child in node.children])
        return None if node is None else (str(node), node.start_pos, node.end_pos)

    try:
        return shown(LARK.parse(text, start=start))
    except (UnexpectedInput, DedentError) as error:
        return error
    except AssertionError:  # a `)` too many: lark's indenter counts before the parser looks
        return AssertionError()


def check_alike(text: str, start: str) -> None:
    ours, larks = by_ours(text, start), by_lark(text, start)
    if not isinstance(ours, Stopped) or isinstance(larks, tuple):
        assert ours == larks
        return
    if text[ours.start : ours.start + 2] in ("..", "+=", "-="):
        return  # lark takes half of a sign that does not fit, and stops at the other half
    if isinstance(larks, DedentError):
        assert ours.found == dsl_parser.UNEVEN
    elif isinstance(larks, UnexpectedToken):
        token = larks.token
        if token.type == "$END":
            assert (ours.found, ours.start) == ("$END", len(text))
        elif token.type in ("_INDENT", "_DEDENT"):
            assert ours.found == token.type
            # lark's place includes the ends of lines that it has left out within parentheses
            assert ours.start <= token.end_pos and not text[ours.start : token.end_pos].strip("\n ")
        else:
            assert ours.start == token.start_pos
        assert ours.expected == larks.accepts
    elif isinstance(larks, UnexpectedInput):
        assert (ours.found, ours.start) == ("", larks.pos_in_stream)


def test_the_corpus_is_what_definitions_say() -> None:
    starts = {start for _, start in corpus()}
    assert starts == set(dsl_tables.STARTS) - {"start_offer"}
    sound = sum(isinstance(by_ours(*text), tuple) for text in corpus())
    assert sound > 1000 and len(corpus()) - sound > 300


def test_all_texts_of_the_repository_give_what_lark_gives() -> None:
    for text, start in corpus():
        check_alike(text, start)


SCRAPS = [
    *("(", ")", "=", ":", ".", ",", "+", "-", "<", ">", "==", "..", "+=", "--", '"a"', '"', "3", "3a", "é"),
    *("if", "then", "elif", "else", "for", "each", "where", "in", "not", "or", "and", "of", "at", "from"),
    *("set", "optional", "random", "all", "several", "amounts", "turn", "none", "let", "act", "choose"),
]
BREAKS = ["\n", "\n  ", "\n    ", "\n      ", " ", ""]


@st.composite
def mutated(draw: st.DrawFn) -> Text:
    text, start = draw(st.sampled_from(corpus()))
    for _ in range(draw(st.integers(1, 4))):
        a, b = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        scrap = draw(st.sampled_from(SCRAPS) | st.sampled_from(BREAKS) | st.just(text[a:b]))
        kind = draw(st.sampled_from(["put", "cut", "blank", "swap"]))
        if kind == "put":
            text = text[:a] + draw(st.sampled_from(["", " "])) + scrap + text[a:]
        elif kind == "cut":
            text = text[:a] + text[min(b, a + 12) :]
        elif kind == "blank":
            text = text[:a] + scrap + text[min(b, a + 3) :]
        else:
            text = text[:a] + text[b:] + text[a:b]
    if start == "start_steps" and not text.endswith("\n"):
        text += "\n"
    return text, start


@given(mutated())
@example(("for each c in deck:\n  move c to hand( top(deck)\n\n", "start_steps"))
@settings(deadline=None, max_examples=500)
def test_mutated_texts_give_what_lark_gives(case: Text) -> None:
    check_alike(*case)


# ------------------------------------------------------------------ grammar and tables


def test_every_rule_of_the_grammar_has_one_builder() -> None:
    tables = dsl_tables.make(GRAMMAR)
    names = {name for _, _, name, _ in tables["rules"]}
    assert names - {None, dsl_parser.REPEATED} == set(dsl.BUILDERS)


def test_the_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    # lark refuses reduce/reduce conflicts by itself and logs the others, resolved, when debugging.
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        dsl_tables.build(GRAMMAR, debug=True)
    assert not [r for r in caplog.messages if "conflict" in r.lower()]


def test_saved_tables_are_fresh() -> None:
    saved = dsl_parser.TABLES.read_text(encoding="utf-8")
    assert saved == dsl_tables.text_of(dsl_tables.make(GRAMMAR)), "run: python -m ludex.syntax.dsl_tables"


@pytest.mark.parametrize("seed", ["1", "2"])
def test_tables_do_not_depend_on_the_process(seed: str) -> None:
    code = (
        "from ludex.syntax import dsl_tables as t; from ludex.resources import grammar_path as g;"
        "print(end=t.text_of(t.make(g('ludex.lark').read_text(encoding='utf-8'))))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    made = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert made.stdout.decode() == dsl_parser.TABLES.read_text(encoding="utf-8")


def test_tables_of_another_grammar_are_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = {**json.loads(dsl_parser.TABLES.read_text(encoding="utf-8")), "grammar": "", "rules": []}
    stale = tmp_path / "tables.json"
    stale.write_text(json.dumps(tables), encoding="utf-8")
    monkeypatch.setattr(dsl_parser, "TABLES", stale)
    parsed = dsl_parser.parser.__wrapped__().parse("a + b", "start_expression")
    assert [child.rule for child in parsed.children if isinstance(child, Tree)] == ["binary"]


def test_lark_is_not_imported_for_a_definition_sound_or_wrong() -> None:
    code = (
        "import sys; from ludex import pipeline; from ludex.diagnostics import Report;"
        "from ludex.syntax import dsl;"
        "assert not pipeline.check('emerald').errors;"
        "assert dsl.parse_steps(dsl.scalar_of('mvoe k to x'), Report()) is None;"
        "print('lark' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert run.stdout.strip() == "False"


LONG = {
    "steps": "x = 1\n" * 10_000,
    "sum": "x = " + "a + " * 15_000 + "a\n",
    "arguments": "x = f(" + "a, " * 20_000 + "a)\n",
    "offers": "act a" + " or a" * 12_000 + "\n",
    "elif": "if a:\n  tie\n" + "elif b:\n  tie\n" * 4_000,
}


@pytest.mark.parametrize("name", LONG)
def test_a_text_four_times_as_long_takes_about_four_times_as_long(name: str) -> None:
    long = LONG[name]
    parser = dsl_parser.parser()
    lines = long.splitlines(keepends=True)
    short = "".join(lines[: len(lines) // 4]) if len(lines) > 1 else long[: len(long) // 4]

    def seconds(text: str) -> float:
        """The least of three; a text of one line that was cut stops the parser at its end."""
        taken = []
        for _ in range(3):
            started = time.process_time()
            with contextlib.suppress(Stopped):
                parser.parse(text, "start_steps")
            taken.append(time.process_time() - started)
        return min(taken)

    assert isinstance(parser.parse(long, "start_steps"), Tree)
    assert seconds(long) < 10 * seconds(short)  # sixteen times if it were quadratic
