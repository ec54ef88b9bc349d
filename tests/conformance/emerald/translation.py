"""What the engine says about Emerald, in the terms of the reference: positions, choices, standings.

Nothing here knows a rule; it only knows what the definition calls things.
"""

from __future__ import annotations

from collections import Counter
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
        self._seats = [f"({names[self._seat_base + p]})" for p in self._players]
        self._place_of = self._places()
        self._locations = {i: names[i] for k in self.program.world.kinds if k.is_location for i in k.ids}
        self._reader = game.context.reader
        self._offers: dict[int, tuple[tuple[str, ...], ...]] = {}

    def _places(self) -> dict[int, int]:
        """The reference's number of each space."""
        rows = (("tower", 5, -1, -1), ("plain", 6, 1, 1), ("mountain", 9, ref.FIRST_MOUNTAIN, 1))
        places = {self._id[f"{row}({n})"]: first + way * (n - 1) for row, count, first, way in rows for n in range(1, count + 1)}
        return {**places, self._id["lair"]: ref.LAIR, self._id["nest"]: ref.NEST}

    # ---- positions

    def number(self, words: Words, field: str) -> int:
        return words[self.program.layout.field(field).offset]

    def player(self, entity: int) -> int:
        return entity - self._seat_base

    def gold_stacks(self, words: Words) -> list[list[int]]:
        contents = self._reader.contents(words)
        return [self._values(contents[self._id[f"gold_stack(mountain({m}))"]]) for m in range(1, 10)]

    def jewel_stacks(self, words: Words) -> list[list[str]]:
        contents = self._reader.contents(words)
        return [self._gems(contents[self._id[f"jewel_stack(mountain({m}))"]]) for m in range(1, 10)]

    def _values(self, cards: Sequence[int]) -> list[int]:
        """`gold(5, 2)`, `bid_card(player_1, 5)`: the five."""
        return [int(self._field(card, "value")) for card in cards]

    def _gems(self, cards: Sequence[int]) -> list[str]:
        return [self._field(card, "gem") for card in cards]

    def _field(self, card: int, field: str) -> str:
        at = self.program.world.kind_of(card).fields.index(field)
        return self._names[card].split("(")[1].rstrip(")").split(", ")[at]

    def position(self, words: Words) -> Position:
        """The engine's position. Two of them are compared entry by entry, so that a difference has a name."""
        contents = {self._locations[i]: things for i, things in self._reader.contents(words).items()}
        mountains = [f"(mountain({m}))" for m in range(1, 10)]
        knights: Counter[tuple[str, int, bool]] = Counter()
        for knight in self.program.world.kind("knight").ids:
            color = self._names[knight].split("_")[0]
            place = self._place_of[self._reader.place(words, knight)]
            knights[color, place, bool(self._element(words, "moved", knight))] += 1
        dragon = self._reader.place(words, self._id["dragon"])
        found: Position = {
            "knights": knights,
            "dragon": self._place_of[dragon],
            "facing": self.number(words, "facing"),
            "strip": self.number(words, "strip") + ref.FIRST_MOUNTAIN - 1,
            "card taken": bool(self.number(words, "card_taken")),
            "gold stacks": [self._values(contents[f"gold_stack{m}"]) for m in mountains],
            "jewel stacks": [self._gems(contents[f"jewel_stack{m}"]) for m in mountains],
            "treasures left": len(contents["hoard"]),
            "gold": [sorted(self._values(contents[f"purse{p}"])) for p in self._seats],
            "jewels": [Counter(self._gems(contents[f"jewels{p}"])) for p in self._seats],
            "treasures": [len(contents[f"treasures{p}"]) for p in self._seats],
            "four different": [len(contents[f"bonuses{p}"]) for p in self._seats],
            "active": self.player(self.number(words, "active")) if self.number(words, "active") else None,
            "marker": self.player(self.number(words, "starter")),
            "game": self.number(words, "game_number"),
        }
        if self.has_auction:
            leader = self.number(words, "leader")
            found |= {
                "hands": [sorted(self._values(contents[f"bid_hand{p}"])) for p in self._seats],
                "bids": [sorted(self._values(contents[f"bid{p}"])) for p in self._seats],
                "spent": [
                    sorted(self._values([c for c in contents["spent"] if self._field(c, "bidder") == p.strip("()")]))
                    for p in self._seats
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
        assert len(found) == len(choices), f"offered twice: {[self._option(words, point.block, c) for c in choices]}"
        return found

    def _option(self, words: Words, block: int, choice: Choice) -> ref.Option:
        end = self.program.blocks[block].end
        assert isinstance(end, Decide)
        name = end.options[choice.option].site.name
        match name:
            case "ride":
                (knight,) = choice.values
                return name, self._names[knight].split("_")[0], self._place_of[self._reader.place(words, knight)]
            case "choose":
                (knight,) = choice.values
                return "capture", self._names[knight].split("_")[0], bool(self._element(words, "moved", knight))
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
        places = {self._reader.place(words, card) for card in outcomes}
        assert len(places) == 1, "drawn from several piles"
        lying = self._reader.contents(words)[places.pop()]
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
    """The same entries from the reference."""
    holdings = game.holdings
    in_turn = game.phase not in ("bid", "bid_card")
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
        "active": game.active if in_turn and game.phase != "over" else None,
        "marker": game.marker,
        "game": len(game.finished) + (game.phase != "over"),
    }
    if game.config.variant_c:
        found |= {
            "hands": [sorted(mine.hand) for mine in holdings],
            "bids": [sorted(mine.front) for mine in holdings],
            "spent": [sorted(mine.spent) for mine in holdings],
            "leader": game.leader,
        }
    return found


def difference(engine: Position, reference: Position) -> dict[str, tuple[Any, Any]]:
    """The entries that differ: (the engine's, the reference's)."""
    assert engine.keys() == reference.keys()
    return {name: (engine[name], reference[name]) for name in engine if engine[name] != reference[name]}
