"""The DSL's parser, from saved LALR tables: building them takes ten times as long as loading.

`tables.json` is data, not a pickle: nothing is executed by loading it, and the same grammar
gives the same bytes. It is used only if it was made from this grammar by this version of
lark; otherwise the tables are built in memory, with the same result. `python -m
ludex.syntax.dsl_tables` writes it; a test checks that it is fresh.

May import: `resources`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import lark
from lark.indenter import Indenter

from ludex.resources import grammar_path

STARTS: Final = (
    "start_expression",
    "start_steps",
    "start_domain",
    "start_type",
    "start_signature",
    "start_offer",
    "start_ranking",
)
SHIFT: Final = 0
"""Lark's number for the action that moves to another state; the other one reduces by a rule."""

TABLES: Final = Path(__file__).with_name("tables.json")


class UnevenIndentation(Exception):
    """A line goes back to a column in which no block began; `position` is its first character."""

    def __init__(self, position: int) -> None:
        self.position = position
        super().__init__(position)


class Blocks(Indenter):
    """Inserts the tokens that open and close blocks. Line ends within parentheses do not count."""

    NL_type = "_NL"
    OPEN_PAREN_types = ["LPAR"]  # noqa: RUF012 - lark's interface
    CLOSE_PAREN_types = ["RPAR"]  # noqa: RUF012
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 1

    def process(self, stream: Iterator[lark.Token]) -> Iterator[lark.Token]:
        """A fresh indenter for each text, so that threads may share the parser."""
        fresh = Blocks()
        return fresh._guarded(stream)

    def _guarded(self, stream: Iterator[lark.Token]) -> Iterator[lark.Token]:
        last: lark.Token | None = None

        def remember() -> Iterator[lark.Token]:
            nonlocal last
            for token in stream:
                last = token
                yield token

        try:
            yield from self._process(remember())  # type: ignore[no-untyped-call]
        except lark.indenter.DedentError:
            end = last.end_pos if last is not None and last.end_pos is not None else 0
            raise UnevenIndentation(end) from None


def fingerprint(grammar: str) -> str:
    """What saved tables must have been made from to be of use."""
    return hashlib.sha256(f"{lark.__version__}\n{STARTS}\n{grammar}".encode()).hexdigest()


def build(grammar: str) -> lark.Lark:
    """The parser from the grammar's text."""
    return lark.Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        start=list(STARTS),
        postlex=Blocks(),
        propagate_positions=True,
        maybe_placeholders=True,
    )


def save(grammar: str) -> str:
    """The text of `tables.json` for a grammar."""
    data, memo = build(grammar).memo_serialize([lark.lexer.TerminalDef, lark.grammar.Rule])
    data["parser"]["parser"] = _canonical(data["parser"]["parser"])
    data["options"] = {k: v for k, v in data["options"].items() if k not in ("postlex", "transformer")}
    saved = {"fingerprint": fingerprint(grammar), "data": data, "memo": sorted(memo.items())}
    return json.dumps(saved, ensure_ascii=True, separators=(",", ":"), sort_keys=True) + "\n"


def _canonical(table: dict[str, Any]) -> dict[str, Any]:
    """The table with tokens numbered by name and states in the order in which they are reached.

    Lark numbers both in the order of a set of strings, which differs from process to process.
    Equal rows of the table are stored once.
    """
    names: dict[int, str] = table["tokens"]
    order = {old: new for new, old in enumerate(sorted(names, key=lambda n: names[n]))}
    starts = dict(sorted(table["start_states"].items()))
    number: dict[int, int] = {}
    pending = list(starts.values())
    while pending:
        state = pending.pop(0)
        if state in number:
            continue
        number[state] = len(number)
        actions = table["states"][state]
        for token in sorted(actions, key=lambda n: names[n]):
            action, goal = actions[token]
            if action == SHIFT:
                pending.append(goal)
    rows: list[list[Any]] = []
    for state in number:
        row = [
            [order[token], action, number[goal] if action == SHIFT else goal]
            for token, (action, goal) in table["states"][state].items()
        ]
        rows.append(sorted(row, key=lambda cell: cell[0]))
    distinct = list({json.dumps(row, sort_keys=True): row for row in rows}.values())
    place = {json.dumps(row, sort_keys=True): i for i, row in enumerate(distinct)}
    return {
        "tokens": [names[old] for old in order],
        "rows": distinct,
        "states": [place[json.dumps(row, sort_keys=True)] for row in rows],
        "start_states": {start: number[state] for start, state in starts.items()},
        "end_states": {start: number[state] for start, state in sorted(table["end_states"].items())},
    }


def load(text: str) -> lark.Lark:
    """The parser from the text of `tables.json`."""
    saved: dict[str, Any] = json.loads(text)
    data = saved["data"]
    table = data["parser"]["parser"]
    table["tokens"] = dict(enumerate(table["tokens"]))
    rows = [{token: (action, goal) for token, action, goal in row} for row in table.pop("rows")]
    table["states"] = {state: rows[row] for state, row in enumerate(table["states"])}
    load_from_dict: Any = lark.Lark._load_from_dict  # as lark's own stand-alone parsers do
    parser: lark.Lark = load_from_dict(data, dict(saved["memo"]), postlex=Blocks())
    return parser


@cache
def parser() -> lark.Lark:
    """The parser of the DSL, made once in a process."""
    grammar = grammar_path("ludex.lark").read_text(encoding="utf-8")
    if TABLES.is_file():
        text = TABLES.read_text(encoding="utf-8")
        if f'"fingerprint":"{fingerprint(grammar)}"' in text:
            return load(text)
    return build(grammar)


if __name__ == "__main__":
    TABLES.write_text(save(grammar_path("ludex.lark").read_text(encoding="utf-8")), encoding="utf-8")
