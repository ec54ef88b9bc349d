"""Every bad definition is refused with exactly the diagnostics written in it; every code has a case.

The form of the cases is described in `ludex.diagnostics_page`.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import ludex
from ludex import codes
from ludex.diagnostics import Code
from ludex.diagnostics_page import PAGE, Case, all_cases, page
from ludex.render import render

TESTS = Path(__file__).parent.parent
CASES = all_cases()

ELSEWHERE = {
    # found by name, not in a file
    "no-such-game": "diagnostics/test_named.py",
    "no-such-overlay": "diagnostics/test_named.py",
    "bad-players": "diagnostics/test_named.py",
    "no-such-translation": "translation/test_check.py",
    # files that are no text, or very large
    "file-unreadable": "syntax/test_reader.py",
    "file-too-large": "syntax/test_reader.py",
    "file-not-utf8": "syntax/test_reader.py",
    "dsl-too-deep": "diagnostics/test_named.py",
    "dsl-too-long": "diagnostics/test_named.py",
    # what the shape of an overlay's file refuses first, and a stack of more than 64
    "overlay-form": "overlay/test_overlay_conflicts.py",
    "overlay-unknown-key": "overlay/test_overlay_conflicts.py",
    "overlay-too-many": "diagnostics/test_named.py",
    # translations, saves and scenarios, which are no definitions
    "translation-file": "translation/test_check.py",
    "translation-unknown": "translation/test_check.py",
    "translation-holes": "translation/test_check.py",
    "translation-text": "translation/test_check.py",
    "save-unreadable": "game/test_save.py",
    "save-too-large": "game/test_save.py",
    "save-format": "game/test_save.py",
    "save-damaged": "game/test_save.py",
    "save-truncated": "game/test_save.py",
    "save-definition-changed": "game/test_save.py",
    "save-diverged": "game/test_save.py",
    "save-other-position": "game/test_save.py",
    "save-masked": "game/test_save.py",
    "scenario-form": "diagnostics/test_named.py",
    "scenario-unknown-key": "diagnostics/test_named.py",
    "scenario-stuck": "diagnostics/test_named.py",
    "scenario-expected": "diagnostics/test_named.py",
    "scenario-fault": "diagnostics/test_named.py",
    "save-too-long": "hostile/test_hostile_saves.py",
}
"""Codes that no definition in this folder can show, and the test file that shows them by name."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_exactly_the_expected_diagnostics_come_out(case: Case) -> None:
    assert case.expected, "a case must say what it expects"
    unmatched = case.check()
    missing = []
    for expected in case.expected:
        assert expected.code in codes.ALL and expected.text, expected
        match = next((d for d in unmatched if expected.is_met_by(d)), None)
        if match is None:
            missing.append(str(expected))
        else:
            unmatched.remove(match)
    shown = "\n".join(render(d) for d in unmatched)
    assert not missing and not unmatched, f"missing: {missing}\nunexpected:\n{shown}"


def test_there_are_many_cases() -> None:
    assert len(CASES) >= 90


@pytest.mark.parametrize("name", codes.ALL)
def test_every_code_has_a_case(name: str) -> None:
    here = any(e.code == name for case in CASES for e in case.expected)
    assert here != (name in ELSEWHERE), "shown here or listed under ELSEWHERE, and not both"
    if not here:
        assert name in (TESTS / ELSEWHERE[name]).read_text(encoding="utf-8")


def test_elsewhere_names_codes_that_exist() -> None:
    assert set(ELSEWHERE) <= set(codes.ALL)


def test_no_code_is_missing_in_all_and_no_name_stands_for_two() -> None:
    found: dict[str, Code] = {}
    for module in pkgutil.walk_packages(ludex.__path__, "ludex."):
        if module.name.rpartition(".")[2].startswith("codes"):
            for value in vars(import_module(module.name)).values():
                if isinstance(value, Code):
                    assert found.setdefault(value.name, value) is value, value.name
    assert found == codes.ALL


def test_explanations_are_sentences() -> None:
    for code in codes.ALL.values():
        assert code.explanation[0].isupper() or code.explanation[0] in "`(", code.name
        assert code.explanation.endswith("."), code.name


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(CASES), "run python -m ludex.diagnostics_page"
