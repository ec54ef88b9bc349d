"""A decision: the offers of a `Decide` block, and the longest-run rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ludex.backends.interpreter.memory import Fn
from ludex.backends.interpreter.options import OfferCode, Values
from ludex.backends.machine import Choice, Fault, Refusal, Words
from ludex.ir import program as p
from ludex.ir.passes.runs import most_in_run
from ludex.limits import MAX_OPTIONS, MAX_RECURSION_DEPTH
from ludex.rng import Generator

if TYPE_CHECKING:
    from ludex.backends.interpreter.compiler import Compiler


class DecideCode:
    """One decision, compiled."""

    def __init__(self, c: Compiler, decide: p.Decide) -> None:
        self.compiler = c
        self.decide = decide
        self.player: Fn = c.word(decide.player)
        self._offers: tuple[OfferCode, ...] = tuple(c.offer(option.site) for option in decide.options)
        self._stores = tuple(
            tuple((c.writer(var), c.word(value)) for var, value in option.stores) for option in decide.options
        )
        self._late = any(offer.has_late for offer in self._offers)
        self._longest = decide.longest
        self._effects = tuple(self._effect(i) for i in range(len(decide.options))) if decide.longest else ()
        most = most_in_run(c.program, decide) if decide.longest else None
        self._most: Fn | None = None if most is None else c.word(most)

    def exists(self, w: Words) -> bool:
        context = self.compiler.context
        if context.collecting and not (self._late or self._longest):
            context.pending = self._candidates(w) or None
            return context.pending is not None
        context.pending = None
        return self.exists_here(w)

    def exists_here(self, w: Words) -> bool:
        """Whether there is an option; stops at the first."""
        return any(offer.exists(w) for offer in self._offers)

    def _candidates(self, w: Words) -> list[tuple[int, Values]]:
        if len(self._offers) == 1:
            found = [(0, values) for values in self._offers[0].candidates(w)]
        else:
            found = [(i, values) for i, offer in enumerate(self._offers) for values in offer.candidates(w)]
        if len(found) > MAX_OPTIONS:
            self._refuse(len(found))
        return found

    def _refuse(self, options: int) -> None:
        message = f"{options} options, at most {MAX_OPTIONS} can be: let it be chosen in stages"
        raise Fault("options", -1, message, self.decide.rule)

    def options(self, w: Words) -> list[Choice]:
        found = [Choice(i, values) for i, offer in enumerate(self._offers) for values in offer.full(w)]
        if len(found) > MAX_OPTIONS:
            self._refuse(len(found))
        return self._keep_longest(w, found) if self._longest else found

    def sample(self, w: Words, rng: Generator) -> Choice:
        """Uniform over the options; late conditions are tested on what is drawn. Faults `empty`
        where there is none, as may be in a position that was made up.

        A refused candidate is replaced by the last one and another is drawn. The longest-run rule
        is one more late condition, the last; it is not asked if there is but one candidate.
        """
        found = self._candidates(w)
        runs = _Runs(self, w) if self._longest and len(found) > 1 else None
        while found:
            k = rng.bounded(len(found))
            option, values = found[k]
            offer = self._offers[option]
            if offer.has_late:
                offer.bind(w, values)
            if not offer.has_late or offer.passes_late(w):
                choice = Choice(option, values)
                if runs is None or runs.is_longest(choice):
                    return choice
            found[k] = found[-1]
            found.pop()
        raise Fault("empty", -1, "there is nothing to choose", self.decide.rule)

    def draw(self, rng: Generator) -> Choice:
        """The same from the candidates that were left when the state came to wait here."""
        found = self.compiler.context.pending
        assert found is not None
        return Choice(*found[rng.bounded(len(found))])

    def is_legal(self, w: Words, choice: Choice) -> bool:
        if not 0 <= choice.option < len(self._offers):
            return False
        if not self._offers[choice.option].is_legal(w, choice.values):
            return False
        return not self._longest or self.representative(w, choice) in self.options(w)

    def representative(self, w: Words, choice: Choice) -> Choice:
        return Choice(choice.option, self._offers[choice.option].representative(w, choice.values))

    def take(self, w: Words, choice: Choice) -> int:
        """Stores what was chosen (a copy counts as its representative); the block to go on at."""
        offer = self._offers[choice.option]
        if len(choice.values) != offer.arity():
            raise ValueError(f"{offer.site.name} takes {offer.arity()} values, not {len(choice.values)}")
        offer.representative(w, choice.values)
        return self._store(w, choice.option)

    def take_listed(self, w: Words, choice: Choice) -> int:
        """The same for a choice that this decision gave itself."""
        self._offers[choice.option].bind(w, choice.values)
        return self._store(w, choice.option)

    def _store(self, w: Words, option: int) -> int:
        chosen = self.decide.options[option]
        self.compiler.context.rule = chosen.rule
        for write, value in self._stores[option]:
            write(w, value(w))
        return chosen.target

    def refusal(self, w: Words, option: int, values: Values) -> Refusal:
        """Why a choice is not legal; no rule fails if only the longest-run rule is against it,
        which is then given as the rule of the decision."""
        if not 0 <= option < len(self._offers):
            return Refusal(-1, False, ())
        inside, rules = self._offers[option].failing(w, values)
        if inside and not rules and self._longest and not self.is_legal(w, Choice(option, values)):
            rules = [self.decide.rule]
        return Refusal(option, inside, tuple(rules))

    # ------------------------------------------------------------------------- longest runs

    def _effect(self, option: int) -> Callable[[Words], None] | None:
        """Plays an option whose variables are bound: the values it would store are the arguments.

        An option without an effect (a pass) changes nothing.
        """
        c = self.compiler
        if not self.decide.effects[option]:
            return None
        atomic = c.atomics[self.decide.effects[option]]
        values = c.values(tuple(value for _, value in self.decide.options[option].stores))
        body, slots = c.procedure(atomic.name), tuple(c.slot(var) for var in atomic.params)

        def run(w: Words) -> None:
            given = values(w)
            c.context.tick()
            for slot, value in zip(slots, given, strict=True):
                w[slot] = value
            body(w)

        return run

    def _keep_longest(self, w: Words, options: list[Choice]) -> list[Choice]:
        if len(options) < 2:
            return options
        runs = _Runs(self, w)
        lengths = [runs.length(choice, 1) for choice in options]
        best = max(lengths)
        return [choice for choice, length in zip(options, lengths, strict=True) if length == best]

    def most(self, w: Words) -> int | None:
        """No run from here is longer; None if that is not known."""
        return None if self._most is None else self._most(w)

    def carry_out(self, w: Words, choice: Choice) -> bool:
        """Plays an option, if it has an effect."""
        effect = self._effects[choice.option]
        if effect is not None:
            self._offers[choice.option].bind(w, choice.values)
            effect(w)
        return effect is not None

    def following(self, w: Words) -> Iterator[Choice]:
        """The options, one after the other; the position must be the same whenever one is asked for."""
        for option, values in self._candidates(w):
            offer = self._offers[option]
            if offer.has_late:
                offer.bind(w, values)
            if not offer.has_late or offer.passes_late(w):
                yield Choice(option, values)


class _Runs:
    """The runs that begin at one position. How long the longest from a position is is remembered,
    and a search ends with a run than which none can be longer."""

    def __init__(self, decide: DecideCode, w: Words) -> None:
        self._decide, self._w = decide, w
        self._known: dict[tuple[int, ...], int] = {}
        self._best: int | None = None

    def is_longest(self, choice: Choice) -> bool:
        """Whether an option begins a longest run."""
        most = self._decide.most(self._w)
        length = self.length(choice, 1)
        if length == most:
            return True
        if self._best is None:
            self._best = self._longest(1)
        return length == self._best

    def length(self, choice: Choice, depth: int) -> int:
        """The length of the longest run that begins with an option; one without effect ends it."""
        c, w, decide = self._decide.compiler, self._w, self._decide
        if depth > MAX_RECURSION_DEPTH:
            message = f"a run of more than {MAX_RECURSION_DEPTH} actions"
            raise Fault("depth", -1, message, decide.decide.rule)
        context, memory = c.context, c.memory
        context.spend(4 + memory.size // 4)  # positions are copied, and remembered
        front, back = w[: memory.words], w[memory.saved :]
        events, applied, rule = context.events, context.applied, context.rule
        context.events, context.applied = None, context.unseen
        try:
            return 1 + self._longest(depth + 1) if decide.carry_out(w, choice) else 1
        finally:
            w[: memory.words] = front
            w[memory.saved :] = back
            context.events, context.applied, context.rule = events, applied, rule

    def _longest(self, depth: int) -> int:
        """The length of the longest run from the present position."""
        w, decide = self._w, self._decide
        most = decide.most(w)
        if most is not None and most <= 1:
            return int(most > 0 and decide.exists_here(w))
        position = tuple(w[: decide.compiler.memory.words])
        if position not in self._known:
            best = 0
            for choice in decide.following(w):
                best = max(best, self.length(choice, depth))
                if best == most:
                    break
            self._known[position] = best
        return self._known[position]
