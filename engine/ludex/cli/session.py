"""One sitting at the table: people and bots play a game in the terminal, to its end or until later.

The game is saved after every decision, so whatever ends the session loses nothing. What a
person is shown is computed from what the player he plays for may see.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click

from ludex.bots import Bot, PlayerView, make_bot
from ludex.cli.board import Board, indent, score_table
from ludex.cli.errors import Mistake
from ludex.cli.prompt import WORDS, Chosen, Unclear, Word, ask, list_options, understand
from ludex.cli.refusal import explain_text
from ludex.cli.table import Colourist, Table, colourless, draw, terminal_colour
from ludex.cli.terminal import has_colours, is_terminal, safe, width, write
from ludex.cli.undo import undo
from ludex.cli.worded import worded
from ludex.diagnostics import printable
from ludex.game import Chance, LogLine, RuleFault, State, write_save
from ludex.translation.report import sentence
from ludex.translation.wording import PLAIN, Wording

HUMAN = "human"

_NEWS = 24
"""Events that are shown before a decision."""

_RECORDS = 40
"""Entries of the history that `log` shows."""

_DRAW = "draw"
"""The name of the chance event by which a card of a shuffled pile becomes known."""


class Quit(Exception):
    """The player wants to stop, or there is no more input."""


@dataclass(slots=True)
class Session:
    """The table. `seats` says who plays each seat: `human`, or the name of a bot."""

    state: State
    seats: Mapping[str, str]
    save: Path
    seed: int
    wording: Wording = PLAIN
    news: dict[str, list[LogLine]] = field(default_factory=dict)
    """For each person, what has happened since he was last shown the board."""
    told: dict[str, list[LogLine]] = field(default_factory=dict)
    """For each person, all he has been told in this session."""
    bots: dict[str, Bot] = field(default_factory=dict)
    board: Board = field(init=False)
    is_saved: bool = True
    """Whether the file holds the game as it stands."""
    at_screen: str | None = None
    """The person who is looking, where several share the screen."""

    def __post_init__(self) -> None:
        self.board = Board(self.state.game, self.wording)
        for number, (player, who) in enumerate(self.seats.items()):
            if who != HUMAN:
                self.bots[player] = make_bot(who, self.seed, number)

    @property
    def people(self) -> list[str]:
        return [p for p, who in self.seats.items() if who == HUMAN]

    def run(self) -> None:
        """Plays until the game is over. Raises `Quit`; the game is saved then."""
        self._hear(self.state)
        for viewer, lines in self.news.items():  # setup, or what led here: in the log, not on the screen
            self.told.setdefault(viewer, []).extend(lines)
        self.news.clear()
        self._save()
        while not self.state.is_terminal:
            decision = self.state.decision
            assert decision is not None and not isinstance(decision, Chance), "chance is sampled"
            bots = [p for p in decision.players if p in self.bots]
            player = bots[0] if bots else decision.players[0]
            if bots:
                self._let_bot_play(player)
            else:
                self._let_person_play(player)
        self._finish()

    # ------------------------------------------------------------------------- decisions

    def _let_bot_play(self, player: str) -> None:
        with _thinking(player):
            action = self.bots[player].choose(PlayerView(self.state, player))
        self._advance(self.state.apply(action, player))
        if not self.people:
            self._tell(None)

    def _advance(self, state: State) -> None:
        self.state = state
        self._hear(state)
        self._save()

    def _hear(self, state: State) -> None:
        for viewer in self.people or [""]:
            lines = [line for line in state.log(viewer or None) if line.kind != "state"]
            self.news.setdefault(viewer, []).extend(lines)

    def _save(self) -> None:
        """Saves the game; says so when that begins to fail, and not again while it does."""
        was_saved, self.is_saved = self.is_saved, True
        try:
            write_save(self.save, self.state, seats=tuple(self.seats.values()))
        except OSError as error:
            self.is_saved = False
            if was_saved:
                reason = f"The game cannot be saved in {self.save}: {error.strerror or error}"
                write(printable(f"{reason}. `save FILE` tries another file."), error=True)

    def _let_person_play(self, player: str) -> None:
        self._change_screen(player)
        self._tell(player)
        self._show_board(player)
        state = self.state
        self._show_options(player)
        while self.state is state:
            typed = ask(f"{player}> ")
            if typed is None:
                raise Quit
            if not typed.strip():
                continue
            match understand(typed, state, player, state.legal_actions(player), self.wording):
                case Chosen(action):
                    try:
                        self._advance(state.apply(action, player))
                    except RuleFault as fault:
                        self._say_fault(fault)
                case Unclear(text):
                    write(printable(self._refusal(text, player)))
                case Word(word, rest):
                    self._obey(word, rest, player)

    def _refusal(self, text: str, player: str) -> str:
        count = len(self.state.legal_actions(player))
        if text.isascii() and text.isdigit():
            words = "There is no option {n}: they are numbered 1 to {count}."
            return self.wording.word(words, n=text, count=count)
        help = self.wording.word("(`help` lists what can be typed)")
        return f"{explain_text(self.state, text, player, self.wording)}\n{help}"

    def _say_fault(self, fault: RuleFault) -> None:
        write(f"The rules fail here, so this cannot be done: {printable(str(fault))}", error=True)
        write("This is a mistake in the definition. The game is as it was before.", error=True)

    # ------------------------------------------------------------------------- words

    def _obey(self, word: str, rest: str, player: str) -> None:
        match word:
            case "why":
                write(printable(self._why(rest, player)))
            case "undo":
                self._undo(player)
            case "log":
                write("\n".join(self._log(rest, player)))
            case "rules":
                write("\n".join(self._rule(rest, player)))
            case "board":
                self._show_board(player)
            case "scores":
                self._show_scores(player)
            case "options":
                self._show_options(player)
            case "save":
                self._save_as(rest)
            case "quit":
                raise Quit
            case _:
                write("A number, or an action as it is written beside the numbers, or:")
                write("\n".join(f"  {w:8} {text}" for w, text in WORDS.items()))
                write("  Where an action has such a name, put a colon before the word (:log).")

    def _why(self, rest: str, player: str) -> str:
        actions = self.state.legal_actions(player)
        if not rest:
            return f"Why what? Type the action, such as `why {actions[0].text}`."
        if rest.isascii() and rest.isdigit() and 1 <= int(rest) <= len(actions):
            rest = actions[int(rest) - 1].text
        return explain_text(self.state, rest, player, self.wording)

    def _undo(self, player: str) -> None:
        result = undo(self.state, player)
        if isinstance(result, str):
            write(result)
            return
        self._forget(self.state)
        self.state = result
        self._save()
        write("Taken back.")

    def _forget(self, state: State) -> None:
        """Strikes what happened in the last step from all that is told."""
        for viewer in self.people:
            undone = [line for line in state.log(viewer) if line.kind != "state"]
            for lines in (self.news.get(viewer, []), self.told.get(viewer, [])):
                if undone and lines[-len(undone) :] == undone:
                    del lines[-len(undone) :]
                    break

    def _log(self, rest: str, player: str) -> list[str]:
        """The decisions and dice so far as the player may know them; `all`: every card turned up, too."""
        records = list(enumerate(self.state.history_for(player), start=1))
        if rest != "all":
            records = [(i, r) for i, r in records if r.player is not None or r.name != _DRAW][-_RECORDS:]
        lines = []
        for number, record in records:
            who = record.player if record.player is not None else record.name
            lines.append(f"{number:>4}  {safe(who)}: {safe(record.text)}")
        if rest == "all":
            told = [safe(self._line(line, with_rule=True)) for line in self.told.get(player, [])]
            return [*lines, "In detail, since you sat down:", *indent(told)]
        return [*lines, "(`log all` shows all, in detail)"] if lines else ["Nothing has happened yet."]

    def _rule(self, name: str, player: str) -> list[str]:
        """A rule by name, by default the one behind the last event that the player was told of."""
        rules = self.state.game.rules
        if name:
            wanted = name.casefold()
            found = [r for r in rules if wanted in (r.name.casefold(), r.path.casefold())]
            found = found or [r for r in rules if wanted in r.path.casefold()]
        else:
            path = next((p for t in reversed(self.told.get(player, [])) if (p := _path(t)) is not None), None)
            found = [r for r in rules if r.path == path]
        if not found:
            return [f"There is no rule `{safe(name)}`." if name else "No rule has been at work yet."]
        rule = found[0]
        lines = [safe(rule.path), *indent(_unindented(printable(rule.span.text.rstrip())), "    ")]
        written = rule.span.text
        lines += [f"  cites {safe(cite)}" for cite in rule.cites if cite not in written]
        if rule.note and "note:" not in written:
            lines.append(f"  note: {safe(rule.note)}")
        return lines

    def _save_as(self, rest: str) -> None:
        if rest:
            path = Path(rest).expanduser()
            if path.exists() and path != self.save:
                write(f"{printable(str(path))} exists already, and is left as it is.")
                return
        else:
            path = self.save
        try:
            write_save(path, self.state, seats=tuple(self.seats.values()))
        except OSError as error:
            write(f"It could not be saved in {printable(str(path))}: {error.strerror or error}")
            return
        self.save, self.is_saved = path, True
        write(f"Saved in {printable(str(path))}.")

    # ------------------------------------------------------------------------- showing

    @property
    def _colour(self) -> Colourist:
        return terminal_colour if has_colours(sys.stdout) else colourless

    def _change_screen(self, player: str) -> None:
        """Where several people share the screen and there are secrets, nobody sees another's."""
        changes = self.at_screen is not None and self.at_screen != player
        self.at_screen = player
        if not changes or not has_secrets(self.state):
            return
        if is_terminal(sys.stdin) and is_terminal(sys.stdout):
            click.clear()
            sys.stdout.write("\x1b[3J")  # what has scrolled away, too
            if ask(f"Pass the screen to {player}, who presses Enter. ") is None:
                raise Quit
            click.clear()
        else:
            write(f"--- for {player} only ---")

    def _tell(self, player: str | None) -> None:
        viewer = player or ""
        lines = self.news.pop(viewer, [])
        self.told.setdefault(viewer, []).extend(lines)
        if len(lines) > _NEWS:
            words = "({n} earlier events; `log` shows them)"
            write(f"  {self.wording.word(words, n=len(lines) - _NEWS)}")
        for line in lines[-_NEWS:]:
            write(f"  {printable(self._line(line))}")

    def _line(self, line: LogLine, *, with_rule: bool = False) -> str:
        shown = sentence(self.wording, line.kind, line.text)
        return f"{line.rule}: {shown}" if with_rule and line.rule is not None else shown

    def _show_board(self, player: str | None) -> None:
        write()
        write("\n".join(self.board.draw(self.state, player, width(), self._colour)))
        write()

    def _show_scores(self, player: str | None) -> None:
        table = score_table(self.state, player)
        if table is None:
            write("This game keeps no scores.")
            return
        shown = worded(table, self.wording)
        assert isinstance(shown, Table)
        write("\n".join(draw(shown, width())))

    def _show_options(self, player: str) -> None:
        decision = self.state.decision
        about = getattr(decision, "about", "")
        deciding = self.wording.word("{player} is to decide", player=self.wording.entity(player))
        write(printable(deciding + (f": {about}" if about else "")))
        write("\n".join(list_options(self.state.legal_actions(player), width(), self.wording)))

    def _finish(self) -> None:
        viewer = self.people[0] if self.people else None
        self._tell(viewer)
        self._show_board(viewer if len(self.people) == 1 else None)
        ended = self.state.ended_by
        write(self.wording.word("The game is over") + (f": {printable(ended)}." if ended else "."))
        if score_table(self.state, None) is not None:
            self._show_scores(None)
        first = [p for p, rank in self.state.ranking.items() if rank == 1]
        if len(first) == len(self.seats) > 1:
            write(self.wording.word("It is a tie."))
        else:
            players = f" {self.wording.word('and')} ".join(self.wording.entity(p) for p in first)
            words = "{players} wins." if len(first) == 1 else "{players} share the win."
            write(printable(self.wording.word(words, players=players)))


@contextmanager
def _thinking(player: str) -> Iterator[None]:
    """Says on a terminal who keeps the others waiting, and wipes it away."""
    shown = is_terminal(sys.stdout)
    if shown:
        write(f"{printable(player)} is thinking …", end="\r")
    try:
        yield
    finally:
        if shown:
            sys.stdout.write("\x1b[K")
            sys.stdout.flush()


def _unindented(text: str) -> list[str]:
    """The lines of a rule as its file has them, without what they are all indented by."""
    first, *rest = text.splitlines() or [""]
    return [first, *textwrap.indent(textwrap.dedent("\n".join(rest)), "  ").splitlines()]


def _path(line: LogLine) -> str | None:
    """The address of the rule behind an event; behind a decision, it is the action that was chosen."""
    if line.path is not None or line.kind != "action":
        return line.path
    action = line.text.partition(": ")[2].partition("(")[0]
    return f"actions/{action}" if action else None


def has_secrets(state: State) -> bool:
    """Whether there is anything that one player sees and another does not."""
    program = state.game.program
    return any(k.is_location and k.audience == "owner" for k in program.world.kinds) or any(
        f.audience == "owner" for f in program.layout.fields
    )


def seats_of(players: tuple[str, ...], given: tuple[tuple[str, str], ...], bots: str) -> dict[str, str]:
    """Who plays which seat: as given, else bots, but the first seat a person if nobody else is one."""
    from ludex.bots import BadBot, normal_form
    from ludex.sim.scenarios import key

    seats: dict[str, str] = {}
    for name, who in given:
        wanted = [p for i, p in enumerate(players, start=1) if key(name) in (key(p), str(i), "all")]
        if not wanted:
            raise Mistake(f"there is no seat `{name}`; there are {', '.join(players)}")
        for player in wanted:
            seats[player] = who
    if HUMAN not in seats.values():
        seats.setdefault(players[0], HUMAN)
    try:
        return {p: HUMAN if (who := seats.get(p, bots)) == HUMAN else normal_form(who) for p in players}
    except BadBot as error:
        raise Mistake(f"{error}, or `human`") from error
