"""`grammar/schema.json` as an object: the part of JSON Schema that it uses, with types.

The keywords are `$ref type enum minimum properties additionalProperties propertyNames
required items minItems maxItems anyOf title description`, and our own: `x-text` (a slot
for text: `expression`, `steps`, `template` or `text`), `x-required` (keys that a game's own
definition must have, overlays not), `x-overlay` (for overlays only). A test fails if the
file uses another.

May import: `resources`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TypeAlias, cast

from ludex.resources import grammar_path

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = "dict[str, Json]"

_FORMS = ("object", "array", "string", "integer", "number", "boolean", "null")
_TEXT_NAMES = {
    "expression": "an expression",
    "steps": "a text of steps",
    "template": "a text",
    "text": "a text",
}


class Schema:
    """One place of the schema. Cached by place: what is derived is computed once."""

    __slots__ = (
        "_additional", "_branches", "_fitting", "_forms", "_items", "_known", "_lists", "_names", "_rule",
        "_target", "_text_kind", "_top", "forbidden",
    )  # fmt: skip

    def __init__(self, top: Schema | None, rule: Json) -> None:
        self._top = top or self
        self.forbidden = rule is False
        self._rule: JsonObject = rule if isinstance(rule, dict) else {}
        self._target: Schema | None = None
        self._branches: tuple[Schema, ...] | None = None
        self._known: dict[str, Schema] | None = None
        self._forms: frozenset[str] | None = None
        self._additional: Schema | None = None
        self._items: Schema | None = None
        self._fitting: dict[str, tuple[Schema, ...]] = {}
        self._lists: dict[str, tuple[str, ...]] = {}
        self._names: _Names | None = None
        self._text_kind: str | None = ""  # not asked for yet

    def definition(self, name: str) -> Schema:
        """The entry `name` of `$defs`."""
        return self._top._at(("$defs", name))

    def _at(self, path: tuple[str, ...]) -> Schema:
        return _place(self._top, path)

    # ---- references and alternatives

    def resolved(self) -> Schema:
        """What a `$ref` stands for; the schema itself if it is none."""
        if self._target is None:
            target = self._rule.get("$ref")
            self._target = (
                self._at(tuple(target.removeprefix("#/").split("/"))).resolved()
                if isinstance(target, str)
                else self
            )
        return self._target

    def branches(self) -> tuple[Schema, ...]:
        """All alternatives without further alternatives in them."""
        if self._branches is None:
            rule = self.resolved()
            found = rule._rule.get("anyOf")
            if isinstance(found, list):
                parts = [Schema(self._top, part).branches() for part in found]
                self._branches = tuple(branch for part in parts for branch in part)
            else:
                self._branches = (rule,)
        return self._branches

    def branch(self, form: str, keys: frozenset[str]) -> Schema | None:
        """The alternative for a value of this JSON type: the first whose required keys are there."""
        if form not in self._fitting:
            self._fitting[form] = tuple(b for b in self.branches() if form in b._own_forms())
        fitting = self._fitting[form]
        for candidate in fitting:
            if keys.issuperset(candidate._strings("required")):
                return candidate
        return fitting[-1] if fitting else None

    def _own_forms(self) -> frozenset[str]:
        if self._forms is None:
            kinds = self._rule.get("type")
            names = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else list(_FORMS)
            if "enum" in self._rule and kinds is None:
                names = ["string", "integer", "number", "boolean"]
            forms = {str(name) for name in names}
            if "number" in forms:
                forms.add("integer")
            self._forms = frozenset(forms)
        return self._forms

    def forms(self) -> frozenset[str]:
        """The JSON types that are possible here."""
        return frozenset[str]().union(*(b._own_forms() for b in self.branches()))

    def expected(self) -> str:
        """What is asked for here, as a phrase."""
        names: list[str] = []
        for branch in self.branches():
            name = branch._phrase()
            if name not in names:
                names.append(name)
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"

    def _phrase(self) -> str:
        text = self._rule.get("x-text")
        if isinstance(text, str):
            return _TEXT_NAMES[text]
        forms = self._own_forms()
        if "object" in forms and "array" not in forms:
            return f"a mapping ({self.title()})" if "title" in self._rule else "a mapping"
        if "array" in forms and "object" not in forms:
            return self.title() if "title" in self._rule else "a list"
        if forms == {"integer"}:
            return "a whole number"
        if forms == {"integer", "number"}:
            return "a number"
        return "one of " + ", ".join(f"`{v}`" for v in self.enum()) if self.enum() else "a name"

    # ---- keywords

    def text_kind(self) -> str | None:
        """The `x-text` of this slot or of its alternative for text."""
        if self._text_kind == "":
            kinds = (branch._rule.get("x-text") for branch in self.branches())
            self._text_kind = next((kind for kind in kinds if isinstance(kind, str)), None)
        return self._text_kind

    def properties(self) -> dict[str, Schema]:
        if self._known is None:
            found = self._rule.get("properties")
            pairs = found.items() if isinstance(found, dict) else ()
            self._known = {name: Schema(self._top, rule) for name, rule in pairs}
        return self._known

    def additional(self) -> Schema | None:
        """The schema of keys that are not listed, or None if there may be none."""
        found = self._rule.get("additionalProperties", True)
        if found is False:
            return None
        if self._additional is None:
            self._additional = Schema(self._top, found).resolved()
        return self._additional

    def name_problem(self, name: str) -> str | None:
        """What is wrong with `name` as a key that is not listed."""
        found = self._rule.get("propertyNames")
        if not isinstance(found, dict):
            return None
        if self._names is None:
            self._names = _Names(Schema(self._top, found).resolved())
        return self._names.problem(name)

    def required(self, whole: bool) -> tuple[str, ...]:
        """Keys that must be there; with `whole`, also those that only overlays may leave out."""
        always = self._strings("required")
        return always + self._strings("x-required") if whole else always

    def overlay_only(self) -> bool:
        return self.resolved()._rule.get("x-overlay") is True

    def items(self) -> Schema | None:
        found = self._rule.get("items")
        if self._items is None and found is not None:
            self._items = Schema(self._top, found)
        return self._items

    def length(self) -> tuple[int | None, int | None]:
        return self._integer("minItems"), self._integer("maxItems")

    def minimum(self) -> int | None:
        return self._integer("minimum")

    def enum(self) -> list[str]:
        return list(self._strings("enum"))

    def title(self) -> str:
        found = self._rule.get("title")
        return found if isinstance(found, str) else "this mapping"

    def description(self) -> str | None:
        found = self._rule.get("description")
        return found if isinstance(found, str) else None

    def home(self, key: str) -> str | None:
        """The title of the one thing in which `key` may stand, if it is only one."""
        found = _homes(self._top).get(key, ())
        return found[0] if len(found) == 1 else None

    def _strings(self, keyword: str) -> tuple[str, ...]:
        if keyword not in self._lists:
            found = self._rule.get(keyword)
            self._lists[keyword] = tuple(str(v) for v in found) if isinstance(found, list) else ()
        return self._lists[keyword]

    def _integer(self, keyword: str) -> int | None:
        found = self._rule.get(keyword)
        return found if isinstance(found, int) else None


class _Names:
    """What `propertyNames` asks of names."""

    def __init__(self, rule: Schema) -> None:
        self._longest = rule._integer("maxLength")
        pattern = rule._rule.get("pattern")
        self._allowed = re.compile(pattern) if isinstance(pattern, str) else None
        self._description = rule.description() or ""

    def problem(self, name: str) -> str | None:
        if self._longest is not None and len(name) > self._longest:
            return f"is longer than {self._longest} characters"
        if self._allowed is not None and not self._allowed.search(name):
            return f"cannot be a name here. {self._description}".strip()
        return None


@cache
def _place(top: Schema, path: tuple[str, ...]) -> Schema:
    rule: Json = top._rule
    for part in path:
        rule = cast("JsonObject", rule)[part]
    return Schema(top, rule)


@cache
def _homes(top: Schema) -> dict[str, tuple[str, ...]]:
    """For every key, the titles of the objects that list it."""
    found: dict[str, tuple[str, ...]] = {}
    stack: list[Json] = [top._rule.get("$defs")]
    while stack:
        rule = stack.pop()
        if isinstance(rule, dict):
            title, keys = rule.get("title"), rule.get("properties")
            if isinstance(title, str) and isinstance(keys, dict):
                for key in keys:
                    titles = found.get(key, ())
                    if title not in titles:
                        found[key] = (*titles, title)
            stack.extend(rule.values())
        elif isinstance(rule, list):
            stack.extend(rule)
    return found


@cache
def load_schema() -> Schema:
    """The schema that ships with ludex. It is read once: the file does not change while we run."""
    rule: Json = json.loads(grammar_path("schema.json").read_text("utf-8"))
    return Schema(None, rule)
