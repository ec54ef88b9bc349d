"""A tiny game written by hand against the API: what the command line needs, and no pipeline.

The heap: players take one to three stones in turn; whoever takes the last one wins. Every
stone taken scores a point. Each player holds a card that only he sees, and may show it
(`show`); `gamble` lets a die decide how many stones are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ludex.backends.machine import Coverage
from ludex.game import (
    Action,
    Chance,
    Decision,
    Explanation,
    FailedCondition,
    FieldView,
    IllegalAction,
    LogLine,
    Observation,
    PlaceView,
    Record,
    ScoreLineView,
    Scores,
    Turn,
)
from ludex.game.definition import DefinitionInfo
from ludex.ir.layout import Layout
from ludex.ir.program import Rule
from ludex.rng import Generator
from ludex.source import SourceFile, Span
from ludex.typed.world import Kind, World

TEXT = SourceFile("heap/game.yaml", "take some: act take\nthere are that many: n <= heap\nlast: win me\n")


def _rule(path: str, kind: str, line: str) -> Rule:
    start = TEXT.text.index(line)
    return Rule(path, path.rsplit("/", 1)[-1], kind, Span(TEXT, start, start + len(line)), ("book / 1",))


RULES = (
    _rule("phases/taking/do/take some", "step", "take some: act take"),
    _rule("actions/take/where/there are that many", "condition", "there are that many: n <= heap"),
    _rule("actions/take/do/last", "step", "last: win me"),
)
HAND = Kind("hand", "pile", 10, 2, RULES[0].span, audience="owner", holds=("card",))

WORLD = World((HAND,), (), (), ())
LAYOUT = Layout((), 0)


@dataclass(frozen=True)
class FakeProgram:
    panels: tuple[Any, ...] = ()
    world: World = WORLD
    layout: Layout = LAYOUT
    blocks: tuple[Any, ...] = ()


class FakeGame:
    """`secrets` off: no hands."""

    def __init__(self, players: int = 2, heap: int = 10) -> None:
        self.players = tuple(f"player({i + 1})" for i in range(players))
        self.heap = heap
        self.rules = RULES
        self.score_lines = ("stones",)
        self.program = FakeProgram()
        self.coverage = Coverage([0] * 3, [0] * 3, [])
        self.definition = DefinitionInfo("heap", "The heap", (), (), players, (), "0")

    def start(self, seed: int = 0, *, explicit: bool = False) -> FakeState:
        zeros = (0,) * len(self.players)
        return FakeState(self, self.heap, 0, zeros, (False,) * len(self.players), seed, explicit)

    def explain(self, state: FakeState, action: Action | str, player: str | None = None) -> Explanation:
        text = str(action)
        if state.parse_action(text, player) is not None:
            return Explanation("legal", text, f"`{text}` is legal.")
        if text.startswith("take"):
            failed = FailedCondition(RULES[1].name, RULES[1].path, ("book / 1",), None)
            return Explanation("refused", text, f"`{text}` is refused: {failed.name}.", (failed,))
        return Explanation("unknown_action", text, f"There is no action `{text}`.", suggestion="take(1)")

    def playout(self, state: FakeState | None = None) -> FakePlayout:
        return FakePlayout(state if state is not None else self.start())


@dataclass(frozen=True)
class FakeState:
    game: FakeGame
    heap: int
    turn: int
    taken: tuple[int, ...]
    shown: tuple[bool, ...]
    seed: int
    explicit: bool
    rolling: bool = False
    history: tuple[Record, ...] = ()
    previous: FakeState | None = None
    last: tuple[LogLine, ...] = ()

    @property
    def player(self) -> str:
        return self.game.players[self.turn]

    @property
    def is_terminal(self) -> bool:
        return self.heap == 0

    @property
    def decision(self) -> Decision | None:
        if self.is_terminal:
            return None
        if self.rolling:
            faces = range(1, min(3, self.heap) + 1)
            return Chance("die", tuple((Action(str(n), "die"), Fraction(1, len(faces))) for n in faces))
        return Turn(self.player, "take some")

    def legal_actions(self, player: str | None = None) -> tuple[Action, ...]:
        decision = self.decision
        if isinstance(decision, Chance):
            return tuple(a for a, _ in decision.outcomes)
        if decision is None or player not in (None, self.player):
            return ()
        takes = [self._act(f"take({n})", f"take {n}") for n in range(1, min(3, self.heap) + 1)]
        show = [] if self.shown[self.turn] else [self._act("show", "show your card")]
        return (*takes, *show, self._act("gamble", "let the die decide"))

    def _act(self, text: str, label: str) -> Action:
        name, _, rest = text.partition("(")
        return Action(text, name, (rest[:-1],) if rest else (), self.player, label)

    def parse_action(self, text: str, player: str | None = None) -> Action | None:
        squeezed = text.replace(" ", "").casefold()
        return next((a for a in self.legal_actions(player) if a.text == squeezed), None)

    def default_action(self, player: str | None = None) -> Action | None:
        return None

    def apply(self, action: Action | str, player: str | None = None) -> FakeState:
        text = str(action)
        if text not in [a.text for a in self.legal_actions(player)]:
            raise IllegalAction(self.game.explain(self, text, player))
        if isinstance(self.decision, Chance):
            return self._take(int(text), Record(None, "die", text), (Record(None, "die", text),))
        self.game.coverage.applied[0] += 1
        record = Record(self.player, text.partition("(")[0], text)
        if text == "show":
            shown = tuple(s or i == self.turn for i, s in enumerate(self.shown))
            return self._next(record, (record,), shown=shown)
        if text == "gamble":
            rolling = self._next(record, (record,), rolling=True)
            if self.explicit:
                return rolling
            roll = Generator(self.seed, len(self.history)).bounded(min(3, self.heap)) + 1
            rolled = rolling.apply(str(roll))
            return replace(rolled, previous=self, last=(*rolling.last, *rolled.last))
        return self._take(int(text[5:-1]), record, (record,))

    def _take(self, number: int, record: Record, records: tuple[Record, ...]) -> FakeState:
        taken = tuple(t + number * (i == self.turn) for i, t in enumerate(self.taken))
        heap = self.heap - number
        self.game.coverage.applied[2] += heap == 0
        turn = (self.turn + 1) % len(self.taken) if heap else self.turn
        return self._next(record, records, heap=heap, turn=turn, taken=taken, rolling=False)

    def _next(self, record: Record, records: tuple[Record, ...], **changes: Any) -> FakeState:
        who = record.player or "chance"
        line = LogLine("action", f"{who}: {record.text}", RULES[0].name, RULES[0].path, RULES[0].cites)
        return replace(self, history=self.history + records, previous=self, last=(line,), **changes)

    @property
    def winner(self) -> int:
        return self.turn

    @property
    def returns(self) -> Mapping[str, float]:
        return {p: float(self.is_terminal and i == self.winner) for i, p in enumerate(self.game.players)}

    @property
    def scores(self) -> Scores:
        return Scores(self.game.players, (ScoreLineView("stones", self.taken),), self.taken)

    @property
    def ranking(self) -> Mapping[str, int]:
        return {p: 1 if i == self.winner else 2 for i, p in enumerate(self.game.players)}

    @property
    def ended_by(self) -> str | None:
        return "the heap is empty" if self.is_terminal else None

    @property
    def broken_invariants(self) -> tuple[str, ...]:
        return ("odd",) if self.heap % 2 == 0 else ()

    def history_for(self, viewer: str | None) -> tuple[Record, ...]:
        return self.history

    def log(self, viewer: str | None = None) -> tuple[LogLine, ...]:
        return self.last

    def observation(self, viewer: str | None = None) -> Observation:
        places = tuple(
            PlaceView(
                f"hand({p})",
                "hand",
                False,
                (f"card({i + 1})" if viewer == p or self.shown[i] else "?card",),
                (),
            )
            for i, p in enumerate(self.game.players)
        )
        deciding = self.decision.players if self.decision is not None else ()
        return Observation(
            viewer=viewer,
            deciding=deciding,
            about="take some",
            chance=None,
            is_terminal=self.is_terminal,
            active=self.player,
            round_number=1 + len(self.history) // len(self.game.players),
            game_number=1,
            places=places,
            fields=(FieldView("heap", "heap", (), self.heap),),
            scores=self.scores,
            actions=self.legal_actions(viewer) if viewer == self.player else (),
        )

    def determinize(self, player: str | None, rng: Generator) -> FakeState:
        return replace(self, seed=rng.next())


class FakePlayout:
    def __init__(self, state: FakeState) -> None:
        self.origin = self.state = state
        self.decisions = 0

    def reset(self) -> None:
        self.state = self.origin

    def apply(self, action: Action, chance: Generator) -> None:
        self.state = replace(self.state, seed=chance.next()).apply(action)

    def run(self, chance: Generator, policy: Generator, max_decisions: int = 0) -> bool:
        while not self.state.is_terminal:
            actions = [a for a in self.state.legal_actions() if a.text != "show"]
            self.apply(actions[policy.bounded(len(actions))], chance)
            self.decisions += 1
        return True

    @property
    def is_terminal(self) -> bool:
        return self.state.is_terminal

    @property
    def returns(self) -> list[float]:
        return list(self.state.returns.values())

    @property
    def totals(self) -> list[int]:
        return list(self.state.taken)


class MakeFake:
    """A recipe for spawned processes."""

    def __call__(self) -> FakeGame:
        return FakeGame()


def install(patch: Callable[[str, object], None]) -> None:
    """Makes the command line take this game for every game."""

    def load(spec: Any) -> FakeGame:
        return FakeGame(spec.players or 2, int(spec.options.get("heap", 10)))

    def write(path: Path, state: FakeState, *, seats: tuple[str, ...] = ()) -> None:
        path.write_text(
            "\n".join([" ".join(seats), *(f"{r.player}: {r.text}" for r in state.history)]) + "\n"
        )

    patch("ludex.cli.play.load_game", load)
    patch("ludex.cli.simulate.load_game", load)
    patch("ludex.cli.simulate.LoadGame", lambda spec: MakeFake())
    patch("ludex.cli.session.write_save", write)
