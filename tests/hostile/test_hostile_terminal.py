"""Nothing a stranger wrote reaches the terminal as a command: not by any text, name, file or save."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_definitions import definition
from test_hostile_saves import DEALT, TEXT, changed

EVIL = {
    "escape": "\x1b]0;owned\x07\x1b[2J",
    "c1": "\x9b2J",
    "bidi": "\u202eevil\u202c",
    "isolate": "\u2066x\u2069",
    "carriage return": "\rfine",
    "backspace": "\x08\x08",
    "delete": "\x7f",
    "line separator": "\u2028",
    "zero width": "g\u200bo",
    "mark": "\u200f",
    "byte order": "\ufeff",
}
COMMANDS = (
    ("check",),
    ("check", "--json"),
    ("show",),
    ("show", "--form", "markdown"),
    ("ir",),
    ("test",),
    ("simulate", "--games", "2", "--bots", "random"),
    ("simulate", "--games", "2", "--bots", "random", "--json"),
    ("play", "--seed", "1", "--bots", "random"),
    ("explain",),
)


def places(text: str) -> dict[str, str]:
    """Definitions with a text in every place that is shown to somebody."""
    return {
        "title": definition(title=f"title: {text}"),
        "rule": definition(scoring=f"scoring:\n  {text}: n"),
        "label": definition(actions=f"actions:\n  go:\n    label: {text}\n    do:\n      it: n += 1"),
        "say": definition(actions=f"actions:\n  go:\n    do:\n      it: |\n        n += 1\n        say {text}"),
        "source": definition(sources=f"sources:\n  book: {{title: {text}, language: en}}"),
        "note": definition(scoring=f"scoring:\n  p: {{is: n, note: {text}}}"),
        "name": definition(game=f"game: {text}"),
        "option": definition(options=f"options:\n  o: {{type: [a, {text}], default: a}}"),
        "expression": definition(scoring=f"scoring:\n  p: n + {text}"),
        "unknown section": definition() + f"{text}: 1\n",
    }


@pytest.mark.parametrize("how", ["raw", "escaped", "quoted"])
@pytest.mark.parametrize("kind", EVIL)
def test_texts_of_a_definition(
    ludex: Callable[..., str], tmp_path: Path, kind: str, how: str
) -> None:
    evil = EVIL[kind]
    text = {"raw": f"x{evil}y", "quoted": f"'x{evil}y'"}.get(how) or '"' + json.dumps(f"x{evil}y")[1:-1] + '"'
    for number, content in enumerate(places(text).values()):
        path = tmp_path / f"game{number}.yaml"
        path.write_text(content, encoding="utf-8", newline="")
        ludex("check", str(path))
    everywhere = tmp_path / "game.yaml"
    everywhere.write_text(places(text)["title"], encoding="utf-8", newline="")
    for command in (COMMANDS[1], COMMANDS[2], COMMANDS[8]):
        ludex(command[0], str(everywhere), *command[1:], typed="log\nquit\n")


@pytest.mark.parametrize("kind", ["zero width", "mark"])
def test_every_command(ludex: Callable[..., str], tmp_path: Path, kind: str) -> None:
    """What may stand in a text, as some scripts need it, is shown by its number."""
    path = tmp_path / "game.yaml"
    text = f"x{EVIL[kind]}y"
    path.write_text(
        definition(
            title=f"title: {text}",
            actions=f'actions:\n  go:\n    label: "{text}"\n    where:\n      {text}: n < 99\n'
            f'    do:\n      {text}: |\n        n += 1\n        say "{text}"',
            scoring=f"scoring:\n  {text}: n",
            end=f"end:\n  {text}: n >= 9",
        ),
        encoding="utf-8",
    )
    (tmp_path / "scenarios").mkdir()
    scenario = f"scenario: {text}\nwhen: [{text}]\nthen: {{{text}: n == 3}}\nsees: {{{text}: {{{text}: 1}}}}\n"
    (tmp_path / "scenarios" / "s.yaml").write_text(scenario, encoding="utf-8")
    for command in COMMANDS:
        words = (command[0], str(path), *command[1:])
        ludex(*words, typed=f"{text}\nwhy {text}\n1\nlog\nrules\nrule {text}\nview\nscores\nsave\nquit\n")


def test_names_of_files_and_words_of_the_command_line(ludex: Callable[..., str], tmp_path: Path) -> None:
    for kind in ("escape", "c1", "bidi", "mark"):
        evil = EVIL[kind]
        folder = tmp_path / f"x{evil}y"
        folder.mkdir()
        path = folder / f"{evil}.yaml"
        path.write_text(definition(scoring="scoring:\n  p: m"))
        for words in (
            ("check", str(path)),
            ("check", str(path), "--json"),
            ("check", f"x{evil}y"),
            ("check", f"emerald+x{evil}y"),
            ("check", f"{path}none.yaml"),
            (f"x{evil}y",),
            ("check", "emerald", "--option", f"x{evil}=1"),
            ("check", "emerald", "--option", f"x{evil}"),
            ("check", "emerald", "--players", f"x{evil}"),
            (f"--{evil}",),
            ("explain", f"x{evil}"),
            ("play", "emerald", "--seat", f"x{evil}=human"),
            ("play", "emerald", "--seat", f"1=x{evil}"),
            ("play", "emerald", "--bots", f"x{evil}"),
            ("play", "--resume", f"{path}"),
            ("play", "--resume", f"x{evil}"),
            ("new", "variant", f"x{evil}y"),
            ("simulate", "emerald", "--games", f"{evil}"),
            ("test", "emerald", "--only", f"x{evil}"),
            ("test", "emerald", "--file", f"x{evil}"),
        ):
            ludex(*words)


def test_saves(ludex: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "game.ludex"
    for kind in ("escape", "c1", "bidi", "carriage return"):
        evil = EVIL[kind]
        escaped = json.dumps(evil)[1:-1]
        for data in (
            changed(title=evil),
            changed(game=evil),
            changed(ludex=evil),
            changed(ludex_save=evil),
            changed(seats=[evil, evil]),
            changed(seats=["human", evil]),
            changed(viewer=evil),
            changed(overlays=[evil]),
            changed(files=[[evil, DEALT]]),
            changed(options={evil: evil}),
            TEXT.replace('"action": "go"', f'"action": "{escaped}"', 1).encode(),
            TEXT.replace('"player": "player_1"', f'"player": "{escaped}"', 1).encode(),
            TEXT.replace('"outcome": "', f'"outcome": "{escaped}', 1).encode(),
            TEXT.replace('"chance": "', f'"chance": "{escaped}', 1).encode(),
            TEXT.replace('"end": ', f'"{escaped}": ').encode(),
        ):
            path.write_bytes(data)
            ludex("play", "--resume", str(path), typed="quit\n")
