"""`ludex play`: a game in the terminal."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludex.cli import errors
from ludex.cli.errors import Mistake
from ludex.cli.games import GameSpec, OptionValue, load_game, optional_game_argument, parse_spec
from ludex.cli.terminal import write
from ludex.diagnostics import printable

if TYPE_CHECKING:
    from ludex.cli.session import Session
    from ludex.game import State


def _seat(text: str) -> tuple[str, str]:
    seat, separator, who = text.partition("=")
    if not separator or not seat.strip() or not who.strip():
        raise click.BadParameter(f"`{text}` should be like player_1=human or 2=random")
    return seat.strip(), who.strip().casefold()


@click.command(
    help="""Play a game in the terminal. You are the first player, and bots are the others.

The game is saved after every decision; `quit` stops, and --resume goes on.

\b
  ludex play emerald --players 3
  ludex play emerald --seat 1=human --seat 2=human     two people at one screen
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
    help="Who plays a seat: human, random, mc, mc:PLAYOUTS. "
    "Repeatable; the seat is a name, a number, or `all`.",
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
def command(
    game: tuple[str, ...],
    players: int | None,
    options: tuple[tuple[str, OptionValue], ...],
    given: tuple[tuple[str, str], ...],
    bots: str,
    seed: int | None,
    save: Path | None,
    resume: Path | None,
) -> int:
    from ludex.cli.session import Quit

    if resume is not None:
        spec = parse_spec(game, players, options) if game else None
        session = _resumed(resume, spec, given, bots, save, seed)
    elif game:
        session = _new(parse_spec(game, players, options), given, bots, save, seed)
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
    spec: GameSpec, given: tuple[tuple[str, str], ...], bots: str, save: Path | None, seed: int | None
) -> Session:
    from ludex.cli.session import Session, seats_of
    from ludex.cli.store import new_save

    game = load_game(spec)
    seats = seats_of(game.players, given, bots)
    if save is not None and save.exists():
        raise Mistake(f"{save} exists already; go on with it by --resume {save}, or give another name")
    seed = secrets.randbits(63) if seed is None else seed
    title = printable(game.definition.title)
    write(f"{title}. {', '.join(f'{p}: {who}' for p, who in seats.items())}. Type `help` for help.")
    path = save if save is not None else new_save(game.definition.name)
    return Session(game.start(seed), seats, path, seed)


def _resumed(
    path: Path,
    spec: GameSpec | None,
    given: tuple[tuple[str, str], ...],
    bots: str,
    save: Path | None,
    seed: int | None,
) -> Session:
    from ludex.cli.session import HUMAN, Session, seats_of
    from ludex.cli.store import latest_save, open_save, open_under, read_save_header

    if str(path) == "last":
        path = latest_save()
    header = read_save_header(path)
    target = save if save is not None else path
    state: State
    if spec is None:
        state = open_save(path)
    else:
        state, divergence = open_under(path, load_game(spec))
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
    write(f"{printable(state.game.definition.title)}, from {printable(str(path))}. Type `help` for help.")
    return Session(state, seats, target, header.seed if seed is None else seed)


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
    return f"Saved. Go on with: ludex play --resume {printable(str(session.save))}"
