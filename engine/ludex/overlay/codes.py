"""The diagnostic codes of overlays."""

from __future__ import annotations

from ludex.diagnostics import Code

FORM = Code(
    "overlay-form",
    "A part of the overlay has a form that means nothing there: a list where names with rules are "
    "expected, a rule given to `remove`, a new `game` name. `add` and `replace` repeat the nesting of "
    "the game down to the rule; `remove` ends in a list of names; top-level `options` and `constants` "
    "give plain values. Write the part in that form.",
)
UNKNOWN_KEY = Code(
    "overlay-unknown-key",
    "An overlay says something under a name that overlays do not have. They have `ludex`, `overlay`, "
    "`extends`, `title`, `cite`, `note`, `requires`, `excludes`, `options`, `constants`, `add`, `replace` "
    "and `remove`; sections of the game stand under `add` or `replace`. Correct the name, or move the "
    "section there.",
)
TOO_MANY = Code(
    "overlay-too-many",
    "More overlays are stacked than a game may have. No set of variants comes near that number; "
    "make one overlay of several, or leave some out.",
)
OTHER_GAME = Code(
    "overlay-other-game",
    "The overlay extends another game than the one it is put on. Its rules are addressed by their "
    "names in that game and would hit nothing, or worse, the wrong rule, in this one. Put it on the "
    "game that its `extends` names, or correct `extends`.",
)
TWICE = Code(
    "overlay-twice",
    "The same overlay stands twice in the stack. Applying it twice could only conflict with itself. "
    "Leave one out; if these are two different overlays, give them different names.",
)
REQUIRES_MISSING = Code(
    "overlay-requires-missing",
    "The overlay is written on top of another one, which it names under `requires`, and that one is "
    "not in the stack. Add the required overlay to the stack; the order does not matter.",
)
REQUIRES_CIRCULAR = Code(
    "overlay-requires-circular",
    "Overlays require one another in a circle, so none of them can be applied first. Remove one of "
    "the `requires`, or make one overlay of them.",
)
EXCLUDED = Code(
    "overlay-excluded",
    "The overlay says under `excludes` that it does not go together with another one of the stack. "
    "Play with one of the two.",
)
NO_TARGET = Code(
    "overlay-no-target",
    "The overlay replaces, removes or sets something that does not exist in the game it sees: the base "
    "game together with the overlays it requires. Rules are addressed by their exact names, definitions "
    "and procedures by the name before the bracket. Correct the name; use `add` for what is new; if "
    "another overlay adds the rule, name that one under `requires`.",
)
NO_ANCHOR = Code(
    "overlay-no-anchor",
    "A rule is to be inserted `before` or `after` a sibling that does not exist there. The sibling is "
    "a rule of the same list, in the base game, in an overlay that is required, or in this overlay "
    "itself. Correct its name, or leave `before` and `after` out to append the rule at the end.",
)
ANCHOR_REMOVED = Code(
    "overlay-anchor-removed",
    "A rule is to be inserted `before` or `after` a sibling that an overlay removes. Choose another "
    "sibling, or leave the overlay that removes it out of the stack.",
)
ANCHOR_CIRCULAR = Code(
    "overlay-anchor-circular",
    "New rules are placed `before` or `after` one another in a circle, so none of them has a place. "
    "Place one of them beside a rule that exists, or leave its `before` or `after` out.",
)
ANCHOR_MISPLACED = Code(
    "overlay-anchor-misplaced",
    "`before` and `after` say where a new rule is inserted: they belong to a rule under `add`, one of "
    "them at a time. A rule that is replaced keeps its place. Remove the word, or add the rule under a "
    "new name and remove the old one.",
)
EXISTS = Code(
    "overlay-exists",
    "The overlay adds something that exists already, in the base game or in an overlay that it "
    "requires. Use `replace` to change it, or another name for a rule that is to stand beside it.",
)
SAME_RULE = Code(
    "overlay-same-rule",
    "Two overlays of the stack change the same rule, or add one of the same name, and neither requires "
    "the other; or one overlay changes a rule twice. Which of them should hold cannot be told. If one "
    "is meant to be built on the other, name that one under its `requires`; otherwise they do not go "
    "together, and `excludes` may say so.",
)
BELOW_CHANGED = Code(
    "overlay-below-changed",
    "An overlay adds or changes a rule inside something that another overlay replaces, removes or adds "
    "as a whole, and neither requires the other. The change would be lost, or depend on the order. If "
    "one is meant to be built on the other, name that one under its `requires`.",
)
SAME_ANCHOR = Code(
    "overlay-same-anchor",
    "Two overlays insert a rule at the same side of the same sibling, and neither requires the other, so "
    "their order cannot be told. Use another sibling for one of them, or let one require the other: "
    "what is inserted later then stands nearer to the sibling.",
)
NO_READING = Code(
    "overlay-no-reading",
    "An overlay changes an option that the register of ambiguities speaks of, and the values that hold "
    "now belong to none of the readings listed there. The register must say which reading is played. "
    "Choose values of one reading, or add a reading under `add: ambiguities: NAME: readings`.",
)

ALL: tuple[Code, ...] = (
    FORM,
    UNKNOWN_KEY,
    TOO_MANY,
    OTHER_GAME,
    TWICE,
    REQUIRES_MISSING,
    REQUIRES_CIRCULAR,
    EXCLUDED,
    NO_TARGET,
    NO_ANCHOR,
    ANCHOR_REMOVED,
    ANCHOR_CIRCULAR,
    ANCHOR_MISPLACED,
    EXISTS,
    SAME_RULE,
    BELOW_CHANGED,
    SAME_ANCHOR,
    NO_READING,
)
