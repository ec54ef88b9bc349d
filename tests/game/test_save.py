"""Saves: replay without random numbers, damage, changed rules, what a player is given."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from coin_game import coin_game, coin_program, definition
from hypothesis import given, settings
from hypothesis import strategies as st
from random_play import play

from ludex.backends.interpreter import Interpreter
from ludex.diagnostics import Report
from ludex.game import Game, SaveHeader, State, dry_run, export_save, read_header, read_save, write_save
from ludex.game.save import save_text
from ludex.game.save_file import MAX_LINE_CHARACTERS
from ludex.ir import program as p

GAME = coin_game()


def load(_: SaveHeader) -> Game:
    return GAME


def mid_game(seed: int = 4) -> State:
    return list(play(GAME, seed))[4]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "game.ludex"
    write_save(path, mid_game(), seats=("Ann", "bot", "bot"))
    return path


def refused(path: Path, code: str, said: str, line: int | None = None) -> None:
    """The save is refused with this code and text, and left alone."""
    before = path.read_bytes()
    report = Report()
    assert read_save(path, load, report) is None
    (diagnostic,) = report.found
    assert diagnostic.code.name == code
    assert said in diagnostic.message
    if line is not None:
        assert diagnostic.span.line == line
    assert path.read_bytes() == before


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.integers(0, 30))
def test_replay_reproduces(
    tmp_path_factory: pytest.TempPathFactory, seed: int, explicit: bool, n: int
) -> None:
    states = list(play(GAME, seed, explicit=explicit))
    state = states[min(n, len(states) - 1)]
    path = tmp_path_factory.mktemp("saves") / "game.ludex"
    write_save(path, state)
    report = Report()
    again = read_save(path, load, report)
    assert again is not None and report.found == []
    assert again == state and again.history == state.history and again.decision == state.decision
    assert save_text(again) == save_text(state)
    for viewer in (None, *GAME.players):
        assert again.information_state(viewer) == state.information_state(viewer)
        assert again.known(viewer) == state.known(viewer)
    if not state.is_terminal and state.parse_action("roll") is not None:
        assert again.apply("roll") == state.apply("roll"), "the dice to come are the same"


def test_the_header_tells_what_is_needed_to_load_the_game(saved: Path) -> None:
    header = read_header(saved, Report())
    assert header is not None
    assert header.definition == definition()
    assert header.seats == ("Ann", "bot", "bot") and header.seed == 4 and header.viewer is None


def test_undo_works_after_reading_a_save(saved: Path) -> None:
    state = read_save(saved, load, Report())
    assert state is not None and state.previous is not None
    assert state.previous == mid_game().previous


def test_no_such_file(tmp_path: Path) -> None:
    report = Report()
    assert read_save(tmp_path / "none\x1b.ludex", load, report) is None
    assert [d.code.name for d in report.found] == ["save-unreadable"]
    assert "\x1b" not in report.found[0].message


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "save-unreadable"),
        (b"\xff\xfe\x00", "save-unreadable"),
        (b"hello\n", "save-format"),
        (b"[" * 100_000, "save-format"),
        (b'{"ludex_save": 2}\n', "save-format"),
        (b'{"ludex_save": true}\n', "save-format"),
        (b'{"ludex_save": 1}\n', "save-format"),
        (b'{"ludex_save": 1, "options": {"a": 1}}\n', "save-format"),
    ],
)
def test_what_is_no_save(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "game.ludex"
    path.write_bytes(content)
    refused(path, code, "")


def test_every_truncation_is_noticed(saved: Path) -> None:
    data = saved.read_bytes()
    for end in range(0, len(data) - 1, 29):
        saved.write_bytes(data[:end])
        report = Report()
        assert read_save(saved, load, report) is None
        assert report.errors and all(d.span.line >= 1 for d in report.found)


def test_a_cut_off_save_says_how_much_is_there(saved: Path) -> None:
    lines = saved.read_text().splitlines(keepends=True)
    saved.write_text("".join(lines[:-1]))
    refused(saved, "save-truncated", f"after {len(lines) - 2} entries", len(lines) - 1)


def edit(path: Path, line: int, text: str) -> None:
    lines = path.read_text().splitlines()
    lines[line - 1] = text
    path.write_text("\n".join(lines) + "\n")


def test_damaged_lines_are_named(saved: Path) -> None:
    edit(saved, 3, "{oops")
    refused(saved, "save-damaged", "line 3", 3)


def test_changed_entries_are_named(saved: Path) -> None:
    number = len(saved.read_text().splitlines()) - 1
    edit(saved, number, json.dumps({"player": "player(3)", "action": "give(coin(9))\x1b"}))
    refused(saved, "save-diverged", "entry", number)


def test_a_legal_change_is_noticed_by_the_position(saved: Path) -> None:
    lines = saved.read_text().splitlines()
    first = json.loads(lines[1])
    edit(
        saved, 2, json.dumps({**first, "outcome": "coin(1)" if first["outcome"] != "coin(1)" else "coin(2)"})
    )
    report = Report()
    assert read_save(saved, load, report) is None
    assert report.found[0].code.name in ("save-diverged", "save-other-position")


def test_a_changed_definition_is_noticed(saved: Path) -> None:
    header = json.loads(saved.read_text().splitlines()[0])
    header["files"][0][1] += "# more"
    edit(saved, 1, json.dumps(header))
    refused(saved, "save-definition-changed", "was changed after", 1)


def test_a_definition_that_loads_differently_is_noticed(saved: Path) -> None:
    other = Game(GAME.machine, replace(definition(), content_hash="0"))
    report = Report()
    assert read_save(saved, lambda _: other, report) is None
    assert report.found[0].code.name == "save-definition-changed"


def test_more_after_the_end_is_noticed(saved: Path) -> None:
    saved.write_text(saved.read_text() + '{"player": "player(1)", "action": "roll"}\n')
    refused(saved, "save-damaged", "after the last line")


def test_long_lines_are_not_read(saved: Path) -> None:
    edit(saved, 3, json.dumps({"player": "x" * MAX_LINE_CHARACTERS, "action": ""}))
    refused(saved, "save-too-large", "line 3")


# ---------------------------------------------------------------------------- changed rules


def other_rules() -> Game:
    """Where `roll` is not offered."""
    program = coin_program()
    blocks = list(program.blocks)
    for i, block in enumerate(blocks):
        if isinstance(block.end, p.Decide) and any(o.site.name == "roll" for o in block.end.options):
            options = tuple(o for o in block.end.options if o.site.name != "roll")
            blocks[i] = replace(block, end=replace(block.end, options=options))
    return Game(Interpreter(replace(program, blocks=tuple(blocks))), replace(definition(), content_hash="1"))


def test_a_dry_run_names_the_first_divergence(tmp_path: Path) -> None:
    path = tmp_path / "game.ludex"
    state = GAME.start(4).apply("take").apply("roll").apply("roll")
    write_save(path, state)
    report = Report()
    reached, divergence = dry_run(path, other_rules(), report)
    assert report.found == [] and reached is not None and divergence is not None
    assert divergence.recorded == "player(2): roll"
    assert divergence.entry == [str(r) for r in state.history].index("player(2): roll") + 1
    assert "draw" in divergence.legal and "roll" not in divergence.legal
    assert reached.history == GAME.start(4).apply("take").history


def test_a_dry_run_under_rules_that_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "game.ludex"
    write_save(path, GAME.start(4).apply("take"))
    reached, divergence = dry_run(path, other_rules(), Report())
    assert divergence is None and reached is not None
    assert reached.history == GAME.start(4).apply("take").history


def test_a_dry_run_that_ends_amidst_chance(tmp_path: Path) -> None:
    path = tmp_path / "game.ludex"
    write_save(path, GAME.start(4).apply("roll"))
    lines = path.read_text().splitlines()
    end = json.loads(lines[-1])
    path.write_text("\n".join([*lines[:-2], json.dumps({**end, "end": end["end"] - 1})]) + "\n")
    reached, divergence = dry_run(path, GAME, Report())
    assert divergence is not None and divergence.recorded == "the end of the save"
    assert divergence.legal == ("1", "2", "3")
    assert reached is not None and reached.history == GAME.start(4).history


# -------------------------------------------------------------------------- writing, giving


def test_writing_keeps_the_old_file_if_it_fails(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_save(saved, GAME.start(1))
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


def test_a_save_for_a_player_tells_him_nothing_new(tmp_path: Path) -> None:
    state = GAME.start(4).apply("roll")
    text = export_save(state, "player(2)", seats=("a", "b", "c"))
    lines = [json.loads(line) for line in text.splitlines()]
    assert lines[0]["viewer"] == "player(2)" and lines[0]["seed"] == 0
    assert "hash" not in lines[-1] and "chance_words" not in lines[-1]
    assert lines[-2] == {"chance": "die", "outcome": "?"}
    draws = [line["outcome"] for line in lines if line.get("chance") == "deck"]
    seen = [text for text in draws if not text.startswith("?")]
    own = state.observation("player(2)")
    assert sorted(seen) == sorted([*own.place("hand(2)").things, own.place("row").things[0]])
    path = tmp_path / "his.ludex"
    path.write_text(text)
    refused(path, "save-masked", "exported for player(2)")
