"""Every way in which overlays do not fit: the code, the span, and the other place."""

from __future__ import annotations

import pytest
from overlay_documents import BASE, overlay, read, refused, spoken

from ludex.diagnostics import Report
from ludex.overlay import apply_overlays, codes, load_overlay
from ludex.source import SourceFile
from ludex.syntax.reader import read_document

GAME = read(BASE, "small.yaml")

ALONE = [
    # overlay, code, source at the span, labels, help
    ("replace: {setup: {suffle: x}}", "overlay-no-target", "suffle", ["small.yaml: shuffle"], "shuffle"),
    ("replace: {actions: {rideon: {where: {a: b}}}}",
     "overlay-no-target", "rideon", ["small.yaml: ride"], "ride"),
    ("replace: {setupp: {a: x}}", "overlay-no-target", "setupp", ["small.yaml: setup"], "setup"),
    ("replace: {actions: {rest: {where: {zzz: x}}}}",
     "overlay-no-target", "where", ["small.yaml: rest"], None),
    ("remove: {end: [all fell]}", "overlay-no-target", "all fell", ["small.yaml: all fall"], "all fall"),
    ("remove: {procedures: {hop: [tak]}}", "overlay-no-target", "tak", ["small.yaml: take"], "take"),
    ("remove: {phases: {play: {until: [rich]}}}", "overlay-no-target", "rich", ["small.yaml: until"], None),
    ("options: {sped: fast}", "overlay-no-target", "sped", ["small.yaml: speed"], "speed"),
    ("constants: {card: 3}", "overlay-no-target", "card", ["small.yaml: cards"], "cards"),
    ("add: {setup: {a: {after: shufle, do: x}}}",
     "overlay-no-anchor", "shufle", ["small.yaml: shuffle"], "shuffle"),
    ("add: {actions: {rest: {where: {a: {before: b, is: x}}}}}",
     "overlay-no-anchor", "b", ["small.yaml: rest"], None),
    ("add: {setup: {a: {after: b, do: x}, b: {after: a, do: x}}}",
     "overlay-anchor-circular", "a", ["one.yaml: a"], None),
    ("add: {setup: {a: {after: a, do: x}}}", "overlay-anchor-circular", "a", ["one.yaml: a"], None),
    ("add: {setup: {a: {after: deal, before: shuffle, do: x}}}",
     "overlay-anchor-misplaced", "before", [], None),
    ("replace: {setup: {deal: {after: shuffle, do: x}}}", "overlay-anchor-misplaced", "after", [], None),
    ("add: {phases: {play: {before: finale, where: {a: b}}}}",
     "overlay-anchor-misplaced", "finale", [], None),
    ("add: {setup: {deal: x}}", "overlay-exists", "deal", ["small.yaml: deal"], "replace"),
    ("add: {setup: {shuffle: {cite: x}}}", "overlay-exists", "cite", ["small.yaml: cite"], "replace"),
    ("add: {define: {rich: x}}", "overlay-exists", "rich", ["small.yaml: rich(player p)"], "replace"),
    ("add: {phases: {play: {turns: x}}}", "overlay-exists", "turns", ["small.yaml: turns"], "replace"),
    ("add: {phases: {play: {until: {rich: x}}}}",
     "overlay-exists", "until", ["small.yaml: until"], "replace"),
    ("add: {options: {limit: {default: 3}}}", "overlay-exists", "limit", ["small.yaml: limit"], "replace"),
    ("add: {state: {gold: {type: bool}}}", "overlay-exists", "gold", ["small.yaml: gold"], "replace"),
    ("replace: {setup: {deal: x}}\nremove: {setup: [deal]}",
     "overlay-same-rule", "deal", ["one.yaml: deal"], None),
    ("options: {speed: fast}\nreplace: {options: {speed: {default: slow}}}",
     "overlay-same-rule", "speed", ["one.yaml: default"], None),
    ("replace: {actions: {ride: {do: {first: x}}}}\nremove: {actions: [ride]}",
     "overlay-below-changed", "first", ["one.yaml: ride"], None),
    ("remove: {setup: [deal]}\nadd: {setup: {a: {after: deal, do: x}}}",
     "overlay-anchor-removed", "deal", ["one.yaml: deal"], None),
    ("options: {speed: warp}", "overlay-no-reading", "speed", ["small.yaml: readings"], None),
    ("options: {speed: {default: fast}}", "overlay-form", "{default: fast}", [], None),
    ("replace: {game: other}", "overlay-form", "game", [], None),
    ("remove: [ludex]", "overlay-form", "ludex", [], None),
    ("add: {setup: [a, b]}", "overlay-form", "[a, b]", [], None),
    ("replace: {options: {speed: fast}}", "overlay-form", "fast", [], None),
    ("remove: {setup: [{deal: x}]}", "overlay-form", "{deal: x}", [], None),
    ("add: {setup: {a: {after: [deal], do: x}}}", "overlay-form", "[deal]", [], None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "source", "labels", "hint"), ALONE, ids=[a[0] for a in ALONE])
def test_one_overlay(text: str, code: str, source: str, labels: list[str], hint: str | None) -> None:
    found = refused(GAME, overlay(text))
    assert [spoken(d) for d in found] == [(code, source, labels)]
    assert hint is None or hint in (found[0].help or "")
    assert found[0].span.source.name == "one.yaml"


BOTH = [
    # first overlay, second overlay, code, source at the span in the second, label in the first
    ("replace: {setup: {deal: x}}", "replace: {setup: {deal: y}}", "overlay-same-rule", "deal", "deal"),
    ("replace: {setup: {deal: x}}", "remove: {setup: [deal]}", "overlay-same-rule", "deal", "deal"),
    ("add: {setup: {new: x}}", "add: {setup: {new: x}}", "overlay-same-rule", "new", "new"),
    ("add: {actions: {fly: {do: {a: x}}}}", "add: {actions: {fly: {where: {b: x}}}}",
     "overlay-same-rule", "fly", "fly"),
    ("add: {define: {'f(int a)': a}}", "add: {define: {'f(int b)': b}}",
     "overlay-same-rule", "'f(int b)'", "'f(int a)'"),
    ("options: {speed: fast}", "options: {speed: fast}", "overlay-same-rule", "speed", "speed"),
    ("constants: {cards: 1}", "replace: {constants: {cards: 2}}", "overlay-same-rule", "cards", "cards"),
    ("replace: {procedures: {fall: {drop: x}}}", "replace: {procedures: {fall: {do: {drop: y}}}}",
     "overlay-same-rule", "drop", "drop"),
    ("remove: {actions: [ride]}", "add: {actions: {ride: {do: {new: x}}}}",
     "overlay-below-changed", "new", "ride"),
    ("replace: {setup: {deal: x}}", "add: {setup: {deal: {cite: y}}}",
     "overlay-below-changed", "cite", "deal"),
    ("replace: {phases: {play: {until: {a: x}}}}", "remove: {phases: {play: [until]}}",
     "overlay-same-rule", "until", "until"),
    ("add: {setup: {a: {after: deal, do: x}}}", "add: {setup: {b: {after: deal, do: x}}}",
     "overlay-same-anchor", "deal", "deal"),
    ("remove: {setup: [deal]}", "add: {setup: {b: {after: deal, do: x}}}",
     "overlay-anchor-removed", "deal", "deal"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second", "code", "source", "label"), BOTH, ids=[f"{a[0]} + {a[1]}" for a in BOTH]
)
def test_two_overlays(first: str, second: str, code: str, source: str, label: str) -> None:
    one, two = overlay(first, "one"), overlay(second, "two")
    found = refused(GAME, one, two)
    assert [spoken(d) for d in found] == [(code, source, [f"one.yaml: {label}"])]
    assert found[0].span.source.name == "two.yaml"
    assert refused(GAME, two, one) == found


@pytest.mark.parametrize(("first", "second"), [a[:2] for a in BOTH[:8]], ids=[a[1] for a in BOTH[:8]])
def test_requires_allows_what_would_conflict(first: str, second: str) -> None:
    one, two = overlay(first, "one"), overlay("requires: [one]\n" + second, "two")
    report = Report()
    apply_overlays(GAME, [two, one], report)
    # what is added twice is now seen to exist; everything else is allowed
    assert {d.code.name for d in report} <= {"overlay-exists"}
    assert bool(report.errors) == (first.startswith(("add: {setup", "add: {define")))


def test_different_sides_and_the_end_are_no_conflict() -> None:
    report = Report()
    one = overlay("add: {setup: {a: {after: deal, do: x}, c: z}}", "one")
    two = overlay("add: {setup: {b: {before: shuffle, do: x}, d: z}}", "two")
    result = apply_overlays(GAME, [two, one], report)
    assert result is not None
    setup = result.get("setup")
    assert setup is not None and [e.name for e in setup] == ["deal", "a", "b", "shuffle", "c", "d"]  # type: ignore[union-attr]


def test_what_another_overlay_adds_must_be_required() -> None:
    one, two = overlay("add: {setup: {new: x}}", "one"), overlay("replace: {setup: {new: y}}", "two")
    found = refused(GAME, one, two)
    missing = [d for d in found if d.code is codes.NO_TARGET]
    assert [spoken(d) for d in missing] == [("overlay-no-target", "new", ["one.yaml: new"])]
    assert "requires: [one]" in (missing[0].help or "")


def test_what_a_required_overlay_removed_is_told() -> None:
    one = overlay("remove: {setup: [deal]}", "one")
    target = overlay("requires: [one]\nreplace: {setup: {deal: y}}", "two")
    assert spoken(refused(GAME, one, target)[0]) == ("overlay-no-target", "deal", ["one.yaml: deal"])
    anchor = overlay("requires: [one]\nadd: {setup: {a: {after: deal, do: x}}}", "two")
    assert spoken(refused(GAME, one, anchor)[0]) == ("overlay-anchor-removed", "deal", ["one.yaml: deal"])


def test_another_game() -> None:
    found = refused(GAME, overlay("", "one", extends="smal"))
    assert [spoken(d) for d in found] == [("overlay-other-game", "smal", ["small.yaml: small"])]
    assert found[0].help == "did you mean `small`?"


def test_required_overlay_missing() -> None:
    found = refused(GAME, overlay("requires: [base_rules]"))
    assert [spoken(d) for d in found] == [("overlay-requires-missing", "base_rules", [])]
    assert found[0].help == "add `+base_rules` to the stack"


def test_excluded_overlay_present() -> None:
    found = refused(GAME, overlay("excludes: [two]", "one"), overlay("", "two"))
    assert [spoken(d) for d in found] == [("overlay-excluded", "two", ["two.yaml: two"])]


def test_the_same_overlay_twice() -> None:
    found = refused(GAME, overlay("", "one"), overlay("", "one"))
    assert [spoken(d) for d in found] == [("overlay-twice", "one", ["one.yaml: one"])]


def test_one_overlay_object_given_twice() -> None:
    one = overlay("", "one")
    assert refused(GAME, one, one)[0].code is codes.TWICE


def test_circular_requires() -> None:
    found = refused(GAME, overlay("requires: two", "one"), overlay("requires: [one]", "two"))
    assert [spoken(d) for d in found] == [("overlay-requires-circular", "two", ["two.yaml: one"])]
    assert refused(GAME, overlay("requires: [one]", "one"))[0].code is codes.REQUIRES_CIRCULAR


def test_too_many_overlays() -> None:
    many = [overlay("", f"o{i}") for i in range(65)]
    assert refused(GAME, *many)[0].code is codes.TOO_MANY


def test_every_fault_is_reported_at_once() -> None:
    one = overlay("replace: {setup: {dael: x}}\nadd: {setup: {shuffle: x}}\noptions: {sped: fast}")
    assert {d.code.name for d in refused(GAME, one)} == {"overlay-no-target", "overlay-exists"}
    assert len(refused(GAME, one)) == 3


@pytest.mark.parametrize(
    ("text", "code", "source"),
    [
        ("overlay: a\nextends: b\nremoves: {setup: [x]}", "overlay-unknown-key", "removes"),
        ("overlay: a\nextends: b\nsetup: {x: y}", "overlay-unknown-key", "setup"),
        ("overlay: [a]\nextends: b", "overlay-form", "[a]"),
        ("overlay: a\nextends: b\nadd: [x]", "overlay-form", "[x]"),
        ("overlay: a\nextends: b\nremove: x", "overlay-form", "x"),
        ("overlay: a\nextends: b\nrequires: {x: y}", "overlay-form", "{x: y}"),
    ],
)
def test_load_reports(text: str, code: str, source: str) -> None:
    report = Report()
    load_overlay(read(text), report)
    assert [(d.code.name, d.span.text) for d in report] == [(code, source)]


def test_an_overlay_without_name_or_game_is_none() -> None:
    report = Report()
    document = read_document(SourceFile("x", "title: y"), report)
    assert document is not None
    assert load_overlay(document, report) is None
    assert len(report.errors) == 2


def test_every_code_is_listed_and_explained() -> None:
    defined = {value for name, value in vars(codes).items() if name.isupper() and name != "ALL"}
    assert defined == set(codes.ALL)
    assert all(c.name.startswith("overlay-") and len(c.explanation) > 100 for c in codes.ALL)
