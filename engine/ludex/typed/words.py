"""How many words values take in a state, and how many a state of a game can have at most."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from ludex.typed.game import Game, StateVariable
from ludex.typed.types import MAX_SET_NUMBER, EntityType, IntType, SetType, Type
from ludex.typed.world import Kind, World


def set_span(world: World, t: SetType) -> tuple[int, int]:
    """(base, width in words) of a set of this type."""
    if isinstance(t.element, IntType):
        return 0, (min(max(t.element.hi, 0), MAX_SET_NUMBER) + 32) // 32
    ids = [i for k in t.element.kinds for i in (world.kind(k).base, world.kind(k).ids[-1])]
    if not ids:
        return 0, 1
    base = 0 if t.element.optional else min(ids)
    return base, (max(ids) - base + 32) // 32


def words_of(world: World, item: StateVariable) -> int:
    width = set_span(world, item.type)[1] if isinstance(item.type, SetType) else 1
    return prod(size for _, _, size in item.dims) * width


def at_most(game: Game) -> int:
    """Words that a state of a game can have at most, but for counters of loops; found without lowering it.

    What may wait in the midst of a loop or a choice keeps its variables, twice at most, and the
    rest of the set that a loop goes through.
    """
    world = game.world
    widths: dict[Type, int] = {}
    for t in {v.type for v in game.variables}:
        widths[t] = set_span(world, t)[1] if isinstance(t, SetType) else 1
    things = [k for k in world.kinds if k.is_movable]
    places = [k for k in world.kinds if k.is_location]
    tokens = [k for k in world.kinds if k.category == "token"]
    dice = [k for k in world.kinds if k.category == "die"]
    rest = (world.size + 32) // 32
    return (
        (len(game.ranking) + len(game.scoring) + 3) * game.players
        + 2 * (_span(things) + _span(places))
        + _span(places) * _span(tokens)
        + _span(dice)
        + sum(words_of(world, v) for v in game.state)
        + sum(2 * widths[v.type] + (rest if isinstance(v.type, EntityType) else 2) for v in game.variables)
    )


def _span(kinds: Iterable[Kind]) -> int:
    """How many ids lie between the first and the last member of these kinds."""
    bounds = [i for k in kinds for i in (k.base, k.base + k.count)]
    return max(bounds) - min(bounds) if bounds else 0
