"""Why a move is refused, as text: the named rules against it, and what they cite."""

from __future__ import annotations

from ludex.game import Chance, State
from ludex.translation.wording import PLAIN, Wording


def explain_text(state: State, action: str, player: str | None = None, wording: Wording = PLAIN) -> str:
    """For the player (by default the one to decide), who may read all of it."""
    decision = state.decision
    if player is None and decision is not None and not isinstance(decision, Chance):
        player = decision.players[0]
    explanation = state.game.explain(state, action, player)
    lines = [explanation.text]
    if explanation.conditions and wording.language:
        words = "`{action}` is refused, because this does not hold:"
        lines = [wording.word(words, action=explanation.action)]
    for condition in explanation.conditions:
        cite = f"  [{'; '.join(condition.cites)}]" if condition.cites else ""
        lines.append(f"  - {condition.name}{cite}")
        if condition.note:
            lines.append(f"      {condition.note}")
    if explanation.suggestion and explanation.suggestion not in explanation.text:
        lines.append("  " + wording.word("did you mean `{action}`?", action=explanation.suggestion))
    return "\n".join(lines)
