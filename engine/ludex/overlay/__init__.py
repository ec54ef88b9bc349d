"""Overlays: small documents that add, replace or remove the named rules of a game.

Variants are overlays, and so are readings of a doubtful passage. This package turns a base
document and any stack of overlays into one document, in which every node keeps the span of
the file it was written in; it also tells what changed between two documents, rule by rule.
It knows where rules stand (`shape`) but not what they mean: texts of the DSL are opaque here,
and the result is parsed and checked like any game.

`load_overlay` reads one overlay, `apply_overlays` stacks them, `diff_documents` compares.
May import: `source`, `diagnostics`, `limits`, `syntax`.
"""

from ludex.overlay.apply import apply_overlays
from ludex.overlay.diff import Change, describe, diff_documents
from ludex.overlay.load import Overlay, load_overlay

__all__ = ["Change", "Overlay", "apply_overlays", "describe", "diff_documents", "load_overlay"]
