"""What the engine says about the seven-tiles game, in the terms of the reference.

Nothing here knows a rule; it only knows what the definition calls things.
"""

from __future__ import annotations

from typing import Any

from ludex.backends.machine import ChancePoint, Choice, TurnPoint, Words
from ludex.game import Game
from ludex.ir.program import Chance, Decide, DrawChance, MemberChance, RollChance

from . import reference as ref

Position = dict[str, Any]

LETTERS = "cabde"
"""The reference's letter for each part of a tile, from the middle, 0."""


def named(territory: ref.Territory) -> str:
    """The definition's name, such as `a0` for the middle of tile 1."""
    tile, letter = territory
    return f"{'abcdefg'[tile - 1]}{LETTERS.index(letter)}"


class Translation:
    """For one loaded game. Players are numbered from 0, as in the reference."""

    def __init__(self, game: Game, config: ref.Config) -> None:
        self.machine = game.machine
        self.program = game.program
        self.territories = ref.territories(config.map)
        world = self.program.world
        self._players = range(self.program.players)
        self._seat_base = world.players.base
        self._id = {name: i for i, name in enumerate(world.names)}
        self._territory = {self._id[named(t)]: t for t in self.territories}
        assert self._territory.keys() == set(world.kind("territory").ids)
        self._tiles = tuple(self._id[f"tile_{letter}"] for letter in "abcdefg")
        self._slots = tuple(self._id[f"slot({n})"] for n in range(1, 8))

    # ---- positions

    def number(self, words: Words, field: str) -> int:
        return words[self.program.layout.field(field).offset]

    def player(self, entity: int) -> int:
        return entity - self._seat_base

    def element(self, words: Words, field: str, index: int) -> int:
        found = self.program.layout.field(field)
        return words[found.offset + index - found.dims[0].base]

    def knights(self, words: Words, place: int) -> list[int]:
        """By player."""
        found = self.program.layout.field("@tokens")
        places, faces = found.dims
        assert faces.size == len(self._players)
        first = found.offset + (place - places.base) * faces.size
        return list(words[first : first + faces.size])

    def board(self, words: Words) -> ref.Board:
        tile_at = {self.element(words, "@place", tile): n for n, tile in enumerate(self._tiles, start=1)}
        return ref.Board(
            tuple(tile_at[slot] for slot in self._slots),
            tuple(self.element(words, "turned", tile) for tile in self._tiles),
        )

    def neighbors(self, words: Words) -> dict[ref.Territory, set[ref.Territory]]:
        field = self.program.layout.field("borders")
        assert field.width == 1
        found = {}
        for i, territory in self._territory.items():
            mask = self.element(words, "borders", i)
            found[territory] = {t for j, t in self._territory.items() if mask >> (j - field.set_base) & 1}
        return found

    def position(self, words: Words) -> Position:
        """The engine's position. Two of them are compared entry by entry, so that a difference has a name."""
        held = {t: self.knights(words, i) for i, t in self._territory.items()}
        return {
            "knights": {t: sum(counts) for t, counts in held.items()},
            "owner": {t: p for t, counts in held.items() for p, n in enumerate(counts) if n},
            "reserve": self.knights(words, self._id["reserve"]),
            "discarded": self.knights(words, self._id["fallen"]),
        }

    # ---- choices

    def options(self, words: Words, point: TurnPoint) -> dict[ref.Option, Choice]:
        """All choices that the engine offers, by the reference's name for them; but a mixture of knights
        that move in is given piece by piece, as `("amount", (territory, knights))`.
        """
        choices = self.machine.options(words, point.player)
        end = self.program.blocks[point.block].end
        assert isinstance(end, Decide)
        found = {self._option(end.options[c.option].site.name, c.values): c for c in choices}
        assert len(found) == len(choices), "offered twice"
        return found

    def _option(self, name: str, values: tuple[int, ...]) -> ref.Option:
        match name:
            case "settle":
                return "place", self._territory[values[0]]
            case "amount":
                return "amount", (self._territory[values[0]], values[1])
            case _:
                assert name == "conquer"
                return "conquer", self._territory[values[0]]

    # ---- chance

    def event(self, point: ChancePoint) -> RollChance | MemberChance | DrawChance:
        end = self.program.blocks[point.block].end
        assert isinstance(end, Chance)
        return end.event

    # ---- standings

    def lines(self, words: Words) -> dict[str, list[int]]:
        names = [self.program.rules[line.rule].name for line in self.program.scoring]
        return dict(zip(names, self.machine.lines(words), strict=True))


def reference_position(game: ref.Game) -> Position:
    """The same entries from the reference."""
    return {
        "knights": game.knights,
        "owner": game.owner,
        "reserve": game.reserve,
        "discarded": game.discarded,
    }


def difference(engine: Position, reference: Position) -> dict[str, tuple[Any, Any]]:
    """The entries that differ: (the engine's, the reference's)."""
    assert engine.keys() == reference.keys()
    return {
        name: (engine[name], expected) for name, expected in reference.items() if engine[name] != expected
    }
