"""Taking a move back: allowed as long as nobody has learnt anything by it."""

from __future__ import annotations

from ludex.game import State


def undo(state: State, player: str) -> State | str:
    """The state before the player's last decision, or the reason why it stands."""
    previous = state.previous
    if previous is None:
        return "There is nothing to take back."
    new = state.history[len(previous.history) :]
    others = [r.player for r in new if r.player not in (None, player)]
    if others:
        return f"The last decision is {others[-1]}'s, and only your own can be taken back."
    if any(r.player is None for r in new):
        return "Too late: chance has had its say since."
    if not new:
        return "There is nothing to take back."
    if state.has_revealed:
        return "Too late: something hidden has been revealed."
    return previous
