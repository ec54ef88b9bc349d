"""Whether overlays go together, and the order in which they are applied.

The order follows from what the overlays say, never from the order in which they were given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

from ludex import limits
from ludex.diagnostics import Label, Report, did_you_mean
from ludex.node import node
from ludex.overlay import codes
from ludex.overlay.load import Overlay
from ludex.syntax.ast import Ident


@node
class Stack:
    """Overlays in the order of application: by `requires`, then by name.

    `below[name]` are the names of all that an overlay requires, directly or transitively.
    """

    overlays: tuple[Overlay, ...]
    below: dict[str, frozenset[str]]

    def related(self, one: str, other: str) -> bool:
        """Whether one of the two is built on the other."""
        return one in self.below[other] or other in self.below[one]


def stack(game: Ident, overlays: Sequence[Overlay], report: Report) -> Stack | None:
    """The stack, or None if these overlays do not go on this game or not together."""
    given = sorted(overlays, key=lambda o: (o.name.text, o.name.span.source.name, o.name.span.start))
    if len(given) > limits.MAX_OVERLAYS:
        message = f"{len(given)} overlays are stacked, at most {limits.MAX_OVERLAYS} can be"
        report.add(codes.TOO_MANY, message, given[limits.MAX_OVERLAYS].span)
        return None
    known: dict[str, Overlay] = {}
    sound = True
    for overlay in given:
        sound &= _extends(game, overlay, report)
        first = known.get(overlay.name.text)
        if first is None:
            known[overlay.name.text] = overlay
        else:
            sound = False
            report.add(
                codes.TWICE,
                f"the overlay `{overlay.name}` is in the stack twice",
                overlay.span,
                labels=[Label(first.span, "it is here already")],
            )
    for overlay in known.values():
        sound &= _requires(overlay, known, report)
        sound &= _excludes(overlay, known, report)
    ordered = _sorted(known)
    if len(ordered) < len(known):
        sound = False
        _report_circle([o for name, o in known.items() if name not in {p.name.text for p in ordered}], report)
    if not sound:
        return None
    below: dict[str, frozenset[str]] = {}
    for overlay in ordered:
        direct = [r.text for r in overlay.requires]
        below[overlay.name.text] = frozenset(direct).union(*(below[name] for name in direct))
    return Stack(tuple(ordered), below)


def _extends(game: Ident, overlay: Overlay, report: Report) -> bool:
    if overlay.extends.text == game.text:
        return True
    report.add(
        codes.OTHER_GAME,
        f"the overlay `{overlay.name}` extends `{overlay.extends}`, but the game is `{game}`",
        overlay.extends.span,
        labels=[Label(game.span, "this is the game")],
        help=did_you_mean(overlay.extends.text, [game.text]),
    )
    return False


def _requires(overlay: Overlay, known: dict[str, Overlay], report: Report) -> bool:
    sound = True
    for required in overlay.requires:
        if required.text not in known:
            sound = False
            report.add(
                codes.REQUIRES_MISSING,
                f"the overlay `{overlay.name}` requires `{required}`, which is not in the stack",
                required.span,
                help=did_you_mean(required.text, known.keys() - {overlay.name.text})
                or f"add `+{required}` to the stack",
            )
    return sound


def _excludes(overlay: Overlay, known: dict[str, Overlay], report: Report) -> bool:
    sound = True
    for excluded in overlay.excludes:
        other = known.get(excluded.text)
        if other is not None:
            sound = False
            report.add(
                codes.EXCLUDED,
                f"the overlay `{overlay.name}` does not go together with `{excluded}`",
                excluded.span,
                labels=[Label(other.span, f"`{excluded}` is in the stack")],
            )
    return sound


def _sorted(known: dict[str, Overlay]) -> list[Overlay]:
    """Kahn's algorithm, the least name first; members of circles are left out."""
    waiting = {name: {r.text for r in o.requires} & known.keys() for name, o in known.items()}
    followers: dict[str, list[str]] = {name: [] for name in known}
    for name, required in waiting.items():
        for other in required:
            followers[other].append(name)
    ready = [name for name, required in waiting.items() if not required]
    heapify(ready)
    ordered: list[Overlay] = []
    while ready:
        name = heappop(ready)
        ordered.append(known[name])
        for follower in followers[name]:
            waiting[follower].discard(name)
            if not waiting[follower]:
                heappush(ready, follower)
    return ordered


def _report_circle(left: Iterable[Overlay], report: Report) -> None:
    """Report one circle among the overlays that could not be ordered.

    Each of them requires another of them, so going from one to the next must come round.
    """
    among = {o.name.text: o for o in left}
    path: list[str] = []
    name = min(among)
    while name not in path:
        path.append(name)
        name = min(r.text for r in among[name].requires if r.text in among)
    circle = path[path.index(name) :]
    steps = [next(r for r in among[n].requires if r.text in among and r.text == m)
             for n, m in zip(circle, [*circle[1:], circle[0]], strict=True)]
    report.add(
        codes.REQUIRES_CIRCULAR,
        "these overlays require one another: " + " → ".join(f"`{n}`" for n in [*circle, circle[0]]),
        steps[0].span,
        labels=[Label(s.span, f"`{n}` requires `{s}`") for n, s in zip(circle[1:], steps[1:], strict=True)],
    )
