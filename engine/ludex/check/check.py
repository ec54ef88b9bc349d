"""One function from an `ast.Game`, a player count and option values to a `typed.Game`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ludex import limits
from ludex.check import build, codes
from ludex.check.calls import signature
from ludex.check.context import (
    ActionSymbol,
    Context,
    DefineSymbol,
    DiagramSymbol,
    Env,
    ProcedureSymbol,
    RecordSymbol,
    StateSymbol,
    TrackSymbol,
)
from ludex.check.declarations import (
    attempt,
    declare_components,
    declare_constants,
    declare_options,
    declare_players,
    declare_state,
    declare_types,
    value_bounds,
)
from ludex.check.evaluate import NotConstant, bits
from ludex.check.expressions import Wrong, entity, kind_attribute
from ludex.check.finish import finish
from ludex.check.phases import end_tests, phases, rankings, scorings, tests
from ludex.check.statements import steps
from ludex.check.survey import survey
from ludex.check.views import view
from ludex.diagnostics import Failed, Report
from ludex.source import NOWHERE
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import EntityType
from ludex.typed.world import World

PLAYER = EntityType(("player",))


def check(game: ast.Game, players: int, options: Mapping[str, str], report: Report) -> typed.Game:
    """The typed game. Raises `Failed` if anything is wrong; warnings go to the report."""
    cx = Context(game, report, players, options)
    if not game.players.lo <= players <= game.players.hi:
        cx.error(
            codes.BAD_PLAYERS, f"{game.title} is for {game.players.lo} to {game.players.hi} players, not {players}",
            game.players.span,
        )
        raise Failed(report.found)
    survey(cx)
    try:
        made = _check(cx)
    except Wrong:
        raise Failed(report.found) from None
    report.stop_on_errors()
    return made


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


def _assigned_attributes(cx: Context) -> list[typed.StateVariable]:
    """Fields of pieces that some statement assigns become state, starting at their constant."""
    made = []
    names = {s.name.text for s in cx.game.state} | {d.name.text for d in cx.game.defines}
    for kind in list(cx.kinds.values()):
        for a in kind.attributes:
            if (kind.name, a.name) not in cx.assigned or a.name in names or a.name.startswith("@"):
                continue
            var = cx.new_var("it", EntityType((kind.name,)))
            cx.assigned.discard((kind.name, a.name))
            start = kind_attribute(cx, var, EntityType((kind.name,)), a.name, kind.span)
            cx.assigned.add((kind.name, a.name))
            assert start is not None
            t = a.type
            if isinstance(t, EntityType):
                lo, hi = value_bounds(cx, t)
            else:
                lo, hi = t.lo, t.hi
            v = typed.StateVariable(
                f"{kind.name}.{a.name}", ((kind.name, kind.base, kind.count),), t, lo, hi, "all", None, "game",
                (var.id,), start,
            )
            cx.symbols[v.name] = StateSymbol(v, kind.span)
            made.append(v)
    return made


def _check(cx: Context) -> typed.Game:
    game = cx.game
    _declare(cx)
    state = _assigned_attributes(cx)
    state += declare_state(cx)
    for d in game.defines:
        attempt(lambda d=d: signature(cx, d, d.span) and None)  # type: ignore[misc]
    starts = _starts(cx)
    outside = Env(tested=False)
    cx.in_setup = True
    setup = steps(cx, "setup", game.setup, outside)
    cx.in_setup = False
    active = cx.new_var("active", PLAYER)
    if not game.phases:
        cx.error(codes.NO_PHASES, "the game has no phases", game.span)
    played = phases(cx, game.phases, "phases", active)
    end = end_tests(cx, game.end, "end", active)
    scoring = scorings(cx, game.scoring)
    ranking = rankings(cx, game.ranking)
    payoff = None
    if game.payoff is not None:
        from ludex.check.expressions import integer

        me = cx.new_var("me", PLAYER)
        try:
            payoff = typed.Scored(-1, me.id, integer(cx, game.payoff, Env(me=me)))
        except Wrong:
            payoff = None
    records = _records(cx)
    invariants = tests(cx, game.invariants, "invariants", "invariant", Env())
    viewer = cx.new_var("me", EntityType(("player",)))
    panels, glyphs = view(cx, game.view, viewer)
    games = 1
    if game.match is not None:
        from ludex.check.constants import integer_constant

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
        world=_world(cx),
        tables=tuple(cx.tables.values()),
        variables=tuple(cx.variables),
        functions=tuple(cx.functions.values()),
        atomics=tuple(cx.atomics.values()),
        units=units,
        rules=tuple(cx.rules),
        sites=tuple(cx.sites),
        state=(*state, *cx.extra_state),
        starts=starts,
        setup=setup,
        phases=played,
        end=end,
        scoring=scoring,
        ranking=ranking,
        payoff=payoff,
        records=records,
        invariants=invariants,
        panels=panels,
        glyphs=glyphs,
        viewer=viewer.id,
        active=active.id,
        games=games,
    )


def _starts(cx: Context) -> tuple[typed.Start, ...]:
    """Where every piece, card and token begins."""
    made: list[typed.Start] = []
    box = cx.kinds["box"].base
    for kind in list(cx.kinds.values()):
        if kind.is_movable:
            for i, place in zip(kind.ids, _places(cx, kind.name), strict=True):
                made.append(typed.Start(i, place or box, 1))
        elif kind.category == "token":
            decl = next(c for c in cx.game.components if c.name.text == kind.name)
            counts = _token_counts(cx, decl, kind.name)
            for i, place, n in zip(kind.ids, _places(cx, kind.name), counts, strict=True):
                made.append(typed.Start(i, place or box, n))
    return tuple(made)


UNLIMITED_TOKENS = 1 << 16
"""How many tokens of a face the box holds where no count is given."""


def _token_counts(cx: Context, decl: ast.ComponentDecl, kind: str) -> list[int]:
    from ludex.check.constants import integer_constant, key_value

    k = cx.kinds[kind]
    if decl.count is None:
        return [UNLIMITED_TOKENS] * k.count
    if not isinstance(decl.count, ast.By):
        try:
            n = integer_constant(cx, decl.count, "a count", 0, UNLIMITED_TOKENS)
        except Wrong:
            n = 0
        return [n] * k.count
    selector = decl.count.selector
    name = selector.id if isinstance(selector, ast.Name) else ""
    field = k.attribute(name) or k.attribute("owner")
    if field is None:
        return [0] * k.count
    result = []
    for v in field.values:
        n = 0
        for key, case in decl.count.cases:
            if key_value(cx, key, field.type) == v:
                n = integer_constant(cx, case, "a count", 0, UNLIMITED_TOKENS)
                break
        else:
            if decl.count.otherwise is not None:
                n = integer_constant(cx, decl.count.otherwise, "a count", 0, UNLIMITED_TOKENS)
            else:
                cx.error(codes.MISSING_CASE, f"the count of `{kind}` misses a case", decl.count.span)
        result.append(n)
    return result


def _places(cx: Context, kind: str) -> list[int]:
    k = cx.kinds[kind]
    if kind not in cx.starts:
        return [0] * k.count
    node, fields = cx.starts[kind]
    env = Env()
    variables = []
    for f in fields:
        a = k.attribute(f)
        assert a is not None
        var = cx.new_var(f, a.type)
        variables.append((var.id, a))
        env = env.bind(f, var)
    try:
        e = entity(cx, node, env)
    except Wrong:
        return [0] * k.count
    assert isinstance(e.type, EntityType)
    if not all(cx.kinds[p].is_location for p in e.type.kinds):
        cx.error(codes.BAD_COMPONENT, f"`{kind}` cannot start there: it is no place", node.span)
        return [0] * k.count
    result = []
    for i in range(k.count):
        try:
            result.append(cx.evaluator.value(e, {v: a.values[i] for v, a in variables}))
        except NotConstant:
            cx.error(codes.CONSTANT_NEEDED, f"where `{kind}` starts must be constant", node.span)
            return [0] * k.count
    return result


def _records(cx: Context) -> tuple[typed.RecordDecl, ...]:
    from ludex.check.calls import call_values
    from ludex.check.constants import integer_constant
    from ludex.check.expressions import plain

    made = []
    for r in cx.game.records:
        parts: list[tuple[tuple[x.Binding, ...], x.Expr]] = []
        try:
            keep = integer_constant(cx, r.keep, "how many are kept", 1, limits.MAX_RECORDED_POSITIONS)
            for n in r.of:
                symbol = cx.symbols.get(n.text)
                if isinstance(symbol, DefineSymbol):
                    params = signature(cx, symbol.decl, n.span).params
                elif isinstance(symbol, StateSymbol):
                    params = tuple(
                        EntityType(tuple(k.split(" or "))) for k, _, _ in symbol.variable.dims if k is not None
                    )
                else:
                    cx.unknown(n.text, n.span, set(cx.symbols), "definition or state")
                    continue
                bindings, args = [], []
                for t in params:
                    assert isinstance(t, EntityType)
                    var = cx.new_var("it", t)
                    bindings.append(x.Binding(var.id, x.SetDomain(cx.kind_set(t.kinds))))
                    args.append((var, n.span))
                me = x.Load("active", (), PLAYER, -1)
                e = call_values(cx, n.text, n.span, args, Env(me=me), n.span)  # type: ignore[arg-type]
                parts.append((tuple(bindings), plain(cx, e, ast.Name(n.text, n.span))))
        except Wrong:
            continue
        made.append(typed.RecordDecl(r.name.text, tuple(parts), keep))
    return tuple(made)


def _world(cx: Context) -> World:
    """Kinds and names; which copies no rule tells apart."""
    copies = list(range(len(cx.names)))
    faces = list(cx.names)
    for kind in cx.kinds.values():
        if not kind.is_movable or kind.name in cx.copies_read:
            continue
        seen: dict[tuple[int, ...], int] = {}
        columns = [a for a in kind.attributes if a.name not in ("n", "number", "@faces")]
        for i in kind.ids:
            key = tuple(a.values[i - kind.base] for a in columns)
            copies[i] = seen.setdefault(key, i)
        if "n" in kind.fields and len(seen) < kind.count:
            shown = [a for a in kind.attributes if a.name in kind.fields and a.name != "n"]
            for i in kind.ids:
                parts = []
                for a in shown:
                    v = a.values[i - kind.base]
                    parts.append(cx.names[v] if isinstance(a.type, EntityType) else str(v))
                if cx.names[i].startswith(f"{kind.name}(") or not cx.names[i].isidentifier():
                    faces[i] = f"{kind.name}({', '.join(parts)})" if parts else kind.name
    tracks = tuple(s.track for s in cx.symbols.values() if isinstance(s, TrackSymbol))
    return World(tuple(cx.kinds.values()), tuple(cx.names), tuple(copies), tuple(faces), tracks)


__all__ = ["NOWHERE", "bits", "build", "check", "replace"]
