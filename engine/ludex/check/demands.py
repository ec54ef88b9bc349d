"""What a decision demands: that all it depends on is seen by the player who decides.

A decision in a procedure or action may depend on its parameters, or on whether it is run at all.
That is known at each place from which it is run, and checked there.
"""

from __future__ import annotations

from ludex.check import codes
from ludex.check.audience import Reader, tell
from ludex.check.context import Context, Demand, Env
from ludex.node import node
from ludex.source import Span
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.types import EntityType

HELP = "let it depend only on what that player sees (his own hand, open piles, sizes of piles)"


def check_visible(cx: Context, e: object, env: Env, span: Span, what: str) -> None:
    """Reports what of `e` the player `me` may not see. Raises nothing: the rule is still typed."""
    reader = Reader(cx, env.me)
    found = reader.hidden(e)
    if found is not None:
        cx.error(
            codes.HIDDEN_INFORMATION,
            f"{what} depends on {found}, which the player who chooses cannot see",
            span,
            HELP,
        )
    for parameter in reader.open:
        _demand(cx, Demand(parameter, reader.me, span))


def check_asked(cx: Context, env: Env, span: Span) -> None:
    """That it comes to this decision at all must follow from what its player sees."""
    for guard in env.guards:
        check_visible(cx, guard, env, span, "whether this is asked")
    _demand(cx, Demand(None, env.me, span))


def check_strand(cx: Context, strand: typed.Block, me: x.Expr, span: Span) -> None:
    """What happens in a sealed choice follows from what its player sees, sizes of piles that
    others change meanwhile left out."""
    found = Reader(cx, me, sealed=True).hidden(strand)
    if found is not None:
        cx.error(
            codes.HIDDEN_INFORMATION,
            f"what happens inside `secretly ask` depends on {found}, which that player cannot see",
            span,
            "inside, a player acts on what he alone sees",
        )


def picked_from(cx: Context, var: x.Var, d: x.Domain) -> None:
    """A card that was chosen or drawn is as hidden as what it comes from; a number or place that was
    is open to all."""
    kinds = var.type.kinds if isinstance(var.type, EntityType) else ()
    if isinstance(d, x.SetDomain) and any(cx.kinds[k].is_movable for k in kinds):
        cx.lets[var.id] = d.set


def _demand(cx: Context, demand: Demand) -> None:
    """Remembers what those who run the procedure or action that is being checked must keep to."""
    if cx.unit_stack:
        cx.demands.setdefault(cx.unit_stack[-1], {})[demand] = None


@node
class Given:
    """A value for a parameter of a procedure or action, where it stands, and what to call it."""

    value: x.Expr
    span: Span
    what: str


def check_run(cx: Context, index: int, name: str, args: list[Given], env: Env, span: Span) -> None:
    """Whether what a procedure or action is given, and whether it is run, may matter to its decisions."""
    unit = cx.units[index]
    assert unit is not None
    given = dict(zip(unit.params[1:], args, strict=True))
    acting, *_ = unit.params

    def here(e: x.Expr | None) -> x.Expr | None:
        """A player named inside, as he is named where it is run."""
        if not isinstance(e, x.Var):
            return e
        return env.me if e.id == acting else given[e.id].value if e.id in given else e

    for demand in cx.demands.get(index, ()):
        cx.spend(span)
        me = here(demand.me)
        if demand.parameter is None:
            for guard in env.guards:
                _hold(cx, guard, me, demand, span, f"whether `{name}` is run here")
            _demand(cx, Demand(None, me, demand.decision))
        else:
            arg = given[demand.parameter]
            _hold(cx, arg.value, me, demand, arg.span, arg.what)
    for parameter, arg in given.items():
        if parameter in cx.told:
            tell(cx, arg.value, here(cx.told[parameter]))


def _hold(cx: Context, e: x.Expr, me: x.Expr | None, demand: Demand, span: Span, what: str) -> None:
    reader = Reader(cx, me)
    found = reader.hidden(e)
    if found is not None:
        cx.error(
            codes.HIDDEN_INFORMATION,
            f"{what} depends on {found}, which the player who then chooses cannot see",
            span,
            HELP,
            (demand.decision, "this choice depends on it"),
        )
    for parameter in reader.open:
        _demand(cx, Demand(parameter, me, demand.decision))
