"""Exact arithmetic of constants, and the elements of a set."""

from __future__ import annotations

from collections.abc import Iterator

from ludex.typed.types import INT_MAX, INT_MIN, MAX_SET_NUMBER


class NotConstant(Exception):
    """The expression reads the state, or faults."""


class TooLong(NotConstant):
    """The ceiling of work done while loading is reached."""


def bits(mask: int) -> Iterator[int]:
    """The elements of a set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def bit(value: int) -> int:
    """The set of one number; raises NotConstant where no set can hold it, as it would fault."""
    if not 0 <= value <= MAX_SET_NUMBER:
        raise NotConstant("no element of a set")
    return 1 << value


def holds(mask: int, value: int) -> bool:
    """Whether a number or thing is in a set; a negative number is in none."""
    return value >= 0 and bool(mask >> value & 1)


def fit(value: int) -> int:
    if not INT_MIN <= value <= INT_MAX:
        raise NotConstant("overflow")
    return value


def arithmetic(op: str, a: int, b: int) -> int:
    """The exact result; raises NotConstant where it would fault."""
    match op:
        case "add":
            return fit(a + b)
        case "sub":
            return fit(a - b)
        case "mul":
            return fit(a * b)
        case "min":
            return min(a, b)
        case "max":
            return max(a, b)
    if b == 0:
        raise NotConstant("division by zero")
    return fit(a // b) if op == "div" else a % b


def compare(op: str, a: int, b: int) -> bool:
    match op:
        case "eq":
            return a == b
        case "ne":
            return a != b
        case "lt":
            return a < b
        case "le":
            return a <= b
        case "gt":
            return a > b
        case _:
            return a >= b
