"""Saves that are cut, changed, foreign or swapped: a diagnostic, and the file stays as it is.

And a process killed while it saves leaves the save before or the one after, never a part.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from confined import confined
from hostile_definitions import CARDS, definition, made, steps

from ludex import pipeline
from ludex.diagnostics import Failed, Report
from ludex.game import State, save, save_file
from ludex.game.save import read_save, save_text

DEALT = definition(
    components=CARDS, setup="setup:\n  s: shuffle deck\n  d: deal 2 from deck to hand(player(1))"
)


def game_in_progress() -> State:
    state = made(DEALT).start(seed=3)
    for _ in range(2):
        player = state.deciding[0]
        state = state.apply(state.legal_actions(player)[0], player)
    return state


TEXT = save_text(game_in_progress())


def opened(path: Path) -> tuple[State | None, Report]:
    """The save, as `resume` opens it."""
    report = Report()
    try:
        return read_save(path, lambda header: pipeline.load_saved(header.definition), report), report
    except Failed as failed:
        report.extend(failed.diagnostics)
        return None, report


def refused(path: Path, data: bytes) -> str:
    """The first code for a damaged save, which is left as it is."""
    path.write_bytes(data)
    state, report = opened(path)
    assert state is None and report.errors, data[-200:]
    assert path.read_bytes() == data
    return report.errors[0].code.name


def changed(**header: object) -> bytes:
    first, rest = TEXT.split("\n", 1)
    return (json.dumps({**json.loads(first), **header}) + "\n" + rest).encode()


def test_a_save_opens(tmp_path: Path) -> None:
    path = tmp_path / "game.ludex"
    path.write_text(TEXT)
    state, report = opened(path)
    assert state is not None and state.to_bytes() == game_in_progress().to_bytes() and not report.found


def test_cut_at_every_byte(tmp_path: Path) -> None:
    path, data = tmp_path / "game.ludex", TEXT.encode()
    header = len(TEXT.split("\n", 1)[0])
    cuts = [*range(0, header, 23), *range(header, len(data) - 1)]  # within the header all is alike
    codes = {refused(path, data[:cut]) for cut in cuts}
    assert codes <= {"save-unreadable", "save-format", "save-truncated", "save-damaged"}


def test_one_character_changed(tmp_path: Path) -> None:
    path, data = tmp_path / "game.ludex", TEXT.encode()
    rng = random.Random(1)
    harmless = 0
    for _ in range(300):
        at = rng.randrange(len(data))
        flipped = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        path.write_bytes(flipped)
        state, report = opened(path)
        assert path.read_bytes() == flipped
        if state is not None:  # what is not part of the game: the seed of chance to come, a title, a blank
            harmless += 1
            assert state.to_bytes() == game_in_progress().to_bytes()
        else:
            assert report.errors
    assert harmless < 60


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "save-unreadable"),
        (b"\xff\xfe\x00", "save-unreadable"),
        (b"\x00" * 100, "save-format"),
        (b"[" * 100_000, "save-format"),
        (b'{"ludex_save": 1}', "save-format"),
        (changed(ludex_save=2), "save-format"),
        (changed(ludex_save=10**4000), "save-format"),
        (changed(ludex_save=True), "save-format"),
        (changed(players=0), "save-format"),
        (changed(players=10**9), "save-format"),
        (changed(players=3), "save-definition-changed"),
        (changed(files=[]), "save-format"),
        (changed(files=[["g.yaml", "x" * 300_000]]), "save-definition-changed"),
        (changed(files=[["/etc/passwd", DEALT.replace("9", "8")]]), "save-definition-changed"),
        (changed(content_hash="0" * 64), "save-definition-changed"),
        (changed(options={"x": "y"}), "save-definition-changed"),
        (changed(options={"x": ["y"]}), "save-format"),
        (changed(seed=-1), "save-format"),
        (changed(explicit="yes"), "save-format"),
        (changed(viewer="player_1"), "save-masked"),
        (TEXT.replace("go", "stay").encode(), "save-definition-changed"),
        (TEXT.replace('"action": "go"', '"action": "stay"').encode(), "save-diverged"),
        (TEXT.replace('"player": "player_1"', '"player": "nobody"', 1).encode(), "save-diverged"),
        (TEXT.replace('"action": "go"', '"action": "' + "x" * 70_000 + '"', 1).encode(), "save-too-large"),
        (TEXT.replace('"hash": "', '"hash": "0').encode(), "save-other-position"),
        (TEXT.encode() + b'{"player": "player_1", "action": "go"}\n', "save-damaged"),
        (TEXT.replace('"end": ', '"end": 1').encode(), "save-damaged"),
    ],
)  # fmt: skip
def test_damaged_foreign_and_swapped(tmp_path: Path, data: bytes, code: str) -> None:
    assert refused(tmp_path / "game.ludex", data) == code


def with_definition(text: str) -> bytes:
    """A save whose header says truly which definition it holds: that of an attacker."""
    from ludex.game.definition import content_hash_of

    files = [("g.yaml", text)]
    number = content_hash_of("g", (), (), 2, tuple(files))
    return changed(files=[list(f) for f in files], content_hash=number)


@pytest.mark.parametrize(
    "text",
    [
        "ludex: " + "[" * 50_000,
        "x" * 200_000,
        definition(setup="setup:\n  s: |\n    while n < 99:\n      n = 1"),
        definition(define="define:\n" + "\n".join(f"  f{i}: f{i + 1} + 1" for i in range(900)) + "\n  f900: n"),
        steps("n = 5 div n"),
        definition(extends="extends: ../../etc/passwd"),
        definition(sources="sources:\n  book: {title: X, file: /etc/passwd}"),
    ],
)  # fmt: skip
def test_a_definition_in_a_save_is_as_untrusted_as_any(tmp_path: Path, text: str) -> None:
    path = tmp_path / "game.ludex"
    path.write_bytes(with_definition(text))

    def open_it() -> object:
        state, report = opened(path)
        return state is None and bool(report.errors)

    outcome = confined(open_it)
    assert outcome.value is True, outcome


def test_files_that_are_none(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe.ludex"
    os.mkfifo(fifo)
    for path in (Path("/dev/zero"), Path("/dev/full"), tmp_path, fifo, tmp_path / "none", Path("a\0b")):
        outcome = confined(lambda path=path: [d.code.name for d in opened(path)[1].found], cpu=3)
        assert outcome.value == ["save-unreadable"], (path, outcome)


KEEP_SAVING = """
import sys
sys.path[:0] = {path!r}
from pathlib import Path
from test_hostile_saves import game_in_progress
from ludex.game.save import write_save
states = [game_in_progress()]
states.append(states[0].previous)
print("ready", flush=True)
while True:
    for state in states:
        write_save(Path({target!r}), state)
"""


def test_killed_while_saving(tmp_path: Path) -> None:
    path = tmp_path / "game.ludex"
    path.write_text(TEXT)
    here = [str(Path(__file__).parent)]
    expected = {TEXT, save_text(game_in_progress().previous or game_in_progress())}
    rng = random.Random(4)
    for _ in range(3):
        script = KEEP_SAVING.format(path=here, target=str(path))
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        for _ in range(5):
            time.sleep(rng.random() / 50)
            assert path.read_text() in expected
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert path.read_text() in expected
        assert opened(path)[0] is not None


def lengthened(times: int, text: str) -> bytes:
    """A save of a game that went on for so many decisions."""
    state = made(text).start(seed=3)
    lines = save_text(state).splitlines()
    header = json.loads(with_definition(text).split(b"\n", 1)[0])
    entries = [json.dumps({"player": f"player_{1 + i % 2}", "action": "go"}) for i in range(times)]
    end = json.dumps({"end": len(entries) + len(lines) - 2, "hash": "", "chance_words": [1, 2, 3, 4]})
    return "\n".join([json.dumps(header), *lines[1:-1], *entries, end]).encode()


LONG = DEALT.replace("n += 1", "n = 1 - n")


def test_opening_a_save_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.ludex"
    data = lengthened(3000, LONG)
    monkeypatch.setattr(save, "MAX_SECONDS", 0.2)
    began = time.process_time()
    assert refused(path, data) == "save-too-long"
    assert time.process_time() - began < 5
    report = opened(path)[1]
    assert "of 3002 was reached" in report.errors[0].message
    assert save.dry_run(path, made(LONG), report) == (None, None)


def test_the_positions_of_a_save_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = lengthened(300, LONG)
    assert refused(tmp_path / "a.ludex", data) == "save-other-position", "it can be played to its end"
    monkeypatch.setattr(save, "MAX_WORDS", 5000)
    assert refused(tmp_path / "b.ludex", data) == "save-too-long"


def test_very_many_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = TEXT.split("\n", 1)[0].encode()
    path = tmp_path / "game.ludex"
    outcome = confined(lambda: refused(path, header + b"\n{}" * 2_000_000))
    assert outcome.value == "save-damaged", outcome
    monkeypatch.setattr(save_file, "MAX_ENTRIES", 100)
    assert refused(path, lengthened(101, LONG)) == "save-too-large"


def _hear_control_c() -> None:
    """Tests that run in the background may have been told not to, and their children with them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_opening_a_save_can_be_interrupted(tmp_path: Path) -> None:
    """The file is as it was, and nothing but one line is said."""
    path = tmp_path / "game.ludex"
    path.write_bytes(lengthened(60_000, LONG))
    before = path.read_bytes()
    command = [sys.executable, "-m", "ludex.cli.main", "play", "--resume", str(path)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        preexec_fn=_hear_control_c,
    )
    time.sleep(2.0)
    assert process.poll() is None, "it is at it"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 130, (out, err)
    assert b"Traceback" not in err and path.read_bytes() == before
