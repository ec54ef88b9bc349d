"""Plays one game by bots and keeps what is worth counting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from ludex.backends.machine import Coverage
from ludex.bots import Bot, PlayerView, RandomBot, make_bot
from ludex.diagnostics import printable
from ludex.game import Chance, Game, RuleFault, State
from ludex.ir.program import turn_rules
from ludex.sim.raw_table import RawTable
from ludex.sim.record import FaultNote, GameRecord
from ludex.sim.table import Settings, Table, Tally


class Player:
    """Plays games of one definition, one after the other."""

    def __init__(self, game: Game, settings: Settings) -> None:
        self._game = game
        self._settings = settings
        self._turn_rules = turn_rules(game.program.rules)

    def play(self, index: int, seed: int) -> GameRecord:
        """Game `index` of a batch. Its chance and its bots depend on `seed` alone."""
        bots = [make_bot(spec, seed, seat) for seat, spec in enumerate(self._settings.bots)]
        before = self._turns_counted()
        table = self._table(bots)
        try:
            table.play(seed)
            return _record(self._game, table, index, seed, self._turns_counted() - before, None)
        except RuleFault as error:
            fault = FaultNote(error.kind, error.rule or "", str(error.span), str(error))
        return _record(self._game, table, index, seed, self._turns_counted() - before, fault)

    def _table(self, bots: Sequence[Bot]) -> Table:
        """Random bots need no names, no log and no history: the back end alone is much faster."""
        rngs = [bot.rng for bot in bots if isinstance(bot, RandomBot)]
        if len(rngs) == len(bots):
            return RawTable(self._game, self._settings, rngs)
        return _Table(self._game, self._settings, bots)

    def _turns_counted(self) -> int:
        applied = self._game.coverage.applied
        return sum(applied[rule] for rule in self._turn_rules)


def _record(
    game: Game, table: Table, index: int, seed: int, turns: int, fault: FaultNote | None
) -> GameRecord:
    state, tally = table.state, table.tally
    finished = state is not None and state.is_terminal and fault is None
    ranks: tuple[int, ...] = ()
    returns: tuple[float, ...] = ()
    totals: tuple[int, ...] = ()
    lines: tuple[tuple[int, ...], ...] = ()
    if state is not None and finished:
        ranks = tuple(state.ranking[p] for p in game.players)
        returns = tuple(state.returns[p] for p in game.players)
        scores = state.scores
        totals = tuple(t or 0 for t in scores.totals)
        lines = tuple(tuple(v or 0 for v in line.values) for line in scores.lines)
    return GameRecord(
        index=index,
        seed=seed,
        outcome="finished" if finished else "fault" if fault is not None else "unfinished",
        ended_by=(state.ended_by or "") if state is not None and finished else "",
        decisions=tally.decisions,
        turns=turns,
        rounds=_round(game, state) if state is not None else 0,
        chances=tally.chances,
        options=tally.options,
        most_options=tally.most,
        forced=tally.forced,
        ranks=ranks,
        returns=returns,
        totals=totals,
        lines=lines,
        broken=tuple(name for name in invariants(game) if name in tally.broken),
        fault=fault,
        lead_changes=tally.lead_changes if finished else None,
    )


def _round(game: Game, state: State) -> int:
    field = game.program.layout.find("round_number")
    return 0 if field is None else state.at.words[field.offset]


def invariants(game: Game) -> tuple[str, ...]:
    """The names of the invariants, in order."""
    rules = (game.rules[invariant.rule] for invariant in game.program.invariants)
    return tuple(dict.fromkeys(printable(rule.name) for rule in rules))


class _Table:
    """One game in progress, played through the API: any bots."""

    def __init__(self, game: Game, settings: Settings, bots: Sequence[Bot]) -> None:
        self._game = game
        self._settings = settings
        self._bots = dict(zip(game.players, bots, strict=True))
        self.tally = Tally()
        self.state: State | None = None

    def play(self, seed: int) -> None:
        """To the end, or to the cap on decisions. Raises RuleFault."""
        state = self.state = self._game.start(seed)
        self.tally.lead_changes = 0
        while not state.is_terminal and self.tally.decisions < self._settings.max_decisions:
            self._test(state)
            state = self.state = self._step(state)
            self._rank(state)
        self._test(state)
        self.tally.chances = sum(r.player is None for r in state.history)

    def _test(self, state: State) -> None:
        if self._settings.invariants:
            self.tally.broken.update(dict.fromkeys(state.broken_invariants))

    def _rank(self, state: State) -> None:
        """Who is first as it stands; what cannot be ranked before the end is not."""
        with _uncounted(self._game.coverage), suppress(RuleFault):
            self.tally.rank(list(state.ranking.values()))

    def _step(self, state: State) -> State:
        decision = state.decision
        assert decision is not None and not isinstance(decision, Chance), "chance is sampled"
        player = decision.players[0]
        self.tally.decide(len(state.legal_actions(player)))
        with _uncounted(self._game.coverage):
            action = self._bots[player].choose(PlayerView(state, player))
        return state.apply(action, player)


@contextmanager
def _uncounted(coverage: Coverage) -> Iterator[None]:
    """What a bot plays in its thoughts does not count as play."""
    kept = [list(counts) for counts in (coverage.applied, coverage.tested, coverage.empty)]
    try:
        yield
    finally:
        coverage.applied[:], coverage.tested[:], coverage.empty[:] = kept
