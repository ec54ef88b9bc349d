"""What a player may choose from: an offer of a decision as a nest of loops with conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludex.node import node

if TYPE_CHECKING:
    from ludex.typed.expr import Domain, Expr
    from ludex.typed.types import Type


@node
class OptionBinding:
    """A parameter that the player chooses. `collapse`: interchangeable pieces are one option."""

    name: str
    var: int
    domain: Domain
    collapse: bool
    type: Type


@node
class OptionLet:
    """A value computed once its names are bound. `aside`: by a pass, to save work, so that pieces are
    no less interchangeable for being in it."""

    var: int
    value: Expr
    aside: bool = False


@node
class OptionAnswer:
    """What tells whether a condition holds, without asking it (found by a pass): it does not if the offer
    number `offer` of the same decision, an earlier one, has an option; if that has none, and `when`
    holds (None: in any case), it does."""

    offer: int
    when: Expr | None


@node
class OptionGuard:
    """A named condition; `rule` is its index in the program's rules."""

    rule: int
    test: Expr
    answer: OptionAnswer | None = None


@node
class OptionMask:
    """A condition as the set of the values of its level's parameter that pass (made by a pass)."""

    rule: int
    set: Expr


@node
class OptionLevel:
    """What is done once a parameter is bound (level 0: before any is): lets and guards in order.

    Masks come first; each may rely on those before it.
    """

    binding: OptionBinding | None
    items: tuple[OptionLet | OptionGuard | OptionMask, ...]


@node
class OptionSite:
    """One offer of a decision: a loop nest. Late guards are tested last of all.

    `lets` of the levels are evaluated afresh wherever an option is enumerated or chosen.
    `name` begins the text form of its actions: `name(values of the bindings)`.
    """

    name: str
    levels: tuple[OptionLevel, ...]
    late: tuple[OptionGuard, ...]
