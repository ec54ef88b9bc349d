"""Any definition as an environment of the learning community's libraries.

`openspiel`, `pettingzoo`, `gymnasium` and `batch` are modules of their own, each with an extra that has to
be installed (`pip install 'ludex[openspiel]'`); nothing else of ludex imports them. What they share:
`actions.ActionSpace`, a fixed number for every action of a game, and `observation.ObservationSpace`, a
fixed length of numbers for what a player sees. Both follow from the program alone, so they are the same
whenever the same definition is loaded for as many players with the same options.

May import: all but `sim` and `cli`.
"""

from ludex.adapters.actions import ActionSpace, BeyondBound
from ludex.adapters.extras import MissingExtra

__all__ = ["ActionSpace", "BeyondBound", "MissingExtra"]
