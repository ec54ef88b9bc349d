"""The locals of a program: what they are made of, and which are needed after a wait."""

from __future__ import annotations

from ludex.backends.machine import Words
from ludex.game.position import holds_things
from ludex.ir.code import SetVar
from ludex.ir.graph import Call, Draft, End, liveness
from ludex.ir.layout import Field
from ludex.ir.program import Block, Chance, Decide, Jump, Program, Return
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
        ends = {block.end.var for block in program.blocks if isinstance(block.end, Return)}
        self._returns = tuple(program.variables[var].word for var in ends if program.variables[var].frame)
        """The words that say where something that was called, or is left, goes on."""
        called = frozenset(var for var in ends if not program.variables[var].name.startswith("@"))
        self._live = liveness([_draft(block, called) for block in program.blocks], {})

    def needed(self, words: Words, block: int) -> frozenset[int]:
        """The variables that are read after a state has waited at a block: by the code that waits, and by
        what has called it."""
        callers = (self._live.before[words[word]] for word in self._returns if words[word] > 0)
        return self._live.waiting[block].union(*callers)


def _draft(block: Block, called: frozenset[int]) -> Draft:
    """A block; that something is called there, and goes on at another block, is one step. `called`: the
    variables that say where that is."""
    end: End = block.end
    if isinstance(end, Jump):
        for st in block.code:
            match st:
                case SetVar(var, Const(following)) if following and var in called:
                    end = Call(-1, (), following)
    return Draft(0, list(block.code), end)
