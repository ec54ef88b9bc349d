"""Generators seeded inside the module, as `rng` specifies it."""

from __future__ import annotations

from ludex.backends.wasm import asm
from ludex.backends.wasm.asm import Ex, const
from ludex.backends.wasm.emitter import Unit

_GOLDEN = 0x9E3779B9


def derived(u: Unit, seed: Ex, i: Ex) -> Ex:
    """`derive(seed, i)`, in a local."""
    f = u.f
    z = f.keep(seed + (i.extend(signed=False) + 1) * 0x9E3779B97F4A7C15)
    f.set(z, (z ^ z.shr(30)) * 0xBF58476D1CE4E5B9)
    f.set(z, (z ^ z.shr(27)) * 0x94D049BB133111EB)
    f.set(z, z ^ z.shr(31))
    return z


class Seeds:
    """The generators of one seed: what they have in common is worked out once."""

    def __init__(self, u: Unit, seed: Ex) -> None:
        self._unit = u
        low, high = seed.wrap(), seed.shr(32).wrap()
        self._common = [_mixed(u, _mixed(u, low ^ (i + 1) * _GOLDEN) + high) for i in range(4)]

    def begin(self, address: int, stream: int) -> None:
        """As `Generator(seed, stream)`, at an address."""

        def build(u: Unit) -> None:
            f = u.f
            at, number = f.param(0), f.param(1)
            whole = const(0)
            for i in range(4):
                word = _mixed(u, f.param(2 + i) + number)
                f.store(at, 4 * i, word)
                whole = whole | word
            with f.when(whole.eqz()):
                f.store(at, 0, 1)

        seed = self._unit.c.made("seed", ["i32"] * 6, [], build)
        self._unit.f.do(asm.call(seed, const(address), const(stream), *self._common))


def _mixed(u: Unit, value: Ex) -> Ex:
    """The finaliser, in a local."""
    f = u.f
    z = f.keep(value)
    f.set(z, (z ^ z.shr(16)) * 0x21F0AAAD)
    f.set(z, (z ^ z.shr(15)) * 0x735A2D97)
    f.set(z, z ^ z.shr(15))
    return z
