"""The order of the stages, from files to a game that can be played. Only this module knows it.

    read → overlay → shape → parse → check → lower → interpreter → Game

The stages after `check` are imported where they are used: whoever only checks a definition,
an editor at every key, does not wait for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from ludex import limits
from ludex.check.check import check as check_game
from ludex.check.codes import BAD_OPTION, TOO_LARGE
from ludex.check.mentions import shaping_names
from ludex.check.survey import survey
from ludex.codes import NO_SUCH_GAME, NO_SUCH_OVERLAY
from ludex.diagnostics import Failed, Report, did_you_mean, normalise
from ludex.node import collecting_later, node, replace
from ludex.resources import definition_names, definition_path
from ludex.source import NOWHERE, SourceFile
from ludex.syntax import ast
from ludex.syntax.document import Mapping as Document
from ludex.syntax.document import Scalar
from ludex.syntax.dsl import parse_expression, parse_steps
from ludex.syntax.parser import parse_game
from ludex.syntax.reader import read_document, read_file
from ludex.syntax.shape import validate_shape
from ludex.typed import game as typed
from ludex.typed.words import at_most, words_of

if TYPE_CHECKING:
    from ludex.backends.machine import Machine
    from ludex.game import DefinitionInfo, Game
    from ludex.ir.program import Program
    from ludex.translation.wording import Wording

OptionValue: TypeAlias = bool | int | str
Backend: TypeAlias = Literal["auto", "interpreter", "wasm"]
"""What runs playouts and simulated games: native code if it can be run, or always one of the two."""


@node
class Resolved:
    """A definition with its overlays applied: the document, and what it was made from."""

    document: Document
    base: Document
    """The game's own, without overlays."""
    overlays: tuple[str, ...]
    sources: tuple[SourceFile, ...]


@node
class Definition:
    """A definition read and parsed, its overlays applied."""

    resolved: Resolved
    tree: ast.Game


@collecting_later()
def load(
    base: str,
    overlays: Iterable[str] = (),
    players: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    *,
    extra_setup: Scalar | None = None,
    extra_conditions: Mapping[str, Scalar] | None = None,
    wording: Wording | None = None,
    backend: Backend = "auto",
) -> Game:
    """The game. `base` is a name (`emerald`) or the path of a file; so are the overlays.

    `extra_setup` and `extra_conditions` are a scenario's: a last step of setup, and
    invariants. With a `wording`, rules and labels are called as in that language. `backend`: what runs
    playouts and simulated games. Raises `Failed` with all diagnostics if anything is wrong.
    """
    definition = worded(read(base, overlays), wording)
    return make(
        definition,
        players,
        options,
        extra_setup=extra_setup,
        extra_conditions=extra_conditions,
        backend=backend,
    )


@collecting_later()
def read(base: str, overlays: Iterable[str] = ()) -> Definition:
    """A definition parsed, from which several games can be made. Raises `Failed`."""
    report = Report()
    return _parsed(resolve(base, overlays, report), report)


def worded(definition: Definition, wording: Wording | None) -> Definition:
    """A definition whose rules and labels are called as in another language; its files stay."""
    if wording is None or not wording.language:
        return definition
    from ludex.translation.tree import translated

    return replace(definition, tree=translated(definition.tree, wording))


def _parsed(resolved: Resolved, report: Report) -> Definition:
    parsed = parse_game(resolved.document, report)
    report.stop_on_errors()
    assert parsed is not None
    return Definition(resolved, parsed)


@collecting_later()
def load_saved(
    definition: DefinitionInfo, wording: Wording | None = None, *, backend: Backend = "auto"
) -> Game:
    """The game that the texts in a save make; they are as untrusted as any. Raises `Failed`."""
    report = Report()
    sources = tuple(SourceFile(name, text) for name, text in definition.files)
    if not sources:
        report.add(NO_SUCH_GAME, "the save holds no definition", NOWHERE)
        raise Failed(report.found)
    for source in sources:
        if len(source.text.encode("utf-8", "replace")) > limits.MAX_FILE_BYTES:
            report.add(TOO_LARGE, "a definition in the save is too large", NOWHERE)
            raise Failed(report.found)
    resolved = _stacked(sources[0], sources[1:], report)
    parsed = worded(_parsed(resolved, report), wording)
    return make(parsed, definition.players, dict(definition.options), backend=backend)


def resolve(base: str, overlays: Iterable[str], report: Report) -> Resolved:
    """Reads a definition and its overlays and stacks them. Raises `Failed`."""
    path = _base_path(base, report)
    source = read_file(path, report) if path is not None else None
    if path is None or source is None:
        raise Failed(report.found)
    found: list[SourceFile] = []
    for name in overlays:
        overlay_path = _overlay_path(name, path, report)
        text = read_file(overlay_path, report) if overlay_path is not None else None
        if text is not None:
            found.append(text)
    report.stop_on_errors()
    return _stacked(source, tuple(found), report)


def _stacked(source: SourceFile, overlay_sources: tuple[SourceFile, ...], report: Report) -> Resolved:
    total = sum(len(s.text) for s in (source, *overlay_sources))
    if total > limits.MAX_STACK_BYTES:
        report.add(
            TOO_LARGE, f"the files have more than {limits.MAX_STACK_BYTES} characters together", NOWHERE
        )
        raise Failed(report.found)
    document = _read(source, "game", report)
    if not overlay_sources:
        report.stop_on_errors()
        assert document is not None
        return Resolved(document, document, (), (source,))
    from ludex.overlay import Overlay, apply_overlays, load_overlay

    overlays: list[tuple[Overlay, SourceFile]] = []
    for text in overlay_sources:
        before = len(report.errors)
        node = _read(text, "overlay", report)
        overlay = load_overlay(node, report) if node is not None and len(report.errors) == before else None
        if overlay is not None:
            overlays.append((overlay, text))
    report.stop_on_errors()
    assert document is not None
    stacked = apply_overlays(document, [o for o, _ in overlays], report)
    report.stop_on_errors()
    assert stacked is not None
    validate_shape(stacked, "game", report)
    report.stop_on_errors()
    overlays.sort(key=lambda pair: pair[0].name.text)
    names = tuple(o.name.text for o, _ in overlays)
    return Resolved(stacked, document, names, (source, *(s for _, s in overlays)))


def _read(source: SourceFile, kind: str, report: Report) -> Document | None:
    before = len(report.errors)
    document = read_document(source, report)
    if document is None or len(report.errors) > before:
        return document
    validate_shape(document, kind, report)  # type: ignore[arg-type]
    return document


def _base_path(base: str, report: Report) -> Path | None:
    shipped = definition_path(base)
    if shipped is not None:
        return shipped
    path = Path(base)
    if path.suffix in (".yaml", ".yml") or "/" in base:
        return path / "game.yaml" if path.is_dir() else path
    report.add(
        NO_SUCH_GAME,
        f"there is no game `{base}`",
        NOWHERE,
        help=did_you_mean(base, definition_names()) or "`ludex list` shows those there are",
    )
    return None


def is_within(path: Path, folder: Path) -> bool:
    """Whether a file that was found in a folder lies there, and is no link that leads out of it."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a link to itself
        return False


def overlay_paths(folder: Path) -> dict[str, Path]:
    """The overlays in a game's folder and the folders in it, by the name of the file."""
    found: dict[str, Path] = {}
    for path in sorted([*folder.glob("*.yaml"), *folder.glob("*/*.yaml")]):
        elsewhere = path.name == "game.yaml" or path.parent.name in ("scenarios", "translations")
        if not elsewhere and is_within(path, folder):
            found.setdefault(normalise(path.stem), path)
    return found


def _overlay_path(name: str, base: Path, report: Report) -> Path | None:
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or "/" in name:
        return path
    known = overlay_paths(base.parent)
    if normalise(name) in known:
        return known[normalise(name)]
    report.add(
        NO_SUCH_OVERLAY,
        f"there is no overlay `{name}` beside {base.parent.name}/{base.name}",
        NOWHERE,
        help=did_you_mean(name, known) or "give the path of a file, such as `./mine.yaml`",
    )
    return None


# ------------------------------------------------------------------------------- making


@collecting_later()
def make(
    definition: Definition,
    players: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    *,
    extra_setup: Scalar | None = None,
    extra_conditions: Mapping[str, Scalar] | None = None,
    backend: Backend = "auto",
) -> Game:
    """The game of a definition for a number of players and options; the rest as for `load`."""
    from ludex.backends.interpreter import Interpreter
    from ludex.game import DefinitionInfo, Game
    from ludex.game.definition import content_hash_of

    report = Report()
    resolved = definition.resolved
    tree = _extended(definition.tree, extra_setup, extra_conditions or {}, report)
    report.stop_on_errors()
    count = tree.players.usual if players is None else players
    texts = _option_texts(options or {})
    program = compile_game(tree, count, texts, report)
    chosen = tuple(
        (o.name.text, texts.get(o.name.text, normalise(o.default.span.text))) for o in tree.options
    )
    files = tuple((_short(s.name), s.text) for s in resolved.sources)
    info = DefinitionInfo(
        tree.name.text,
        tree.title,
        resolved.overlays,
        chosen,
        count,
        files,
        content_hash_of(tree.name.text, resolved.overlays, chosen, count, files),
    )
    try:
        return Game(Interpreter(program), info, native=_native(program, backend))
    except RecursionError:
        raise _too_deep(tree, report) from None


def _native(program: Program, backend: Backend) -> Callable[[bool], Machine | None]:
    """Makes the native back end that counts the coverage, or the one that does not, once each; None where
    it is not wanted or cannot be run. Where it is asked for by name, what it raises is `Unavailable`."""

    @cache
    def made(counting: bool) -> Machine | None:
        if backend == "interpreter":
            return None
        from ludex.backends.wasm.host import Unavailable
        from ludex.backends.wasm.machine import Compiled, WasmMachine

        try:
            return WasmMachine(program, Compiled(program, counting=counting))
        except Unavailable:
            if backend == "wasm":
                raise
            return None

    return made


def _short(path: str) -> str:
    """A file's name and its folder's: what a save tells of where a definition lay."""
    return "/".join(Path(path).parts[-2:])


def compile_game(tree: ast.Game, players: int, options: Mapping[str, str], report: Report) -> Program:
    """Check and lower. Raises `Failed`."""
    try:
        return _lowered(tree, check_game(tree, players, options, report), report)
    except RecursionError:
        raise _too_deep(tree, report) from None


def _lowered(tree: ast.Game, game: typed.Game, report: Report) -> Program:
    """Raises `Failed` if a state would be too large."""
    from ludex.ir.assemble import TooLarge
    from ludex.ir.lower import lower

    try:
        return lower(game)
    except TooLarge as fault:
        report.add(TOO_LARGE, str(fault), tree.span, help=_largest(game))
        raise Failed(report.found) from None


def _largest(game: typed.Game) -> str:
    """The help where a state would be too large: the state item that takes most of it."""
    name, words = max(
        ((v.name, words_of(game.world, v)) for v in game.state), key=lambda pair: pair[1], default=("", 0)
    )
    if words > limits.MAX_STATE_WORDS // 4:
        return f"the most is `{name}`, with {words} words"
    return "the most are things and places: a token that may lie on any space counts once for each"


def _too_deep(tree: ast.Game, report: Report) -> Failed:
    report.add(
        TOO_LARGE,
        "definitions and procedures use each other too deeply",
        tree.span,
        help="let some of those in between be state items, or join them",
    )
    return Failed(report.found)


def _option_texts(options: Mapping[str, OptionValue]) -> dict[str, str]:
    return {normalise(name): normalise(_option_text(value)) for name, value in options.items()}


def _option_text(value: OptionValue) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _extended(
    tree: ast.Game, setup: Scalar | None, conditions: Mapping[str, Scalar], report: Report
) -> ast.Game:
    """The tree with a scenario's last step of setup and its conditions as invariants."""
    if setup is not None:
        body = parse_steps(setup, report)
        if body is not None:
            step = ast.Step(ast.Ident("given", setup.span), body, ast.Provenance(), setup.span)
            tree = replace(tree, setup=(*tree.setup, step))
    added = []
    for name, text in conditions.items():
        expr = parse_expression(text, report)
        if expr is not None:
            added.append(ast.Condition(ast.Ident(name, text.span), expr, ast.Provenance(), text.span))
    return replace(tree, invariants=(*tree.invariants, *added)) if added else tree


# ------------------------------------------------------------------------------- asking


def document(base: str, overlays: Iterable[str] = ()) -> Document:
    """The definition with its overlays applied, as YAML nodes. Raises `Failed`."""
    report = Report()
    return resolve(base, overlays, report).document


def tree(base: str, overlays: Iterable[str] = ()) -> ast.Game:
    """The parsed definition with its overlays applied. Raises `Failed`."""
    return read(base, overlays).tree


def program(
    base: str,
    overlays: Iterable[str] = (),
    players: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
) -> Program:
    """The IR of a game. Raises `Failed`."""
    return load(base, overlays, players, options).program


@collecting_later()
def check(
    base: str,
    overlays: Iterable[str] = (),
    players: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
) -> Report:
    """All that is wrong with a definition, for every number of players, and for other values of the
    options that decide what there is. What it accepts can be loaded.

    With `players` or `options` given, only for those.
    """
    report = Report()
    with suppress(Failed):
        check_resolved(resolve(base, overlays, report), players, options, report)
    return report


@collecting_later()
def check_resolved(
    resolved: Resolved, players: int | None, options: Mapping[str, OptionValue] | None, report: Report
) -> None:
    """The same of a definition that has been read. Raises `Failed` if it cannot be parsed."""
    parsed = _parsed(resolved, report).tree
    texts = _option_texts(options or {})
    known = survey(parsed)
    for number, (count, values) in enumerate(_instances(parsed, players, texts), start=1):
        if number > 1 and number * len(known.nodes) > limits.MAX_CHECKED_NODES:
            report.add(
                TOO_LARGE,
                f"only {number - 1} ways to play it were checked: it is too large for more",
                parsed.span,
                help="check it for one number of players at a time: `--players`, `--option`",
            )
            break
        one = Report()
        try:
            made = check_game(parsed, count, values, one, known)
            if at_most(made) > limits.MAX_STATE_WORDS // 2:
                _lowered(parsed, made, one)
        except Failed:
            pass
        except RecursionError:
            _too_deep(parsed, one)
        if values != texts and all(d.code is BAD_OPTION for d in one.errors):
            continue  # such a value is not for so many players
        report.extend(one.found)
        if one.errors:
            break
        known = known.without_cites()


def _instances(
    parsed: ast.Game, players: int | None, options: Mapping[str, str]
) -> Iterable[tuple[int, dict[str, str]]]:
    """What is checked: each number of players, then other values of options that decide what there is."""
    if players is not None:
        yield players, dict(options)
        return
    counts = range(parsed.players.lo, parsed.players.hi + 1)
    for count in counts:
        yield count, dict(options)
    shaping = shaping_names(parsed)
    for option in parsed.options:
        name = option.name.text
        if name in shaping and name not in options:
            for value in _other_values(option):
                for count in counts if option.needs is not None else (parsed.players.usual,):
                    yield count, {**options, name: value}


def _other_values(option: ast.OptionDecl) -> list[str]:
    """The values of an option but its default; of a range, the least and the greatest."""
    match option.type.base:
        case ast.EnumType(members):
            values = [m.text for m in members]
        case ast.Range(ast.Int(lo), ast.Int(hi)):
            values = [str(lo), str(hi)]
        case (ast.Ident("bool"),):
            values = ["true", "false"]
        case _:
            values = []
    return [v for v in dict.fromkeys(values) if v != option.default.span.text]
