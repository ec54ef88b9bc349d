"""`@node`: frozen dataclasses that cost little to define and to make.

`dataclasses.dataclass` compiles six methods for every class, which for the some two hundred
classes of the trees takes longer than reading, parsing and checking a definition. A node has
the same behaviour (fields, `replace`, `match`, equality by type and value, hash, repr, no
assignment) from methods that all nodes share; only `__init__` is its own. Base module: imports
nothing of ludex.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from types import FunctionType
from typing import Any, TypeVar, dataclass_transform

C = TypeVar("C")


@dataclass_transform(frozen_default=True, eq_default=True)
def node(cls: type[C]) -> type[C]:
    """Makes a class of annotated fields, some perhaps with a default value, a frozen dataclass."""
    own: Any = cls
    names = tuple(cls.__annotations__)
    own._names = names
    type.__setattr__(cls, "__match_args__", names)
    own.__dataclass_fields__ = _Fields()
    own.__init__ = _initialiser(names, tuple(cls.__dict__[n] for n in names if n in cls.__dict__))
    own.__eq__ = _eq
    own.__hash__ = _hash
    own.__repr__ = _repr
    own.__setattr__ = _frozen
    own.__delattr__ = _frozen
    return cls


class _Fields:
    """What makes a class a dataclass for `replace` and `fields`: made when one of them first asks."""

    def __get__(self, of: object, cls: Any) -> object:
        body = {n: cls.__dict__[n] for n in cls._names if n in cls.__dict__}
        body |= {"__annotations__": dict.fromkeys(cls._names, Any), "__doc__": cls.__name__}
        like = type(cls.__name__, (), body)
        made: Any = dataclass(init=False, repr=False, eq=False)(like)
        cls.__dataclass_fields__ = made.__dataclass_fields__
        return cls.__dataclass_fields__


_BLANKS = (
    lambda self: None,
    lambda self, a: self.__dict__.update(a=a),
    lambda self, a, b: self.__dict__.update(a=a, b=b),
    lambda self, a, b, c: self.__dict__.update(a=a, b=b, c=c),
    lambda self, a, b, c, d: self.__dict__.update(a=a, b=b, c=c, d=d),
    lambda self, a, b, c, d, e: self.__dict__.update(a=a, b=b, c=c, d=d, e=e),
    lambda self, a, b, c, d, e, f: self.__dict__.update(a=a, b=b, c=c, d=d, e=e, f=f),
    lambda self, a, b, c, d, e, f, g: self.__dict__.update(a=a, b=b, c=c, d=d, e=e, f=f, g=g),
)
"""An `__init__` for so many fields, whose names are put in: compiling it for every class takes long."""


def _initialiser(names: tuple[str, ...], defaults: tuple[object, ...]) -> FunctionType:
    if len(names) >= len(_BLANKS):
        return _many(names, defaults)
    code = _BLANKS[len(names)].__code__
    called = dict(zip(code.co_varnames[1:], names, strict=True))

    def named(constant: Any) -> Any:
        if isinstance(constant, tuple):
            return tuple(named(c) for c in constant)
        return called.get(constant, constant)

    own = code.replace(co_name="__init__", co_varnames=("self", *names), co_consts=named(code.co_consts))
    return FunctionType(own, {}, "__init__", defaults)


def _many(names: tuple[str, ...], defaults: tuple[object, ...]) -> FunctionType:
    """The same for any number of fields, slower."""
    optional = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    fields = set(names)

    def __init__(self: object, *args: object, **named: object) -> None:
        given = dict(zip(names, args, strict=False))
        values = {**optional, **given, **named}
        if len(args) > len(names) or values.keys() != fields or not given.keys().isdisjoint(named):
            raise TypeError(f"{type(self).__name__} takes the fields {', '.join(names)}")
        self.__dict__.update((name, values[name]) for name in names)

    return __init__  # type: ignore[return-value]


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


def replace(of: C, **changes: Any) -> C:
    """A node like another but for some fields: `dataclasses.replace`, faster."""
    return type(of)(**{**of.__dict__, **changes})


def parts(of: object) -> tuple[str, ...]:
    """The names of a node's fields, in order; none for what is no node."""
    return getattr(type(of), "_names", ())
