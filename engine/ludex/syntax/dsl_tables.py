"""Makes the tables by which the DSL is parsed, out of the grammar. Lark does what is difficult.

`tables.json` is data, not a pickle: nothing is executed by loading it, and the same grammar gives
the same bytes. It holds the grammar it was made from, and is used only for that one.
`python -m ludex.syntax.dsl_tables` writes it; a test checks that it is fresh.

May import: `resources`, `dsl_parser`.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable
from itertools import product
from typing import Any, Final

import lark
from lark.grammar import Rule, Terminal
from lark.indenter import Indenter
from lark.parsers.lalr_analysis import Shift

from ludex.resources import grammar_path
from ludex.syntax.dsl_parser import END, REPEATED, TABLES, Tables

STARTS: Final = (
    "start_expression",
    "start_steps",
    "start_domain",
    "start_type",
    "start_signature",
    "start_offer",
    "start_ranking",
)
LONG: Final = 100
"""Terminals that may be longer than this are sorts of text, such as names; the others words and signs."""


class Blocks(Indenter):
    """Inserts the tokens that open and close blocks. Line ends within parentheses do not count."""

    NL_type = "_NL"
    OPEN_PAREN_types = ["LPAR"]  # noqa: RUF012 - lark's interface
    CLOSE_PAREN_types = ["RPAR"]  # noqa: RUF012
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 1


def build(grammar: str, **options: Any) -> lark.Lark:
    """Lark's own parser: where the tables come from, and what tests compare ours with."""
    return lark.Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        start=list(STARTS),
        postlex=Blocks(),
        propagate_positions=True,
        maybe_placeholders=True,
        **options,
    )


def make(grammar: str) -> Tables:
    """The tables of a grammar."""
    built = build(grammar)
    table: Any = built.parser.parser._parse_table
    rules = sorted(built.rules, key=str)
    states = _in_order(table)
    number = {state: n for n, state in enumerate(states)}
    reduction = {rule: ~n for n, rule in enumerate(rules)}
    actions: list[dict[str, int]] = []
    gotos: list[dict[str, int]] = []
    for state in states:
        row = sorted(table.states[state].items())
        goals = {name: number[to] if act is Shift else reduction[to] for name, (act, to) in row}
        actions.append({name: goal for name, goal in goals.items() if _is_terminal(name)})
        gotos.append({name: goal for name, goal in goals.items() if not _is_terminal(name)})
    for end in table.end_states.values():
        actions[number[end]][END] = number[end]
    action_rows, goto_rows = _distinct(actions), _distinct(gotos)
    lexeme, terminals, ahead = _lexemes(built)
    return {
        "grammar": grammar,
        "starts": {start: number[table.start_states[start]] for start in STARTS},
        "states": [(action_rows.index(a), goto_rows.index(g)) for a, g in zip(actions, gotos, strict=True)],
        "actions": action_rows,
        "gotos": goto_rows,
        "rules": [_rule(rule) for rule in rules],
        "lexeme": lexeme,
        "terminals": terminals,
        "ahead": ahead,
    }


def _is_terminal(name: str) -> bool:
    return name.isupper()


def _in_order(table: Any) -> list[int]:
    """The states as they are reached. Lark numbers them by a set of strings, in each process anew."""
    found: list[int] = []
    pending = [state for _, state in sorted(table.start_states.items())]
    while pending:
        state = pending.pop(0)
        if state not in found:
            found.append(state)
            pending += [to for _, (act, to) in sorted(table.states[state].items()) if act is Shift]
    return found


def _distinct(rows: Iterable[dict[str, int]]) -> list[dict[str, int]]:
    return list({json.dumps(row): row for row in rows}.values())


def _rule(rule: Rule) -> tuple[str, int, str | None, list[int | None]]:
    parts: list[int | None] = []
    left_out = list(rule.options.empty_indices) or [False] * len(rule.expansion)
    symbols = enumerate(rule.expansion)
    for missing in left_out:
        if missing:
            parts.append(None)
            continue
        n, symbol = next(symbols)
        if not symbol.is_term and symbol.name.startswith("_"):
            parts.append(~n)
        elif not (isinstance(symbol, Terminal) and symbol.filter_out):
            parts.append(n)
    symbol_name = str(rule.origin.name)
    name: str | None = rule.alias or symbol_name
    if symbol_name.startswith("_"):
        name = REPEATED
    elif rule.options.expand1 and rule.alias is None:
        assert len(parts) == 1 and (parts[0] or 0) >= 0, f"{rule} has neither a name nor a single child"
        name = None
    return symbol_name, len(rule.expansion), name, parts


def _lexemes(built: lark.Lark) -> tuple[str, dict[str, list[str]], dict[str, str]]:
    """What the scanner goes by. Terminals come in the order in which lark would try them."""
    order = sorted(
        (t for t in built.terminals if t.name not in built.ignore_tokens),
        key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name),
    )
    pattern = {t.name: t.pattern.to_regexp() for t in order}
    ahead = [t.name for t in order if "(?=" in t.pattern.value]
    sorts = [t.name for t in order if t.pattern.max_width > LONG and t.name not in ahead]
    fixed = [t.name for t in order if t.name not in ahead and t.name not in sorts]

    def matched(lexeme: str, among: list[str]) -> list[str]:
        return [name for name in among if re.fullmatch(pattern[name], lexeme)]

    words = {word for name in fixed for word in re.findall(r"\w+", pattern[name].replace(r"\b", ""))}
    signs = {"".join(s) for n in (1, 2) for s in product(string.punctuation, repeat=n)}
    signs = {sign for sign in signs if matched(sign, fixed)}
    longest_first = sorted(
        (name for name in fixed if any(re.fullmatch(pattern[name], sign) for sign in signs)),
        key=lambda name: -max(len(s) for s in signs if re.fullmatch(pattern[name], s)),
    )
    groups = [f"(?P<{name}>{pattern[name]})" for name in sorts]
    groups.append(f"(?P<sign>{'|'.join(pattern[name] for name in longest_first)})")
    lexemes = {text: matched(text, fixed + sorts) for text in sorted(words | signs)}
    return (
        f"[ ]*(?:{'|'.join(groups)})",
        {text: names for text, names in lexemes.items() if names},
        {name: pattern[name] for name in ahead},
    )


def text_of(tables: Tables) -> str:
    """The text of `tables.json`."""
    return json.dumps(tables, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    TABLES.write_text(text_of(make(grammar_path("ludex.lark").read_text(encoding="utf-8"))), encoding="utf-8")
