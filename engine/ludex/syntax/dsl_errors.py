"""What is wrong with a DSL text, in the words of somebody who writes rules.

Two looks at a text in which the parser has stopped: what no text may hold (signs of other
languages, brackets, tabs), wherever it stands; if there is no such thing, the place where it stopped.

May import: `diagnostics`, `limits`, `document`, `codes_dsl`, `dsl_parser`, `dsl_builder` (for spans).
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from ludex.diagnostics import Code, Report, did_you_mean, nearest, printable
from ludex.limits import MAX_EXPRESSION_DEPTH
from ludex.node import node
from ludex.syntax import codes_dsl
from ludex.syntax.document import Scalar
from ludex.syntax.dsl_builder import RESERVED, file_span
from ludex.syntax.dsl_parser import END, UNEVEN, Stopped

STATEMENTS: Final = (
    "let", "if", "for", "repeat", "while", "ask", "secretly", "choose", "act", "move", "place",
    "remove", "replace", "deal", "shuffle", "turn", "lay", "roll", "show", "reveal", "note",
    "forget", "say", "end", "again", "stop", "win", "lose", "tie", "run",
)
"""The words that begin a statement."""

_BLOCK_WORDS: Final = frozenset(["if", "elif", "else", "for", "repeat", "while", "ask", "secretly", "choose"])

_FOREIGN: Final = {
    "&&": "`and`",
    "&": "`and`",
    "||": "`or`",
    "|": "`or`",
    "!": "`not`",
    "/": "`div`, division that rounds down",
    "//": "`div`, division that rounds down",
    "%": "`mod`",
    "===": "`==`",
    "!==": "`!=`",
    "=>": "`>=`",
    "=<": "`<=`",
    "<>": "`!=`",
    "≤": "`<=`",
    "≥": "`>=`",
    "≠": "`!=`",
    "×": "`*`",
    "÷": "`div`",
    "−": "`-`",
    "…": "`..`",
    "...": "`..`",
    ";": "each statement on a line of its own",
    "++": "`+= 1`",
    "--": "`-= 1`, or a single `-`",
    "*=": "`x = x * y`",
    "**": "`*`",
    "->": "`then`, or an entry of a mapping",
    ":=": "`=`",
}
_LEXEME: Final = re.compile(
    r'"(?:[^"\\\n]|\\.)*"'
    r"|(?P<decimal>\d+\.\d+(?!\.))"
    r"|\w+"
    r"|(?P<foreign>===|!==|=>|=<|<>|:=|->|\.\.\.|&&?|\|\|?|//?|%|!(?!=)|\+\+|--|\*=|\*\*|[;≤≥≠×÷−…])"
    r"|(?P<open>\()|(?P<close>\))"
    r"|(?P<bracket>[\[\]{}])"
    r"|==|!=|<=|>=|\+=|-=|\.\."
    r"|[-+*=<>.,:\s]"
    r"|(?P<other>.)",
    re.DOTALL,
)
_MAX_FOUND: Final = 20
"""Wrong characters of one text that are reported; more of them say nothing new."""
_ELSE_IF: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|\b(?P<words>else[ ]+if|elseif|elsif)\b')
_TAB_INDENT: Final = re.compile(r"^[ ]*\t", re.MULTILINE)
_WORD: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|\w+|==|!=|<=|>=|\+=|-=|\.\.|\S')


def _refuse_characters(scalar: Scalar, text: str, report: Report, *, steps: bool) -> bool:
    """Report what no DSL text may hold, wherever it stands; whether anything was found."""
    before = len(report.found)
    opened: list[int] = []

    def add(code: Code, message: str, start: int, end: int, help: str | None = None) -> None:
        report.add(code, message, file_span(scalar, start, end), help=help)

    if steps:
        for match in islice(_TAB_INDENT.finditer(text), _MAX_FOUND):
            message = "this line is indented with a tab"
            add(codes_dsl.DSL_TAB, message, match.start(), match.end(), "use spaces")
    for match in _LEXEME.finditer(text):
        if len(report.found) - before >= _MAX_FOUND:
            return True
        at, end, sign = match.start(), match.end(), match[0]
        if match["open"]:
            opened.append(at)
            if len(opened) == MAX_EXPRESSION_DEPTH + 1:
                add(codes_dsl.DSL_TOO_DEEP, "parentheses are nested too deeply", at, end)
        elif match["close"]:
            if opened:
                opened.pop()
            else:
                add(codes_dsl.DSL_PARENTHESIS, "this `)` closes no parenthesis", at, end)
        elif match["foreign"]:
            message = f"`{sign}` is no sign of the language"
            add(codes_dsl.DSL_FOREIGN_OPERATOR, message, at, end, f"write {_FOREIGN[sign]}")
        elif match["bracket"]:
            _foreign_bracket(scalar, text, at, report)
        elif match["decimal"]:
            message = f"`{sign}` is not a whole number"
            add(codes_dsl.DSL_DECIMAL, message, at, end, "count in a smaller unit")
        elif match["other"]:
            message = f"the character `{printable(sign)}` is not part of the language"
            help = 'text in quotes stands after `say`, as in `say "text"`' if sign in "'\"“”‘’«»" else None
            add(codes_dsl.DSL_CHARACTER, message, at, end, help)
    for at in opened[-1:]:
        help = None
        if scalar.style == "plain":
            help = (
                "if a comma ended the text (YAML does that between `{ }` and `[ ]`), quote the text or use "
                "the block form"
            )
        add(codes_dsl.DSL_PARENTHESIS, "this `(` is never closed", at, at + 1, help)
    if len(report.found) > before:
        return True
    for match in _ELSE_IF.finditer(text):
        if len(report.found) - before >= _MAX_FOUND:
            break
        if match["words"] and not _is_followed_by_then(text, match):
            help = "write `elif`"
            add(codes_dsl.DSL_ELSE_IF, f"`{match[0]}` is written `elif`", match.start(), match.end(), help)
    return len(report.found) > before


def _is_followed_by_then(text: str, match: re.Match[str]) -> bool:
    """`else if C then A else B` on one line is sound: an `if` in the `else` of another."""
    if match[0].split() != ["else", "if"]:
        return False
    line_end = text.find("\n", match.end())
    return text.find(" then ", match.end(), line_end if line_end >= 0 else len(text)) >= 0


def _foreign_bracket(scalar: Scalar, text: str, at: int, report: Report) -> None:
    sign = text[at]
    if sign == "[" and at > 0 and (text[at - 1].isalnum() or text[at - 1] in "_)"):
        help = "the value of a table or of an item of state is `name(index)`, with parentheses"
    elif sign in "[{":
        help = "a set is written `set(a, b)` or `set(x in S where C)`"
    else:
        return
    message = f"`{sign}` is not used in the language"
    report.add(codes_dsl.DSL_FOREIGN_BRACKET, message, file_span(scalar, at, at + 1), help=help)


@node
class _Stop:
    """Where the parser stopped: at `start`..`end`, a token of type `type`, `expected` instead."""

    text: str
    start: int
    end: int
    type: str
    expected: frozenset[str]
    steps: bool

    @property
    def word(self) -> str:
        return self.text[self.start : self.end]

    @property
    def line_start(self) -> int:
        return self.text.rfind("\n", 0, self.start) + 1 if self.steps else 0

    @property
    def first_word(self) -> str:
        """The word with which the statement begins in which the parser stopped."""
        match = _WORD.search(self.text, self.line_start)
        return match[0] if match else ""

    @property
    def at_line_end(self) -> bool:
        return self.type in ("_NL", "$END")

    @property
    def at_text_end(self) -> bool:
        return not self.text[self.start :].strip()

    @property
    def begins_statement(self) -> bool:
        return self.steps and not self.text[self.line_start : self.start].strip()

    @property
    def previous(self) -> str:
        before = self.text[: self.start].rstrip()
        return before[-1:] if before else ""


def explain(stopped: Stopped, scalar: Scalar, text: str, report: Report, *, start: str) -> None:
    """Report why the parser stopped."""
    steps = start == "start_steps"
    if _refuse_characters(scalar, text, report, steps=steps):
        return
    if stopped.found == UNEVEN:
        report.add(
            codes_dsl.DSL_INDENTATION,
            "this line goes back to a column in which no block began",
            file_span(scalar, stopped.start, text.find("\n", stopped.start)),
            help="align it with an earlier line of the block it belongs to",
        )
        return
    stop = _stop(stopped, text, steps=steps)
    code, message, help = _reason(stop, start)
    at, end = stop.start, stop.end
    first = _WORD.search(text, stop.line_start)
    if code in (codes_dsl.DSL_UNKNOWN_STATEMENT, codes_dsl.DSL_STRAY_ELSE) and first is not None:
        at, end = first.span()
    elif stop.at_line_end:
        at = max(0, len(text[:at].rstrip()) - 1)
        end = at + 1
    report.add(code, message, file_span(scalar, at, min(end, len(scalar.text))), help=help)


def _stop(stopped: Stopped, text: str, *, steps: bool) -> _Stop:
    at, found = stopped.start, stopped.found
    if found in (END, "_NL"):
        end = at + (found != END)
    else:
        match = _WORD.match(text, at)
        end = match.end() if match else at + 1
    return _Stop(text, at, end, found, stopped.expected, steps)


def _reason(stop: _Stop, start: str) -> tuple[Code, str, str | None]:
    """The code, message and help for a stop; the first case that fits."""
    word, expected, steps = stop.word, stop.expected, stop.steps
    help: str | None
    if not stop.text.strip():
        return codes_dsl.DSL_ENDS_EARLY, "there is no text here", None
    if stop.type == "_INDENT":
        message = "this line is indented further than the one above it, which opens no block"
        return codes_dsl.DSL_INDENTATION, message, "a line that opens a block ends with a colon"
    if expected == {"_INDENT"}:
        message = f"the block of this `{_opener(stop)}` is missing"
        return codes_dsl.DSL_NO_BLOCK, message, "indent the lines of the block further than the line above"
    if steps and stop.previous == ":" and expected == {"_NL"}:
        help = "begin a new line, or use the one-line form without a colon: `if C then S`"
        return codes_dsl.DSL_NO_BLOCK, "the block after a colon begins on the next line", help
    if stop.begins_statement:
        return _no_statement(word, None)
    if word == "=" and stop.first_word != "let" and not _after_target(stop):
        return codes_dsl.DSL_EQUALS, "`=` does not compare", "write `==`"
    if steps and _after_target(stop):
        return _bad_start(stop)
    if word == "==" and "_EQUAL" in expected:
        return codes_dsl.DSL_EQUALS, "`==` compares; it gives no value", "write `=`"
    if expected == {"_EACH"}:
        return codes_dsl.DSL_UNEXPECTED, "a loop begins with `for each`", f"write `for each {word}`"
    if steps and "COLON" in expected and (stop.at_line_end or "_THEN" not in expected):
        opener = _opener(stop)
        if stop.at_line_end and opener in _BLOCK_WORDS:
            message = f"`{opener}` needs a colon at the end of its line"
            help = "or on one line: `if C then S`" if opener == "if" else None
            if opener == "for":
                help = "or on one line: `for each x in S do S`"
            return codes_dsl.DSL_NO_COLON, message, help
    if "_THEN" in expected:
        message = "`then` is missing after the condition"
        help = "`if C then A else B`; a block of statements has a colon instead" if steps else None
        return codes_dsl.DSL_NO_THEN, message, help or "`if C then A else B`"
    inside = word in (")", ",") and "_ELIF" in expected
    if (stop.at_line_end or inside) and "_ELSE" in expected and re.search(r"\bif\b", stop.text):
        return codes_dsl.DSL_NO_ELSE, "this `if` has no `else`", "an `if` that gives a value needs both"
    if word == ":":
        help = "a colon stands only at the end of a line that opens a block"
        if not steps:
            help = "an expression holds no colon; `if C then A else B`"
        return codes_dsl.DSL_UNEXPECTED, f"a colon does not fit here{_instead(expected)}", help
    if stop.at_line_end:
        where = "the text ends" if stop.at_text_end else "the line ends"
        return codes_dsl.DSL_ENDS_EARLY, f"{where} too early{_instead(expected)}", None
    if word.startswith('"'):
        return codes_dsl.DSL_UNEXPECTED, "text in quotes stands only after `say`", None
    if "NAME" in expected and "LPAR" not in expected and word in RESERVED:
        return codes_dsl.DSL_UNEXPECTED, f"`{word}` cannot be a name", None
    if start == "start_ranking" and not stop.text[: stop.start].strip():
        message = "a line of the ranking begins with `most` or `least`"
        return codes_dsl.DSL_UNEXPECTED, message, f"`most {word}`?" if word.isidentifier() else None
    help = None
    if word.isidentifier():
        near = nearest(word, (w for t in expected if (w := _plain_word(t)) is not None))
        help = f"did you mean `{near}`?" if near is not None and near != word else None
    return codes_dsl.DSL_UNEXPECTED, f"`{printable(word)}` does not fit here{_instead(expected)}", help


def _after_target(stop: _Stop) -> bool:
    """Whether what was read of the statement is a name (with arguments), so that `=` must follow."""
    return stop.steps and "_EQUAL" in stop.expected and "ASSIGN_OP" in stop.expected


def _bad_start(stop: _Stop) -> tuple[Code, str, str | None]:
    first = stop.first_word
    if stop.word == "==":
        return codes_dsl.DSL_EQUALS, "`==` compares; it gives no value", "write `=`"
    if first in STATEMENTS:
        message = "a statement is expected here"
        return codes_dsl.DSL_UNEXPECTED, message, "such as `item = value`, `move X to Y` or `act A`"
    rest = stop.text[stop.line_start : stop.start].strip()
    call = stop.at_line_end or "(" in rest
    return _no_statement(first, f"a procedure is called with `run {first}`" if call else None)


def _no_statement(word: str, call: str | None) -> tuple[Code, str, str | None]:
    """A statement that begins with a wrong word; `call` is the help if it may be a procedure."""
    if word in ("else", "elif"):
        message = f"this `{word}` belongs to no `if`, `act` or `choose` above it"
        return codes_dsl.DSL_STRAY_ELSE, message, "it stands in the same column as the line it belongs to"
    message = f"a statement cannot begin with `{printable(word)}`"
    if word in ("pass", "return", "break", "continue"):
        help: str | None = "`stop` leaves a loop; an `if` without `else` does nothing"
    else:
        help = call or did_you_mean(word, STATEMENTS)
    return codes_dsl.DSL_UNKNOWN_STATEMENT, message, help


def _opener(stop: _Stop) -> str:
    """The first word of the line that the stop is about (of the line above, at a line's beginning)."""
    before = stop.text[: stop.start].rstrip()
    line = before[before.rfind("\n") + 1 :].strip()
    match = _WORD.match(line)
    return match[0] if match else ""


_SIGNS: Final = {
    "LPAR": "`(`",
    "RPAR": "`)`",
    "COMMA": "`,`",
    "DOT": "`.`",
    "COLON": "`:`",
    "_EQUAL": "`=`",
    "NAME": "a name",
    "INT": "a number",
    "STRING": "a text in quotes",
    "_NL": "the end of the line",
    "$END": "the end of the text",
    "SCOPE": "`turn`, `round`, `phase` or `game`",
    "RANK": "`most` or `least`",
    "NOTHING": "`none` or `empty`",
}
_OPERATORS: Final = frozenset(
    (
        "SIGN", "FACTOR", "COMPARE", "DOT", "LPAR", "_AND", "_OR", "_IN", "_NOT", "_IS", "_WITHIN",
        "_AT", "_OF", "_FROM",
    )
)


_NO_WORDS: Final = frozenset(("_NL", "_INDENT", "_DEDENT", "_SET_OF", "_EQUAL", "_MINUS"))


def _plain_word(terminal: str) -> str | None:
    """The keyword that a terminal stands for, if it is one."""
    if terminal == "_FOR_IN":
        return "for"
    if terminal.startswith("_") and terminal not in _NO_WORDS:
        return terminal.strip("_").lower()
    return None


def _instead(expected: frozenset[str]) -> str:
    """`; X or Y is expected`, if that is short enough to be of use."""
    if {"INT", "NAME", "LPAR"} <= expected:
        return "; a value is expected"
    wanted: list[str] = []
    for terminal in sorted(expected - _OPERATORS - {"_INDENT", "_DEDENT", "__ANON_0", "__ANON_1"}):
        word = _plain_word(terminal)
        shown = _SIGNS.get(terminal) or (f"`{word}`" if word is not None and "ANON" not in terminal else None)
        if shown is not None:
            wanted.append(shown)
    if not wanted or len(wanted) > 5:
        return ""
    return "; expected: " + " or ".join(wanted)
