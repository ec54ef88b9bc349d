"""`ludex new`: files to start from. They are complete, load at once, and say how to go on."""

from __future__ import annotations

import re
from pathlib import Path

import click

from ludex.cli.errors import Mistake
from ludex.cli.terminal import write
from ludex.diagnostics import did_you_mean, printable

_VARIANT = """\
# A variant of {of}. It says only what is different; all other rules stay.
#   ludex show {of}             the rules and their names
#   ludex check {file}    looks for mistakes (add --watch to keep looking)
#   ludex play {file}     plays it
ludex: 1
overlay: {name}
extends: {of}
title: {title}

# Rules are addressed by their names, under the sections they stand in. Take the `#` away
# from the parts you need, or write your own.
#
# options:                          # another default for an option of the game
#   name_of_the_option: value
#
# replace:                          # another text for a rule there is
#   scoring:
#     name of the line: 2 * count(players)
#
# add:                              # a rule there is not yet
#   end:
#     after ten rounds: round_number > 10
#
# remove:                           # a rule to do without
#   end: [name of the condition]
"""

_GAME = """\
# {title}: a game to start from. Two players take one to three stones in turn;
# whoever takes the last one wins. Change it into yours.
#   ludex check {file} --watch    looks for mistakes while you write
#   ludex play {file}             plays it
ludex: 1
game: {name}
title: {title}
players: 2

options:
  stones: {{type: 5..50, default: 21}}

state:
  heap: {{type: 0..50, start: stones}}

actions:
  take:
    label: take {{n}}
    choose: {{n: 1..3}}
    where:
      there are that many: n <= heap
    do:
      take them off: heap = heap - n
      whoever takes the last one wins: |
        if heap == 0:
          win me

phases:
  taking:
    turns: clockwise from player(1)
    do:
      take some: act take

view:
  panels:
    table:
      rows:
        stones left: "{{heap}}"
"""

_SCENARIOS = """\
# What should happen, to be run by `ludex test {file}`.
scenario: three stones are taken
game: {name}
players: 2
when: [take(3)]
then: {{they are gone: heap == stones - 3}}
to_move: player_2
---
scenario: no more than there are
game: {name}
players: 2
given: heap = 2
when: []
options_are: [take(1), take(2)]
refused: {{take(3): there are that many}}
"""


@click.group(help="Start a variant or a game of your own: writes a file that works, and says how to go on.")
def command() -> None:
    pass


@command.command(help="Write NAME.yaml, a variant of a game to fill in.")
@click.argument("name")
@click.option("--of", "of", required=True, metavar="GAME", help="The game it changes.")
@click.option("--to", "folder", default=".", type=click.Path(file_okay=False), help="Where to (here).")
def variant(name: str, of: str, folder: str) -> None:
    from ludex.resources import definition_names

    _check_name(name)
    if of not in definition_names() and not Path(of).is_file():
        help = did_you_mean(of, definition_names()) or "`ludex list` shows those there are"
        raise Mistake(f"there is no game `{of}`; {help}")
    base = of if of in definition_names() else _game_name(Path(of))
    path = Path(folder) / f"{name}.yaml"
    _write({path: _VARIANT.format(name=name, of=base, title=_title(name), file=path)})
    write(f"Wrote {printable(str(path))}. It changes nothing yet. Next:")
    write(f"  ludex show {base}     the rules and their names")
    write(f"  ludex play {printable(str(path))}")


@command.command(help="Write NAME/game.yaml, a small complete game to change, and its scenarios.")
@click.argument("name")
@click.option("--to", "folder", default=".", type=click.Path(file_okay=False), help="Where to (here).")
def game(name: str, folder: str) -> None:
    _check_name(name)
    path = Path(folder) / name / "game.yaml"
    _write(
        {
            path: _GAME.format(name=name, title=_title(name), file=path),
            path.parent / "scenarios" / "first.yaml": _SCENARIOS.format(name=name, file=path),
        }
    )
    shown = printable(str(path))
    write(f"Wrote {shown}. Next:\n  ludex check {shown}\n  ludex play {shown}\n  ludex test {shown}")


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[^\W\d]\w{0,63}", name):
        raise Mistake(f"`{name}` is no name: letters, digits and _ only, and a letter first (my_rules)")


def _title(name: str) -> str:
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _game_name(path: Path) -> str:
    from ludex.cli.listing import head

    name = head(path, "game")
    if not name:
        raise Mistake(f"{path} does not say `game:`, so it is no game")
    return name


def _write(files: dict[Path, str]) -> None:
    """All files or none; never over one that exists."""
    for path in files:
        if path.exists() or path.is_symlink():
            raise Mistake(f"{path} exists already, and is left as it is")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
