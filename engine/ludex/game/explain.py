"""Why an action is refused: the named conditions that fail, with what they cite.

Nothing here tells what the player may not see: conditions read only what `me` sees (the
checker's rule), arguments are read from the text alone, and the other texts are his own
legal actions and names of the definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Literal

from ludex.backends.machine import Refusal, Words
from ludex.diagnostics import nearest, printable
from ludex.game.actions import Action
from ludex.game.context import Context
from ludex.game.naming import canonical, split_call
from ludex.game.offers import bindings, matches
from ludex.ir.program import Option
from ludex.typed.types import EntityType

Verdict = Literal[
    "legal", "over", "not_deciding", "unknown_action", "not_offered", "unreadable", "no_value", "refused"
]

_MAX_READINGS = 64
"""Readings of one text (copies of a face) that are tried."""

_MAX_LISTED = 8
"""Legal actions that a sentence lists."""


@dataclass(frozen=True, slots=True)
class FailedCondition:
    """A named condition that does not hold."""

    name: str
    path: str
    cites: tuple[str, ...]
    note: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What can be said about a proposed action, in words that its player may read.

    | verdict | meaning |
    |---|---|
    | legal | it may be done; `action` is its stable text |
    | over | the game is over |
    | not_deciding | it is not this player's decision |
    | unknown_action | no action of the game has this name |
    | not_offered | an action of the game, but none that this decision offers |
    | unreadable | the arguments cannot be read, are too many, or fit several options |
    | no_value | an argument is no value of that parameter at all |
    | refused | `conditions` fail (if empty: the choice is not among those offered) |

    `suggestion` is the nearest legal or known text, if one is near. `text` is all of it as
    sentences.
    """

    verdict: Verdict
    action: str
    text: str
    conditions: tuple[FailedCondition, ...] = ()
    suggestion: str | None = None

    @property
    def is_legal(self) -> bool:
        return self.verdict == "legal"


def plain(verdict: Verdict, action: str, text: str, suggestion: str | None = None) -> Explanation:
    """An explanation without conditions; the suggestion is added to the sentence."""
    if suggestion is not None:
        text = f"{text} Did you mean `{suggestion}`?"
    return Explanation(verdict, action, text, (), suggestion)


def explain(
    context: Context, words: Words, player: int, block: int, legal: Sequence[Action], text: str
) -> Explanation:
    """About an action of a player who is to decide at `block`."""
    shown = printable(text.strip()).replace("\n", " ")
    found = matches(legal, text, context, words)
    if len(found) == 1:
        return Explanation("legal", found[0].text, f"`{found[0].text}` is legal.")
    if found:
        return plain("unreadable", shown, f"`{shown}` may mean {_listed(found)}.")
    call = split_call(text)
    if call is None:
        return plain(
            "unreadable", shown, f"`{shown}` cannot be read as an action.", nearest_action(legal, shown)
        )
    name = canonical(call[0])
    offers = [i for i, offer in context.machine.options_of(words, player) if canonical(offer) == name]
    if not offers:
        return _not_offered(context, legal, call[0], shown)
    options = context.decide(block).options
    best: Explanation | None = None
    for index in offers:
        explanation = _refused(context, words, player, index, options[index], call[1] or (), shown, legal)
        if explanation.verdict == "refused":
            return explanation
        best = best or explanation
    assert best is not None
    return best


def _not_offered(context: Context, legal: Sequence[Action], name: str, shown: str) -> Explanation:
    known = {canonical(n): n for n in context.action_names}
    if canonical(name) in known:
        rest = f" What may be done: {_listed(legal)}." if legal else ""
        return plain(
            "not_offered", shown, f"`{known[canonical(name)]}` is not offered by this decision.{rest}"
        )
    suggestion = nearest_action(legal, shown) or nearest(name, context.action_names)
    return plain("unknown_action", shown, f"There is no action `{printable(name)}`.", suggestion)


def _refused(
    context: Context,
    words: Words,
    player: int,
    index: int,
    option: Option,
    args: tuple[str, ...],
    shown: str,
    legal: Sequence[Action],
) -> Explanation:
    parameters = bindings(option)
    if len(args) != len(parameters):
        takes = ", ".join(printable(b.name) for b in parameters) or "no argument"
        message = f"`{printable(option.site.name)}` takes {takes}."
        return plain("unreadable", shown, message, nearest_action(legal, shown))
    readings = []
    for binding, arg in zip(parameters, args, strict=True):
        values = context.naming.readings(arg.split(" at ")[0], binding.type)
        if not values:
            known = (
                context.naming.known_texts(binding.type.kinds) if isinstance(binding.type, EntityType) else []
            )
            message = f"`{printable(arg)}` is no {binding.type} for `{printable(binding.name)}`."
            return plain("no_value", shown, message, nearest(arg, known))
        readings.append(values)
    best: Refusal | None = None
    for values in islice(product(*readings), _MAX_READINGS):
        refusal = context.machine.refusal(words, player, index, values)
        if best is None or (not refusal.in_domain, len(refusal.rules)) < (
            not best.in_domain,
            len(best.rules),
        ):
            best = refusal
    assert best is not None
    conditions = _conditions(context, best.rules)
    if conditions:
        return _with_conditions(shown, conditions)
    return plain(
        "refused", shown, f"`{shown}` is not among the choices offered.", nearest_action(legal, shown)
    )


def _conditions(context: Context, rules: Sequence[int]) -> tuple[FailedCondition, ...]:
    found = []
    for index in rules:
        rule = context.rule(index)
        if rule is not None:
            note = printable(rule.note) if rule.note is not None else None
            cites = tuple(printable(c) for c in rule.cites)
            found.append(FailedCondition(printable(rule.name), printable(rule.path), cites, note))
    return tuple(found)


def _with_conditions(shown: str, conditions: tuple[FailedCondition, ...]) -> Explanation:
    reasons = "; ".join(c.name + (f" [{'; '.join(c.cites)}]" if c.cites else "") for c in conditions)
    return Explanation(
        "refused", shown, f"`{shown}` is refused, because this does not hold: {reasons}.", conditions
    )


def _listed(actions: Sequence[Action]) -> str:
    texts = [f"`{a.text}`" for a in actions[:_MAX_LISTED]]
    if len(actions) > _MAX_LISTED:
        texts.append(f"{len(actions) - _MAX_LISTED} more")
    return ", ".join(texts)


def nearest_action(legal: Sequence[Action], text: str) -> str | None:
    """The legal action whose text is closest."""
    return nearest(text, [a.text for a in legal])
