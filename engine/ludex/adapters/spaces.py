"""The spaces of Gymnasium for a game, and what is put into them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludex.adapters.extras import extra
from ludex.adapters.position import Position, Table

with extra("pettingzoo", "Gymnasium"):
    import numpy as np
    from gymnasium import spaces
    from numpy.typing import NDArray

if TYPE_CHECKING:
    Observed = dict[str, NDArray[Any]]


def observation_space(table: Table, more: int = 0) -> spaces.Dict:
    """What a player sees and which of his actions are legal; `more` actions beside those of the game."""
    seen = table.observations
    return spaces.Dict(
        {
            "observation": spaces.Box(seen.low, seen.high, (seen.size,), np.float32),
            "action_mask": spaces.Box(0, 1, (table.actions.size + more,), np.int8),
        }
    )


def action_space(table: Table, more: int = 0) -> spaces.Discrete:
    return spaces.Discrete(table.actions.size + more)


def observed(position: Position, seat: int, more: int = 0) -> Observed:
    """The observation of a seat; nothing is legal where it does not decide."""
    mask = np.zeros(position.table.actions.size + more, np.int8)
    mask[list(position.legal(seat))] = 1
    return {"observation": position.numbers(seat).copy(), "action_mask": mask}
