"""Actions of a decision with their texts, and reading a text as one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ludex.backends.machine import Choice, Words
from ludex.diagnostics import printable
from ludex.game.actions import Action
from ludex.game.context import Context
from ludex.game.naming import call_text, canonical, distinct, split_call
from ludex.game.secrets import Secrets
from ludex.ir.program import DrawChance, MemberChance, Option
from ludex.ir.walk import reads
from ludex.typed.expr import Expr, OptionBinding, OptionLet, Var
from ludex.typed.types import INT, EntityType, Type


def bindings(option: Option) -> tuple[OptionBinding, ...]:
    """The parameters of an offer, in order."""
    return tuple(level.binding for level in option.site.levels if level.binding is not None)


def offered(context: Context, words: Words, player: int, block: int) -> tuple[Action, ...]:
    """All legal actions of a player who is to decide at `block`, in option order."""
    decide = context.decide(block)
    choices = context.machine.options(words, player)
    types = [[b.type for b in bindings(o)] for o in decide.options]
    rows = [
        (printable(decide.options[c.option].site.name), _texts(context, c.values, types[c.option]))
        for c in choices
    ]
    texts = [call_text(name, args) for name, args in rows]
    if len(set(texts)) < len(texts):
        placed = [_texts(context, c.values, types[c.option], words) for c in choices]
        texts = distinct(texts, [call_text(name, args) for (name, _), args in zip(rows, placed, strict=True)])
    seat, labels = context.naming.name(player), _Labels(context, words, player)
    return tuple(
        Action(text, name, _args(text, args), seat, labels.of(decide.options[c.option], c, text), c)
        for text, (name, args), c in zip(texts, rows, choices, strict=True)
    )


def _args(text: str, args: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments as they stand in the text (which may tell apart what reads the same)."""
    call = split_call(text)
    return call[1] or () if call is not None and call[1] is not None and len(call[1]) == len(args) else args


def outcomes(context: Context, words: Words, block: int) -> tuple[tuple[Action, Fraction], ...]:
    """The outcomes of the chance event at `block`, with exact probabilities."""
    chance = context.chance(block)
    raw = context.machine.outcomes(words)
    type: Type = INT
    if isinstance(chance.event, MemberChance):
        type = chance.event.type
    elif chance.var >= 0:
        type = context.program.variables[chance.var].type
    things = isinstance(chance.event, DrawChance) or isinstance(type, EntityType)
    texts = [context.naming.text(v) if things else context.naming.value(v, type) for v, _ in raw]
    if len(set(texts)) < len(texts):
        texts = distinct(
            texts, [_placed(context, v, words) if things else t for t, (v, _) in zip(texts, raw, strict=True)]
        )
    total = sum(weight for _, weight in raw)
    name = printable(chance.name)
    return tuple(
        (Action(text, name, (), None, text, Choice(-1, (value,))), Fraction(weight, total))
        for text, (value, weight) in zip(texts, raw, strict=True)
    )


def _texts(
    context: Context, values: Sequence[int], types: Sequence[Type], placed: Words | None = None
) -> tuple[str, ...]:
    naming = context.naming
    return tuple(
        _placed(context, v, placed)
        if placed is not None and isinstance(t, EntityType) and naming.is_movable(v)
        else naming.value(v, t)
        for v, t in zip(values, types, strict=True)
    )


def _placed(context: Context, thing: int, words: Words) -> str:
    """`gold(3) at gold_stack(2)`: for cards of one face at several places."""
    naming = context.naming
    if not naming.is_movable(thing):
        return naming.text(thing)
    return f"{naming.text(thing)} at {naming.text(context.reader.place(words, thing))}"


class _Labels:
    """The sentences that the options of one position have for the player who is to decide."""

    def __init__(self, context: Context, words: Words, player: int) -> None:
        self._context = context
        self._words = words
        self._bit = 1 << player
        self._secrets: Secrets | None = None

    def of(self, option: Option, choice: Choice, text: str) -> str:
        """The option's sentence; its stable text where it has none. Of what the player cannot see, `?`."""
        if not option.label:
            return text
        bound = {b.var: v for b, v in zip(bindings(option), choice.values, strict=True)}
        lets = self._lets(option, bound)
        naming = self._context.naming
        parts = []
        for part in option.label:
            if isinstance(part, str):
                parts.append(printable(part))
            elif self._is_open(part, bound, lets):
                parts.append(naming.words(self._value(part, bound), part.type))
            else:
                parts.append("?")
        return " ".join("".join(parts).split())

    def _lets(self, option: Option, bound: dict[int, int]) -> dict[int, Expr]:
        """Adds the values of the action's `let` names to `bound`; returns what they stand for."""
        needed = set[int]().union(*(reads(p) for p in option.label if not isinstance(p, str)))
        lets = {
            i.var: i.value for level in option.site.levels for i in level.items if isinstance(i, OptionLet)
        }
        if needed.isdisjoint(lets):
            return {}
        for var, value in lets.items():
            bound[var] = self._value(value, bound)
        return lets

    def _value(self, expr: Expr, bound: Mapping[int, int]) -> int:
        machine = self._context.machine
        return machine.evaluate(self._words, machine.compile_expression(expr), tuple(bound.items()))

    def _is_open(self, expr: Expr, bound: Mapping[int, int], lets: Mapping[int, Expr]) -> bool:
        """Whether the player may know the value, and so those of the `let` names in it."""
        context = self._context
        if (isinstance(expr, Var) and expr.id not in lets) or not context.visibility.hides_something:
            return True
        if self._secrets is None:
            self._secrets = context.secrets(self._words, self._bit)
        env = {var: frozenset((value,)) for var, value in bound.items()}
        return self._secrets.is_open(expr, env) and all(
            self._is_open(lets[var], bound, lets) for var in reads(expr) if var in lets
        )


def find(actions: Sequence[Action], text: str, context: Context, words: Words) -> Action | None:
    """The action that a text means; None if there is none or several."""
    for action in actions:
        if action.text == text:
            return action
    found = matches(actions, text, context, words)
    return found[0] if len(found) == 1 else None


def matches(actions: Sequence[Action], text: str, context: Context, words: Words) -> list[Action]:
    """The actions that a text may mean, by the most exact reading that fits any."""
    wanted = canonical(text)
    exact = [a for a in actions if canonical(a.text) == wanted]
    if exact:
        return exact
    if actions and actions[0].player is None:
        return [a for a in actions if _means(context, words, text, a.choice.values[0], a.text)]
    call = split_call(text)
    if call is None:
        return []
    name = canonical(call[0])
    args = call[1] or ()
    named = [a for a in actions if canonical(a.name) == name and len(a.args) >= len(args)]
    if not args:
        return named
    own = [a for a in named if all(_is_name(context, arg, a, i) for i, arg in enumerate(args))]
    if own:
        return own
    return [
        a
        for a in named
        if all(_means(context, words, arg, a.choice.values[i], a.args[i]) for i, arg in enumerate(args))
    ]


def _is_name(context: Context, arg: str, action: Action, i: int) -> bool:
    """Whether `arg` is the argument's text, or the full name of its entity."""
    value = action.choice.values[i]
    names = [action.args[i]]
    if _is_entity_text(context, value, action.args[i]):
        names.append(context.naming.name(value))
    return canonical(arg) in map(canonical, names)


def _means(context: Context, words: Words, arg: str, value: int, text: str) -> bool:
    """Whether `arg` is a face of the entity, or the name of one it is interchangeable with.

    Cards are, whatever their place, as players do not see copy numbers; pieces only where
    they stand together.
    """
    if canonical(arg) == canonical(text):
        return True
    if not _is_entity_text(context, value, text):
        return False
    naming, reader, copies = context.naming, context.reader, context.program.world.copies
    together = naming.is_movable(value) and naming.kind(value).category == "piece"
    return any(
        i > 0
        and copies[i] == copies[value]
        and (not together or reader.place(words, i) == reader.place(words, value))
        for i in naming.entities(arg)
    )


def _is_entity_text(context: Context, value: int, text: str) -> bool:
    """Whether a value shown as `text` is an entity, not a number."""
    naming = context.naming
    return 0 < value <= context.program.world.size and text.startswith(
        (naming.text(value), naming.name(value))
    )
