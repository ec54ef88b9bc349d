"""The DSL's parser: a text to the tree of the grammar's rules that it matches.

It runs by the LALR tables that lark makes of the grammar (`dsl_tables`) and gives the trees that
lark would, which a test proves. Lark itself is not needed: importing it takes longer than parsing
a whole definition, and so does its way of walking through the rules.

The language has few reserved words: a word is a keyword only where the grammar can take it. So the
scanner looks at the parser's state, and takes the first of a word's terminals that fits there.

May import: `limits`, `node`, `resources`; and `dsl_tables`, if the saved tables are of another grammar.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias, TypedDict

from ludex.limits import MAX_EXPRESSION_DEPTH
from ludex.node import node
from ludex.resources import grammar_path

TABLES: Final = Path(__file__).with_name("tables.json")
END: Final = "$END"
UNEVEN: Final = "uneven"
"""What stands where a line goes back to a column in which no block began."""
REPEATED: Final = "*"
"""The name of a repetition's rule, whose value is the list of the children that it repeats."""


class Tables(TypedDict):
    """What a grammar comes to. An action is the number of the next state, or ~ the number of a rule."""

    grammar: str
    starts: dict[str, int]
    states: list[tuple[int, int]]
    """Each state's row of `actions` and of `gotos`."""
    actions: list[dict[str, int]]
    """What to do at a terminal."""
    gotos: list[dict[str, int]]
    """The next state after a rule, by the rule's symbol."""
    rules: list[tuple[str, int, str | None, list[int | None]]]
    """A rule's symbol, the number of its parts, the name of its trees, and which parts are children.

    A rule without a name passes on its only child. Among the children, None is an optional part
    that was left out, and ~n the part n, a repetition, of whose items each is a child.
    """
    lexeme: str
    """A regular expression with a group for each sort of lexeme, such as NAME."""
    terminals: dict[str, list[str]]
    """What a word or a sign may be. The first that fits is meant."""
    ahead: dict[str, str]
    """The terminals that what follows decides on, with their regular expressions. They come first."""


@node
class Token:
    """A piece of the text that is a child: a name, a number, an operator."""

    text: str
    start: int
    end: int


class Tree:
    """What a rule of the grammar matched: characters `start` to `end`."""

    __slots__ = ("children", "end", "rule", "start")

    def __init__(self, rule: str, children: list[Child], start: int, end: int) -> None:
        self.rule = rule
        self.children = children
        self.start = start
        self.end = end


Child: TypeAlias = Tree | Token | None


class Stopped(Exception):
    """A text is not of the language: at `start` stands `found`, where one of `expected` must stand.

    Both are terminals of the grammar; `found` may also be `END`, `UNEVEN`, or empty for what is
    no terminal at all.
    """

    def __init__(self, found: str, start: int, expected: frozenset[str]) -> None:
        super().__init__(found, start, expected)
        self.found = found
        self.start = start
        self.expected = expected


class Parser:
    """A parser by tables. It keeps nothing of a text, so that threads may share it."""

    def __init__(self, tables: Tables) -> None:
        self.starts = tables["starts"]
        self.actions = [tables["actions"][row] for row, _ in tables["states"]]
        self.gotos = [tables["gotos"][row] for _, row in tables["states"]]
        self.rules = tables["rules"]
        self.lexeme = re.compile(tables["lexeme"])
        self.terminals = tables["terminals"]
        ahead = [(name, re.compile(pattern)) for name, pattern in tables["ahead"].items()]
        rows = [[(name, p) for name, p in ahead if name in row] for row in tables["actions"]]
        self.ahead = [rows[row] for row, _ in tables["states"]]

    def parse(self, text: str, start: str) -> Tree:
        """The tree of a text that matches the rule `start`. Raises `Stopped`."""
        run = _Run(self, start)
        columns = [0]
        parentheses = at = 0
        while (found := self.lexeme.match(text, at)) is not None:
            name, lexeme, begin, at = self._token(found, run.states[-1])
            if name == "_NL":
                if not parentheses:
                    run.take(name, lexeme, begin, at)
                    _blocks(run, columns, len(lexeme) - lexeme.rfind("\n") - 1)
                continue
            if name == "LPAR":
                parentheses += 1
                if parentheses > MAX_EXPRESSION_DEPTH:
                    raise Stopped(name, begin, frozenset())
            elif name == "RPAR":
                parentheses -= 1
            run.take(name, lexeme, begin, at)
        rest = text[at:].lstrip(" ")
        if rest:
            run.stop("", len(text) - len(rest))
        _blocks(run, columns, 0)
        run.take(END, "", len(text), len(text))
        tree = run.values[0]
        assert isinstance(tree, Tree)
        return tree

    def _token(self, found: re.Match[str], state: int) -> tuple[str, str, int, int]:
        """The terminal that a lexeme is in a state of the parser, its text, where it begins and ends.

        Where none of those that it may be fits, the last of them.
        """
        sort = found.lastgroup
        assert sort is not None
        lexeme, begin, end = found[sort], found.start(sort), found.end()
        for name, pattern in self.ahead[state]:
            if (whole := pattern.match(found.string, begin)) is not None:
                return name, lexeme, begin, whole.end()
        name = sort
        for name in self.terminals.get(lexeme, ()):
            if name in self.actions[state]:
                break
        return name, lexeme, begin, end


def _blocks(run: _Run, columns: list[int], column: int) -> None:
    """Opens or closes blocks at the beginning of a line; `columns` are those of the open ones."""
    if column > columns[-1]:
        columns.append(column)
        run.take("_INDENT", "", run.end, run.end)
    while column < columns[-1]:
        columns.pop()
        run.take("_DEDENT", "", run.end, run.end)
    if column != columns[-1]:
        raise Stopped(UNEVEN, run.end, frozenset())


class _Run:
    """The parser's stack while it parses one text: for each symbol its state, value and beginning."""

    __slots__ = ("end", "parser", "starts", "states", "values")

    def __init__(self, parser: Parser, start: str) -> None:
        self.parser = parser
        self.states = [parser.starts[start]]
        self.values: list[Any] = []
        """A `Child`, or for a repetition the list of those."""
        self.starts: list[int] = []
        self.end = 0
        """Where the last token ends, and with it all that stands on the stack."""

    def take(self, found: str, lexeme: str, start: int, end: int) -> None:
        """Takes a token: closes the rules that it ends, and puts it on the stack."""
        actions, gotos, rules = self.parser.actions, self.parser.gotos, self.parser.rules
        states, values, starts = self.states, self.values, self.starts
        state = states[-1]
        while True:
            action = actions[state].get(found)
            if action is None:
                self.stop(found, start)
            if action >= 0:
                states.append(action)
                values.append(Token(lexeme, start, end))
                starts.append(start)
                self.end = end
                return
            symbol, size, rule, parts = rules[~action]
            if size > 1 or rule is not None:
                begin = len(values) - size
                children: list[Child] = []
                for part in parts:
                    if part is None:
                        children.append(None)
                    elif part >= 0:
                        children.append(values[begin + part])
                    elif children:
                        children += values[begin + ~part]
                    else:  # the list itself, so that long repetitions take no longer for each item
                        children = values[begin + ~part]
                if rule is None:
                    values[begin:] = children
                elif rule == REPEATED:
                    values[begin:] = [children]
                else:
                    values[begin:] = [Tree(rule, children, starts[begin], self.end)]
                del starts[begin + 1 :]
            del states[-size:]
            state = gotos[states[-1]][symbol]
            states.append(state)

    def stop(self, found: str, at: int) -> NoReturn:
        """The tables name some terminals too many: a rule may be closed that cannot end there."""
        known = self.parser.actions[self.states[-1]]
        raise Stopped(found, at, frozenset(name for name in known if self._fits(name)))

    def _fits(self, name: str) -> bool:
        states = self.states.copy()
        while (action := self.parser.actions[states[-1]].get(name)) is not None:
            if action >= 0:
                return True
            symbol, size, _, _ = self.parser.rules[~action]
            del states[-size:]
            states.append(self.parser.gotos[states[-1]][symbol])
        return False


@cache
def parser() -> Parser:
    """The parser of the DSL, made once in a process."""
    grammar = grammar_path("ludex.lark").read_text(encoding="utf-8")
    tables: Tables = json.loads(TABLES.read_text(encoding="utf-8"))
    if tables["grammar"] != grammar:
        from ludex.syntax.dsl_tables import make

        tables = make(grammar)
    return Parser(tables)
