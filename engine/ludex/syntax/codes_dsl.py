"""The diagnostic codes of parsing DSL texts and of building the tree of a game.

May import: `diagnostics`.
"""

from __future__ import annotations

from ludex.diagnostics import Code

# ------------------------------------------------------------------- characters and brackets

DSL_CHARACTER = Code(
    "dsl-character",
    "A character that the language does not use. Names are made of letters, digits and `_`; the signs are "
    "`+ - * = += -= == != < <= > >= .. . , : ( )`. Text in quotes stands only after `say`.",
)
DSL_FOREIGN_OPERATOR = Code(
    "dsl-foreign-operator",
    "A sign that other languages use. Here it is a word: `and`, `or`, `not`, `div` (division that rounds "
    "down), `mod`, or the sign that the message names.",
)
DSL_FOREIGN_BRACKET = Code(
    "dsl-foreign-bracket",
    "Braces and brackets do not occur in the language (YAML would take them for its own). A set is written "
    "`set(a, b)` or `set(x in S where C)`; an entity of a kind or a value of a table is `name(index)`.",
)
DSL_DECIMAL = Code(
    "dsl-decimal",
    "Numbers are whole. Coordinates under `at` may have two decimals; everywhere else count in a smaller "
    "unit: half points, cents, hundredths.",
)
DSL_NUMBER_TOO_LARGE = Code(
    "dsl-number-too-large",
    "Numbers are at most 2147483647.",
)
DSL_PARENTHESIS = Code(
    "dsl-parenthesis",
    "A parenthesis that is never closed, or that closes none. Within `{ }` and `[ ]` YAML ends a text at "
    "the next comma, even inside parentheses: quote the text or use the block form, one `name: text` a line.",
)
DSL_TOO_DEEP = Code(
    "dsl-too-deep",
    "The text is nested deeper than the engine reads. Give a part of it a name under `define` (or, for "
    "steps, under `procedures`) and use the name.",
)
DSL_TOO_LONG = Code(
    "dsl-too-long",
    "The text is longer than the engine reads. Divide it into several rules or procedures.",
)

# ---------------------------------------------------------------------------------- phrases

DSL_UNEXPECTED = Code(
    "dsl-unexpected",
    "Something stands where it makes no sense. The message says what was expected there; the mistake is "
    "there or just before it.",
)
DSL_ENDS_EARLY = Code(
    "dsl-ends-early",
    "The text, or its line, ends where something is still to follow. In steps a statement ends with its "
    "line, unless a parenthesis is open.",
)
DSL_EQUALS = Code(
    "dsl-equals",
    "`=` gives a value to a state item, at the beginning of a statement; `==` compares two values. Here a "
    "comparison is wanted, or the other way round.",
)
DSL_MIXED_LOGIC = Code(
    "dsl-mixed-logic",
    "`and` and `or` are mixed without parentheses, which people read differently. Put parentheses round "
    "the part that belongs together: `a and (b or c)` or `(a and b) or c`.",
)
DSL_CHAINED_COMPARISON = Code(
    "dsl-chained-comparison",
    "A comparison has two sides. For `a < b < c` write `a < b and b < c`; for a range of numbers "
    "`x in 1..6`.",
)
DSL_NO_THEN = Code(
    "dsl-no-then",
    "In an expression and on one line `if` is followed by a condition and `then`: "
    "`if C then A else B`. A block of statements has a colon instead: `if C:`.",
)
DSL_NO_ELSE = Code(
    "dsl-no-else",
    "An `if` that gives a value needs both: `if C then A else B`. For a condition that need not hold write "
    "`not C or D`.",
)
DSL_ELSE_IF = Code(
    "dsl-else-if",
    "A further condition is written `elif C:` in steps and `elif C then A` in expressions, in one word.",
)

# -------------------------------------------------------------------------------- statements

DSL_NO_COLON = Code(
    "dsl-no-colon",
    "A statement with a block ends with a colon: `if C:`, `for each x in S:`, `repeat N:`, `while C:`, "
    "`ask P:`, `choose x in S:`, `else:`. The block stands on the next lines, indented. Short forms without "
    "a colon are `if C then S` and `for each x in S do S`.",
)
DSL_NO_BLOCK = Code(
    "dsl-no-block",
    "After a colon the block stands on the following lines, each indented further than the line with the "
    "colon. On one line write `if C then S` or `for each x in S do S`, without a colon.",
)
DSL_UNKNOWN_STATEMENT = Code(
    "dsl-unknown-statement",
    "A statement begins with a verb of the language (`move`, `let`, `if`, `act`, …) or with a state item "
    "that gets a value: `item = value`. A procedure is called with `run`.",
)
DSL_STRAY_ELSE = Code(
    "dsl-stray-else",
    "`else:` and `elif …:` stand below an `if …:`, `else:` also below an `act` or `choose`, with the same "
    "indentation and nothing in between.",
)
DSL_INDENTATION = Code(
    "dsl-indentation",
    "The lines of one block begin in the same column. A line may be indented further than the one above it "
    "only if that one ends with a colon, and must go back to a column in which an earlier block began.",
)
DSL_TAB = Code(
    "dsl-tab",
    "A line is indented with a tab. The indentation of steps counts, so it is made of spaces only.",
)
DSL_TARGET = Code(
    "dsl-target",
    "What gets a value is a state item: a name, `name(index)` or `thing.name`.",
)

# ------------------------------------------------------------------------------- the sections

GAME_SHAPE = Code(
    "game-shape",
    "A value is of another form than this section takes. The message says which form is expected.",
)
GAME_NAME = Code(
    "game-name",
    "This must be a name: letters, digits and `_`, not beginning with a digit, and none of the words "
    "`if not try true false none`.",
)
GAME_NUMBER = Code("game-number", "A whole number is expected here.")
GAME_CITE = Code(
    "game-cite",
    "A citation is `source / heading / sentences`, such as `rulebook / End of the game / 2-3`. The heading "
    "and the numbers may be left out; several citations are a list.",
)
GAME_HOLE = Code(
    "game-hole",
    "In texts that are shown, `{` begins an expression whose value is inserted and `}` ends it. Write `{{` "
    "and `}}` for the braces themselves.",
)

CODES: tuple[Code, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Code))
"""All codes of this stage, in the order above."""
