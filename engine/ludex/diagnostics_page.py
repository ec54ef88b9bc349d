"""`docs/diagnostics.md`, written by `python -m ludex.diagnostics_page` in a checkout.

Every code of every stage with its explanation, and for most of them an example: a line of a bad
definition of `tests/diagnostics` and what is said of it. The form of these definitions is read here
too, for the page and for the tests alike.

A case is a YAML file. What is expected stands in comments, at the end of the line it is about:

    is: k == mountain(2)   #! never-equal: a knight is never a mountain

that is, the code and a part of the message or of its help; several on one line each begin with `#!`. Where
the line cannot hold a comment, one at the top of the file names it:

    #! line 7: yaml-tab: indented with a tab
    #! of longer line 6: overlay-same-rule: …     (in the file bases/longer.yaml)

An overlay (a file with `overlay:`) is put on `bases/GAME.yaml`, GAME being what its `extends` says;
`#! on: GAME` takes another base, `#! with: NAME` puts `bases/NAME.yaml` into the stack as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ludex import codes, pipeline
from ludex.diagnostics import Code, Diagnostic

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "diagnostics"
PAGE = ROOT / "docs" / "diagnostics.md"

_MARK = re.compile(r"#! ")
_ELSEWHERE = re.compile(r"(?:of (?P<file>\w+) )?line (?P<line>\d+): (?P<rest>.*)")
_SETTING = re.compile(r"(?P<key>with|on): (?P<value>\w+)$")

_HEAD = """\
# Diagnostics

<!-- Written by `python -m ludex.diagnostics_page`; a test fails if it is not fresh. -->

Every message about a definition, an overlay, a save or a scenario carries a code in brackets. This page
lists the codes with what they mean and what to do; `ludex explain CODE` prints the same on a terminal. Each
is an error unless it is marked as a warning. The examples are lines of the definitions in
[`tests/diagnostics`](../tests/diagnostics), where the whole of each can be seen.
"""


@dataclass(frozen=True, slots=True)
class Expectation:
    """One diagnostic: the file (its stem) and line, the code, a part of the message."""

    file: str
    line: int
    code: str
    text: str

    def is_met_by(self, found: Diagnostic) -> bool:
        return (
            (Path(found.span.source.name).stem, found.span.line) == (self.file, self.line)
            and found.code.name == self.code
            and (self.text in found.message or self.text in (found.help or ""))
        )

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.code}: {self.text}"


@dataclass(frozen=True, slots=True)
class Case:
    """A bad definition, or a bad overlay with the game and the overlays that it is tried with."""

    path: Path
    expected: tuple[Expectation, ...]
    base: Path | None
    overlays: tuple[Path, ...]

    def check(self) -> list[Diagnostic]:
        """All that the pipeline finds wrong with it."""
        if self.base is None:
            return list(pipeline.check(str(self.path)))
        return list(pipeline.check(str(self.base), [str(p) for p in (self.path, *self.overlays)]))


def read_case(path: Path) -> Case:
    text = path.read_text(encoding="utf-8")
    bases = path.parent / "bases"
    extends = re.search(r"^extends: *(\w+)", text, re.M) if re.search(r"^overlay:", text, re.M) else None
    base = bases / f"{extends[1]}.yaml" if extends else None
    expected: list[Expectation] = []
    overlays: list[Path] = []
    for number, line in enumerate(text.split("\n"), 1):
        for note in (part.strip() for part in _MARK.split(line)[1:]):
            if setting := _SETTING.match(note):
                file = bases / f"{setting['value']}.yaml"
                if setting["key"] == "with":
                    overlays.append(file)
                else:
                    base = file
                continue
            name, at = path.stem, number
            if elsewhere := _ELSEWHERE.match(note):
                name, at, note = elsewhere["file"] or name, int(elsewhere["line"]), elsewhere["rest"]
            code, _, message = note.partition(": ")
            expected.append(Expectation(name, at, code, message))
    return Case(path, tuple(expected), base, tuple(overlays))


def all_cases(folder: Path = CASES) -> list[Case]:
    return [read_case(path) for path in sorted(folder.glob("*.yaml"))]


# ------------------------------------------------------------------------------ the page


def page(cases: Iterable[Case]) -> str:
    examples: dict[str, Case] = {}
    for case in cases:
        for expected in case.expected:
            known = examples.get(expected.code)
            better = _is_named_after(case, expected.code)
            if known is None or (better and not _is_named_after(known, expected.code)):
                examples[expected.code] = case
    parts = [_HEAD]
    for title, found in codes.stages().items():
        parts.append(f"## {title}\n")
        parts += [_entry(code, examples.get(name)) for name, code in found.items()]
    return "\n".join(parts)


def _is_named_after(case: Case, code: str) -> bool:
    return case.path.stem.startswith(code.replace("-", "_"))


def _entry(code: Code, case: Case | None) -> str:
    mark = " (a warning)" if code.severity == "warning" else ""
    text = f"### `{code.name}`{mark}\n\n{code.explanation}\n"
    if case is None:
        return text
    found = next((d for d in case.check() if d.code is code), None)
    return text if found is None else f"{text}\n```text\n{_example(found)}\n```\n"


def _example(found: Diagnostic) -> str:
    """The line with the span underlined, what is said of it, and what to do."""
    number, column = found.span.source.position(found.span.start)
    line = re.sub(r"\s*#! .*", "", found.span.source.line(number)).replace("\t", " ")
    end_line, end_column = found.span.source.position(found.span.end)
    end = end_column - 1 if end_line == number else len(line)
    width = max(1, min(end, len(line)) - column + 1)
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
    lines = [shown, " " * (column - 1) + "^" * width, f"{found.severity}: {found.message}"]
    if found.help:
        lines.append(f"help: {found.help}")
    return "\n".join(lines)


def main() -> None:
    PAGE.write_text(page(all_cases()), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} written")


if __name__ == "__main__":
    main()
