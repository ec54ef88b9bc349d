"""Writes docs/sizes.md: how long each definition is, in lines and tokens: `make docs`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import yaml
from api_reference import DOCS
from game_files import LOADER, GameFile, games, overlays

from ludex.syntax.dsl_parser import parser

PAGE = DOCS / "sizes.md"
ABOUT = {"ludex", "game", "overlay", "extends", "title", "cite", "note", "sources", "ambiguities"}
"""Keys of a file that state no rule, with all that is in them; `cite` and `note` wherever they stand."""
ANYWHERE = {"cite", "note"}
HEAD = """# How long the definitions are

Of every game that comes with ludex, and of its variants. *This page is generated (`make docs`).*

- **Lines** are those of the whole file that are neither empty nor comments alone.
- **Rules** are the tokens of what is played: names, numbers and signs of the rule language, as its
  scanner finds them, and one token for each YAML key, so that the name of a rule is one however
  long it is; a text of any other kind (a label, a name for cards) counts its words, and what stands
  in `{…}` in it.
- **View** are the tokens of the section `view`, which draws the game and is never needed to play
  it.
- **About** are words about the game: title, sources, the register of doubtful passages, citations
  and notes.

The length is what a reader has to go through. Emerald, Mékong, Seven tiles and Todas tablas are
transcriptions, in which every rule cites its passage and every doubt is an option; the others say
the rules, their options and their drawing.
"""


def page() -> str:
    return "\n".join([HEAD, *_table("Games", games()), *_table("Variants", _variants())]) + "\n"


def _variants() -> list[GameFile]:
    return [overlay for game in games() for overlay in overlays(game)]


def _table(title: str, files: list[GameFile]) -> Iterator[str]:
    yield f"## {title}\n"
    yield f"| {title.lower().removesuffix('s')} | lines | rules | view | about |"
    yield "|---|---:|---:|---:|---:|"
    for file in files:
        name = f"{file.game}+{file.overlay}" if file.overlay else file.game
        counted = tokens(file.text)
        numbers = (counted[sort] for sort in ("rules", "view", "about"))
        yield f"| {file.title} (`{name}`) | {lines(file.text)} | " + " | ".join(map(str, numbers)) + " |"
    yield ""


def lines(text: str) -> int:
    return sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in text.splitlines())


def tokens(text: str) -> Counter[str]:
    node = yaml.compose(text, Loader=LOADER)
    return Counter({"rules": 0}) + _tokens(node, "rules", 0)


def _tokens(node: yaml.Node, sort: str, depth: int) -> Counter[str]:
    counted: Counter[str] = Counter()
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = sort
            if sort == "rules":
                is_about = key.value in ANYWHERE or (depth == 0 and key.value in ABOUT)
                here = "about" if is_about else "view" if depth == 0 and key.value == "view" else sort
            counted[here] += 1
            counted += _tokens(value, here, depth + 1)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            counted += _tokens(value, sort, depth + 1)
    elif isinstance(node, yaml.ScalarNode):
        counted[sort] += len(node.value.split()) if sort == "about" else scanned(node.value)
    return counted


def scanned(text: str) -> int:
    """The tokens of a text of the rule language; of another one its words, and those in its `{…}`."""
    at = found = 0
    while (match := parser().lexeme.match(text, at)) is not None:
        found += match.lastgroup != "_NL"
        at = match.end()
    if not text[at:].strip():
        return found
    if "{" in text:
        words, *holes = (part.partition("}") for part in text.split("{"))
        return len(words[0].split()) + sum(scanned(hole) + len(rest.split()) for hole, _, rest in holes)
    return len(text.split())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
