"""The rules of typing: what an expression or a step may be, and what tests tell about types."""

from __future__ import annotations

import pytest
from definitions import checked, definition, errors, turn

from ludex.backends.interpreter import Interpreter
from ludex.ir.lower import lower
from ludex.typed import expr as x
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


# ---------------------------------------------------------------------------------- steps

STEPS = [
    "n = 3",
    "n += 1",
    "gold(me) += n",
    "chosen = man(me, red)",
    "chosen = none",
    "let m = man(me, red)\nmove m to square(1, 1)",
    "if chosen is not none then n = 1",
    "let m = chosen\nif m is not none:\n  move m to tray(m.owner)",  # a `let` keeps what a test told
    "let m = chosen\nif m is none:\n  n = 1\nelse:\n  chosen = m\n  move m to square(1, 1)",
    "for each m in chosen do move m to square(2, 2)",
    "for each s in square where s is empty do n += 1",
    "for each p in clockwise from me:\n  gold(p) = 0",
    "place stone(me) on square(1, 1)",
    "remove stone at square(1, 1)",
    "move man at square(1, 1) to square(1, 2)",
    "shuffle deck\nlet c = top(deck)\nmove c to hand(me)",
    "shuffle deck\ndeal 2 from deck to hand(me)",
    "let a = roll(die)\nn = a",
    "let p = random q in players where q != me\ngold(p) = 1",
    "choose c in hand(me) where c.value > 2:\n  move c to heap",
    "choose 2 c in hand(me):\n  move c to heap",
    "choose several c in hand(me) total c.value in 3..5:\n  move c to heap",
    "choose amounts k for p in players each 0..2 total 1..3:\n  gold(p) += k",
    "ask next(me):\n  choose s in square:\n    n = s.x",
    "repeat 3:\n  n += 1\n  if n > 2 then stop",
    "while n > 0:\n  n -= 1",
    "repeat:\n  stop",
    'say "{me} has {gold(me)}"',
    "show man(me, red) to me",
    "reveal man(me, red)",
    "end turn",
    "end round",
    "end phase",
    "end game",
    "again",
    "win me",
    "tie",
]


@pytest.mark.parametrize("steps", STEPS)
def test_steps_that_are_right(steps: str) -> None:
    assert errors(definition(phases=turn(steps))) == []


BAD_STEPS = [
    ("n = red", "wrong-type"),
    ("n = 12", "out-of-range"),
    ("n = chosen", "wrong-type"),
    ("chosen = card(red, 1)", "wrong-type"),
    ("let m = chosen\nmove m to tray(me)", "may-be-none"),
    ("if chosen is not none:\n  move chosen to tray(me)", "may-be-none"),  # a state item may change meanwhile
    ("let a = n\na = 3", "bad-assignment"),
    ("man(me, red).place = square(1, 1)", "bad-assignment"),
    ("me = player(1)", "bad-assignment"),
    ("let n = 3", "shadowed-name"),
    ("for each p in players:\n  let p = 1", "shadowed-name"),
    ("move man(me, red) to heap", "place-not-allowed"),
    ("move stone to square(1, 1)", "wrong-type"),
    ("place stone on square(1, 1)", "wrong-type"),
    ("move red to square(1, 1)", "wrong-type"),
    ("shuffle deck\nif top(deck).value == 1 then n = 1", "unknown-order"),
    ("shuffle square(1, 1)", "wrong-type"),
    ("stop", "leave-outside"),
    ("act fly", "unknown-name"),
    ("run fly", "unknown-name"),
    ("ask red:\n  n = 1", "wrong-type"),
    ("choose c in n:\n  n = 1", "not-a-set"),
    ("choose c in hand(next(me)):\n  n = 1", "hidden-information"),
    ("choose s in square where secret(next(me)) > s.x:\n  n = 1", "hidden-information"),
    ("choose s in square where count(hand(next(me))) > s.x:\n  n = 1", None),  # sizes are public
    ("choose s in square where secret(me) > s.x:\n  n = 1", None),
    (
        "let k = secret(me)\nask next(me):\n  choose s in square where s.x > k:\n    n = 1",
        "hidden-information",
    ),
    ("if secret(next(me)) > 3:\n  choose s in square:\n    n = 1", "hidden-information"),
    (
        "let c = the(hand(next(me)))\nchoose d in hand(me) where d.value > c.value:\n  n = 1",
        "hidden-information",
    ),
    (
        "let c = the(hand(next(me)))\nmove c to heap\nchoose d in hand(me) where d.value > c.value:\n  n = 1",
        None,
    ),
    ("secretly ask players:\n  n = 1", "in-secret"),
    ("secretly ask players:\n  secret(me) = 1", None),
    ("secretly ask players:\n  secret(me) = secret(next(me))", "hidden-information"),
    ("secretly ask players:\n  if count(hand(next(me))) > 2 then secret(me) = 1", "hidden-information"),
    ("secretly ask players:\n  let a = roll(die)", "in-secret"),
    ("secretly ask players:\n  end turn", "in-secret"),
    ("repeat 2:\n  secretly ask players:\n    stop", "leave-outside"),
]


@pytest.mark.parametrize(("steps", "code"), BAD_STEPS)
def test_steps_that_are_wrong(steps: str, code: str | None) -> None:
    assert [c for c, _ in errors(definition(phases=turn(steps)))] == ([] if code is None else [code])


# -------------------------------------------------------------------- phases and leaving


def phase(**parts: str) -> str:
    return "play:\n" + "\n".join(f"  {key}: {text}" for key, text in parts.items())


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ({"do": "{a: end turn}"}, "leave-outside"),
        ({"do": "{a: again}"}, "leave-outside"),
        ({"do": "{a: end round}"}, None),
        ({"turns": "clockwise from player(1)", "do": "{a: end turn}"}, None),
        (
            {"turns": "clockwise from player(1)", "do": "{a: n = 1}", "finish": "{b: end phase}"},
            "leave-outside",
        ),
        ({"begin": "{a: end turn}", "do": "{b: n = 1}"}, "leave-outside"),
        ({"begin": "{a: end phase}", "do": "{b: n = 1}"}, None),
        ({"each_round": "{a: gold(me) = 1}", "do": "{b: n = 1}"}, "no-me"),
        ({"do": "{b: n = 1}", "until": "gold(me) == 1"}, "no-me"),
        ({"turns": "players", "do": "{b: n = 1}"}, "wrong-type"),
    ],
)
def test_phases(parts: dict[str, str], code: str | None) -> None:
    assert [c for c, _ in errors(definition(phases=phase(**parts)))] == ([] if code is None else [code])


def test_setup_leaves_nothing() -> None:
    assert [c for c, _ in errors(definition(setup="a: end phase"))] == ["leave-outside"]


def test_a_procedure_leaves_what_its_callers_are_in() -> None:
    """The procedure that ends a turn is right where it is run in a turn, and wrong elsewhere."""
    procedures = "leave_it: {a: end turn}"
    assert errors(definition(procedures=procedures, phases=turn("run leave_it"))) == []
    found = errors(definition(procedures=procedures, phases="play:\n  do: {a: run leave_it}"))
    assert [c for c, _ in found] == ["leave-outside"]


ACTION = "go:\n  choose: {{s: square}}\n  where: {{{where}}}\n  do: {{{do}}}"


@pytest.mark.parametrize(
    ("do", "code"),
    [("a: n = s.x", None), ("a: act go", "recursion"), ("a: run again_and_again", "recursion")],
)
def test_recursion_through_decisions(do: str, code: str | None) -> None:
    text = definition(
        actions=ACTION.format(where="free: s is empty", do=do),
        procedures="again_and_again: {a: act go}",
        phases=turn("act go\nrun again_and_again"),
    )
    assert [c for c, _ in errors(text)] == ([] if code is None else [code])


def test_what_conditions_tested_holds_in_the_steps() -> None:
    action = """
    take:
      choose: {s: square}
      let: {m: man at s}
      where: {somebody stands there: m is not none}
      do: {take him: move m to tray(m.owner)}
    """
    assert errors(definition(actions=action, phases=turn("act take"))) == []
    untested = action.replace("m is not none", "s.x > 1")
    assert [c for c, _ in errors(definition(actions=untested, phases=turn("act take")))] == ["may-be-none"]


def test_a_condition_is_never_tested_before_one_that_it_relies_on() -> None:
    """The second condition has only the first parameter, but needs what the first one tells."""
    action = """
    take:
      choose: {s: square, t: square}
      let: {m: man at s}
      where:
        somebody stands there: m is not none and t != s
        he is not yours: m.color == red
      do: {take him: move m to t}
    """
    game = checked(definition(actions=action, phases=turn("act take")))
    site = next(
        n.site
        for step in game.phases[0].do
        for d in step.body
        for n in d.alternatives  # type: ignore[union-attr]
    )
    guards = [[i.rule for i in level.items if isinstance(i, x.OptionGuard)] for level in site.levels]
    assert [len(g) for g in guards] == [0, 0, 2]


def test_late_conditions_come_last() -> None:
    text = definition(
        procedures="jump(square a):\n  go: move man(me, red) to a",
        actions="go:\n  choose: {s: square}\n  where:\n    late: try jump(s) then n > 1\n"
        "    early: s is empty\n  do: {a: run jump(s)}",
        phases=turn("act go"),
    )
    game = checked(text)
    decision = game.phases[0].do[0].body[0]
    site = decision.alternatives[0].site  # type: ignore[union-attr]
    assert [game.rules[g.rule].name for g in site.late] == ["late"]


@pytest.mark.parametrize(
    "inner", ["choose s in square:\n    n = 1", "let a = roll(die)", "win me", "end game"]
)
def test_try_runs_only_what_never_waits(inner: str) -> None:
    text = definition(
        procedures=f"jump:\n  a: |\n    {inner.replace(chr(10), chr(10) + '    ')}",
        actions="go:\n  where: {late: try jump() then n > 1}\n  do: {a: n = 1}",
        phases=turn("act go"),
    )
    assert [c for c, _ in errors(text)] == ["cannot-try"]


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
