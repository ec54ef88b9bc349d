"""The locals of a program: what they are made of, and which are needed after a wait."""

from __future__ import annotations

from ludex.game.position import holds_things
from ludex.ir.code import SetVar
from ludex.ir.graph import Draft, liveness
from ludex.ir.layout import Field
from ludex.ir.program import Block, Chance, Decide, Program, Return, Simultaneous
from ludex.ir.walk import nodes
from ludex.typed.expr import Const, Expr, OptionLet


class Locals:
    """Of one program."""

    def __init__(self, program: Program) -> None:
        self.made: dict[int, list[Expr]] = {}
        """For each variable the expressions it gets its value from, constants left out."""
        self.hidden_chance: set[int] = set()
        """Variables that get outcomes of chance events that not all see."""
        for block in program.blocks:
            for n in nodes(block):
                if isinstance(n, SetVar | OptionLet) and not isinstance(n.value, Const):
                    self.made.setdefault(n.var, []).append(n.value)
            if isinstance(block.end, Decide):
                for option in block.end.options:
                    for var, value in option.stores:
                        self.made.setdefault(var, []).append(value)
            if isinstance(block.end, Chance) and block.end.audience != "all":
                self.hidden_chance.add(block.end.var)
        self.fields: dict[int, Field] = {}
        """Variables that outlive a wait, but those for pieces and cards, and where they lie."""
        for field in program.layout.fields:
            if field.role == "frame" and not holds_things(program, field):
                for id, variable in enumerate(program.variables):
                    if variable.frame and variable.word == field.offset:
                        self.fields[id] = field
        self.waiting = liveness(_drafts(program), {}).waiting
        """For each block, which variables are read after the state has waited there."""


def _drafts(program: Program) -> list[Draft]:
    """The blocks with returns that lead wherever somebody may have called from."""
    homes: dict[int, set[int]] = {}
    for block in program.blocks:
        for n in nodes(block.code):
            if isinstance(n, SetVar) and isinstance(n.value, Const):
                homes.setdefault(n.var, set()).add(n.value.value)

    def draft(block: Block) -> Draft:
        end = block.end
        if isinstance(end, Return):
            ways = sorted(b for b in homes.get(end.var, ()) if 0 < b < len(program.blocks)) or [0]
            end = Simultaneous(Const(0, program.variables[end.var].type), tuple(ways), ways[0], -1)
        return Draft(0, list(block.code), end)

    return [draft(block) for block in program.blocks]
