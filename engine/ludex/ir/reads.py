"""What expressions read and statements write, as names of state fields.

Used to leave out end tests that nothing since the last test can have changed. Moves write
the pseudo-field `@place` (and what lies in piles), tokens `@tokens`.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as t
from ludex.typed.tables import Function

PLACE = "@place"
TOKENS = "@tokens"


def reads(e: object, functions: dict[str, Function], seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """The fields an expression (or anything that holds expressions) may read."""
    found: set[str] = set()
    _reads(e, functions, set(seen), found)
    return frozenset(found)


def _reads(e: object, functions: dict[str, Function], seen: set[str], found: set[str]) -> None:
    match e:
        case x.Load(name):
            found.add(name)
        case x.Occupants() | x.Top() | x.TopSet() | x.UnknownTop():
            found.add(PLACE)
        case x.TokenCount() | x.TokenAt():
            found.add(TOKENS)
        case x.Sights():
            found.update((PLACE, TOKENS))
        case x.Seen(record):
            found.add(f"@record:{record}")
        case x.Apply(name) if name not in seen and name in functions:
            seen.add(name)
            _reads(functions[name].body, functions, seen, found)
        case x.Hypothetical():
            found.update((PLACE, TOKENS, "*"))
    if isinstance(e, tuple):
        for item in e:
            _reads(item, functions, seen, found)
    elif is_dataclass(e) and not isinstance(e, type) and type(e).__module__.startswith("ludex.typed"):
        for f in fields(e):
            _reads(getattr(e, f.name), functions, seen, found)


def writes(block: t.Block) -> frozenset[str]:
    """The fields that the statements of a block write themselves (calls left out)."""
    found: set[str] = set()
    _writes(block, found)
    return frozenset(found)


def _writes(e: object, found: set[str]) -> None:
    match e:
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
    if isinstance(e, tuple):
        for item in e:
            _writes(item, found)
    elif is_dataclass(e) and not isinstance(e, type) and type(e).__module__ in (t.__name__, code.__name__):
        for f in fields(e):
            _writes(getattr(e, f.name), found)
