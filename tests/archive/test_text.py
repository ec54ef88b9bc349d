"""Headings, sentences and fingerprints, as docs/language.md specifies them.

Fingerprints were computed apart, by `printf %s 'normalised text' | sha256sum`.
"""

from __future__ import annotations

import pytest

from ludex.archive.text import divide, fingerprint, folded, guess_headings, in_order, normalised, sentences

CASES = {
    "a stop, a blank and a capital letter end one": ("One two. Three! Four? Five", 4),
    "a small letter goes on": ("It costs 3 fr. for each. and so on", 1),
    "a digit goes on": ("See no. 5 of the list. 6 are left", 1),
    "no blank goes on": ("One.Two", 1),
    "a colon ends none": ("There are: This. And that", 2),
    "a line break is a blank": ("One\ntwo.\nThree", 2),
    "an abbreviation before a capital ends one": ("Take the cards of Mr. Brown. Then stop.", 3),
    "quotation marks may stand between": ("He says “Mine!” Then “Yours.” «Oui!» « Non. » Fin", 5),
    "brackets may stand between": ("Lay it down (face down!) Then turn. (It is seen.) All look.", 4),
    "a number of the text itself ends one": ("Example: 1. Anna 2. Bert", 3),
    "several stops are one": ("Really?! Yes... No", 3),
    "signs alone are no sentence": (". – One. | *** |", 1),
    "the ideographic full stop ends one by itself": ("一。二！三", 3),
    "letters without case begin one": ("אחת. שתיים", 2),
    "nothing": ("", 0),
}


@pytest.mark.parametrize("text, count", CASES.values(), ids=CASES)
def test_sentences_are_counted(text: str, count: int) -> None:
    found = sentences(folded(text))
    assert len(found) == count, [s.text for s in found]


def test_a_sentence_is_shown_as_it_stands_without_what_is_around_it() -> None:
    assert [s.text for s in sentences(folded(": - Lay (all)\n down! “Oh.” Go |"))] == [
        "Lay (all) down!", "“Oh.”", "Go",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "L’été, d’abord : 3 fois !",
        "l'E\u0301TE\u0301 d'abord — 3\u00a0fois",
        "  l\u2019\u00e9t\u00e9\nd\u2019a\u00adbord, ３ fois.",
    ],
)
def test_a_fingerprint_depends_on_letters_and_digits_only(text: str) -> None:
    assert normalised(text) == "l été d abord 3 fois"
    assert fingerprint(text) == "0933e1"


def test_fingerprints_tell_words_and_numbers_apart() -> None:
    assert fingerprint("Take one to three lamps.") == "a4a2ee"
    assert fingerprint("Take one to four lamps.") != "a4a2ee"
    assert fingerprint("1-5 points") != fingerprint("15 points")
    assert fingerprint("Straße") == fingerprint("STRASSE") == "16d969"


def test_a_heading_is_the_first_place_after_the_one_before() -> None:
    text = folded("The End is near. Start Go. The End is not the end. End Stop. Start again.")
    found = divide(text, ["Start", "End"])
    assert [(s.heading, [x.text for x in s.sentences]) for s in found.sections] == [
        ("Start", ["Go.", "The"]),
        ("End", ["is not the end.", "End Stop.", "Start again."]),
    ]
    assert [s.text for s in found.before] == ["The End is near."]


def test_a_heading_is_whole_words_whatever_the_apostrophes_and_blanks() -> None:
    text = folded("Scores are kept. Le jeu de\n l’oie Go. Score Sum")
    found = divide(text, ["Le jeu de l'oie", "Score"])
    assert [len(s.sentences) for s in found.sections] == [1, 1] and not found.missing


def test_headings_that_are_not_there_are_told() -> None:
    found = divide("Setup Go. End Stop.", ["End", "Setup", "Advice"])
    assert [(m.heading, m.earlier) for m in found.missing] == [("Setup", True), ("Advice", False)]


def test_a_heading_that_comes_again_has_a_number() -> None:
    found = divide("Example One. Two. Example Three.", ["Example", "Example (2)"])
    assert [len(s.sentences) for s in found.sections] == [2, 1]


def test_the_text_ends_where_it_is_said() -> None:
    found = divide("Setup Go. End Stop. Copy: Setup Go. End Stop.", ["Setup", "End"], "Copy:")
    assert [[x.text for x in s.sentences] for s in found.sections] == [["Go."], ["Stop."]]


def test_headings_are_guessed_by_lines() -> None:
    raw = (
        "A title\n\nSetup\nLay them.\n\nPlay:\nTake it, and\ngo on.\n- a list\nEnd\nIt is over.\n"
        "Lamps\nTables\nChairs\nThat is all.\nPlay\nMore.\nlast\n"
    )
    assert guess_headings(raw) == ("A title", "Setup", "Play", "End", "Play (2)")


def test_cited_headings_are_put_in_the_order_of_the_text() -> None:
    text = folded("The Score is kept. Setup Lay it. Score The sum counts. End the game. End Stop.")
    assert in_order(text, ["End", "Score", "None", "Setup"]) == ("Setup", "Score", "End", "None")
