"""The random generator, specified bit for bit so that every back end draws alike.

**Generator.** xoshiro128** 1.1 (Blackman and Vigna): four 32-bit words s0..s3, all sums and
products modulo 2**32, `rotl` rotating within 32 bits. One draw is::

    result = rotl(s1 * 5, 7) * 9
    t = s1 << 9
    s2 ^= s0;  s3 ^= s1;  s1 ^= s2;  s0 ^= s3;  s2 ^= t;  s3 = rotl(s3, 11)

**Seeding.** From a 64-bit seed (low word `lo`, high word `hi`) and a 32-bit stream number::

    mix(z):  z ^= z >> 16;  z *= 0x21F0AAAD;  z ^= z >> 15;  z *= 0x735A2D97;  z ^= z >> 15
    s_i = mix(mix(mix(lo ^ (i + 1) * 0x9E3779B9) + hi) + stream)        i = 0, 1, 2, 3

and s0 = 1 should all four be 0. `mix` is the finaliser of splitmix32, a bijection.

**Bounded draws.** `bounded(n)`, 1 <= n <= 2**32, is uniform over 0..n-1 (Lemire's
multiply-shift with rejection): draw x, m = x * n (64 bits); if the low word of m is less
than (2**32 - n) mod n, draw again; the result is the high word of m. For n = 1 nothing is drawn.

**Derived seeds.** `derive(seed, i)` is output number i (from 0) of splitmix64 seeded with
`seed`: the seed of game i of a batch, whoever plays it.

**Streams.** Chance events and the policy of random players draw from separate streams, so a
playout with another policy meets the same dice. Base module: imports nothing of ludex.
"""

from __future__ import annotations

from typing import Final

CHANCE: Final = 0
"""Stream of chance events."""

POLICY: Final = 1
"""Stream of random players."""

SEATS: Final = 2
"""Stream of the bot on the first seat; the next ones follow."""

_MASK: Final = 0xFFFFFFFF
_MASK64: Final = 0xFFFFFFFFFFFFFFFF
_GOLDEN: Final = 0x9E3779B9


def _mix(z: int) -> int:
    z ^= z >> 16
    z = z * 0x21F0AAAD & _MASK
    z ^= z >> 15
    z = z * 0x735A2D97 & _MASK
    return z ^ z >> 15


def derive(seed: int, i: int) -> int:
    """The 64-bit seed of part `i` (0 or more) of whatever `seed` stands for."""
    z = seed + (i + 1) * 0x9E3779B97F4A7C15 & _MASK64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK64
    return z ^ z >> 31


class Generator:
    """One stream of a seed; see the module for its definition."""

    __slots__ = ("_s0", "_s1", "_s2", "_s3")

    def __init__(self, seed: int, stream: int = CHANCE) -> None:
        lo, hi = seed & _MASK, seed >> 32 & _MASK
        first = [_mix(lo ^ i * _GOLDEN & _MASK) for i in (1, 2, 3, 4)]
        s0, s1, s2, s3 = (_mix(_mix(z + hi & _MASK) + stream & _MASK) for z in first)
        self.state = (s0, s1, s2, s3)

    @property
    def state(self) -> tuple[int, int, int, int]:
        """The four words; assigning resumes from there (all 0 becomes 1, 0, 0, 0)."""
        return self._s0, self._s1, self._s2, self._s3

    @state.setter
    def state(self, words: tuple[int, int, int, int]) -> None:
        self._s0, self._s1, self._s2, self._s3 = (word & _MASK for word in words)
        if not any(words):
            self._s0 = 1

    def next(self) -> int:
        """The next 32 bits."""
        s0, s1, s2, s3 = self._s0, self._s1, self._s2, self._s3
        x = s1 * 5 & _MASK
        result = ((x << 7 | x >> 25) & _MASK) * 9 & _MASK
        s2 ^= s0
        s3 ^= s1
        self._s0 = s0 ^ s3
        self._s2 = s2 ^ s1 << 9 & _MASK
        self._s1 = s1 ^ s2
        self._s3 = (s3 << 11 | s3 >> 21) & _MASK
        return result

    def bounded(self, n: int) -> int:
        """A uniform integer of 0..n-1; draws nothing where n is 1. Raises ValueError outside 1..2**32."""
        if n == 1:
            return 0
        if not 1 < n <= 1 << 32:
            raise ValueError(f"bound {n} is not in 1..2**32")
        m = self.next() * n
        if m & _MASK < n:
            threshold = ((1 << 32) - n) % n
            while m & _MASK < threshold:
                m = self.next() * n
        return m >> 32
