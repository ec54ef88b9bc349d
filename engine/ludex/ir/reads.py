"""What expressions read and statements write, as names of state fields.

Used to leave out end tests that nothing since the last test can have changed. Moves write
the pseudo-field `@place` (and what lies in piles), tokens `@tokens`.
"""

from __future__ import annotations

from ludex.ir.walk import nodes
from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as t
from ludex.typed.tables import Function

PLACE = "@place"
TOKENS = "@tokens"


def reads(tree: object, functions: dict[str, Function]) -> frozenset[str]:
    """The fields an expression (or anything that holds expressions) may read."""
    found: set[str] = set()
    seen: set[str] = set()
    pending = [tree]
    while pending:
        for n in nodes(pending.pop()):
            match n:
                case x.Load(name) | x.Having(name):
                    found.add(name)
                case x.Occupants() | x.Top() | x.TopSet() | x.UnknownTop():
                    found.add(PLACE)
                case x.TokenCount() | x.TokenAt():
                    found.add(TOKENS)
                case x.Sights() | x.Holders():
                    found.update((PLACE, TOKENS))
                case x.Seen(record):
                    found.add(f"@record:{record}")
                case x.Apply(name) if name not in seen and name in functions:
                    seen.add(name)
                    pending.append(functions[name].body)
                case x.Hypothetical():
                    found.add("*")
    return frozenset(found)


def writes(block: t.Block) -> frozenset[str]:
    """The fields that the statements of a block write themselves (calls left out)."""
    found: set[str] = set()
    for n in nodes(block):
        match n:
            case code.Store(name):
                found.add(name)
            case code.MoveOne() | code.MoveAll() | code.ShufflePile() | code.ReversePile() | t.Draw():
                found.add(PLACE)
            case code.MoveTokens() | code.MoveAllTokens():
                found.add(TOKENS)
            case code.NoteRecord(record) | code.ForgetRecord(record):
                found.add(f"@record:{record}")
            case code.RunAtomic():
                found.add("*")
    return frozenset(found)
