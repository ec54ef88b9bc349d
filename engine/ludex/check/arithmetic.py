"""Exact arithmetic of constants, and the elements of a set."""

from __future__ import annotations

from collections.abc import Iterator

from ludex.typed.types import INT_MAX, INT_MIN


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
