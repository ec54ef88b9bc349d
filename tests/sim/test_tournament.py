"""Tournaments: balanced seats, the arithmetic of shares, one result however many processes play."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import pytest
from heap_game import Heap

import ludex
from ludex.game import Game
from ludex.sim.tournament import Match, Plan, hold, seatings


@pytest.mark.parametrize("seats", range(2, 9))
def test_each_of_two_sits_everywhere_equally_often(seats: int) -> None:
    found = seatings(seats)
    assert len(set(found)) == len(found)
    assert {tuple(not s for s in seating) for seating in found} == set(found)
    for seating in found:
        assert abs(2 * sum(seating) - seats) <= 1
    by_seat = Counter(seat for seating in found for seat, second in enumerate(seating) if second)
    assert by_seat == Counter(dict.fromkeys(range(seats), len(found) // 2))


def test_four_seats_have_all_seatings_of_two_and_two() -> None:
    assert len(seatings(2)) == 2
    assert len(seatings(4)) == 6


def test_shares_and_intervals() -> None:
    """81 of 263: Newcombe, Statistics in Medicine 17 (1998), table I, method 3."""
    match = Match(0, 1, 263, Fraction(81), 0, 0)
    assert match.interval == (pytest.approx(0.2553, abs=6e-5), pytest.approx(0.3662, abs=6e-5))
    assert match.is_beyond_chance
    share, (low, high) = match.seen_by(1)
    assert share == pytest.approx(182 / 263)
    assert (low, high) == (pytest.approx(0.6338, abs=6e-5), pytest.approx(0.7447, abs=6e-5))
    assert not Match(0, 1, 10, Fraction(6), 0, 0).is_beyond_chance


PAID = """
ludex: 1
game: paid
title: Who takes the coin has three, and whoever sits in front a present of unknown size
players: 2
state:
  coin: {per: player, type: 0..1}
  present: {type: 0..9}
setup: {a present: present = random n in 0..9}
phases: {play: {turns: clockwise from player(1), rounds: 1, do: {take it or not: act take}}}
actions: {take: {choose: {n: 0..1}, do: {taken: coin(me) = n}}}
scoring: {coins: coin(me)}
payoff: 3 * coin(me) + (if me == player(1) then present else 0)
"""


def test_the_payoff_is_compared_seat_by_seat(tmp_path: Path) -> None:
    """The bot that thinks always takes the coin. Where the other does not, it wins by three; else they share
    the win and get the same. What a seat gives, each of them has had."""
    path = tmp_path / "paid.yaml"
    path.write_text(PAID, encoding="utf-8")
    plan = Plan(lambda: ludex.load(str(path)), ("mc:64", "random"), 2, 12, 1, 100, pays=True)
    (match,) = hold(plan, 1).matches
    assert match.share is not None and 0.5 < match.share < 1
    assert match.payoff is not None and match.payoff.count == 12
    assert match.payoff.mean == pytest.approx(3 * (2 * match.share - 1))
    assert match.payoff.interval is not None and match.payoff.interval.low > 0
    assert hold(replace(plan, pays=False), 1).matches[0].payoff is None


def test_processes_make_no_difference() -> None:
    plan = Plan(Heap(), ("random", "mc:4", "mcts:4"), 2, 3, 5, 1000)
    told: list[int] = []
    alone, together = hold(plan, 1, told.append), hold(plan, 2)
    assert alone.matches == together.matches
    assert alone.standings == together.standings
    assert told == sorted(told) and told[-1] == plan.games == 18
    assert alone.played == 18 and not alone.interrupted
    assert sum(s.wins for s in alone.standings) == sum(m.games for m in alone.matches) == 18


def test_what_has_been_played_is_kept() -> None:
    plan = Plan(Heap(), ("random", "mcts:4"), 2, 10, 5, 1000)

    def stop(played: int) -> None:
        if played == 7:
            raise KeyboardInterrupt

    found = hold(plan, 1, stop)
    assert found.interrupted
    assert found.played == 7


def connect_four() -> Game:
    return ludex.load("connect_four")


def test_a_tree_search_beats_chance() -> None:
    """The smallest tournament that shows it; see docs/bots.md for the others."""
    (match,) = hold(Plan(connect_four, ("mcts:60", "random"), 2, 10, 1, 1000)).matches
    assert match.games == 20
    assert match.interval.low > 0.7


@dataclass(frozen=True)
class Named:
    name: str
    players: int

    def __call__(self) -> Game:
        return ludex.load(self.name, players=self.players)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "players", "playouts", "rounds"),
    [("connect_four", 2, 300, 15), ("breakthrough", 2, 200, 8), ("emerald", 2, 60, 8)],
)
def test_more_thought_wins_more(name: str, players: int, playouts: int, rounds: int) -> None:
    """Both that think beat chance beyond doubt, and a tree search is not behind flat Monte Carlo beyond
    chance. That it is ahead takes more games than a test has time for: see docs/bots.md."""
    bots = ("random", f"mc:{playouts}", f"mcts:{playouts}")
    found = hold(Plan(Named(name, players), bots, players, rounds, 1, 5000), 2)
    assert found.match(0, 1).seen_by(1)[1].low > 0.5
    assert found.match(0, 2).seen_by(2)[1].low > 0.5
    assert found.match(1, 2).seen_by(2)[1].high > 0.5
