"""The API everybody plays through: games, states, actions, observations, saves, in names.

It wraps a back end (`backends.machine.Machine`), which knows only numbers, in entity names,
rule names and types, and it is the one place that decides what a player may see
(`visibility`, `observation`, `log`, `knowledge`). May import: `source`, `diagnostics`,
`limits`, `rng`, `typed`, `ir`, `backends.machine`.
"""

from ludex.game.actions import Action, Chance, Decision, Simultaneous, Turn
from ludex.game.api import Game
from ludex.game.definition import DefinitionInfo
from ludex.game.explain import Explanation, FailedCondition
from ludex.game.faults import IllegalAction, RuleFault
from ludex.game.history import Record
from ludex.game.knowledge import Known
from ludex.game.log import LogLine
from ludex.game.observation import FieldView, Observation, PlaceView, ScoreLineView, Scores
from ludex.game.playout import Playout
from ludex.game.save import Divergence, dry_run, export_save, read_header, read_save, write_save
from ludex.game.save_file import SaveHeader
from ludex.game.state import State

__all__ = [
    "Action",
    "Chance",
    "Decision",
    "DefinitionInfo",
    "Divergence",
    "Explanation",
    "FailedCondition",
    "FieldView",
    "Game",
    "IllegalAction",
    "Known",
    "LogLine",
    "Observation",
    "PlaceView",
    "Playout",
    "Record",
    "RuleFault",
    "SaveHeader",
    "ScoreLineView",
    "Scores",
    "Simultaneous",
    "State",
    "Turn",
    "dry_run",
    "export_save",
    "read_header",
    "read_save",
    "write_save",
]
