"""Walking and rewriting trees of dataclasses: types, expressions, code, blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar, cast

from ludex.node import getter, parts, replace
from ludex.typed import code
from ludex.typed import expr as e
from ludex.typed.types import BoolType, EntityType, IntType, SetType

T = TypeVar("T")

_LEAVES = (IntType, BoolType, EntityType, SetType)

_BINDERS = (e.Binding, e.OptionBinding, e.OptionLet, e.Region, e.Reachable, e.Family)

_ATOMS = frozenset(
    {"int", "str", "bool", "None", "tuple", "Literal", "Type", "IntType", "Span", "Audience"}
    | {"ArithmeticOp", "CompareOp", "SetOp", "FoldKind"}
)
"""What a field's annotation may be made of if nothing in the field is ever a node of interest."""

_KNOWN: dict[type, tuple[str, ...]] = {}
"""For each class of nodes the fields that may hold nodes."""
_CONTENTS: dict[type, Callable[[object], tuple[object, ...]] | None] = {}
"""What gives all that these fields hold; None of a class that is no node, or a type."""
_MARKED = (
    e.Apply, e.Comparison, e.Fold, e.Membership, e.Negation, e.Occupants, e.OptionLevel, e.OptionSite, e.Pick,
    e.Region, e.TokenAt, e.TokenCount, e.Holders, e.HoldersBy, e.HoldersOf, e.Sights, e.Hypothetical, e.Seen,
    code.MoveAll, code.MoveAllTokens, code.MoveOne, code.MoveTokens, code.SetVar, code.Store,
)  # fmt: skip
"""The classes of nodes that some change is only about."""
_BITS = {cls: 1 << i for i, cls in enumerate(_MARKED)}
_PLAIN = frozenset({type(None), int, str, bool})
"""Classes of what is no node, most often met."""


def _contents(cls: type) -> Callable[[object], tuple[object, ...]] | None:
    found = None
    if "_names" in vars(cls) and cls not in _LEAVES:
        written: dict[str, str] = cls.__annotations__
        names = tuple(n for n in written if not _words(written[n]) <= _ATOMS)
        _KNOWN[cls], found = names, getter(names)
    _CONTENTS[cls] = found
    return found


def _words(annotation: str) -> set[str]:
    return set(re.findall(r"[A-Za-z]\w*", re.sub(r'"[^"]*"', "", annotation)))


def nodes(tree: object, of: int = 0) -> Iterator[object]:
    """All nodes of a tree but types, parents first; with `of` (as `classes` gives it) those only that are
    or hold one of these classes."""
    stack = [tree]
    pop, extend = stack.pop, stack.extend
    while stack:
        n = pop()
        cls = n.__class__
        if cls is tuple:
            extend(n[::-1])  # type: ignore[index]
            continue
        contents = _CONTENTS[cls] if cls in _CONTENTS else _contents(cls)
        if contents is not None and (not of or held(n) & of):
            yield n
            extend(contents(n)[::-1])


def children(node: object) -> tuple[object, ...]:
    """What a tuple holds, or a node in the fields that may hold nodes; () of others."""
    cls = node.__class__
    if cls is tuple:
        return node  # type: ignore[return-value]
    contents = _CONTENTS[cls] if cls in _CONTENTS else _contents(cls)
    return () if contents is None else contents(node)


def reads(tree: object) -> frozenset[int]:
    """The variables that are read (those bound inside included)."""
    return _variables(tree)[0]


def binds(tree: object) -> frozenset[int]:
    """The variables that expressions of the tree bind: binders, parameters of options, lets."""
    return _variables(tree)[1]


_NO_VARIABLES: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())


def _variables(tree: object) -> tuple[frozenset[int], frozenset[int]]:
    """(read, bound): of a node worked out once, and kept with it."""
    inner = children(tree)
    if not inner and not isinstance(tree, e.Var):
        return _NO_VARIABLES
    if isinstance(tree, tuple):
        return _together(inner)
    known = tree.__dict__.get("_variables")
    if known is None:
        read, bound = _together(inner)
        if isinstance(tree, e.Var):
            read |= {tree.id}
        elif isinstance(tree, _BINDERS):
            bound |= {tree.var}
        known = tree.__dict__["_variables"] = read, bound
    return known


def _together(trees: tuple[object, ...]) -> tuple[frozenset[int], frozenset[int]]:
    found = [x for x in map(_variables, trees) if x is not _NO_VARIABLES]
    if len(found) < 2:
        return found[0] if found else _NO_VARIABLES
    return frozenset().union(*[x[0] for x in found]), frozenset().union(*[x[1] for x in found])


def alike(a: object, b: object) -> bool:
    """Whether two trees say the same, wherever their faults would be put down to and
    whatever is known of their types where they stand."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(alike(x, y) for x, y in zip(a, b, strict=True))
    if type(a) is not type(b) or not parts(a) or isinstance(a, _LEAVES):
        return a == b
    return all(
        alike(getattr(a, name), getattr(b, name)) for name in parts(a) if name not in ("site", "type")
    )


def same(a: object, b: object, names: dict[int, int]) -> bool:
    """Whether two trees say the same where variables of the first are called by other names in the
    second; what the trees bind themselves is added to `names`. Of lookups none is asked whether what
    they look up may be none."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same(x, y, names) for x, y in zip(a, b, strict=True))
    if isinstance(a, e.Var) and isinstance(b, e.Var):
        return names.get(a.id, a.id) == b.id
    if type(a) is not type(b) or not parts(a) or isinstance(a, _LEAVES):
        return a == b
    if isinstance(a, _BINDERS):
        names[a.var] = cast("e.Binding", b).var
    return all(
        same(getattr(a, name), getattr(b, name), names)
        for name in parts(a)
        if name not in ("site", "type", "lifted") and not (name == "var" and isinstance(a, _BINDERS))
    )


def rewrite(tree: object, change: Callable[[object], object | None], of: int = 0) -> object:
    """The tree with every node for which `change` answers replaced by the answer, from the top.

    `of` (as `classes` gives it): where it has an answer, there is a node of one of these classes, so that
    trees without any are left as they are.
    """
    cls = tree.__class__
    if cls is tuple:
        parts: tuple[object, ...] = tree  # type: ignore[assignment]
        for i, part in enumerate(parts):
            new = rewrite(part, change, of)
            if new is not part:
                return (*parts[:i], new, *[rewrite(later, change, of) for later in parts[i + 1 :]])
        return tree
    if (_CONTENTS[cls] if cls in _CONTENTS else _contents(cls)) is None or (of and not held(tree) & of):
        return tree
    answer = change(tree)
    return inside(tree, change, of) if answer is None else answer


def inside(tree: T, change: Callable[[object], object | None], of: int = 0) -> T:
    """The node with what is in it rewritten, but not itself."""
    changed = {}
    cls = type(tree)
    contents = _CONTENTS[cls] if cls in _CONTENTS else _contents(cls)
    if contents is None:
        return tree
    for i, old in enumerate(contents(tree)):
        if old.__class__ in _PLAIN:
            continue
        new = rewrite(old, change, of)
        if new is not old:
            changed[_KNOWN[cls][i]] = new
    return replace(tree, **changed) if changed else tree


def classes(*wanted: type) -> int:
    """These classes of nodes as bits."""
    return sum(_BITS[cls] for cls in wanted)


def held(tree: object) -> int:
    """The marked classes of nodes in a tree, as bits: of a node worked out once, and kept with it."""
    cls = tree.__class__
    if cls is tuple:
        bits = 0
        for part in tree:  # type: ignore[attr-defined]
            bits |= held(part)
        return bits
    contents = _CONTENTS[cls] if cls in _CONTENTS else _contents(cls)
    if contents is None:
        return 0
    known: int | None = tree.__dict__.get("_held")
    if known is None:
        known = _BITS.get(cls, 0)
        for part in contents(tree):
            if part.__class__ not in _PLAIN:
                known |= held(part)
        tree.__dict__["_held"] = known
    return known
