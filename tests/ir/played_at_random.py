"""Random games by one back end, to be compared with those of another."""

from __future__ import annotations

from ludex.backends.machine import Fault, Machine
from ludex.rng import CHANCE, POLICY, Generator


def play(machine: Machine, seed: int, most: int = 1000) -> tuple[bytes, object]:
    """Where a random game ends or faults, and how; half of the decisions, then on from the state's bytes."""
    words, chance, policy = machine.start(), Generator(seed, CHANCE), Generator(seed, POLICY)
    try:
        for decisions in (most // 2, most - most // 2):
            machine.playout(words, chance, policy, decisions)
            words = machine.unpack(machine.pack(words))
    except Fault as fault:
        return machine.pack(words), (fault.kind, fault.site)
    return machine.pack(words), (chance.state, policy.state)
