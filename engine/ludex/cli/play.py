"""`ludex play`: a game in the terminal."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli import errors
from ludex.cli.errors import Mistake
from ludex.cli.games import (
    GameSpec,
    OptionValue,
    language_option,
    load_game,
    optional_game_argument,
    parse_spec,
    wording_of,
)
from ludex.cli.terminal import write
from ludex.diagnostics import printable
from ludex.resources import definition_path

if TYPE_CHECKING:
    from ludex.cli.session import Session
    from ludex.game import State


def _seat(text: str) -> tuple[str, str]:
    seat, separator, who = text.partition("=")
    if not separator or not seat.strip() or not who.strip():
        raise click.BadParameter(f"`{text}` should be like player_1=human or 2=random")
    return seat.strip(), who.strip().casefold()


def _names(ctx: click.Context, param: click.Parameter, text: str | None) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",")) if text is not None else ()
    if text is not None and not all(names):
        shown = printable(text)
        raise click.BadParameter(f"`{shown}` should be names with commas between them, such as Ann,Bo")
    return names


@click.command(
    help="""Play a game in the terminal. You are the first player, and bots are the others.

The game is saved after every decision; `quit` stops, and --resume goes on.

\b
  ludex play emerald --players 3
  ludex play emerald --names Ann,Bo                    two people at one screen, and bots
  ludex play emerald --seat 2=human --bots random      you are the second player
  ludex play --resume last
"""
)
@optional_game_argument
@click.option(
    "--seat",
    "given",
    multiple=True,
    type=_seat,
    metavar="SEAT=WHO",
    help="Who plays a seat: human, random, mc, mcts, mcts:PLAYOUTS, mcts:PLAYOUTS:DECISIONS. "
    "Repeatable; the seat is a name, a number, or `all`.",
)
@click.option(
    "-n",
    "--names",
    callback=_names,
    metavar="NAME,NAME…",
    help="What the players are called, in seat order. Who has a name is a person, "
    "unless --seat says otherwise.",
)
@click.option("-b", "--bots", default="mc", show_default=True, help="The bot of all other seats.")
@click.option("-s", "--seed", type=int, help="Seed of all chance (else a new one for every game).")
@click.option(
    "--save", "save", type=click.Path(dir_okay=False, path_type=Path), help="Where the game is saved."
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="FILE|last",
    help="Go on with a saved game; with GAME, under its rules as they are now.",
)
@language_option
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    given: tuple[tuple[str, str], ...],
    names: tuple[str, ...],
    bots: str,
    seed: int | None,
    save: Path | None,
    resume: Path | None,
    language: str | None,
) -> int:
    from ludex.cli.session import Quit

    if resume is not None:
        if names:
            raise click.UsageError("--names is for a new game: in a saved one the players have their names")
        spec = parse_spec(game, players, options) if game else None
        session = _resumed(resume, spec, given, bots, save, seed, language)
    elif game:
        session = _new(parse_spec(game, players, options), names, given, bots, save, seed, language)
    else:
        raise click.UsageError("which game? `ludex list` shows those there are; --resume goes on with one")
    try:
        session.run()
    except Quit:
        write(_how_to_go_on(session))
    except KeyboardInterrupt:
        write("\n" + _how_to_go_on(session))
        return errors.INTERRUPTED
    return errors.OK


def _new(
    spec: GameSpec,
    names: tuple[str, ...],
    given: tuple[tuple[str, str], ...],
    bots: str,
    save: Path | None,
    seed: int | None,
    language: str | None,
) -> Session:
    from ludex.cli.session import HUMAN, Session, seats_of
    from ludex.cli.store import new_save

    wording = wording_of(spec.base, language)
    game = load_game(spec, wording)
    try:
        game = game.named(names)
    except ValueError as error:
        raise Mistake(str(error)) from error
    people = tuple((str(seat), HUMAN) for seat in range(1, len(names) + 1))
    seats = seats_of(game.players, (*people, *given), bots)
    if save is not None and not save.parent.is_dir():
        raise Mistake(f"there is no folder {save.parent} to save the game in")
    if save is not None and save.exists():
        raise Mistake(f"{save} exists already; go on with it by --resume {save}, or give another name")
    seed = secrets.randbits(63) if seed is None else seed
    title = printable(wording.title or game.definition.title)
    who = ", ".join(f"{wording.entity(p)}: {who}" for p, who in seats.items())
    write(f"{title}. {printable(who)}. {wording.word('Type `help` for help.')}")
    path = save if save is not None else new_save(game.definition.name)
    return Session(game.start(seed), seats, path, seed, wording)


def _resumed(
    path: Path,
    spec: GameSpec | None,
    given: tuple[tuple[str, str], ...],
    bots: str,
    save: Path | None,
    seed: int | None,
    language: str | None,
) -> Session:
    from ludex.cli.session import HUMAN, Session, seats_of
    from ludex.cli.store import latest_save, open_save, open_under, read_save_header

    if str(path) == "last":
        path = latest_save()
    header = read_save_header(path)
    target = save if save is not None else path
    if language is not None and spec is None and definition_path(header.definition.name) is None:
        raise Mistake(f"name the game, so that its translation is found: ludex play GAME --resume {path}")
    wording = wording_of(header.definition.name if spec is None else spec.base, language)
    state: State
    if spec is None:
        state = open_save(path, wording)
    else:
        state, divergence = open_under(path, load_game(spec, wording))
        if divergence is not None:
            if save is None:
                raise Mistake(f"{divergence}\nUnder these rules the game goes on from there with --save FILE")
            write(printable(divergence))
    players = state.game.players
    seats = dict(zip(players, header.seats, strict=False))
    if given or len(seats) < len(players):
        chosen = seats_of(players, given, bots)
        named = {p: w for p, w in chosen.items() if given or p not in seats}
        seats = {p: named.get(p, seats.get(p, HUMAN)) for p in players}
    seats = {player: _seated(player, who) for player, who in seats.items()}
    title = printable(wording.title or state.game.definition.title)
    write(f"{title}, from {printable(str(path))}. {wording.word('Type `help` for help.')}")
    return Session(state, seats, target, header.seed if seed is None else seed, wording)


def _seated(player: str, who: str) -> str:
    """Who plays a seat by a save, which may say anything."""
    from ludex.bots import BadBot, normal_form
    from ludex.cli.session import HUMAN

    if who == HUMAN:
        return who
    try:
        return normal_form(who)
    except BadBot as error:
        raise Mistake(f"the save says of {player}: {error}; --seat {player}=human names another") from None


def _how_to_go_on(session: Session) -> str:
    if not session.is_saved:
        return "The game is not saved."
    return f"Saved. Go on with: ludex play --resume {printable(str(session.save))}"
