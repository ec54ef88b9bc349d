"""What the players of an OpenSpiel game see, in the form that its observers have.

An observation is what a player sees now. An information state is all that he has seen: as a string for
every game, as numbers for games that are small enough to have a bound on their length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from ludex.adapters.observation import Floats
from ludex.adapters.position import Position, Table

MAX_MEMORY = 1 << 18
"""Numbers of an information state; with more there is only the string."""


class Memory:
    """Information states of a game of at most `steps` decisions and chance events as numbers.

    First what the player sees now, then a row for each step of which he knows: who acted (the last
    place is chance), which number it had if he saw that, what he saw afterwards, and how many of each
    face may be at each place as far as he knows.
    """

    def __init__(self, table: Table, steps: int) -> None:
        self._table = table
        self._steps = steps
        self._actors = table.players + 1
        self._numbers = max(table.actions.size, table.outcomes.size)
        reader, naming = table.game.context.reader, table.game.context.naming
        self._faces = {name: i for i, name in enumerate(dict.fromkeys(map(naming.text, reader.movables)))}
        self._places = {naming.text(place): i for i, place in enumerate(reader.locations)}
        self.seen = table.observations.size
        self.row = self._actors + self._numbers + self.seen + len(self._faces) * len(self._places)
        self.size = self.seen + steps * self.row

    @property
    def fits(self) -> bool:
        return self.size <= MAX_MEMORY

    @property
    def shape(self) -> tuple[int, int]:
        return self._steps, self.row

    def fill(self, position: Position, seat: int, out: Floats) -> None:
        out[: self.seen] = position.numbers(seat)
        rows = out[self.seen :].reshape(self.shape)
        next_row = 0
        for at in position.path():
            if self._row(at, seat, rows[next_row]):
                next_row += 1

    def _row(self, at: Position, seat: int, row: Floats) -> bool:
        """What one step told the player; False if nothing did."""
        context = self._table.game.context
        player = self._table.game.players[seat]
        record = at.state.at.entry.record
        shown = None if record is None else record.for_viewer(context.bit(player))
        if shown is None:
            return False
        row[at.seat if at.seat >= 0 else self._actors - 1] = 1
        if not shown.masked:
            row[self._actors + at.number] = 1
        first = self._actors + self._numbers
        row[first : first + self.seen] = at.numbers(seat)
        known = row[first + self.seen :].reshape(len(self._faces), len(self._places))
        for face, things in at.state.known(player).places.items():
            for places in things:
                for place in places:
                    known[self._faces[face], self._places[place]] += 1
        return True


class Observer:
    """As `open_spiel.python.observation` has it: `tensor`, `dict` of its parts, `set_from`, `string_from`."""

    def __init__(self, table: Table, memory: Memory | None, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers of ludex games take no parameters, not {params}")
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not kind.public_info:
            raise ValueError("observers of ludex games show all that one player sees, private and public")
        self._recalls = kind.perfect_recall
        self._memory = memory
        self.tensor: Floats | None
        self.dict: dict[str, Floats] = {}
        if not self._recalls:
            self.tensor = np.zeros(table.observations.size, np.float32)
            for name, part in table.observations.sections.items():
                if part.stop > part.start:
                    self.dict[name] = self.tensor[part]
        elif memory is not None:
            self.tensor = np.zeros(memory.size, np.float32)
            self.dict["now"] = self.tensor[: memory.seen]
            self.dict["history"] = self.tensor[memory.seen :].reshape(memory.shape)
        else:
            self.tensor = None

    def set_from(self, state: Any, player: int) -> None:
        if self.tensor is None:
            return
        if self._recalls:
            assert self._memory is not None
            self.tensor.fill(0)
            self._memory.fill(state.at, player, self.tensor)
        else:
            self.tensor[:] = state.at.numbers(player)

    def string_from(self, state: Any, player: int) -> str:
        at: Position = state.at
        return at.told(player) if self._recalls else at.text(player)
