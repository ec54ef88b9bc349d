"""Fixtures: the command line, a game with an overlay, and a translation of both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ludex.cli.main import main

GAME = """\
ludex: 1
game: coins
title: Coins
players: 2
options:
  rich: {type: [poor, wealthy], default: poor, note: Who has more to spend.}
types:
  metal: [silver, copper]
components:
  spaces: {chest: 2}
  pieces: {coin: {per: metal, count: 3, name: "{metal}_{n}", places: [chest, box], start: chest(1)}}
setup:
  greet the players: if rich == poor then say "welcome, {player(1)}"
actions:
  shift:
    label: "shift {c} away"
    choose: {c: coin}
    where:
      it lies in the first chest: {is: c.place == chest(1), note: The second is full.}
    do: {it is shifted: move c to chest(2)}
phases: {play: {turns: clockwise from player(1), do: {a coin is shifted: act shift or pass}}}
end:
  all are shifted: count(coin at chest(1)) == 0
scoring:
  coins moved: {is: count(coin at chest(2)), note: Those of both.}
view:
  panels:
    chests:
      across: s in chest
      rows: {coins: "{coin at s}", how many: "{count(coin at s)} in all"}
"""

OVERLAY = """\
ludex: 1
overlay: quick
extends: coins
title: Quick coins
add:
  end: {after ten rounds: round_number > 10}
"""

DEUTSCH = """\
ludex: 1
translation: de
game: coins
title: Münzen
names:
  player: Spieler
  rich: Wohlstand
  poor: arm
  wealthy: reich
  metal: Metall
  silver: Silber
  copper: Kupfer
  chest: Truhe
  coin: Münze
  shift: schieben
  play: Spiel
rules:
  greet the players: die Spieler begrüßen
  it lies in the first chest: sie liegt in der ersten Truhe
  it is shifted: sie wird verschoben
  a coin is shifted: eine Münze wird verschoben
  all are shifted: alle sind verschoben
  coins moved: bewegte Münzen
  after ten rounds: nach zehn Runden
texts:
  "welcome, {player(1)}": "willkommen, {player(1)}"
  "shift {c} away": "{c} verschieben"
  Who has more to spend.: Wer mehr auszugeben hat.
  The second is full.: Die zweite ist voll.
  Those of both.: Die von beiden.
  chests: Truhen
  coins: Münzen
  how many: wie viele
  "{count(coin at s)} in all": "insgesamt {count(coin at s)}"
  Quick coins: Schnelle Münzen
"""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    folder = tmp_path / "coins"
    (folder / "translations").mkdir(parents=True)
    (folder / "game.yaml").write_text(GAME, "utf-8")
    (folder / "quick.yaml").write_text(OVERLAY, "utf-8")
    (folder / "translations" / "de.yaml").write_text(DEUTSCH, "utf-8")
    return folder / "game.yaml"


@pytest.fixture
def deutsch(game: Path) -> Path:
    return game.parent / "translations" / "de.yaml"


@pytest.fixture
def ludex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: object, typed: str = "") -> Result:
        result = CliRunner().invoke(main, [str(w) for w in words], input=typed, prog_name="ludex")
        assert "Traceback" not in result.output and result.exit_code in (0, 1, 2)
        return result

    return run
