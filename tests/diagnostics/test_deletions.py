"""One bracket, quote, colon or keyword of Emerald's definition is deleted, each in turn.

Nothing may be raised; where anything is wrong it is reported; and the first error is in the right
place, that is one of:

- **line**: the line of the deletion (or one of the message's notes points there), or the line after
  it where YAML has read on to the next name, or the message is that it is indented further;
- **construct**: the first line of a statement around it, or of the two innermost names (`rule:`,
  `do:`) it stands under;
- **consequence**: the message or the text it points at has a name that stood on that line, so that
  what the name stands for was lost or became another, and the error is at its use.

At least 95 % of the deletions that are errors at all must be in one of the first two, and all but a
handful in one of the three. `python tests/diagnostics/test_deletions.py` prints the figures.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutations import KEYWORDS, Definition, Deletion, diagnose, emerald, remembered_trees

from ludex.diagnostics import Diagnostic
from ludex.render import render

SAMPLE = 120
RIGHT = 0.95


def verdict(definition: Definition, at: Deletion, found: list[Diagnostic]) -> str:
    """Where the first error is, in the words above; `none` without an error, `elsewhere` if nowhere right."""
    first = next((d for d in found if d.severity == "error"), None)
    if first is None:
        return "none"
    line = definition.line(at.start)
    if first.span.line == line or any(label.span.line == line for label in first.labels):
        return "line"
    if first.span.line == line + 1 and first.code.name.startswith(("yaml-", "shape-", "dsl-indentation")):
        return "line"
    if first.span.line in definition.construct_lines(at):
        return "construct"
    there = set(re.findall(r"[^\W\d]\w*", definition.source.line(line)))
    quoted = " ".join(re.findall(r"`([^`]*)`", first.message))
    said = {w for w in re.findall(r"[^\W\d]\w*", quoted + " " + first.span.text) if not KEYWORDS.fullmatch(w)}
    return "consequence" if said & there else "elsewhere"


def survey(definition: Definition, chosen: Iterable[Deletion], show: bool = False) -> Counter[str]:
    counted: Counter[str] = Counter()
    with remembered_trees():
        for at in chosen:
            found = diagnose(at.apply(definition.text))
            for d in found:
                render(d)
            said = verdict(definition, at, found)
            counted[said] += 1
            if show and said in ("elsewhere", "consequence"):
                line = definition.line(at.start)
                first = next(d for d in found if d.severity == "error")
                print(f"{said}: `{at.what}` of line {line}: {definition.source.line(line)}\n{render(first)}")
    return counted


def share_right(counted: Counter[str]) -> float:
    wrong = sum(n for k, n in counted.items() if k != "none")
    return (counted["line"] + counted["construct"]) / wrong


def test_a_sample_of_deletions_is_reported_in_the_right_place() -> None:
    definition = Definition(emerald())
    every = definition.deletions()
    chosen = random.Random(7).sample(every, SAMPLE)
    counted = survey(definition, chosen)
    assert share_right(counted) >= RIGHT, counted
    assert counted["elsewhere"] <= SAMPLE // 50, counted
    assert counted["none"] <= SAMPLE // 10, counted


@pytest.mark.long
def test_every_deletion_is_reported_in_the_right_place() -> None:
    definition = Definition(emerald())
    counted = survey(definition, definition.deletions())
    assert share_right(counted) >= RIGHT, counted


# ------------------------------------------------------------------- arbitrary changes


WORDS = sorted(set(re.findall(r"[^\W\d]\w*|[0-9]+|[-+*<>=!.,:()]+", emerald()[emerald().index("types:") :])))


@st.composite
def reworded(draw: st.DrawFn) -> str:
    """Emerald's rules with one to three words replaced by others of the text: mostly still well formed."""
    text = emerald()
    start = text.index("types:")
    for _ in range(draw(st.integers(1, 3))):
        words = list(re.finditer(r"[^\W\d]\w*|[0-9]+", text[start:]))
        word = words[draw(st.integers(0, len(words) - 1))]
        text = text[: start + word.start()] + draw(st.sampled_from(WORDS)) + text[start + word.end() :]
    return text


@st.composite
def changed(draw: st.DrawFn) -> str:
    """Emerald's text with a few spans deleted, doubled or swapped."""
    text = emerald()
    for _ in range(draw(st.integers(1, 3))):
        a = draw(st.integers(0, len(text) - 1))
        length = draw(st.integers(1, 60))
        b = min(len(text), a + length)
        match draw(st.sampled_from(["delete", "double", "swap", "insert"])):
            case "delete":
                text = text[:a] + text[b:]
            case "double":
                text = text[:b] + text[a:b] + text[b:]
            case "swap":
                c = draw(st.integers(b, min(len(text), b + 2000)))
                text = text[:a] + text[c : c + length] + text[b:c] + text[a:b] + text[c + length :]
            case _:
                new = draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=5))
                text = text[:a] + new + text[a:]
    return text


def never_raises(text: str) -> None:
    with remembered_trees():
        for found in diagnose(text):
            render(found)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.one_of(changed(), reworded()))
def test_no_change_makes_the_checker_raise(text: str) -> None:
    never_raises(text)


@pytest.mark.long
@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(changed(), reworded()))
def test_no_change_at_all_makes_the_checker_raise(text: str) -> None:
    never_raises(text)


if __name__ == "__main__":
    import sys

    _definition = Definition(emerald())
    _all = _definition.deletions()
    _step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    _counted = survey(_definition, _all[::_step], show=True)
    print(len(_all), dict(_counted), f"{share_right(_counted):.1%} on the line or the construct's start")
