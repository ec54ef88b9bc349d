"""Taking a move back: allowed as long as nobody has learnt anything by it."""

from __future__ import annotations

from collections import Counter

from ludex.game import Observation, State


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
    for viewer in (*state.game.players, None):
        if _learnt(previous.observation(viewer), state.observation(viewer)):
            return "Too late: something hidden has been revealed."
    return previous


def _learnt(before: Observation, after: Observation) -> bool:
    """Whether faces can be seen that could not be seen before, wherever they are."""
    return bool(_seen(after) - _seen(before))


def _seen(observation: Observation) -> Counter[str]:
    seen: Counter[str] = Counter()
    for place in observation.places:
        seen.update(t for t in place.things if not t.startswith("?"))
        for face, number in place.tokens:
            if not face.startswith("?"):
                seen[face] += number
    return seen
