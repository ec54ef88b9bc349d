"""What the engine says about Todas tablas, in the terms of the reference: positions, choices, standings.

Nothing here knows a rule; it only knows what the definition calls things.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ludex.backends.machine import Choice, TurnPoint, Words
from ludex.game import Game
from ludex.ir.program import Decide

from . import reference as ref

Position = dict[str, Any]

PLAYERS = ("white", "black")
OPTIONS = {
    "doubles": {"two": "two", "four": "four"},
    "bearing_off": {"beyond": "beyond", "strict": "strict"},
    "dice_played": {"each": "each", "most": "as_many_as_possible", "optional": "as_you_like"},
    "layout": {"ace_12": "ace_at_12", "ace_18": "ace_at_18", "ace_7": "ace_at_7", "querki": "men_behind"},
    "shut_out_loses": {False: False, True: True},
}
"""The definition's options, with its value for each of the reference's."""


def options_for(config: ref.Config) -> dict[str, str | bool]:
    """The same switches, as the definition calls them."""
    values: tuple[Any, ...] = (
        config.doubles,
        config.bear_off,
        config.must_play,
        config.layout,
        config.shut_out_loses,
    )
    return {name: OPTIONS[name][value] for name, value in zip(OPTIONS, values, strict=True)}  # type: ignore[index]


class Translation:
    """For one loaded game. Players are numbered from 0, as in the reference."""

    def __init__(self, game: Game) -> None:
        self.machine = game.machine
        self.program = game.program
        assert game.players == PLAYERS
        self._id = {name: i for i, name in enumerate(self.program.world.names)}
        self._tokens = self.program.layout.field("@tokens")
        self._seat_base = self.program.world.players.base
        self._ways = tuple(
            tuple(self._slot(place, player) for place in self._way(player)) for player in (0, 1)
        )
        self._point = {self._id[f"p{n}"]: n for n in range(1, 25)}

    def number(self, words: Words, field: str, index: int = 0) -> int:
        return words[self.program.layout.field(field).offset + index]

    def player(self, entity: int) -> int:
        return entity - self._seat_base

    def active(self, words: Words) -> int | None:
        entity = self.number(words, "active")
        return self.player(entity) if entity else None

    def _slot(self, place: str, player: int) -> int:
        places, faces = self._tokens.dims
        row = self._id[place] - places.base
        column = self._id[f"man({PLAYERS[player]})"] - faces.base
        return self._tokens.offset + row * faces.size + column

    def _way(self, player: int) -> list[str]:
        """The places of a player's men by his own numbers, from the bar to the tray."""
        seat = PLAYERS[player]
        ways = range(1, 25) if player == 0 else range(24, 0, -1)
        return [f"bar({seat})", *(f"p{n}" for n in ways), f"tray({seat})"]

    def placed(self, words: Words, men: list[list[int]]) -> Words:
        """The same with all men elsewhere, by each player's own numbers."""
        found = words.copy()
        for way, side in zip(self._ways, men, strict=True):
            for slot, count in zip(way, side, strict=True):
                found[slot] = count
        return self.machine.unpack(self.machine.pack(found))

    def carry(self, words: Words, player: int, source: str, target: str) -> None:
        """Moves a man by force, whatever the rules say. Only the words that are saved are changed."""
        words[self._slot(source, player)] -= 1
        words[self._slot(target, player)] += 1

    def men(self, words: Words, player: int) -> list[int]:
        """By the player's own numbers, from the bar to the men that are off."""
        return [words[slot] for slot in self._ways[player]]

    def men_in_all(self, words: Words) -> int:
        """Also where none should be."""
        return sum(words[self._tokens.offset : self._tokens.offset + self._tokens.size])

    def dice(self, words: Words) -> Counter[int]:
        left = {d: self.number(words, "left", d - 1) for d in range(1, 7)}
        return +Counter(left)

    def position(self, words: Words) -> Position:
        return {
            "men": [self.men(words, p) for p in (0, 1)],
            "men in all": self.men_in_all(words),
            "active": self.active(words),
        }

    def options(self, words: Words, point: TurnPoint) -> dict[ref.Option, Choice]:
        """All choices that the engine offers, by the reference's name for them."""
        choices = self.machine.options(words, point.player)
        found = {self._option(point, choice): choice for choice in choices}
        assert len(found) == len(choices), f"offered twice: {[self._option(point, c) for c in choices]}"
        return found

    def _option(self, point: TurnPoint, choice: Choice) -> ref.Option:
        end = self.program.blocks[point.block].end
        assert isinstance(end, Decide)
        name = end.options[choice.option].site.name
        if name == "keep":
            return ("stop",)
        if name == "enter":
            return "enter", choice.values[0]
        die, place = choice.values
        number = self._point[place]
        own = number if self.player(point.player) == 0 else 25 - number
        assert (name == "bear_off") == (own + die > ref.LAST)
        return "move", own, die

    def ended_by(self, words: Words) -> str:
        by = self.number(words, "@ended_by")
        return self.program.rules[by - 1].name if by else ""


def reference_position(game: ref.Game) -> Position:
    return {
        "men": game.board.men,
        "men in all": sum(map(sum, game.board.men)),
        "active": None if game.phase in ("opening", "over") else game.active,
    }
