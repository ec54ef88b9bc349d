"""States that a player cannot tell from the real one, for bots that play fair.

In the midst of sealed choices the hidden things are dealt anew as they lay before them, the
player's own choices are repeated, those who have finished choose at random, and the others
have not begun.
"""

from __future__ import annotations

from ludex.backends.machine import Choice, Event, SealedPoint, TurnPoint, Words
from ludex.game.context import Context
from ludex.game.history import Entry
from ludex.game.knowledge import Belief, belief_at
from ludex.game.offers import bindings
from ludex.game.redeal import World, redealt
from ludex.game.step import Sealed, Step
from ludex.game.told import lines_told
from ludex.rng import Generator
from ludex.typed.types import EntityType

MAX_DEALS = 16
"""Worlds that are dealt before one is taken in which somebody has nothing to choose."""

MAX_CHOICES = 1000
"""Sealed choices of one player that are made up for a world."""


def determinized(context: Context, step: Step, player: str | None, rng: Generator) -> Step:
    """The position with what `player` cannot see dealt anew; the history as he has seen it."""
    bit = context.bit(player)
    sealed = step.sealed
    base_entry = sealed.entry if sealed is not None else step.entry
    base_words = sealed.start if sealed is not None else step.words
    belief = belief_at(context, base_entry, bit)
    words, world = _playable(context, base_words, belief, rng)
    entry = _as_seen(base_entry, bit)
    entry.words = words
    entry.origin = True
    entry.beliefs = {bit: world.belief}
    entry.told = {bit: lines_told(context, base_entry, base_words, bit)}
    now_sealed = None
    if sealed is not None:
        now_sealed = Sealed(entry, words, words)
        words, entry = _sealed_again(context, step, sealed, bit, world, entry, rng)
    seed = rng.next() << 32 | rng.next()
    return Step(
        words, context.machine.point(words), entry, entry, Generator(seed), step.explicit, seed, now_sealed
    )


def _playable(context: Context, base: Words, belief: Belief, rng: Generator) -> tuple[Words, World]:
    """A world in which whoever is to decide has an option, as all know that he has."""
    for _ in range(MAX_DEALS):
        words, world = redealt(context, base, belief, rng)
        point = context.machine.point(words)
        waiting = [point.player] if isinstance(point, TurnPoint) else []
        if isinstance(point, SealedPoint):
            waiting = [player for player, _ in point.waiting]
        if all(1 << player & belief.bit or context.machine.options(words, player) for player in waiting):
            break
    return words, world


def _as_seen(entry: Entry, bit: int) -> Entry:
    """A history of masked records, without events; its first entry is where nothing is known."""
    seen: Entry | None = None
    for e in entry.since(None):
        record = e.record.for_viewer(bit) if e.record is not None else None
        if record is not None or seen is None:
            seen = Entry(seen, record, (), quiet=e.quiet)
    assert seen is not None
    return Entry(seen, None, ())


def _sealed_again(
    context: Context, step: Step, sealed: Sealed, bit: int, world: World, entry: Entry, rng: Generator
) -> tuple[Words, Entry]:
    """The sealed choices made so far: his own as they were, at random of those who have finished.

    In the order in which everybody was told that somebody has finished.
    """
    machine = context.machine
    assert entry.words is not None
    words = machine.copy(entry.words)
    made = step.entry.since(sealed.entry)
    last = {e.strand: e.number for e in made}
    still = {player for player, _ in step.point.waiting} if isinstance(step.point, SealedPoint) else set()
    for e in made:
        player, own = e.strand, bool(1 << e.strand & bit)
        choice: Choice | None = None
        events: list[Event] = []
        if not player or (not own and (player in still or e.number != last[player])):
            continue
        if own and e.choice is not None:
            block = _block_of(context, words, player)
            assert block is not None, "his own choices are as they were"
            choice = in_world(context, block, e.choice, world)
            machine.choose(words, player, choice, events)
        else:
            _finish(context, words, player, rng, events)
        entry = Entry(entry, e.record if own else None, tuple(events), choice=choice, strand=player)
        entry.words = machine.copy(words)
    for player in context.player_ids:
        if player not in still and player not in last:
            _finish(context, words, player, rng, [])
    return words, entry


def _finish(context: Context, words: Words, player: int, rng: Generator, events: list[Event]) -> None:
    """A player's sealed choices to the end, at random.

    Where they have no end in this world, he has not finished after `MAX_CHOICES` of them.
    """
    for _ in range(MAX_CHOICES):
        if _block_of(context, words, player) is None:
            return
        context.machine.choose(words, player, context.machine.sample_choice(words, player, rng), events)


def in_world(context: Context, block: int, choice: Choice, world: World) -> Choice:
    """A choice that the viewer made at a block, in the numbers of another world."""
    values = []
    for value, binding in zip(
        choice.values, bindings(context.decide(block).options[choice.option]), strict=True
    ):
        movable = isinstance(binding.type, EntityType) and context.naming.is_movable(value)
        values.append(world.hidden(value) if movable else value)
    return Choice(choice.option, tuple(values))


def _block_of(context: Context, words: Words, player: int) -> int | None:
    """Where a player is to choose, None if he is not."""
    point = context.machine.point(words)
    waiting = dict(point.waiting) if isinstance(point, SealedPoint) else {}
    return waiting.get(player)
