"""A hand-written player of rummy, independent of the engine: an oracle for lockstep tests.

Written from the rules alone. A card is (rank, suit): rank 1 to 13, suit 0 to 3 for clubs, diamonds, hearts,
spades. Players are numbered clockwise from 0. `pending` tells what is awaited, `apply` answers it:

    ("chance", kind, outcomes)         "dealer": a player; "card": a card that is turned up from the stock
    ("decision", player, options)      one of the options
    None                               the deal is over

Options: ("stock",), ("discards",), ("meld", cards), ("lay", card, cards of the meld), ("stop",),
("discard", card)
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

Card = tuple[int, int]
PACK = frozenset((rank, suit) for rank in range(1, 14) for suit in range(4))
HANDS = {2: 10, 3: 7, 4: 7, 5: 6, 6: 6}


def is_meld(cards: frozenset[Card]) -> bool:
    """Three or four of one rank, or three or more in sequence of one suit, the ace low."""
    if len(cards) < 3:
        return False
    ranks, suits = sorted({r for r, _ in cards}), {s for _, s in cards}
    if len(ranks) == 1:
        return True
    return len(suits) == 1 and ranks == list(range(ranks[0], ranks[0] + len(cards)))


def melds_in(hand: set[Card]) -> list[frozenset[Card]]:
    found = []
    for rank in range(1, 14):
        same = [c for c in hand if c[0] == rank]
        found += [frozenset(m) for size in (3, 4) for m in combinations(same, size)]
    for suit in range(4):
        for low in range(1, 12):
            run = {(low, suit), (low + 1, suit)}
            for high in range(low + 2, 14):
                run.add((high, suit))
                if run <= hand:
                    found.append(frozenset(run))
    return found


def value(card: Card) -> int:
    return min(card[0], 10)


class Deal:
    def __init__(self, players: int, turn_overs: int, most_melds: int) -> None:
        self.players, self.turn_overs, self.most_melds = players, turn_overs, most_melds
        self.hands: list[set[Card]] = [set() for _ in range(players)]
        self.shuffled = set(PACK)  # the stock while its order is unknown
        self.known: list[Card] = []  # the stock after the discards were turned over; the top is the last
        self.discards: list[Card] = []
        self.spread: list[frozenset[Card]] = []
        self.turned = self.melded = 0
        self.dealer = self.player = -1
        self.from_discards: Card | None = None
        self.step = "dealer"
        self.to_deal: list[int] = []
        self.points = [0] * players

    @property
    def pending(self) -> tuple[Any, ...] | None:
        if self.step == "dealer":
            return "chance", "dealer", set(range(self.players))
        if self.step in ("deal", "turn up", "drawn"):
            return "chance", "card", set(self.shuffled)
        if self.step == "over":
            return None
        return "decision", self.player, set(self._options())

    def _options(self) -> list[tuple[Any, ...]]:
        hand = self.hands[self.player]
        if self.step == "draw":
            return [("stock",), ("discards",)]
        if self.step == "discard":
            barred = self.from_discards if len(hand) > 1 else None
            return [("discard", c) for c in hand if c != barred]
        found: list[tuple[Any, ...]] = [("stop",)]
        if self.melded < self.most_melds:
            found += [("meld", m) for m in melds_in(hand)]
        return found + [("lay", c, m) for c in hand for m in self.spread if is_meld(m | {c})]

    def apply(self, choice: Any) -> None:
        match self.step:
            case "dealer":
                self.dealer = choice
                order = [(choice + 1 + i) % self.players for i in range(self.players)]
                self.to_deal = order * HANDS[self.players]
                self.step = "deal"
            case "deal":
                self.shuffled.remove(choice)
                self.hands[self.to_deal.pop(0)].add(choice)
                if not self.to_deal:
                    self.step = "turn up"
            case "turn up":
                self.shuffled.remove(choice)
                self.discards.append(choice)
                self._begin((self.dealer + 1) % self.players)
            case "drawn":
                self.shuffled.remove(choice)
                self.hands[self.player].add(choice)
                self.step = "meld"
            case "draw" if choice == ("discards",):
                self.from_discards = self.discards.pop()
                self.hands[self.player].add(self.from_discards)
                self.step = "meld"
            case "draw":
                if not self.shuffled and not self.known:
                    self.known = self.discards[-2::-1]
                    del self.discards[:-1]
                    self.turned += 1
                if self.shuffled:
                    self.step = "drawn"
                else:
                    self.hands[self.player].add(self.known.pop())
                    self.step = "meld"
            case _:
                self._act(choice)
        if self.step == "meld" and self._options() == [("stop",)]:
            self.step = "discard"  # there is nothing to lay down

    def _act(self, choice: tuple[Any, ...]) -> None:
        hand = self.hands[self.player]
        match choice:
            case ("meld", cards):
                hand -= cards
                self.spread.append(cards)
                self.melded += 1
            case ("lay", card, cards):
                hand.remove(card)
                self.spread[self.spread.index(cards)] = cards | {card}
            case ("stop",):
                self.step = "discard"
            case ("discard", card):
                hand.remove(card)
                self.discards.append(card)
                if hand:
                    self._after_a_turn()
        if not hand:
            self.points[self.player] = sum(value(c) for h in self.hands for c in h)
            self.step = "over"

    def _after_a_turn(self) -> None:
        stock = self.shuffled or self.known
        if not stock and (self.turned >= self.turn_overs or len(self.discards) < 2):
            self.step = "over"
        else:
            self._begin((self.player + 1) % self.players)

    def _begin(self, player: int) -> None:
        self.player, self.melded, self.from_discards, self.step = player, 0, None, "draw"
