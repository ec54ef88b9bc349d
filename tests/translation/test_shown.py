"""What a reader of another language is shown; what he types, and what is saved, stays."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from ludex import pipeline
from ludex.bots import RandomBot
from ludex.game import Chance, State
from ludex.rng import Generator
from ludex.translation.folder import wording
from ludex.translation.report import sentence
from ludex.translation.wording import PLAIN, Wording
from ludex.translation.words import ENGLISH, WORDS

Ludex = Callable[..., Result]


def test_a_game_is_played_in_another_language(ludex: Ludex, game: Path) -> None:
    typed = "shift(silver_1)\nshift(silver_1)\nscores\nlog all\nquit\n"
    shown = ludex(
        "play", game, "--bots", "human", "--seat", "all=human", "--language", "de", typed=typed
    ).stdout
    assert "Münzen. Spieler_1: human, Spieler_2: human. `help` zeigt die Hilfe." in shown
    assert "Spieler_1 entscheidet: eine Münze wird verschoben" in shown
    assert "  1  Silber_1 verschieben   shift(silver_1)" in shown
    assert "passen   pass" in shown
    assert re.search(r"^Truhen\s+1\s+2$", shown, re.M)
    assert re.search(r"^wie viele  +insgesamt 6 +insgesamt 0$", shown, re.M)
    assert re.search(r"^Münzen +Silber_1$", shown, re.M)
    assert "Silber_1 geht von Truhe(1) nach Truhe(2)" in shown
    assert "sie liegt in der ersten Truhe\n      Die zweite ist voll." in shown
    assert "bewegte Münzen" in shown
    assert "die Spieler begrüßen: willkommen, Spieler_1" in shown


def test_a_line_may_be_typed_as_it_is_shown(ludex: Ludex, game: Path) -> None:
    shown = ludex(
        "play", game, "--seat", "all=human", "--language", "de", typed="Silber_1 verschieben\nquit\n"
    )
    assert "Silber_1 geht von Truhe(1) nach Truhe(2)" in shown.stdout


def test_a_save_has_nothing_of_the_language(ludex: Ludex, game: Path, tmp_path: Path) -> None:
    saves = []
    for words in (("--language", "de"), ()):
        file = tmp_path / f"{len(words)}.ludex"
        ludex(
            "play", game, *words, "--seat", "all=human", "--seed", "3", "--save", file, typed="1\n1\nquit\n"
        )
        saves.append(re.sub(r'"(saved|seats|id|time)[^,]*,', "", file.read_text("utf-8")))
    assert saves[0] == saves[1]
    resumed = ludex("play", game, "--resume", tmp_path / "2.ludex", "--language", "de", typed="quit\n")
    assert "entscheidet" in resumed.stdout
    assert "name the game" in ludex("play", "--resume", tmp_path / "2.ludex", "--language", "de").output


SEATS = """\
ludex: 1
game: duel
title: Duel
players: [white, black]
components:
  spaces: {field: 3, tray: {per: player}}
  pieces: {man: {per: player, places: [field, tray], start: tray(owner)}}
types: {stand: field or tray}
state:
  last: {type: optional stand}
  held: {type: set of man}
phases: {play: {do: {a man moves: pass}}}
"""
DUEL = """\
ludex: 1
translation: de
game: duel
names: {white: Weiß, black: Schwarz, field: Feld, tray: Ablage, man: Stein, stand: Platz}
"""


def test_a_rulebook_says_seats_and_kinds_in_that_language(ludex: Ludex, tmp_path: Path) -> None:
    file = tmp_path / "game.yaml"
    file.write_text(SEATS, "utf-8")
    (tmp_path / "translations").mkdir()
    (tmp_path / "translations" / "de.yaml").write_text(DUEL, "utf-8")
    shown = ludex("show", file, "--language", "de").stdout
    assert "Spieler: Weiß, Schwarz\n" in shown
    assert "Platz: Feld oder Ablage\n" in shown
    assert "Ablage: je: Spieler\n" in shown
    assert "Typ: eventuell Platz\n" in shown
    assert "Typ: Menge von Stein\n" in shown
    assert "Players: white, black\n" in ludex("show", file).stdout
    assert "stand: field or tray\n" in ludex("show", file).stdout


def test_what_is_not_translated_stays(ludex: Ludex, game: Path, deutsch: Path) -> None:
    deutsch.write_text("ludex: 1\ntranslation: de\ngame: coins\nnames: {silver: Silber}\n", "utf-8")
    shown = ludex("play", game, "--seat", "all=human", "--language", "de", typed="quit\n").stdout
    assert "  1  shift Silber_1 away   shift(silver_1)" in shown
    assert "player_1 entscheidet: a coin is shifted" in shown


def test_a_language_without_words_of_its_own_takes_them_from_the_file(ludex: Ludex, game: Path) -> None:
    file = game.parent / "translations" / "es.yaml"
    file.write_text(
        'ludex: 1\ntranslation: es\ngame: coins\ntexts: {"{player} is to decide": "decide {player}"}\n',
        "utf-8",
    )
    assert ludex("check", game, "--language", "es").exit_code == 0
    shown = ludex("play", game, "--seat", "all=human", "--language", "es", typed="quit\n").stdout
    assert "decide player_1: a coin is shifted" in shown


def test_the_list_of_games_has_titles_in_that_language(ludex: Ludex, game: Path) -> None:
    shown = ludex("list", game.parent, "--language", "de").stdout
    assert "Münzen" in shown and "Schnelle Münzen" in shown


def test_names_are_found_within_names_and_no_words_beside_them() -> None:
    words = Wording("xx", names={"red": "rot", "tower": "Turm", "player": "Spieler", "or": "OR", "g_h": "gh"})
    assert words.entity("red_1 tower(3) ?tower purse(player_2) blue_2 player_count g_h") == (
        "rot_1 Turm(3) ?Turm purse(Spieler_2) blue_2 player_count gh"
    )
    shown = words.template("or {k} or {{red}}")
    assert words.filled(shown.replace("{k}", "red_1")) == "or rot_1 or {{red}}"
    assert PLAIN.template("or {k}") == "or {k}" and PLAIN.filled("x") == "x"


def test_words_of_the_program_are_not_format_strings() -> None:
    """A file of translations gives some of them; it must not reach into the program."""
    words = Wording("xx", texts={"{player} is to decide": "{player.__class__} {player} {0}"})
    assert words.word("{player} is to decide", player="p") == "{player.__class__} p {0}"


@pytest.mark.parametrize("language", WORDS)
def test_words_of_the_program_have_the_same_holes(language: str) -> None:
    for english in ENGLISH:
        there = WORDS[language][english]
        assert sorted(re.findall(r"\{\w*\}", english)) == sorted(re.findall(r"\{\w*\}", there)), english


def playout(name: str, overlays: tuple[str, ...], language: str) -> State:
    game = pipeline.load(name, overlays, wording=wording(name, language))
    state = game.start(4)
    bots = {p: RandomBot(Generator(4, i + 2)) for i, p in enumerate(game.players)}
    while not state.is_terminal:
        decision = state.decision
        assert decision is not None and not isinstance(decision, Chance)
        player = decision.players[0]
        state = state.apply(bots[player].choose(view_of(state, player)), player)
    return state


def view_of(state: State, player: str) -> object:
    from ludex.bots import PlayerView

    return PlayerView(state, player)


@pytest.mark.parametrize("overlays", [(), ("variant_a", "variant_b", "variant_c")])
def test_nothing_of_a_log_stays_in_english(overlays: tuple[str, ...]) -> None:
    """A whole game, as each player and a spectator hear of it: every line fits a pattern."""
    state = playout("emerald", overlays, "fr")
    words = wording("emerald", "fr")
    english = re.compile(
        r"\b(moves?|from|is|are|shown|shuffled|ends|chosen|the|of|player|tower|gold|jewel)\b"
    )
    count = 0
    for viewer in (None, *state.game.players):
        for line in state.log(viewer):
            if line.kind not in ("action", "state"):
                count += 1
                shown = sentence(words, line.kind, line.text)
                assert not english.search(shown), (line.text, shown)
            assert line.rule is None or line.rule in words.rules.values(), line.rule
    assert count


def test_the_same_game_is_played_in_every_language() -> None:
    ends = {playout("emerald", (), language).hash for language in ("fr", "de")}
    assert len(ends) == 1
