"""A hand-written player of Emerald, independent of the engine: an oracle for lockstep tests.

The rules are those of the rule model: E1-E43, the register EA/EB/EC, "Choices where the text is silent".
`Game.pending` tells what is awaited, `Game.apply` answers it:

    ("decision", player, options)   apply one of the options
    ("chance", kind, outcomes)      kind "starter", "die": outcomes are (outcome, weight), apply an outcome;
                                    kind "gold", "jewels": no list, apply nine stacks, each from top to bottom
    None                            the game is over

Options, in the order in which they are listed:
    ("raise",) ("withdraw",)                auction of variant C
    ("take", value) ("leave", value)        the bid, card by card, in increasing value
    ("ride", color, place)                  a knight not yet moved in this turn
    ("pass",)                               no second knight
    ("take_gold",) ("take_jewel",)
    ("capture", color, moved)               a knight on the dragon's space; moved: in this turn
    ("bribe", value) ("give_up",)           the owner's answer

Players are numbered clockwise from 0. Places: -1 to -4 towers, -5 keep, 1 to 6 plain, 7 to 15 mountain,
16 lair, 17 nest (out of the game).
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple

Option = tuple[str | int | bool, ...]
Stacks = Sequence[Sequence[Any]]

COLORS = ("red", "yellow", "green", "blue", "black")
GEMS = ("ruby", "emerald", "garnet", "turquoise")
TOWERS = (-1, -2, -3, -4)
KEEP = -5
FIRST_MOUNTAIN = 7
LAST_MOUNTAIN = 15
LAIR = 16
NEST = 17
GOLD_HEIGHTS = (3, 2, 3, 2, 3, 2, 3, 2, 3)
JEWEL_HEIGHTS = (2, 3, 2, 3, 2, 3, 2, 3, 2)
ALL_GOLD = (1, 2, 3, 4, 5) * 5
ALL_JEWELS = GEMS * 6
LOW_GOLD = (1, 1, 1, 2, 2, 2, 3, 3, 4, 5)  # variant B: the gold of the first four mountain spaces
BID_CARDS = (1, 2, 3, 4, 5, 6, 7, 8)
STRIP_LENGTH = 4
FIRST_STRIP = 7
LAST_STRIP = 12
DIE = ((1, 2), (2, 2), (3, 2))
TREASURES = 4


@dataclass(frozen=True)
class Config:
    players: int
    lair_counts_in_play: bool = False  # EA4: True is reading (b)
    flip: Literal["on_arrival", "before_step"] = "on_arrival"  # EA13
    last_knight: Literal["per_player", "per_color"] = "per_player"  # EA5
    second_knight: Literal["may", "must"] = "may"  # EA8
    variant_a: bool = False
    variant_b: bool = False
    variant_c: bool = False
    spent_cards_return: bool = False  # EC2: True is "some day", when the hand is empty

    def __post_init__(self) -> None:
        if not 2 <= self.players <= 5:
            raise ValueError("2 to 5 players")

    def colors_of(self, player: int) -> tuple[str, ...]:
        return COLORS[player:4:2] if self.players == 2 else (COLORS[player],)

    def start_places(self) -> tuple[int, ...]:
        return (*TOWERS, KEEP) if self.players in (3, 4) else TOWERS


class Pending(NamedTuple):
    type: Literal["decision", "chance"]
    who: int | str
    options: tuple[Any, ...]


@dataclass(slots=True)
class Knight:
    color: str
    owner: int
    place: int
    moved: bool = False


@dataclass(frozen=True)
class Score:
    """The points of one player, by category, and the two counts that break ties."""

    gold: int = 0
    treasure: int = 0
    jewels: int = 0
    four_different: int = 0
    most_of_a_gem: int = 0
    treasure_cards: int = 0
    gem_cards: int = 0

    @property
    def total(self) -> int:
        return self.gold + self.treasure + self.jewels + self.four_different + self.most_of_a_gem

    @property
    def rank(self) -> tuple[int, int, int]:
        return self.total, self.treasure_cards, self.gem_cards

    def __add__(self, other: Score) -> Score:
        return Score(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def ranking(scores: Sequence[Score]) -> list[tuple[int, ...]]:
    """The players from best to worst; those still equal after the tie-breaks share a place."""
    ranks = sorted({score.rank for score in scores}, reverse=True)
    return [tuple(p for p, score in enumerate(scores) if score.rank == rank) for rank in ranks]


@dataclass
class Holdings:
    """What lies before a player. Two-player colours share it."""

    gold: list[int] = field(default_factory=list)
    jewels: Counter[str] = field(default_factory=Counter)
    treasures: int = 0
    hand: list[int] = field(default_factory=lambda: list(BID_CARDS))
    front: list[int] = field(default_factory=list)
    spent: list[int] = field(default_factory=list)


class Game:
    def __init__(
        self,
        config: Config,
        gold_stacks: Stacks | None = None,
        jewel_stacks: Stacks | None = None,
        starter: int | None = None,
        second_gold_stacks: Stacks | None = None,
        second_jewel_stacks: Stacks | None = None,
    ) -> None:
        self.config = config
        self.starter = starter  # of the first game
        self.direction = 1  # -1 in the second game of variant A
        self.turns = 0
        self.decisions = 0
        self.phase = ""
        self._pending: Pending | None = None  # computed when asked for
        self.finished: list[list[Score]] = []  # the scores of each finished game
        self._deals: list[list[Stacks | None]] = [
            [gold_stacks, jewel_stacks],
            [second_gold_stacks, second_jewel_stacks],
        ]
        self._new_game()

    # ---- the driver

    @property
    def pending(self) -> Pending | None:
        if self._pending is None and self.phase != "over":
            self._pending = self._compute_pending()
        return self._pending

    def apply(self, choice: Any) -> None:
        pending = self.pending
        if pending is None:
            raise ValueError("the game is over")
        if pending.type == "decision":
            if choice not in pending.options:
                raise ValueError(f"{choice} is not among {pending.options}")
            self.decisions += 1
        elif pending.options and choice not in (outcome for outcome, _ in pending.options):
            raise ValueError(f"{choice} is not among {pending.options}")
        self._pending = None
        getattr(self, f"_apply_{self.phase}")(choice)

    def _compute_pending(self) -> Pending:
        match self.phase:
            case "starter":
                return Pending("chance", "starter", tuple((p, 1) for p in range(self.config.players)))
            case "gold" | "jewels":
                return Pending("chance", self.phase, ())
            case "die":
                return Pending("chance", "die", DIE)
            case "bid" | "bid_card":
                decider = self.bidder
            case "answer":
                decider = self.victim.owner
            case _:
                decider = self.active
        return Pending("decision", decider, getattr(self, f"_{self.phase}_options")())

    # ---- setup (E6-E13, E40, E41)

    def _new_game(self) -> None:
        config = self.config
        self.gold: list[list[int]] | None = None  # by mountain space, top card first
        self.jewels: list[list[str]] | None = None
        self.holdings = [Holdings() for _ in range(config.players)]
        self.four_different: int | None = None  # the holder of the bonus
        self.knights = [
            Knight(color, player, place)
            for player in range(config.players)
            for color in config.colors_of(player)
            for place in config.start_places()
        ]
        self.dragon = 10
        self.facing = -1
        self.strip = FIRST_STRIP  # the first of its four spaces
        self._set_up()

    def _set_up(self) -> None:
        """Ask for what is still missing, or begin to play."""
        deal = self._deals[len(self.finished)]
        if self.starter is None:
            self.phase = "starter"
        elif self.gold is None and deal[0] is None:
            self.phase = "gold"
        elif self.gold is None:
            self._apply_gold(deal[0])
        elif self.jewels is None and deal[1] is None:
            self.phase = "jewels"
        elif self.jewels is None:
            self._apply_jewels(deal[1])
        else:
            self.marker = self.starter
            if self.finished:  # E40: the right-hand neighbour begins
                self.direction = -1
                self.marker = self._next(self.starter)
            self._begin_round()

    def _apply_starter(self, player: int) -> None:
        self.starter = player
        self._set_up()

    def _apply_gold(self, stacks: Any) -> None:
        check_deal(stacks, GOLD_HEIGHTS, ALL_GOLD)
        if self.config.variant_b and Counter(LOW_GOLD) != Counter(v for stack in stacks[:4] for v in stack):
            raise ValueError("variant B: not the gold of the first four mountain spaces")
        self.gold = [list(stack) for stack in stacks]
        self._set_up()

    def _apply_jewels(self, stacks: Any) -> None:
        check_deal(stacks, JEWEL_HEIGHTS, ALL_JEWELS)
        self.jewels = [list(stack) for stack in stacks]
        self._set_up()

    # ---- rounds and the auction (E13, E42, E43)

    def _next(self, player: int) -> int:
        return (player + self.direction) % self.config.players

    def _begin_round(self) -> None:
        self.turns_in_round = 0
        if self.config.variant_c:
            self.bidding = set(range(self.config.players))
            self.leader: int | None = None
            self.high = 0
            self.bidder = self.marker
            self.phase = "bid"
        else:
            self._begin_turn(self.marker)

    def _bid_options(self) -> tuple[Option, ...]:
        mine = self.holdings[self.bidder]
        can_raise = sum(mine.hand) + sum(mine.front) > self.high
        return (("raise",), ("withdraw",)) if can_raise else (("withdraw",),)

    def _apply_bid(self, option: Option) -> None:
        if option == ("withdraw",):
            self.bidding.discard(self.bidder)
            self._next_bidder()
        else:
            self.undecided = sorted(self.holdings[self.bidder].hand)
            self.phase = "bid_card"

    def _bid_card_options(self) -> tuple[Option, ...]:
        card, *rest = self.undecided
        can_leave = sum(self.holdings[self.bidder].front) + sum(rest) > self.high
        return (("take", card), ("leave", card)) if can_leave else (("take", card),)

    def _apply_bid_card(self, option: Option) -> None:
        mine = self.holdings[self.bidder]
        card = self.undecided.pop(0)
        if option[0] == "take":
            mine.hand.remove(card)
            mine.front.append(card)
        if not self.undecided:
            self.leader, self.high = self.bidder, sum(mine.front)
            self.phase = "bid"
            self._next_bidder()

    def _next_bidder(self) -> None:
        asked = self.bidding - {self.leader}
        if asked:
            self.bidder = self._next(self.bidder)
            while self.bidder not in asked:
                self.bidder = self._next(self.bidder)
        else:
            self._settle_auction()

    def _settle_auction(self) -> None:
        for player, mine in enumerate(self.holdings):
            if player == self.leader:
                mine.spent += mine.front
            else:
                mine.hand = sorted(mine.hand + mine.front)
            mine.front = []
            if self.config.spent_cards_return and not mine.hand:
                mine.hand, mine.spent = sorted(mine.spent), []
        if self.leader is not None:
            self.marker = self.leader
        self._begin_turn(self.marker)

    # ---- a turn (E14-E23)

    def _begin_turn(self, player: int) -> None:
        self.active = player
        self.moves = 0
        self.first_color = ""
        self.took_card = False
        for knight in self.knights:
            knight.moved = False
        if self._rides():
            self.turns += 1
            self.phase = "ride"
        else:
            self._end_turn()  # EA11

    def _end_turn(self) -> None:
        self.turns_in_round += 1
        if self.turns_in_round == self.config.players:
            self._begin_round()
        else:
            self._begin_turn(self._next(self.active))

    def _rides(self) -> list[Option]:
        return sorted(
            {
                ("ride", knight.color, knight.place)
                for knight in self.knights
                if knight.owner == self.active
                and knight.place < LAIR
                and not knight.moved
                and (self.moves == 0 or knight.color == self.first_color)  # E15; else one colour anyway
            }
        )

    def _ride_options(self) -> tuple[Option, ...]:
        rides = self._rides()
        if self.moves == 1 and (self.config.second_knight == "may" or not rides):
            rides.append(("pass",))
        return tuple(rides)

    def _apply_ride(self, option: Option) -> None:
        if option == ("pass",):
            self._end_turn()
            return
        _, color, place = option
        distance = sum(knight.place == place for knight in self.knights)
        rider = next(k for k in self.knights if k.color == color and k.place == place and not k.moved)
        rider.place = min(max(rider.place, 0) + distance, LAIR)
        rider.moved = True
        self.moves += 1
        self.first_color = rider.color
        self.arrival = rider.place
        if self.arrival == LAIR:
            self.holdings[self.active].treasures += 1
            if not self._check_end():
                self._end_turn()
        elif self._card_options():
            self.phase = "card"
        else:
            self._wake_dragon()

    def _card_options(self) -> tuple[Option, ...]:
        if self.arrival < FIRST_MOUNTAIN:
            return ()
        assert self.gold is not None and self.jewels is not None
        gold: tuple[Option, ...] = (("take_gold",),) if self.gold[self.arrival - FIRST_MOUNTAIN] else ()
        jewel: tuple[Option, ...] = (("take_jewel",),) if self.jewels[self.arrival - FIRST_MOUNTAIN] else ()
        return gold + jewel

    def _apply_card(self, option: Option) -> None:
        assert self.gold is not None and self.jewels is not None
        mine = self.holdings[self.active]
        if option == ("take_gold",):
            mine.gold.append(self.gold[self.arrival - FIRST_MOUNTAIN].pop(0))
        else:
            mine.jewels[self.jewels[self.arrival - FIRST_MOUNTAIN].pop(0)] += 1
            if self.four_different is None and all(mine.jewels[gem] for gem in GEMS):
                self.four_different = self.active
        self.took_card = True
        self._wake_dragon()

    # ---- the dragon (E26-E33)

    def _wake_dragon(self) -> None:
        if self.arrival == self.dragon or self.strip <= self.arrival < self.strip + STRIP_LENGTH:
            self.phase = "die"
        else:
            self._after_dragon()

    def _faces_outward(self) -> bool:
        if self.facing > 0:
            return self.dragon >= self.strip + STRIP_LENGTH - 1
        return self.dragon <= self.strip

    def _apply_die(self, pips: int) -> None:
        for _ in range(pips):
            if self._faces_outward():
                self.facing = -self.facing
            self.dragon += self.facing
        if self.config.flip == "on_arrival" and self._faces_outward():
            self.facing = -self.facing
        if self._capture_options():
            self.phase = "capture"
        else:
            self._advance_strip()

    def _capture_options(self) -> tuple[Option, ...]:
        here = {("capture", k.color, k.moved) for k in self.knights if k.place == self.dragon}
        return tuple(sorted(here))

    def _apply_capture(self, option: Option) -> None:
        self.victim = next(
            k for k in self.knights if k.place == self.dragon and ("capture", k.color, k.moved) == option
        )
        self.phase = "answer"

    def _answer_options(self) -> tuple[Option, ...]:
        bribes = sorted(set(self.holdings[self.victim.owner].gold))
        return (*(("bribe", value) for value in bribes), ("give_up",))

    def _apply_answer(self, option: Option) -> None:
        victim = self.victim
        if option[0] == "bribe":
            self.holdings[victim.owner].gold.remove(int(option[1]))
        else:
            victim.place = NEST
            if self._check_end():
                return
        self._advance_strip()

    def _advance_strip(self) -> None:
        self.strip = min(self.strip + 1, LAST_STRIP)
        self._after_dragon()

    def _after_dragon(self) -> None:
        if self.took_card or self.moves == 2:
            self._end_turn()
        else:
            self.phase = "ride"

    # ---- the end (E34-E36)

    def _check_end(self) -> bool:
        last = NEST if self.config.lair_counts_in_play else LAIR
        per_color = self.config.last_knight == "per_color"
        groups: Counter[str | int] = Counter({(k.color if per_color else k.owner): 0 for k in self.knights})
        groups.update((k.color if per_color else k.owner) for k in self.knights if k.place < last)
        if sum(mine.treasures for mine in self.holdings) < TREASURES and min(groups.values()) > 1:
            return False
        self.finished.append(self._scores_of_this_game())
        if self.config.variant_a and len(self.finished) == 1:
            self._new_game()
        else:
            self.phase = "over"
        return True

    def _scores_of_this_game(self) -> list[Score]:
        majorities = [0] * self.config.players
        for gem in GEMS:
            counts = [mine.jewels[gem] for mine in self.holdings]
            if counts.count(max(counts)) == 1:
                majorities[counts.index(max(counts))] += 1
        return [
            Score(
                gold=sum(mine.gold),
                treasure=5 * mine.treasures,
                jewels=mine.jewels.total(),
                four_different=4 * (self.four_different == player),
                most_of_a_gem=4 * majorities[player],
                treasure_cards=mine.treasures,
                gem_cards=mine.jewels.total(),
            )
            for player, mine in enumerate(self.holdings)
        ]

    @property
    def scores(self) -> list[Score]:
        """The present points; in variant A the sum over the games."""
        games = self.finished if self.phase == "over" else [*self.finished, self._scores_of_this_game()]
        return [sum(one, Score()) for one in zip(*games, strict=True)]


# ---- chance


def check_deal(stacks: Stacks, heights: tuple[int, ...], cards: tuple[Any, ...]) -> None:
    if tuple(len(stack) for stack in stacks) != heights:
        raise ValueError(f"the nine stacks must have the heights {heights}")
    if Counter(card for stack in stacks for card in stack) - Counter(cards):
        raise ValueError("more cards of a kind than there are")


def deal(cards: Sequence[Any], heights: Sequence[int]) -> tuple[tuple[Any, ...], ...]:
    """Stacks of these heights from the top of the cards."""
    rest = iter(cards)
    return tuple(tuple(next(rest) for _ in range(height)) for height in heights)


def random_outcome(config: Config, pending: Pending, rng: random.Random) -> Any:
    if pending.who == "jewels":
        return deal(rng.sample(ALL_JEWELS, len(ALL_JEWELS)), JEWEL_HEIGHTS)
    if pending.who == "gold":
        low = LOW_GOLD if config.variant_b else ()
        high = tuple((Counter(ALL_GOLD) - Counter(low)).elements())
        return deal(rng.sample(low, len(low)) + rng.sample(high, len(high)), GOLD_HEIGHTS)
    outcomes, weights = zip(*pending.options, strict=True)
    return rng.choices(outcomes, weights)[0]


@dataclass(frozen=True)
class Result:
    turns: int
    decisions: int
    scores: list[Score]
    winners: tuple[int, ...]
    starter: int


def random_game(config: Config, rng: random.Random) -> Result:
    """One game in which every decision is uniform among its options."""
    game = Game(config)
    while (pending := game.pending) is not None:
        if pending.type == "decision":
            game.apply(rng.choice(pending.options))
        else:
            game.apply(random_outcome(config, pending, rng))
    assert game.starter is not None
    return Result(game.turns, game.decisions, game.scores, ranking(game.scores)[0], game.starter)


# ---- figures


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, float(sum((v - mean) ** 2 for v in values) ** 0.5 / len(values))


def figures(config: Config, games: int, seed: int) -> dict[str, list[tuple[float, float]]]:
    """Means over random games, with their standard errors. A win shared by n counts 1/n.

    The score is the mean over the players of a game. Wins by order: the seats numbered in the order of play
    from the first player (of the first game); wins by seat: by player.
    """
    rng = random.Random(seed)
    results = [random_game(config, rng) for _ in range(games)]
    n = config.players

    def wins(shift: int, from_starter: bool) -> tuple[float, float]:
        players = [(shift + r.starter * from_starter) % n for r in results]
        pairs = zip(players, results, strict=True)
        return mean_and_error([(p in r.winners) / len(r.winners) for p, r in pairs])

    return {
        "turns": [mean_and_error([r.turns for r in results])],
        "decisions": [mean_and_error([r.decisions for r in results])],
        "score": [mean_and_error([sum(s.total for s in r.scores) / n for r in results])],
        "wins by order": [wins(i, True) for i in range(n)],
        "wins by seat": [wins(i, False) for i in range(n)],
        "shared wins": [mean_and_error([len(r.winners) > 1 for r in results])],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Figures of random games of Emerald")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--flip", choices=("on_arrival", "before_step"), default="on_arrival")
    parser.add_argument("--last-knight", choices=("per_player", "per_color"), default="per_player")
    parser.add_argument("--second-knight", choices=("may", "must"), default="may")
    for name in ("lair-counts-in-play", "variant-a", "variant-b", "variant-c", "spent-cards-return"):
        parser.add_argument(f"--{name}", action="store_true")
    arguments = vars(parser.parse_args())
    games, seed = arguments.pop("games"), arguments.pop("seed")
    for name, values in figures(Config(**arguments), games, seed).items():
        print(f"{name:14}", "  ".join(f"{mean:.4f} ± {error:.4f}" for mean, error in values))


if __name__ == "__main__":
    main()
