"""Any definition as a game of OpenSpiel.

    from ludex.adapters import openspiel
    openspiel.register("kuhn_poker")
    game = pyspiel.load_game("ludex_kuhn_poker(players=3)")

Every definition becomes a sequential game. Of sealed choices the first player who has not finished
chooses first; what he chose is in nobody else's information state before all have finished. Chance is
explicit. See docs/adapters/openspiel.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from ludex import pipeline
from ludex.adapters.census import Census, census
from ludex.adapters.extras import extra
from ludex.adapters.position import MAX_KEPT, Position, Table
from ludex.adapters.utility import Worth
from ludex.game.position import index_of
from ludex.ir import program as p
from ludex.limits import MAX_DECISIONS
from ludex.syntax import ast

with extra("openspiel", "OpenSpiel"):
    import pyspiel

    from ludex.adapters.openspiel_observer import Memory, Observer

PREFIX = "ludex_"

_OWN = {"players": 0, "utility": "auto", "max_length": 0}
"""Parameters of every game: how many play (as few as may, if nobody says), `utility.Utility`, and after
how many decisions a game is given up as a tie (0: it is not)."""


class _Registered:
    """A definition under its name in OpenSpiel, and the games that were made of it."""

    def __init__(self, base: str, overlays: Iterable[str], name: str | None) -> None:
        self.definition = pipeline.read(base, overlays)
        parts = (self.definition.tree.name.text, *self.definition.resolved.overlays)
        self.name = PREFIX + "_".join(parts) if name is None else name
        self.sources = tuple(source.text for source in self.definition.resolved.sources)
        self._made: dict[tuple[tuple[str, Any], ...], _Made] = {}
        tree = self.definition.tree
        self.options = {_parameter(option): option for option in tree.options}
        self.usual = pipeline.make(self.definition, tree.players.usual)
        texts = dict(self.usual.definition.options)
        self.defaults: dict[str, Any] = {
            **_OWN,
            "players": tree.players.usual,
            **{name: _value(option, texts[option.name.text]) for name, option in self.options.items()},
        }

    def made(self, parameters: Mapping[str, Any]) -> _Made:
        """The game for some parameters; those not given are as by default. Raises `Failed`, ValueError."""
        key = tuple(sorted({**self.defaults, **parameters}.items()))
        if key not in self._made:
            self._made[key] = _Made(self, dict(key))
        return self._made[key]


class _Made:
    """A game for certain parameters, and what OpenSpiel asks about it."""

    def __init__(self, registered: _Registered, values: Mapping[str, Any]) -> None:
        definition = registered.definition
        changed = {
            option.name.text: values[name]
            for name, option in registered.options.items()
            if values[name] != registered.defaults[name]
        }
        players = int(values["players"])
        is_usual = players == registered.defaults["players"] and not changed
        game = registered.usual if is_usual else pipeline.make(definition, players, changed)
        self.key = (registered.name, tuple(values.items()))
        self.table = Table(game)
        self.worth = Worth(game, str(values["utility"]))
        found = census(self.table, self.worth)
        self.table.left_to_keep = MAX_KEPT if found is not None else 0
        self.length = int(values["max_length"]) or (_length(found) if found is not None else MAX_DECISIONS)
        self.is_bounded = found is None or self.length < found.decisions
        self.memory = Memory(self.table, found.steps) if found is not None else None
        if self.memory is not None and not self.memory.fits:
            self.memory = None
        self.start = self.table.start()
        tree = definition.tree
        self.type = _type(registered, self, (tree.players.lo, tree.players.hi), found)
        self.info = _info(self, found)


def _length(found: Census) -> int:
    """OpenSpiel takes it that there are no more chance events than decisions."""
    return max(found.decisions, found.chances, 1)


def _type(registered: _Registered, made: _Made, players: tuple[int, int], found: Census | None) -> Any:
    kind = pyspiel.GameType
    zero = made.worth.sums_to_zero or (found is not None and found.sums_to_zero)
    return kind(
        short_name=registered.name,
        long_name=made.table.game.definition.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC
        if made.table.outcomes.has_chance
        else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.IMPERFECT_INFORMATION
        if _hides_something(made.table)
        else kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if zero else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=players[1],
        min_num_players=players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=made.memory is not None,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=registered.defaults,
    )


def _hides_something(table: Table) -> bool:
    """Whether anybody may know what another does not. All see what goes into the box."""
    program, visibility = table.game.program, table.game.context.visibility
    sealed = any(isinstance(block.end, p.Simultaneous) for block in program.blocks)
    piles = any(kind.category == "pile" and kind.audience != "all" for kind in program.world.kinds)
    fields = (
        visibility.field_element(field, index_of(field, number)) != visibility.everybody
        for field in table.game.context.reader.state_fields()
        for number in range(field.count)
    )
    return sealed or piles or any(fields)


def _info(made: _Made, found: Census | None) -> Any:
    least = found.least if found is not None else made.worth.least
    greatest = found.greatest if found is not None else made.worth.greatest
    if made.is_bounded:  # a game that is given up is worth 0
        least, greatest = min(least, 0.0), max(greatest, 0.0)
    zero = made.worth.sums_to_zero or (found is not None and found.sums_to_zero)
    return pyspiel.GameInfo(
        num_distinct_actions=made.table.actions.size,
        max_chance_outcomes=made.table.outcomes.size,
        num_players=made.table.players,
        min_utility=least,
        max_utility=max(greatest, least + 1e-6),
        utility_sum=0.0 if zero else None,
        max_game_length=made.length,
    )


_registered: dict[str, _Registered] = {}
"""By their names: OpenSpiel has one list of games for a process, and forgets none."""


def register(base: str, overlays: Iterable[str] = (), *, name: str | None = None) -> str:
    """Makes a definition known to OpenSpiel; returns its name there (`ludex_emerald_variant_b`).

    `base` and `overlays` are as for `ludex.load`. Raises `Failed` with all that is wrong with the
    definition, ValueError if another one has that name.
    """
    made = _Registered(base, overlays, name)
    before = _registered.get(made.name)
    if before is not None:
        if before.sources != made.sources:
            raise ValueError(f"another definition is registered as {made.name}: give this one a `name`")
        return made.name
    kind = made.made({}).type
    _registered[made.name] = made
    pyspiel.register_game(kind, _factory(made.name))
    return made.name


def _factory(name: str) -> type:
    """What OpenSpiel calls to make a game. A class, as it keeps it until after Python has ended, where
    a function could not be freed any more."""

    class Factory:
        def __new__(cls, parameters: Mapping[str, Any] | None = None) -> Any:
            return LudexGame(name, parameters)

    return Factory


def load(
    base: str,
    overlays: Iterable[str] = (),
    players: int | None = None,
    options: Mapping[str, pipeline.OptionValue] | None = None,
    *,
    utility: str = "auto",
    max_length: int = 0,
) -> Any:
    """The game, registered as well, so that it can be saved: `register` and `pyspiel.load_game` in one."""
    name = register(base, overlays)
    parameters: dict[str, Any] = {"utility": utility, "max_length": max_length, **(options or {})}
    if players is not None:
        parameters["players"] = players
    defaults = _registered[name].defaults
    unknown = parameters.keys() - defaults.keys()
    if unknown:
        raise ValueError(f"{name} has no option `{min(unknown)}`: it has {', '.join(sorted(defaults))}")
    return pyspiel.load_game(name, {k: v for k, v in parameters.items() if v != defaults[k]})


def _parameter(option: ast.OptionDecl) -> str:
    """An option's name, unless a parameter of every game is called so."""
    return f"option_{option.name.text}" if option.name.text in _OWN else option.name.text


def _value(option: ast.OptionDecl, text: str) -> bool | int | str:
    match option.type.base:
        case ast.EnumType():
            return text
        case (ast.Ident("bool"),):
            return text == "true"
        case _:
            return int(text)


class LudexGame(pyspiel.Game):  # type: ignore[misc]
    """A game of OpenSpiel. `ludex_game` is what `ludex.load` would give."""

    def __init__(self, name: str, parameters: Mapping[str, Any] | None = None) -> None:
        self.made = _registered[name].made(parameters or {})
        super().__init__(self.made.type, self.made.info, dict(parameters or {}))

    @property
    def ludex_game(self) -> Any:
        return self.made.table.game

    def new_initial_state(self) -> LudexState:
        return LudexState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        return Observer(self.made.table, self.made.memory, iig_obs_type, params)


class LudexState(pyspiel.State):  # type: ignore[misc]
    """A state of OpenSpiel. `ludex_state` is the same position of the API, with log, history and views."""

    def __init__(self, game: LudexGame) -> None:
        super().__init__(game)
        self._spot = _Spot(game.made, game.made.start)

    @property
    def at(self) -> Position:
        return self._spot.position

    @property
    def ludex_state(self) -> Any:
        return self.at.state

    @property
    def _is_given_up(self) -> bool:
        """Where one more decision would be too many: chance events after the last of them still happen."""
        return self.at.decisions >= self._spot.made.length and bool(self.at.deciding)

    def current_player(self) -> Any:
        if self.at.is_over or self._is_given_up:
            return pyspiel.PlayerId.TERMINAL
        return pyspiel.PlayerId.CHANCE if self.at.is_chance else self.at.deciding[0]

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.at.legal(player))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(number, probability) for number, probability, _ in self.at.outcomes()]

    def _apply_action(self, action: int) -> None:
        at = self.at
        following = at.resolved(action) if at.is_chance else at.after(action, at.deciding[0])
        self._spot = _Spot(self._spot.made, following)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return self.at.outcome_text(action)
        return self._spot.made.table.actions.text(action)

    def is_terminal(self) -> bool:
        return self.at.is_over or self._is_given_up

    def returns(self) -> list[float]:
        if not self.at.is_over:
            return [0.0] * self._spot.made.table.players
        return self._spot.made.worth.of(self._spot.made.table.machine, self.at.words)

    def __str__(self) -> str:
        """What the player who decides sees, or the first; and the hash of the position, so that only equal
        positions are the same text."""
        table = self._spot.made.table
        seat = self.at.deciding[0] if self.at.deciding else 0
        hash = hashlib.sha256(table.machine.pack(self.at.words)).hexdigest()[:16]
        return f"{self.at.text(seat)}; position {hash}"


class _Spot:
    """A position of a game, as OpenSpiel copies and saves it: by what was played."""

    __slots__ = ("made", "position")

    def __init__(self, made: _Made, position: Position) -> None:
        self.made = made
        self.position = position

    def __deepcopy__(self, memo: object) -> _Spot:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _replayed, (*self.made.key, tuple(at.number for at in self.position.path()))


def _replayed(name: str, parameters: tuple[tuple[str, Any], ...], numbers: tuple[int, ...]) -> _Spot:
    made = _registered[name].made(dict(parameters))
    at = made.start
    for number in numbers:
        at = at.resolved(number) if at.is_chance else at.after(number, at.deciding[0])
    return _Spot(made, at)
