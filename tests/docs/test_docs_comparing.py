"""docs/comparing-variants.md is carried out; its long comparisons give what the page says, to the digit."""

from __future__ import annotations

import re
from pathlib import Path

import docs_console
import docs_examples as examples
import pytest

PAGE = examples.DOCS / "comparing-variants.md"


def page() -> examples.Page:
    return examples.Page(PAGE, list(examples.fences(PAGE)))


def test_the_page_can_be_carried_out(tmp_path: Path) -> None:
    problems = list(docs_console.carry_out(page(), tmp_path))
    assert not problems, "\n".join(problems)


@pytest.mark.long
def test_the_long_comparisons_of_the_page_say_what_it_says(tmp_path: Path) -> None:
    problems = list(docs_console.carry_out(page(), tmp_path, long=True))
    assert not problems, "\n".join(problems)
    assert len(list(tmp_path.glob("*.svg"))) == 3


def test_its_pictures_are_there() -> None:
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", PAGE.read_text(encoding="utf-8"))
    assert len(set(pictures)) == 6  # of random bots, and of bots that think, whose games take too long here
    for picture in pictures:
        assert (PAGE.parent / picture).read_text(encoding="utf-8").startswith("<?xml")
