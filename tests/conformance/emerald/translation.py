"""What the engine says about Emerald, in the terms of the reference: positions, choices, standings.

Nothing here knows a rule; it only knows what the definition calls things.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from ludex.backends.machine import ChancePoint, Choice, TurnPoint, Words
from ludex.game import Game
from ludex.ir.program import Chance, Decide, DrawChance, MemberChance, RollChance

from . import reference as ref

Position = dict[str, Any]


class Translation:
    """For one loaded game. Players are numbered from 0, as in the reference."""

    def __init__(self, game: Game) -> None:
        self.machine = game.machine
        self.program = game.program
        self.has_auction = self.program.layout.find("bidding") is not None
        names = self.program.world.names
        self._id = {name: i for i, name in enumerate(names)}
        self._names = names
        self._seat_base = self.program.world.players.base
        self._players = range(self.program.players)
        self._place_of = self._places()
        self._places_at = self._words_of("@place")
        self._orders_at = self._words_of("@order")
        self._first_movable = self.program.layout.field("@place").dims[0].base
        assert self._first_movable == self.program.layout.field("@order").dims[0].base
        self._stacks = {
            kind: [self._id[f"{kind}(mountain({m}))"] for m in range(1, 10)]
            for kind in ("gold_stack", "jewel_stack")
        }
        self._piles = {
            kind: [self._id[f"{kind}({names[self._seat_base + p]})"] for p in self._players]
            for kind in ("purse", "jewels", "treasures", "bonuses", "bid_hand", "bid")
            if f"{kind}({names[self._seat_base]})" in self._id
        }
        values = self._fields("gold", "value") | self._fields("bid_card", "value")
        self._value = {card: int(value) for card, value in values.items()}
        self._gem = self._fields("jewel", "gem")
        bidders = self._fields("bid_card", "bidder")
        self._bidder = {card: self.player(self._id[name]) for card, name in bidders.items()}
        self._color = {k: names[k].split("_")[0] for k in self.program.world.kind("knight").ids}

    def _places(self) -> dict[int, int]:
        """The reference's number of each space."""
        rows = (("tower", 5, -1, -1), ("plain", 6, 1, 1), ("mountain", 9, ref.FIRST_MOUNTAIN, 1))
        places = {
            self._id[f"{row}({n})"]: first + way * (n - 1)
            for row, count, first, way in rows
            for n in range(1, count + 1)
        }
        return {**places, self._id["lair"]: ref.LAIR, self._id["nest"]: ref.NEST}

    # ---- positions

    def number(self, words: Words, field: str) -> int:
        return words[self.program.layout.field(field).offset]

    def player(self, entity: int) -> int:
        return entity - self._seat_base

    def _words_of(self, field: str) -> slice:
        found = self.program.layout.field(field)
        return slice(found.offset, found.offset + found.size)

    def place(self, words: Words, movable: int) -> int:
        return words[self._places_at.start + movable - self._first_movable]

    def contents(self, words: Words) -> dict[int, list[int]]:
        """What lies at each location, in no order."""
        found: dict[int, list[int]] = defaultdict(list)
        for movable, place in enumerate(words[self._places_at], self._first_movable):
            found[place].append(movable)
        return found

    def _stack(self, words: Words, cards: list[int]) -> list[int]:
        """Cards of one stack from the top down. Their order counts up from the bottom."""
        first = self._orders_at.start - self._first_movable
        depth = {words[first + card]: card for card in cards}
        assert depth.keys() == set(range(1, len(cards) + 1)), "a stack with an unknown order"
        return [depth[i] for i in range(len(cards), 0, -1)]

    def gold_stacks(self, words: Words, contents: dict[int, list[int]] | None = None) -> list[list[int]]:
        """Values from the top down, by mountain space."""
        lying = self.contents(words) if contents is None else contents
        return [self._values(self._stack(words, lying[pile])) for pile in self._stacks["gold_stack"]]

    def jewel_stacks(self, words: Words, contents: dict[int, list[int]] | None = None) -> list[list[str]]:
        lying = self.contents(words) if contents is None else contents
        return [self._gems(self._stack(words, lying[pile])) for pile in self._stacks["jewel_stack"]]

    def _values(self, cards: Sequence[int]) -> list[int]:
        return [self._value[card] for card in cards]

    def _gems(self, cards: Sequence[int]) -> list[str]:
        return [self._gem[card] for card in cards]

    def _fields(self, kind: str, field: str) -> dict[int, str]:
        """What stands in the names of a kind's members: `gold(5, 2)`, `bid_card(player_1, 5)`."""
        found = next((k for k in self.program.world.kinds if k.name == kind), None)
        if found is None:
            return {}
        at = found.fields.index(field)
        return {i: self._names[i].split("(")[1].rstrip(")").split(", ")[at] for i in found.ids}

    def position(self, words: Words) -> Position:
        """The engine's position. Two of them are compared entry by entry, so that a difference has a name."""
        contents = self.contents(words)
        in_turn = (
            self.number(words, "active") > 0
        )  # what belongs to a turn is set back when the next one begins
        knights: Counter[tuple[str, int, bool]] = Counter()
        for knight, color in self._color.items():
            place = self._place_of[self.place(words, knight)]
            knights[color, place, in_turn and bool(self._element(words, "moved", knight))] += 1
        dragon = self.place(words, self._id["dragon"])
        found: Position = {
            "knights": knights,
            "dragon": self._place_of[dragon],
            "facing": self.number(words, "facing"),
            "strip": self.number(words, "strip") + ref.FIRST_MOUNTAIN - 1,
            "card taken": in_turn and bool(self.number(words, "card_taken")),
            "gold stacks": self.gold_stacks(words, contents),
            "jewel stacks": self.jewel_stacks(words, contents),
            "treasures left": len(contents[self._id["hoard"]]),
            "gold": [sorted(self._values(contents[p])) for p in self._piles["purse"]],
            "jewels": [Counter(self._gems(contents[p])) for p in self._piles["jewels"]],
            "treasures": [len(contents[p]) for p in self._piles["treasures"]],
            "four different": [len(contents[p]) for p in self._piles["bonuses"]],
            "active": self.player(self.number(words, "active")) if in_turn else None,
            "marker": self.player(self.number(words, "starter")),
            "game": self.number(words, "game_number"),
        }
        if self.has_auction:
            leader = self.number(words, "leader")
            found |= {
                "hands": [sorted(self._values(contents[p])) for p in self._piles["bid_hand"]],
                "bids": [sorted(self._values(contents[p])) for p in self._piles["bid"]],
                "spent": [
                    sorted(self._value[c] for c in contents[self._id["spent"]] if self._bidder[c] == p)
                    for p in self._players
                ],
                "leader": self.player(leader) if leader else None,
            }
        return found

    def _element(self, words: Words, field: str, index: int) -> int:
        layout = self.program.layout.field(field)
        return words[layout.offset + index - layout.dims[0].base]

    # ---- choices

    def options(self, words: Words, point: TurnPoint) -> dict[ref.Option, Choice]:
        """All choices that the engine offers, by the reference's name for them.

        Two choices that the reference does not tell apart are an error: equals must be one option.
        """
        choices = self.machine.options(words, point.player)
        found = {self._option(words, point.block, choice): choice for choice in choices}
        assert len(found) == len(choices), (
            f"offered twice: {[self._option(words, point.block, c) for c in choices]}"
        )
        return found

    def _option(self, words: Words, block: int, choice: Choice) -> ref.Option:
        end = self.program.blocks[block].end
        assert isinstance(end, Decide)
        name = end.options[choice.option].site.name
        match name:
            case "ride":
                (knight,) = choice.values
                return name, self._color[knight], self._place_of[self.place(words, knight)]
            case "choose":
                (knight,) = choice.values
                return "capture", self._color[knight], bool(self._element(words, "moved", knight))
            case "bribe" | "take" | "leave":
                return name, self._values(choice.values)[0]
            case _:
                assert not choice.values, name
                return (name,)

    # ---- chance

    def event(self, point: ChancePoint) -> RollChance | MemberChance | DrawChance:
        end = self.program.blocks[point.block].end
        assert isinstance(end, Chance)
        return end.event

    def check_draw(self, words: Words) -> None:
        """A drawn card is any that may be on top, by its face, each with the number of its copies."""
        outcomes = dict(self.machine.outcomes(words))
        places = {self.place(words, card) for card in outcomes}
        assert len(places) == 1, "drawn from several piles"
        lying = self.contents(words)[places.pop()]
        copies = self.program.world.copies
        assert Counter({copies[c]: n for c, n in outcomes.items()}) == Counter(copies[c] for c in lying)

    # ---- standings

    def scores(self, words: Words) -> list[ref.Score]:
        """By player; the counts that break ties come from the ranking's keys."""
        names = [self.program.rules[line.rule].name for line in self.program.scoring]
        lines = dict(zip(names, self.machine.lines(words), strict=True))
        keys = {
            self.program.rules[key.rule].name: row
            for key, row in zip(self.program.ranking, self.machine.keys(words), strict=True)
        }
        assert len(lines) == 5 and len(keys) == 3
        return [
            ref.Score(
                gold=lines["gold cards"][p],
                treasure=lines["treasure cards"][p],
                jewels=lines["gem cards"][p],
                four_different=lines["bonus for four different gems"][p],
                most_of_a_gem=lines["bonus for the most of a gem"][p],
                treasure_cards=keys["tie, most treasure cards"][p],
                gem_cards=keys["tie, most gem cards"][p],
            )
            for p in self._players
        ]

    def ended_by(self, words: Words) -> str:
        return self.program.rules[self.number(words, "@ended_by") - 1].name


def reference_position(game: ref.Game) -> Position:
    """The same entries from the reference.

    In the middle of a bid those that tell what has been bid are left out: the reference lays out card
    by card, the engine the whole bid.
    """
    holdings = game.holdings
    in_turn = game.phase not in ("bid", "bid_card", "over")
    found: Position = {
        "knights": Counter((k.color, k.place, k.moved and in_turn) for k in game.knights),
        "dragon": game.dragon,
        "facing": game.facing,
        "strip": game.strip,
        "card taken": in_turn and game.took_card,
        "gold stacks": [list(stack) for stack in game.gold or ()],
        "jewel stacks": [list(stack) for stack in game.jewels or ()],
        "treasures left": ref.TREASURES - sum(mine.treasures for mine in holdings),
        "gold": [sorted(mine.gold) for mine in holdings],
        "jewels": [+mine.jewels for mine in holdings],
        "treasures": [mine.treasures for mine in holdings],
        "four different": [int(game.four_different == p) for p in range(len(holdings))],
        "active": game.active if in_turn else None,
        "marker": game.marker,
        "game": len(game.finished) + (game.phase != "over"),
    }
    if game.config.variant_c:
        found |= {
            "spent": [sorted(mine.spent) for mine in holdings],
            "leader": game.leader,
        }
    if game.config.variant_c and game.phase != "bid_card":
        found |= {
            "hands": [sorted(mine.hand) for mine in holdings],
            "bids": [sorted(mine.front) for mine in holdings],
        }
    return found


def difference(engine: Position, reference: Position) -> dict[str, tuple[Any, Any]]:
    """The entries that differ: (the engine's, the reference's)."""
    assert engine.keys() >= reference.keys()
    return {
        name: (engine[name], expected) for name, expected in reference.items() if engine[name] != expected
    }
