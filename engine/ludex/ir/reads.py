"""What expressions read and statements write, as names of state fields.

Used to leave out end tests that nothing since the last test can have changed. Moves write
the pseudo-field `@place` (and what lies in piles), tokens `@tokens`, each said of the kinds that
are moved or looked at. What is read has a name in common with what is written if it may be the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from ludex.ir.walk import nodes
from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as t
from ludex.typed.tables import Function
from ludex.typed.types import EntityType, SetType, Type

PLACE = "@place"
TOKENS = "@tokens"


def _read(field: str, things: Type | None = None) -> set[str]:
    """Names for looking at things of a type, or at any."""
    kinds = _kinds(things)
    if kinds is None:
        return {f"{field} of any", f"{field} of some written"}
    return {f"{field} of some read", *(f"{field} of {kind}" for kind in kinds)}


def _written(field: str, things: Type | None = None) -> set[str]:
    """Names for moving things of a type, or any."""
    kinds = _kinds(things)
    if kinds is None:
        return {f"{field} of any", f"{field} of some read"}
    return {f"{field} of some written", *(f"{field} of {kind}" for kind in kinds)}


def _kinds(things: Type | None) -> tuple[str, ...] | None:
    element = things.element if isinstance(things, SetType) else things
    return element.kinds if isinstance(element, EntityType) else None


ORDER = frozenset(_written(PLACE))
"""Names for changing the order of any pile."""


def reads(tree: object, functions: dict[str, Function]) -> frozenset[str]:
    """The fields an expression (or anything that holds expressions) may read."""
    found: set[str] = set()
    seen: set[str] = set()
    pending = [tree]
    while pending:
        for n in nodes(pending.pop()):
            match n:
                case x.Load("@place", (thing,)):
                    found |= _read(PLACE, thing.type)
                case x.Load(name) | x.Having(name):
                    found.add(name)
                case x.Occupants() | x.Top() | x.TopSet():
                    found |= _read(PLACE, n.type)
                case x.UnknownTop():
                    found |= _read(PLACE)
                case x.TokenCount(faces):
                    found |= _read(TOKENS, faces.type)
                case x.TokenAt():
                    found |= _read(TOKENS, n.type)
                case x.HoldersOf(face):
                    found |= _read(TOKENS, face.type)
                case x.Sights() | x.Holders() | x.HoldersBy():
                    found |= _read(PLACE) | _read(TOKENS)
                case x.Seen(record):
                    found.add(f"@record:{record}")
                case x.Apply(name) if name not in seen and name in functions:
                    seen.add(name)
                    pending.append(functions[name].body)
                case x.Hypothetical():
                    found.add("*")
    return frozenset(found)


def writes(block: t.Block, units: Sequence[t.Unit] = ()) -> frozenset[str]:
    """The fields that the statements of a block write themselves, and what they call in sealed choices;
    other calls are left out, as end conditions are tested within them."""
    found: set[str] = set()
    seen: set[int] = set()
    pending: list[object] = [block]
    while pending:
        for n in nodes(pending.pop()):
            found |= _writes_of(n)
            if isinstance(n, t.Run) and not units[n.unit].tested and n.unit not in seen:
                seen.add(n.unit)
                pending.append(units[n.unit].steps)
    return frozenset(found)


def _writes_of(statement: object) -> set[str]:
    """Those of one statement."""
    found: set[str] = set()
    match statement:
        case code.Store("@place" | "@tokens" as field):
            found |= _written(field)
        case code.Store(name):
            found.add(name)
        case code.MoveOne(things) | code.MoveAll(things):
            found |= _written(PLACE, things.type)
        case code.ShufflePile() | code.ReversePile() | t.Draw():
            found |= ORDER
        case code.MoveTokens(face=faces) | code.MoveAllTokens(faces=faces):
            found |= _written(TOKENS, faces.type)
        case code.NoteRecord(record) | code.ForgetRecord(record):
            found.add(f"@record:{record}")
        case code.RunAtomic():
            found.add("*")
    return found
