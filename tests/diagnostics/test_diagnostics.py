"""Every bad definition is refused with exactly the diagnostics written in it."""

from __future__ import annotations

import pytest
from diagnostic_cases import Case, all_cases, place

from ludex.render import render

CASES = all_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_exactly_the_expected_diagnostics_come_out(case: Case) -> None:
    assert case.expected, "a case must say what it expects"
    found = case.check()
    unmatched = list(found)
    missing = []
    for expected in case.expected:
        match = next((d for d in unmatched if expected.is_met_by(d)), None)
        if match is None:
            missing.append(str(expected))
        else:
            unmatched.remove(match)
    shown = "\n".join(render(d) for d in unmatched)
    assert not missing and not unmatched, f"missing: {missing}\nunexpected:\n{shown}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_every_diagnostic_can_be_shown_and_points_into_a_file(case: Case) -> None:
    for found in case.check():
        assert found.code.name in render(found)
        assert found.span.start <= found.span.end <= len(found.span.source.text)
        assert place(found)[0] or any(e.file == "" for e in case.expected)


def test_there_are_many_cases() -> None:
    assert len(CASES) >= 90
