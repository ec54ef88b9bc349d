"""The examples of the documentation: found in its pages, put into frames, checked, played.

What a fenced block is, its info string says:

    yaml game                a whole game: checked for every number of players, and played
    yaml overlay             a whole overlay, on the game that its `extends` names: checked, played
    yaml sections            parts of a definition, put into the frame
    yaml sections alone      the same, into the smallest frame there is
    yaml scenario            scenarios of a game: they pass
    yaml translation         a translation of a game of the page: nothing in it is wrong
    ludex steps              statements: a step in a turn of the first player of the frame
    ludex expressions        one expression a line; `EXPR   # VALUE` says what it is, and a line
                             without a value must hold; after `ludex steps`, at the end of these
    ludex expressions then   the same, following the block of steps before it
    … wrong CODE             must be refused with that diagnostic
    … faults KIND            must be accepted, and fail with that fault when it is played

The *frame* is the game `playground`, which stands on the page itself; `yaml game` blocks may be
extended by overlays of the same page. A block of any other sort is for readers only; tests say
which sorts those may be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ludex import pipeline
from ludex.diagnostics import Failed
from ludex.game import Chance, Game, RuleFault, State
from ludex.rng import POLICY, Generator
from ludex.translation.folder import check_translations, wording

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FRAME = "playground"
MAX_DECISIONS = 3000

ALONE = """
ludex: 1
game: alone
title: Alone
players: 2..4
phases:
  play:
    turns: clockwise from player(1)
    rounds: 1
    do: {a step: act wait}
actions:
  wait: {do: {nothing: say "done"}}
"""


@dataclass(frozen=True)
class Fence:
    """A fenced block: the words of its info string, its text, and where it stands."""

    page: Path
    line: int
    words: tuple[str, ...]
    text: str

    @property
    def language(self) -> str:
        return self.words[0] if self.words else ""

    @property
    def sort(self) -> str:
        return self.words[1] if len(self.words) > 1 else ""

    def after(self, word: str) -> str | None:
        """The word that follows another in the info string."""
        if word not in self.words:
            return None
        return self.words[self.words.index(word) + 1]

    @property
    def id(self) -> str:
        return f"{self.page.name}:{self.line}"


def fences(page: Path) -> Iterator[Fence]:
    """All fenced blocks of a page. Raises ValueError for one that is not closed."""
    lines = page.read_text(encoding="utf-8").split("\n")
    i = 0
    while i < len(lines):
        match = re.match(r"( *)(```+)([^`]*)$", lines[i])
        if match is None:
            i += 1
            continue
        indent, ticks, info = match.groups()
        start = i + 1
        i = start
        while i < len(lines) and lines[i].strip() != ticks:
            i += 1
        if i == len(lines):
            raise ValueError(f"{page.name}:{start}: the block is not closed")
        body = [line.removeprefix(indent) for line in lines[start:i]]
        yield Fence(page, start, tuple(info.split()), "\n".join(body) + "\n")
        i += 1


@dataclass
class Page:
    """A page with the games that stand on it, by name."""

    path: Path
    blocks: list[Fence] = field(default_factory=list)
    games: dict[str, Fence] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Page:
        page = cls(path, list(fences(path)))
        for block in page.blocks:
            if block.words[:2] == ("yaml", "game"):
                page.games[str(loaded(block.text)["game"])] = block
        return page

    @property
    def examples(self) -> list[Fence]:
        return [b for b in self.blocks if b.language == "ludex" or (b.language == "yaml" and b.sort)]

    def steps_before(self, block: Fence) -> Fence:
        """The block of steps that `ludex expressions then` follows."""
        before = [b for b in self.blocks if b.line < block.line and b.words[:2] == ("ludex", "steps")]
        return before[-1]


def loaded(text: str) -> dict[str, Any]:
    result = yaml.safe_load(text)
    assert isinstance(result, dict), text
    return result


def merged(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Two definitions as one: mappings are merged, anything else is replaced."""
    result = dict(base)
    for key, value in more.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return result


def definition(page: Page, block: Fence) -> str:
    """The text of the whole game that a block is an example of."""
    if block.words[:2] == ("yaml", "game"):
        return block.text
    if "alone" in block.words:
        return dumped(merged(loaded(ALONE), loaded(block.text)))
    frame = loaded(page.games[FRAME].text)
    if block.sort == "sections":
        return dumped(merged(frame, loaded(block.text)))
    steps = {}
    if block.sort == "steps":
        steps["the example"] = block.text
    else:
        if "then" in block.words:
            steps["the example"] = page.steps_before(block).text
        steps["the expressions"] = comparisons(block.text)
    phase = {
        "turns": "clockwise from player(1)",
        "where": {"the example is for the first player": "me == player(1)"},
        "rounds": 1,
        "do": {**steps, "the rest of the turn": "act walk or wait"},
    }
    frame["phases"] = {"play": phase}
    frame["state"]["failed"] = {"type": "0..999"}
    return dumped(frame)


def dumped(content: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(content), sort_keys=False, allow_unicode=True, width=10_000)


def comparisons(text: str) -> str:
    """Statements that put the number of the first line that does not hold into `failed`."""
    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        expression, _, value = (part.strip() for part in line.partition(" # "))
        if not expression or expression.startswith("#"):
            continue
        test = expression
        if value == "none":
            test = f"({expression}) is none"
        elif value:
            test = f"({expression}) == {value}"
        lines.append(f"if failed == 0 and not ({test}) then failed = {number}")
    return "\n".join(lines) + "\n"


def load(page: Page, block: Fence, folder: Path, players: int | None = None) -> Game:
    """The game of an example. Raises `Failed`."""
    overlays = []
    if block.words[:2] == ("yaml", "overlay"):
        base = page.games.get(loaded(block.text)["extends"])
        overlays.append(str(write(folder / "overlay.yaml", block.text)))
        game = str(write(folder / "game.yaml", base.text)) if base else loaded(block.text)["extends"]
    else:
        game = str(write(folder / "game.yaml", definition(page, block)))
    return pipeline.load(game, overlays, players)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def player_counts(page: Page, block: Fence) -> range:
    """The numbers of players that an example is tried for."""
    if block.sort == "overlay":
        base = page.games.get(loaded(block.text)["extends"])
        if base is None:
            return range(4, 5)
        source = base.text
    else:
        source = definition(page, block)
    players = loaded(source)["players"]
    if isinstance(players, list):
        return range(len(players), len(players) + 1)
    lo, _, hi = str(players).partition("..")
    return range(int(lo), int(hi or lo) + 1)


def run(page: Page, block: Fence, folder: Path) -> None:
    """Does with an example what its info string says. Raises AssertionError."""
    if block.sort == "translation":
        check_translation(page, block, folder)
        return
    code, fault = block.after("wrong"), block.after("faults")
    if code is not None:
        found = refused(page, block, folder)
        assert code in found, f"{block.id}: expected {code}, found {found or 'nothing wrong'}"
        return
    whole = block.sort in ("game", "overlay") or "alone" in block.words
    for players in player_counts(page, block) if whole else (3,):
        try:
            game = load(page, block, folder, players)
        except Failed as failed:
            errors = [said(d) for d in failed.diagnostics if d.severity == "error"]
            raise AssertionError(f"{block.id}: {'; '.join(errors)}") from None
        for seed in (1,) if fault else (1, 2, 3):
            try:
                state = played(game, seed)
            except RuleFault as error:
                assert error.kind == fault, f"{block.id}: {error}"
                continue
            assert fault is None, f"{block.id}: expected the fault {fault}"
            assert state.is_terminal, f"{block.id}: no end after {MAX_DECISIONS} decisions"
            assert not state.broken_invariants, f"{block.id}: {state.broken_invariants}"
            if block.sort == "expressions":
                line = state.observation(None).value("failed")
                assert line == 0, f"{block.id}: line {line} does not hold: {text_line(block, line)}"


def check_translation(page: Page, block: Fence, folder: Path) -> None:
    content = loaded(block.text)
    game = write(folder / "game.yaml", page.games[content["game"]].text)
    write(folder / "translations" / f"{content['translation']}.yaml", block.text)
    (state,) = check_translations(str(game), (), None)
    found = [d.code.name for d in state.found]
    wanted = block.after("wrong")
    assert found == ([] if wanted is None else [wanted]), f"{block.id}: {found}"
    if wanted is None:
        wording(str(game), content["translation"])


def text_line(block: Fence, number: object) -> str:
    assert isinstance(number, int)
    return block.text.splitlines()[number - 1]


def said(diagnostic: Any) -> str:
    return f"{diagnostic.code.name}: {diagnostic.message} at `{diagnostic.span.text[:60]}`"


def refused(page: Page, block: Fence, folder: Path) -> list[str]:
    """The codes of all that is wrong with an example."""
    try:
        load(page, block, folder)
    except Failed as failed:
        return [d.code.name for d in failed.diagnostics if d.severity == "error"]
    return []


def played(game: Game, seed: int) -> State:
    """A game in which everybody plays at random. Raises `RuleFault`."""
    rng = Generator(seed, POLICY)
    state = game.start(seed)
    for _ in range(MAX_DECISIONS):
        decision = state.decision
        if decision is None:
            break
        assert not isinstance(decision, Chance)
        player = decision.players[rng.bounded(len(decision.players))]
        actions = state.legal_actions(player)
        state = state.apply(actions[rng.bounded(len(actions))], player)
    return state
