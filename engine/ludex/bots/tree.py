"""The tree of a Monte Carlo tree search: upper confidence bounds, over what one player knows.

A node is a decision as the searching player would come to know of it: the actions since the root
and the outcomes of chance that he sees. Where he knows the whole position that is UCT (L. Kocsis,
C. Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006): a node is a position. Where
not, each descent begins in a world dealt anew, and it is information-set MCTS with a single
observer (P. I. Cowling, E. J. Powley, D. Whitehouse, IEEE Transactions on Computational Intelligence
and AI in Games 4, 2012, 120-143): an action's bound counts only the descents in which it could be
chosen. Chance is sampled, an outcome he sees is a branch, of one he does not see there is none.
In sealed choices each player chooses by statistics of his own, which know nothing of what the
others choose there (decoupled UCT). Whoever decides maximises his own value.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import log, sqrt

from ludex.bots.ends import Ends
from ludex.game.faults import FAULTS
from ludex.game.worlds import CHANCE_TURN, OVER_TURN, Fault, Walk, Worlds
from ludex.rng import Generator

EXPLORATION = 0.7
"""The weight of the confidence bound, for values from 0 to 1."""

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
    """`data` is the position, where it is the same in all worlds; then `turn` and `count` say what
    waits there, and `values` what it is worth if it is an end."""

    __slots__ = ("children", "count", "data", "edges", "turn", "values")

    def __init__(self) -> None:
        self.edges: dict[Hashable, Edge] = {}
        self.children: dict[Hashable, Node] = {}
        self.data: bytes | None = None
        self.turn = 0
        self.count = 0
        self.values: list[float] | None = None

    def child(self, key: Hashable) -> Node:
        found = self.children.get(key)
        if found is None:
            found = self.children[key] = Node()
        return found


class Search:
    """Grows a tree, a playout at a time, for a player who is to decide."""

    def __init__(
        self, walk: Walk, worlds: Worlds, ends: Ends, rng: Generator, players: Sequence[int], me: int
    ) -> None:
        self._walk = walk
        self._worlds = worlds
        self._ends = ends
        self._rng = rng
        self._seats = {player: seat for seat, player in enumerate(players)}
        self._root = Node()
        world = worlds.draw()
        walk.begin(world)
        self._first = self._root.child((SEALED, me, ())) if walk.sealed else self._root
        if worlds.is_settled:
            self._root.data, self._root.turn = world, SEALED if walk.sealed else walk.turn

    @property
    def visits(self) -> list[tuple[int, float]]:
        """For each option of the player, in option order: how often it was tried, and its mean value."""
        edges = self._first.edges
        found = (edges[key] for key in range(len(edges)))
        return [(e.visits, e.total / e.visits if e.visits else 0.0) for e in found]

    def grow(self, max_decisions: int) -> None:
        """One playout more."""
        path: list[tuple[Edge, int]] = []
        try:
            values = self._remembered(path, max_decisions)
        except FAULTS:
            values = self._ends.nothing
        for edge, seat in path:
            edge.visits += 1
            edge.total += values[seat]

    def _remembered(self, path: list[tuple[Edge, int]], max_decisions: int) -> list[float]:
        """Down through positions that are known, where no step has to be taken; then on."""
        walk, node = self._walk, self._root
        while (data := node.data) is not None:
            if node.values is not None:
                return node.values
            if node.turn == SEALED:
                walk.begin(data)
                return self._onwards(node, path, max_decisions, known=True, fresh=False)
            if node.turn == CHANCE_TURN:
                walk.begin(data)
                node, seen = self._chance(node, known=True)
                if node.data is None or not seen:
                    return self._onwards(node, path, max_decisions, known=seen, fresh=False)
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
                return self._onwards(following, path, max_decisions, known=True, fresh=fresh)
            node = following
        walk.begin(self._worlds.draw())
        return self._onwards(node, path, max_decisions, known=False, fresh=False)

    def _onwards(
        self, node: Node, path: list[tuple[Edge, int]], max_decisions: int, *, known: bool, fresh: bool
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
        return self._ends.values(walk, finished=walk.playout(max_decisions))

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

    def _sealed(self, node: Node, path: list[tuple[Edge, int]], *, known: bool) -> tuple[Node, bool]:
        """After all sealed choices, each made by the statistics of its player alone."""
        walk, fresh = self._walk, False
        made: dict[int, tuple[Hashable, ...]] = {}
        while walk.sealed:
            player = walk.turn
            before = made.get(player, ())
            own = node.child((SEALED, player, before))
            keys = self._keys(own, walk.count(), known=known)
            number, new = self._choice(own, keys, path, player)
            walk.choose(number)
            made[player] = (*before, keys[number])
            fresh = fresh or new
        return self._after(node, tuple(sorted(made.items(), key=lambda m: m[0])), known=known), fresh

    def _choice(
        self, node: Node, keys: Sequence[Hashable], path: list[tuple[Edge, int]], player: int
    ) -> tuple[int, bool]:
        """The number of the option that is tried next, and whether it is for the first time."""
        if len(keys) == 1 and node is not self._first:
            return 0, False
        edges, untried = node.edges, list[int]()
        best, bound = -1, -1.0
        for number, key in enumerate(keys):
            edge = edges.get(key)
            if edge is None:
                edge = edges[key] = Edge()
            edge.possible += 1
            if not edge.visits:
                untried.append(number)
            elif not untried:
                n = edge.visits
                above = edge.total / n + EXPLORATION * sqrt(log(edge.possible) / n)
                if above > bound:
                    best, bound = number, above
        if untried:
            best = untried[self._rng.bounded(len(untried))]
        if best < 0:
            raise Fault("empty", -1)
        path.append((edges[keys[best]], self._seats[player]))
        return best, bool(untried)
