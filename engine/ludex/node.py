"""`@node`: frozen dataclasses that cost little to define and to make.

`dataclasses.dataclass` compiles six methods for every class, which for the some two hundred
classes of the trees takes longer than reading, parsing and checking a definition. A node has
the same behaviour (fields, `replace`, `match`, equality by type and value, hash, repr) from methods
that all nodes share; only `__init__` is its own. That nobody assigns to a field is for mypy to see:
watching for it at run time would make every node take twice as long to make. Base module: imports
nothing of ludex.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

C = TypeVar("C")

CONTENTS: dict[type, Callable[[object], tuple[Any, ...]]] = {}
"""For each class of nodes what gives all that a node's fields hold, in order, its span left out."""


@dataclass_transform(frozen_default=True, eq_default=True)
def node(cls: type[C]) -> type[C]:
    """Makes a class of annotated fields, some perhaps with a default value, a frozen dataclass."""
    own: Any = cls
    names = tuple(cls.__annotations__)
    own._names = names
    own._values = getter(names)
    type.__setattr__(cls, "__match_args__", names)
    own.__dataclass_fields__ = _FIELDS
    own.__init__ = _initialiser(cls, names)
    own.__eq__ = _eq
    own.__hash__ = _hash
    own.__repr__ = _repr
    CONTENTS[cls] = getter(tuple([n for n in names if n != "span"])) if "span" in names else own._values
    return cls


class _Fields:
    """What makes a class a dataclass for `replace` and `fields`: made when one of them first asks."""

    def __get__(self, of: object, cls: Any) -> object:
        from dataclasses import dataclass  # takes as long to import as a third of the trees' classes

        body = {n: cls.__dict__[n] for n in cls._names if n in cls.__dict__}
        body |= {"__annotations__": dict.fromkeys(cls._names, Any), "__doc__": cls.__name__}
        like = type(cls.__name__, (), body)
        made: Any = dataclass(init=False, repr=False, eq=False)(like)
        cls.__dataclass_fields__ = made.__dataclass_fields__
        return cls.__dataclass_fields__


_FIELDS = _Fields()


def _initialiser(cls: type, names: tuple[str, ...]) -> Callable[..., None]:
    """An `__init__` that takes these fields."""
    size = len(names)
    own = {name: cls.__dict__[name] for name in names if name in cls.__dict__}

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        if len(values) == size and not named:
            self.__dict__ = dict(zip(names, values))  # noqa: B905  (strict costs as much again)
            return
        given = {**own, **dict(zip(names, values, strict=False)), **named}
        twice = not named.keys().isdisjoint(names[: len(values)])
        if len(values) > size or given.keys() != set(names) or twice:
            raise TypeError(f"{cls.__name__} has the fields {', '.join(names)}")
        self.__dict__ = {name: given[name] for name in names}

    return __init__


def getter(names: tuple[str, ...]) -> Callable[[object], tuple[Any, ...]]:
    """A function that gives these attributes of an object."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda of: (getattr(of, names[0]),)) if names else (lambda of: ())


def _eq(self: Any, other: object) -> Any:
    if self is other:
        return True
    values = type(self)._values
    return values(self) == values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    cls = type(self)
    return hash((cls.__name__, cls._values(self)))


def _repr(self: Any) -> str:
    return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in self._names)})"


def replace(of: C, **changes: Any) -> C:
    """A node like another but for some fields: `dataclasses.replace`, faster."""
    cls: Any = type(of)
    values = dict(zip(cls._names, cls._values(of)))  # noqa: B905  (strict costs as much again)
    values.update(changes)
    if len(values) > len(cls._names):
        raise TypeError(f"{cls.__name__} has the fields {', '.join(cls._names)}")
    made: C = cls.__new__(cls)
    made.__dict__ = values
    return made


@contextmanager
def collecting_later() -> Iterator[None]:
    """For what makes many small objects and hardly any garbage: looking for it takes a fifth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def parts(of: object) -> tuple[str, ...]:
    """The names of a node's fields, in order; none for what is no node."""
    return getattr(type(of), "_names", ())
