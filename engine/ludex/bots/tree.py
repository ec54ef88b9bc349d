"""The tree of a Monte Carlo tree search: upper confidence bounds, over what one player knows.

A node is a decision as the searching player would come to know of it: the actions since the root
and the outcomes of chance that he sees. Where he knows the whole position that is UCT (L. Kocsis,
C. Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006): a node is a position. Where
not, each descent begins in a world dealt anew, and it is information-set MCTS with a single
observer (P. I. Cowling, E. J. Powley, D. Whitehouse, IEEE Transactions on Computational Intelligence
and AI in Games 4, 2012, 120-143): an action's bound counts only the descents in which it could be
chosen. Chance is sampled, an outcome he sees is a branch, of one he does not see there is none.
In sealed choices each player chooses by statistics of his own, which know nothing of what the
others choose there (decoupled UCT). Whoever decides maximises his own value. What the searching
player does at the root he is told with each playout: see `mcts`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import log, sqrt
from typing import TypeAlias

from ludex.bots.ends import Ends
from ludex.game.faults import FAULTS
from ludex.game.worlds import CHANCE_TURN, OVER_TURN, Fault, Walk, Worlds
from ludex.rng import Generator

EXPLORATION = 0.8
"""The weight of the confidence bound, in standard deviations of what the playouts of the search are
worth: where most end alike, small differences count. In Connect Four, with 300 playouts, weights as
of 0.4 and 1.4 deviations won 0.44 and 0.47 of 80 games against it; that is within chance."""

PRIOR = 1
"""How many tries each action has to its credit from the start, worth what the decision has been worth
on average. So a second look at a good action may come before the first at the last of many. Against
flat Monte Carlo with 300 playouts in Breakthrough, which has 24 actions, the search won 0.58 of 24
games so; without it, and with a weight as of 1.4, 0.38."""

MAX_DEPTH = 1000
"""Steps within the tree, forced ones included, after which a playout is random."""

SEALED = -2
"""`Node.turn` where sealed choices begin; and part of the key of what each player knows there."""


class Edge:
    """An action: how often it was tried and could have been tried, and what it was worth in all to
    whoever chose it."""

    __slots__ = ("possible", "total", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.possible = 0
        self.total = 0.0


class Node:
    """`visits` and `total` sum up the edges. `data` is the position, where it is the same in all worlds;
    then `turn` and `count` say what waits there, and `values` what it is worth if it is an end."""

    __slots__ = ("children", "count", "data", "edges", "total", "turn", "values", "visits")

    def __init__(self) -> None:
        self.edges: dict[Hashable, Edge] = {}
        self.children: dict[Hashable, Node] = {}
        self.visits = 0
        self.total = 0.0
        self.data: bytes | None = None
        self.turn = 0
        self.count = 0
        self.values: list[float] | None = None

    def child(self, key: Hashable) -> Node:
        found = self.children.get(key)
        if found is None:
            found = self.children[key] = Node()
        return found


Path: TypeAlias = list[tuple[Node, Edge, int]]
"""The choices of a descent: where, which, and the seat of who made it."""


class Spread:
    """The standard deviation of what the playouts of a search are worth to a seat; that of won and
    lost halves counts as one playout, so that it is never 0."""

    __slots__ = ("_mean", "_number", "_squares", "deviation")

    def __init__(self) -> None:
        self._number, self._mean, self._squares = 0, 0.0, 0.25
        self.deviation = 0.5

    def add(self, value: float) -> None:
        self._number += 1
        away = value - self._mean
        self._mean += away / self._number
        self._squares += away * (value - self._mean)
        self.deviation = sqrt(self._squares / (self._number + 1))


class Search:
    """Grows a tree, a playout at a time, for a player who is to decide. What he does himself at the
    root he is told; the rest of the tree is searched for it."""

    def __init__(
        self, walk: Walk, worlds: Worlds, ends: Ends, rng: Generator, players: Sequence[int], me: int
    ) -> None:
        self._walk = walk
        self._worlds = worlds
        self._ends = ends
        self._rng = rng
        self._action = 0
        self._seats = {player: seat for seat, player in enumerate(players)}
        self._spreads = [Spread() for _ in players]
        self._root = Node()
        world = worlds.draw()
        walk.begin(world)
        self._first = self._root.child((SEALED, me, ())) if walk.sealed else self._root
        if worlds.is_settled:
            self._root.data, self._root.turn = world, SEALED if walk.sealed else walk.turn

    def mean(self, action: int) -> float:
        """What an action of the player's, by its number, was worth on average."""
        edge = self._first.edges[action]
        return edge.total / edge.visits

    def grow(self, action: int, world: bytes, horizon: int) -> None:
        """One playout more of an action, in a world."""
        path: Path = []
        self._action = action
        try:
            values = self._remembered(path, world, horizon)
        except FAULTS:
            values = self._ends.nothing
        for spread, value in zip(self._spreads, values, strict=True):
            spread.add(value)
        for node, edge, seat in path:
            value = values[seat]
            node.visits += 1
            node.total += value
            edge.visits += 1
            edge.total += value

    def _remembered(self, path: Path, world: bytes, horizon: int) -> list[float]:
        """Down through positions that are known, where no step has to be taken; then on."""
        walk, node = self._walk, self._root
        while (data := node.data) is not None:
            if node.values is not None:
                return node.values
            if node.turn == SEALED:
                walk.begin(data)
                return self._onwards(node, path, horizon, known=True, fresh=False)
            if node.turn == CHANCE_TURN:
                walk.begin(data)
                node, seen = self._chance(node, known=True)
                if node.data is None or not seen:
                    return self._onwards(node, path, horizon, known=seen, fresh=False)
                continue
            here = node.count == 0
            if here:
                walk.begin(data)
                node.count = walk.count()
            number, fresh = self._choice(node, range(node.count), path, node.turn)
            following = node.child(number)
            if following.data is None:
                if not here:
                    walk.begin(data)
                    walk.count()
                walk.choose(number)
                return self._onwards(following, path, horizon, known=True, fresh=fresh)
            node = following
        walk.begin(world)
        return self._onwards(node, path, horizon, known=False, fresh=False)

    def _onwards(
        self, node: Node, path: Path, horizon: int, *, known: bool, fresh: bool
    ) -> list[float]:
        """The value of a playout from a node, at which the walk stands. `known`: its position is the same
        in all worlds. `fresh`: the tree has grown, what follows is left to chance."""
        walk = self._walk
        for _ in range(MAX_DEPTH):
            if walk.turn == OVER_TURN:
                values = self._ends.values(walk, finished=True)
                if known:
                    node.data, node.values = b"", values
                return values
            if fresh and walk.turn != CHANCE_TURN:
                break
            if known and not fresh and node.data is None:
                node.data, node.turn = walk.data(), SEALED if walk.sealed else walk.turn
            if walk.turn == CHANCE_TURN:
                node, known = self._chance(node, known=known)
            elif walk.sealed:
                node, fresh = self._sealed(node, path, known=known)
            else:
                keys = self._keys(node, walk.count(), known=known)
                number, fresh = self._choice(node, keys, path, walk.turn)
                walk.choose(number)
                node = self._after(node, keys[number], known=known)
        return self._ends.values(walk, finished=walk.playout(horizon))

    def _keys(self, node: Node, count: int, *, known: bool) -> Sequence[Hashable]:
        """What the options of the walk are called in the tree: at the root, and where the position is
        known, by their numbers."""
        if known or node is self._first:
            return range(count)
        return self._worlds.labels(self._walk.block, self._walk.choices())

    def _after(self, node: Node, key: Hashable, *, known: bool) -> Node:
        """The node that the walk has come to: who is to decide what there, all know."""
        return node.child(key if known else (key, self._walk.turn, self._walk.block))

    def _chance(self, node: Node, *, known: bool) -> tuple[Node, bool]:
        """After the chance event that waits; and whether the position is known still."""
        block = self._walk.block
        outcome = self._walk.let_happen()
        seen = self._worlds.sees(block, outcome)
        known = known and seen
        return self._after(node, outcome if seen else None, known=known), known

    def _sealed(self, node: Node, path: Path, *, known: bool) -> tuple[Node, bool]:
        """After sealed choices, each made by the statistics of its player alone, as far as he has any:
        where somebody has come to the end of them, the playout chooses the rest."""
        walk, fresh = self._walk, False
        made: dict[int, tuple[Hashable, ...]] = {}
        for player in walk.waiting():
            made[player], new = (), False
            while not new and walk.sealed and player in walk.waiting():
                walk.ask(player)
                own = node.child((SEALED, player, made[player]))
                keys = self._keys(own, walk.count(), known=known)
                number, new = self._choice(own, keys, path, player)
                walk.choose(number)
                made[player] = (*made[player], keys[number])
            fresh = fresh or new
        return self._after(node, tuple(sorted(made.items(), key=lambda m: m[0])), known=known), fresh

    def _choice(self, node: Node, keys: Sequence[Hashable], path: Path, player: int) -> tuple[int, bool]:
        """The number of the option that is tried next, and whether it is for the first time."""
        if node is self._first:
            number = self._action
        elif len(keys) == 1:
            return 0, False
        else:
            number = self._most_promising(
                node, keys, EXPLORATION * self._spreads[self._seats[player]].deviation
            )
        edge = node.edges.get(keys[number])
        if edge is None:
            edge = node.edges[keys[number]] = Edge()
        path.append((node, edge, self._seats[player]))
        return number, not edge.visits

    def _most_promising(self, node: Node, keys: Sequence[Hashable], weight: float) -> int:
        """The number of the option of the greatest bound; of several, any."""
        edges, best, highest = node.edges, list[int](), 0.0
        credit = PRIOR * (node.total / node.visits if node.visits else 0.5)
        for number, key in enumerate(keys):
            edge = edges.get(key)
            if edge is None:
                edge = edges[key] = Edge()
            edge.possible += 1
            n = edge.visits + PRIOR
            bound = (edge.total + credit) / n + weight * sqrt(log(edge.possible + 1) / n)
            if bound > highest:
                best, highest = [number], bound
            elif bound == highest:
                best.append(number)
        if not best:
            raise Fault("empty", -1)
        return best[self._rng.bounded(len(best))]
