"""Walking and rewriting trees of dataclasses: types, expressions, code, blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar, cast

from ludex.node import getter, parts, replace
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

_KNOWN: dict[type, tuple[str, ...] | None] = {}
_CONTENTS: dict[type, Callable[[object], tuple[object, ...]] | None] = {}


def _children(cls: type) -> tuple[str, ...] | None:
    """The fields of a class of nodes that may hold nodes; None of a class that is no node, or a type."""
    names: tuple[str, ...] | None = None
    if "_names" in vars(cls) and cls not in _LEAVES:
        written: dict[str, str] = cls.__annotations__
        names = tuple(n for n in written if not _words(written[n]) <= _ATOMS)
    _KNOWN[cls] = names
    _CONTENTS[cls] = None if names is None else getter(names[::-1])
    return names


def _words(annotation: str) -> set[str]:
    return set(re.findall(r"[A-Za-z]\w*", re.sub(r'"[^"]*"', "", annotation)))


def nodes(tree: object) -> Iterator[object]:
    """All nodes of a tree but types, parents first."""
    stack = [tree]
    pop, extend = stack.pop, stack.extend
    while stack:
        n = pop()
        cls = n.__class__
        if cls is tuple:
            extend(n[::-1])  # type: ignore[index]
            continue
        if cls not in _CONTENTS:
            _children(cls)
        contents = _CONTENTS[cls]
        if contents is not None:
            yield n
            extend(contents(n))


def children(node: object) -> tuple[object, ...]:
    """What a tuple holds, or a node in the fields that may hold nodes (the last first); () of others."""
    cls = node.__class__
    if cls is tuple:
        return node  # type: ignore[return-value]
    if cls not in _CONTENTS:
        _children(cls)
    contents = _CONTENTS[cls]
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


def rewrite(tree: object, change: Callable[[object], object | None]) -> object:
    """The tree with every node for which `change` answers replaced by the answer, from the top."""
    if isinstance(tree, tuple):
        for i, part in enumerate(tree):
            new = rewrite(part, change)
            if new is not part:
                return (*tree[:i], new, *[rewrite(later, change) for later in tree[i + 1 :]])
        return tree
    cls = tree.__class__
    names = _KNOWN[cls] if cls in _KNOWN else _children(cls)
    if names is None:
        return tree
    answer = change(tree)
    return inside(tree, change) if answer is None else answer


def inside(tree: T, change: Callable[[object], object | None]) -> T:
    """The node with what is in it rewritten, but not itself."""
    changed = {}
    cls = type(tree)
    for name in (_KNOWN[cls] if cls in _KNOWN else _children(cls)) or ():
        old = getattr(tree, name)
        new = rewrite(old, change)
        if new is not old:
            changed[name] = new
    return replace(tree, **changed) if changed else tree
