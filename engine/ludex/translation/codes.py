"""The diagnostics of translations."""

from __future__ import annotations

from ludex.diagnostics import Code

FILE = Code(
    "translation-file",
    "A translation is named after its language and says so: `translations/fr.yaml` begins with `translation: "
    "fr` and `game:` with the name of the game in whose folder it lies.",
)
UNKNOWN = Code(
    "translation-unknown",
    "A translation is of something that neither the game nor an overlay beside it has: a name under `names`, "
    "the phrase that names a rule under `rules`, a label, note or other text under `texts`. It may be "
    "misspelt, stand in the wrong list, or have been changed in the definition since.",
)
HOLES = Code(
    "translation-holes",
    "The text of the definition has holes such as `{knight}`, which are filled in when it is shown. Its "
    "translation must have the same holes, in whatever order.",
)
TEXT = Code(
    "translation-text",
    "A translation cannot be used: it is empty, it is that of a rule and has a `/` in it (which joins the "
    "parts of an address), or its text is translated twice, spelt a little differently.",
)
