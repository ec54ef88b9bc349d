"""Back ends: what runs a program. `machine` is the interface, `interpreter` the semantics.

May import: `ir`, `rng` and what those import.
"""
