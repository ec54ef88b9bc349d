"""Writes docs/api.md from the docstrings of the public modules, and the numbers of the table of
limits in docs/language.md: `make docs`."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import get_args, get_origin

import ludex
from ludex import bots, diagnostics, game, limits, pipeline, rng
from ludex.sim import batch, comparison, intervals, one_game, statistics, summary

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "api.md"
HEAD = """# API

ludex from Python, as its docstrings have it. *This page is generated (`make docs`): edit the docstrings.*

What is here is meant to be used; everything else may change with any release. The formats of
texts, saves and observations are in [formats.md](formats.md), the terms in
[architecture.md](architecture.md#terms).
"""
MODULES: tuple[tuple[ModuleType, tuple[str, ...]], ...] = (
    (ludex, ("load",)),
    (game, tuple(game.__all__)),
    (bots, tuple(bots.__all__)),
    (rng, ("Generator", "derive", "CHANCE", "POLICY")),
    (pipeline, ("load", "load_saved", "check", "document", "program")),
    (diagnostics, ("Diagnostic", "Label", "Code", "Failed", "Report")),
    (batch, ("Job", "Result", "run", "run_together")),
    (one_game, ("Settings",)),
    (summary, ("summarise", "to_json", "to_csv", "games_to_csv")),
    (comparison, ("Side", "compare", "beginners", "Comparison", "Measure", "rule_uses", "RuleUse")),
    (intervals, ("Interval", "Estimate", "wilson", "mean_interval", "paired_difference")),
    (statistics, ("Moments",)),
)


def page() -> str:
    parts = [HEAD]
    for module, names in MODULES:
        parts.append(f"## `{module.__name__}`\n")
        parts.append(prose(inspect.getdoc(module) or ""))
        for name in names:
            parts.extend(entry(module, name))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


def entry(module: ModuleType, name: str) -> Iterator[str]:
    value = getattr(module, name)
    if inspect.isclass(value):
        yield from of_class(name, value)
    elif isinstance(value, FunctionType):
        yield f"### `{name}{signature(value)}`\n"
        yield prose(inspect.getdoc(value) or "")
    else:
        yield f"### `{name}`\n"
        yield prose(described(module, name) or "")
        if get_origin(value) is not None:
            yield "One of " + ", ".join(f"`{a.__name__}`" for a in get_args(value)) + ".\n"
        elif isinstance(value, int):
            yield f"`{value}`\n"


def of_class(name: str, cls: type) -> Iterator[str]:
    yield f"### class `{name}`\n"
    doc = inspect.getdoc(cls) or ""
    if not doc.startswith(f"{name}("):  # the docstring that dataclasses make up
        yield prose(doc)
    notes = attribute_docs(cls)
    if dataclasses.is_dataclass(cls):
        rows = []
        for f in dataclasses.fields(cls):
            if not f.name.startswith("_"):
                rows.append(f"- `{f.name}: {f.type}`" + (f": {notes[f.name]}" if f.name in notes else ""))
        yield "\n".join(rows) + "\n"
    for member, value in vars(cls).items():
        if member.startswith("_"):
            continue
        if isinstance(value, property):
            doc = inspect.getdoc(value)
            returns = inspect.signature(value.fget).return_annotation if value.fget else ""
            yield f"- **`{member}`**: `{returns}`" + (f". {one_line(doc)}" if doc else "")
        elif isinstance(value, FunctionType):
            doc = inspect.getdoc(value)
            yield f"- **`{member}{signature(value)}`**" + (f": {one_line(doc)}" if doc else "")
    yield ""


def signature(function: FunctionType) -> str:
    text = str(inspect.signature(function))
    return re.sub(r"\(self(, )?", "(", text).replace("'", "")


def described(module: ModuleType, name: str) -> str | None:
    """The docstring that stands after a module's variable."""
    source = inspect.getsource(sys.modules[_home(module, name)])
    match = re.search(rf'^{name}\b[^\n]*=[^\n]*\n"""(.*?)"""', source, re.M | re.S)
    return match[1] if match else None


def _home(module: ModuleType, name: str) -> str:
    """The module in which a name that another one exports is defined."""
    for candidate in [module.__name__, *(m for m in sys.modules if m.startswith(module.__name__ + "."))]:
        try:
            source = inspect.getsource(sys.modules[candidate])
        except (OSError, TypeError):
            continue
        if re.search(rf"^{name}\b[^\n]*=", source, re.M):
            return candidate
    return module.__name__


def attribute_docs(cls: type) -> dict[str, str]:
    """The docstrings that stand after the fields of a class."""
    found = {}
    for match in re.finditer(r'^    (\w+): [^\n]*\n    """(.*?)"""', inspect.getsource(cls), re.M | re.S):
        found[match[1]] = one_line(textwrap.dedent(match[2]))
    return found


def one_line(text: str) -> str:
    return " ".join(text.split())


def prose(text: str) -> str:
    """Paragraphs as Markdown; what is indented or ends in `::` is code."""
    text = text.replace("::\n", ":\n")
    text = re.sub(r" ?May import: .*?(?=\n\n|\Z)", "", text, flags=re.S)
    if not text.strip():
        return ""
    paragraphs = []
    for paragraph in re.split(r"\n\n+", text.strip()):
        lines = paragraph.splitlines()
        if all(line.startswith("    ") for line in lines):
            paragraphs.append("```python\n" + textwrap.dedent(paragraph) + "\n```")
        elif lines and lines[0].startswith(("|", "- ")):
            paragraphs.append(paragraph)
        else:
            paragraphs.append(one_line(paragraph))
    return "\n\n".join(paragraphs) + "\n"


def with_limits(text: str) -> str:
    """The rows `| `NAME` | number | meaning |` with the numbers that hold now."""
    return re.sub(
        r"^\| `([A-Z]+_\w+)` \| \d+ \|",
        lambda m: f"| `{m[1]}` | {getattr(limits, m[1])} |" if hasattr(limits, m[1]) else m[0],
        text,
        flags=re.MULTILINE,
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    LANGUAGE = DOCS / "language.md"
    LANGUAGE.write_text(with_limits(LANGUAGE.read_text(encoding="utf-8")), encoding="utf-8")
