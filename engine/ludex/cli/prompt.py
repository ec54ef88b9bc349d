"""What a player types, made out: a number, an action, or one of a few words.

Actions come first: a game with an action `log` can be played, and `:log` still shows the log.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ludex.cli.terminal import columns, is_terminal, write
from ludex.diagnostics import printable
from ludex.game import Action, State
from ludex.translation.wording import PLAIN, Wording

WORDS: dict[str, str] = {
    "why": "why ACTION: why it is refused",
    "undo": "take your last decision back",
    "log": "what has happened; log all: everything, in detail",
    "rules": "the rule behind the last event; rules NAME: a rule by its name",
    "board": "draw the board again",
    "scores": "the scores so far, as far as you may know them",
    "options": "list your options again",
    "save": "save, save FILE: the game is saved after every decision anyway",
    "quit": "stop; go on later with `ludex play --resume`",
    "help": "this list",
}
"""Words a player may type instead of an action."""

_MANY = 12
"""So many options are listed one in a line; more of them in columns."""


@dataclass(frozen=True, slots=True)
class Chosen:
    action: Action


@dataclass(frozen=True, slots=True)
class Word:
    word: str
    rest: str


@dataclass(frozen=True, slots=True)
class Unclear:
    """Neither; `text` is what was typed."""

    text: str


Input: TypeAlias = Chosen | Word | Unclear


def understand(
    text: str, state: State, player: str, actions: Sequence[Action], wording: Wording = PLAIN
) -> Input:
    """What a line means for a player with these legal actions, which he is shown in these words."""
    text = " ".join(text.split())
    if text.isascii() and text.isdigit():
        number = int(text)
        return Chosen(actions[number - 1]) if 1 <= number <= len(actions) else Unclear(text)
    if text.startswith((":", "/")):
        return _word(text[1:]) or Unclear(text)
    for action in actions:
        if text in (action.text, label_of(action, wording)):
            return Chosen(action)
    word = _word(text)
    if word is not None:
        return word
    found = state.parse_action(text, player)
    return Chosen(found) if found is not None else Unclear(text)


def _word(text: str) -> Word | None:
    first, _, rest = text.partition(" ")
    first = {"?": "help", "exit": "quit", "q": "quit", "h": "help"}.get(first.casefold(), first.casefold())
    return Word(first, rest.strip()) if first in WORDS else None


def label_of(action: Action, wording: Wording = PLAIN) -> str:
    """An action as it is shown: its sentence, or else its text with the names in it translated."""
    if action.label and action.label != action.text:
        return wording.filled(action.label)
    if not wording.language:
        return action.text
    return wording.word(action.name) + wording.entity(action.text.removeprefix(action.name))


def list_options(actions: Sequence[Action], width: int, wording: Wording = PLAIN) -> list[str]:
    """The numbered options: with labels one a line, many of them in columns."""
    digits = len(str(len(actions)))
    texts = []
    for number, action in enumerate(actions, start=1):
        label = printable(label_of(action, wording))
        short = label == action.text or len(actions) > _MANY
        shown = label if short else f"{label}   {printable(action.text)}"
        texts.append(f"{number:>{digits}}  {shown}")
    if len(actions) <= _MANY:
        return [f"  {t}" for t in texts]
    room = max(map(columns, texts)) + 3
    across = max(1, (width - 2) // room)
    down = -(-len(texts) // across)
    return [
        ("  " + "".join(t + " " * (room - columns(t)) for t in texts[row::down])).rstrip()
        for row in range(down)
    ]


def ask(prompt: str) -> str | None:
    """A line from the player; None when there are no more. Raises KeyboardInterrupt on ^C."""
    if is_terminal(sys.stdin) and is_terminal(sys.stdout):
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (line editing and history, where there are any)
        try:
            return input(prompt)
        except EOFError:
            write()
            return None
    write(prompt, end="")
    line = sys.stdin.readline() if sys.stdin is not None and not sys.stdin.closed else ""
    write(line.rstrip("\n") if line else "")
    return line if line else None
