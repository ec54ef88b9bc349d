"""The checker: names, types, visibility; an `ast.Game` becomes a `typed.Game`.

A check is for one player count and one set of options: those are constants, and everything
that depends only on them is computed here. Every definition is checked as written first,
branches that the options switch off included.

May import: `source`, `diagnostics`, `limits`, `syntax.ast`, `typed`.
"""
