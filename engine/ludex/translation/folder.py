"""The translations beside a game: `translations/LANGUAGE.yaml` in its folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ludex.codes import NO_SUCH_TRANSLATION
from ludex.diagnostics import Diagnostic, Failed, Report, did_you_mean, printable
from ludex.node import node
from ludex.resources import definition_path
from ludex.source import NOWHERE
from ludex.syntax.document import Mapping, Scalar
from ludex.syntax.reader import read_document, read_file
from ludex.translation.read import LANGUAGE, Translation, check, missing, read_translation
from ludex.translation.vocabulary import Term, Vocabulary, vocabulary

if TYPE_CHECKING:
    from ludex.translation.wording import Wording


@node
class State:
    """How far a translation has come: what is wrong with it, and what of `terms` it lacks."""

    language: str
    path: Path
    found: tuple[Diagnostic, ...]
    missing: tuple[tuple[str, Term], ...]
    terms: int


def translation_files(base: str) -> dict[str, Path]:
    """The files of translations by language; none that is a link out of the game's folder."""
    folder = _folder(base)
    found: dict[str, Path] = {}
    for path in sorted(folder.glob("translations/*.yaml")):
        if LANGUAGE.fullmatch(path.stem) and path.resolve().is_relative_to(folder.resolve()):
            found[path.stem] = path
    return found


def wording(base: str, language: str) -> Wording:
    """The translation of a game. Raises `Failed` if there is none, or if its file is wrong."""
    report = Report()
    files = translation_files(base)
    if language not in files:
        there = f"there are {', '.join(files)}" if files else "it has none"
        report.add(
            NO_SUCH_TRANSLATION,
            f"`{printable(base)}` has no translation `{printable(language)}`",
            NOWHERE,
            help=did_you_mean(language, files) or f"{there}; they lie in `translations/` beside its file",
        )
        raise Failed(report.found)
    translation = read_translation(files[language], _name(base, _document(_path(base))), report)
    report.stop_on_errors()
    assert translation is not None
    return translation.wording


def check_translations(
    base: str, overlays: Iterable[Path], languages: Iterable[str] | None, game: Mapping | None = None
) -> list[State]:
    """All translations of a game (or some), compared with it and the overlays beside it.

    `game`: the game's own document, if it has been read already."""
    files = translation_files(base)
    wanted = [x for x in files if languages is None or x in languages]
    if not wanted:
        return []
    game = game or _document(_path(base))
    known = _vocabulary(game, overlays)
    return [_state(language, files[language], _name(base, game), known) for language in wanted]


def _state(language: str, path: Path, game: str, known: Vocabulary | None) -> State:
    report = Report()
    translation = read_translation(path, game, report)
    if translation is None or known is None:
        return State(language, path, tuple(report.found), (), 0)
    check(translation, known, report)
    return _counted(language, path, translation, known, report)


def _counted(language: str, path: Path, made: Translation, known: Vocabulary, report: Report) -> State:
    lists = (known.names, known.rules, known.texts)
    terms = sum(term.needed for terms in lists for term in terms.values())
    return State(language, path, tuple(report.found), tuple(missing(made, known)), terms)


def _vocabulary(game: Mapping | None, overlays: Iterable[Path]) -> Vocabulary | None:
    """None if the game's own file cannot be read; that is reported by whoever reads it as a game."""
    if game is None:
        return None
    documents = (_document(path) for path in overlays)
    return vocabulary(game, (d for d in documents if d is not None and d.get("overlay") is not None))


def _document(path: Path) -> Mapping | None:
    report = Report()
    source = read_file(path, report)
    return read_document(source, report) if source is not None else None


def _path(base: str) -> Path:
    path = definition_path(base) or Path(base)
    return path / "game.yaml" if path.is_dir() else path


def _folder(base: str) -> Path:
    return _path(base).parent


def _name(base: str, game: Mapping | None) -> str:
    """The name of a game, by its own document."""
    if definition_path(base) is not None:
        return base
    name = game.get("game") if game is not None else None
    return name.text if isinstance(name, Scalar) else ""
