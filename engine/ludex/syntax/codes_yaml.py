"""The diagnostic codes of reading YAML and of checking a definition's shape.

May import: `diagnostics`.
"""

from __future__ import annotations

from ludex.diagnostics import Code

# ------------------------------------------------------------------------- the file itself

FILE_UNREADABLE = Code(
    "file-unreadable",
    "The file does not exist, is a folder, or may not be read. Check its name and the folder you are in.",
)
FILE_TOO_LARGE = Code(
    "file-too-large",
    "The file is larger than the engine reads; the message says how large it may be. A definition is a few "
    "dozen KiB at most; this is probably not the file you meant. Long tables can be split into overlays.",
)
FILE_NOT_UTF8 = Code(
    "file-not-utf8",
    "The file is not UTF-8 text. Save it as UTF-8 in your editor (in Windows' Notepad: Save as, Encoding).",
)
FILE_CONTROL_CHARACTER = Code(
    "file-control-character",
    "The file holds a character that cannot be seen and that text has no use for: a control character, a "
    "line separator that editors do not agree about, or one that reorders the text shown after it, so that "
    "a reader would see another rule than the engine. Delete it; retype the word if you cannot see it.",
)

# ------------------------------------------------------------------------------------ YAML

YAML_SYNTAX = Code(
    "yaml-syntax",
    "The file is not well-formed YAML. Definitions are `name: value` lines; what belongs to a name is "
    "indented further than it, by the same number of spaces for each line. The message says where reading "
    "stopped; the mistake is there or on the line before.",
)
YAML_QUOTE_NEEDED = Code(
    "yaml-quote-needed",
    "YAML took a character of the rule's text for one of its own: a colon followed by a space, a bracket or "
    "brace, a quote, `@`, `%`, `&`, `*`, `!`, `>` or a backquote at its beginning, or ` #`, which begins a "
    "comment. Put the whole text in quotes, or write `|` after the name's colon and the text on the next "
    "line, indented: there no character is special.",
)
YAML_SPLIT_TEXT = Code(
    "yaml-split-text",
    "Within `{ }` and `[ ]` YAML ends a text at the next comma, even inside parentheses: "
    "`{is: max(a, b)}` is read as `is: max(a` and another name `b)`. Put the text in quotes, or use the "
    "block form: one `name: text` a line, without braces.",
)
YAML_TAB = Code(
    "yaml-tab",
    "A line is indented with a tab. YAML and the rules' own indentation know only spaces. Set your editor "
    "to insert spaces, and replace the tabs.",
)
YAML_DUPLICATE_KEY = Code(
    "yaml-duplicate-key",
    "The same name stands twice in one mapping, so that one of the two would be lost. Rename one of them or "
    "join them. Names are compared after Unicode normalisation (NFKC): two that look alike may be equal.",
)
YAML_NON_SCALAR_KEY = Code(
    "yaml-non-scalar-key",
    "A list or a mapping stands where a name is expected, before a colon. Usually the name begins with a "
    "brace or a bracket: put it in quotes.",
)
YAML_EMPTY_KEY = Code(
    "yaml-empty-key",
    "There is nothing before the colon. Every rule needs a name.",
)
YAML_MERGE_KEY = Code(
    "yaml-merge-key",
    "The YAML merge key `<<` is not supported: it would copy rules without a place of their own, so that "
    "neither an overlay nor a message could tell the copy from the original. Write the rule out, or give "
    "the common part a name in `define` or `procedures`.",
)
YAML_TAG = Code(
    "yaml-tag",
    "A YAML tag (`!something`) is not supported: it asks for a kind of value, and here the place where a "
    "value stands says that. If the text begins with `!`, put it in quotes; `not` is written `not`.",
)
YAML_UNKNOWN_ALIAS = Code(
    "yaml-unknown-alias",
    "`*name` repeats what `&name` marked earlier in the file, and nothing was marked so. If a text begins "
    "with `*`, put it in quotes.",
)
YAML_RECURSIVE_ALIAS = Code(
    "yaml-recursive-alias",
    "`*name` stands inside the very value that `&name` marks, so the value would contain itself.",
)
YAML_TOO_LARGE = Code(
    "yaml-too-large",
    "The document has more values than the engine reads, counting those that `*name` repeats each time. "
    "A few lines of repetitions can stand for millions of values; write out what you need.",
)
YAML_TOO_DEEP = Code(
    "yaml-too-deep",
    "Mappings and lists are nested deeper than the engine reads. No definition needs more than a dozen "
    "levels; look for an unclosed bracket.",
)
YAML_MANY_DOCUMENTS = Code(
    "yaml-many-documents",
    "A line `---` begins a second document, and a definition or overlay is one document a file. Remove the "
    "line or move what follows to a file of its own. Only scenario files hold several.",
)
YAML_NOT_A_MAPPING = Code(
    "yaml-not-a-mapping",
    "The document is not a mapping of sections. A definition begins with `ludex: 1` and `game: name`, each "
    "on a line of its own.",
)
YAML_EMPTY = Code(
    "yaml-empty",
    "The file holds no document. A definition begins with `ludex: 1` and `game: name`.",
)

# ------------------------------------------------------------------------------- the shape

SHAPE_NO_VERSION = Code(
    "shape-no-version",
    "The document does not say which version of the language it is written in. Make `ludex: 1` its first "
    "line, so that it keeps its meaning when the language changes.",
)
SHAPE_UNSUPPORTED_VERSION = Code(
    "shape-unsupported-version",
    "The document is written in a version of the language that this engine does not know. Install a newer "
    "ludex, or write the document in a version it knows.",
)
SHAPE_UNKNOWN_KEY = Code(
    "shape-unknown-key",
    "This name means nothing here. It is misspelt, or indented so that it belongs to something else than "
    "you meant. The message names what may stand here or the nearest of them.",
)
SHAPE_MISSING_KEY = Code(
    "shape-missing-key",
    "Something that cannot be left out is missing. Add it with the indentation of its neighbours.",
)
SHAPE_WRONG_TYPE = Code(
    "shape-wrong-type",
    "A value is of another form than is expected here: a mapping (`name: value` lines), a list, or a text.",
)
SHAPE_WRONG_VALUE = Code(
    "shape-wrong-value",
    "The value is of the right form but not one of those possible here. The message lists them or says "
    "what is asked for.",
)
SHAPE_EMPTY = Code(
    "shape-empty",
    "A name is followed by nothing. Write its value after the colon, or its rules on the next lines, "
    "indented; or remove the name. A missing `|` or indentation can also be the cause.",
)
SHAPE_OVERLAY_ONLY = Code(
    "shape-overlay-only",
    "`after` and `before` say where an overlay inserts a rule; in a game's own definition rules simply "
    "stand in their order.",
)

CODES: tuple[Code, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Code))
"""All codes of this stage, in the order above."""
