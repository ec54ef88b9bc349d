"""Definitions that would take all time or memory to load: each loads, or says why not, in seconds.

A case is a text and what is to come of it: `loaded`, or the code of the first error.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from confined import confined
from hostile_definitions import BOARD, CARDS, chain, definition, loading, steps

from ludex import limits

SECONDS = 6.0
"""Processor time for one case; half of `limits.MAX_LOAD_SECONDS` and a little, as tests run on slow machines."""


def scored(expression: str, **sections: str) -> str:
    return definition(scoring=f"scoring:\n  points: {expression}", **sections)


def nested(depth: int, grow: str, core: str) -> str:
    """`grow` with `IT` replaced by itself, `depth` times, and at last by `core`."""
    for _ in range(depth):
        core = grow.replace("IT", core)
    return core


def nested_ifs(depth: int) -> str:
    lines = ["  " * i + "if n >= 1:" for i in range(depth)]
    return "\n".join([*lines, "  " * depth + "n += 1"])


def doubled(letters: str) -> str:
    lines = ["a: &a [x, x, x, x, x, x, x, x]"]
    for before, name in pairwise(letters):
        lines.append(f"{name}: &{name} [" + ", ".join([f"*{before}"] * 8) + "]")
    return "\n".join(lines)


def declared(section: str, number: int, each: str) -> str:
    return f"{section}:\n" + "\n".join(f"  x{i}: {each.replace('NUMBER', str(i))}" for i in range(number))


def components(text: str) -> str:
    return "components:\n" + text


def types(number: int, each: str, last: str) -> str:
    lines = [f"  u{i}: {each.replace('NEXT', f'u{i + 1}')}" for i in range(number)]
    return "types:\n" + "\n".join([*lines, f"  u{number}: {last}", "  c: [z, w]"])


def procedures(number: int, each: str, last: str) -> str:
    lines = [f"  g{i}: {{do: {{{each.replace('NEXT', f'g{i + 1}')}}}}}" for i in range(number)]
    return "procedures:\n" + "\n".join([*lines, f"  g{number}: {{do: {{it: {last}}}}}"])


RUN_G0 = "actions:\n  go: {do: {it grows: run g0}}\n  go2: {do: {it: n += 1}}"
DEEP_CARDS = CARDS.replace("1..5", "1..60")

CASES: dict[str, tuple[str, str]] = {
    # ---- YAML
    "aliases of aliases": (doubled("abcdefghijkl"), "yaml-too-large"),
    "brackets": ("ludex: " + "[" * 120_000, "yaml-too-deep"),
    "braces": ("ludex: " + "{a: " * 30_000, "yaml-too-deep"),
    "indentation": ("".join(" " * i + "a:\n" for i in range(450)), "yaml-too-deep"),
    "dashes": ("- " * 60_000, "yaml-too-deep"),
    "questions": ("? " * 60_000, "yaml-too-deep"),
    "many names": ("".join(f"k{i}: 1\n" for i in range(8_000)), "yaml-too-large"),
    "many mistakes": ("a: {b: c: d}\n" * 9_000, "yaml-syntax"),
    "many quotes": ('"' * 100_000, "yaml-syntax"),
    "many open quotes": ("a: 'x\n" * 20_000, "yaml-syntax"),
    "many colons": ("a: b: c\n" * 15_000, "yaml-quote-needed"),
    "the same name again and again": ("a: 1\n" * 20_000, "yaml-duplicate-key"),
    "an endless comment": ("#" * 120_000, "yaml-empty"),
    "nothing but lines": ("\n" * 120_000, "yaml-empty"),
    "tabs": ("\t a\n" * 30_000, "yaml-tab"),
    "control characters": ("a: " + "\x01" * 40_000, "file-control-character"),
    "escaped control characters": ('title: "' + "\\e" * 50_000 + '"', "file-control-character"),
    "a text with an indentation of its own": ("b:\n a: |9\n" + "          x\n" * 10_000, "shape-no-version"),
    "folded lines": ("a: >\n" + "  x\n\n" * 20_000, "shape-no-version"),
    "escapes": ('a: "' + "\\x41" * 30_000 + '"', "shape-no-version"),
    "anchors": ("".join(f"k{i}: &a{i} x\n" for i in range(4_000)), "shape-no-version"),
    "unknown sections": (definition() + "".join(f"zz{i}: 1\n" for i in range(4000)), "shape-unknown-key"),
    "more than a file may have": ("a: " + "x" * limits.MAX_FILE_BYTES, "too-large"),
    # ---- texts
    "parentheses": (scored(nested(5000, "(IT)", "n")), "dsl-too-deep"),
    "parentheses within the limit": (scored(nested(99, "(IT)", "n")), "loaded"),
    "additions": (scored("+".join(["n"] * 8000)), "dsl-too-deep"),
    "additions within the limit": (scored("+".join(["n"] * 95)), "loaded"),
    "and": (definition(end="end:\n  e: " + " and ".join(["n >= 9"] * 1200)), "loaded"),
    "calls": (scored(nested(95, "max(1, IT)", "n")), "loaded"),
    "arguments": (scored("max(" + "n, " * 5000 + "n)"), "too-large"),
    "arguments of arguments": (scored(nested(20, "max(" + "n, " * 250 + "IT)", "n")), "loaded"),
    "conditions compared": (definition(end="end:\n  e: " + nested(90, "(IT == (n == 1))", "(n == 1)")), "loaded"),
    "conditions compared to the right": (
        definition(end="end:\n  e: " + nested(90, "((n == 1) == IT)", "(n == 1)")),
        "loaded",
    ),
    "values of tests": (scored(nested(45, "(if n == IT then 1 else 2)", "n")), "loaded"),
    "tests of tests": (
        definition(end="end:\n  e: " + nested(45, "(if IT then n >= 1 else n >= 2)", "n >= 1")),
        "loaded",
    ),
    "a hundred ifs": (steps(nested_ifs(90)), "loaded"),
    "more ifs": (steps(nested_ifs(120)), "dsl-too-deep"),
    "a megabyte": (definition(scoring="scoring:\n  p: |\n    " + "n + " * 25_000 + "n"), "dsl-too-long"),
    "many statements": (steps("\n".join(["n += 1"] * 1700)), "loaded"),
    "many lets": (steps("\n".join(["let a0 = n", *(f"let a{i + 1} = a{i}" for i in range(900))])), "loaded"),
    "a great number": (scored("9" * 10_000), "dsl-number-too-large"),
    "a great number of players": (definition(players="players: " + "9" * 100_000), "game-number"),
    # ---- definitions by definitions
    "definitions 200 deep": (scored("f0(me)", define=chain(200, "NEXT(p) + 1", "n")), "too-large"),
    "definitions 1500 deep": (scored("f0(me)", define=chain(600, "NEXT(p) + 1", "n")), "too-large"),
    "twice the next": (scored("f0(me)", define=chain(40, "(NEXT(p) + NEXT(p)) mod 7", "n")), "loaded"),
    "twice the next, constant": (scored("f0(me)", define=chain(40, "(NEXT(p) + NEXT(p)) mod 7", "1")), "loaded"),
    "counting the next": (
        scored("f0(me)", define=chain(40, "count(q in players where NEXT(q) >= 1)", "n")),
        "loaded",
    ),
    "each in terms of the other": (scored("a", define="define:\n  a: b\n  b: a\n"), "loaded"),
    "constants in a circle": (definition(constants="constants:\n  a: b + 1\n  b: a + 1"), "cyclic-definition"),
    "a chain of constants": (
        definition(constants=declared("constants", 700, "xNUMBER + 0").replace(": x699", ": 1")),
        "cyclic-definition",
    ),
    "constants multiplied": (
        definition(constants="constants:\n" + "".join(f"  a{i}: a{i + 1} * a{i + 1}\n" for i in range(60)) + "  a60: 9"),
        "out-of-range",
    ),
    "unions in a circle": (definition(types="types:\n  a: b or c\n  b: a or c\n  c: [x, y]"), "cyclic-definition"),
    "a union of itself": (definition(types="types:\n  a: a or b\n  b: [x, y]"), "cyclic-definition"),
    "unions of unions": (definition(types=types(40, "NEXT or NEXT", "[x, y]")), "loaded"),
    "a chain of unions": (definition(types=types(1500, "NEXT or c", "[x, y]")), "too-large"),
    "procedures 250 deep": (
        definition(procedures=procedures(250, "it: run NEXT", "n += 1"), actions=RUN_G0.split("\n  go2")[0]),
        "loaded",
    ),
    "procedures twice the next": (
        definition(procedures=procedures(60, "a: run NEXT, b: run NEXT", "act go2"), actions=RUN_G0),
        "loaded",
    ),
    # ---- many names
    "thousands of members": (definition(types="types:\n  t: [" + ", ".join(f"e{i}" for i in range(9_000)) + "]"), "too-large"),
    "thousands of kinds": (definition(types=declared("types", 2400, "[eNUMBER]")), "loaded"),
    "thousands of definitions": (definition(define=declared("define", 2_000, "n + 1")), "loaded"),
    "thousands of unknown names": (definition(define=declared("define", 1500, "unknown_NUMBER + 1")), "unknown-name"),
    "thousands of state items": (definition(state="state:\n  n: {type: 0..99}\n" + "\n".join(declared("", 1500, "{type: 0..9}").split("\n")[1:])), "loaded"),
    "thousands of constants": (definition(constants=declared("constants", 2_500, "NUMBER")), "loaded"),
    "thousands of steps": (definition(actions="actions:\n  go:\n    do:\n" + "\n".join(f"      s{i}: n += 1" for i in range(2000))), "loaded"),
    # ---- many things
    "a billion cards by fields": (definition(components=components("  cards:\n    card: {per: {a: 1..1000, b: 1..1000, c: 1..1000}}")), "too-large"),
    "a billion cards": (definition(components=components("  cards:\n    card: {count: 1000000000}")), "out-of-range"),
    "four thousand cards": (
        definition(
            components=CARDS.replace("per: {v: 1..5}", "count: 4000"),
            setup="setup:\n  s: shuffle deck\n  d: deal 2 from deck to hand(player(1))",
        ),
        "loaded",
    ),
    "a giant grid": (definition(components=components("  spaces:\n    sq: {grid: 100000x100000}")), "out-of-range"),
    "distances on a large grid": (scored("d(sq(1, 1), sq(60, 60))", components=BOARD, define="define:\n  d(sq a, sq b): distance(a, b)").replace("points: d", "points: |\n    d"), "too-large"),
    "lines on a large grid": (
        definition(components=BOARD, define="define:\n  w: any(l in lines(sq, 30) where count(l) > n)", end="end:\n  e: w"),
        "loaded",
    ),
    "what a constant definition goes through": (
        definition(
            components=BOARD,
            define="define:\n  r(sq a): count(b in sq where any(c in neighbors(b) where any(d in sq where d in neighbors(c))))",
        ),
        "loaded",
    ),
    "tables of many boards": (
        definition(
            components="components:\n  spaces:\n" + "\n".join(f"    s{i}: {{grid: 22x22}}" for i in range(8)),
            define="define:\n" + "\n".join(f"  d{i}(s{i} a, s{i} b): distance(a, b)" for i in range(8)),
        ),
        "too-large",
    ),
    "a table of ten million": (definition(constants="constants:\n  t: {per: [1..3000, 1..3000], values: {otherwise: {otherwise: 1}}}"), "too-large"),
    "a table of a billion": (definition(constants="constants:\n  t: {per: 1..1000000000, values: {otherwise: 1}}"), "too-large"),
    "a billion words": (definition(state="state:\n  n: {type: 0..99}\n  s: {per: 1..1000000000, type: 0..9}"), "too-large"),
    "more words than a state has": (definition(state="state:\n  n: {type: 0..99}\n  s: {per: [1..70, 1..1000], type: 0..9}"), "too-large"),
    "as many words as a state has": (definition(state="state:\n  n: {type: 0..99}\n  s: {per: [1..65, 1..999], type: 0..9}"), "loaded"),
    "subsets of sixty cards": (
        definition(components=DEEP_CARDS, define="define:\n  fam: subsets(30..30, c in card)", scoring="scoring:\n  p: count(s for s in fam)"),
        "too-large",
    ),
    "subsets of what a player holds": (
        definition(components=CARDS, end="end:\n  e: any(s in subsets(2..2, c in hand(player(1))) where count(s) > n)"),
        "constant-needed",
    ),
    "two million faces": (definition(components=components("  dice:\n    d: {faces: -1000000..1000000}"), setup="setup:\n  s: n = roll(d)"), "too-large"),
    "a billion combinations": (
        definition(actions="actions:\n  go:\n    choose: {a: 1..1000, b: 1..1000, c: 1..1000}\n    do:\n      it: n += 1"),
        "too-large",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_it_loads_or_says_why_not(name: str) -> None:
    text, expected = CASES[name]
    outcome = confined(loading(text))
    assert not outcome.crash, outcome.crash
    assert (outcome.value or outcome.errors[0]) == expected, outcome.text
    assert outcome.seconds < SECONDS


@pytest.mark.long
def test_a_file_as_dense_as_can_be() -> None:
    rule = "max(" + "n, " * 250 + "n)"
    lines = "\n".join(f"  s{i}: {rule}" for i in range(165))
    outcome = confined(loading(definition(scoring=f"scoring:\n{lines}")))
    assert not outcome.crash and outcome.seconds < limits.MAX_LOAD_SECONDS, outcome
    assert outcome.errors[:1] == ("too-large",)
