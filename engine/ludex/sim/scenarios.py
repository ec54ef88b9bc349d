"""Scenarios: small scripted games with what is expected of them, the tests of a definition.

Setup runs with every chance event taking its first outcome (or those listed under `chance`),
then `given`, which the game was compiled with as a last step of setup. Then the actions of
`when` are played, each checked against the legal actions; decisions with one legal action
that `when` does not mention are played by themselves, and so are chance events with one
outcome. At the end everything that is expected is compared with what is found.

Whatever does not fit is a diagnostic at the line of the scenario that says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ludex.diagnostics import Label, Report, did_you_mean
from ludex.game import Action, Chance, Game, PlaceView, RuleFault, State
from ludex.ir.program import Chance as ChancePoint
from ludex.ir.program import DrawChance
from ludex.sim import codes
from ludex.source import Span

_SHOWN = 12
"""Legal actions that a message lists."""


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of a scenario and where it stands."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Refused:
    """An action that must not be legal, and the condition that must be what refuses it."""

    action: Text
    reason: Text | None


@dataclass(frozen=True, slots=True)
class Sight:
    """What a player must see at a place: the faces there (hidden ones are `hidden`), or how many."""

    player: Text
    place: Text
    faces: tuple[Text, ...] | None
    count: int | None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario without what its game is compiled with."""

    name: Text
    chance: tuple[Text, ...] = ()
    when: tuple[Text, ...] = ()
    then: tuple[Text, ...] = ()
    options_are: tuple[Text, ...] | None = None
    options_span: Text | None = None
    refused: tuple[Refused, ...] = ()
    to_move: Text | None = None
    sees: tuple[Sight, ...] = ()
    scores: tuple[tuple[Text, int], ...] = ()
    ranking: tuple[tuple[Text, int], ...] = ()
    over: Text | None = None
    """The name of the end condition; an empty text if the game must go on."""


Holds = Callable[[str, State], bool]
"""Whether the condition of this name (of `then`) holds in a state."""


def run_scenario(scenario: Scenario, game: Game, holds: Holds, report: Report) -> State | None:
    """Plays a scenario and reports all that is not as expected; the last state, if it got there."""
    try:
        state = _Script(scenario, game, report).play()
        if state is not None:
            _Expectations(scenario, game, state, report).compare(holds)
    except RuleFault as fault:
        labels = [Label(fault.span, "here")]
        report.add(codes.FAULT, f"`{scenario.name.text}`: {fault}", scenario.name.span, labels=labels)
        return None
    return state


def key(text: str) -> str:
    """What two spellings of a name or an action have in common: `gold(3, 1)` and `gold_3_1`."""
    return re.sub(r"\W+", "_", text).strip("_").casefold()


def find_action(state: State, text: str) -> tuple[Action, str] | None:
    """The legal action that a text means and whose it is; outcomes of chance have no player.

    A text may begin with the player who is to decide: `player_2: pass`. Else, where several may,
    it is the first for whom it is legal.
    """
    decision = state.decision
    if decision is None:
        return None
    if isinstance(decision, Chance):
        for outcome, _ in decision.outcomes:
            if key(outcome.text) == key(text):
                return outcome, ""
        return None
    whose, colon, rest = text.partition(":")
    of = [p for p in state.game.players if colon and key(p) == key(whose)]
    if of:
        text = rest.strip()
    for player in decision.players:
        if of and player not in of:
            continue
        action = state.parse_action(text, player)
        if action is not None:
            return action, player
        for legal in state.legal_actions(player):
            if key(legal.text) == key(text):
                return legal, player
    return None


def waiting_chance(state: State) -> ChancePoint | None:
    """The chance event of the program at which a state waits, by the layout of its words."""
    program = state.game.program
    field = program.layout.find("@pc")
    if field is None:
        return None
    start = 4 * field.offset
    block = int.from_bytes(state.to_bytes()[start : start + 4], "little", signed=True)
    end = program.blocks[block].end
    return end if isinstance(end, ChancePoint) else None


class _Script:
    """Plays `when`."""

    def __init__(self, scenario: Scenario, game: Game, report: Report) -> None:
        self.scenario = scenario
        self.game = game
        self.report = report
        self.todo = list(scenario.when)
        self.luck = list(scenario.chance)
        self.after_setup = [
            i for i, r in enumerate(game.rules) if r.kind == "step" and not r.path.startswith("setup")
        ]
        self.before = self._steps()

    def play(self) -> State | None:
        state = self.game.start(0, explicit=True)
        while not state.is_terminal:
            moved = self._step(state)
            if moved is None:
                return None
            if moved is state:
                break
            state = moved
        if self.todo:
            left = self.todo[0]
            self._stuck(left, f"`{left.text}` cannot be played: the game is over ({_ending(state)})")
            return None
        return state

    def _step(self, state: State) -> State | None:
        """The next state; the same if the script is at its end; None if it cannot go on."""
        decision = state.decision
        if isinstance(decision, Chance) and (outcome := self._outcome_by_itself(state, decision)) is not None:
            return state.apply(outcome)
        found = find_action(state, self.todo[0].text) if self.todo else None
        if found is not None:
            self.todo.pop(0)
            action, player = found
            return state.apply(action, player or None)
        only = _only(state)
        if only is not None and (self.todo or isinstance(decision, Chance)):
            action, player = only
            return state.apply(action, player or None)
        if not self.todo:
            return state
        self._refuse(state, self.todo[0])
        return None

    def _outcome_by_itself(self, state: State, chance: Chance) -> Action | None:
        """The outcome of a chance event that `when` does not speak of.

        In setup that is the one that `chance` lists, or else the first. Later, `when` gives the
        outcomes, except for the cards that turn up from a shuffled pile: it may name them,
        but where it does not the first comes up.
        """
        point = waiting_chance(state)
        is_draw = point is not None and isinstance(point.event, DrawChance)
        if self._is_setup(point):
            if self.luck and not is_draw:
                return self._listed_outcome(chance, self.luck.pop(0))
            return chance.outcomes[0][0]
        return chance.outcomes[0][0] if is_draw and not self._is_next(chance) else None

    def _listed_outcome(self, chance: Chance, wanted: Text) -> Action:
        for outcome, _ in chance.outcomes:
            if key(outcome.text) == key(wanted.text):
                return outcome
        known = _listed(o.text for o, _ in chance.outcomes)
        self._stuck(wanted, f"`{chance.name}` has no outcome `{wanted.text}`, but {known}")
        return chance.outcomes[0][0]

    def _is_next(self, chance: Chance) -> bool:
        """Whether the next item of `when` is an outcome of this event."""
        return bool(self.todo) and key(self.todo[0].text) in {key(o.text) for o, _ in chance.outcomes}

    def _is_setup(self, point: ChancePoint | None) -> bool:
        if point is not None and 0 <= point.rule < len(self.game.rules):
            return self.game.rules[point.rule].path.startswith("setup")
        return self._steps() == self.before

    def _steps(self) -> int:
        """How many steps outside setup have run: as long as there are none, setup goes on."""
        applied = self.game.coverage.applied
        return sum(applied[i] for i in self.after_setup)

    def _refuse(self, state: State, text: Text) -> None:
        decision = state.decision
        legal = [a.text for a in state.legal_actions()]
        if isinstance(decision, Chance):
            message = f"the chance event `{decision.name}` has no outcome `{text.text}`"
        else:
            player = decision.players[0] if decision is not None else None
            why = self.game.explain(state, text.text, player).text
            message = f"`{text.text}` is not legal for {player}: {why}"
        self._stuck(text, f"{message}; legal: {_listed(legal)}", did_you_mean(text.text, legal))

    def _stuck(self, text: Text, message: str, help: str | None = None) -> None:
        self.report.add(codes.STUCK, message, text.span, help=help)


class _Expectations:
    """Compares what is found with what is expected."""

    def __init__(self, scenario: Scenario, game: Game, state: State, report: Report) -> None:
        self.scenario = scenario
        self.game = game
        self.state = state
        self.report = report
        self.players = {key(p): p for p in game.players}

    def compare(self, holds: Holds) -> None:
        for condition in self.scenario.then:
            if not holds(condition.text, self.state):
                self._wrong(condition, f"`{condition.text}` does not hold")
        self._compare_options()
        for refused in self.scenario.refused:
            self._compare_refused(refused)
        self._compare_to_move()
        for sight in self.scenario.sees:
            self._compare_sight(sight)
        scores = self.state.scores
        for text, expected in self.scenario.scores:
            if (player := self._player(text)) is not None:
                self._compare_number(text, expected, scores.total(player), "points")
        for text, expected in self.scenario.ranking:
            if (player := self._player(text)) is not None:
                self._compare_number(text, expected, self.state.ranking[player], "as rank")
        self._compare_over()

    def _wrong(self, text: Text, message: str, help: str | None = None) -> None:
        self.report.add(codes.EXPECTED, message, text.span, help=help)

    def _player(self, text: Text) -> str | None:
        player = self.players.get(key(text.text))
        if player is None:
            help = did_you_mean(text.text, self.game.players)
            self._wrong(text, f"there is no player `{text.text}`", help or _listed(self.game.players))
        return player

    def _compare_number(self, text: Text, expected: int, found: int | None, what: str) -> None:
        if found != expected:
            self._wrong(text, f"expected {expected} {what} for {text.text}, found {found}")

    def _compare_options(self) -> None:
        if self.scenario.options_are is None:
            return
        legal = self._all_legal()
        expected: set[str] = set()
        for text in self.scenario.options_are:
            found = find_action(self.state, text.text)
            if found is None:
                help = did_you_mean(text.text, legal)
                self._wrong(text, f"`{text.text}` is not legal; legal: {_listed(legal)}", help)
            else:
                expected.add(found[0].text)
        extra = [a for a in legal if a not in expected]
        if extra and self.scenario.options_span is not None:
            self._wrong(self.scenario.options_span, f"legal, but not expected: {_listed(extra)}")

    def _all_legal(self) -> list[str]:
        decision = self.state.decision
        if decision is None or isinstance(decision, Chance):
            return [a.text for a in self.state.legal_actions()]
        return [a.text for p in decision.players for a in self.state.legal_actions(p)]

    def _compare_refused(self, refused: Refused) -> None:
        decision = self.state.decision
        player = decision.players[0] if decision is not None and decision.players else None
        explanation = self.game.explain(self.state, refused.action.text, player)
        if explanation.is_legal:
            self._wrong(refused.action, f"`{refused.action.text}` is legal, and should be refused")
        elif refused.reason is not None:
            reasons = [c.name for c in explanation.conditions] or [explanation.verdict]
            if key(refused.reason.text) not in [key(r) for r in reasons]:
                self._wrong(
                    refused.reason,
                    f"`{refused.action.text}` is refused, but not by `{refused.reason.text}`: "
                    f"{_listed(reasons)} ({explanation.text})",
                )

    def _compare_to_move(self) -> None:
        text = self.scenario.to_move
        if text is None or (player := self._player(text)) is None:
            return
        decision = self.state.decision
        deciding = decision.players if decision is not None else ()
        if player not in deciding:
            self._wrong(text, f"expected {player} to decide, found {_deciding(self.state)}")

    def _compare_sight(self, sight: Sight) -> None:
        player = self._player(sight.player)
        if player is None:
            return
        places = {key(p.place): p for p in self.state.observation(player).places}
        place = places.get(key(sight.place.text))
        if place is None:
            known = [p.place for p in places.values()]
            help = did_you_mean(sight.place.text, known)
            self._wrong(sight.place, f"there is no place `{sight.place.text}`", help)
            return
        found = _faces(place)
        if sight.count is not None and sum(found.values()) != sight.count:
            n = sum(found.values())
            self._wrong(sight.place, f"expected {sight.count} things at {place.place}, found {n}")
        if sight.faces is not None:
            expected = Counter("hidden" if t.text in ("hidden", "?") else key(t.text) for t in sight.faces)
            if expected != Counter({key(f): n for f, n in found.items()}):
                wanted = ", ".join(t.text for t in sight.faces) or "nothing"
                seen = ", ".join(found.elements()) or "nothing"
                self._wrong(
                    sight.place, f"expected {player} to see at {place.place}: {wanted}; found: {seen}"
                )

    def _compare_over(self) -> None:
        text = self.scenario.over
        if text is None:
            return
        over = self.state.is_terminal
        if not text.text:
            if over:
                self._wrong(text, f"the game is over ({_ending(self.state)}), and should go on")
        elif not over:
            self._wrong(text, f"expected the game to be over, found {_deciding(self.state)}")
        elif text.text != "true" and text.text != (self.state.ended_by or ""):
            self._wrong(text, f"expected the game to end by `{text.text}`, found: {_ending(self.state)}")


def _faces(place: PlaceView) -> Counter[str]:
    found = Counter("hidden" if t.startswith("?") else t for t in place.things)
    for face, number in place.tokens:
        found["hidden" if face.startswith("?") else face] += number
    return found


def _only(state: State) -> tuple[Action, str] | None:
    """The one thing that can happen, if there is only one."""
    decision = state.decision
    if decision is None:
        return None
    if isinstance(decision, Chance):
        return (decision.outcomes[0][0], "") if len(decision.outcomes) == 1 else None
    for player in decision.players:
        legal = state.legal_actions(player)
        if len(legal) == 1:
            return legal[0], player
    return None


def _deciding(state: State) -> str:
    decision = state.decision
    if decision is None:
        return f"that the game is over ({_ending(state)})"
    if isinstance(decision, Chance):
        return f"that the chance event `{decision.name}` is to be resolved"
    return " and ".join(decision.players) + " to decide"


def _ending(state: State) -> str:
    return state.ended_by or "its course is run"


def _listed(texts: Iterable[str]) -> str:
    found = list(texts)
    shown = ", ".join(found[:_SHOWN]) or "nothing"
    return shown + (f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")


__all__ = ["Holds", "Refused", "Scenario", "Sight", "Text", "find_action", "key", "run_scenario"]
