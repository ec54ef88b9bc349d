"""Checks over the whole game once everything is typed: what is never offered, never used,
and whether the register of ambiguities and the citations agree with the rest."""

from __future__ import annotations

from ludex.check import codes
from ludex.check.arithmetic import bits
from ludex.check.citations import citations
from ludex.check.constants import constant_value
from ludex.check.context import Context, Env
from ludex.check.elaborated import Wrong
from ludex.check.symbols import KindSymbol
from ludex.check.type_refs import param_type
from ludex.check.units import unit
from ludex.diagnostics import did_you_mean
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed.types import EntityType


def finish(cx: Context) -> None:
    _offers(cx)
    _never_run(cx)
    if not cx.report.errors:  # a name may be unused because its use is misspelt
        _unused(cx)
    citations(cx)
    _register(cx)


def _offers(cx: Context) -> None:
    """Offered anywhere in the text counts, also in procedures that the options leave unused."""
    names = {a.name.text for a in cx.game.actions}
    if cx.offered - names - {"pass", "stop"}:
        return  # a misspelt offer has been reported, and may be the one that is missing
    for a in cx.game.actions:
        if a.name.text not in cx.offered and a.name.text not in cx.failed:
            cx.error(
                codes.NOT_OFFERED,
                f"no `act` ever offers `{a.name}`",
                a.name.span,
                f"offer it in a phase: `act {a.name}`",
            )


def _never_run(cx: Context) -> None:
    """What nothing runs is checked as well, and left out of the program."""
    for p in cx.game.procedures:
        if p.name.text in cx.used:
            continue
        units, index = len(cx.units), dict(cx.unit_index)
        me = cx.new_var("me", EntityType(("player",)))
        try:
            params = [(q.name.text, param_type(cx, q.type)) for q in p.params]
            unit(cx, "procedures", p.name.text, params, p.steps, Env(me=me), p.span)
        except Wrong:
            pass
        del cx.units[units:]
        cx.unit_index.clear()
        cx.unit_index.update(index)


def _unused(cx: Context) -> None:
    used = cx.used | cx.mentioned
    groups: tuple[tuple[str, tuple[ast.Ident, ...]], ...] = (
        ("space", tuple(s.name for s in cx.game.spaces)),
        ("component", tuple(c.name for c in cx.game.components)),
        ("pile", tuple(p.name for p in cx.game.piles)),
        ("die", tuple(d.name for d in cx.game.dice)),
        ("state item", tuple(s.name for s in cx.game.state)),
        ("option", tuple(o.name for o in cx.game.options)),
        ("procedure", tuple(p.name for p in cx.game.procedures)),
    )
    for what, names in groups:
        for n in names:
            if n.text not in used and not _members_used(cx, n.text, used):
                cx.report.add(
                    codes.UNUSED,
                    f"the {what} `{n}` is never used",
                    n.span,
                    help="use it in a rule, or remove it",
                )


def _members_used(cx: Context, name: str, used: set[str]) -> bool:
    symbol = cx.symbols.get(name)
    if isinstance(symbol, KindSymbol) and name in cx.kinds:
        return any(cx.names[i] in used for i in bits(cx.kinds[name].mask))
    return False


def _register(cx: Context) -> None:
    options = {o.name.text: o for o in cx.game.options}
    for a in cx.game.ambiguities:
        names = {r.name.text for r in a.readings}
        if a.chosen.text not in names:
            cx.error(
                codes.BAD_READING,
                f"`{a.chosen}` is not one of the readings of “{a.name}”",
                a.chosen.span,
                did_you_mean(a.chosen.text, names),
            )
        for r in a.readings:
            for option, value in r.options:
                decl = options.get(option.text)
                if decl is None:
                    cx.error(
                        codes.BAD_READING,
                        f"there is no option `{option}`",
                        option.span,
                        did_you_mean(option.text, options),
                    )
                    continue
                try:
                    wanted, default = constant_value(cx, value), constant_value(cx, decl.default)
                except Wrong:
                    continue
                assert isinstance(wanted, x.Const) and isinstance(default, x.Const)
                if isinstance(decl.type.base, ast.EnumType):
                    allowed = {m.text for m in decl.type.base.members}
                    if cx.names[wanted.value] not in allowed:
                        cx.error(
                            codes.BAD_READING,
                            f"`{value.span.text}` is not a value of `{option}`",
                            value.span,
                            did_you_mean(value.span.text, allowed),
                        )
                        continue
                if r.name.text == a.chosen.text and wanted.value != default.value:
                    cx.error(
                        codes.BAD_READING,
                        f"“{a.name}” chooses “{a.chosen}”, "
                        f"but the default of `{option}` plays another reading",
                        a.chosen.span,
                        "change `chosen` or the default so that they agree",
                        other=(decl.default.span, "the default is set here"),
                    )
