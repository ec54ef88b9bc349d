"""The shape of a document: which keys may stand where, and what form their values have.

What is allowed is said once, in `grammar/schema.json`, which editors use as well. It is
interpreted here directly over the nodes, so that every finding has its span and a
sentence for rule authors. The library jsonschema is not used at run time: importing it
takes longer (120 ms) than everything else a check does, and its errors for `anyOf` name
no place. The tests hold this interpreter to jsonschema's verdicts.

May import: `source`, `diagnostics`, `limits`, `resources`, `syntax.document`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from ludex.diagnostics import Code, Report, nearest, printable
from ludex.limits import MAX_DIAGNOSTICS
from ludex.source import Span
from ludex.syntax import codes_yaml as codes
from ludex.syntax.document import Entry, Mapping, Node, Scalar, Sequence, raw_text
from ludex.syntax.schema import Schema, load_schema
from ludex.syntax.splits import Splits, cut_by_comment, find_splits
from ludex.syntax.yaml_errors import QUOTE_HELP

Kind: TypeAlias = Literal["game", "overlay", "scenario", "translation"]

LANGUAGE_VERSIONS = (1,)
"""The versions of the language that this engine reads."""

_STATEMENTS = ("if ", "for each ", "while ", "repeat", "ask ", "secretly ask ", "choose ", "else", "elif ")


def document_kind(document: Mapping) -> Kind:
    """What a document is by its keys: an `overlay` (or what `extends` a game), a `scenario`, a
    `translation`, otherwise a `game`."""
    if document.get("translation") is not None:
        return "translation"
    if document.get("game") is not None and document.get("scenario") is None:
        return "game"
    if document.get("overlay") is not None or document.get("extends") is not None:
        return "overlay"
    return "scenario" if document.get("scenario") is not None else "game"


def validate_shape(document: Mapping, kind: Kind, report: Report) -> None:
    """Reports everything in the document that the schema does not allow, each at its span."""
    splits = find_splits(document)
    splits.report_to(report)
    shape = _Shape(load_schema(), kind, report, splits)
    if _right_kind(document, kind, report):
        if kind != "scenario":
            _check_version(document, kind, report)
        shape.mapping(document, shape.schema.definition(kind), _head(document.span))


def _right_kind(document: Mapping, kind: Kind, report: Report) -> bool:
    found = document_kind(document)
    if found == kind or document.get(kind) is not None:
        return True
    if found == "game" and document.get("game") is None:
        return True
    article = {
        "game": "a game definition",
        "overlay": "an overlay",
        "scenario": "a scenario",
        "translation": "a translation",
    }
    entry = document.entry(found)
    span = entry.key.span if entry else _head(document.span)
    report.add(
        codes.SHAPE_WRONG_VALUE,
        f"this is {article[found]}, and {article[kind]} is expected here",
        span,
    )
    return False


def _check_version(document: Mapping, kind: Kind, report: Report) -> None:
    entry = document.entry("ludex")
    newest = LANGUAGE_VERSIONS[-1]
    if entry is None:
        report.add(
            codes.SHAPE_NO_VERSION,
            "the version of the language is missing",
            _head(document.span),
            help=f"make `ludex: {newest}` the first line",
        )
        return
    value = entry.value
    known = isinstance(value, Scalar) and value.kind == "int" and value.text in map(str, LANGUAGE_VERSIONS)
    if not known:
        text = f" {printable(value.text)}" if isinstance(value, Scalar) and value.text else ""
        report.add(
            codes.SHAPE_UNSUPPORTED_VERSION,
            f"this engine does not know version{text} of the language",
            value.span if value.span.end > value.span.start else entry.key.span,
            help=f"it knows version {', '.join(map(str, LANGUAGE_VERSIONS))}: `ludex: {newest}`",
        )


def _head(span: Span) -> Span:
    """The first line of a span: enough to point at what is large."""
    stop = span.source.text.find("\n", span.start, span.end)
    return span if stop < 0 else Span(span.source, span.start, stop)


def _form(node: Node) -> str:
    """The JSON type of a node."""
    if isinstance(node, Mapping):
        return "object"
    if isinstance(node, Sequence):
        return "array"
    return {"int": "integer", "float": "number", "bool": "boolean"}.get(node.kind, node.kind)


def _implicit_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.kind == "null" and node.span.start == node.span.end


def _without_colon(entry: Entry) -> bool:
    """Whether nothing at all follows a key."""
    return _implicit_null(entry.value) and entry.value.span.start <= entry.key.span.end


_NODE_NAMES = {"object": "a mapping", "array": "a list", "null": "nothing"}


class _Shape:
    """Walks nodes and schema together. Nesting is bounded by the reader."""

    __slots__ = ("kind", "report", "schema", "splits")

    def __init__(self, schema: Schema, kind: Kind, report: Report, splits: Splits) -> None:
        self.schema = schema
        self.kind = kind
        self.report = report
        self.splits = splits

    def say(self, code: Code, message: str, span: Span, *, help: str | None = None) -> None:
        if len(self.report.found) < MAX_DIAGNOSTICS:
            self.report.add(code, message, span, help=help)

    # ---- one value

    def value(self, node: Node, rule: Schema, what: str, at: Span) -> None:
        """Checks `node`, which is the value of `what` (a quoted key or a phrase), named at `at`."""
        rule = rule.resolved()
        if isinstance(node, Scalar) and node.kind == "null" and "null" not in rule.forms():
            self.say(
                codes.SHAPE_EMPTY,
                f"{what} is empty",
                at if _implicit_null(node) else node.span,
                help=f"write {rule.expected()} after it, or remove it",
            )
            return
        branch = rule.branch(node_form := _form(node), _keys(node))
        if branch is None or (rule.text_kind() is not None and _only_names(node)):
            self.wrong_form(node, node_form, rule, what)
            return
        text_kind = branch.text_kind()
        if isinstance(node, Mapping):
            self.mapping(node, branch, at)
        elif isinstance(node, Sequence):
            self.sequence(node, branch, what)
        elif text_kind is not None:
            cut = cut_by_comment(node) if text_kind != "text" else None
            if cut is not None:
                message = "` #` begins a comment, which cuts this text off"
                self.say(codes.YAML_QUOTE_NEEDED, message, cut, help=QUOTE_HELP)
        self.choice(node, branch, what)

    def choice(self, node: Node, rule: Schema, what: str) -> None:
        """`enum` and `minimum`."""
        if not isinstance(node, Scalar):
            return
        possible = rule.enum()
        if possible and what != "`ludex`" and node.text not in possible:
            match = nearest(node.text, possible)
            self.say(
                codes.SHAPE_WRONG_VALUE,
                f"{what} cannot be `{printable(node.text)}`",
                node.span,
                help=f"did you mean `{match}`?" if match else f"it is one of {_listed(possible)}",
            )
        least = rule.minimum()
        if least is not None and node.kind == "int" and int(node.text[:20]) < least:
            self.say(codes.SHAPE_WRONG_VALUE, f"{what} must be at least {least}", node.span)

    def wrong_form(self, node: Node, form: str, rule: Schema, what: str) -> None:
        text_kind = rule.text_kind()
        raw = raw_text(node)
        if text_kind == "template" and raw is not None:
            return
        expected = rule.expected()
        found = _NODE_NAMES.get(form, "a number" if form in ("integer", "number") else "a text")
        if form == "boolean":
            found = "`true` or `false`"
        if text_kind is not None and not isinstance(node, Scalar):
            if node.flow:
                bracket = "{" if isinstance(node, Mapping) else "["
                more = "; a set is written `set(…)`" if text_kind == "expression" and bracket == "{" else ""
                self.say(
                    codes.YAML_QUOTE_NEEDED,
                    f"{what}: {expected} is expected; text that begins with `{bracket}` is read as {found}",
                    _head(node.span),
                    help=QUOTE_HELP + more,
                )
                return
            if isinstance(node, Mapping) and (key := _statement(node)):
                self.say(
                    codes.YAML_QUOTE_NEEDED,
                    f"`{printable(key.name)}:` is read as a name, because {what} is not marked as a text of "
                    "several lines",
                    key.key.span,
                    help="write `|` after the colon of the name above, on its line",
                )
                return
        self.say(
            codes.SHAPE_WRONG_TYPE,
            f"{what}: {expected} is expected, and this is {found}",
            _head(node.span),
            help=self.example(rule),
        )

    def example(self, rule: Schema) -> str | None:
        """What a mapping looks like that is asked for and missing: its required keys, and the others."""
        mappings = [b for b in rule.branches() if "object" in b.forms() and b.properties()]
        if len(mappings) != 1:
            return None
        slots = mappings[0].properties()
        known = [key for key, slot in slots.items() if not slot.forbidden and self.allowed(slot)]
        needed = [key for key in mappings[0].required(self.kind == "game") if key in known]
        rest = [key for key in known if key not in needed]
        if not needed:
            return f"write `name: value` lines below, indented; the names may be {_listed(rest)}"
        written = "{" + ", ".join(f"{key}: …" for key in needed) + "}"
        more = f"; possible too: {_listed(rest)}" if rest else ""
        return f"write `{written}`, or `name: value` lines below, indented{more}"

    # ---- mappings and lists

    def mapping(self, node: Mapping, rule: Schema, at: Span) -> None:
        known = rule.properties()
        noun = rule.title()
        for entry in node:
            if self.splits.holds(entry):
                continue
            name = entry.name
            quoted = f"`{printable(name)}`"
            if name not in known and _implicit_null(entry.value) and self.splits.in_flow(entry):
                self.splits.report_entry(entry, self.report)
                continue
            slot = known.get(name)
            if slot is not None and not slot.forbidden:
                if slot.overlay_only() and self.kind == "game":
                    self.say(
                        codes.SHAPE_OVERLAY_ONLY, f"{quoted} is for overlays only", entry.key.span
                    )
                self.value(entry.value, slot, quoted, entry.key.span)
                continue
            other = rule.additional()
            if other is None or (slot is not None and slot.forbidden):
                self.unknown_key(entry, known, noun)
                continue
            if problem := rule.name_problem(name):
                self.say(codes.SHAPE_WRONG_VALUE, f"{quoted} {problem}", entry.key.span)
            if node.flow and entry is not node.entries[-1] and _without_colon(entry):
                self.splits.report_name(entry, other.resolved().expected(), self.report)
                continue
            self.value(entry.value, other, quoted, entry.key.span)
        names = {entry.name for entry in node}
        missing = [key for key in rule.required(self.kind == "game") if key not in names and key != "ludex"]
        for key in missing:
            slot = known.get(key)
            about = slot.description() or slot.resolved().description() if slot is not None else None
            self.say(
                codes.SHAPE_MISSING_KEY,
                f"`{key}` is missing in {noun}",
                at,
                help=f"`{key}`: {about[0].lower() + about[1:]}" if about else None,
            )

    def unknown_key(self, entry: Entry, known: dict[str, Schema], noun: str) -> None:
        if len(self.report.found) >= MAX_DIAGNOSTICS:
            return
        name = printable(entry.name)
        possible = [key for key, slot in known.items() if not slot.forbidden and self.allowed(slot)]
        match = nearest(entry.name, possible)
        if "add" in known and entry.name in known["add"].resolved().properties():
            advice = "sections of the game stand under `add` or `replace` (or `remove`, with names only)"
        elif match is not None:
            advice = f"did you mean `{match}`?"
        elif (home := self.schema.home(entry.name)) is not None:
            advice = f"`{name}` may stand in {home}"
        else:
            advice = f"what may stand here: {_listed(possible)}"
        self.say(
            codes.SHAPE_UNKNOWN_KEY, f"unknown key `{name}` in {noun}", entry.key.span, help=advice
        )

    def allowed(self, slot: Schema) -> bool:
        return self.kind != "game" or not slot.overlay_only()

    def sequence(self, node: Sequence, rule: Schema, what: str) -> None:
        least, most = rule.length()
        size = len(node.items)
        if size < (least or 0) or (most is not None and size > most):
            self.say(
                codes.SHAPE_WRONG_VALUE,
                f"{what}: {rule.title()} is expected, and this has {size}",
                _head(node.span),
            )
        item_rule = rule.items()
        if item_rule is None:
            return
        for number, item in enumerate(node.items, 1):
            if not self.splits.holds(item):
                self.value(item, item_rule, f"item {number} of {what}", item.span)


def _keys(node: Node) -> frozenset[str]:
    return frozenset(entry.name for entry in node) if isinstance(node, Mapping) else frozenset()


def _only_names(node: Node) -> bool:
    """Whether braces hold names without values: a text in braces, which YAML took for a mapping."""
    if not isinstance(node, Mapping) or not node.flow or not node.entries:
        return False
    return all(_implicit_null(entry.value) for entry in node)


def _statement(node: Mapping) -> Entry | None:
    """The first entry whose key is the head of a statement with a block, if there is one."""
    return next((e for e in node if e.name.startswith(_STATEMENTS)), None)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
