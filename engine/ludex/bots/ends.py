"""What a playout is worth to each seat where it stops: a number from 0 to 1.

Most of it is the *return*: the share in the win (1 for the only winner, a half for each of two,
0 for the rest), or the declared payoff on a scale from the least to the greatest met so far.
Where a playout was broken off, nobody has won more than the others; a payoff is taken as it stands.
The rest, `MARGIN`, is the distance to the best of the others, on a scale of what is usual in this
search: half of it for none, more in the lead, less behind. It is the distance by the first key of the
ranking; but by the declared heuristic, if there is one, where a playout was broken off or has ended
with the same key for all. It makes a bot that cannot tell who will win play for its score.
"""

from __future__ import annotations

from collections.abc import Sequence

from ludex.bots.bot import PlayerView
from ludex.game.worlds import Walk

MARGIN = 0.1
"""The part of the value that is the distance to the others."""


class Margins:
    """Distances to the best of the others, on a scale of what is usual."""

    def __init__(self) -> None:
        self._sum, self._number = 0, 0

    def of(self, points: Sequence[int]) -> list[float]:
        best = max(points)
        second = best if points.count(best) > 1 else sorted(points)[-2]
        margins = [p - (second if p == best else best) for p in points]
        self._sum += sum(map(abs, margins))
        self._number += len(margins)
        usual = self._sum / self._number
        return [0.5 + 0.5 * m / (usual + abs(m)) if usual else 0.5 for m in margins]


class Ends:
    """Values of playouts within one search."""

    def __init__(self, view: PlayerView) -> None:
        program = view.game.program
        self._seats = program.players
        self._pays = program.payoff is not None
        self._least, self._most = 0.0, 0.0
        self._by_key, self._by_heuristic = Margins(), Margins()

    @property
    def nothing(self) -> list[float]:
        """Of a playout in which a rule faulted: the mistake will show when it is really played."""
        return [0.0] * self._seats

    def values(self, walk: Walk, *, finished: bool) -> list[float]:
        """By seat, for where the walk stands. Raises Fault."""
        ranks, key = walk.standings()
        heuristics = () if finished and len(set(key)) > 1 else walk.heuristics()
        if self._pays:
            shares = self._scaled(walk.returns())
        elif not finished:
            shares = [1 / self._seats] * self._seats
        else:
            share = 1 / ranks.count(1)
            shares = [share if rank == 1 else 0.0 for rank in ranks]
        if self._seats < 2 or not (heuristics or key):
            return shares
        margins = self._by_heuristic.of(heuristics) if heuristics else self._by_key.of(key)
        return [(1 - MARGIN) * s + MARGIN * m for s, m in zip(shares, margins, strict=True)]

    def _scaled(self, payoffs: Sequence[float]) -> list[float]:
        self._least = min(self._least, *payoffs)
        self._most = max(self._most, *payoffs)
        width = self._most - self._least
        return [(p - self._least) / width if width else 0.5 for p in payoffs]
