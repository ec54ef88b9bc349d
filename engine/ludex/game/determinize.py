"""States that a player cannot tell from the real one, for bots that play fair.

In the midst of sealed choices the hidden things are dealt anew as they lay before them, the
player's own choices are repeated, those who have finished choose at random, and the others
have not begun.
"""

from __future__ import annotations

from ludex.backends.machine import SealedPoint, Words
from ludex.game.context import Context
from ludex.game.history import Entry
from ludex.game.knowledge import belief_at
from ludex.game.redeal import redealt
from ludex.game.step import Sealed, Step
from ludex.game.told import lines_told
from ludex.rng import Generator


def determinized(context: Context, step: Step, player: str | None, rng: Generator) -> Step:
    """The position with what `player` cannot see dealt anew; the history as he has seen it."""
    bit = context.bit(player)
    sealed = step.sealed
    base_entry = sealed.entry if sealed is not None else step.entry
    base_words = sealed.start if sealed is not None else step.words
    belief = belief_at(context, base_entry, bit)
    words, places = redealt(context, base_words, belief, base_entry, rng)
    belief.place = places
    entry = _as_seen(base_entry, bit)
    entry.words = words
    entry.origin = True
    entry.beliefs = {bit: belief}
    entry.told = {bit: lines_told(context, base_entry, base_words, bit)}
    now_sealed = None
    if sealed is not None:
        now_sealed = Sealed(entry, words, words)
        words, entry = _sealed_again(context, step, sealed, bit, words, entry, rng)
    seed = rng.next() << 32 | rng.next()
    return Step(
        words, context.machine.point(words), entry, entry, Generator(seed), step.explicit, seed, now_sealed
    )


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
    context: Context, step: Step, sealed: Sealed, bit: int, start: Words, entry: Entry, rng: Generator
) -> tuple[Words, Entry]:
    """The sealed choices made so far: his own as they were, at random of those who have finished."""
    machine = context.machine
    words = machine.copy(start)
    still = {player for player, _ in step.point.waiting} if isinstance(step.point, SealedPoint) else set()
    made = step.entry.since(sealed.entry)
    last = {e.strand: e.number for e in made}
    for e in made:
        player, choice, events = e.strand, None, e.events
        if 1 << player & bit and e.choice is not None:
            choice = e.choice
            machine.choose(words, player, choice)
        elif player not in still and e.number == last[player]:
            events = ()
            while _is_waiting(context, words, player):
                machine.choose(words, player, machine.sample_choice(words, player, rng))
        else:
            continue
        entry = Entry(entry, e.record if choice is not None else None, events, choice=choice, strand=player)
        entry.words = machine.copy(words)
    return words, entry


def _is_waiting(context: Context, words: Words, player: int) -> bool:
    point = context.machine.point(words)
    return isinstance(point, SealedPoint) and any(p == player for p, _ in point.waiting)
