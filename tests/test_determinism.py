"""Same definition, options and seed: the same bytes, whatever Python's hashes and however many processes.

A program is run under three values of PYTHONHASHSEED, by which all sets and dictionaries of
strings would change their order if anything went through one of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SEEDS = ("0", "1", "2")
ROOT = Path(__file__).parent.parent

STATES = """
import hashlib
from ludex import load
from ludex.game.save import export_save, save_text
from ludex.rng import Generator

def told(state):
    yield state.hash
    for player in state.deciding:
        yield from (a.text for a in state.legal_actions(player))
    for viewer in (None, *state.game.players):
        yield state.observation(viewer).to_json()
        yield state.information_state(viewer)[-2000:]
        yield repr(state.known(viewer))
        yield from (line.text for line in state.log(viewer))
    yield repr(state.scores)
    yield repr(dict(state.ranking))

for name, overlays, players in GAMES:
    digest = hashlib.sha256()
    game = load(name, overlays=overlays, players=players)
    state = game.start(seed=5)
    rng = Generator(11)
    for turn in range(8):
        if state.is_terminal:
            break
        for text in told(state):
            digest.update(text.encode())
        player = state.deciding[turn % len(state.deciding)]
        legal = state.legal_actions(player)
        if turn % 4 == 0:
            digest.update(state.determinize(player, Generator(turn)).to_bytes())
            digest.update(str(state.explain("nonsense(1)", player).text).encode())
        state = state.apply(legal[rng.bounded(len(legal))], player)
    save = save_text(state)
    print(name, overlays, players, turn, digest.hexdigest())
    print(hashlib.sha256(save.encode()).hexdigest(), export_save(state, game.players[0])[-300:])
"""

GAMES = [
    ("emerald", (), 4),
    ("emerald", ("variant_a", "variant_b", "variant_c"), 2),
    *((str(ROOT / "tests" / "sketches" / f"{name}.yaml"), (), None) for name in ("hearts", "leduc_poker")),
]


def outputs(*words: str, program: str | None = None) -> set[bytes]:
    """What a command line, or a program, writes under each of the seeds; all at once."""
    command = [sys.executable, "-c", program] if program else [sys.executable, "-m", "ludex.cli.main", *words]
    running = []
    for seed in SEEDS:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "NO_COLOR": "1", "COLUMNS": "80"}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        running.append(subprocess.Popen(command, env=environment, cwd=ROOT, **pipes))
    found = set()
    for process in running:
        output = process.communicate()[0]
        assert b"Traceback" not in output and b"internal error" not in output, output.decode()
        found.add(output)
    return found


def test_states_options_observations_and_saves() -> None:
    found = outputs(program=f"GAMES = {GAMES!r}\n{STATES}")
    assert len(found) == 1, "\n".join(o.decode() for o in found)
    (output,) = found
    assert output.count(b"\n") >= 2 * len(GAMES), output.decode()


@pytest.mark.parametrize(
    "words",
    [
        ("ir", "emerald+variant_a+variant_c"),
        ("ir", "tests/sketches/mekong.yaml"),
        ("show", "emerald"),
        ("diff", "emerald", "emerald+variant_b+variant_a"),
        ("check", "--json", "tests/hostile/mistaken.yaml"),
        ("check", "tests/hostile/mistaken.yaml"),
        ("list", "--json"),
    ],
    ids=" ".join,
)
def test_what_commands_write(words: tuple[str, ...]) -> None:
    found = outputs(*words)
    assert len(found) == 1 and next(iter(found)).strip()


def test_simulations_by_any_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The times are no part of the JSON."""
    monkeypatch.setattr("test_determinism.SEEDS", SEEDS[:2])
    words = ("simulate", "emerald", "--games", "4", "--seed", "7", "--bots", "random", "--json")
    one = outputs(*words, "--processes", "1")
    two = outputs(*words, "--processes", "2")
    assert len(one) == 1 and one == two
    assert b'"played": 4' in next(iter(one))
