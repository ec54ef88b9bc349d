"""What holds for the repository as a whole: nothing is missing, nothing is out of step."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import ludex
from ludex.cli.scenario_file import read_scenarios
from ludex.diagnostics import Report
from ludex.game.save_file import engine_version
from ludex.pipeline import overlay_paths

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GAMES = sorted(p.parent for p in (ROOT / "definitions").glob("*/game.yaml"))
SKIPPED = {".git", ".venv", "build", "dist", "__pycache__", ".hypothesis", ".ruff_cache", ".mypy_cache"}


def files() -> Iterator[Path]:
    """The files of the repository: those that git would keep, or all if there is no git."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )
    names = listed.stdout.split("\0") if listed.returncode == 0 else ()
    found = [ROOT / n for n in names if n] or [p for p in ROOT.rglob("*") if not SKIPPED & set(p.parts)]
    yield from (p for p in found if p.is_file())


def texts() -> Iterator[tuple[Path, str]]:
    for path in files():
        try:
            yield path, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


# ------------------------------------------------------------------------- definitions


@pytest.mark.parametrize("folder", GAMES, ids=lambda p: p.name)
def test_every_game_has_scenarios_and_so_has_each_of_its_overlays(folder: Path) -> None:
    report = Report()
    scenarios = [s for f in sorted((folder / "scenarios").glob("*.yaml")) for s in read_scenarios(f, report)]
    assert not report.found
    assert {s.game for s in scenarios} == {folder.name}
    assert any(not s.overlays for s in scenarios)
    assert set(overlay_paths(folder)) - {o for s in scenarios for o in s.overlays} == set()


@pytest.mark.parametrize("folder", GAMES, ids=lambda p: p.name)
def test_names_in_a_definition_are_those_of_its_files(folder: Path) -> None:
    assert yaml.safe_load((folder / "game.yaml").read_text(encoding="utf-8"))["game"] == folder.name
    for name, path in overlay_paths(folder).items():
        overlay = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert (overlay["overlay"], overlay["extends"]) == (name, folder.name)


# ------------------------------------------------------------------- licence, versions


def test_the_licence_is_that_of_the_project() -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert licence.startswith("MIT License")
    assert PROJECT["project"]["license"] == "MIT"
    assert PROJECT["project"]["license-files"] == ["LICENSE"]


def test_versions_agree() -> None:
    assert PROJECT["project"]["version"] == ludex.__version__
    assert engine_version() in (ludex.__version__, "unknown")


def test_the_version_of_the_language_is_the_same_everywhere() -> None:
    schema = json.loads((ROOT / "grammar" / "schema.json").read_text(encoding="utf-8"))
    (version,) = schema["$defs"]["version"]["enum"]
    assert f"version {version} of the language" in (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    for folder in GAMES:
        for path in [folder / "game.yaml", *overlay_paths(folder).values()]:
            assert yaml.safe_load(path.read_text(encoding="utf-8"))["ludex"] == version


# ----------------------------------------------------------------- packaging, commands


def test_grammars_and_definitions_ship_in_the_wheel() -> None:
    shipped = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert shipped == {"grammar": "ludex/data/grammar", "definitions": "ludex/data/definitions"}


def test_the_commands_of_the_readme_are_those_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.M))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`make ([a-z-]+)`", readme)) <= targets
    assert {"play", "test", "test-all", "check", "bench", "clean"} <= targets


def test_continuous_integration_runs_the_tests() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    text = script.read_text(encoding="utf-8")
    assert text.startswith("#!/usr/bin/env bash") and "set -euo pipefail" in text and "make test" in text


# ------------------------------------------------------------------------------- words


def test_the_repository_speaks_of_the_program_only() -> None:
    """Not of how it is made, nor of the machines it is made on."""
    wanted = re.compile(
        r"/work/|/root/|/home/\w|"  # paths of one machine
        r"\bissues? (?:#|no\.? ?)?\d|\bissues show\b|"
        r"\bsub-?agents?\b|\blanguage model|\bassistant\b|\bClaude\b|\bGPT\b|"
        r"\bTODO\b|\bFIXME\b|\bXXX\b|"
        r"\b(?:as|was|were) (?:instructed|asked) to\b|\bwork in progress\b|\bthe brief\b",
    )
    found = []
    for path, text in texts():
        if path != Path(__file__).resolve():
            found += [f"{path.relative_to(ROOT)}: {m[0]}" for m in wanted.finditer(text)]
    assert found == []


def test_no_host_of_one_network_is_named() -> None:
    local = re.compile(r"https?://(?:[\d.]+|[\w-]+)(?:[:/]|$)|\bindex-url\b", re.M)
    for path, text in texts():
        if path != Path(__file__).resolve():
            assert not local.search(text), path.relative_to(ROOT)


def test_texts_of_rulebooks_are_not_part_of_the_repository() -> None:
    """Citations point to passages; whoever copies one writes a long line in another language."""
    for folder in GAMES:
        definition = yaml.safe_load((folder / "game.yaml").read_text(encoding="utf-8"))
        for source in definition.get("sources", {}).values():
            assert set(source) <= {
                "title", "language", "edition", "sha256", "headings", "end", "exclude", "note",
            }
