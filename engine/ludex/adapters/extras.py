"""What an adapter needs beyond ludex itself, and what is said where it is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtra(ImportError):
    """A library that an adapter is for is not installed; the message says how to install it."""


@contextmanager
def extra(name: str, library: str) -> Iterator[None]:
    """Within it a library is imported that the extra `name` brings. Raises `MissingExtra`."""
    try:
        yield
    except ImportError as error:
        if isinstance(error, MissingExtra):
            raise
        raise MissingExtra(
            f"{library} is not installed ({error}). Install it with: pip install 'ludex[{name}]'"
        ) from None
