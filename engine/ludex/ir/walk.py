"""Walking and rewriting trees of dataclasses: types, expressions, code, blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace

from ludex.node import parts
from ludex.typed import expr as e
from ludex.typed.types import BoolType, EntityType, IntType, SetType

_LEAVES = (IntType, BoolType, EntityType, SetType)


def nodes(tree: object) -> Iterator[object]:
    """All nodes of a tree but types, parents first."""
    stack = [tree]
    while stack:
        n = stack.pop()
        if isinstance(n, tuple):
            stack.extend(reversed(n))
            continue
        names = parts(n)
        if names and not isinstance(n, _LEAVES):
            yield n
            stack.extend([getattr(n, name) for name in reversed(names)])


def reads(tree: object) -> frozenset[int]:
    """The variables that are read (those bound inside included)."""
    return frozenset(node.id for node in nodes(tree) if isinstance(node, e.Var))


def binds(tree: object) -> frozenset[int]:
    """The variables that expressions of the tree bind: binders, parameters of options, lets."""
    found = set[int]()
    for node in nodes(tree):
        if isinstance(node, e.Binding | e.OptionBinding | e.OptionLet | e.Region | e.Reachable | e.Family):
            found.add(node.var)
    return frozenset(found)


def alike(a: object, b: object) -> bool:
    """Whether two trees say the same, wherever their faults would be put down to and
    whatever is known of their types where they stand."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(alike(x, y) for x, y in zip(a, b, strict=True))
    if type(a) is not type(b) or not is_dataclass(a) or isinstance(a, (type, *_LEAVES)):
        return a == b
    names = [f.name for f in fields(a) if f.name not in ("site", "type")]
    return all(alike(getattr(a, name), getattr(b, name)) for name in names)


def rewrite(tree: object, change: Callable[[object], object | None]) -> object:
    """The tree with every node for which `change` answers replaced by the answer, from the top."""
    if isinstance(tree, tuple):
        made = tuple(rewrite(part, change) for part in tree)
        return tree if all(a is b for a, b in zip(made, tree, strict=True)) else made
    if not is_dataclass(tree) or isinstance(tree, (type, *_LEAVES)):
        return tree
    answer = change(tree)
    if answer is not None:
        return answer
    changed = {}
    for field in fields(tree):
        old = getattr(tree, field.name)
        new = rewrite(old, change)
        if new is not old:
            changed[field.name] = new
    return replace(tree, **changed) if changed else tree
