"""The overlays of the sketches on their games: they do what they say, in any order."""

from __future__ import annotations

from itertools import permutations

import pytest
from overlay_documents import applied, at, keys, overlay_of, plain, sketch

from ludex.overlay import diff_documents
from ludex.syntax.document import Node, Scalar

A, B, C, DEMO = "emerald_variant_a", "emerald_variant_b", "emerald_variant_c", "emerald_demo_insert"


def paths(game: str, *overlays: str) -> list[str]:
    before = sketch(game)
    after = applied(before, *(overlay_of(sketch(o)) for o in overlays))
    return [f"{' / '.join(c.path)}: {c.kind}" for c in diff_documents(before, after)]


def test_variants_stacked_in_every_order_give_the_same_document() -> None:
    base = sketch("emerald")
    overlays = [overlay_of(sketch(name)) for name in (A, B, C, DEMO)]
    results = [applied(base, *order) for order in permutations(overlays)]
    assert all(result == results[0] for result in results)
    assert keys(results[0], "setup")[-1] == "everybody takes the cards one to eight"
    assert at(results[0], "match") == {"games": "2", "total": "sum"}
    assert keys(results[0], "phases", "expedition") == ["turns", "do", "each_round"]


def test_every_node_of_a_stack_points_into_the_file_it_came_from() -> None:
    result = applied(sketch("emerald"), *(overlay_of(sketch(n)) for n in (A, B, C)))

    def check(node: Node) -> None:
        if isinstance(node, Scalar):
            if node.style == "plain" and "\n" not in node.span.text:
                assert node.span.text == node.text
            return
        for child in (e.value for e in node) if not hasattr(node, "items") else node.items:
            check(child)

    check(result)
    gold = result.get("setup").get("shuffle the gold")  # type: ignore[union-attr]
    assert gold.span.source.name == f"{B}.yaml"
    kept = result.get("setup").get("shuffle the jewels")  # type: ignore[union-attr]
    assert kept.span.source.name == "emerald.yaml"


@pytest.mark.parametrize(
    ("game", "overlays", "expected"),
    [
        (
            "emerald",
            [A],
            [
                "state / opener: added",
                "define / order: replaced",
                "setup / the players choose who starts: replaced",
                "match / games: added",
                "match / total: added",
            ],
        ),
        (
            "emerald",
            [B],
            [
                "constants / near_gold: added",
                "components / piles / near_deck: added",
                "setup / shuffle the gold: replaced",
                "setup / lay the gold: replaced",
            ],
        ),
        ("emerald", [DEMO], ["actions / ride / do / the mountain road tires the party: added"]),
        (
            "chess",
            ["atomic_chess"],
            [
                "state / captured: added",
                "define / in_check: replaced",
                "define / alive: added",
                "procedures / carry / do / take what stands there: replaced",
                "procedures / carry / do / a capture blows up everything around but pawns: added",
                "actions / move / where / your king is not left in check: replaced",
                "actions / move / where / kings do not capture: added",
                "end / a king is blown up: added",
            ],
        ),
        ("chess", ["king_of_the_hill"], ["define / hill: added", "end / the king stands on the hill: added"]),
        (
            "liars_dice",
            ["liars_dice_single"],
            [
                "options / dice_each / default: replaced",
                "options / wild / default: replaced",
                "scoring / dice: replaced",
                "end / a showdown: added",
            ],
        ),
    ],
)
def test_rules_changed(game: str, overlays: list[str], expected: list[str]) -> None:
    assert paths(game, *overlays) == expected


def test_demo_step_stands_after_its_sibling_without_the_word() -> None:
    result = applied(sketch("emerald"), overlay_of(sketch(DEMO)))
    assert keys(result, "actions", "ride", "do") == [
        "it rides as many spaces as knights stood there",
        "the mountain road tires the party",
        "a card is taken",
        "the dragon wakes",
    ]
    step = at(result, "actions", "ride", "do", "the mountain road tires the party")
    assert isinstance(step, str) and step.startswith("if k.place in mountain")


def test_brazilian_inserts_a_step_after_one_it_inserts() -> None:
    result = applied(sketch("english_draughts"), overlay_of(sketch("brazilian_draughts")))
    assert keys(result, "phases", "play", "do") == [
        "too many quiet moves",
        "move",
        "go on jumping",
        "lift what was taken",
        "crown at the end of the move",
    ]
    assert at(result, "phases", "play", "do", "crown at the end of the move") == "run crown(landed)"
    assert at(result, "phases", "play", "turns") == "clockwise from white"
    hop = at(result, "procedures", "hop(square from, square to)")
    assert hop == {"do": {"take": "taken(victim(from, to)) = true", "land": "move piece from from to to"}}


def test_two_chess_variants_stack() -> None:
    base = sketch("chess")
    atomic, hill = overlay_of(sketch("atomic_chess")), overlay_of(sketch("king_of_the_hill"))
    one, other = applied(base, atomic, hill), applied(base, hill, atomic)
    assert one == other
    assert keys(one, "end") == ["a king is blown up", "the king stands on the hill"]


def test_no_overlay_changes_nothing() -> None:
    base = sketch("emerald")
    assert plain(applied(base)) == plain(base)
