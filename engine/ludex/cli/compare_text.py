"""A comparison as text for people, within 80 columns, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ludex.cli.measures_text import change, measure_to_json, table, value
from ludex.cli.terminal import safe, wrapped
from ludex.sim.intervals import wilson

if TYPE_CHECKING:
    from ludex.cli.compare import Report
    from ludex.sim.comparison import Measure, RuleUse, Side, Topic

_TOPICS: dict[Topic, str] = {
    "wins": "Who wins",
    "closeness": "How close it is",
    "length": "How long it takes",
    "choices": "How much there is to choose",
    "points": "What the points are for",
    "endings": "How games end",
}

_SMALL = "a hundredth (one percentage point, of shares)"
"""The difference that `Measure.worth_seeing` is."""

_RULES_SHOWN = 8
"""Rules of a sort that are listed; the rest is counted (--json has all)."""

_PHRASES: dict[str, tuple[str, str]] = {
    "turns": ("games of the variant are {} turns longer", "games of the variant are {} turns shorter"),
    "rounds": ("games of the variant are {} rounds longer", "games of the variant are {} rounds shorter"),
    "decisions": (
        "a game of the variant has {} decisions more",
        "a game of the variant has {} decisions fewer",
    ),
    "legal actions a decision": (
        "a decision of the variant has {} legal actions more",
        "a decision of the variant has {} legal actions fewer",
    ),
    "decisions without a choice": (
        "there is no choice in {} of the decisions more",
        "there is no choice in {} of the decisions fewer",
    ),
    "winner's lead": (
        "the winner is ahead by {} more in the variant",
        "the winner is ahead by {} less in the variant: it is closer",
    ),
    "score spread": (
        "from the last to the first it is {} more in the variant",
        "from the last to the first it is {} less in the variant: it is closer",
    ),
    "changes of the lead": (
        "the lead changes {} times more in a game of the variant",
        "the lead changes {} times less in a game of the variant",
    ),
    "mean score": ("players of the variant score {} more", "players of the variant score {} less"),
}
"""What a difference means, up and down; other figures are named as they are."""


def as_text(report: Report) -> list[str]:
    found = report.comparison
    lines = [
        *wrapped(f"Base:    {safe(report.titles[0])}", 9),
        *wrapped(f"Variant: {safe(report.titles[1])}", 9),
        *wrapped(
            f"{found.pairs} pairs of games, {len(report.players)} players, seed {report.seed}, bots "
            f"{', '.join(dict.fromkeys(report.bots))}. Game i of both has the same seed; "
            f"{found.differing} pairs went different ways. All intervals hold together with "
            f"{report.level:.0%}; * marks a difference beyond chance."
        ),
        "",
    ]
    for topic, title in _TOPICS.items():
        rows = table([m for m in found.measures if m.topic == topic], ("base", "variant"), title)
        lines += [*rows, ""] if rows else []
    lines += _rules(report)
    lines.append("What these games say")
    for sentence in sentences(report):
        lines += wrapped(f"- {sentence}", 2)
    return lines


# ------------------------------------------------------------------------------- reading


def sentences(report: Report) -> Iterator[str]:
    """What can be said, in plain words, and what cannot."""
    found = report.comparison
    if not found.differing:
        yield _all_the_same(found.pairs)
        return
    wins = [m for m in found.measures if m.topic == "wins" and m.pairs]
    yield from _wins(wins, found.pairs)
    yield from _beginners(report)
    others = [m for m in found.measures if m.topic != "wins" and m.pairs and m.differing]
    changed = [m for m in others if m.is_beyond_chance]
    yield from map(_changed, _worth_a_sentence(changed))
    yield from _small([m for m in changed if not _is_worth_seeing(m)])
    yield from _unseen([m for m in others if not m.is_beyond_chance], found.pairs)
    yield from _left_out(report)
    if report.is_random:
        yield (
            "The bots play at random. What matters to players who think may look quite different: "
            "ask again with other --bots."
        )


def _all_the_same(pairs: int) -> str:
    rare = 1 / wilson(0, pairs).high
    return (
        f"All {pairs} pairs of games went the same way: what differs in the rules never mattered. With "
        f"these bots it matters in less than one of {rare:.0f} games, or not at all."
    )


def _wins(measures: Sequence[Measure], pairs: int) -> Iterator[str]:
    changed = [m for m in measures if m.is_beyond_chance]
    for m in changed:
        who = safe(m.name.removeprefix("wins of "))
        more = "more" if m.difference > 0 else "less"
        yield f"In the variant {who} wins {more} often, by {_amount(m)} ({_bounds(m)})."
    known = [m for m in measures if not m.is_beyond_chance and m.low is not None]
    if not known:
        return
    whose = "who wins" if not changed else "how often the others win"
    largest = max(known, key=lambda m: max(abs(m.low or 0), abs(m.high or 0)))
    if not any(m.differing for m in known):
        yield f"No game has another winner in the variant, of {pairs} pairs."
        return
    most = max(abs(largest.low or 0), abs(largest.high or 0))
    yield (
        f"No difference in {whose} can be seen with {pairs} pairs of games. If there is one, it is less "
        f"than {_points(change(largest, most, ''))} for each{_needed(known, pairs)}."
    )


def _needed(measures: Sequence[Measure], pairs: int) -> str:
    needed = max((m.needed for m in measures if m.needed is not None), default=0)
    return f"; to see one of 1 point, about {_rounded(needed)} pairs are needed" if needed > pairs else ""


def _beginners(report: Report) -> Iterator[str]:
    """How much it is worth to begin, in each of the two."""
    if len(set(report.bots)) > 1 or len(report.players) < 2:
        return  # who plays better would be mixed up with it
    seat = report.comparison.beginner
    name = "wins of whoever begins" if seat is None else f"wins of {report.players[seat]}"
    for m in report.comparison.measures:
        if m.name == name and m.pairs:
            shares = [
                f"{value(m, share)} ({100 * low:.1f} to {100 * high:.1f})"
                for share in (m.base, m.variant)
                for low, high in [wilson(share * m.pairs, m.pairs)]
            ]
            who = "Whoever begins" if seat is None else f"{safe(report.players[seat])}, who begins,"
            yield (
                f"{who} wins {shares[0]} of the games of the base and {shares[1]} of the variant; even "
                f"would be {1 / len(report.players):.1%}."
            )


def _is_worth_seeing(measure: Measure) -> bool:
    return abs(measure.difference) >= measure.worth_seeing


def _worth_a_sentence(changed: Iterable[Measure]) -> Iterator[Measure]:
    """All that are not small: of the lengths, which go together, the first; of the shares of endings,
    which add up to the whole, the one that has grown most."""
    large = [m for m in changed if _is_worth_seeing(m)]
    length = next((m for m in large if m.topic == "length"), None)
    ending = max((m for m in large if m.topic == "endings"), key=lambda m: m.difference, default=None)
    yield from (m for m in large if m.topic not in ("length", "endings") or m in (length, ending))


def _small(measures: Sequence[Measure]) -> Iterator[str]:
    if measures:
        yield f"Beyond chance, but by less than {_SMALL}: {_list(measures)}."


def _list(measures: Iterable[Measure]) -> str:
    return "; ".join(safe(m.name) for m in measures)


def _changed(measure: Measure) -> str:
    up, down = _PHRASES.get(measure.name, ("", ""))
    phrase = up if measure.difference > 0 else down
    if not phrase:
        more = "more" if measure.difference > 0 else "less"
        return f"{_upper(safe(measure.name))}: {_amount(measure)} {more} in the variant ({_bounds(measure)})."
    of_base = ""
    if not measure.is_share and measure.base:
        of_base = f", {abs(measure.difference / measure.base):.1%} of the base"
    return f"{_upper(phrase.format(_amount(measure)))} ({_bounds(measure)}{of_base})."


def _unseen(measures: Sequence[Measure], pairs: int) -> Iterator[str]:
    """What is not different as far as can be seen: what is known to be much the same, and the rest."""
    known = [m for m in measures if m.low is not None]
    same = [m for m in known if max(-(m.low or 0), m.high or 0) <= m.worth_seeing]
    if same:
        yield f"Much the same, different by less than {_SMALL} if at all: {_list(same)}."
    others = [
        safe(m.name) + ("" if m.needed is None else f" ({_rounded(m.needed)})")
        for m in known
        if m not in same
    ]
    if others:
        yield (
            f"No difference can be seen with {pairs} pairs of games in the following; in brackets, about "
            f"how many would show one of {_SMALL}: {'; '.join(others)}."
        )
    if rare := [m for m in measures if m.low is None]:
        yield f"Too few games differ in it to say anything: {_list(rare)}."


def _left_out(report: Report) -> Iterator[str]:
    """Pairs of which one game has no result: they are missing in who wins and in the scores."""
    pairs = zip(*(side.games for side in report.sides), strict=False)
    missing = sum(not (a.ranks and b.ranks) for a, b in pairs)
    if missing:
        yield (
            f"In {missing} of {report.comparison.pairs} pairs one game or both came to no end. They are "
            "left out wherever wins, scores or endings are compared, which may bend these."
        )
    for side, what in zip(report.sides, ("base", "variant"), strict=True):
        yield from _faults(side, what)


def _faults(side: Side, what: str) -> Iterator[str]:
    faults = {game.fault: game.index for game in reversed(side.games) if game.fault is not None}
    for fault, first in faults.items():
        yield f"A rule of the {what} fails (first in game {first}): {safe(fault.message)}"


def _amount(measure: Measure) -> str:
    text = change(measure, abs(measure.difference), "")
    return _points(text) if measure.is_share else text


def _points(text: str) -> str:
    return f"{text} percentage point" + ("" if text == "1" else "s")


def _bounds(measure: Measure) -> str:
    bounds = sorted((abs(measure.low or 0), abs(measure.high or 0)))
    return " to ".join(change(measure, bound, "") for bound in bounds)


def _rounded(number: int) -> str:
    """To two digits: it is an estimate."""
    size = 10 ** max(0, len(str(number)) - 2)
    return f"{-(-number // size) * size:,}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


# ------------------------------------------------------------------------------- rules


def _rules(report: Report) -> list[str]:
    own, lost, unused, newly = [], [], [], []
    for rule in report.rules:
        if rule.base is None:
            own.append(rule)
        elif rule.variant is None:
            lost.append(rule)
        elif rule.base and not rule.variant:
            unused.append(rule)
        elif rule.variant and not rule.base:
            newly.append(rule)
    return [
        *_listed("Rules of the variant alone", [(r, r.variant) for r in own]),
        *_listed("Rules of the base alone", [(r, r.base) for r in lost]),
        *_listed("Rules that never applied in the variant, but in the base", [(r, r.base) for r in unused]),
        *_listed("Rules that applied in the variant, but never in the base", [(r, r.variant) for r in newly]),
    ]


def _listed(title: str, rules: Sequence[tuple[RuleUse, float | None]]) -> list[str]:
    if not rules:
        return []
    lines = [title]
    lines += [f"  {safe(rule.path)}: {_how_often(rule.kind, use or 0)}" for rule, use in rules[:_RULES_SHOWN]]
    if len(rules) > _RULES_SHOWN:
        lines.append(f"  and {len(rules) - _RULES_SHOWN} more (--json lists all)")
    return [*lines, ""]


def _how_often(kind: str, use: float) -> str:
    if not use:
        return "never"
    if kind == "end":
        return f"ended {use:.1%} of the games"
    times = f"{use:.1f}" if use >= 10 else f"{use:.2g}"
    return f"{'refused' if kind == 'condition' else 'applied'} {times} times a game"


# --------------------------------------------------------------------------------- JSON


def to_json(report: Report) -> dict[str, object]:
    found = report.comparison
    return {
        "base": report.titles[0],
        "variant": report.titles[1],
        "players": list(report.players),
        "bots": list(report.bots),
        "seed": report.seed,
        "games": report.asked,
        "played": found.pairs,
        "level": report.level,
        "interrupted": report.interrupted,
        "differing": found.differing,
        "beginner": None if found.beginner is None else report.players[found.beginner],
        "measures": [measure_to_json(m) for m in found.measures],
        "rules": [
            {"path": r.path, "name": r.name, "kind": r.kind, "base": r.base, "variant": r.variant}
            for r in report.rules
        ],
        "sentences": list(sentences(report)),
    }
