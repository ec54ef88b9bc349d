"""The schema and the parser take the same forms: what one refuses for its form, so does the other.

Every value of the sketches is put in another form, a text as a list or a mapping, those as a text:
once for values that stand in the same place of the same form, whatever the author's names are.
The schema speaks first for a user; the parser must not be more generous, or the schema is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludex.cli import scenario_file
from ludex.diagnostics import Report
from ludex.overlay import load
from ludex.resources import grammar_path
from ludex.syntax.document import Entry, Mapping, Node, Scalar, Sequence
from ludex.syntax.parser import parse_game
from ludex.syntax.reader import read_document, read_file
from ludex.syntax.schema import load_schema
from ludex.syntax.shape import validate_shape

SKETCHES = sorted(
    path
    for path in (Path(__file__).parents[1] / "sketches").glob("*.yaml")
    if "\ngame: " in path.read_text(encoding="utf-8")  # an overlay has the sections of a game
)
HEAD = ("ludex", "game", "title", "players")
REFUSED_BY_SCHEMA = frozenset({"shape-wrong-type", "shape-empty", "shape-missing-key"})
SOUND = "tie"
"""A text that is an expression, a type, a name and a statement."""


def text(at: Node, kind: str = SOUND) -> Scalar:
    return Scalar(kind, "string", "double", at.span, (at.span.start,) * (len(kind) + 1))


def keys_of_the_language(rule: object = None) -> Iterator[str]:
    """All keys that the schema names; any other is a name of the author's."""
    rule = json.loads(grammar_path("schema.json").read_text(encoding="utf-8")) if rule is None else rule
    if isinstance(rule, dict):
        yield from rule.get("properties", {})
    if isinstance(rule, dict | list):
        for part in rule.values() if isinstance(rule, dict) else rule:
            yield from keys_of_the_language(part)


KEYS = frozenset(keys_of_the_language())


def form(node: Node) -> str:
    """What sort of value this is, as far as the schema looks at it first."""
    if isinstance(node, Mapping):
        return f"{{{' '.join(sorted(KEYS.intersection(e.name for e in node)))}}}"
    return "[]" if isinstance(node, Sequence) else node.kind


def in_other_forms(node: Node, path: str, place: str, done: set[str]) -> Iterator[tuple[str, Node]]:
    """The tree with one value in another form, and where it stands."""
    place += form(node)
    if isinstance(node, Mapping):
        for i, entry in enumerate(node.entries):
            name = entry.name if entry.name in KEYS else "*"
            for at, value in in_other_forms(entry.value, f"{path} / {entry.name}", place + name, done):
                entries = (*node.entries[:i], Entry(entry.key, value), *node.entries[i + 1 :])
                yield at, Mapping(entries, node.span)
    elif isinstance(node, Sequence):
        for i, item in enumerate(node.items):
            for at, value in in_other_forms(item, f"{path} / {i}", place, done):
                yield at, Sequence((*node.items[:i], value, *node.items[i + 1 :]), node.span)
    if place in done:
        return
    done.add(place)
    if isinstance(node, Mapping | Sequence):
        yield f"{path} as a text", text(node)
    else:
        yield f"{path} as a list", Sequence((text(node),), node.span)
        yield f"{path} as a mapping", Mapping((Entry(text(node), text(node)),), node.span)


def codes(report: Report) -> set[str]:
    return {diagnostic.code.name for diagnostic in report.found}


@pytest.mark.parametrize("path", SKETCHES, ids=lambda path: path.stem)
def test_schema_and_parser_refuse_the_same_forms(path: Path) -> None:
    source = read_file(path, Report())
    assert source is not None
    document = read_document(source, Report())
    assert document is not None
    head = tuple(entry for entry in document if entry.name in HEAD)
    differing = []
    done: set[str] = set()
    for section in document:
        if section.name == "ludex":  # the version is a matter of the schema's alone
            continue
        rest = tuple(entry for entry in head if entry.name != section.name)
        for at, value in in_other_forms(section.value, section.name, section.name, done):
            changed = Mapping((*rest, Entry(section.key, value)), document.span)
            shape, parsed = Report(), Report()
            validate_shape(changed, "game", shape)
            parse_game(changed, parsed)
            if codes(shape) & REFUSED_BY_SCHEMA:
                if not parsed.found:
                    differing.append(f"only the schema refuses {at}: {shape.found[0].message}")
            elif not shape.found and "game-shape" in codes(parsed):
                differing.append(f"only the parser refuses {at}: {parsed.found[0].message}")
    assert differing == []


def keys_in_the_schema(kind: str) -> set[str]:
    return set(load_schema().definition(kind).properties())


def test_the_keys_of_a_scenario_are_those_of_its_reader() -> None:
    assert keys_in_the_schema("scenario") == set(scenario_file._KEYS)


def test_the_keys_of_an_overlay_are_those_of_its_reader() -> None:
    assert keys_in_the_schema("overlay") == set(load._KEYS)
