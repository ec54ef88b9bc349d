"""Statements into draft blocks: what runs to its end stays structured, the rest becomes a graph."""

from __future__ import annotations

from ludex.ir import program as p
from ludex.ir.graph import Call, Clear, Draft
from ludex.ir.reads import reads, writes
from ludex.ir.turn import PLAYER_OF_TURN, SOMEBODYS_TURN
from ludex.ir.walk import nodes
from ludex.node import node, replace
from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as t
from ludex.typed.tables import VariableInfo
from ludex.typed.types import BOOL, EntityType, IntType, SetType, Type
from ludex.typed.world import Audience

PLAYER = EntityType(("player",))
NUMBER = IntType()
ENDED = "@ended_by"


@node
class Scope:
    """Where statements stand: the block after the innermost loop, whether steps are tested, and
    whether it is somebody's turn (None: now and then)."""

    stop: int | None = None
    tested: bool = False
    turn: bool | None = None


class Drafting:
    """Builds draft blocks. `current` is the open block, None after what never goes on."""

    def __init__(self, game: t.Game) -> None:
        self.game = game
        self.functions = {f.name: f for f in game.functions}
        self.variables: list[VariableInfo] = list(game.variables)
        self.blocks: list[Draft] = []
        self.region = 0
        self.regions = 1
        self.current: int | None = None
        self.unit_entry: dict[int, int] = {}
        self.unit_region: dict[int, int] = {}
        self.unit_return: dict[int, int] = {}
        said = [n for n in nodes((game.setup, game.phases, game.units)) if isinstance(n, t.Leave | t.Again)]
        left = {n.what for n in said if isinstance(n, t.Leave)}
        self.exits: dict[str, int] = {
            what: self.variable(f"@{what}_exit", NUMBER)
            for what in ("turn", "round", "phase")
            if what in left
        }
        """Where to go on from what some statement leaves."""
        self.again = self.variable("@again", BOOL) if any(isinstance(n, t.Again) for n in said) else None
        """Whether the turn is to be taken once more, if some statement says so."""
        self.end_block: dict[int, int] = {}
        self.phase_ends: list[tuple[int, t.EndTest]] = []
        """Phases (by number) with end conditions of their own."""
        self.game_over = -1
        self.end_reads = [reads((e.test, e.winner), self.functions) for e in game.end]
        self.pending: dict[int, frozenset[str]] = {}
        self.turns: dict[int, bool] = {}
        """Units that are entered in turns only, or outside of turns only."""
        self.rule = -1
        self.written: frozenset[str] | None = None
        """What may have been written since the last end test when the open step completes."""

    # ------------------------------------------------------------------------- making

    def exit(self, what: str, block: int) -> None:
        """Whatever leaves a turn, round or phase goes on at a block from now on."""
        if what in self.exits:
            self.emit(code.SetVar(self.exits[what], x.Const(block, NUMBER)))

    def variable(self, name: str, type: Type) -> int:
        self.variables.append(VariableInfo(name, type))
        return len(self.variables) - 1

    def var(self, name: str, type: Type) -> x.Var:
        return x.Var(self.variable(name, type), type)

    def block(self) -> int:
        self.blocks.append(Draft(self.region))
        return len(self.blocks) - 1

    def open(self, block: int) -> None:
        self.current = block

    def emit(self, *statements: code.Stmt | Clear) -> None:
        if self.current is not None:
            self.blocks[self.current].code.extend(statements)

    def close(self, end: p.Terminator | Call) -> None:
        """Ends the open block; what follows cannot be reached until a block is opened."""
        if self.current is not None:
            self.blocks[self.current].end = end
            self.current = None

    def jump(self, target: int) -> None:
        self.close(p.Jump(target))

    def branch(self, test: x.Expr, then: int, orelse: int) -> None:
        if isinstance(test, x.Const):
            self.jump(then if test.value else orelse)
        else:
            self.close(p.Branch(test, then, orelse))

    # ---------------------------------------------------------------------- statements

    def statements(self, block: t.Block, scope: Scope) -> None:
        for s in block:
            if self.current is None:
                return
            plain = structured(s)
            if plain is not None:
                self.emit(plain)
            else:
                self.statement(s, scope)

    def statement(self, s: t.Stmt, scope: Scope) -> None:
        match s:
            case t.Chance(var, event):
                self.chance(var, event)
            case t.Draw(pile):
                self.draw(pile)
            case t.If(test, then, orelse):
                a, b, end = self.block(), self.block(), self.block()
                self.branch(test, a, b)
                for start, body in ((a, then), (b, orelse)):
                    self.open(start)
                    self.statements(body, scope)
                    self.jump(end)
                self.open(end)
            case t.For():
                self.loop_over(s, scope)
            case t.Loop(count, test, body):
                self.loop(count, test, body, scope)
            case t.Run(unit, args):
                next_block = self.block()
                self.close(Call(unit, args, next_block))
                self.open(next_block)
                if self.rule >= 0:
                    self.emit(code.Resume(self.rule))
            case t.Ask(var, player, body):
                self.emit(code.SetVar(var, player))
                self.statements(body, scope)
            case t.Secret():
                self.secret(s)
            case t.Decision():
                self.decision(s, scope)
            case t.Leave("game", rule):
                self.emit(code.Store(ENDED, (), x.Const(rule + 1, NUMBER), -1))
                self.jump(self.game_over)
            case t.Leave(what, _):
                if scope.tested:
                    self.end_tests(scope)
                self.close(p.Return(self.exits[what]))
            case t.Again():
                assert self.again is not None
                self.emit(code.SetVar(self.again, x.Const(1, BOOL)))
            case t.Stop():
                assert scope.stop is not None
                self.jump(scope.stop)
            case t.Decree(result, players, rule):
                self.result(result, players)
                self.emit(code.Store(ENDED, (), x.Const(rule + 1, NUMBER), -1))
                self.jump(self.game_over)
            case _:
                raise AssertionError(s)

    def result(self, result: int, players: x.Expr) -> None:
        var = self.var("player", PLAYER)
        store = code.Store("@result", (var,), x.Const(result, NUMBER), -1)
        self.emit(code.For(var.id, x.SetDomain(players), None, (store,)))

    def chance(self, var: int, event: t.RollValue | t.RandomValue) -> None:
        next_block = self.block()
        made: p.RollChance | p.MemberChance
        if isinstance(event, t.RollValue):
            made = p.RollChance(event.faces)
        else:
            made = p.MemberChance(event.var, event.domain, event.guard, event.type, event.site)
        self.close(p.Chance(made, var, next_block, event.name, self._audience(event), self.rule))
        self.open(next_block)

    def _audience(self, event: t.RollValue | t.RandomValue) -> Audience:
        """Who sees what comes out: the face of a die as its kind says; what is drawn at random
        for a state item, whose name the event has, as the item says."""
        if isinstance(event, t.RollValue):
            dice = (k for k in self.game.world.kinds if k.category == "die" and k.name == event.name)
            return next((k.audience for k in dice), "all")
        return next((v.audience for v in self.game.state if v.name == event.name), "all")

    def draw(self, pile: x.Expr) -> None:
        drawing, next_block = self.block(), self.block()
        self.branch(x.UnknownTop(pile), drawing, next_block)
        self.open(drawing)
        self.close(p.Chance(p.DrawChance(pile), -1, next_block, "draw", "none", self.rule))
        self.open(next_block)

    # --------------------------------------------------------------------------- loops

    def loop(self, count: x.Expr | None, test: x.Expr | None, body: t.Block, scope: Scope) -> None:
        head, inside, end = self.block(), self.block(), self.block()
        left = self.var("left", NUMBER)
        if count is not None:
            self.emit(code.SetVar(left.id, count))
        self.jump(head)
        self.open(head)
        self.blocks[head].tick = True
        tests: list[x.Expr] = []
        if count is not None:
            tests.append(x.Comparison("gt", left, x.Const(0, NUMBER)))
        if test is not None:
            tests.append(test)
        if tests:
            self.branch(tests[0] if len(tests) == 1 else x.Junction("and", tuple(tests)), inside, end)
        else:
            self.jump(inside)
        self.open(inside)
        if count is not None:
            self.emit(code.SetVar(left.id, x.Arithmetic("sub", left, x.Const(1, NUMBER), NUMBER, -1, False)))
        self.statements(body, replace(scope, stop=end))
        self.jump(head)
        self.open(end)

    def loop_over(self, s: t.For, scope: Scope) -> None:
        head, inside, run, end = self.block(), self.block(), self.block(), self.block()
        more, advance = self._iteration(s.var, s.domain)
        self.jump(head)
        self.open(head)
        self.blocks[head].tick = True
        self.branch(more, inside, end)
        self.open(inside)
        self.emit(*advance)
        if s.guard is None:
            self.jump(run)
        else:
            self.branch(s.guard, run, head)
        self.open(run)
        self.statements(s.body, replace(scope, stop=end))
        self.jump(head)
        self.open(end)

    def _iteration(self, var: int, domain: x.Domain) -> tuple[x.Expr, tuple[code.Stmt, ...]]:
        """Fixes a domain now; whether it has a next element, and how to take it into `var`."""
        one = x.Const(1, NUMBER)
        match domain:
            case x.SetDomain(s):
                st = s.type
                assert isinstance(st, SetType)
                rest = self.var("rest", st)
                self.emit(code.SetVar(rest.id, s))
                element = x.Var(var, st.element)
                keep = isinstance(st.element, IntType)
                minus = x.SetOperation("diff", rest, x.Singleton(element, st, keep), st)
                return x.Comparison("ne", rest, x.Const(0, st)), (
                    code.SetVar(var, x.Pick("some", rest, st.element, -1)),
                    code.SetVar(rest.id, minus),
                )
            case x.RangeDomain(lo, hi):
                next_value, last = self.var("next", NUMBER), self.var("last", NUMBER)
                self.emit(code.SetVar(next_value.id, lo), code.SetVar(last.id, hi))
                return x.Comparison("le", next_value, last), (
                    code.SetVar(var, next_value),
                    code.SetVar(next_value.id, x.Arithmetic("add", next_value, one, NUMBER, -1, True)),
                )
            case x.SeatsDomain(direction, start):
                seat, left = self.var("seat", PLAYER), self.var("left", NUMBER)
                self.emit(code.SetVar(seat.id, start))
                way = direction
                if not isinstance(direction, x.Const):
                    way = self.var("way", NUMBER)
                    self.emit(code.SetVar(way.id, direction))
                self.emit(code.SetVar(left.id, x.Const(self.game.players, NUMBER)))
                return x.Comparison("gt", left, x.Const(0, NUMBER)), (
                    code.SetVar(var, seat),
                    code.SetVar(seat.id, x.NextSeat(seat, way, one, PLAYER)),
                    code.SetVar(left.id, x.Arithmetic("sub", left, one, NUMBER, -1, False)),
                )
            case x.FamilyDomain():
                raise AssertionError("a loop over sets of sets never waits (the checker sees to it)")

    # ----------------------------------------------------------------------- decisions

    def decision(self, s: t.Decision, scope: Scope) -> None:
        after, orelse = self.block(), self.block()
        options: list[p.Option] = []
        bodies: list[tuple[int, t.Block]] = []
        effects: list[str] = []
        for a in s.alternatives:
            target = self.block()
            stores, body = a.stores, a.body
            if s.longest and a.effect:
                copies = [self.var("value", e.type) for e in a.effect_args]
                stores = tuple((c.id, e) for c, e in zip(copies, a.effect_args, strict=True))
                run = a.body[0]
                assert isinstance(run, t.Run)
                body = (t.Run(run.unit, tuple(copies)),)
            options.append(p.Option(a.site, stores, target, a.rule, a.label))
            bodies.append((target, body))
            effects.append(a.effect)
        self.close(
            p.Decide(
                s.me,
                tuple(options),
                orelse,
                s.default,
                s.longest,
                tuple(effects) if s.longest else (),
                "all",
                s.rule,
                s.default_value,
            )
        )
        for target, body in bodies:
            self.open(target)
            self.statements(body, scope)
            self.jump(after)
        self.open(orelse)
        self.statements(s.orelse, scope)
        self.jump(after)
        self.open(after)

    def secret(self, s: t.Secret) -> None:
        after = self.block()
        entries = []
        start, outer = self.current, self.region
        for strand in s.strands:
            self.region = self.new_region()
            entry = self.block()
            entries.append(entry)
            self.open(entry)
            self.statements(strand, Scope())
            self.close(p.StrandEnd())
        self.region = outer
        self.current = start
        self.close(p.Simultaneous(s.players, tuple(entries), after, s.rule))
        self.open(after)

    def new_region(self) -> int:
        self.regions += 1
        return self.regions - 1

    # ------------------------------------------------------------------- steps and units

    def steps(self, steps: t.Steps, scope: Scope, before: frozenset[str] | None) -> None:
        """Named steps; after each, the end conditions that something written may have changed.

        `before` is what may have been written since the last test outside the first step itself;
        None: after each step all end conditions are tested.
        """
        for s in steps:
            if self.current is None:
                return
            outer, self.rule = (self.rule, self.written), s.rule
            self.written = None if before is None else before | writes(s.body, self.game.units)
            self.emit(code.Enter(s.rule))
            self.statements(s.body, scope)
            if scope.tested and self.current is not None:
                self.end_tests(scope)
                before = None if before is None else frozenset()
            self.rule, self.written = outer

    def end_tests(self, scope: Scope) -> None:
        """The end conditions that what was written may have changed; none that speaks of `me`
        where it is nobody's turn."""
        written = self.written
        tests: list[tuple[int, x.Expr]] = []
        for i, e in enumerate(self.game.end):
            r = self.end_reads[i]
            test = self.of_turn(e, scope)
            if test is not None and (written is None or "*" in written or "*" in r or r & written):
                tests.append((self.ending(i, e), test))
        for i, (number, e) in enumerate(self.phase_ends):
            here = x.Comparison("eq", x.Load("@phase", (), NUMBER, -1), x.Const(number, NUMBER))
            test = self.of_turn(e, scope)
            if test is not None:
                tests.append((self.ending(-1 - i, e), x.Junction("and", (here, test))))
        if not tests:
            return
        self.emit(code.SetVar(self.game.active, PLAYER_OF_TURN))
        for target, test in tests:
            next_block = self.block()
            self.branch(test, target, next_block)
            self.open(next_block)

    def of_turn(self, e: t.EndTest, scope: Scope) -> x.Expr | None:
        """An end condition, None if it cannot hold here: of the player of the turn it can only
        hold if there is one."""
        if isinstance(e.test, x.Const) and e.test.value == 0:
            return None
        if scope.turn or not any(isinstance(n, x.Var) and n.id == self.game.active for n in nodes(e)):
            return e.test
        return x.Junction("and", (SOMEBODYS_TURN, e.test)) if scope.turn is None else None

    def ending(self, key: int, e: t.EndTest) -> int:
        """The block to which the game goes when an end condition holds (made once)."""
        if key not in self.end_block:
            kept, region = self.current, self.region
            self.region = 0
            block = self.block()
            self.end_block[key] = block
            self.open(block)
            self.emit(code.Enter(e.rule))
            if e.winner is not None:
                self.result(1, e.winner)
            self.emit(code.Store(ENDED, (), x.Const(e.rule + 1, NUMBER), -1))
            self.jump(self.game_over)
            self.current, self.region = kept, region
        return self.end_block[key]

    def units(self) -> None:
        """All procedures and actions, each a region with one entry."""
        for i, u in enumerate(self.game.units):
            self.region = self.unit_region[i] = self.new_region()
            entry = self.block()
            self.blocks[entry].tick = True
            self.unit_entry[i] = entry
            self.unit_return[i] = self.variable(f"return of {u.name}", NUMBER)
            self.open(entry)
            scope = Scope(tested=u.tested, turn=self.turns.get(i))
            self.steps(u.steps, scope, self.pending.get(i, frozenset()))
            self.close(p.Return(self.unit_return[i]))
        self.region = 0


def structured(s: t.Stmt, in_loop: bool = False) -> code.Stmt | None:
    """A statement as structured code, if nothing in it suspends, calls or leaves."""
    match s:
        case t.If(test, then, orelse):
            a, b = structured_block(then, in_loop), structured_block(orelse, in_loop)
            return None if a is None or b is None else code.If(test, a, b)
        case t.For(var, domain, guard, body):
            inner = structured_block(body, True)
            return None if inner is None else code.For(var, domain, guard, inner)
        case t.Loop(count, test_, body):
            inner = structured_block(body, True)
            return None if inner is None else code.Loop(count, test_, inner)
        case t.Stop():
            return code.Break() if in_loop else None
        case (
            t.Chance()
            | t.Draw()
            | t.Run()
            | t.Ask()
            | t.Secret()
            | t.Decision()
            | t.Leave()
            | t.Again()
            | t.Decree()
        ):
            return None
        case _:
            return s


def structured_block(block: t.Block, in_loop: bool) -> tuple[code.Stmt, ...] | None:
    made = []
    for s in block:
        plain = structured(s, in_loop)
        if plain is None:
            return None
        made.append(plain)
    return tuple(made)
