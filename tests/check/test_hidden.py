"""A decision may depend only on what its player sees, whatever way the secret takes to it."""

from __future__ import annotations

import pytest
from definitions import checked, definition, errors, turn

from ludex.diagnostics import Failed

GUESS = """
guess(int limit):
  one guesses: |
    choose s in square where s.x > limit:
      n = s.x
"""


def codes(steps: str, **sections: str) -> list[str]:
    return [c for c, _ in errors(definition(phases=turn(steps), **sections))]


@pytest.mark.parametrize(
    ("steps", "hidden"),
    [
        ("run guess(secret(me))", False),
        ("run guess(secret(next(me)))", True),
        ("let k = secret(next(me))\nrun guess(k)", True),
        ("let k = secret(next(me))\nlet j = k + 1\nrun guess(j)", True),
        ("let k = secret(me)\nrun guess(k)", False),
        ("let k = secret(me)\nask next(me):\n  run guess(k)", True),
        ("let k = n\nask next(me):\n  run guess(k)", False),
        ("let p = me\nlet k = secret(p)\nrun guess(k)", False),
        ("run guess(1)\nrun guess(n)\nrun guess(secret(next(me)))", True),  # not in the first call alone
        ("run guess(secret(next(me)))\nrun guess(1)", True),
    ],
)
def test_a_secret_handed_to_a_procedure(steps: str, hidden: bool) -> None:
    assert codes(steps, procedures=GUESS) == (["hidden-information"] if hidden else [])


def test_where_a_secret_is_handed_over_and_where_it_matters() -> None:
    with pytest.raises(Failed) as failed:
        checked(definition(procedures=GUESS, phases=turn("let k = secret(next(me))\nrun guess(k)")))
    (found,) = failed.value.diagnostics
    assert found.span.text == "k"
    assert "`guess`" in found.message and "`secret`" in found.message
    assert [label.span.text for label in found.labels] == ["s.x > limit"]


RELAY = (
    GUESS
    + """
relay(int a, int b):
  on it goes: |
    let c = b * 2
    run guess(c)
"""
)


@pytest.mark.parametrize(
    ("steps", "hidden"),
    [
        ("run relay(secret(next(me)), 1)", False),  # what is not used tells nothing
        ("run relay(1, secret(next(me)))", True),
        ("run relay(1, secret(me))", False),
    ],
)
def test_a_secret_handed_on(steps: str, hidden: bool) -> None:
    assert codes(steps, procedures=RELAY) == (["hidden-information"] if hidden else [])


OTHER = """
other_guesses(player p, int limit):
  he guesses: |
    ask p:
      choose s in square where s.x > limit:
        n = s.x
discard(player p):
  he discards: |
    ask p:
      choose c in hand(p):
        move c to heap
"""


@pytest.mark.parametrize(
    ("steps", "hidden"),
    [
        ("run other_guesses(me, secret(me))", False),
        ("run other_guesses(next(me), secret(me))", True),
        ("for each p in players do run other_guesses(p, secret(p))", False),
        ("for each p in players do run other_guesses(next(p), secret(p))", True),
        ("run discard(next(me))", False),
    ],
)
def test_the_player_who_decides_may_be_a_parameter_himself(steps: str, hidden: bool) -> None:
    assert codes(steps, procedures=OTHER) == (["hidden-information"] if hidden else [])


SIMPLE = "decide:\n  a choice: |\n    choose s in square:\n      n = s.x"


@pytest.mark.parametrize(
    ("steps", "hidden"),
    [
        ("if secret(next(me)) > 3 then run decide", True),
        ("if secret(me) > 3 then run decide", False),
        ("while secret(next(me)) > n:\n  run decide", True),
        ("repeat secret(next(me)):\n  run decide", True),
        ("repeat secret(me):\n  run decide", False),
        ("if secret(me) > 3:\n  ask next(me):\n    run decide", True),
    ],
)
def test_whether_a_procedure_asks(steps: str, hidden: bool) -> None:
    assert codes(steps, procedures=SIMPLE) == (["hidden-information"] if hidden else [])


PICK = """
pick:
  choose: {c: hand(me)}
  do:
    it goes: |
      DO
"""
ANSWER = "ask next(me):\n        choose d in hand(me) where d.value > c.value:\n          move d to heap"


@pytest.mark.parametrize(
    ("do", "hidden"),
    [
        (ANSWER, True),
        ("move c to heap\n      " + ANSWER, False),
        ("show c to next(me)\n      " + ANSWER, False),
        ("show c to me\n      " + ANSWER, True),
        ("reveal c\n      " + ANSWER, False),
        ("choose d in hand(me) where d.value > c.value:\n        move d to heap", False),
    ],
)
def test_what_a_player_chose_from_his_hand(do: str, hidden: bool) -> None:
    found = codes("act pick", actions=PICK.replace("DO", do))
    assert found == (["hidden-information"] if hidden else [])


TELLS = """
lay(card c):
  it is laid: move c to heap
take(card c):
  it is taken: move c to hand(me)
"""


@pytest.mark.parametrize(
    ("steps", "hidden"),
    [
        ("run lay(c)\nchoose d in hand(me) where d.value > c.value:\n  n = 1", False),
        ("run take(c)\nchoose d in hand(me) where d.value > c.value:\n  n = 1", False),
        ("run take(c)\nask next(me):\n  choose d in hand(me) where d.value > c.value:\n    n = 1", True),
        ("choose d in hand(me) where d.value > c.value:\n  n = 1", True),
        ("move c to hand(me)\nask next(me):\n  choose d in hand(me) where d.value > c.value:\n    tie", True),
    ],
)
def test_a_card_that_is_shown_by_moving_it(steps: str, hidden: bool) -> None:
    found = codes(f"let c = the(hand(previous(me)))\n{steps}", procedures=TELLS)
    assert found == (["hidden-information"] if hidden else [])


@pytest.mark.parametrize(
    ("steps", "hidden"),
    [
        ("let c = random d in hand(next(me))\nchoose e in hand(me) where e.value > c.value:\n  n = 1", True),
        ("let p = random q in players\nchoose s in square where p == me:\n  n = 1", False),
        ("choose several c in hand(me) size 0..secret(next(me)):\n  n = 1", True),
        ("choose several c in hand(me) total c.value in 0..secret(next(me)):\n  n = 1", True),
        ("choose amounts k for s in tray each 0..2 total secret(next(me)):\n  n = k", True),
        ("choose amounts k for s in tray each 0..2 total secret(me):\n  n = k", False),
        ("repeat secret(next(me)):\n  choose s in square:\n    n = 1", True),
    ],
)
def test_other_ways(steps: str, hidden: bool) -> None:
    assert codes(steps) == (["hidden-information"] if hidden else [])


def test_the_number_of_a_choice_is_no_secret() -> None:
    found = codes("choose secret(next(me)) c in hand(me):\n  move c to heap")
    assert found == ["hidden-information"]


DEFINED = """
worth(player p): sum(c.value for c in hand(p)) + sum(c.value for c in hand(p) where c.color == red) * 3 + n
"""


@pytest.mark.parametrize(
    ("where", "hidden"),
    [
        ("worth(me) > 3", False),
        ("worth(next(me)) > 3", True),
        ("worth(me) > 3 and worth(next(me)) > 3", True),  # not in the first call alone
        ("try swap then n > 1", True),
        ("seen(past) > 1", True),
        ("seen(open) > 1", False),
    ],
)
def test_through_definitions_procedures_and_records(where: str, hidden: bool) -> None:
    found = codes(
        "note past\nnote open\nact go",
        define=DEFINED,
        procedures="swap:\n  it goes: n = secret(next(me))",
        records="past: {of: [secret], keep: 9}\nopen: {of: [n], keep: 9}",
        actions=f"go:\n  choose: {{s: square}}\n  where: {{it is so: {where}}}\n  do: {{it goes: n = 1}}",
    )
    assert found == (["hidden-information"] if hidden else [])
