"""What `add`, `replace`, `remove`, `options` and `constants` do."""

from __future__ import annotations

from overlay_documents import BASE, applied, at, keys, overlay, read

GAME = read(BASE, "small.yaml")


def test_add_merges_down_to_what_is_new() -> None:
    one = overlay(
        """
        add:
          actions:
            ride: {where: {it is day: day}, label: ride}
            fly: {do: {up: go}}
          phases: {play: {each_round: {dawn: wake}}}
          ambiguities: {settled: {dice: six}}
        """
    )
    result = applied(GAME, one)
    assert keys(result, "actions", "ride", "where") == ["it is yours", "it is day"]
    assert keys(result, "actions") == ["ride", "rest", "fly"]
    assert at(result, "actions", "ride", "label") == "ride"
    assert at(result, "phases", "play", "each_round") == {"dawn": "wake"}
    assert at(result, "ambiguities", "settled") == {"colours": "none", "dice": "six"}


def test_a_rule_is_replaced_whole() -> None:
    text = "replace: {setup: {shuffle: mix}, components: {pieces: {man: {count: 9}}}}"
    result = applied(GAME, overlay(text))
    assert at(result, "setup") == {"deal": "deal cards", "shuffle": "mix"}
    assert at(result, "components", "pieces", "man") == {"count": "9"}


def test_an_attribute_is_replaced_alone() -> None:
    text = "replace: {options: {speed: {type: bool}}, phases: {play: {turns: all, until: {rich: rich(me)}}}}"
    result = applied(GAME, overlay(text))
    assert at(result, "options", "speed") == {"type": "bool", "default": "slow"}
    assert at(result, "phases", "play", "turns") == "all"
    assert at(result, "phases", "play", "until") == {"rich": "rich(me)"}


def test_a_citation_is_added_to_a_rule_in_short_form() -> None:
    one = overlay(
        """
        add: {setup: {deal: {cite: book / 9}}, scoring: {gold: {note: x}}}
        replace: {setup: {shuffle: {cite: book / 8}}}
        """
    )
    result = applied(GAME, one)
    assert at(result, "setup", "deal") == {"do": "deal cards", "cite": "book / 9"}
    assert at(result, "scoring", "gold") == {"is": "gold", "note": "x"}
    assert at(result, "setup", "shuffle") == {"do": "shuffle deck", "cite": "book / 8"}


def test_steps_of_a_procedure_stand_under_do_or_directly() -> None:
    direct = "add: {procedures: {%s: {new: step}}}\nreplace: {procedures: {%s: {%s: other}}}"
    under = "add: {procedures: {%s: {do: {new: step}}}}\nreplace: {procedures: {%s: {do: {%s: other}}}}"
    for text in (direct, under):
        bare = applied(GAME, overlay(text % ("hop", "hop", "take")))
        assert at(bare, "procedures", "hop(square from, square to)", "do") == {
            "take": "other",
            "land": "move it",
            "new": "step",
        }
        long = applied(GAME, overlay(text % ("fall", "fall", "drop")))
        assert at(long, "procedures", "fall") == {"do": {"drop": "other", "new": "step"}}


def test_remove_names_in_lists() -> None:
    one = overlay(
        """
        remove:
          end: [gold is out]
          actions: {ride: {do: [second], where: it is yours}}
          procedures: {hop: [take], fall: {do: [drop]}}
          phases: [finale]
        """
    )
    result = applied(GAME, one)
    assert keys(result, "end") == ["all fall"]
    assert at(result, "actions", "ride") == {
        "choose": {"k": "knight"},
        "do": {"first": "move k"},
        "cite": "book / 3",
    }
    assert at(result, "procedures") == {
        "hop(square from, square to)": {"do": {"land": "move it"}},
        "fall": {},
    }
    assert keys(result, "phases") == ["play"]


def test_a_section_and_its_attributes_can_be_removed() -> None:
    result = applied(GAME, overlay("remove: [scoring]"))
    assert "scoring" not in keys(result)


def test_a_definition_addressed_by_name_keeps_its_parameters() -> None:
    result = applied(GAME, overlay("replace: {define: {rich: gold > 9}}"))
    assert at(result, "define", "rich(player p)") == "gold > 9"
    result = applied(GAME, overlay("replace: {define: {'rich(player q, int n)': gold > n}}"))
    assert keys(result, "define") == ["rich(player q, int n)", "order"]


def test_insertion_before_and_after_keeps_the_written_order() -> None:
    one = overlay(
        """
        add:
          setup:
            a: {after: deal, do: a}
            b: {after: deal, do: b, cite: book / 1}
            c: {before: deal, do: c}
            d: {before: a, do: d}
            last: z
            e: {before: last, do: e}
          phases:
            overture: {before: play, do: {tune: play}}
          actions: {ride: {choose: {from: {before: k, is: square}}}}
        """
    )
    result = applied(GAME, one)
    assert keys(result, "setup") == ["c", "deal", "d", "a", "b", "shuffle", "e", "last"]
    assert at(result, "setup", "b") == {"do": "b", "cite": "book / 1"}
    assert at(result, "phases", "overture") == {"do": {"tune": "play"}}
    assert keys(result, "phases") == ["overture", "play", "finale"]
    assert at(result, "actions", "ride", "choose") == {"from": "square", "k": "knight"}


def test_options_and_constants_set_values() -> None:
    text = "options: {speed: fast, limit: 4}\nconstants: {cards: 7, heights: [3, 3, 3]}"
    result = applied(GAME, overlay(text))
    assert at(result, "options") == {"speed": {"type": ["slow", "fast"], "default": "fast"}, "limit": "4"}
    assert at(result, "constants") == {"cards": "7", "heights": {"per": "1..3", "values": ["3", "3", "3"]}}


def test_setting_an_option_chooses_its_reading() -> None:
    result = applied(GAME, overlay("title: The quick one\noptions: {speed: fast}"))
    assert at(result, "ambiguities", "how fast", "chosen") == "fast"
    assert at(result, "ambiguities", "how fast", "because") == "Chosen by the overlay The quick one."
    register = result.get("ambiguities")
    assert register is not None
    reason = "replace: {ambiguities: {how fast: {because: We like it.}}}"
    result = applied(GAME, overlay(f"options: {{speed: fast}}\n{reason}"))
    assert at(result, "ambiguities", "how fast", "chosen") == "fast"
    assert at(result, "ambiguities", "how fast", "because") == "We like it."


def test_an_overlay_that_plays_a_reading_chooses_it() -> None:
    base = read(BASE.replace("fast: {speed: fast}}", "at a run: {overlay: running}}"))
    result = applied(base, overlay("add: {state: {legs: {type: int}}}", "running"))
    assert at(result, "ambiguities", "how fast", "chosen") == "at a run"


def test_a_reading_added_with_its_option_value_is_chosen() -> None:
    one = overlay(
        """
        options: {speed: medium}
        replace: {options: {speed: {type: [slow, medium, fast]}}}
        add: {ambiguities: {how fast: {readings: {so so: {speed: medium}}}}}
        """
    )
    assert at(applied(GAME, one), "ambiguities", "how fast", "chosen") == "so so"


def test_a_required_overlay_comes_first_and_may_be_built_on() -> None:
    second = overlay(
        """
        requires: [z_first]
        replace: {setup: {new: changed}}
        add: {setup: {newer: {after: deal, do: x}}, actions: {fly: {where: {it can: able}}}}
        remove: {actions: [rest]}
        """,
        "a_second",
    )
    first = overlay("add: {setup: {new: {after: deal, do: y}}, actions: {fly: {do: {up: go}}}}", "z_first")
    result = applied(GAME, second, first)
    assert at(result, "setup", "new") == "changed"
    assert keys(result, "setup") == ["deal", "newer", "new", "shuffle"]
    assert keys(result, "actions", "fly") == ["do", "where"]


def test_names_are_compared_after_normalisation() -> None:
    base = read(BASE.replace("deal: deal cards", "de\u0301part: deal cards"))
    assert at(applied(base, overlay("remove: {setup: [d\u00e9part]}")), "setup") == {
        "shuffle": {"do": "shuffle deck", "cite": "book / 2"}
    }


def test_the_order_is_by_requires_and_then_by_name() -> None:
    a = overlay("requires: [b]\nadd: {setup: {from a: x}}", "a")
    b, c = overlay("add: {setup: {from b: x}}", "b"), overlay("add: {setup: {from c: x}}", "c")
    assert keys(applied(GAME, c, a, b), "setup")[2:] == ["from b", "from a", "from c"]


def test_an_option_set_to_what_it_is_leaves_the_register_alone() -> None:
    result = applied(GAME, overlay("options: {speed: slow}"))
    assert at(result, "ambiguities") == at(GAME, "ambiguities")
