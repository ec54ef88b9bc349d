"""`@node`: frozen dataclasses that cost little to define.

`dataclasses.dataclass` compiles six methods for every class, which for the some two hundred
classes of the trees takes longer than reading, parsing and checking a definition. A node has
the same behaviour (fields, `replace`, `match`, equality by type and value, hash, repr, no
assignment) from methods that all nodes share. Base module: imports nothing of ludex.
"""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

C = TypeVar("C")


@dataclass_transform(frozen_default=True, eq_default=True, field_specifiers=(field,))
def node(cls: type[C]) -> type[C]:
    """Makes a class of annotated fields a frozen dataclass."""
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # or dataclass() would spend its time on a signature
    made = dataclass(init=False, repr=False, eq=False)(cls)
    own: Any = made
    found = fields(own)
    own._names = tuple(f.name for f in found)
    own._defaults = {
        f.name: (lambda value=f.default: value) if f.default is not MISSING else f.default_factory
        for f in found
        if f.default is not MISSING or f.default_factory is not MISSING
    }
    own.__init__ = _init
    own.__eq__ = _eq
    own.__hash__ = _hash
    own.__repr__ = _repr
    own.__setattr__ = _frozen
    own.__delattr__ = _frozen
    return made


def _init(self: Any, *args: object, **named: object) -> None:
    names = self._names
    values = self.__dict__
    values.update(zip(names, args))  # noqa: B905  (checked below, once for all ways to be wrong)
    if named:
        if not named.keys().isdisjoint(values):
            raise TypeError(f"{type(self).__name__} got a field twice")
        values.update(named)
    if len(values) != len(names) or len(args) > len(names):
        for name, make in self._defaults.items():
            if name not in values:
                values[name] = make()
        if values.keys() != set(names) or len(args) > len(names):
            raise TypeError(f"{type(self).__name__} takes the fields {', '.join(names)}")


def _eq(self: Any, other: object) -> Any:
    values: object = self.__dict__
    if self is other:
        return True
    if type(other) is not type(self):
        return NotImplemented
    return values == other.__dict__


def _hash(self: Any) -> int:
    return hash((type(self).__name__, *(getattr(self, n) for n in self._names)))


def _repr(self: Any) -> str:
    return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in self._names)})"


def _frozen(self: Any, name: str, value: object = None) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def parts(of: object) -> tuple[str, ...]:
    """The names of a node's fields, in order; none for what is no node."""
    return getattr(type(of), "_names", ())
