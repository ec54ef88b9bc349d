"""What the checker knows while it works: names, kinds, tables, variables, rules, sites."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

from ludex import limits
from ludex.check import build, codes
from ludex.check.arithmetic import NotConstant
from ludex.check.elaborated import Elaborated, TooMuch, Wrong
from ludex.check.evaluate import Evaluator
from ludex.check.geometry import Board
from ludex.check.loops import Budget
from ludex.check.survey import declared_names
from ludex.check.symbols import StateSymbol, Symbol, TrackSymbol
from ludex.diagnostics import Code, Label, Report, did_you_mean
from ludex.node import node, replace
from ludex.source import NOWHERE, Span
from ludex.syntax import ast
from ludex.typed import expr as x
from ludex.typed import game as typed
from ludex.typed.tables import Dimension, Function, Rule, Site, Table, VariableInfo
from ludex.typed.types import EntityType, IntType, SetType, Type
from ludex.typed.world import Kind, Track


@node
class Signature:
    """A definition as checked: its parameters' types, its result, whether it uses `me`."""

    params: tuple[Type, ...]
    result: Type
    uses_me: bool
    static: bool


@node
class Demand:
    """A decision depends on a parameter of its procedure (None: on whether that is run):
    `me`, who decides, must see what that depends on."""

    parameter: int | None
    me: x.Expr | None
    decision: Span


@node
class Env:
    """Local names. `facts` are types narrowed by tests, by the text of the path tested.

    `secret` is the seat of a sealed choice.
    """

    names: Mapping[str, x.Expr] = {}
    me: x.Expr | None = None
    facts: Mapping[str, Type] = {}
    secret: int | None = None
    tested: bool = True
    loop: bool = False
    """Whether `stop` has a loop to leave."""
    guards: tuple[x.Expr, ...] = ()
    """The conditions under which statements here are reached, as far as they stand in one rule."""

    def bind(self, name: str, value: x.Expr) -> Env:
        return replace(self, names={**self.names, name: value})

    def under(self, guard: x.Expr) -> Env:
        return self if isinstance(guard, x.Const) else replace(self, guards=(*self.guards, guard))

    def narrowed(self, facts: Mapping[str, Type]) -> Env:
        return replace(self, facts={**self.facts, **facts}) if facts else self


class Context:
    """All that is known of one definition, for a player count and options."""

    def __init__(
        self,
        game: ast.Game,
        report: Report,
        players: int,
        options: Mapping[str, str],
        expression: Callable[[Context, ast.Expr, Env], Elaborated],
        statement: Callable[[Context, ast.Stmt, Env], tuple[list[typed.Stmt], Env]],
    ) -> None:
        self.game = game
        self.report = report
        self.players = players
        self.options = options
        self.expression = expression
        """Elaborates an expression by its sort; to be called through `elaborate`."""
        self.statement = statement
        """Types a statement; to be called through `block`. Both are given, as all else builds on them."""
        self.nodes: tuple[object, ...] = ()
        """All nodes of the definition as written."""
        self.cites: tuple[ast.Cite, ...] = ()
        self.templates: dict[Span, ast.Template] = {}
        self.mentioned: frozenset[str] = frozenset()
        """Names that are used somewhere in the definition as written."""
        self.symbols: dict[str, Symbol] = {}
        self.kinds: dict[str, Kind] = {}
        self.names: list[str] = ["none"]
        self.tables: dict[str, Table] = {}
        self.variables: list[VariableInfo] = []
        self.functions: dict[str, Function] = {}
        self.signatures: dict[str, Signature] = {}
        self.in_progress: list[str] = []
        self.reentered: list[str] = []
        """Definitions that were used while they were being checked: they are recursive."""
        self.rules: list[Rule] = []
        self.sites: list[Site] = []
        self.rule = -1
        self.units: list[typed.Unit | None] = []
        self.unit_index: dict[tuple[str, str, int | None, bool], int] = {}
        self.unit_calls: dict[int, list[tuple[int, Span]]] = {}
        self.unit_leaves: dict[int, list[tuple[str, Span]]] = {}
        self.unit_stack: list[int] = []
        self.atomics: dict[str, typed.Atomic] = {}
        self.used: set[str] = set()
        self.offered: set[str] = set()
        self.shuffled: set[str] = set()
        self.ordered: set[str] = set()
        self.copies_read: set[str] = set()
        self.failed: set[str] = set()
        """Names whose declaration was wrong, or is one of two: what follows from that is not reported."""
        self.assigned: set[tuple[str, str]] = set()
        """(kind, attribute) pairs that some statement assigns: they are state, not constants."""
        self.boards: dict[str, Board] = {}
        self.pending_kinds: dict[str, Callable[[], None]] = {}
        """Component kinds that are declared but not made yet (made when first needed)."""
        self.making: list[str] = []
        self.starts: dict[str, tuple[ast.Expr, tuple[str, ...]]] = {}
        self.faces_read = False
        self.extra_state: list[typed.StateVariable] = []
        self.drawing = False
        """Inside a view, which shows what is known: the top of a shuffled pile may be asked for."""
        self.in_setup = False
        self.state_reads = 0
        """Counts reads of the state while an expression is elaborated (see `is_static`)."""
        self.option_reads = 0
        self.me_reads = 0
        self.applied: set[str] = set()
        """Functions that are called somewhere: the others were tabulated or put in place."""
        self.lets: dict[int, x.Expr] = {}
        """What `let` names and loop variables stand for (or the set that they go through)."""
        self.stand_ins: set[int] = set()
        """Variables for `let` names whose values are wrong: whatever uses them is wrong, and says nothing."""
        self.told: dict[int, x.Expr | None] = {}
        """Variables whose things were shown, and to whom (None: to everybody)."""
        self.parameters: set[int] = set()
        """Parameters of procedures and actions: what they stand for is known where these are run."""
        self.demands: dict[int, dict[Demand, None]] = {}
        """For each unit, what its decisions demand of those who run it."""
        self.depth = 0
        """How deep the expression being elaborated stands, through the definitions it uses."""
        self.reach = 0
        """The greatest depth of what was elaborated since a definition was begun, calls included."""
        self.heights: dict[str, int] = {}
        """How deep each definition goes, through those that it uses."""
        self.inlined: dict[str, bool] = {}
        """Whether a definition's body is put in place of what calls it."""
        self.about_me: frozenset[str] | None = None
        """Definitions and procedures that need a `me` from where they are used, once that is asked for."""
        self.elaborated: dict[int, Elaborated] = {}
        """What each expression was last elaborated to, by the identity of its node."""
        self.mistakes = 0
        self.checked = 0
        """Expressions and statements checked so far."""
        self._rule_index: dict[tuple[str, str], int] = {}
        self._declared: frozenset[str] | None = None
        self.budget = Budget(limits.MAX_LOAD_STEPS)
        self.evaluator = Evaluator(self, self.budget)

    # ------------------------------------------------------- expressions and statements

    def spend(self, span: Span) -> None:
        """Counts an expression or statement that is checked. Raises `TooMuch` after the ceiling."""
        self.checked += 1
        if self.checked > limits.MAX_CHECKED:
            self.exhausted(span)

    def exhausted(self, span: Span) -> NoReturn:
        self.report.add(
            codes.TOO_LARGE,
            f"the definition is too large: more than {limits.MAX_CHECKED} expressions and statements",
            span,
            help="what is checked for each seat counts once for each",
        )
        raise TooMuch

    def elaborate(self, node: ast.Expr, env: Env) -> Elaborated:
        """An expression of any sort, with what tests around it tell about its type."""
        self.checked += 1
        if self.checked > limits.MAX_CHECKED:
            self.exhausted(node.span)
        self.depth = depth = self.depth + 1
        try:
            if depth > self.reach:
                self.reach_to(0, node.span)
            made = self.expression(self, node, env)
        finally:
            self.depth -= 1
        self.elaborated[id(node)] = made
        return made

    def reach_to(self, height: int, span: Span) -> None:
        """Something stands here that goes so deep: back ends recurse over it, so that has an end."""
        self.reach = max(self.reach, self.depth + height)
        if self.depth + height > limits.MAX_CHECK_DEPTH:
            self.error(
                codes.TOO_LARGE,
                "definitions and expressions are nested too deep here",
                span,
                "let some of the definitions in between be state items or procedures",
            )
            raise Wrong

    def block(self, statements: ast.Block, env: Env) -> typed.Block:
        """A block: `let` names hold to its end. Goes on after a statement with an error."""
        result: list[typed.Stmt] = []
        for s in statements:
            self.spend(s.span)
            try:
                made, env = self.statement(self, s, env)
                result.extend(made)
            except Wrong:
                if isinstance(s, ast.Let):  # a stand-in, so that its uses are not reported too
                    var = self.new_var("?", EntityType(tuple(self.kinds)))
                    self.stand_ins.add(var.id)
                    env = env.bind(s.name.text, var)
        return tuple(result)

    # ------------------------------------------------------------------ reporting

    def error(
        self,
        code: Code,
        message: str,
        span: Span,
        help: str | None = None,
        other: tuple[Span, str] | None = None,
    ) -> None:
        labels = (Label(*other),) if other else ()
        self.report.add(code, message, span, help=help, labels=labels)
        self.mistakes += code.severity == "error"
        if self.mistakes >= limits.MAX_DIAGNOSTICS:
            raise TooMuch

    def unknown(self, name: str, span: Span, known: set[str], what: str = "name") -> None:
        """Says that there is no such name, unless its declaration was wrong and has been reported."""
        if name in self.declared and name not in self.symbols:
            if not self.report.errors:
                self.error(
                    codes.CONSTANT_NEEDED,
                    f"`{name}` has no value yet when this is worked out, at the game's loading",
                    span,
                    "use numbers, constants, options and what stands earlier in the definition",
                )
            return
        self.error(codes.UNKNOWN_NAME, f"there is no {what} `{name}` here", span, did_you_mean(name, known))

    @property
    def declared(self) -> frozenset[str]:
        """Every name that the definition declares for the whole game, whether that went well or not."""
        if self._declared is None:
            self._declared = declared_names(self.game)
        return self._declared

    # --------------------------------------------------------------------- makers

    def site(self, span: Span) -> int:
        self.sites.append(Site(self.rule, span))
        return len(self.sites) - 1

    def variable(self, name: str, type: Type) -> int:
        self.variables.append(VariableInfo(name, type))
        return len(self.variables) - 1

    def new_var(self, name: str, type: Type) -> x.Var:
        return x.Var(self.variable(name, type), type)

    def add_rule(
        self, path: str, name: str, kind: str, span: Span, provenance: ast.Provenance | None = None
    ) -> int:
        """The index of a rule; a rule that is checked again (for a seat) keeps its index."""
        known = self._rule_index.get((path, kind))
        if known is not None:
            return known
        cites = tuple(str(c) for c in provenance.cite) if provenance else ()
        note = provenance.note if provenance else None
        self.rules.append(Rule(path, name, kind, span, cites, note))
        self._rule_index[path, kind] = len(self.rules) - 1
        return len(self.rules) - 1

    def declare(self, name: str, symbol: Symbol) -> None:
        old = self.symbols.get(name)
        if old is not None:
            self.failed.add(name)
            first, second = old.span, symbol.span
            if first.source is second.source and first.start > second.start:
                first, second = second, first
            self.error(
                codes.DUPLICATE_NAME,
                f"`{name}` is declared twice",
                second,
                "all names of a game share one list: rename one of them",
                (first, "first declared here") if first is not NOWHERE else None,
            )
            return
        self.symbols[name] = symbol

    def add_table(self, name: str, dims: tuple[Dimension, ...], values: tuple[int, ...]) -> str:
        self.tables[name] = Table(name, dims, values)
        return name

    def amount_list(self, t: EntityType, span: Span) -> str:
        """A hidden state item that keeps an amount for each thing of a kind while they are chosen."""
        name = f"@amounts:{'|'.join(t.kinds)}"
        if name not in self.symbols:
            dim = self.span_dimension(t.kinds)
            var = self.new_var("it", t)
            number = IntType(-(2**31), 2**31 - 1)
            v = typed.StateVariable(
                name,
                ((dim.kind, dim.base, dim.size),),
                number,
                number.lo,
                number.hi,
                "none",
                None,
                "game",
                (var.id,),
                x.Const(0, number),
            )
            self.symbols[name] = StateSymbol(v, span)
            self.extra_state.append(v)
        return name

    # ------------------------------------------------------------------- constants

    def constant(self, e: x.Expr) -> int | None:
        """The value of an expression that reads no state, else None."""
        if isinstance(e, x.Const):
            return e.value
        try:
            return self.evaluator.value(e, {})
        except NotConstant:
            return None

    def fold(self, e: x.Expr) -> x.Expr:
        """The expression as a constant if it is one."""
        if isinstance(e, x.Const):
            return e
        value = self.constant(e)
        if value is None:
            return e
        return build.integer(value) if isinstance(e.type, IntType) else x.Const(value, e.type)

    # ----------------------------------------------------------------------- kinds

    def need_kind(self, name: str) -> Kind | None:
        """The kind, made now if it is only declared; None if it is being made already."""
        if name in self.pending_kinds:
            if name in self.making:
                return None
            self.making.append(name)
            try:
                self.pending_kinds[name]()
            finally:
                self.pending_kinds.pop(name, None)
                self.making.remove(name)
                if name not in self.kinds:
                    self.failed.add(name)
        return self.kinds.get(name)

    def mask(self, kinds: tuple[str, ...]) -> int:
        mask = 0
        for k in kinds:
            mask |= self.kinds[k].mask
        return mask

    def kind_set(self, kinds: tuple[str, ...]) -> x.Const:
        return x.Const(self.mask(kinds), SetType(EntityType(kinds)))

    def entity_names(self, kinds: tuple[str, ...]) -> list[str]:
        return [self.names[i] for k in kinds for i in self.kinds[k].ids]

    def single(self, kind: str) -> x.Const | None:
        """The only member of a kind that is named like it."""
        k = self.kinds[kind]
        if k.count == 1 and not k.fields:
            return x.Const(k.base, EntityType((kind,)))
        return None

    def span_dimension(self, kinds: tuple[str, ...]) -> Dimension:
        """A dimension that covers the ids of all these kinds."""
        base = min(self.kinds[k].base for k in kinds)
        top = max(self.kinds[k].base + self.kinds[k].count for k in kinds)
        return Dimension(base, top - base, kinds[0] if len(kinds) == 1 else " or ".join(kinds))

    def kind_of(self, entity: int) -> Kind:
        for kind in self.kinds.values():
            if kind.base <= entity < kind.base + kind.count:
                return kind
        raise KeyError(entity)

    def track(self, name: str) -> Track:
        symbol = self.symbols[name]
        assert isinstance(symbol, TrackSymbol)
        return symbol.track

    @property
    def points(self) -> dict[int, tuple[int, int]]:
        """Where the spaces with coordinates lie."""
        return {
            s: at for board in self.boards.values() if board.shape == "points" for s, at in board.at.items()
        }
