"""A definition's document to the tree of its game: every section read, every text parsed.

Names are not looked up here. What is wrong is reported and left out, so that all mistakes of
a file are found in one go; callers go on to checking only if the report holds no errors.

May import: `diagnostics`, `document`, `ast`, `codes_dsl`, `dsl`, `sections_*`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ludex.diagnostics import Report
from ludex.syntax import ast
from ludex.syntax import sections_about as about
from ludex.syntax import sections_rules as rules
from ludex.syntax import sections_world as world
from ludex.syntax.document import Entry, Mapping, Node
from ludex.syntax.sections_base import Slots, key_ident

T = TypeVar("T")


def parse_game(document: Mapping, report: Report) -> ast.Game | None:
    """The game that a definition describes, overlays already applied.

    None if it has no usable name or number of players. Otherwise the game without the rules
    that were reported: of use to an editor, not to be run.
    """
    slots = Slots(report)
    game = document.get("game")
    name = None if game is None else slots.ident(game, "the name of the game")
    players = about.players(slots, document.get("players"))
    for key, value in (("game", game), ("players", document.get("players"))):
        if value is None:
            slots.wrong(document, f"`{key}` is missing")

    def each(node: Node | None, key: str, read: Callable[[Slots, Entry], T | None]) -> tuple[T, ...]:
        found = (read(slots, entry) for entry in slots.entries(node, f"`{key}`"))
        return tuple(item for item in found if item is not None)

    def section(key: str, read: Callable[[Slots, Entry], T | None]) -> tuple[T, ...]:
        return each(document.get(key), key, read)

    parts = {entry.name: entry.value for entry in slots.entries(document.get("components"), "`components`")}

    def components(key: str, read: Callable[[Slots, Entry], T | None]) -> tuple[T, ...]:
        return each(parts.get(key), key, read)

    def things(key: str, category: str) -> tuple[ast.ComponentDecl, ...]:
        return components(key, lambda s, e: world.component(s, e, category))

    ambiguities = document.get("ambiguities")
    doubts = tuple(slots.entries(ambiguities, "`ambiguities`"))
    found = (about.ambiguity(slots, entry) for entry in doubts if entry.name != "settled")
    answered = ambiguities.get("settled") if isinstance(ambiguities, Mapping) else None
    entry = document.entry("payoff")
    payoff = None if entry is None else slots.condition(key_ident(entry), entry.value, "`payoff`")

    title = slots.text(document.get("title"), "the title")
    tree = ast.Game(
        name=name or ast.Ident("", document.span),
        title=title or (name.text if name is not None else ""),
        players=players or ast.Players(0, 0, 0, (), document.span),
        sources=section("sources", about.source),
        options=section("options", about.option),
        ambiguities=tuple(ambiguity for ambiguity in found if ambiguity is not None),
        settled=about.settled(slots, answered),
        types=section("types", world.type_decl),
        constants=section("constants", world.constant),
        spaces=components("spaces", world.space),
        tracks=components("tracks", world.track),
        components=things("pieces", "piece") + things("tokens", "token") + things("cards", "card"),
        dice=components("dice", world.die),
        piles=components("piles", world.pile),
        state=section("state", world.state),
        defines=section("define", rules.define),
        setup=slots.steps(slots.named(document.entry("setup"))),
        phases=rules.phases(slots, document.get("phases")),
        procedures=section("procedures", rules.procedure),
        actions=section("actions", rules.action),
        end=rules.end_conditions(slots, document.get("end")),
        scoring=slots.conditions(slots.named(document.entry("scoring")), "a line of the scoring"),
        ranking=rules.ranking(slots, document.entry("ranking")),
        payoff=payoff.expr if payoff is not None else None,
        heuristic=about.heuristic(slots, document.entry("heuristic")),
        match=about.match(slots, document.get("match")),
        records=section("records", about.record),
        diagrams=section("diagrams", about.diagram),
        invariants=slots.conditions(slots.named(document.entry("invariants")), "an invariant"),
        view=about.view(slots, document.get("view")),
        span=document.span,
    )
    return tree if name is not None and players is not None else None
