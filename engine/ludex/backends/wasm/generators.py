"""Random numbers below a bound, as `rng` specifies them."""

from __future__ import annotations

from ludex.backends.wasm import asm
from ludex.backends.wasm.asm import Ex, Function, const


def bounded(f: Function, at: Ex, n: Ex) -> Ex:
    """`Generator.bounded` of the generator at an address, in a local; both in locals or constants. A bound
    of 2**32 never comes up."""
    found = f.local()
    f.set(found, 0)
    with f.when(n.compare("gt_u", 1)):
        m, wide = f.local("i64"), f.keep(n.extend(signed=False))
        with f.block() as done, f.loop() as again:
            s0, s1, s2, s3 = (f.keep(asm.load(at, 4 * i)) for i in range(4))
            f.set(m, ((s1 * 5).rotl(7) * 9).extend(signed=False) * wide)
            t = f.keep(s1.shl(9))
            f.set(s2, s2 ^ s0)
            f.set(s3, s3 ^ s1)
            f.store(at, 4, s1 ^ s2)
            f.store(at, 0, s0 ^ s3)
            f.store(at, 8, s2 ^ t)
            f.store(at, 12, s3.rotl(11))
            f.jump(done, m.wrap().compare("ge_u", n))
            f.jump(again, m.wrap().compare("lt_u", (const(0) - n)._binary("rem_u", n)))
        f.set(found, m.shr(32).wrap())
    return found
