"""What holds of all overlays: nothing raises, the order given never matters, nothing is silent."""

from __future__ import annotations

import json
import random

from hypothesis import event, given, settings
from hypothesis import strategies as st
from overlay_documents import BASE, plain, read

from ludex.diagnostics import Report
from ludex.overlay import Overlay, apply_overlays, describe, diff_documents, load_overlay
from ludex.overlay.shape import DOCUMENT, Named, Record, Rule, Shape
from ludex.syntax.document import Mapping

GAME = read(BASE, "small.yaml")


def words(node: object) -> set[str]:
    if isinstance(node, dict):
        return {w for k, v in node.items() for w in {k.partition("(")[0], k, *words(v)}}
    return set()


def language(shape: Shape, depth: int = 4) -> set[str]:
    match shape:
        case Record(fields=fields):
            children = list(fields.items())
        case Named(item=item, special=special):
            children = [("", item), *special.items()]
        case Rule(body=body, attributes=attributes):
            return {body or "do", *attributes}
    if not depth:
        return set()
    return {w for name, child in children for w in {name, *language(child, depth - 1)}}


NAMES = sorted((words(plain(GAME)) | language(DOCUMENT) | {"new", "newer", "before", "after"}) - {""})
name = st.sampled_from(NAMES)
text = st.sampled_from(["gold > 1", "deal", "shuffle", "fast", "true", "", *NAMES[:5]])
value = st.recursive(
    text,
    lambda inner: st.dictionaries(name, inner, max_size=3) | st.lists(inner, max_size=3),
    max_leaves=8,
)


def part(node: object, *, leaves: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """A part of an edit that follows the base's structure for a while, then does anything."""
    if not isinstance(node, dict) or not node:
        return leaves
    known = st.sampled_from(sorted(node)).flatmap(
        lambda k: part(node[k], leaves=leaves).map(lambda v: {k: v})
    )
    return st.one_of(known, known, known, st.dictionaries(name, leaves, max_size=2), leaves)


base = plain(GAME)
edits = st.fixed_dictionaries(
    {},
    optional={
        "add": part(base, leaves=value),
        "replace": part(base, leaves=value),
        "remove": part(base, leaves=st.lists(name, max_size=2)),
        "options": st.dictionaries(name, text, max_size=2),
        "constants": st.dictionaries(name, value, max_size=2),
        "requires": st.lists(st.sampled_from("abcd"), max_size=1),
        "excludes": st.just(["d"]),
    },
)


def loaded(name: str, body: object) -> Overlay | None:
    assert isinstance(body, dict)
    document = read(json.dumps({"ludex": 1, "overlay": name, "extends": "small", **body}), f"{name}.yaml")
    return load_overlay(document, Report())


def outcome(overlays: list[Overlay], onto: Mapping = GAME) -> tuple[Mapping | None, list[object]]:
    report = Report()
    result = apply_overlays(onto, overlays, report)
    for diagnostic in report:
        assert diagnostic.message and diagnostic.span.source.name
    assert (result is None) == bool(report.errors)
    return result, list(report)


@settings(max_examples=400, deadline=None)
@given(st.lists(edits, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_the_order_given_never_matters_and_nothing_raises(bodies: list[object], rng: random.Random) -> None:
    overlays = [o for n, b in zip("abcd", bodies, strict=False) if (o := loaded(n, b)) is not None]
    first = outcome(overlays)
    rng.shuffle(overlays)
    assert outcome(overlays) == first
    event("applied" if first[0] is not None else "refused")
    if first[0] is not None:
        for change in diff_documents(GAME, first[0]):
            assert describe(change)


@settings(max_examples=200, deadline=None)
@given(value, st.lists(edits, max_size=2))
def test_any_document_as_base_raises_nothing(odd: object, bodies: list[object]) -> None:
    onto = read(json.dumps({**(odd if isinstance(odd, dict) else {"setup": odd}), "game": "small"}))
    overlays = [o for n, b in zip("ab", bodies, strict=False) if (o := loaded(n, b)) is not None]
    result, _ = outcome(overlays, onto)
    diff_documents(GAME, result or onto)
    assert diff_documents(onto, onto) == ()


RULES = [
    ("setup", "deal"), ("setup", "shuffle"), ("define", "rich"), ("actions", "ride", "where", "it is yours"),
    ("actions", "ride", "do", "first"), ("actions", "ride", "do", "second"), ("end", "gold is out"),
    ("procedures", "hop", "take"), ("procedures", "fall", "do", "drop"), ("scoring", "gold"),
]  # fmt: skip


def nested(path: tuple[str, ...], leaf: object) -> dict[str, object]:
    for key in reversed(path[1:]):
        leaf = {key: leaf}
    return {path[0]: leaf}


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(RULES), st.booleans()), min_size=2, max_size=5))
def test_one_overlay_a_rule_conflicts_exactly_if_a_rule_is_hit_twice(
    hits: list[tuple[tuple[str, ...], bool]],
) -> None:
    overlays: list[Overlay] = []
    for i, (path, is_removed) in enumerate(hits):
        body = {"remove": nested(path[:-1], [path[-1]])} if is_removed else {"replace": nested(path, "new")}
        overlay = loaded(f"o{i}", body)
        assert overlay is not None
        overlays.append(overlay)
    result, found = outcome(overlays)
    assert outcome(overlays[::-1]) == (result, found)
    paths = [path for path, _ in hits]
    assert (result is None) == (len(set(paths)) < len(paths)), found
    if result is not None:
        assert len(diff_documents(GAME, result)) == len(paths)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["before", "after", None]), st.sampled_from(["deal", "shuffle"])),
        max_size=5,
    ),
    st.randoms(use_true_random=False),
)
def test_insertions_stand_where_they_say_or_conflict(
    places: list[tuple[str | None, str]], rng: random.Random
) -> None:
    overlays: list[Overlay] = []
    for i, (side, anchor) in enumerate(places):
        step = {"do": "x", **({side: anchor} if side else {})}
        overlay = loaded(f"o{i}", {"add": {"setup": {f"new {i}": step}}})
        assert overlay is not None
        overlays.append(overlay)
    rng.shuffle(overlays)
    result, _ = outcome(overlays)
    taken = [p for p in places if p[0] is not None]
    assert (result is None) == (len(set(taken)) < len(taken))
    if result is None:
        return
    setup = plain(result)
    assert isinstance(setup, dict)
    order = list(setup["setup"])
    for i, (side, anchor) in enumerate(places):
        if side is not None:
            assert order.index(f"new {i}") - order.index(anchor) == (1 if side == "after" else -1)
    at_the_end = [f"new {i}" for i, (side, _) in enumerate(places) if side is None]
    assert order[len(order) - len(at_the_end) :] == at_the_end
