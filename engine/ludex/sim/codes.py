"""The diagnostic codes of scenarios."""

from __future__ import annotations

from ludex.diagnostics import Code

FORM = Code(
    "scenario-form",
    "A part of a scenario has a form that means nothing there, such as one text where a list is "
    "expected. The parts and their forms are listed in docs/formats.md.",
)
UNKNOWN_KEY = Code(
    "scenario-unknown-key",
    "A scenario says something under a name that scenarios do not have. They have `scenario`, `game`, "
    "`overlays`, `players`, `options`, `chance`, `given`, `when`, `then`, `options_are`, `refused`, "
    "`to_move`, `sees`, `scores`, `ranking`, `over` and `note`.",
)
STUCK = Code(
    "scenario-stuck",
    "A scenario cannot be played as `when` says: an action is not legal where it stands, a chance event "
    "has no such outcome, there is a decision that `when` does not answer, or the game is over. The "
    "message says what is legal there.",
)
EXPECTED = Code(
    "scenario-expected",
    "The game went as `when` says, but what was expected after it does not hold. The message says what "
    "was found. Either the definition does not do what the rule says, or the scenario is mistaken.",
)
FAULT = Code(
    "scenario-fault",
    "A rule did what no rule may do (overflow, a value outside its range, the top of an empty pile, ...) "
    "while the scenario was played. The message names the rule and its place in the definition.",
)

CODES = (FORM, UNKNOWN_KEY, STUCK, EXPECTED, FAULT)
