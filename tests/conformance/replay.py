"""Plays recorded games of another implementation again: the same must be legal at every decision.

What `openspiel_games.py` says about the form of a record holds here.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable

from ludex.backends.machine import Choice, OverPoint, TurnPoint
from ludex.game import Game
from ludex.game.offers import bindings


def replay(game: Game, records: Iterable[str], their_text: Callable[[str, str], str]) -> None:
    """`their_text` of an action of ours and of its player is how it is called in the records."""
    machine, context = game.fastest, game.context

    def text(block: int, choice: Choice) -> str:
        option = context.decide(block).options[choice.option]
        parameters = zip(choice.values, bindings(option), strict=True)
        args = [context.naming.value(value, parameter.type) for value, parameter in parameters]
        return f"{option.site.name}({', '.join(args)})" if args else option.site.name

    seats = game.program.world.players.ids
    for record in records:
        returns, *moves = record.split(";")
        words = machine.start()
        for number, move in enumerate(moves, 1):
            digest, played = move.split(" ", 1)
            point = machine.point(words)
            assert isinstance(point, TurnPoint), f"over before move {number} of {record[:60]}…"
            player = game.players[seats.index(point.player)]
            legal = machine.options(words, point.player)
            ours = {their_text(text(point.block, choice), player): choice for choice in legal}
            where = f"move {number} of {record[:60]}…: {sorted(ours)}"
            assert f"{zlib.crc32(chr(10).join(sorted(ours)).encode()):08x}" == digest, where
            machine.choose(words, point.player, ours[played])
        assert isinstance(machine.point(words), OverPoint), f"not over: {record[-60:]}"
        # A win is 1 to -1 there, and 1 to 0 here.
        shares = [(1 + float(theirs)) / 2 for theirs in returns.split()]
        assert list(machine.returns(words)) == shares, record[-60:]
