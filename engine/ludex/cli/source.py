"""`ludex source index`: the index of a rulebook, for a definition's `sources`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli.errors import Mistake
from ludex.cli.terminal import write
from ludex.diagnostics import did_you_mean, printable

if TYPE_CHECKING:
    from ludex.archive.index import Source, SourceText
    from ludex.archive.text import Division, NotFound


@click.group(name="source", help="Work with the texts of rulebooks.", no_args_is_help=True)
def command() -> None:
    pass


@command.command(
    help="""Print the index of a rulebook's text: its headings, with a fingerprint of each sentence.

What is printed is an entry of `sources`, ready to be pasted into a definition. The text itself
is never part of one.

The headings are those given by --heading, in the order of the text; or those of a game, by
--game; else lines of their own that look like headings are taken. Look at what was found, and
give the headings if it is wrong.

\b
  ludex source index rules.txt
  ludex source index rules.txt --heading Setup --heading "Course of play"
  ludex source index rules.txt --game ./my_game/game.yaml
"""
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--heading", "headings", multiple=True, metavar="WORDS", help="A heading; repeatable.")
@click.option("--end", metavar="WORDS", help="Words at which the rulebook ends, if the file goes on.")
@click.option(
    "--game",
    metavar="GAME",
    help="Take the headings that this game lists or cites, and its title of the text.",
)
@click.option("--name", metavar="NAME", help="The name of the source; needed with --game if it has several.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def index(
    file: Path, headings: tuple[str, ...], end: str | None, game: str | None, name: str | None, as_json: bool
) -> None:
    from ludex.archive import index as indices
    from ludex.archive.text import divide, guess_headings

    text = read(file)
    known = _known(game, name, text) if game is not None else None
    words = list(headings) or (_headings_of(known, game, text) if known else list(guess_headings(text.raw)))
    if not words:
        raise Mistake(f"{file} has no lines that look like headings; give them: --heading WORDS")
    if end is None and known is not None:
        end = known.end
    division = divide(text.folded, words, end)
    if division.missing:
        raise Mistake("\n".join(_missing(m, text) for m in division.missing))
    found = indices.Source(
        name=name or (known.name if known else _name(file)),
        title=known.title if known else file.stem,
        language=known.language if known else None,
        edition=known.edition if known else None,
        sha256=text.sha256,
        headings=indices.headings_of(division),
        end=end,
        exclude=known.exclude if known else (),
    )
    if as_json:
        write(json.dumps(indices.as_json(found, len(division.before)), indent=2, ensure_ascii=False))
    else:
        write(_report(file, division, guessed=not headings and known is None))
        write(printable(indices.as_yaml(found)))


def read(file: Path) -> SourceText:
    """The text of a rulebook. Raises `Mistake` if the file holds none."""
    from ludex.archive.index import Unreadable, read_text

    try:
        return read_text(file)
    except Unreadable as error:
        raise Mistake(f"{file} cannot be read as a rulebook: {error}") from None


def _known(game: str, name: str | None, text: SourceText) -> Source:
    """The source of a definition that this text is the text of."""
    from ludex.archive.definition import sources_of
    from ludex.cli.games import parse_spec, resolved_document

    sources = sources_of(resolved_document(parse_spec([game])))
    if name is not None:
        for source in sources:
            if source.name == name:
                return source
        names = [s.name for s in sources]
        raise Mistake(f"`{game}` has no source `{name}`; {did_you_mean(name, names) or _listed(names)}")
    same = [s for s in sources if s.sha256 == text.sha256]
    if len(same) == 1:
        return same[0]
    if len(sources) == 1:
        return sources[0]
    raise Mistake(f"which source of `{game}` is this? {_listed([s.name for s in sources])}: --name NAME")


def _listed(names: list[str]) -> str:
    return f"it has {', '.join(f'`{n}`' for n in names)}" if names else "it lists no sources"


def _headings_of(source: Source, game: str | None, text: SourceText) -> list[str]:
    """The headings that a definition lists; else those that it cites, in the order of the text."""
    from ludex.archive.definition import rules_of
    from ludex.archive.text import in_order
    from ludex.cli.games import parse_spec, resolved_document

    if source.headings:
        return [h.name for h in source.headings]
    assert game is not None
    cites = [c for rule in rules_of(resolved_document(parse_spec([game]))) for c in rule.cites]
    cited = [c.heading for c in (*cites, *source.exclude) if c.source.text == source.name and c.heading]
    return list(in_order(text.folded, cited))


def _missing(heading: NotFound, text: SourceText) -> str:
    from ludex.archive.text import guess_headings

    if heading.earlier:
        return (
            f"“{heading.heading}” stands only before the heading before it: "
            "give the headings in the order of the text"
        )
    help = did_you_mean(heading.heading, guess_headings(text.raw))
    if help is None and heading.heading.casefold() in text.folded.casefold():
        help = "capital and small letters count"
    return f"“{heading.heading}” does not stand in {text.path}" + (f"; {help}" if help else "")


def _report(file: Path, division: Division, *, guessed: bool) -> str:
    lines = [f"# {file.name}: {len(division.sections)} headings, {division.count} sentences"]
    if guessed:
        lines.append("# The headings are a guess: look whether they are the rulebook's.")
    if division.before:
        n = len(division.before)
        stand = "sentence stands" if n == 1 else "sentences stand"
        lines.append(f"# {n} {stand} before the first and cannot be cited.")
    return printable("\n".join(lines))


def _name(file: Path) -> str:
    name = re.sub(r"\W+", "_", file.stem).strip("_").lower()
    return name if name.isidentifier() else f"source_{name}".rstrip("_")
