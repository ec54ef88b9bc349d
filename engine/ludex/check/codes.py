"""The diagnostics of the checker."""

from __future__ import annotations

from ludex.diagnostics import Code

UNKNOWN_NAME = Code(
    "unknown-name",
    "A name is used that nothing declares. Names of kinds, members, options, constants, state, "
    "definitions and actions share one list; check the spelling or declare it.",
)
DUPLICATE_NAME = Code(
    "duplicate-name",
    "Two declarations have one name. All kinds, members, options, constants, state items, definitions, "
    "procedures, actions and tracks share one list of names: rename one of them.",
)
SHADOWED_NAME = Code(
    "shadowed-name",
    "A parameter, `let` or loop variable has the name of something that already has a meaning here. Names"
    " are not reused inside one another, so that a rule reads the same everywhere: rename the variable.",
)
WRONG_TYPE = Code(
    "wrong-type",
    "A value of one type stands where another is needed, for example a number where a yes/no condition is"
    " needed, or a knight where a space is needed.",
)
NEVER_EQUAL = Code(
    "never-equal",
    "Two things are compared that can never be the same, such as a player and a space: the comparison "
    "would always be false. One of the two is probably not what was meant.",
)
MAY_BE_NONE = Code(
    "may-be-none",
    "An optional value is used where there must be one. Test it first (`if x is not none`, `x is none or "
    "…`) or take a value that is always there.",
)
WRONG_ARGUMENTS = Code(
    "wrong-arguments",
    "A function, action, procedure or kind is given too many or too few arguments, or arguments of "
    "another kind than it takes.",
)
NOT_A_SET = Code(
    "not-a-set",
    "Something that is not a set stands where a set, a kind or a range is needed (after `in`, in `count`,"
    " `for each`, …).",
)
NOT_CALLABLE = Code(
    "not-callable",
    "Something that takes no arguments is followed by arguments in parentheses.",
)
OUT_OF_RANGE = Code(
    "out-of-range",
    "A number can be shown to lie outside the range that is declared for the place where it is used.",
)
EFFECT_IN_DEFINITION = Code(
    "effect-in-definition",
    "A definition or condition only computes: it cannot roll, draw, shuffle, move or choose. Put the "
    "effect into a step.",
)
NO_ME = Code(
    "no-me",
    "`me` (or something that uses it) stands where nobody is on turn: in setup, `begin`, `each_round`, "
    "`until` and `invariants` there is no player whose decision led here. Use a loop over `players`, or "
    "`ask`.",
)
NOT_OFFERED = Code(
    "not-offered",
    "An action is declared but no `act` in any phase, procedure or action ever offers it, so nobody can "
    "ever do it. Offer it or remove it.",
)
UNUSED = Code(
    "unused",
    "A component, state item or option is declared but no rule mentions it. It may be a leftover, or a "
    "rule may be missing.",
    "warning",
)
HIDDEN_INFORMATION = Code(
    "hidden-information",
    "What a player may choose must follow from what that player can see: this condition or choice reads "
    "something hidden from them, so the offered options would give the secret away. Move it to a place "
    "they can see, or decide it another way.",
)
UNREACHABLE_END = Code(
    "unreachable-end",
    "This end condition can be shown never to hold, whatever happens: the game would never end by it.",
)
RECURSION = Code(
    "recursion",
    "Procedures and actions that may wait for a player cannot call themselves, directly or through "
    "others. Use a loop (`while`, `repeat`), or `again` for another turn.",
)
LEAVE_OUTSIDE = Code(
    "leave-outside",
    "`end turn`, `end round`, `end phase`, `again` or `stop` stands where there is no such thing to "
    "leave: not every way that leads here is inside one.",
)
MISSING_CASE = Code(
    "missing-case",
    "A `by:` table has no value for a player count, option value or index that can occur, and no "
    "`otherwise`.",
)
BAD_TABLE = Code(
    "bad-table",
    "A constant table has too many or too few values for what it is indexed by.",
)
BAD_OPTION = Code(
    "bad-option",
    "An option is set to a value it does not have, or asked for with a number of players it is not meant "
    "for.",
)
BAD_PLAYERS = Code(
    "bad-players",
    "The game is not for that number of players.",
)
BAD_COMPONENT = Code(
    "bad-component",
    "A component cannot be made as declared: its count, fields, places or start make no sense.",
)
BAD_ASSIGNMENT = Code(
    "bad-assignment",
    "Only state items and assignable fields can be assigned to; `let` names, parameters and constants "
    "never change.",
)
BAD_CITATION = Code(
    "bad-citation",
    "A citation names a source that the definition does not list under `sources`, a heading that the source "
    "does not have, or a sentence beyond those that its index counts under that heading. The index is what "
    "stands under `headings`; `ludex source index FILE` prints it.",
)
BAD_SOURCE = Code(
    "bad-source",
    "The index of a source is not as `ludex source index` prints it: behind each heading stand the "
    "fingerprints of its sentences, six hexadecimal digits each, or the number of sentences alone.",
)
BAD_READING = Code(
    "bad-reading",
    "A reading in the register of ambiguities names an option or value that does not exist, or the chosen"
    " reading does not agree with the options' defaults.",
)
IN_SECRET = Code(
    "in-secret",
    "Inside `secretly ask` a player acts alone and unseen: he may read only what he sees and change only "
    "what nobody else sees; chance, `ask`, `say` and `end` are not possible there.",
)
PLACE_NOT_ALLOWED = Code(
    "place-not-allowed",
    "A piece or card is moved to a kind of place where it may never be, according to its `places` or the "
    "pile's `holds`.",
)
UNKNOWN_ORDER = Code(
    "unknown-order",
    "The top of a shuffled pile is drawn by chance, so it can only be taken by a step (`move top(…)`, "
    "`let c = top(…)`, `deal`), not read in a condition or definition.",
)
TOO_LARGE = Code(
    "too-large",
    "The definition asks for more than the stated ceilings allow (entities, state, table sizes or options"
    " of a decision). The ceilings keep a definition from exhausting the computer that loads it.",
)
CANNOT_TRY = Code(
    "cannot-try",
    "`try` can only run a procedure that never waits: no choices, no chance, no `ask`, no `end`.",
)
UNTYPED_ENUM = Code(
    "repeated-member",
    "An enumeration lists one member twice.",
)
CONSTANT_NEEDED = Code(
    "constant-needed",
    "A value that must be known when the game is loaded (a count, a size, a table entry, a start place) "
    "depends on the course of the game.",
)
NO_PHASES = Code(
    "no-phases",
    "A game needs at least one phase: without one nothing would ever happen.",
)
CYCLE = Code(
    "cyclic-definition",
    "Constants, options, component fields or records are defined in terms of each other in a circle.",
)
WAITING_LOOP = Code(
    "waiting-loop",
    "A loop over sets of sets (`for each m in melds`) runs to its end at once: no choice, chance, `ask`, "
    "`run` or `end` can stand in it. Let a player choose one of the sets, or go through its elements.",
)
