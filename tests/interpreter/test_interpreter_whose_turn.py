"""What holds while it is nobody's turn: first values, end conditions and positions that speak of `me`."""

from __future__ import annotations

from pathlib import Path

import pytest

import ludex
from ludex.game import RuleFault, State

HEAD = "ludex: 1\ngame: whose\ntitle: Whose turn\nplayers: 2\n"
FIRST_VALUES = """\
state:
  a: {type: 2..6, reset: turn}
  b: {type: player, start: player(2), reset: round}
  c: {per: {p: player}, type: 1..3, start: p.number + 1, reset: phase}
  sum: {type: 0..99}
setup: {what they are: 'sum = a + b.number + c(player(1)) + c(player(2))'}
phases:
  play: {turns: clockwise from player(1), rounds: 2, do: {go: act go}}
actions: {go: {do: sum += 0}}
"""
ENDS = """\
state: {told: {per: player, type: bool}, n: {type: 0..99}}
procedures:
  count: {do: {one more: n += 1}}
phases:
  play:
    turns: clockwise from player(1)
    rounds: 3
    each_round:
      outside: run count
      asked: |
        ask player(2):
          act go
    do: {inside: run count, go: act go}
actions: {go: {do: {so: n += 0}}}
end: {it was not told: n > 3 and not told(me)}
"""
POSITIONS = """\
state: {n: {type: 0..3}, times: {type: 0..9}}
records: {all: {of: [who, n], keep: 9}}
define: {who: me}
setup: {the first: note all}
phases:
  play:
    turns: clockwise from player(1)
    rounds: 2
    each_round:
      again: |
        times += seen(all)
        note all
    do:
      go: |
        times += 3 * seen(all)
        act go
actions: {go: {do: note all}}
"""


LATER_GAMES = """\
match: {games: 2, total: sum}
components:
  spaces: {field: {count: 2}}
  tokens: {man: {count: 9, start: field(1)}}
state:
  there: {type: 0..9, start: count(man at field(1))}
  and_one: {type: 0..19, start: there + game_number}
  round_before: {type: 0..9}
setup: {round: round_before = round_number}
phases:
  play: {turns: clockwise from player(1), rounds: 2, do: {go: act go}}
actions: {go: {do: {away: move 1 man from field(1) to field(2)}}}
"""
NOT_ROLLED = """\
match: {games: 2, total: sum}
components:
  dice: {bone: {faces: 2..6, count: 2}}
state:
  worth: {per: {i: 1..6}, type: 0..9, start: 7 - i}
  which: {type: 0..2, start: game_number}
  shown: {type: 0..20, start: sum(b.face for b in bone)}
phases:
  play: {turns: clockwise from player(1), rounds: 1, do: {go: act go or look, then: roll bone}}
actions:
  go: {do: {so: shown += 0}}
  look: {do: {worth of none: shown = worth(bone(1).face)}}
"""


def started(tmp_path: Path, sections: str) -> State:
    path = tmp_path / "game.yaml"
    path.write_text(HEAD + sections)
    return ludex.load(str(path)).start(1)


def test_every_item_has_its_first_value_from_the_beginning(tmp_path: Path) -> None:
    """The number nearest to 0 is 2, the second player's is 2, and the last two are 2 and 3."""
    assert started(tmp_path, FIRST_VALUES).observation(None).value("sum") == 2 + 2 + 2 + 3


def test_an_end_condition_of_me_waits_for_a_turn(tmp_path: Path) -> None:
    """The fourth to be counted is that of the second round, outside of turns and before the choice there."""
    state = started(tmp_path, ENDS)
    for _ in range(3):
        state = state.apply("go")
    assert not state.is_terminal and state.observation(None).value("n") == 4
    state = state.apply("go")
    assert state.is_terminal and state.observation(None).value("n") == 5


def test_outside_of_turns_the_player_of_a_position_is_nobody(tmp_path: Path) -> None:
    """Seen before: that of setup, then both; in turns each player's own of the first round, once."""
    state = started(tmp_path, POSITIONS)
    for _ in range(4):
        state = state.apply("go")
    assert state.is_terminal and state.observation(None).value("times") == 1 + 2 + 3 * (0 + 0 + 1 + 1)


def test_every_game_of_a_match_begins_with_its_first_values(tmp_path: Path) -> None:
    """All nine men are counted where they begin, whatever was moved; it is the second game, in no round."""
    state = started(tmp_path, LATER_GAMES)
    assert _first(state) == (9, 9 + 1, 0)
    for _ in range(4):
        state = state.apply("go")
    assert _first(state) == (9, 9 + 2, 0)


def test_dice_show_nothing_until_they_are_rolled(tmp_path: Path) -> None:
    """In the second game, too; and there is no element 0."""
    state = started(tmp_path, NOT_ROLLED)
    assert state.observation(None).value("shown") == 0
    with pytest.raises(RuleFault, match="no element 0"):
        state.apply("look")
    state = state.apply("go").apply("go")
    assert state.observation(None).value("which") == 2
    assert state.observation(None).value("shown") == 0


def _first(state: State) -> tuple[object, ...]:
    seen = state.observation(None)
    return tuple(seen.value(name) for name in ("there", "and_one", "round_before"))
