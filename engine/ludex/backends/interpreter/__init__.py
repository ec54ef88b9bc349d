"""The interpreter: the reference semantics of a program, in Python.

The IR is compiled once into closures over one flat list (`memory`): `expressions`, `folds`
and `geometry` for values, `statements` and `piles` for effects, `options` for the choices of
a decision, `blocks` for control, `machine` for the interface. Nothing is generated as text.
May import: `ir`, `typed`, `limits`, `rng`, `backends.machine`.
"""

from ludex.backends.interpreter.machine import Interpreter

__all__ = ["Interpreter"]
