"""Plays one game by bots and keeps what is worth counting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ludex.backends.machine import Coverage
from ludex.bots import Bot, PlayerView, RandomBot, make_bot
from ludex.game import Chance, Game, RuleFault, State
from ludex.sim.record import FaultNote, GameRecord


@dataclass(frozen=True, slots=True)
class Settings:
    """How games are played: the bot of each seat, and where a game is given up as endless."""

    bots: tuple[str, ...]
    max_decisions: int
    invariants: bool = True
    """Whether the definition's invariants are tested at every decision."""


class Player:
    """Plays games of one definition, one after the other."""

    def __init__(self, game: Game, settings: Settings) -> None:
        self._game = game
        self._settings = settings
        self._turn_rules = turn_rules(game)

    def play(self, index: int, seed: int) -> GameRecord:
        """Game `index` of a batch. Its chance and its bots depend on `seed` alone."""
        bots = [make_bot(spec, seed, seat) for seat, spec in enumerate(self._settings.bots)]
        before = self._turns_counted()
        table = _Table(self._game, self._settings, bots)
        fault: FaultNote | None = None
        try:
            table.play(seed)
        except RuleFault as error:
            fault = FaultNote(error.kind, error.rule or "", str(error.span), str(error))
        return table.record(index, seed, self._turns_counted() - before, fault)

    def _turns_counted(self) -> int:
        applied = self._game.coverage.applied
        return sum(applied[rule] for rule in self._turn_rules)


def turn_rules(game: Game) -> tuple[int, ...]:
    """The first step of every phase: it runs once for each turn (or repetition of the phase)."""
    firsts: dict[str, int] = {}
    for index, rule in enumerate(game.rules):
        match = re.fullmatch(r"(phases/(?:.+/)?)do/[^/]+", rule.path)
        if match is not None and rule.kind == "step":
            firsts.setdefault(match.group(1), index)
    return tuple(firsts.values())


class _Table:
    """One game in progress."""

    def __init__(self, game: Game, settings: Settings, bots: Sequence[Bot]) -> None:
        self._game = game
        self._settings = settings
        self._bots = dict(zip(game.players, bots, strict=True))
        self._state: State | None = None
        self._decisions = self._options = self._most = self._forced = 0
        self._broken: dict[str, None] = {}

    def play(self, seed: int) -> None:
        """To the end, or to the cap on decisions. Raises RuleFault."""
        state = self._state = self._game.start(seed)
        while not state.is_terminal and self._decisions < self._settings.max_decisions:
            if self._settings.invariants:
                self._broken.update(dict.fromkeys(state.broken_invariants))
            state = self._state = self._step(state)
        if self._settings.invariants:
            self._broken.update(dict.fromkeys(state.broken_invariants))

    def _step(self, state: State) -> State:
        decision = state.decision
        assert decision is not None and not isinstance(decision, Chance), "chance is sampled"
        player = decision.players[0]
        count = len(state.legal_actions(player))
        self._decisions += 1
        self._options += count
        self._most = max(self._most, count)
        self._forced += count == 1
        bot = self._bots[player]
        view = PlayerView(state, player)
        if isinstance(bot, RandomBot):
            return state.apply(bot.choose(view), player)
        with _uncounted(self._game.coverage):
            action = bot.choose(view)
        return state.apply(action, player)

    def record(self, index: int, seed: int, turns: int, fault: FaultNote | None) -> GameRecord:
        state = self._state
        finished = state is not None and state.is_terminal and fault is None
        outcome = "finished" if finished else "fault" if fault is not None else "unfinished"
        ranks: tuple[int, ...] = ()
        returns: tuple[float, ...] = ()
        totals: tuple[int, ...] = ()
        lines: tuple[tuple[int, ...], ...] = ()
        rounds = 0
        if state is not None:
            rounds = state.observation(None).round_number or 0
        if state is not None and finished:
            players = self._game.players
            ranks = tuple(state.ranking[p] for p in players)
            returns = tuple(state.returns[p] for p in players)
            scores = state.scores
            totals = tuple(t or 0 for t in scores.totals)
            lines = tuple(tuple(v or 0 for v in line.values) for line in scores.lines)
        return GameRecord(
            index=index,
            seed=seed,
            outcome=outcome,
            ended_by=(state.ended_by or "") if state is not None and finished else "",
            decisions=self._decisions,
            turns=turns,
            rounds=rounds,
            chances=sum(r.player is None for r in state.history) if state is not None else 0,
            options=self._options,
            most_options=self._most,
            forced=self._forced,
            ranks=ranks,
            returns=returns,
            totals=totals,
            lines=lines,
            broken=tuple(self._broken),
            fault=fault,
        )


@contextmanager
def _uncounted(coverage: Coverage) -> Iterator[None]:
    """What a bot plays in its thoughts does not count as play."""
    kept = [list(counts) for counts in (coverage.applied, coverage.tested, coverage.empty)]
    try:
        yield
    finally:
        coverage.applied[:], coverage.tested[:], coverage.empty[:] = kept
