"""Numbers of ways to play from well-known positions, as published in the Chess Programming Wiki (Perft
Results, Chess960 Perft Results), and for atomic chess in the tests of Lichess (scalachess). A position
with Black to move is mirrored."""

from __future__ import annotations

import pytest

from conformance.chess.positions import given, given_960
from conformance.counting import counts, loaded

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
POSITIONS = {
    START: [20, 400, 8_902, 197_281, 4_865_609],
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -": [48, 2_039, 97_862],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -": [14, 191, 2_812, 43_238],
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -": [6, 264, 9_467],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -": [44, 1_486, 62_379],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -": [46, 2_079, 89_890],
}
ATOMIC = {
    START: [20, 400, 8_902, 197_326],
    "r2qkb1r/pp3ppp/4pn2/2p3B1/3p4/P2Q1PP1/1PP1P2P/RN2KB1R w KQkq -": [40, 1_238, 45_237],
    "rn1qkb1r/p5pp/2p5/3p4/N3P3/5P2/PPP4P/R1BQK3 w Qkq -": [28, 833, 23_353],
}
ARRANGED = {
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf -": [21, 528, 12_189, 326_672],
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe -": [21, 807, 18_002, 667_366],
    "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE -": [20, 479, 10_471, 273_318],
}
CASTLING = {
    "rkr5/8/8/8/8/8/8/RKR5 w CAca -": [20, 328, 6_855],
    "r3kr2/8/8/8/8/8/8/R3KR2 w FAfa -": [23, 439, 9_834],
    "4k3/8/8/8/8/8/8/qR3KR1 w GB -": [17, 289, 6_098],
}
"""Chess960 as python-chess 1.11.2 counts it: king and rooks side by side, on each other's squares, pinned."""
QUICK = 3


def check(overlays: tuple[str, ...], position: str, expected: list[int]) -> None:
    if "chess960" in overlays:
        game = loaded("chess", overlays, {"arrangement": 0}, given_960(position))
    else:
        game = loaded("chess", overlays, given=None if position == START else given(position))
    assert counts(game, len(expected)) == expected


@pytest.mark.parametrize("position", POSITIONS)
def test_there_are_as_many_ways_to_play_as_published(position: str) -> None:
    check((), position, POSITIONS[position][:QUICK])


@pytest.mark.parametrize("position", ATOMIC)
def test_there_are_as_many_ways_to_play_atomic_chess_as_published(position: str) -> None:
    check(("atomic",), position, ATOMIC[position][:QUICK])


@pytest.mark.parametrize("position", [*list(ARRANGED)[:1], *CASTLING])
def test_there_are_as_many_ways_to_play_chess960_as_published(position: str) -> None:
    check(("chess960",), position, (ARRANGED | CASTLING)[position][:QUICK])


@pytest.mark.long
@pytest.mark.parametrize("position", ARRANGED)
def test_there_are_as_many_longer_ways_to_play_chess960_as_published(position: str) -> None:
    check(("chess960",), position, ARRANGED[position])


@pytest.mark.long
@pytest.mark.parametrize("position", [p for p, counts in POSITIONS.items() if len(counts) > QUICK])
def test_there_are_as_many_longer_ways_to_play_as_published(position: str) -> None:
    check((), position, POSITIONS[position])


@pytest.mark.long
def test_there_are_as_many_longer_ways_to_play_atomic_chess_as_published() -> None:
    check(("atomic",), START, ATOMIC[START])
