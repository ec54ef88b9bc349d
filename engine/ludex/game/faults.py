"""Exceptions of the API: an action that is not legal, a rule that does what no rule may do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ludex.backends.machine import Fault
from ludex.diagnostics import printable
from ludex.game.explain import Explanation
from ludex.ir.program import FaultKind, Program
from ludex.source import NOWHERE, Span

_WORDS: dict[FaultKind, str] = {
    "overflow": "a number became too large",
    "zero": "a division by zero",
    "range": "a value outside its declared range",
    "index": "an index outside its range",
    "empty": "something was taken from an empty set",
    "several": "`the` found several instead of one",
    "capacity": "a place that holds one was taken already",
    "place": "something was moved to a place where it may not be",
    "tokens": "more tokens were moved than there are",
    "steps": "the step limit was reached (a loop without end?)",
    "record": "a record is full",
    "options": "a decision has too many options",
    "depth": "a definition calls itself too deeply",
}


class IllegalAction(ValueError):
    """The action is not legal here; `explanation` says why."""

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        super().__init__(explanation.text)


class RuleFault(Exception):
    """A rule did what no rule may do. The state it was applied to is unchanged and usable.

    `rule` is the name of the rule (None outside all rules), `span` where it is written.
    """

    def __init__(self, kind: FaultKind, rule: str | None, span: Span, detail: str) -> None:
        self.kind = kind
        self.rule = rule
        self.span = span
        self.detail = detail
        where = f" in the rule {rule!r}" if rule is not None else ""
        more = f": {printable(detail)}" if detail else ""
        super().__init__(f"{_WORDS[kind]}{where} ({span}){more}")


FAULTS: Final = (Fault, RecursionError)
"""What running a rule may raise: what is nested too deep for Python is a fault of depth."""


def rule_fault(program: Program, fault: Fault | RecursionError) -> RuleFault:
    """A back end's fault with the names of the definition."""
    span, rule = NOWHERE, None
    if isinstance(fault, RecursionError):
        return RuleFault("depth", None, span, "definitions and procedures use each other too deeply")
    if fault.site < 0 and 0 <= fault.rule < len(program.rules):
        span, rule = program.rules[fault.rule].span, printable(program.rules[fault.rule].name)
    if 0 <= fault.site < len(program.sites):
        site = program.sites[fault.site]
        span = site.span
        if 0 <= site.rule < len(program.rules):
            rule = printable(program.rules[site.rule].name)
    return RuleFault(fault.kind, rule, span, fault.detail)


@contextmanager
def named_faults(program: Program) -> Iterator[None]:
    """Whatever a back end raises for a rule leaves as a `RuleFault`."""
    try:
        yield
    except FAULTS as fault:
        raise rule_fault(program, fault) from fault
