"""Passes over the IR that back ends share: the same program, said so that it runs faster.

None changes what is played: not the options and their order, not the use of random numbers,
not the ticks, not which fault happens first. May import: `ir`, `typed`, `limits`.
"""
