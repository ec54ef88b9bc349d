"""The diagnostic codes of saves."""

from __future__ import annotations

from ludex.diagnostics import Code

UNREADABLE = Code(
    "save-unreadable",
    "The save cannot be read at all: there is no such file, it may not be opened, it is not UTF-8, or it "
    "is empty. Check the name of the file. Nothing was written to it.",
)
TOO_LARGE = Code(
    "save-too-large",
    "The save, or one of its lines, is longer than any game makes it. It is not read, as it may come "
    "from anywhere. If it is your own, export it again with the version of ludex that wrote it.",
)
TOO_LONG = Code(
    "save-too-long",
    "Opening the save was given up, as playing its entries again takes more time or memory than a game "
    "may take. The message says how far it got. Save files may come from anywhere, and so may the rules "
    "inside them: a definition can make every move slow. If it is your own game, play it under rules that "
    "are faster (`ludex play GAME --resume FILE`), or on a faster machine.",
)
FORMAT = Code(
    "save-format",
    "The first line of the file is not the header of a save that this version of ludex reads. A save "
    "begins with a line of JSON that has `ludex_save`, the number of its format, and names the game. "
    "Use the version of ludex that wrote it, or choose another file.",
)
DAMAGED = Code(
    "save-damaged",
    "A line of the save is not what it must be: one JSON object with a player and an action, or with a "
    "chance event and an outcome. The file was changed by something else, or damaged. Nothing was "
    "written to it; the entries before that line are still good.",
)
TRUNCATED = Code(
    "save-truncated",
    "The last line of the save is missing: the line with `end` that counts the entries. The file was cut "
    "off, or it was copied while being written. Nothing was written to it; the entries that are there "
    "are still good.",
)
DEFINITION_CHANGED = Code(
    "save-definition-changed",
    "The definition inside the save does not have the hash that the save gives for it: it was edited "
    "after the game was played, or the game loads differently in this version of ludex. The entries may "
    "mean something else now. A dry run tells how far they are still possible.",
)
DIVERGED = Code(
    "save-diverged",
    "An entry of the save is not possible at the position that the entries before it lead to. Either the "
    "save was changed, or the rules are not those it was played by. The message says what was recorded "
    "and what is possible there.",
)
OTHER_POSITION = Code(
    "save-other-position",
    "All entries of the save can be played, but the position they lead to is not the one that was saved. "
    "The save was changed, or the rules are not those it was played by.",
)
MASKED = Code(
    "save-masked",
    "The save was exported for a player or a spectator: what he may not see is masked, so the game cannot "
    "be played on from it. Use the save of the table.",
)

ALL: tuple[Code, ...] = (
    UNREADABLE,
    TOO_LARGE,
    TOO_LONG,
    FORMAT,
    DAMAGED,
    TRUNCATED,
    DEFINITION_CHANGED,
    DIVERGED,
    OTHER_POSITION,
    MASKED,
)
