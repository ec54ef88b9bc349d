"""The typed tree: what a checked definition means for a given player count and options.

`check` builds it, `ir` lowers its statements to blocks and keeps its expressions as they are.
May import: `source`, `diagnostics`, `limits`.
"""
