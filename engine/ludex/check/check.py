"""One function from an `ast.Game`, a player count and option values to a `typed.Game`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress

from ludex import limits
from ludex.check import codes
from ludex.check.coercions import integer
from ludex.check.components import declare_components
from ludex.check.constant_tables import force
from ludex.check.constants import integer_constant
from ludex.check.context import Context, Env
from ludex.check.declarations import declare_constants, declare_options, declare_players, declare_types
from ludex.check.definitions import signature
from ludex.check.elaborated import TooMuch, Wrong
from ludex.check.expressions import expression
from ludex.check.finish import finish
from ludex.check.phases import end_tests, phases, rankings, scorings, tests, within
from ludex.check.records import records
from ludex.check.state_items import assigned_attributes, declare_state
from ludex.check.statements import statement
from ludex.check.survey import Survey, survey
from ludex.check.symbols import (
    ActionSymbol,
    DefineSymbol,
    DiagramSymbol,
    LazySymbol,
    ProcedureSymbol,
    RecordSymbol,
)
from ludex.check.views import view
from ludex.check.world import starts, world
from ludex.diagnostics import Failed, Report
from ludex.syntax import ast
from ludex.typed import game as typed
from ludex.typed.types import PLAYER, EntityType


def check(
    game: ast.Game,
    players: int,
    options: Mapping[str, str],
    report: Report,
    known: Survey | None = None,
) -> typed.Game:
    """The typed game. Raises `Failed` if anything is wrong; warnings go to the report.

    Whoever checks a game for several numbers of players makes its survey once, and passes it.
    """
    cx = Context(game, report, players, options, expression, statement)
    if not game.players.lo <= players <= game.players.hi:
        cx.error(
            codes.BAD_PLAYERS,
            f"{game.title} is for {game.players.lo} to {game.players.hi} players, not {players}",
            game.players.span,
        )
        raise Failed(report.found)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), limits.MAX_FRAMES))
    seen = known or survey(game)
    cx.nodes = seen.nodes
    cx.cites = seen.cites
    cx.templates = seen.templates
    cx.shuffled.update(seen.shuffled)
    cx.ordered.update(seen.ordered)
    cx.assigned.update(seen.assigned)
    cx.mentioned = seen.mentioned
    cx.offered.update(seen.offered)
    try:
        made = _check(cx)
    except (Wrong, TooMuch, Failed):
        _explain_exhaustion(cx)
        raise Failed(report.found) from None
    report.stop_on_errors()
    return made


def _explain_exhaustion(cx: Context) -> None:
    """What has no value because the steps for working it out are used up is reported as that."""
    if cx.budget.left < 0:
        message = f"its constants and tables take more than {limits.MAX_LOAD_STEPS} steps to work out"
        help = "let the rules compute it when it is needed"
        cx.report.add(codes.TOO_LARGE, message, cx.game.span, help=help)


def _declare(cx: Context) -> None:
    game = cx.game
    declare_players(cx)
    for d in game.defines:
        cx.declare(d.name.text, DefineSymbol(d, d.name.span))
    declare_constants(cx)
    declare_options(cx)
    declare_types(cx)
    declare_components(cx)
    for a in game.actions:
        cx.declare(a.name.text, ActionSymbol(a, a.name.span))
    for p in game.procedures:
        cx.declare(p.name.text, ProcedureSymbol(p, p.name.span))
    for r in game.records:
        cx.declare(r.name.text, RecordSymbol(r, r.name.span))
    for g in game.diagrams:
        cx.declare(g.name.text, DiagramSymbol(g, g.name.span))


def _payoff(cx: Context) -> typed.Scored | None:
    expr = cx.game.payoff
    if expr is None:
        return None
    me = cx.new_var("me", PLAYER)
    try:
        return typed.Scored(-1, me.id, integer(cx, expr, Env(me=me)))
    except Wrong:
        return None


def _heuristic(cx: Context) -> typed.Heuristic | None:
    declared = cx.game.heuristic
    if declared is None:
        return None
    me, horizon = cx.new_var("me", PLAYER), limits.MAX_DECISIONS
    try:
        value = integer(cx, declared.expr, Env(me=me))
        if declared.horizon is not None:
            horizon = integer_constant(cx, declared.horizon, "the horizon", 1, limits.MAX_DECISIONS)
    except Wrong:
        return None
    return typed.Heuristic(me.id, value, horizon)


def _check(cx: Context) -> typed.Game:
    game = cx.game
    _declare(cx)
    state = assigned_attributes(cx)
    state += declare_state(cx)
    for c in game.constants:
        if isinstance(cx.symbols.get(c.name.text), LazySymbol):
            with suppress(Wrong):
                force(cx, c.name.text)
    for d in game.defines:
        with suppress(Wrong):
            signature(cx, d, d.span)
    begun = starts(cx)
    outside = Env(tested=False)
    cx.in_setup = True
    setup = within(cx, "setup", game.setup, outside, ())
    cx.in_setup = False
    active = cx.new_var("active", PLAYER)
    if not game.phases:
        cx.error(codes.NO_PHASES, "the game has no phases", game.span)
    played = phases(cx, game.phases, "phases", active)
    end = end_tests(cx, game.end, "end", active)
    scoring = scorings(cx, game.scoring)
    ranking = rankings(cx, game.ranking)
    payoff, heuristic = _payoff(cx), _heuristic(cx)
    recorded = records(cx)
    invariants = tests(cx, game.invariants, "invariants", "invariant", Env())
    viewer = cx.new_var("me", EntityType(("player",)))
    panels, glyphs = view(cx, game.view, viewer)
    games = 1
    if game.match is not None:
        try:
            games = integer_constant(cx, game.match.games, "the number of games", 1, limits.MAX_MATCH_GAMES)
        except Wrong:
            games = 1
    finish(cx)
    cx.report.stop_on_errors()
    units = tuple(u for u in cx.units if u is not None)
    return typed.Game(
        name=game.name.text,
        title=game.title,
        players=cx.players,
        world=world(cx),
        tables=tuple(cx.tables.values()),
        variables=tuple(cx.variables),
        functions=tuple(f for f in cx.functions.values() if f.name in cx.applied),
        atomics=tuple(cx.atomics.values()),
        units=units,
        rules=tuple(cx.rules),
        sites=tuple(cx.sites),
        state=(*state, *cx.extra_state),
        starts=begun,
        setup=setup,
        phases=played,
        end=end,
        scoring=scoring,
        ranking=ranking,
        payoff=payoff,
        heuristic=heuristic,
        records=recorded,
        invariants=invariants,
        panels=panels,
        glyphs=glyphs,
        viewer=viewer.id,
        faces=cx.faces_read,
        active=active.id,
        games=games,
    )
