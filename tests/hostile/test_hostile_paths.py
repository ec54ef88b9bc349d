"""What a file says leads to no other file: only who types a path reaches what it names."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confined import confined
from hostile_definitions import definition

from ludex import pipeline
from ludex.diagnostics import Failed

SECRET = "root:x:0:0:secret"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside the game's folder, which nobody asked for."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.yaml").write_text(SECRET)
    return outside / "secret.yaml"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "scenarios").mkdir()
    (folder / "game.yaml").write_text(definition())
    (folder / "mine.yaml").write_text("ludex: 1\noverlay: mine\nextends: g\ntitle: Mine\nreplace: {end: {enough: n >= 5}}\n")
    return folder


OPENED: list[str] = []
_listening: list[bool] = []


def _listen(event: str, args: tuple[object, ...]) -> None:
    if event == "open" and _listening:
        OPENED.append(str(args[0]))


@pytest.fixture
def opened() -> Iterator[list[str]]:
    """The paths of all files that are opened, from here on."""
    if not _listening and not getattr(sys, "_ludex_listens", False):
        sys.addaudithook(_listen)
        sys._ludex_listens = True  # type: ignore[attr-defined]  # hooks cannot be taken away
    OPENED.clear()
    _listening.append(True)
    yield OPENED
    _listening.clear()


def ways(secret: Path) -> list[str]:
    """Ways to write the path."""
    return [str(secret), f"../outside/{secret.name}", "../outside/secret", f"./{os.path.relpath(secret)}", f"{secret}\0"]


@pytest.mark.parametrize("way", range(5))
def test_what_scenarios_and_overlays_name(
    ludex: Callable[..., str], game: Path, secret: Path, opened: list[str], way: int
) -> None:
    path = ways(secret)[way].replace("\0", "")
    (game / "scenarios" / "s.yaml").write_text(f'scenario: s\ngame: "{path}"\noverlays: ["{path}"]\n')
    (game / "evil.yaml").write_text(f'ludex: 1\noverlay: evil\nextends: "{path}"\ntitle: E\nrequires: ["{path}"]\n')
    sourced = definition(sources=f'sources:\n  book: {{title: X, language: en, file: "{path}"}}')
    (game / "sourced.yaml").write_text(sourced)
    output = ludex("test", str(game / "game.yaml"))
    assert "neither the name of an overlay" in output
    output += ludex("check", str(game / "game.yaml"), "+", str(game / "evil.yaml"))
    output += ludex("check", str(game / "evil.yaml"))
    output += ludex("check", str(game / "sourced.yaml"))
    output += ludex("show", str(game / "sourced.yaml"))
    assert "root:x" not in output
    assert not [o for o in opened if "secret" in o]


def test_links_that_lead_out(ludex: Callable[..., str], game: Path, secret: Path, opened: list[str]) -> None:
    (game / "link.yaml").symlink_to(secret)
    (game / "scenarios" / "link.yaml").symlink_to(secret)
    (game / "itself.yaml").symlink_to(game / "itself.yaml")
    base = str(game / "game.yaml")
    output = ludex("test", base) + ludex("check", f"{base}", "+", "link") + ludex("check", base, "+", "itself")
    assert "root:x" not in output
    assert not [o for o in opened if "secret" in o or o.endswith("link.yaml")]


def test_a_link_beside_a_scenario(
    ludex: Callable[..., str], game: Path, secret: Path, opened: list[str]
) -> None:
    """A scenario may name a file beside it, and no link in its place."""
    (game / "scenarios" / "beside.yaml").symlink_to(secret)
    (game / "scenarios" / "s.yaml").write_text("scenario: s\noverlays: [beside.yaml, ./beside.yaml]\n")
    assert "root:x" not in ludex("test", str(game / "game.yaml"))
    assert not [o for o in opened if "secret" in o or o.endswith("beside.yaml")]


def test_an_overlay_of_the_folder_is_found(ludex: Callable[..., str], game: Path) -> None:
    (game / "scenarios" / "s.yaml").write_text("scenario: s\noverlays: [mine]\n")
    assert "1 passed" in ludex("test", str(game / "game.yaml"))


@pytest.mark.parametrize(
    "name", ["../emerald", "emerald/../emerald", "/etc/passwd", "..", ".", "", "emerald\0", "con", "~", "emerald\n", "ｅｍｅｒａｌｄ/.."]
)  # fmt: skip
def test_names_that_are_paths(name: str, opened: list[str]) -> None:
    with pytest.raises(Failed) as failed:
        pipeline.load(name)
    assert failed.value.diagnostics
    assert "/etc/passwd" not in [o for o in opened if name != "/etc/passwd"]


def test_devices_and_pipes(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe.yaml"
    os.mkfifo(fifo)
    for path in ("/dev/zero", "/dev/stdin", "/dev/tty", "/proc/self/mem", str(fifo), str(tmp_path), "/dev/fd/0/x.yaml"):
        outcome = confined(lambda path=path: pipeline.load(path if "/" in path else f"./{path}"), cpu=4)
        assert outcome.errors and not outcome.crash, (path, outcome)


def test_a_file_that_grows_without_end(tmp_path: Path) -> None:
    path = tmp_path / "sparse.yaml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    assert confined(lambda: pipeline.load(str(path))).errors == ("file-too-large",)


def test_the_game_in_a_save_names_no_folder(ludex: Callable[..., str], tmp_path: Path) -> None:
    """The name under which a game is saved is an identifier, so it stays in the saves' folder."""
    path = tmp_path / "game.yaml"
    path.write_text(definition(game='game: "../../../evil"'))
    assert "error" in ludex("play", str(path), typed="quit\n")
    assert not list(tmp_path.rglob("evil*"))
