"""README.md, the tutorials and the adapters' pages are carried out as they stand; docs/api.md is fresh."""

from __future__ import annotations

from pathlib import Path

import api_reference
import docs_console
import docs_examples as examples
import pytest

FOLDERS = ("tutorials", "adapters")
PAGES = [examples.ROOT / "README.md", *sorted(p for f in FOLDERS for p in (examples.DOCS / f).glob("*.md"))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_page_can_be_carried_out(path: Path, tmp_path: Path) -> None:
    problems = list(docs_console.carry_out(examples.Page(path, list(examples.fences(path))), tmp_path))
    assert not problems, "\n".join(problems)


def test_output_that_is_not_as_the_page_says_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo one; echo two; echo three\none\n…\nfour\n```\n", encoding="utf-8")
    assert len(list(docs_console.carry_out(examples.Page(page, list(examples.fences(page))), tmp_path))) == 1
    page.write_text("```console\n$ echo one; echo two; echo three\none\n…\nth…e\n```\n", encoding="utf-8")
    assert not list(docs_console.carry_out(examples.Page(page, list(examples.fences(page))), tmp_path))


def test_the_api_reference_is_fresh() -> None:
    fresh = api_reference.PAGE.read_text(encoding="utf-8") == api_reference.page()
    assert fresh, "docstrings have changed: run `make docs`"


def test_every_page_is_reached_from_the_readme() -> None:
    readme = (examples.ROOT / "README.md").read_text(encoding="utf-8")
    for page in examples.DOCS.rglob("*.md"):
        assert f"({page.relative_to(examples.ROOT).as_posix()})" in readme
