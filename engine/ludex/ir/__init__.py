"""The intermediate representation: one flat program per game, options and player count.

Expressions are those of the typed tree. Code between decisions is structured (`code`);
whatever may suspend is blocks (`program`). May import: `typed` and what that imports.
"""
