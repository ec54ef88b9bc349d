"""Whatever makes loading fail is found by checking: what the check accepts can be loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from definitions import definition, turn

from ludex import limits, pipeline
from ludex.diagnostics import Failed
from sketches import SKETCHES, STACKS

WAIT = "choose s in square:\n  n = s.x"


def codes(path: Path, **more: object) -> list[str]:
    return [d.code.name for d in pipeline.check(str(path), **more).errors]  # type: ignore[arg-type]


def loads(path: Path) -> list[str]:
    """The codes of the errors when the game is loaded, for any number of players."""
    tree = pipeline.read(str(path)).tree
    for players in range(tree.players.lo, tree.players.hi + 1):
        try:
            pipeline.load(str(path), players=players)
        except Failed as failed:
            return [d.code.name for d in failed.diagnostics if d.severity == "error"]
    return []


@pytest.mark.parametrize("stack", STACKS, ids="+".join)
def test_sketches_load_if_they_are_accepted(stack: tuple[str, ...]) -> None:
    base, *overlays = (str(SKETCHES / f"{name}.yaml") for name in stack)
    assert pipeline.check(base, overlays).found == []
    assert pipeline.load(base, overlays).program.layout.words <= limits.MAX_STATE_WORDS


# ------------------------------------------------------------------------ near the ceilings


def words(n: int) -> str:
    """State items of so many words altogether."""
    text = definition(phases=turn(WAIT + "\nmuch(1) = 1"))
    return text.replace("state:\n", f"state:\n  much: {{per: 1..{n}, type: 0..9}}\n")


def tokens(spaces: int, faces: int) -> str:
    text = definition(phases=turn(WAIT + "\n  place chip(player(1), 1) on spot_of(1)"))
    text = text.replace("spaces:\n", f"spaces:\n    spot_of: {spaces}\n")
    return text.replace("tokens:\n", f"tokens:\n    chip: {{per: {{owner: player, m: 1..{faces}}}}}\n")


def strands(loops: int) -> str:
    """Loops over large sets that wait: each keeps what is left of its set."""
    body = "\n".join(f"for each a{i} in far:\n  act go" for i in range(loops))
    text = definition(
        phases=turn(body),
        define="far: set(t in spot_of where t.n > n)",
        actions="go: {do: {on: n = 1}}",
    )
    return text.replace("spaces:\n", "spaces:\n    spot_of: 3900\n")


def defines(depth: int) -> str:
    chain = "\n".join(
        f"d{i}(player p): gold(p) + d{i - 1}(next(p)) * 2 + d{i - 1}(p)" for i in range(1, depth)
    )
    return definition(
        phases=turn(WAIT), define=f"d0(player p): gold(p)\n{chain}", scoring=f"points: d{depth - 1}(me)"
    )


def runs(depth: int) -> str:
    chain = "\n".join(f"p{i}:\n  on: run p{i - 1}" for i in range(1, depth))
    return definition(
        phases=turn(f"run p{depth - 1}"),
        procedures=f"p0:\n  on: |\n    {WAIT.replace(chr(10), chr(10) + '    ')}\n{chain}",
    )


def tries(depth: int) -> str:
    chain = "\n".join(f"p{i}:\n  on: run p{i - 1}" for i in range(1, depth))
    return definition(
        phases=turn("act go"),
        procedures=f"p0:\n  on: n = 1\n{chain}",
        actions=f"go:\n  where: {{it is one: try p{depth - 1} then n == 1}}\n  do: {{on: n = 0}}",
    )


LARGE = {
    "a state that just fits": (words(limits.MAX_STATE_WORDS - 1000), []),
    "a state too large": (words(limits.MAX_STATE_WORDS), ["too-large"]),
    "many tokens": (tokens(300, 30), []),
    "too many tokens": (tokens(600, 60), ["too-large"]),
    "loops that wait": (strands(20), []),
    "definitions on definitions": (defines(60), []),
    "procedures on procedures": (runs(100), []),
    "procedures tried": (tries(100), []),
}


@pytest.mark.parametrize(("text", "expected"), LARGE.values(), ids=list(LARGE))
def test_large_definitions(tmp_path: Path, text: str, expected: list[str]) -> None:
    path = tmp_path / "large.yaml"
    path.write_text(text)
    assert codes(path) == expected
    assert loads(path) == expected


@pytest.mark.long
@pytest.mark.parametrize("make", [defines, runs, tries], ids=lambda f: f.__name__)
@pytest.mark.parametrize("depth", [90, 180, 360, 720, 1200])
def test_deep_definitions_load_if_they_are_accepted(tmp_path: Path, make: object, depth: int) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text(make(depth))  # type: ignore[operator]
    found = codes(path)
    assert set(found) <= {"too-large", "file-too-large", "yaml-too-large"}
    if not found:
        assert loads(path) == []


# ------------------------------------------------------------- values of options that shape a game


SIZED = """\
ludex: 1
game: sized
title: Sized
players: 2..4
options:
  size: {type: 1..9, default: 3}
  wild: {type: bool, default: false, needs: player_count == 2}
  deck: {type: [short, long], default: short}
types:
  suit: {by: deck, short: [red, blue], long: [red, blue, green]}
components:
  spaces:
    cell: {grid: size x 3}
constants:
  worth: {per: suit, values: WORTH}
  first: {by: wild, true: WILD, false: 1}
define:
  total: sum(worth(s) for s in suit) + first
phases:
  play:
    turns: clockwise from player(1)
    do:
      go: act go
actions:
  go: {choose: {c: cell}, where: {not the last: "c != cell(LAST, 1)"}, do: {it is done: end game}}
"""


@pytest.mark.parametrize(
    ("worth", "wild", "last", "expected"),
    [
        ("[1, 2]", "2", "1", ["bad-table"]),
        ("{red: 1, otherwise: 2}", "2", "1", []),
        ("{red: 1, otherwise: 2}", "red", "1", ["wrong-type"]),
        ("{red: 1, otherwise: 2}", "2", "3", ["out-of-range"]),  # with the least size
    ],
)
def test_each_value_of_an_option_that_decides_what_there_is(
    tmp_path: Path, worth: str, wild: str, last: str, expected: list[str]
) -> None:
    path = tmp_path / "sized.yaml"
    path.write_text(SIZED.replace("WORTH", worth).replace("WILD", wild).replace("LAST", last))
    assert codes(path) == expected
