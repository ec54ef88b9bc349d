"""From a checked game to a program: statements become blocks, variables find their homes."""

from __future__ import annotations

from ludex.ir import program as p
from ludex.ir.assemble import assemble
from ludex.ir.drafting import Drafting
from ludex.ir.phases import PhaseDrafting
from ludex.typed import game as t


def lower(game: t.Game) -> p.Program:
    """The program of a game. Never fails on a checked game: what it raises is our bug."""
    drafting = Drafting(game)
    PhaseDrafting(drafting).draw()
    return assemble(game, drafting)
