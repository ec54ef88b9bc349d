"""What the engine says about Les dragons du Mékong, in the terms of the reference: positions, choices.

Nothing here knows a rule; it only knows what the definition calls things.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ludex.backends.machine import ChancePoint, Choice, Words
from ludex.game import Game
from ludex.ir.program import Chance, Decide, MemberChance

from . import reference as ref

Position = dict[str, Any]

CARDS = {
    "one_stone": "stone 1",
    "two_stones": "stone 2",
    "one_plank": "plank 1",
    "two_planks": "plank 2",
    "remove_one": "remove",
    "move_one": "move 1",
    "move_two": "move 2",
    "jump": "jump",
}
VERBS = {
    "place_stone": "stone",
    "pick_plank": "plank",
    "lay_plank": "gap",
    "take_plank": "take",
    "take_stone": "return",
    "walk": "step",
    "walk_two": "step",
    "second_step": "step",
    "leap": "land",
}


class Translation:
    """For one loaded game. Players are numbered from 0, as in the reference."""

    def __init__(self, game: Game) -> None:
        self.machine = game.machine
        self.program = game.program
        world, layout = self.program.world, self.program.layout
        self._names = world.names
        self._id = {name: i for i, name in enumerate(world.names)}
        self._seat_base = world.players.base
        self._seats = [world.names[i] for i in world.players.ids]
        place, order = layout.field("@place"), layout.field("@order")
        self._place_at = place.offset - place.dims[0].base
        self._order_at = order.offset - order.dims[0].base
        stones = layout.field("@tokens")
        assert [dim.size for dim in stones.dims[1:]] == [1], "there is one kind of token"
        self._stones_at = stones.offset - stones.dims[0].base
        self._things = [i for kind in world.kinds if kind.is_movable for i in kind.ids]
        self._stands = self._read_stands()
        self._planks = {i: self._plank(i) for i in world.kind("plank").ids}
        self._cards = {i: self._card(i) for i in world.kind("action").ids}
        self.pawns = [self._id[f"pawn({seat})"] for seat in self._seats]

    def _read_stands(self) -> dict[int, ref.Place]:
        """Villages and gaps. The pairs of the two boards must be the same, with the same sizes."""
        world = self.program.world
        villages = {f"{color}_village": village for village, color in ref.COLOR_OF.items()}
        found: dict[int, ref.Place] = {i: villages[self._names[i]] for i in world.kind("village").ids}
        points = {**{i: self._names[i] for i in world.kind("island").ids}, **found}
        gap = world.kind("gap")
        columns = [gap.attribute(name) for name in ("a", "b", "size")]
        for i, *values in zip(gap.ids, *(column.values for column in columns if column), strict=True):
            a, b, size = values
            pair = (str(points[a]), str(points[b]))
            assert ref.BOARD.size.get(pair) == size, pair
            found[i] = pair
        assert gap.count == len(ref.BOARD.size)
        return found

    def _plank(self, plank: int) -> ref.Plank:
        color, size = self._names[plank].split("_")
        return color, int(size)

    def _card(self, card: int) -> ref.Card:
        what = self._names[card].removesuffix(")").split(", ")[1]
        return CARDS.get(what, ("dragon", what))

    # ---- positions

    def number(self, words: Words, field: str) -> int:
        return words[self.program.layout.field(field).offset]

    def player(self, entity: int) -> int:
        return entity - self._seat_base

    def entity(self, player: int) -> int:
        return player + self._seat_base

    def position(self, words: Words) -> Position:
        """The engine's position. Two of them are compared entry by entry, so that a difference has a name."""
        lying: dict[str, list[int]] = defaultdict(list)
        for thing in self._things:
            lying[self._names[words[self._place_at + thing]]].append(thing)

        def set_of(pile: str) -> list[set[Any]]:
            known: dict[int, Any] = {**self._planks, **self._cards}
            return [{known[thing] for thing in lying[f"{pile}({seat})"]} for seat in self._seats]

        def from_top(pile: str) -> list[list[ref.Card]]:
            found = []
            for seat in self._seats:
                cards = sorted(lying[f"{pile}({seat})"], key=lambda c: -words[self._order_at + c])
                found.append([self._cards[c] for c in cards])
            return found

        active = self.number(words, "active")
        at = self._place_at
        return {
            "pawns": [self._stands[words[at + pawn]] for pawn in self.pawns],
            "planks": {
                self._stands[words[at + i]]: plank
                for i, plank in self._planks.items()
                if words[at + i] in self._stands
            },
            "lost": {self._planks[i] for i in lying["lost"]},
            "stones": {
                self._names[i] for i in self.program.world.kind("island").ids if words[self._stones_at + i]
            },
            "reserves": set_of("reserve"),
            "hands": set_of("hand"),
            "to come": from_top("program"),
            "played": from_top("played"),
            "statuette": self.player(self.number(words, "statuette")),
            "active": self.player(active) if active else None,
            "card": self.number(words, "round_number") if active else 0,
        }

    # ---- choices

    def options(self, words: Words, player: int, block: int) -> dict[ref.Option, Choice]:
        """All choices that the engine offers, by the reference's name for them.

        Two choices that the reference does not tell apart are an error: equals must be one option.
        """
        choices = self.machine.options(words, player)
        found = {self._option(words, block, choice): choice for choice in choices}
        assert len(found) == len(choices)
        return found

    def _option(self, words: Words, block: int, choice: Choice) -> ref.Option:
        end = self.program.blocks[block].end
        assert isinstance(end, Decide)
        name = end.options[choice.option].site.name
        (value,) = choice.values
        match name:
            case "plan":
                return "card", CARDS[self._names[value]]
            case "plan_dragon":
                return "card", ("dragon", self._names[value])
            case "place_stone" | "take_stone":
                return VERBS[name], self._names[value]
            case "pick_plank":
                return VERBS[name], self._planks[value]
            case "take_plank":
                return VERBS[name], self._stands[words[self._place_at + value]]
            case _:
                return VERBS[name], self._stands[value]

    def drawn_players(self, words: Words, point: ChancePoint) -> dict[int, int]:
        """The outcomes of a draw among players, by their numbers, with their weights."""
        end = self.program.blocks[point.block].end
        assert isinstance(end, Chance) and isinstance(end.event, MemberChance)
        return {self.player(outcome): weight for outcome, weight in self.machine.outcomes(words)}

    def ended_by(self, words: Words) -> str | None:
        rule = self.number(words, "@ended_by")
        return self.program.rules[rule - 1].name if rule > 0 else None


def reference_position(game: ref.Game) -> Position:
    """The same entries from the reference."""
    players, turned = game.players, game.index
    return {
        "pawns": [player.pawn for player in players],
        "planks": dict(game.planks),
        "lost": set(game.lost),
        "stones": set(game.stones),
        "reserves": [set(player.reserve) for player in players],
        "hands": [{c for c in player.hand if c not in player.program} for player in players],
        "to come": [player.program[turned:] for player in players],
        "played": [player.program[:turned][::-1] for player in players],
        "statuette": game.holder,
        "active": None if game.over else game.acting,
        "card": 0 if game.over else game.index,
    }


def difference(engine: Position, reference: Position) -> dict[str, tuple[Any, Any]]:
    """The entries that differ: (the engine's, the reference's)."""
    assert engine.keys() == reference.keys()
    return {
        name: (engine[name], expected) for name, expected in reference.items() if engine[name] != expected
    }
