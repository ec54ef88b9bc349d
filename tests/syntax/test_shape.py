"""The shape of documents: findings at their spans, and jsonschema as the oracle of verdicts."""

from __future__ import annotations

import json
import textwrap

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludex.diagnostics import Report
from ludex.resources import grammar_path
from ludex.source import SourceFile
from ludex.syntax.document import Mapping, plain
from ludex.syntax.reader import read_document
from ludex.syntax.shape import Kind, document_kind, validate_shape

GAME = "ludex: 1\ngame: g\ntitle: G\nplayers: 2\n"
OVERLAY = "ludex: 1\noverlay: o\nextends: g\n"


def check(text: str, kind: Kind = "game") -> Report:
    report = Report()
    document = read_document(SourceFile("t.yaml", text), report)
    if document is not None:
        validate_shape(document, kind, report)
    return report


def found(body: str, kind: Kind = "game") -> list[tuple[str, int, int]]:
    """Code, line (counted from the body's first) and column of the findings in a document with `body`."""
    head = GAME if kind == "game" else OVERLAY
    before = head.count("\n")
    report = check(head + textwrap.dedent(body).lstrip("\n"), kind)
    return [(d.code.name, d.span.line - before, d.span.column) for d in report]


def messages(body: str) -> list[tuple[str, str | None]]:
    return [(d.message, d.help) for d in check(GAME + textwrap.dedent(body).lstrip("\n"))]


WHOLE = GAME + """
sources: {rules: {title: Rules, language: fr, sha256: 15d80acd}}
options:
  flip: {type: [early, late], default: early, needs: player_count > 2}
ambiguities:
  when: {question: When?, readings: {a: {flip: early}, b: {flip: late}}, chosen: a, because: So, cite: r / 1}
  settled: {doubt: its answer}
types:
  gem: [ruby, emerald]
  color: {by: player_count, 2: [red], otherwise: [red, blue]}
  value: {range: 2..14, names: {11: jack}}
  site: gem or color
constants:
  each: {by: player_count, 2: 36, otherwise: 24}
  height: {per: gem, values: [3, 2]}
  men: {per: 1..24, by: flip, early: {1: 2, otherwise: 0}, late: {each: 1}}
components:
  spaces:
    slot: 7
    square: {grid: 8x8, holds: 1, only: (x + y) mod 2 == 0}
    island: {at: {A1: [2.49, -0.22], A2: [1, 2]}}
    point: {lines: [[a, b, c], [c, d]]}
    span: {pairs: island, where: {long: "distance(a, b) > 3"}, fields: {size: 1}}
  tracks: {road: [slot, square]}
  pieces:
    man: {per: {owner: player, kind: gem}, count: {by: kind, ruby: 1, otherwise: 2}, name: "{kind}_{n}"}
  tokens: {stone: {count: 27, start: slot}}
  cards: {card: {per: [gem, value]}}
  dice: {die: [1, 1, 2], d6: 1..6, cup: {per: player, count: 5, faces: 1..6, visible: owner}}
  piles: {hand: {per: player, holds: card, visible: owner}}
state:
  leader: {type: optional player, reset: turn}
define:
  owner(man m): m.owner
  long: {is: true, note: a remark}
setup:
  deal: deal 3 from deck to hand(me)
  more:
    do: |
      for each p in players:
        shuffle deck
    cite: [rules / 1, rules / 2]
phases:
  play:
    begin: {go: leader = none}
    turns: clockwise from leader
    where: {can: can(go)}
    do: {one: act go}
    until: leader is none
    phases: {inner: {do: {x: again}, rounds: 1}}
procedures:
  carry(square from, square to): {take it: remove m at to, go: move m to to}
  flight: {cite: rules / 3, do: {fly: again}}
actions:
  go:
    label: go to {s}
    given: {m: man}
    choose: {s: square}
    let: {k: 1}
    where: {free: s is empty}
    do: {move it: move m to s}
end:
  all gone: {is: hand is empty, winner: me}
  over: false
scoring: {points: count(hand(me))}
ranking: {total: most score}
payoff: 1
heuristic: {is: count(hand(me)), horizon: 30, note: For bots.}
records: {position: {of: [leader], keep: 300}}
diagrams: {opening: {space: square, piece: man, legend: {K: white king}, rows: "K . ."}}
match: {games: 2, total: sum}
invariants: {fine: true}
view: {glyphs: {man: {sign: "{kind}", color: red}}, panels: {road: {across: s in road, rows: {x: "{s}"}}}}
"""


def test_every_section() -> None:
    assert [d.message for d in check(WHOLE)] == []


def test_an_overlay() -> None:
    body = """
    title: O
    requires: [a]
    options: {flip: late}
    constants: {each: 3}
    add:
      actions: {go: {do: {toll: {after: move it, do: again}}}}
      state: {opener: {start: player(1)}}
    replace: {define: {order: clockwise}}
    remove: {end: [over], actions: {go: {where: [free]}}}
    """
    assert found(body, "overlay") == []


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("game: g\ntitle: G\nplayers: 2\n", "shape-no-version", 1),
        ("game: g\ntitle: G\nplayers: 2\nludex: 99\n", "shape-unsupported-version", 4),
        ("game: g\ntitle: G\nplayers: 2\nludex: one\n", "shape-unsupported-version", 4),
        ("game: g\nludex: 1\nplayers: 2\n", "shape-missing-key", 1),
        (OVERLAY, "shape-wrong-value", 2),
        ("{}", "shape-no-version", 1),
    ],
)
def test_heads(text: str, code: str, line: int) -> None:
    first = next(iter(check(text)))
    assert (first.code.name, first.span.line) == (code, line)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("actions:\n  go:\n    wheer: {}\n", [("shape-unknown-key", 3, 5)]),
        ("action:\n  go: {}\n", [("shape-unknown-key", 1, 1)]),
        ("actions:\n", [("shape-empty", 1, 1)]),
        ("actions: ~\n", [("shape-empty", 1, 10)]),
        ("setup:\n  deal:\n  more: again\n", [("shape-empty", 2, 3)]),
        ("setup:\n  deal:\n    do:\n", [("shape-empty", 3, 5)]),
        ("setup:\n  deal:\n    cite: x\n", [("shape-missing-key", 2, 3)]),
        ("setup: [a]\n", [("shape-wrong-type", 1, 8)]),
        ("setup: shuffle\n", [("shape-wrong-type", 1, 8)]),
        ("setup:\n  deal/2: again\n", [("shape-wrong-value", 2, 3)]),
        ("state:\n  x: {type: int, reset: turns}\n", [("shape-wrong-value", 2, 25)]),
        ("state:\n  x y: {type: int}\n", [("shape-wrong-value", 2, 3)]),
        ("options:\n  x: {type: int}\n", [("shape-missing-key", 2, 3)]),
        ("components:\n  spaces: {s: {holds: 0}}\n", [("shape-wrong-value", 2, 23)]),
        ("components:\n  spaces: {s: {at: {A: [1, 2, 3]}}}\n", [("shape-wrong-value", 2, 24)]),
        ("components:\n  spaces: {s: {at: {A: [1, x]}}}\n", [("shape-wrong-type", 2, 28)]),
        ("setup:\n  deal: {after: x, do: again}\n", [("shape-overlay-only", 2, 10)]),
        ("setup:\n  a: {do: 1, x: 2}\n  b: {do: 1, y: 2}\n",
         [("shape-unknown-key", 2, 14), ("shape-unknown-key", 3, 14)]),
        # what YAML has cut
        ("end:\n  a: {is: max(a, b), cite: x}\n", [("yaml-split-text", 2, 11)]),
        ("end:\n  a: {is: f(a, g(b, c)) > 1}\n", [("yaml-split-text", 2, 11)]),
        ("actions:\n  go: {where: {a: 1, b: x in f(y, z)}}\n", [("yaml-split-text", 2, 25)]),
        ("actions:\n  go: {where: {a: x, y}}\n", [("yaml-split-text", 2, 22)]),
        ("end:\n  a: {is: x, y}\n", [("yaml-split-text", 2, 14)]),
        ("procedures: {carry(square a, square b): {go: again}}\n", [("yaml-split-text", 1, 14)]),
        ("components:\n  dice: {d: [f(1, 2), 3]}\n", [("yaml-split-text", 2, 14)]),
        ("end:\n  a: {x in S}\n", [("yaml-quote-needed", 2, 6)]),
        ("scoring:\n  a:\n    is: {x in S}\n", [("yaml-quote-needed", 3, 9)]),
        ("scoring:\n  a:\n    is: [x, y]\n", [("yaml-quote-needed", 3, 9)]),
        ("setup:\n  a:\n    do:\n      if x:\n        again\n", [("yaml-quote-needed", 4, 7)]),
        ('setup:\n  a: say("so # what")\n', [("yaml-quote-needed", 2, 14)]),
    ],
)  # fmt: skip
def test_findings(body: str, expected: list[tuple[str, int, int]]) -> None:
    assert found(body) == expected


def test_nearest_key() -> None:
    assert messages("actions:\n  go: {wheer: {}}\n") == [
        ("unknown key `wheer` in an action", "did you mean `where`?")
    ]


def test_the_home_of_a_key() -> None:
    ((message, help),) = messages("panels: {}\n")
    assert message == "unknown key `panels` in a game definition"
    assert help == "`panels` may stand in the view"


def test_a_comma_that_split_a_rule_is_shown_whole() -> None:
    ((message, help),) = messages("end:\n  a: {is: max(a, b), cite: x}\n")
    assert message == "a comma split this rule: `max(a, b)`"
    assert help is not None and "quotes" in help


def test_a_template_may_begin_with_a_brace() -> None:
    assert found("actions:\n  go:\n    label: {k}\n") == []


def test_all_findings_are_reported() -> None:
    body = "actions:\n  a: {wheer: 1}\n  b: {doo: 1}\nstate: 3\nend:\n"
    assert [line for _, line, _ in found(body)] == [2, 3, 4, 5]


# --------------------------------------------------------------------------- the schema file

KEYWORDS = frozenset(
    [
        "$schema", "$id", "$defs", "$ref", "if", "then", "else", "type", "enum", "minimum", "properties",
        "additionalProperties", "propertyNames", "pattern", "maxLength", "required", "items", "minItems",
        "maxItems", "anyOf", "title", "description", "x-text", "x-required", "x-overlay",
    ]
)  # fmt: skip


def _schema() -> dict[str, object]:
    loaded = json.loads(grammar_path("schema.json").read_text("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_schema_is_a_schema_and_uses_only_what_is_interpreted() -> None:
    schema = _schema()
    jsonschema.Draft202012Validator.check_schema(schema)

    def walk(rule: object) -> None:
        if not isinstance(rule, dict):
            return
        assert set(rule) <= KEYWORDS, set(rule) - KEYWORDS
        for name, value in rule.items():
            if name in ("properties", "$defs"):
                for inner in value.values():
                    walk(inner)
            elif name == "anyOf":
                for inner in value:
                    walk(inner)
            elif name in ("if", "then", "else", "items", "additionalProperties", "propertyNames"):
                walk(value)

    walk(schema)


def test_every_section_has_a_description() -> None:
    schema = _schema()
    definitions = schema["$defs"]
    assert isinstance(definitions, dict)
    for kind in ("game", "overlay", "sections"):
        for name, rule in definitions[kind]["properties"].items():
            while "description" not in rule:
                place: object = schema
                for part in rule["$ref"].removeprefix("#/").split("/"):
                    assert isinstance(place, dict)
                    place = place[part]
                assert isinstance(place, dict)
                rule = place
            assert rule["description"], name


def _strict(rule: object) -> object:
    """The schema as a game's own definition is held to it: `x-required` required, `x-overlay` refused."""
    if isinstance(rule, list):
        return [_strict(item) for item in rule]
    if not isinstance(rule, dict):
        return rule
    if rule.get("x-overlay") is True:
        return False
    result = {key: _strict(value) for key, value in rule.items()}
    if "x-required" in result:
        result["required"] = result.get("required", []) + result["x-required"]
    return result


_GAME = jsonschema.Draft202012Validator({**_strict(_schema()), "$ref": "#/$defs/game"})  # type: ignore[dict-item]
_OVERLAY = jsonschema.Draft202012Validator({**_schema(), "$ref": "#/$defs/overlay"})
for _validator in (_GAME, _OVERLAY):
    for _key in ("if", "then", "else"):
        _validator.schema.pop(_key)

LINES = WHOLE.splitlines()


@given(
    st.lists(
        st.tuples(
            st.integers(0, len(LINES) - 1),
            st.sampled_from(["drop", "null", "list", "map", "rename", "indent", "number", "block"]),
        ),
        min_size=1,
        max_size=3,
    )
)
@settings(max_examples=150, deadline=None)
def test_verdicts_agree_with_jsonschema(changes: list[tuple[int, str]]) -> None:
    lines = list(LINES)
    for number, change in changes:
        line = lines[number]
        head = line.split(":", 1)[0]
        lines[number] = {
            "drop": "",
            "null": f"{head}:",
            "list": f"{head}: [x, y]",
            "map": f"{head}: {{x: y}}",
            "rename": line.replace(head.strip(), "other", 1) if head.strip() else line,
            "indent": "  " + line,
            "number": f"{head}: 1.5",
            "block": f"{head}: {{do: x, is: y}}",
        }[change]
    report = Report()
    document = read_document(SourceFile("t.yaml", "\n".join(lines)), report)
    if document is None or report.errors or document_kind(document) != "game":
        return
    validate_shape(document, "game", report)
    verdict = _GAME.is_valid(plain(document))
    if any(d.code.name in ("yaml-split-text", "yaml-quote-needed") for d in report):
        return
    leniency = _braces_in_labels(document)
    assert leniency or verdict == (not report.errors), [d.message for d in report]


@pytest.mark.parametrize(
    ("body", "valid"),
    [
        ("add: {options: {flip: {default: late}}}\n", True),
        ("add: {setup: {x: {after: y, do: again}}}\n", True),
        ("add: {setup: {x: {behind: y, do: again}}}\n", False),
        ("replace: {setups: {x: again}}\n", False),
        ("remove: {end: over, setup: [x], actions: {go: {where: [y]}}}\n", True),
        ("remove: {over: x}\n", False),
        ("requires: other\n", True),
        ("requires: {x: y}\n", False),
    ],
)
def test_overlays_agree_with_jsonschema(body: str, valid: bool) -> None:
    document = read_document(SourceFile("t.yaml", OVERLAY + body), Report())
    assert document is not None
    assert _OVERLAY.is_valid(plain(document)) == valid
    assert (not check(OVERLAY + body, "overlay").errors) == valid


def _braces_in_labels(document: Mapping) -> bool:
    """Whether a template was written `{k}`: accepted here, underlined by editors."""
    text = document.span.text
    return any(f"{key}: {c}" in text for key in ("label", "name", "sign", "x") for c in "{[")


def test_a_file_full_of_mistakes_is_read_in_no_time() -> None:
    body = "actions:\n" + "".join(f"  a{i}: {{x{i}: 1}}\n" for i in range(2_000))
    assert len(found(body)) == 200
