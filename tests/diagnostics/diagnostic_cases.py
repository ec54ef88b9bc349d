"""The bad definitions beside this file: what each says is wrong with it, and what is found.

A case is a YAML file. What is expected stands in comments, at the end of the line it is about:

    is: k == mountain(2)   #! never-equal: can never be equal

that is, the code and a part of the message; several of them on one line each begin with `#!`.
Where the line cannot hold a comment, one at the top of the file names it:

    #! line 7: yaml-tab: indented with a tab
    #! nowhere: no-such-overlay: there is no overlay    (a diagnostic without a place)

An overlay (a file with `overlay:`) is put on `bases/GAME.yaml`, GAME being what its `extends` says.
`#! with: NAME` puts `bases/NAME.yaml` into the stack as well, `#! of NAME line 7: …` expects a
diagnostic in that file, `#! on: GAME` takes another base than `extends` says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ludex import pipeline
from ludex.diagnostics import Diagnostic
from ludex.source import BUILTIN

HERE = Path(__file__).parent
BASES = HERE / "bases"

_MARK = re.compile(r"#! ")
_ELSEWHERE = re.compile(r"(?:(?P<nowhere>nowhere)|(?:of (?P<file>\w+) )?line (?P<line>\d+)): (?P<rest>.*)", re.S)
_SETTING = re.compile(r"(?P<key>with|on): (?P<value>\w+)$")


@dataclass(frozen=True, slots=True)
class Expectation:
    """One diagnostic: the file (its stem, empty for nowhere) and line, the code, a part of the message."""

    file: str
    line: int
    code: str
    text: str

    def is_met_by(self, found: Diagnostic) -> bool:
        return place(found) == (self.file, self.line) and found.code.name == self.code and self.text in found.message

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.code}: {self.text}"


@dataclass(frozen=True, slots=True)
class Case:
    path: Path
    text: str
    expected: list[Expectation] = field(default_factory=list)
    overlays: list[Path] = field(default_factory=list)
    base: Path | None = None

    def check(self) -> list[Diagnostic]:
        if self.base is None:
            return list(pipeline.check(str(self.path)))
        return list(pipeline.check(str(self.base), [str(p) for p in (self.path, *self.overlays)]))

    def line(self, number: int) -> str:
        """A line of the file without what is expected of it."""
        return re.sub(r"\s*#! .*", "", self.text.splitlines()[number - 1])


def place(found: Diagnostic) -> tuple[str, int]:
    if found.span.source is BUILTIN:
        return "", 0
    return Path(found.span.source.name).stem, found.span.line


def read_case(path: Path) -> Case:
    text = path.read_text(encoding="utf-8")
    extends = re.search(r"^extends: *(\w+)", text, re.M) if re.search(r"^overlay:", text, re.M) else None
    base = BASES / f"{extends[1]}.yaml" if extends else None
    expected: list[Expectation] = []
    overlays: list[Path] = []
    for number, line in enumerate(text.split("\n"), 1):
        for note in (n.strip() for n in _MARK.split(line)[1:]):
            if setting := _SETTING.match(note):
                if setting["key"] == "with":
                    overlays.append(BASES / f"{setting['value']}.yaml")
                else:
                    base = BASES / f"{setting['value']}.yaml"
                continue
            file, at, rest = path.stem, number, note
            if elsewhere := _ELSEWHERE.match(note):
                rest = elsewhere["rest"]
                if elsewhere["nowhere"]:
                    file, at = "", 0
                else:
                    file, at = elsewhere["file"] or path.stem, int(elsewhere["line"])
            code, _, message = rest.partition(": ")
            expected.append(Expectation(file, at, code, message))
    return Case(path, text, expected, overlays, base)


def all_cases() -> list[Case]:
    return [read_case(path) for path in sorted(HERE.glob("*.yaml"))]
