"""Pages that are carried out: files are written, commands run, Python executed, in one folder.

yaml file NAME      a file is written; so is `text file NAME`
yaml more NAME      lines are added at the end of a file
console             lines that begin with `$ ` are run by the shell, with nothing on standard
                    input; the lines after one are what it prints, where `…` stands for
                    anything, also for any lines in between
console long        the same for what takes minutes; carried out if that is asked for
python              executed; an AssertionError or any other exception is a failure
sh, text            for readers only
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from docs_examples import Fence, Page

TIMEOUT = 120
LONG_TIMEOUT = 1200
"""Seconds for one command."""


def carry_out(page: Page, folder: Path, *, long: bool = False) -> Iterator[str]:
    """Does all that a page says, in order; yields what did not come out as it says. With `long`, also
    what takes minutes."""
    for block in page.blocks:
        match block.words:
            case ("yaml" | "text", "file", name):
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            case ("yaml", "more", name):
                with open(folder / name, "a", encoding="utf-8") as file:
                    file.write(block.text)
            case ("console",):
                yield from _console(block, folder)
            case ("console", "long"):
                if long:
                    yield from _console(block, folder, LONG_TIMEOUT)
            case ("python",):
                done = subprocess.run(
                    [sys.executable, "-c", block.text],
                    cwd=folder,
                    env=environment(folder),
                    capture_output=True,
                    text=True,
                    timeout=TIMEOUT,
                )
                if done.returncode:
                    yield f"{block.id}: {done.stderr.strip().splitlines()[-1]}"
            case ("sh",) | ("text",):
                pass
            case _:
                yield f"{block.id}: nothing can be done with ```{' '.join(block.words)}"


def environment(folder: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "PYTHONPATH", "SYSTEMROOT")}
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
    return {**kept, "PATH": path, "HOME": str(folder), "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}


def _console(block: Fence, folder: Path, timeout: int = TIMEOUT) -> Iterator[str]:
    for command, expected in commands(block.text):
        found = run(command, folder, timeout)
        if not re.fullmatch(pattern(expected), found.rstrip()):
            yield f"{block.id}: `{command}` printed\n{found}"


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Commands, each with the lines that it prints."""
    command, expected = "", list[str]()
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            if command:
                yield command, expected
            command, expected = line[2:], []
        else:
            expected.append(line)
    yield command, expected


def run(command: str, folder: Path, timeout: int = TIMEOUT) -> str:
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT,
    )
    return done.stdout


def pattern(expected: list[str]) -> str:
    """A line `…` alone stands for any lines, none too."""
    result = ""
    for i, line in enumerate(expected):
        if line.strip() == "…":
            result += r"(?:.*\n)*?" if i + 1 < len(expected) else r"(?:.*\n?)*?"
        else:
            text = re.escape(line.rstrip()).replace("…", "[^\n]*")
            result += text + (r"[ ]*\n" if i + 1 < len(expected) else "")
    return result


if __name__ == "__main__":  # shows what the commands of a page print, for who writes the page
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for problem in carry_out(Page.read(Path(sys.argv[1])), Path(folder)):
            print(problem, end="\n\n")
