"""States of a game: immutable values with everything one may ask of a position."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ludex.backends.machine import ChancePoint, Moved, OverPoint, Said, SealedPoint, TurnPoint, Walk
from ludex.diagnostics import printable
from ludex.game import determinize, offers, step
from ludex.game.actions import Action, Chance, Decision, Simultaneous, Turn
from ludex.game.explain import Explanation, explain, nearest_action, plain
from ludex.game.faults import FAULTS, IllegalAction, named_faults, rule_fault
from ludex.game.history import Record
from ludex.game.knowledge import Known, belief_at
from ludex.game.log import LogLine, log_lines
from ludex.game.observation import Observation, Scores, field_views, place_views, score_view
from ludex.game.step import before_sealed
from ludex.game.told import lines_told
from ludex.game.worlds import Worlds
from ludex.rng import Generator

if TYPE_CHECKING:
    from ludex.game.api import Game


class State:
    """A position of a game, with how it came about. Made by `Game.start`, never changed.

    Players are given by their seats' names, as in `game.players`. A viewer is a player, or
    None for a spectator, who sees what is public. `decision`, `legal_actions`, `scores`,
    `ranking`, `history`, `to_bytes` and `hash` are of the table: they may tell what some
    player may not see. What goes to a player comes from `observation`, `log`,
    `history_for`, `information_state`, `known`, his own `legal_actions` and `game.explain`.
    """

    __slots__ = ("_actions", "_observations", "_previous", "_step", "game")

    def __init__(self, game: Game, at: step.Step, previous: State | None = None) -> None:
        self.game = game
        self._step = at
        self._previous = previous
        self._actions: dict[int, tuple[Action, ...]] = {}
        self._observations: dict[str | None, Observation] = {}

    @property
    def at(self) -> step.Step:
        """The position in raw values, for the other modules of this package."""
        return self._step

    # ------------------------------------------------------------------ decisions

    @property
    def decision(self) -> Decision | None:
        """Who is to decide: `Turn`, `Simultaneous`, `Chance`; None when the game is over."""
        context = self.game.context
        match self._step.point:
            case TurnPoint(player, block):
                return Turn(context.naming.name(player), context.about(block))
            case SealedPoint(waiting, block):
                return Simultaneous(tuple(context.naming.name(p) for p, _ in waiting), context.about(block))
            case ChancePoint(block):
                outcomes = offers.outcomes(context, self._step.words, block)
                return Chance(printable(context.chance(block).name), outcomes)
            case OverPoint():
                return None

    @property
    def is_terminal(self) -> bool:
        return isinstance(self._step.point, OverPoint)

    @property
    def deciding(self) -> tuple[str, ...]:
        """The players who are to decide now."""
        return tuple(self.game.context.naming.name(p) for p in self._waiting())

    def _waiting(self) -> dict[int, int]:
        """Players (ids) who are to decide, and the block of each."""
        match self._step.point:
            case TurnPoint(player, block):
                return {player: block}
            case SealedPoint(waiting):
                return dict(waiting)
            case _:
                return {}

    def _chooser(self, player: str | None) -> int:
        """The id of a player, by default of the first who is to decide; 0 if nobody is."""
        if player is not None:
            return self.game.context.player_id(player)
        return next(iter(self._waiting()), 0)

    def legal_actions(self, player: str | None = None) -> tuple[Action, ...]:
        """All legal actions of a player, in option order; none if he is not to decide.

        Without `player`: of the player whose turn it is, of the first who has not finished
        a sealed choice, or the outcomes of a chance event.
        """
        chooser = self._chooser(player)
        if chooser not in self._actions:
            with named_faults(self.game.program):
                self._actions[chooser] = self._found_actions(chooser)
        return self._actions[chooser]

    def _found_actions(self, chooser: int) -> tuple[Action, ...]:
        context, at = self.game.context, self._step
        if chooser == 0 and isinstance(at.point, ChancePoint):
            return tuple(a for a, _ in offers.outcomes(context, at.words, at.point.block))
        block = self._waiting().get(chooser)
        return () if block is None else offers.offered(context, at.words, chooser, block)

    def parse_action(self, text: str, player: str | None = None) -> Action | None:
        """The legal action that a text means, None if there is none or several.

        Accepts the stable form; the name alone, or a name with some arguments left out at
        its end, where one option fits; any name of an entity; any copy for interchangeable
        ones (`bribe(gold(3, 2))`, `bribe(gold(3))`); any spacing and case.
        """
        return offers.find(self.legal_actions(player), text, self.game.context, self._step.words)

    def default_action(self, player: str | None = None) -> Action | None:
        """The action that the rules name for an absent player, if they name one."""
        chooser = self._chooser(player)
        block = self._waiting().get(chooser)
        if block is None:
            return None
        decide = self.game.context.decide(block)
        named = [a for a in self.legal_actions(player) if a.choice.option == decide.default]
        if decide.default_value is not None:
            machine, words = self.game.machine, self._step.words
            value = machine.evaluate(words, machine.compile_expression(decide.default_value))
            named = [a for a in named if a.choice.values[0] == value] or named
        return next(iter(named), None)

    def apply(self, action: Action | str, player: str | None = None) -> State:
        """The state after a legal action (or, at a chance event, an outcome).

        Unless the game was started with `explicit=True`, chance events that follow are
        sampled. Raises `IllegalAction` with an explanation, `RuleFault` if a rule of the
        definition fails; this state stays as it is.
        """
        return self.applied(action, player, None)

    def applied(self, action: Action | str, player: str | None, resolver: step.Resolver | None) -> State:
        """`apply`, with another source of chance than the seed (replay)."""
        context, at = self.game.context, self._step
        text = action.text if isinstance(action, Action) else action
        if player is None and isinstance(action, Action):
            player = action.player
        found = self.parse_action(text, player)
        if found is None:
            raise IllegalAction(self.explain(text, player))
        try:
            if isinstance(at.point, ChancePoint):
                following = step.resolve(context, at, at.point.block, found)
            else:
                chooser = self._chooser(player)
                following = step.choose(context, at, chooser, self._waiting()[chooser], found, resolver)
        except FAULTS as fault:
            raise rule_fault(context.program, fault) from fault
        return State(self.game, following, self)

    def explain(self, text: str, player: str | None = None) -> Explanation:
        """Why an action is legal or refused; see `Game.explain`."""
        shown = printable(text.strip()).replace("\n", " ")
        if self.is_terminal:
            return plain("over", shown, "The game is over.")
        legal = self.legal_actions(player)
        if isinstance(self._step.point, ChancePoint):
            found = self.parse_action(text)
            if found is not None:
                return plain("legal", found.text, f"`{found.text}` is possible.")
            message = f"`{shown}` is no outcome of this chance event."
            return plain("refused", shown, message, nearest_action(legal, shown))
        chooser = self._chooser(player)
        block = self._waiting().get(chooser)
        if block is None:
            return plain("not_deciding", shown, f"It is for {' and '.join(self.deciding)} to decide.")
        return explain(self.game.context, self._step.words, chooser, block, legal, text)

    # ------------------------------------------------------------------ results

    @property
    def returns(self) -> Mapping[str, float]:
        """Utility of every player: final when the game is over, else 0."""
        if not self.is_terminal:
            return dict.fromkeys(self.game.players, 0.0)
        with named_faults(self.game.program):
            returns = self.game.machine.returns(self._step.words)
        return dict(zip(self.game.players, returns, strict=True))

    @property
    def scores(self) -> Scores:
        """The scoring table as it stands, unmasked: for the table, not for players."""
        with named_faults(self.game.program):
            return score_view(self.game.context, self._step.words, None)

    @property
    def ranking(self) -> Mapping[str, int]:
        """Rank of every player from 1, ties sharing, as it stands."""
        with named_faults(self.game.program):
            ranking = self.game.machine.ranking(self._step.words)
        return dict(zip(self.game.players, ranking, strict=True))

    @property
    def ended_by(self) -> str | None:
        """The name of the end condition that ended the game, if one did."""
        number = self.game.context.reader.number(self._step.words, "@ended_by")
        rule = self.game.context.rule(number - 1) if number else None
        return None if rule is None else printable(rule.name)

    @property
    def broken_invariants(self) -> tuple[str, ...]:
        """Names of the definition's invariants that do not hold (a fault of the definition)."""
        with named_faults(self.game.program):
            broken = self.game.machine.broken_invariants(self._step.words)
        rules = (self.game.context.rule(i) for i in broken)
        return tuple(printable(r.name) for r in rules if r is not None)

    # ------------------------------------------------------------------ history

    @property
    def history(self) -> tuple[Record, ...]:
        """All choices and chance outcomes from the start, in order, unmasked."""
        return tuple(e.record for e in self._step.entry.since(None) if e.record is not None)

    def history_for(self, viewer: str | None) -> tuple[Record, ...]:
        """The history as the viewer may know it: hidden things masked, others' sealed choices left out."""
        bit = self.game.context.bit(viewer)
        shown = (record.for_viewer(bit) for record in self.history)
        return tuple(record for record in shown if record is not None)

    def log(self, viewer: str | None = None) -> tuple[LogLine, ...]:
        """What happened in the last step (the last `apply`), as the viewer saw it."""
        at, context = self._step, self.game.context
        return log_lines(context, at.entry.since(at.first), context.bit(viewer), at.words)

    @property
    def has_revealed(self) -> bool:
        """Whether anybody has seen something hidden in the last step: a face that he had not
        followed to where it lies, or a value that was said."""
        if self._previous is None or not self.game.context.visibility.hides_something:
            return False
        context, at = self.game.context, self._step
        if any(isinstance(e, Said) for entry in at.entry.since(at.first) for e in entry.events):
            return True
        for bit in (context.bit(viewer) for viewer in (None, *self.game.players)):
            before, after = (
                belief_at(context, self._previous.at.entry, bit),
                belief_at(context, at.entry, bit),
            )
            if not after.pinned <= before.pinned or not after.faces.items() <= before.faces.items():
                return True
        return False

    @property
    def previous(self) -> State | None:
        """The state before the last `apply` (for undo), None at the start."""
        return self._previous

    @property
    def seed(self) -> int:
        return self._step.seed

    @property
    def is_explicit(self) -> bool:
        """Whether chance events are decisions."""
        return self._step.explicit

    # ------------------------------------------------------------------ views

    def observation(self, viewer: str | None = None) -> Observation:
        """All that the viewer sees now, computed from declared visibility."""
        if viewer not in self._observations:
            with named_faults(self.game.program):
                self._observations[viewer] = self._observe(viewer)
        return self._observations[viewer]

    def _observe(self, viewer: str | None) -> Observation:
        context, at = self.game.context, self._step
        bit, reader = context.bit(viewer), context.reader
        before = at.sealed.view if at.sealed is not None else None
        block = None if isinstance(at.point, OverPoint) else at.point.block
        active = reader.number(at.words, "active")
        # When the game is over the scores are public; until then they tell no more than is seen.
        scores = score_view(context, before or at.words, None if self.is_terminal else bit)
        return Observation(
            viewer=viewer,
            deciding=self.deciding,
            about=context.about(block) if block is not None else "",
            chance=printable(context.chance(block).name)
            if block is not None and isinstance(at.point, ChancePoint)
            else None,
            is_terminal=self.is_terminal,
            active=context.naming.name(active) if active else None,
            round_number=reader.number(at.words, "round_number"),
            game_number=reader.number(at.words, "game_number"),
            places=place_views(context, at.words, before, bit, self._unseen(bit), self._secret(bit)),
            fields=field_views(context, at.words, bit),
            scores=scores,
            actions=() if viewer is None else self.legal_actions(viewer),
        )

    def _unseen(self, bit: int) -> frozenset[int]:
        """Top cards that came to light since somebody last decided: nobody looks at a chance event."""
        at, context = self._step, self.game.context
        if not context.visibility.tops or not isinstance(at.point, ChancePoint):
            return frozenset()
        belief = belief_at(context, at.entry, bit)
        lying = (
            t for t in context.reader.movables if context.reader.place(at.words, t) in context.visibility.tops
        )
        return frozenset(t for t in lying if t not in belief.pinned)

    def _secret(self, bit: int) -> frozenset[int]:
        """What moved in sealed choices, of which the viewer is to know nothing yet."""
        at = self._step
        if at.sealed is None:
            return frozenset()
        events = (event for e in at.entry.since(at.sealed.entry) for event in e.events)
        return frozenset(e.thing for e in events if isinstance(e, Moved) and not e.witnesses & bit)

    def information_state(self, viewer: str | None = None) -> str:
        """Text of all that the viewer has seen since the start; equal for him, equal text."""
        lines = lines_told(
            self.game.context, self._step.entry, self._step.words, self.game.context.bit(viewer)
        )
        return "\n".join((*lines, self.observation(viewer).to_json()))

    def known(self, viewer: str | None = None) -> Known:
        """Where each piece and card may be, according to what the viewer has seen.

        In the midst of sealed choices: as it was before them.
        """
        at, context = self._step, self.game.context
        entry = at.sealed.entry if at.sealed is not None else at.entry
        return belief_at(context, entry, context.bit(viewer)).known()

    def determinize(self, player: str | None, rng: Generator) -> State:
        """A state in which all that `player` cannot see is dealt anew, consistently.

        His observation and legal actions are the same, byte for byte. Chance that follows
        is drawn from `rng`, not from this game's seed. The history is what he has seen of it.
        """
        return State(self.game, determinize.determinized(self.game.context, self._step, player, rng))

    def worlds(self, player: str, rng: Generator, walk: Walk) -> Worlds:
        """What `player`, who is to decide, may find the position to be, for a search with `walk`.

        Like `determinize` a function of what he has seen and of `rng`, but much faster.
        """
        return Worlds(self.game.context, self._step, player, rng, walk)

    # ------------------------------------------------------------------ as bytes

    def to_bytes(self) -> bytes:
        """The canonical words of the state; `Game.from_bytes` is the inverse."""
        return self.game.machine.pack(self._step.words)

    def bytes_for(self, viewer: str | None) -> bytes:
        """The words of the state for whoever draws it for a viewer (what he sees of them is
        for `Context.secrets` to say): in the midst of sealed choices the position before
        them, but for what the viewer himself sees of his own."""
        at, context = self._step, self.game.context
        if at.sealed is None:
            return self.to_bytes()
        words = before_sealed(context, at.words, at.sealed.view, context.bit(viewer))
        return self.game.machine.pack(words)

    @property
    def hash(self) -> str:
        """sha256 (hex) of `to_bytes`: equal positions, equal hash."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and other.game is self.game and other.to_bytes() == self.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())
