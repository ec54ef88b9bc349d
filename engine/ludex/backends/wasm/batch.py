"""Many states of one game that are stepped together in native code: for programs that learn.

    batch = Batch(compiled, seeds)
    while batch.options.any():
        batch.step([choose(n) for n in batch.options])

State i is what `Game.start(seeds[i])` gives, and stepping it by k what `apply` of its k-th legal action
gives: chance is sampled from the seed. Of sealed choices the first player who has not finished chooses.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence

from ludex.backends.machine import Fault
from ludex.backends.wasm.emitter import FAULTS
from ludex.backends.wasm.host import Instance, Trap
from ludex.backends.wasm.machine import Compiled
from ludex.backends.wasm.plan import BATCH_WORDS, FAULT, FAULTED, ILLEGAL, PLAYED, RULE, STATE
from ludex.rng import CHANCE, Generator

NOTHING = -1
"""Instead of an option: the state stays as it is."""


class Batch:
    """States in a row of bytes. For one thread.

    `options[i]` is how many legal actions state i has (0: the game is over, or a rule faulted),
    `players[i]` the seat that decides, counted from 0 (-1: nobody).
    """

    def __init__(self, compiled: Compiled, seeds: Sequence[int]) -> None:
        """Raises `Fault` where the setup faults."""
        compiled = compiled.searching
        plan = compiled.plan
        self._plan = plan
        self._first_seat = plan.program.world.players.base
        self._instance = Instance(compiled.module)
        self._step = self._instance.long("step_batch")
        self._entry = 4 * (BATCH_WORDS + plan.saved)
        self.faults: dict[int, Fault] = {}
        """The states in which a rule faulted; they stay where they were."""
        self.options = array("i", bytes(4 * len(seeds)))
        self.players = array("i", bytes(4 * len(seeds)))
        try:
            self._instance.quick("start")()
        except Trap:
            raise self._fault() from None
        self._start = self._instance.memory[STATE : STATE + 4 * plan.saved].tobytes()
        self._data = bytearray().join(map(self._begun, seeds))
        self._run(0, len(seeds))

    def _begun(self, seed: int) -> bytes:
        return struct.pack("<4i4I", NOTHING, 0, 0, 0, *Generator(seed, CHANCE).state) + self._start

    def __len__(self) -> int:
        return len(self.options)

    def restart(self, i: int, seed: int) -> None:
        """State i becomes what `Game.start(seed)` gives, whatever it was."""
        self.faults.pop(i, None)
        self._data[i * self._entry : (i + 1) * self._entry] = self._begun(seed)
        self._run(i, i + 1)

    def state(self, i: int) -> bytes:
        """The state as by `State.to_bytes`: `Game.from_bytes` goes on with it."""
        start = i * self._entry + 4 * BATCH_WORDS
        return bytes(self._data[start : start + 4 * self._plan.saved])

    def step(self, actions: Sequence[int]) -> None:
        """Plays in each state the action of that number among its legal actions, none for `NOTHING`.

        Raises ValueError, and plays nothing, if a number is not among them.
        """
        if len(actions) != len(self):
            raise ValueError(f"there are {len(self)} states, and {len(actions)} actions")
        for i, (action, n) in enumerate(zip(actions, self.options, strict=True)):
            if not NOTHING <= action < n:
                raise ValueError(f"state {i} has {n} legal actions, and none of number {action}")
        words = memoryview(self._data).cast("i")
        words[:: self._entry // 4] = memoryview(array("i", actions))
        words.release()
        self._run(0, len(self))

    def _run(self, begin: int, end: int) -> None:
        """In parts, as many states as there is room for in the module."""
        memory, size, room = self._instance.memory, self._entry, self._plan.state_count
        for first in range(begin, end, room):
            count = min(room, end - first)
            here = memory[self._plan.records : self._plan.records + count * size]
            here[:] = self._data[first * size : (first + count) * size]
            self._call(first, count)
            self._data[first * size : (first + count) * size] = here
        for i in range(begin, end):
            _, options, player, result = struct.unpack_from("<4i", self._data, i * size)
            assert result != ILLEGAL, "tested before"
            faulted = result == FAULTED or i in self.faults
            self.options[i] = 0 if faulted else options
            self.players[i] = player - self._first_seat if options and not faulted else -1

    def _call(self, first: int, count: int) -> None:
        words, begin = self._instance.words, 0
        while begin < count:
            try:
                self._step(begin, count)
                return
            except Trap:
                at = words[PLAYED // 4]
                self.faults[first + at] = self._fault()
                begin = at + 1

    def _fault(self) -> Fault:
        words = self._instance.words
        kind, rule = words[FAULT // 4], words[RULE // 4]
        words[FAULT // 4] = 0
        return Fault(FAULTS[kind - 1] if kind else "depth", -1, "", rule - (1 << 32) if rule >> 31 else rule)
