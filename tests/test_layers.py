"""Imports point one way, no game is known to the engine, and nothing runs text as Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from ludex.resources import definition_names, grammar_path

ENGINE = Path(__file__).resolve().parents[1] / "engine" / "ludex"

BASE = frozenset({"codes", "diagnostics", "limits", "node", "resources", "rng", "source"})
"""Modules without a package. Among themselves: `diagnostics` and `codes` stand on `source`."""

MAY_IMPORT: dict[str, frozenset[str]] = {
    "source": frozenset({"node"}),
    "limits": frozenset(),
    "node": frozenset(),
    "resources": frozenset(),
    "rng": frozenset(),
    "diagnostics": frozenset({"source", "limits", "node"}),
    "codes": frozenset({"diagnostics"}),
    "render": BASE,
    "syntax": BASE,
    "overlay": BASE | {"syntax"},
    "typed": BASE,
    "check": BASE | {"syntax", "typed"},
    "archive": BASE | {"syntax"},
    "translation": BASE | {"syntax"},
    "ir": BASE | {"typed"},
    "backends": BASE | {"typed", "ir"},
    "game": BASE | {"typed", "ir", "backends.machine"},
    "bots": BASE | {"game"},
    "sim": BASE | {"game", "bots", "ir.program", "backends.machine", "backends.wasm"},
    "pipeline": BASE | {"syntax", "overlay", "translation", "typed", "check", "ir", "backends", "game"},
    "adapters": BASE
    | {"syntax", "typed", "check.codes", "ir", "backends.machine", "backends.wasm"}
    | {"game", "bots", "pipeline"},
    "diagnostics_page": BASE | {"pipeline"},
    "cli": BASE
    | {"render", "syntax", "overlay", "archive", "translation", "typed", "ir", "backends", "game"}
    | {"bots", "sim", "pipeline", "ludex"},
    "ludex": frozenset({"pipeline"}),
}
"""What each module or package of ludex may import: whole packages, or single modules of them.
`ludex` is the package's own `__init__`."""


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(ENGINE.rglob("*.py")):
        parts = path.relative_to(ENGINE).with_suffix("").parts
        yield ".".join(p for p in parts if p != "__init__") or "ludex", path


MODULES = dict(modules())


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[str]:
    """The modules of ludex that a file imports, wherever in it, without `ludex.`"""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            if name == "ludex":
                yield "ludex"
            elif name.startswith("ludex."):
                yield name.removeprefix("ludex.")


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_lies_below_it(module: str) -> None:
    package = module.split(".")[0]
    assert package in MAY_IMPORT, f"say in this test what `{package}` may import"
    for name in imported(MODULES[module]):
        if name.split(".")[0] == package or name == "__version__":
            continue
        allowed = any(name == ok or name.startswith(f"{ok}.") for ok in MAY_IMPORT[package])
        assert allowed, f"{module} imports {name}"


def test_the_layers_have_no_circle() -> None:
    """Whatever may be imported may itself import only what comes before it."""
    done: list[str] = []
    waiting = {package: {name.split(".")[0] for name in names} for package, names in MAY_IMPORT.items()}
    waiting["cli"].discard("ludex")  # for the version only
    while waiting:
        ready = [p for p, names in waiting.items() if names - {p} <= set(done)]
        assert ready, f"a circle among {sorted(waiting)}"
        done += ready
        for package in ready:
            del waiting[package]


def test_nothing_runs_text_as_python() -> None:
    for module, path in MODULES.items():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name = node.func.id
                assert name not in ("eval", "exec", "compile", "__import__"), f"{module}: {name}"
            if isinstance(node, ast.Import):
                names = {alias.name for alias in node.names}
                assert not names & {"pickle", "marshal", "shelve", "subprocess"}, f"{module}: {names}"
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                name = f"{node.value.id}.{node.attr}"
                assert name not in ("yaml.load", "yaml.unsafe_load", "yaml.full_load"), f"{module}: {name}"


def test_no_game_is_known_to_the_engine() -> None:
    """No identifier speaks of a game, and texts do only where commands are explained."""
    of_the_language = set(re.findall(r'"(\w+)":', grammar_path("schema.json").read_text(encoding="utf-8")))
    words_too = of_the_language | {"go"}  # a game may be called like a form of board, or a common word
    games = set(definition_names()) - words_too
    words = re.compile(rf"\b({'|'.join(sorted(games))})\b", re.IGNORECASE)
    for module, path in MODULES.items():
        tree = tree_of(path)
        docs = {id(node) for node in docstrings(tree)}
        for node in ast.walk(tree):
            name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "name", None)
            assert not (isinstance(name, str) and words.search(name)), f"{module} has the name {name}"
            text = node.value if isinstance(node, ast.Constant) and id(node) not in docs else None
            if isinstance(text, str) and not module.startswith("cli"):
                assert not words.search(text), f"{module} has the text {text!r}"


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Every string that stands alone: of modules, classes, functions, attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def test_every_package_says_what_it_is_for() -> None:
    for module, path in MODULES.items():
        if path.name == "__init__.py" and path.read_text(encoding="utf-8").strip():
            assert ast.get_docstring(tree_of(path)), module
