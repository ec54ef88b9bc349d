"""The sections that say what happens: define, procedures, actions, phases, end, ranking.

May import: `document`, `ast`, `codes_dsl`, `dsl`, `sections_base`.
"""

from __future__ import annotations

from ludex.syntax import ast, dsl
from ludex.syntax.document import Entry, Mapping, Node
from ludex.syntax.sections_base import Slots, is_null, key_ident


def define(slots: Slots, entry: Entry) -> ast.Define | None:
    """`name(KIND x): EXPR`."""
    signature = dsl.parse_signature(entry.key, slots.report)
    condition = slots.condition(key_ident(entry), entry.value, "a definition")
    if signature is None or condition is None:
        return None
    return ast.Define(
        signature.name, signature.params, condition.expr, condition.provenance, condition.span
    )


def procedure(slots: Slots, entry: Entry) -> ast.Procedure | None:
    """`name(KIND x):` with `{do: steps, cite, note}`, bare named steps, or one text."""
    signature = dsl.parse_signature(entry.key, slots.report)
    node = entry.value
    steps_entry = entry
    if isinstance(node, Mapping) and (do := node.entry("do")) is not None:
        steps_entry = do
    steps = slots.steps(steps_entry)
    if signature is None:
        return None
    if steps_entry is entry and not isinstance(node, Mapping):
        steps = tuple(
            ast.Step(signature.name, step.body, step.provenance, step.span) for step in steps
        )
    long = steps_entry is not entry
    provenance = slots.provenance(node) if long else ast.Provenance()
    return ast.Procedure(
        signature.name, signature.params, steps, provenance, entry.key.span.to(node.span)
    )


def action(slots: Slots, entry: Entry) -> ast.Action | None:
    """`{label, given, choose, let, where, do, cite, note}`."""
    name = slots.ident(entry.key, "the name of an action")
    if name is None:
        return None
    node = entry.value
    span = name.span.to(node.span)
    if not isinstance(node, Mapping):
        slots.wrong(node, "an action is a mapping with `do` and others", f"`{name}: {{do: …}}`")
        return None
    return ast.Action(
        name=name,
        label=slots.text(node.get("label"), "a label"),
        given=_given(slots, node.get("given")),
        choose=_choose(slots, node.get("choose")),
        let=_let(slots, node.get("let")),
        where=slots.conditions(node.entry("where")),
        steps=slots.steps(node.entry("do")),
        provenance=slots.provenance(node),
        span=span,
    )


def _given(slots: Slots, node: Node | None) -> tuple[ast.Param, ...]:
    params: list[ast.Param] = []
    for entry in slots.entries(node, "`given`"):
        name = slots.ident(entry.key, "the name of a parameter")
        type_ref = slots.type_ref(entry.value)
        if name is not None and type_ref is not None:
            params.append(ast.Param(type_ref, name, name.span.to(entry.value.span)))
    return tuple(params)


def _choose(slots: Slots, node: Node | None) -> tuple[ast.ChooseParam, ...]:
    params: list[ast.ChooseParam] = []
    for entry in slots.entries(node, "`choose`"):
        name = slots.ident(entry.key, "the name of a choice")
        scalar = slots.scalar(entry.value, "what to choose from")
        domain = None if scalar is None else dsl.parse_domain(scalar, slots.report)
        if name is None or domain is None:
            continue
        if domain.binder is not None or domain.where is not None:
            slots.wrong(
                entry.value,
                "the conditions of a choice stand under `where`",
                "write the kind or the set alone here",
            )
            continue
        span = name.span.to(entry.value.span)
        params.append(ast.ChooseParam(name, domain.expr, domain.optional, span))
    return tuple(params)


def _let(slots: Slots, node: Node | None) -> tuple[ast.LetParam, ...]:
    params: list[ast.LetParam] = []
    for entry in slots.entries(node, "`let`"):
        name = slots.ident(entry.key, "the name of a value")
        value = slots.expr(entry.value, "a value")
        if name is not None and value is not None:
            params.append(ast.LetParam(name, value, name.span.to(entry.value.span)))
    return tuple(params)


def end_conditions(slots: Slots, node: Node | None) -> tuple[ast.EndCondition, ...]:
    """`NAME: EXPR` or `NAME: {is: EXPR, winner: EXPR, cite: …}`."""
    found: list[ast.EndCondition] = []
    for entry in slots.entries(node, "`end`"):
        condition = slots.condition(key_ident(entry), entry.value)
        winner = None
        if isinstance(entry.value, Mapping):
            winner = slots.optional_expr(entry.value.get("winner"), "`winner`")
        if condition is not None:
            found.append(
                ast.EndCondition(
                    condition.name, condition.expr, winner, condition.provenance, condition.span
                )
            )
    return tuple(found)


def phases(slots: Slots, node: Node | None) -> tuple[ast.Phase, ...]:
    return tuple(_phase(slots, entry) for entry in slots.entries(node, "`phases`"))


def _phase(slots: Slots, entry: Entry) -> ast.Phase:
    node = entry.value
    if not isinstance(node, Mapping):
        if not is_null(node):
            slots.wrong(node, "a phase is a mapping with `do`, `turns`, `until` and others")
        node = Mapping((), node.span)
    return ast.Phase(
        name=key_ident(entry),
        when=slots.conditions(node.entry("when")),
        begin=slots.steps(node.entry("begin")),
        each_round=slots.steps(node.entry("each_round")),
        turns=slots.optional_expr(node.get("turns"), "`turns`"),
        where=slots.conditions(node.entry("where")),
        do=slots.steps(node.entry("do")),
        finish=slots.steps(node.entry("finish")),
        until=slots.conditions(node.entry("until")),
        rounds=slots.optional_expr(node.get("rounds"), "`rounds`"),
        repeat=slots.optional_expr(node.get("repeat"), "`repeat`"),
        repeat_until=slots.conditions(node.entry("repeat_until")),
        phases=phases(slots, node.get("phases")),
        end=end_conditions(slots, node.get("end")),
        provenance=slots.provenance(node),
        span=entry.key.span.to(entry.value.span),
    )


def ranking(slots: Slots, entry: Entry | None) -> tuple[ast.RankingKey, ...]:
    """`NAME: most EXPR` or `least EXPR`, in long form `{is: most EXPR, cite: …}`."""
    if entry is None or is_null(entry.value):
        return ()
    node = entry.value
    lines = node.entries if isinstance(node, Mapping) else (entry,)
    found: list[ast.RankingKey] = []
    for line in lines:
        value: Node | None = line.value
        if isinstance(line.value, Mapping):
            value = line.value.get("is")
        if value is None:
            slots.wrong(line.value, "a line of the ranking is `most EXPR` or `least EXPR`")
            continue
        scalar = slots.scalar(value, "a line of the ranking")
        key = None if scalar is None else dsl.parse_ranking(scalar, slots.report)
        if key is not None:
            span = line.key.span.to(line.value.span)
            provenance = slots.provenance(line.value)
            found.append(ast.RankingKey(key_ident(line), key.most, key.expr, provenance, span))
    return tuple(found)
