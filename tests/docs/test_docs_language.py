"""docs/language.md: its examples run, its tables agree with the engine, nothing is left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args

import docs_examples as examples
import pytest

from ludex import limits, pipeline
from ludex.check.builtins import BUILTINS, VALUES
from ludex.check.comprehensions import COMPREHENSIONS
from ludex.ir.program import FaultKind
from ludex.overlay import load as overlay_load
from ludex.resources import grammar_path
from ludex.syntax import ast

LANGUAGE = examples.Page.read(examples.DOCS / "language.md")
TEXT = LANGUAGE.path.read_text(encoding="utf-8")
SORTS = {
    ("yaml", "game"),
    ("yaml", "overlay"),
    ("yaml", "sections"),
    ("yaml", "translation"),
    ("ludex", "steps"),
    ("ludex", "expressions"),
}


@pytest.mark.parametrize("block", LANGUAGE.examples, ids=lambda block: block.id)
def test_the_example_does_what_the_page_says(block: examples.Fence, tmp_path: Path) -> None:
    examples.run(LANGUAGE, block, tmp_path)


def test_every_block_of_the_page_is_an_example() -> None:
    assert {block.words[:2] for block in LANGUAGE.blocks} == SORTS


def test_an_example_that_is_wrong_is_noticed(tmp_path: Path) -> None:
    for text in ("fame # 4", "fame == 4", "town(1) in set(town(2))"):
        block = examples.Fence(LANGUAGE.path, 1, ("ludex", "expressions"), text + "\n")
        with pytest.raises(AssertionError, match="does not hold"):
            examples.run(LANGUAGE, block, tmp_path)


def test_every_construct_of_the_language_is_in_an_example(tmp_path: Path) -> None:
    """All classes of the tree: statements, expressions, declarations, parts of sections."""
    found: set[type] = set()
    playable = [b for b in LANGUAGE.examples if "wrong" not in b.words and b.sort != "translation"]
    for number, block in enumerate(playable):
        for tree in trees(block, tmp_path / str(number)):
            found.update(type(node) for node in walk(tree))
    unions = (*get_args(ast.Expr), *get_args(ast.Stmt), *get_args(ast.Value))
    wanted = {c for c in unions if isinstance(c, type)}
    wanted |= {c for c in vars(ast).values() if is_dataclass(c) and c.__module__.startswith(ast.__name__)}
    missing = {c.__name__ for c in wanted - found}
    assert missing == set()


def test_every_value_and_function_is_in_an_example() -> None:
    code = "\n".join(block.text for block in LANGUAGE.examples if "wrong" not in block.words)
    names = {*VALUES, *BUILTINS, *COMPREHENSIONS, "me", "box"}
    directions = set(quoted(next(row for row in table("values") if "`north`" in row[0])[0]))
    assert {name for name in names - directions if not re.search(rf"\b{name}\b", code)} == set()


def trees(block: examples.Fence, folder: Path) -> Iterator[object]:
    if block.sort == "overlay":
        examples.load(LANGUAGE, block, folder)
        yield pipeline.tree(str(folder / "game.yaml"), [str(folder / "overlay.yaml")])
    else:
        path = examples.write(folder / "game.yaml", examples.definition(LANGUAGE, block))
        yield pipeline.tree(str(path))


def walk(node: object) -> Iterator[object]:
    if isinstance(node, tuple):
        for item in node:
            yield from walk(item)
    elif is_dataclass(node) and type(node).__module__.startswith(ast.__name__):
        yield node
        for f in fields(node):
            yield from walk(getattr(node, f.name))


# ------------------------------------------------------------------------------- tables


def table(mark: str) -> list[list[str]]:
    """The rows of the table that follows a mark; the cells' text."""
    part = TEXT.split(f"<!-- {mark}: ", 1)[1].split("-->", 1)[1]
    rows = []
    for line in part.lstrip().splitlines():
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))])
    return rows[2:]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_all_values_are_listed_with_their_meaning() -> None:
    listed = {name: row[1] for row in table("values") for name in quoted(row[0])}
    assert set(listed) == set(VALUES) | {"me", "box"}
    for name in ("players", "player_count", "active", "round_number", "game_number", "score"):
        assert listed[name].replace("`", "") == VALUES[name].replace("`", "")


def test_all_functions_are_listed() -> None:
    listed = {name.partition("(")[0] for row in table("functions") for name in quoted(row[0])}
    assert listed == set(BUILTINS)
    going_through = TEXT.split("### Going through sets", 1)[1].split("\n### ", 1)[0]
    rows = [line.split("|")[1] for line in going_through.splitlines() if line.startswith("| `")]
    assert {name.partition("(")[0] for row in rows for name in quoted(row)} == COMPREHENSIONS


def test_all_faults_are_listed() -> None:
    assert [quoted(row[0])[0] for row in table("faults")] == list(get_args(FaultKind))


def test_all_limits_are_listed_with_their_values() -> None:
    listed = {quoted(row[0])[0]: int(row[1]) for row in table("limits")}
    assert listed == {name: getattr(limits, name) for name in listed}, "run `make docs`"
    engine = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (examples.ROOT / "engine").rglob("*.py")
        if path.name != "limits.py"
    )
    used = {name for name in vars(limits) if name.startswith("MAX_") and re.search(rf"\b{name}\b", engine)}
    assert used <= set(listed)
    assert str(limits.INT_MIN) in TEXT and str(limits.INT_MAX) in TEXT


# ------------------------------------------------------------------------------ sections


def keys(schema: dict[str, Any]) -> set[str]:
    """The names of all properties in a schema."""
    found: set[str] = set()
    if isinstance(schema, dict):
        found.update(schema.get("properties", {}))
        for value in schema.values():
            found |= keys(value)
    elif isinstance(schema, list):
        for value in schema:
            found |= keys(value)
    return found


def test_every_key_of_a_definition_is_explained() -> None:
    schema = json.loads(grammar_path("schema.json").read_text(encoding="utf-8"))
    parts = {name: part for name, part in schema["$defs"].items() if name != "scenario"}
    prose = re.sub(r"^```.*?^```", "", TEXT, flags=re.MULTILINE | re.DOTALL)
    words = {word for text in re.findall(r"`([^`]+)`", prose) for word in re.findall(r"\w+", text)}
    assert keys(parts) - words == set()


def test_every_key_of_an_overlay_is_explained() -> None:
    overlays = TEXT.split("## 18. Overlays", 1)[1].split("\n## ", 1)[0]
    assert {key for key in overlay_load._KEYS if f"`{key}`" not in overlays} == set()


def test_links_within_the_pages_lead_somewhere() -> None:
    for path in [examples.ROOT / "README.md", *examples.DOCS.rglob("*.md")]:
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
            if "://" in target:
                continue
            file, _, anchor = target.partition("#")
            page = (path.parent / file).resolve() if file else path
            assert page.exists(), f"{path.name} links to {target}"
            if anchor:
                assert anchor in anchors(page), f"{path.name} links to {target}"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the usual renderers make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.M):
        plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "")).strip().lower()
        found.add(plain.replace(" ", "-"))
    return found
