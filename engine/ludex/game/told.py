"""The information state: all that a viewer has been told since the start, line by line."""

from __future__ import annotations

import json

from ludex.backends.machine import Words
from ludex.game.context import Context
from ludex.game.history import Entry
from ludex.game.log import log_lines


def lines_told(context: Context, entry: Entry, words: Words, bit: int) -> tuple[str, ...]:
    """One line of JSON for each step: the records and the log as the viewer had them."""
    pending: list[Entry] = []
    lines: list[str] = []
    for e in entry.back():
        if bit in e.told:
            lines.extend(e.told[bit])
            break
        pending.append(e)
    pending.reverse()
    step: list[Entry] = []
    for e in pending:
        step.append(e)
        if e.words is None and e is not entry:
            continue
        shown = [r for s in step if s.record is not None and (r := s.record.for_viewer(bit)) is not None]
        log = log_lines(context, step, bit, e.words if e.words is not None else words)
        if shown or log:
            content = {
                "history": [[r.player, r.name, r.text] for r in shown],
                "log": [[line.rule, line.text] for line in log],
            }
            lines.append(json.dumps(content, ensure_ascii=True, separators=(",", ":")))
        step = []
    entry.told[bit] = tuple(lines)
    return entry.told[bit]
