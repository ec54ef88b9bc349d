"""What changed between two documents, in terms of rules."""

from __future__ import annotations

from dataclasses import replace

import pytest
from overlay_documents import BASE, applied, overlay, overlay_of, read, sketch

from ludex.overlay import Change, describe, diff_documents
from ludex.syntax.document import Entry, Mapping, Node, Scalar, Sequence

GAME = read(BASE, "small.yaml")


def changes(old: str, new: str) -> list[str]:
    """`path: kind` of what differs when `old` becomes `new` in the base."""
    assert old in BASE
    found = diff_documents(GAME, read(BASE.replace(old, new)))
    return [" / ".join(c.path) + f": {c.kind}" + (f", {c.detail}" if c.detail else "") for c in found]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("deal: deal cards", 'deal: "deal cards"', []),
        ("deal: deal cards", "deal: {do: deal cards}", []),
        ("deal: deal cards", "deal: |\n    deal cards  \n", []),
        ("  hop(square from, square to):\n", "  hop( square from,square to ):\n", []),
        ("  fall:\n    do:\n      drop: move me", "  fall:\n    drop: move me", []),
        ("deal: deal cards", "deal: deal 7", ["setup / deal: replaced"]),
        ("deal: deal cards", "deal: {do: deal cards, cite: x}", ["setup / deal / cite: added"]),
        ("    cite: book / 2\n", "", ["setup / shuffle / cite: removed"]),
        ("  gold is out: gold == 0\n", "", ["end / gold is out: removed"]),
        ("  rest:\n    do: {sit: say nothing}\n", "", ["actions / rest: removed"]),
        ("  rest:\n", "  rest:\n    where: {a: x, b: y}\n",
         ["actions / rest / where / a: added", "actions / rest / where / b: added"]),
        ("    until: gold > 10\n", "    until: {rich: gold > 10}\n", ["phases / play / until: replaced"]),
        ("rich(player p)", "rich(player q)",
         ["define / rich: replaced, `rich(player p)` became `rich(player q)`"]),
        ("  gold is out: gold == 0\n  all fall: fallen\n", "  all fall: fallen\n  gold is out: gold == 0\n",
         ["end / all fall: moved, now first"]),
        ("chosen: slowly", "chosen: fast", ["ambiguities / how fast / chosen: replaced"]),
        ("  settled:\n    colours: none\n", "", ["ambiguities / settled / colours: removed"]),
        ("title: A small game", "title: B", ["title: replaced"]),
    ],
)  # fmt: skip
def test_differences(old: str, new: str, expected: list[str]) -> None:
    assert changes(old, new) == expected


def test_the_fewest_rules_are_said_to_have_moved() -> None:
    old = read("game: g\nsetup: {a: 1, b: 2, c: 3, d: 4, e: 5}")
    new = read("game: g\nsetup: {b: 2, c: 3, x: 0, d: 4, a: 1, e: 5}")
    found = [(c.kind, c.path[-1], c.detail) for c in diff_documents(old, new)]
    assert found == [("added", "x", None), ("moved", "a", "now after `d`")]


def test_describe_shows_old_and_new_text() -> None:
    base = sketch("emerald")
    found = diff_documents(base, applied(base, overlay_of(sketch("emerald_variant_b"))))
    texts = {c.path: describe(c) for c in found}
    assert texts["components", "piles", "near_deck"] == (
        "components / piles / near_deck: added\n  + holds: gold\n  + visible: none"
    )
    assert texts["setup", "shuffle the gold"].splitlines()[:5] == [
        "setup / shuffle the gold: replaced",
        "  - move gold to gold_deck",
        "  - shuffle gold_deck",
        "  + for each g in gold:",
        "  +   if g.n <= near_gold(g.value):",
    ]


def test_describe_leaves_do_out() -> None:
    result = applied(GAME, overlay("remove: {actions: {ride: {do: [second]}}}"))
    assert [describe(c) for c in diff_documents(GAME, result)] == [
        "actions / ride / second: removed\n  - take card"
    ]


def test_what_has_only_texts_in_a_list_is_shown_as_written() -> None:
    one = read("{types: {gem: [ruby, opal]}}").get("types")
    assert describe(Change("added", ("types",), None, one)) == "types: added\n  + gem:\n  +   [ruby, opal]"


def test_describe_lets_no_control_character_through() -> None:
    # the reader refuses such characters; a document made otherwise may still hold them
    new = _coloured(read("{game: g, setup: {a: b}}"))
    assert isinstance(new, Mapping)
    assert "\x1b" not in "".join(describe(c) for c in diff_documents(read("game: g"), new))


def _coloured(node: Node) -> Node:
    """The document with an escape sequence in every key and value."""
    match node:
        case Mapping(entries):
            return replace(node, entries=tuple(Entry(_red(e.key), _coloured(e.value)) for e in entries))
        case Sequence(items):
            return replace(node, items=tuple(_coloured(i) for i in items))
        case _:
            return _red(node)


def _red(scalar: Scalar) -> Scalar:
    return replace(scalar, text=f"{scalar.text}\x1b[31m")
