"""How games are named on the command line, and how they are loaded for a command.

`emerald`, `emerald+variant_b`, `emerald + ./mine.yaml`, `./my_game/game.yaml`; a lone
overlay file stands for the game it extends with that overlay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ludex.cli.errors import BadDefinition, Mistake
from ludex.diagnostics import Diagnostic, Failed
from ludex.node import node

if TYPE_CHECKING:
    import click

    from ludex.game import DefinitionInfo, Game, State
    from ludex.pipeline import Backend, Definition
    from ludex.source import SourceFile
    from ludex.syntax.ast import Game as Tree
    from ludex.syntax.document import Mapping as Document
    from ludex.syntax.document import Scalar
    from ludex.translation.folder import State as TranslationState
    from ludex.translation.wording import Wording

OptionValue: TypeAlias = bool | int | str
F = TypeVar("F", bound=Callable[..., Any])


@node
class GameSpec:
    """A game and what is put on it, as the user named them."""

    base: str
    overlays: tuple[str, ...] = ()
    players: int | None = None
    options: Mapping[str, OptionValue] = {}

    def __str__(self) -> str:
        return "+".join((self.base, *self.overlays))


def parse_spec(
    words: Iterable[str], players: int | None = None, options: Iterable[tuple[str, OptionValue]] = ()
) -> GameSpec:
    """The game that the words of a command line name.

    Words are split at `+` unless they are the path of a file. Raises `click.UsageError`
    if there is no game in them.
    """
    parts: list[str] = []
    for word in words:
        if _is_file(word):
            parts.append(word)
        else:
            parts.extend(p.strip() for p in word.split("+"))
    parts = [p for p in parts if p]
    if not parts:
        import click

        raise click.UsageError("which game? `ludex list` shows those there are")
    base, *overlays = parts
    extended = extended_game(base)
    if extended is not None:
        base, overlays = extended, [base, *overlays]
    return GameSpec(base, tuple(overlays), players, dict(options))


def extended_game(path: str) -> str | None:
    """The game that an overlay file extends, or None if `path` is no overlay file. One that forgot to
    say `overlay` is one, too.

    Only a glance at its lines: what is wrong with the file is for the reader to report.
    """
    if not _is_file(path):
        return None
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(65_536)
    except OSError:
        return None
    if re.search(r"^(game|scenario|translation)[ ]*:", text, re.MULTILINE):
        return None
    match = re.search(r"^extends[ ]*:[ ]*[\"']?([^\s\"'#]+)", text, re.MULTILINE)
    # a name and no path: what a file says leads to no other file than those that ship with ludex
    return match.group(1) if match and match.group(1).isidentifier() else None


def _is_file(word: str) -> bool:
    try:
        return ("/" in word or "\\" in word or word.endswith((".yaml", ".yml"))) and Path(word).is_file()
    except (OSError, ValueError):
        return False


def option_setting(text: str) -> tuple[str, OptionValue]:
    """`name=value`; the value is `true`, `false`, a whole number, or a word."""
    name, separator, value = text.partition("=")
    if not separator or not name.strip():
        import click

        raise click.BadParameter(f"`{text}` should be name=value, such as flip=before_step")
    return name.strip(), option_value(value.strip())


def option_value(text: str) -> OptionValue:
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d{1,10}", text):
        return int(text)
    return text


def game_argument(function: F) -> F:
    """The argument GAME with its options `--players` and `--option`."""
    return _game_argument(function, required=True)


def optional_game_argument(function: F) -> F:
    """The same where a command can do without a game."""
    return _game_argument(function, required=False)


def _game_argument(function: F, *, required: bool) -> F:
    import click

    function = click.option(
        "-o",
        "--option",
        "options",
        multiple=True,
        type=option_setting,
        metavar="NAME=VALUE",
        help="Set an option of the game; repeatable. `ludex show GAME` lists them.",
    )(function)
    function = click.option(
        "-p", "--players", type=click.IntRange(1), metavar="N", help="Number of players."
    )(function)
    return click.argument(
        "game",
        nargs=-1,
        required=required,
        metavar="GAME[+OVERLAY]...",
        shell_complete=complete_games,
    )(function)


def language_option(function: F) -> F:
    """The option `--language`."""
    import click

    return click.option(
        "--language", metavar="LANGUAGE", help="Show it in another language, such as fr, if it is translated."
    )(function)


def complete_games(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of games, and after `+` those of the overlays in the game's folder."""
    from ludex.resources import definition_names, definitions_dir

    head, plus, _ = incomplete.rpartition("+")
    if not plus:
        return [n for n in definition_names() if n.startswith(incomplete)]
    base = head.split("+")[0]
    return [
        f"{head}+{name}"
        for name, _ in overlay_files(definitions_dir() / base)
        if f"{head}+{name}".startswith(incomplete)
    ]


def overlay_files(folder: Path) -> list[tuple[str, Path]]:
    """The overlays in a game's folder: name and file, by name."""
    found: dict[str, Path] = {}
    for path in sorted([*folder.glob("*.yaml"), *folder.glob("*/*.yaml")]):
        if path.name != "game.yaml" and extended_game(str(path)) is not None:
            found.setdefault(path.stem, path)
    return sorted(found.items())


def load_game(spec: GameSpec, wording: Wording | None = None, backend: Backend = "auto") -> Game:
    """The game. Raises `BadDefinition`."""
    from ludex import pipeline

    with _failures(str(spec)):
        return pipeline.load(
            spec.base,
            overlays=spec.overlays,
            players=spec.players,
            options=spec.options,
            wording=wording,
            backend=backend,
        )


def wording_of(base: str, language: str | None) -> Wording:
    """How a game is called in a language, the definition's own for None. Raises `BadDefinition`."""
    from ludex.translation.folder import wording
    from ludex.translation.wording import PLAIN

    if language is None:
        return PLAIN
    with _failures(base):
        return wording(base, language)


@node
class LoadGame:
    """Loads a game in whatever process it is called; picklable."""

    spec: GameSpec
    backend: Backend = "auto"

    def __call__(self) -> Game:
        return load_game(self.spec, backend=self.backend)


def load_saved(definition: DefinitionInfo, wording: Wording | None = None) -> Game:
    """The game a save was played by, from the texts in the save. Raises `BadDefinition`."""
    from ludex import pipeline

    with _failures(definition.title):
        return pipeline.load_saved(definition, wording)


class ScenarioGames:
    """The games of many scenarios: each definition is read and parsed once."""

    def __init__(self) -> None:
        self._definitions: dict[tuple[str, tuple[str, ...]], Definition] = {}

    def load(
        self, spec: GameSpec, given: Scalar | None, then: Mapping[str, Scalar]
    ) -> tuple[Game, Callable[[str, State], bool]]:
        """A scenario's game, and how to ask whether one of its conditions holds. Raises `BadDefinition`.

        `given` is compiled as a last step of setup and `then` as further invariants, so that
        both may use all names of the game.
        """
        from ludex import pipeline

        key = (spec.base, spec.overlays)
        with _failures(str(spec)):
            if key not in self._definitions:
                self._definitions[key] = pipeline.read(*key)
            game = pipeline.make(
                self._definitions[key],
                spec.players,
                spec.options,
                extra_setup=given,
                extra_conditions=then,
            )
        return game, lambda name, state: name not in state.broken_invariants


def resolved_document(spec: GameSpec) -> Document:
    """The definition with its overlays applied, as YAML nodes. Raises `BadDefinition`."""
    from ludex import pipeline

    with _failures(str(spec)):
        return pipeline.document(spec.base, overlays=spec.overlays)


def resolved(spec: GameSpec) -> tuple[Document, dict[SourceFile, Document]]:
    """The definition with its overlays applied, and these by their files. Raises `BadDefinition`."""
    from ludex import pipeline
    from ludex.diagnostics import Report
    from ludex.syntax.reader import read_document

    with _failures(str(spec)):
        found = pipeline.resolve(spec.base, spec.overlays, Report())
    documents = ((file, read_document(file, Report())) for file in found.sources[1:])
    return found.document, {file: document for file, document in documents if document is not None}


def parsed_tree(spec: GameSpec) -> Tree:
    """The parsed definition with its overlays applied. Raises `BadDefinition`."""
    from ludex import pipeline

    with _failures(str(spec)):
        return pipeline.tree(spec.base, overlays=spec.overlays)


def check_game(spec: GameSpec) -> tuple[list[Diagnostic], Document | None]:
    """All that is wrong with a definition; and its document without overlays, if that can be read."""
    from ludex import pipeline
    from ludex.diagnostics import Report

    report = Report()
    game = None
    with suppress(Failed):
        resolved = pipeline.resolve(spec.base, spec.overlays, report)
        game = resolved.base
        pipeline.check_resolved(resolved, spec.players, spec.options, report)
    return report.found, game


def check_translations(spec: GameSpec, language: str | None, game: Document | None) -> list[TranslationState]:
    """The translations beside a game, or one of them: what is wrong with them, and what they lack.

    `game`: the game's own document, if it has been read."""
    from ludex import pipeline
    from ludex.resources import definition_path
    from ludex.translation.folder import check_translations, translation_files

    if language is not None:
        wording_of(spec.base, language)
    elif not translation_files(spec.base):
        return []
    path = definition_path(spec.base) or Path(spec.base)
    overlays = pipeline.overlay_paths(path if path.is_dir() else path.parent).values()
    return check_translations(spec.base, overlays, None if language is None else [language], game)


def watched_files(spec: GameSpec) -> list[Path]:
    """The files a definition is made of, and others in their folders that it may come to use."""
    from ludex.resources import definition_path

    base = definition_path(spec.base) or Path(spec.base)
    files = set(base.parent.glob("*.yaml")) if base.is_file() else {base}
    files |= set(base.parent.glob("translations/*.yaml"))
    files |= {Path(o) for o in spec.overlays if _is_file(o)}
    return sorted(files)


def program_text(game: Game) -> str:
    """The game's program in its stable text form."""
    from ludex.ir.text import print_program

    return print_program(game.program)


@contextmanager
def _failures(what: str) -> Iterator[None]:
    """Turns a failed stage into the end of the command."""
    try:
        yield
    except Failed as failed:
        if not failed.diagnostics:
            raise Mistake(f"`{what}` cannot be loaded") from failed
        raise BadDefinition(failed.diagnostics) from None
