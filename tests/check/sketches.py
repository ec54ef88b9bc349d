"""The sketched games of `tests/sketches`: which overlays go on which, and how they are loaded."""

from __future__ import annotations

from pathlib import Path

from ludex import pipeline
from ludex.diagnostics import Report
from ludex.ir.program import Program
from ludex.syntax import ast
from ludex.syntax.parser import parse_game

SKETCHES = Path(__file__).parent.parent / "sketches"

STACKS: tuple[tuple[str, ...], ...] = (
    ("emerald",),
    ("emerald", "emerald_variant_a"),
    ("emerald", "emerald_variant_b"),
    ("emerald", "emerald_variant_c"),
    ("emerald", "emerald_variant_a", "emerald_variant_b", "emerald_variant_c"),
    ("emerald", "emerald_demo_insert"),
    ("mekong",),
    ("seven_tiles",),
    ("todas_tablas",),
    ("chess",),
    ("chess", "atomic_chess"),
    ("chess", "king_of_the_hill"),
    ("english_draughts",),
    ("english_draughts", "brazilian_draughts"),
    ("go",),
    ("goofspiel",),
    ("hearts",),
    ("hex",),
    ("leduc_poker",),
    ("liars_dice",),
    ("liars_dice", "liars_dice_single"),
    ("nine_mens_morris",),
    ("rummy",),
)
"""A base and the overlays on it, by the names of their files."""


def sketch(stack: tuple[str, ...]) -> ast.Game:
    """The parsed definition. Raises `Failed` if anything is wrong."""
    base, *overlays = (str(SKETCHES / f"{name}.yaml") for name in stack)
    report = Report()
    tree = parse_game(pipeline.resolve(base, overlays, report).document, report)
    report.stop_on_errors()
    assert tree is not None
    return tree


def program(*stack: str, players: int, **options: str) -> Program:
    return pipeline.compile_game(sketch(stack), players, options, Report())
