"""What happens is put down to the rule that does it, also after it has run others."""

from __future__ import annotations

import pytest
from written import written

from ludex.game import RuleFault

GAME = """
    state: {{n: {{type: 0..9}}, m: {{type: 0..9}}}}
    procedures:
      up: {{do: {{it goes up: n += 1}}}}
    actions:
      go:
        do:
          it is done: |
            run up
            m = {m}
    phases:
      play:
        turns: clockwise from player(1)
        do:
          one acts: |
            act go
            n = 5
    """


def test_a_rule_goes_on_after_what_it_ran() -> None:
    game = written(GAME.format(m=2))
    state = game.start(seed=0)
    state = state.apply(state.legal_actions("player_1")[0], "player_1")
    lines = {line.text: line.rule for line in state.log("player_1")}
    assert lines["n becomes 1"] == "it goes up"
    assert lines["m becomes 2"] == "it is done"
    assert lines["n becomes 5"] == "one acts"


def test_going_on_is_not_counted_as_beginning_again() -> None:
    game = written(GAME.format(m=2))
    state = game.start(seed=0)
    state.apply(state.legal_actions("player_1")[0], "player_1")
    names = [rule.name for rule in game.program.rules]
    applied = dict(zip(names, game.machine.coverage.applied, strict=True))
    assert (applied["it is done"], applied["it goes up"]) == (1, 1)


def test_a_fault_after_a_procedure_is_the_callers() -> None:
    state = written(GAME.format(m="n + 9")).start(seed=0)
    with pytest.raises(RuleFault, match="it is done"):
        state.apply(state.legal_actions("player_1")[0], "player_1")
