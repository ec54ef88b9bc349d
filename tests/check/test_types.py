"""The rules of typing: what an expression or a definition may be, and what tests tell about types."""

from __future__ import annotations

import pytest
from definitions import checked, definition, errors, turn

from ludex.backends.interpreter import Interpreter
from ludex.ir.lower import lower
from ludex.typed.types import BOOL, EntityType, IntType, SetType, Type

SQUARE = EntityType(("square",))


# ------------------------------------------------------------------------- expressions

GOOD = [
    "n + 1 > 3",
    "n in 2..4",
    "n in value",
    "count(square) == 9",
    "any(s in square where s is empty)",
    "all(s is empty for s in square)",
    "sum(gold(p) for p in players) > 0",
    "max(gold(p) for p in players else 0) > 0",
    "max(n, 3) > 2",
    "chosen is none",
    "chosen == none",
    "chosen is none or chosen.color == red",
    "chosen is not none and chosen.color == red",
    "not (chosen is none) and chosen.place in square",
    "if chosen is none then true else chosen.color == red",
    "any(m.color == red for m in chosen)",  # what may be none is gone through as none or one
    "chosen.owner == player(1)",  # an attribute of none is none: comparing is no fault
    "chosen.owner == player(1) and chosen.color == red",  # and it is present if it equals something
    "where_to is none or (where_to in square and where_to.x == 1)",  # a union narrowed by membership
    "where_to is none or where_to in square or where_to.owner == player(1)",  # and by its failing
    "any(s in square where man at s is not none)",
    "(man at square(1, 1)) is none",
    "count(stone at tray(player(1))) > 0",
    "any(stone of player(1) at square(1, 1))",
    "count(man of player(1)) == 2",
    "card(red, 3) in heap",
    "count(heap) > 2",
    "heap is empty",
    "set(red, blue) == color",
    "set(c.color for c in heap) within set(red)",
    "first(c in heap where c.value > 2) is none",
    "the(heap).value == 2",
    "the(most(p in players by gold(p))) == player(1)",
    "next(player(1)) == player(2)",
    "distance(square(1, 1), square(3, 2)) == 2",
    "step(square(1, 1), north) is none",
    "any(t is empty for t in step(square(1, 1), north))",
    "count(neighbors(square(2, 2))) == 4",
    "region(q from square(1, 1) where q is empty) within square",
    "abs(n - 5) < 2",
    "n mod 2 == 0 and n div 2 < 5",
]


@pytest.mark.parametrize("text", GOOD)
def test_conditions_that_are_right(text: str) -> None:
    assert errors(definition(invariants=f'rule: "{text}"')) == []


BAD = [
    ("n + red > 1", "wrong-type", "red"),
    ("n", "wrong-type", "n"),
    ("count(square)", "wrong-type", "count(square)"),
    ("square(1, 1) > 2", "wrong-type", "square(1, 1)"),
    ("square(1, 1) == red", "never-equal", "square(1, 1) == red"),
    ("red in square", "never-equal", "red in square"),
    ("n in square", "never-equal", "n in square"),
    ("n in n", "not-a-set", "n"),
    ("gold(chosen.owner) > 0", "may-be-none", None),
    ("chosen.weight > 0", "unknown-name", "weight"),
    ("any(man at s for s in square)", "wrong-type", "man at s"),
    ("where_to.x == 1", "unknown-name", None),
    ("where_to in square and where_to.owner == player(1)", "unknown-name", None),
    ("step(square(1, 1), north) is empty", "may-be-none", "step(square(1, 1), north)"),
    ("step(square(1, 1), north).x == 1", "may-be-none", None),
    ("gold == 1", "wrong-arguments", "gold"),
    ("gold(player(1), player(2)) == 1", "wrong-arguments", None),
    ("gold(red) == 1", "wrong-arguments", "red"),
    ("square(4, 1) == square(1, 1)", "out-of-range", None),
    ("n div 0 == 1", "out-of-range", "0"),
    ("nothing == 1", "unknown-name", "nothing"),
    ("n(1) == 1", "wrong-arguments", None),
    ("sum(s for s in square) == 1", "wrong-type", None),
    ("most(p in players) is none", "wrong-arguments", None),
    ("first(c.value for c in heap) == 1", "may-be-none", None),
    ("count(x in square where x.x == 1 by x.y) == 1", "wrong-arguments", None),
    ("all(s in square) == true", "wrong-arguments", None),
    ("card at heap is empty and man", "wrong-type", "man"),
    ("stone == none", "wrong-type", "stone"),
    ("me == player(1)", "no-me", "me"),
    ("opponent(player(1)) == player(2)", "wrong-arguments", None),
    ("roll(die) == 1", "effect-in-definition", None),
    ("if n == 1 then red else n", "wrong-type", None),
    ("if n == 1 then 2 else 3", "wrong-type", None),
    ("set(red, 1) == set()", "wrong-type", None),
    ("true == 1", "wrong-type", None),
]


@pytest.mark.parametrize(("text", "code", "about"), BAD)
def test_conditions_that_are_wrong(text: str, code: str, about: str | None) -> None:
    found = errors(definition(invariants=f'rule: "{text}"'), players=3)
    assert [c for c, _ in found] == [code]
    assert about is None or found[0][1] == about


# -------------------------------------------------------------------------- definitions


@pytest.mark.parametrize(
    ("define", "expected"),
    [
        ("seen(player p): gold(p) + 1", IntType(-(2**31) + 1, 2**31 - 1)),
        ("seen(player p): gold(p) > 1", BOOL),
        ("seen(player p): first(s in square where gold(p) == s.x)", EntityType(("square",), True)),
        ("seen(player p): set(s in square where gold(p) == s.x)", SetType(SQUARE)),
        ("seen(player p): min(n + gold(p), 3)", IntType(-(2**31), 3)),
    ],
)
def test_results_of_definitions(define: str, expected: Type) -> None:
    game = checked(
        definition(define=define, invariants="used: any(seen(p) == seen(next(p)) for p in players)")
    )
    bodies = [f.body for f in game.functions if f.name == "seen"]
    assert all(b.type == expected for b in bodies)


def test_a_definition_that_reads_no_state_is_a_table() -> None:
    game = checked(
        definition(
            define="corner(square s): s.x in set(1, 3) and s.y in set(1, 3)",
            invariants="four: n > 9 or count(s in square where corner(s)) == 4 + n",
        )
    )
    table = next(t for t in game.tables if t.name == "@define:corner")
    assert table.values == (1, 0, 1, 0, 0, 0, 1, 0, 1)


def test_recursion_counts_down() -> None:
    text = "depth(int k): if k <= 0 then 0 else 1 + depth(k - 1)"
    game = checked(definition(define=text, invariants="deep: depth(n) == n"))
    assert next(f for f in game.functions if f.name == "depth").recursive


def test_mutual_recursion() -> None:
    """Both definitions lead back to themselves, so both keep their variables from call to call."""
    text = """
    even(int k): if k <= 0 then 1 else odd(k - 1) + sum(i for i in 1..k) * 0
    odd(int k): if k <= 0 then 0 else even(k - 1) + sum(i for i in 1..k) * 0
    """
    invariants = "right: all(even(k) == 1 - k mod 2 and odd(k) == k mod 2 for k in 0..9)"
    waiting = turn("choose s in square:\n  n = s.x")
    game = checked(definition(define=text, invariants=invariants, phases=waiting))
    assert {f.name for f in game.functions if f.recursive} == {"even", "odd"}
    machine = Interpreter(lower(game))
    assert machine.broken_invariants(machine.start()) == []


def test_a_pile_that_is_given_for_a_set_is_what_is_in_it() -> None:
    define = """
    total(set of card s): sum(c.value for c in s)
    how_many(set of deck s): count(s)
    """
    invariants = "right: total(deck) == 30 and total(heap) == 0 and how_many(deck) == 1"
    waiting = turn("choose s in square:\n  n = s.x")
    machine = Interpreter(lower(checked(definition(define=define, invariants=invariants, phases=waiting))))
    assert machine.broken_invariants(machine.start()) == []


@pytest.mark.parametrize(
    ("define", "code"),
    [
        ("f(int k): f(k) > 1", "wrong-type"),
        ("f(square s): roll(die)", "effect-in-definition"),
        ("f(nothing s): 1", "unknown-name"),
        ("f(square square): 1", "shadowed-name"),
        ("f: g\n  g: f", None),
        ("man(square s): 1", "duplicate-name"),
    ],
)
def test_definitions_that_are_wrong(define: str, code: str | None) -> None:
    found = [c for c, _ in errors(definition(define=define.replace("\n  ", "\n")))]
    assert code is None or code in found


# ----------------------------------------------------------------------------- the rest


def test_options_are_constants_and_both_branches_are_checked() -> None:
    text = definition(phases=turn("if fast then n = 1 else n = red"))
    assert [c for c, _ in errors(text)] == ["wrong-type"]
    assert [c for c, _ in errors(text, fast="false")] == ["wrong-type"]


def test_a_glyph_of_dice_has_the_face_they_show() -> None:
    text = definition(view='glyphs: {bone: "{owner}: {face}"}')
    text = text.replace("    die: 1..6\n", "    bone: {per: player, faces: 1..6}\n", 1)
    assert errors(text) == []


def test_an_end_that_can_never_come() -> None:
    assert [c for c, _ in errors(definition(end="never: n > 12"))] == ["unreachable-end"]
    assert errors(definition(end="perhaps: fast and n > 5")) == []
    assert errors(definition(end="perhaps: fast and n > 5"), fast="false") == []


@pytest.mark.parametrize(
    ("constants", "code"),
    [
        ("k: {by: player_count, 2: 1, 3: 2}", None),
        ("k: {by: player_count, 2: 1}", "missing-case"),
        ("k: {by: player_count, 2: 1, otherwise: 3}", None),
        ("k: {per: color, values: [1, 2]}", None),
        ("k: {per: color, values: [1, 2, 3]}", "bad-table"),
        ("k: {per: color, values: {red: 1}}", "missing-case"),
        ('k: {per: color, values: {red: 1, blue: "square(1, 1)"}}', "bad-table"),
        ("k: n", "constant-needed"),
        ("k: k + 1", "cyclic-definition"),
    ],
)
def test_constants(constants: str, code: str | None) -> None:
    used = {"invariants": "used: count(set(k)) >= 0"} if "per" not in constants or "by" in constants else {}
    found = [c for c, _ in errors(definition(constants=constants, **used))]
    assert found == ([] if code is None else [code])


def test_candidates_of_an_option_have_a_ceiling() -> None:
    action = "go:\n  choose: {a: 1..1000, b: 1..1000, c: 1..1000}\n  do: {a: n = 1}"
    found = errors(definition(actions=action, phases=turn("act go")))
    assert [c for c, _ in found] == ["too-large"]


def test_definitions_nested_without_end() -> None:
    """A thousand definitions on top of each other are a diagnostic, no traceback."""
    chain = "\n".join(f"d{i}: d{i - 1} + n" for i in range(1, 1000))
    found = errors(definition(define=f"d0: n\n{chain}", invariants="last: d999 > 0"))
    assert {c for c, _ in found} <= {"too-large"}


def test_deep_nesting() -> None:
    """As deep as the grammar allows: parentheses, `not`, `if`, calls."""
    for deep in (
        "(" * 90 + "n" + ")" * 90 + " > 1",
        "not " * 90 + "n > 1",
        "abs(" * 90 + "n" + ")" * 90 + " > 1",
    ):
        assert errors(definition(invariants=f"deep: {deep}")) == []


# -------------------------------------------------------------------------- components


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        ("7", [7, 7]),
        ("{by: player_count, 2: 10, 3: 8}", [10, 10]),
        ("{by: fast, true: 4, false: 5}", [4, 4]),
        ("{by: owner, player_1: 3, otherwise: 6}", [3, 6]),
    ],
)
def test_how_many_tokens_there_are(count: str, expected: list[int]) -> None:
    text = definition().replace("stone: {per: player,", f"stone: {{per: player, count: {count},")
    game = checked(text)
    faces = game.world.kind("stone").ids
    assert [s.count for s in game.starts if s.entity in faces] == expected


def test_a_face_is_its_tokens() -> None:
    """`stone(p)` is what `stone of p` is, at a place and in a move."""
    text = definition(
        setup="""
        some are laid: |
          move 3 stone(player(1)) from box to tray(player(1))
          move 2 stone of player(2) from box to tray(player(1))
          place stone(player(2)) on square(1, 1)
          move stone(player(2)) at tray(player(1)) to tray(player(2))
        """,
        invariants="""
        three: count(stone(player(1)) at tray(player(1))) == 3
        none is left: count(stone(player(2)) at tray(player(1))) == 0
        two are there: count(stone of player(2) at tray(player(2))) == 2
        one on a space for one: any(stone(player(2)) at square(1, 1))
        and no other: not any(stone(player(1)) at square(1, 1))
        over several places: count(stone(player(2)) at square) == 1
        not so: count(stone(player(1)) at tray(player(1))) == 0
        """,
        phases="play: {do: {go on: n = 0}}",
    )
    program = lower(checked(text))
    machine = Interpreter(program)
    broken = [program.rules[rule].name for rule in machine.broken_invariants(machine.start())]
    assert broken == ["not so"]


@pytest.mark.parametrize("players", [1, 2])
def test_numbers_that_happen_to_be_one(players: int) -> None:
    """What may be several has a number always; what is declared as one thing never has."""
    text = definition(
        setup="""
        by number: |
          move pawn(1) to town(1)
          gold(player(1)) = 1
        """
    ).replace("players: 2..3", "players: 1..2")
    text = text.replace("    tray:", "    town: player_count\n    tray:")
    text = text.replace("    man:", "    pawn: {count: player_count, places: town, start: town(1)}\n    man:")
    assert errors(text, players=players) == []
    alone = text.replace("gold(player(1)) = 1", "shuffle deck(1)")
    assert errors(alone, players=players) == [("not-callable", "deck(1)")]


@pytest.mark.parametrize(
    ("old", "new", "code", "about"),
    [
        ("stone: {per: player,", "stone: {per: player, count: {by: gold, 1: 3},", "wrong-arguments", "gold"),
        ("{per: {owner: player, color: color},", "{count: {by: n, 1: 2},", "constant-needed", "n"),
        ("value: {range: 1..5}", "value: {range: 1..5}\n  w: {by: color, red: [a]}", "wrong-type", "color"),
        ("{grid: 3x3, holds: 1}", "{grid: [3, count(free)], holds: 1}", "cyclic-definition", None),
    ],
)
def test_components_that_cannot_be_made(old: str, new: str, code: str, about: str | None) -> None:
    text = definition(define="free: set(s in square where s.x > 1)\nmuch(square s): s.x")
    assert old in text
    found = errors(text.replace(old, new))
    assert code in [c for c, _ in found]
    assert about is None or about in [a for _, a in found]
