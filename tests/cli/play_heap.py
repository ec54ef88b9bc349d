"""`ludex` with the hand-written game, as a program of its own: for tests that need a terminal."""

import importlib

import fake_heap

from ludex.cli.main import main


def patch(path: str, value: object) -> None:
    module, _, name = path.rpartition(".")
    setattr(importlib.import_module(module), name, value)


fake_heap.install(patch)
main(prog_name="ludex")
