"""Named ceilings: how large a definition and its games may be.

They exist so that no file, however hostile or mistaken, takes the engine's time or memory
without end. Each is far above what the largest known definition needs; reaching one is
reported as a diagnostic, never as a crash. Base module: imports nothing of ludex.
"""

from __future__ import annotations

from typing import Final

# ------------------------------------------------------------------------ definition files

MAX_FILE_BYTES: Final = 1 << 17
"""Bytes of one definition, overlay or scenario file (128 KiB); the longest known has 34 KiB."""

MAX_STACK_BYTES: Final = 3 << 16
"""Bytes of a definition and all overlays on it together (192 KiB)."""

MAX_YAML_NODES: Final = 10_000
"""Scalars, mappings and sequences of one document, aliases counted as what they stand for."""

MAX_YAML_DEPTH: Final = 64
"""How deep mappings and sequences may nest, through aliases too. Definitions need about ten;
every recursive walk over a document is safe below this."""

MAX_YAML_DOCUMENTS: Final = 4096
"""Documents of one multi-document scenario file."""

MAX_SYNTAX_REPAIRS: Final = 8
"""YAML syntax errors of one file that are reported together: after each recognised one the
offending value is masked and the file read again."""

MAX_TEXT_BYTES: Final = 1 << 22
"""Bytes of the text of a rulebook that is indexed or cited from (4 MiB)."""

MAX_NESTED_SIGNS: Final = 10_000
"""Signs that are drawn within other signs, of one view; those beyond are drawn as `…`."""

MAX_OVERLAYS: Final = 64
"""Overlays stacked on one definition."""

MAX_DIAGNOSTICS: Final = 200
"""Diagnostics of one file after which the reader and the check of its shape report no more."""

# ------------------------------------------------------------------------------- DSL texts

MAX_EXPRESSION_DEPTH: Final = 100
"""Nesting of parentheses, calls, operators and blocks within one DSL text. Later stages
recurse over expressions and rely on it (Python's own limit is 1000 frames)."""

MAX_CHECK_DEPTH: Final = 400
"""Nesting of expressions, through the definitions that they use, while they are checked."""

MAX_RULE_CHARACTERS: Final = 16_384
"""Characters of one DSL text."""

MAX_NAME_CHARACTERS: Final = 200
"""Characters of a rule's name or of an identifier."""

MAX_FRAMES: Final = 10_000
"""Python frames that are allowed while definitions are checked and run. What nests deeper all
the same, through definitions and procedures that use each other, is a diagnostic or a fault."""

MAX_RECURSION_DEPTH: Final = 64
"""How often a pure definition may stand within itself at run time; deeper is a fault."""

# ----------------------------------------------------------------------------- loaded games

MAX_PLAYERS: Final = 64
"""Seats of a game; audiences are 64-bit masks."""

MAX_ENTITIES: Final = 4096
"""Entities of all kinds together: spaces, pieces, cards, dice, piles, members of types."""

MAX_STATE_WORDS: Final = 65_536
"""32-bit words of one state, frames of suspended procedures included (256 KiB)."""

MAX_TABLE_CELLS: Final = 1 << 18
"""Cells of one pure definition that is tabulated at load; a larger one is computed when asked."""

MAX_TESTED_NUMBERS: Final = 1 << 12
"""Numbers of a parameter's range, where an argument may lie outside and is tested when it is given."""

MAX_TABULATED_CELLS: Final = 1 << 20
"""Cells of all tabulated definitions and constants of a game together."""

MAX_LOAD_STEPS: Final = 1 << 19
"""Elements gone through while constants, tables and fields of components are computed at load;
the largest known definition needs 200,000."""

MAX_CHECKED: Final = 30_000
"""Expressions and statements checked, a body once for each seat where it is checked for each;
the longest known definition needs 800. With `MAX_LOAD_STEPS` it is what makes `MAX_LOAD_SECONDS` true:
work is counted, not time, so that the same definition is refused on every machine."""

MAX_CHECKED_NODES: Final = 1 << 19
"""Size of a definition times the ways to play it (players, options) that one `check` goes through."""

MAX_DICE_OUTCOMES: Final = 4096
"""Outcomes of a chance event whose probabilities are enumerated exactly."""

MAX_LOAD_SECONDS: Final = 10.0
"""Wall-clock time for loading a definition, tabulation included."""

# ------------------------------------------------------------------------------------- play

MAX_OPTIONS: Final = 65_536
"""Legal actions of one decision. More than that is to be asked for in stages."""

MAX_OPTION_CANDIDATES: Final = 1 << 22
"""Product of the domains of an action's `choose`, before its conditions are applied; of a range that
ends where the course of the game says, what its declared types allow, and 1 where they allow more."""

MAX_TICKS: Final = 1_000_000
"""Back-edges of loops and calls of definitions between two decisions; equal in all back ends."""

CHANCE_TICKS: Final = 100
"""Ticks that a chance event costs, as those between two decisions count together."""

MAX_EFFORT: Final = 8_000_000
"""What the interpreter does between two decisions at most, counted in elements gone through,
weighted by the size of what is done for each. A guard of its own that keeps what ticks do not
count (aggregates, options) within some ten seconds; nothing that ends in time comes near it."""

MAX_DECISIONS: Final = 100_000
"""Decisions of one game; a playout that reaches it is reported as endless."""

MAX_RECORDED_POSITIONS: Final = 4096
"""Positions that one entry of `records` keeps."""

MAX_MATCH_GAMES: Final = 1024
"""Games of one match."""

INT_MIN: Final = -(1 << 31)
"""Least integer of the language; below is an overflow fault."""

INT_MAX: Final = (1 << 31) - 1
"""Greatest integer of the language; above is an overflow fault."""
