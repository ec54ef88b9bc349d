"""What steps, phases and ways to leave may be."""

from __future__ import annotations

import pytest
from definitions import checked, definition, errors, turn

from ludex.typed import expr as x
from ludex.typed.types import EntityType

SQUARE = EntityType(("square",))

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
    ("move 1 stone(me) at square to square(1, 1)", "wrong-type"),
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
