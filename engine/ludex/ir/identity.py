"""Which programs do the same: a digest of all that a program does."""

from __future__ import annotations

from hashlib import sha256

from ludex.ir.program import Program
from ludex.node import CONTENTS, parts

_SHOWN = frozenset({"title", "rules", "sites", "panels", "glyphs", "viewer"})
"""What only people see."""


_ATOMS = frozenset({int, str, bool, type(None)})


def identity(program: Program) -> str:
    """The same for programs that do the same, from one process to the other; where they were written
    and how they are drawn has no part in it."""
    plain = _Plain()
    done = [plain(getattr(program, name)) for name in parts(program) if name not in _SHOWN]
    rules = [(rule.kind, rule.path) for rule in program.rules]
    return sha256(repr((done, rules, len(program.sites))).encode()).hexdigest()


class _Plain(dict[int, object]):
    """Nodes as tuples: their class, and what their fields hold. By identity; the nodes live on."""

    def __call__(self, value: object) -> object:
        cls = value.__class__
        if cls in _ATOMS:
            return value
        if cls is tuple:
            return tuple([x if x.__class__ in _ATOMS else self(x) for x in value])  # type: ignore[attr-defined]
        contents = CONTENTS.get(cls)
        if contents is None:
            return value
        found = self.get(id(value))
        if found is None:
            inner = [x if x.__class__ in _ATOMS else self(x) for x in contents(value)]
            found = self[id(value)] = (cls.__name__, *inner)
        return found
