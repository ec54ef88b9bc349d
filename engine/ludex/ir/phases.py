"""The main line of a program: start values, setup, phases, rounds, turns, the end of a game."""

from __future__ import annotations

from ludex.ir import program as p
from ludex.ir.drafting import ENDED, NUMBER, PLAYER, Drafting, Scope
from ludex.ir.graph import Clear
from ludex.ir.reads import PLACE, TOKENS, reads, writes
from ludex.ir.walk import nodes
from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as t
from ludex.typed.types import BOOL, EntityType, IntType, SetType

NONE = x.Const(0, PLAYER)
EVERY_GAME = ("game", "turn", "round", "phase")
"""When items are reset that have their first value again in every game of a match."""


def number(value: int) -> x.Const:
    return x.Const(value, NUMBER)


class PhaseDrafting:
    """Draws the main line into a `Drafting`; its blocks are region 0."""

    def __init__(self, drafting: Drafting) -> None:
        self.d = drafting
        self.game = drafting.game
        self.phase_count = 0
        self.numbers: dict[int, int] = {}

    def draw(self) -> None:
        d, game = self.d, self.game
        start = d.block()
        d.game_over = d.block()
        self._number_phases(game.phases)
        self._pending_writes()
        self._whose_turns()
        d.open(start)
        self.beginning(("match", *EVERY_GAME), first=True)
        setup = d.block()
        d.jump(setup)
        d.open(setup)
        d.steps(game.setup, Scope(tested=False), frozenset())
        for phase in game.phases:
            self.phase(phase, None)
        d.jump(d.game_over)
        d.open(d.game_over)
        self.game_end(setup)
        d.units()

    # -------------------------------------------------------------------- start values

    def beginning(self, whens: tuple[str, ...], first: bool) -> None:
        """What a game begins with. What looks at where things are, and what follows it, waits for them."""
        one_more = x.Arithmetic("add", _load("game_number"), number(1), NUMBER, -1, False)
        self.d.emit(code.Store("game_number", (), one_more, -1))
        items = self.game.state
        looks = (i for i, v in enumerate(items) if self._looks(v.start))
        before = next(looks, len(items))
        self.reset(whens, items[:before])
        self.places(first)
        self.reset(whens, items[before:])

    def put_back(self) -> None:
        """Dice show nothing, as before they were rolled."""
        dice = [k for k in self.game.world.kinds if k.category == "die" and k.count]
        if not dice or not self.game.faces:
            return
        die = self.d.var("die", EntityType(tuple(k.name for k in dice)))
        every = x.Const(sum(k.mask for k in dice), SetType(EntityType(tuple(k.name for k in dice))))
        store = code.Store("@face", (die,), number(0), -1)
        self.d.emit(code.For(die.id, x.SetDomain(every), None, (store,)))

    def _looks(self, start: x.Expr) -> bool:
        """Whether a value may depend on where things are."""
        return any(name.startswith((PLACE, TOKENS, "*")) for name in reads(start, self.d.functions))

    def reset(self, whens: tuple[str, ...], items: tuple[t.StateVariable, ...] | None = None) -> None:
        """State items, all or these, go back to their start."""
        for v in self.game.state if items is None else items:
            if v.reset not in whens:
                continue
            store: code.Stmt = code.Store(
                v.name,
                tuple(x.Var(i, _index_type(d)) for i, d in zip(v.index, v.dims, strict=True)),
                v.start,
                -1,
            )
            for i, dim in reversed(list(zip(v.index, v.dims, strict=True))):
                store = code.For(i, self._domain(dim), None, (store,))
            self.d.emit(store)

    def _domain(self, dim: tuple[str | None, int, int]) -> x.Domain:
        kind, base, size = dim
        if kind is None:
            return x.RangeDomain(number(base), number(base + size - 1))
        mask = 0
        for name in kind.split(" or "):
            mask |= self.game.world.kind(name).mask
        return x.SetDomain(x.Const(mask, SetType(EntityType(tuple(kind.split(" or "))))))

    def places(self, first: bool) -> None:
        """Pieces, cards and tokens go to where they begin."""
        world = self.game.world
        box = world.kind("box").base
        place = EntityType(("box",))
        movables = [s for s in self.game.starts if world.kind_of(s.entity).is_movable]
        if not first:
            for s in movables:
                self.d.emit(
                    code.MoveOne(x.Const(s.entity, _entity(world, s.entity)), x.Const(box, place), False, -1)
                )
            for kind in world.kinds:
                if kind.is_location:
                    for s in self.game.starts:
                        if world.kind_of(s.entity).category == "token":
                            for loc in kind.ids:
                                self.d.emit(
                                    code.Store(
                                        "@tokens",
                                        (x.Const(loc, place), x.Const(s.entity, place)),
                                        number(0),
                                        -1,
                                    )
                                )
        for s in movables:
            if first or s.place != box:
                target = x.Const(s.place, _entity(world, s.place))
                self.d.emit(code.MoveOne(x.Const(s.entity, _entity(world, s.entity)), target, False, -1))
        for s in self.game.starts:
            if world.kind_of(s.entity).category == "token" and s.count:
                index = (x.Const(s.place, place), x.Const(s.entity, place))
                self.d.emit(code.Store("@tokens", index, number(s.count), -1))

    # --------------------------------------------------------------------- game, match

    def game_end(self, next_game: int) -> None:
        """After a game: everything pending is forgotten; the next game of a match, or the end."""
        d, game = self.d, self.game
        d.emit(Clear(None))
        d.emit(code.Store("active", (), NONE, -1))
        over = d.block()
        if game.games == 1:
            d.jump(over)
        else:
            again = d.block()
            d.branch(x.Comparison("lt", _load("game_number"), number(game.games)), again, over)
            d.open(again)
            self.sum_up()
            d.emit(code.Store(ENDED, (), number(0), -1))
            self.decree_nothing()
            d.emit(code.Store("round_number", (), number(0), -1))
            self.put_back()
            self.beginning(EVERY_GAME, first=False)
            for r in game.records:
                d.emit(code.ForgetRecord(r.name))
            d.jump(next_game)
        d.open(over)
        d.close(p.GameOver())

    def decree_nothing(self) -> None:
        var = self.d.var("player", PLAYER)
        all_players = x.Const(self.game.world.players.mask, SetType(PLAYER))
        self.d.emit(
            code.For(var.id, x.SetDomain(all_players), None, (code.Store("@result", (var,), number(0), -1),))
        )

    def sum_up(self) -> None:
        """Scoring lines and ranking keys of the finished game are added to the sums."""
        all_players = x.Const(self.game.world.players.mask, SetType(PLAYER))
        for field, lines in (("@lines", self.game.scoring), ("@total", self.game.ranking)):
            for i, line in enumerate(lines):
                var = x.Var(line.me, PLAYER)
                index = (number(i), var)
                value = line.value
                if value is None:
                    value = self._score(var)
                added = x.Arithmetic("add", x.Load(field, index, NUMBER, -1), value, NUMBER, -1, True)
                store = code.Store(field, index, added, -1)
                self.d.emit(code.For(var.id, x.SetDomain(all_players), None, (store,)))

    def _score(self, me: x.Var) -> x.Expr:
        total: x.Expr = number(0)
        for line in self.game.scoring:
            assert line.value is not None
            # a scoring line speaks of its own `me`: a fold over the one player binds it
            binding = x.Binding(line.me, x.SetDomain(x.Singleton(me, SetType(PLAYER))))
            value = x.Fold("sum", (binding,), None, line.value, None, None, NUMBER, -1)
            total = x.Arithmetic("add", total, value, NUMBER, -1, True)
        return total

    # -------------------------------------------------------------------------- phases

    def _number_phases(self, phases: tuple[t.Phase, ...]) -> None:
        for phase in phases:
            self.phase_count += 1
            self.numbers[phase.rule] = self.phase_count
            for e in phase.end:
                self.d.phase_ends.append((self.phase_count, e))
            self._number_phases(phase.phases)

    def phase(self, phase: t.Phase, outer: t.Phase | None) -> None:
        d = self.d
        start, skip, end = d.block(), d.block(), d.block()
        round_outside = d.var("round_outside", NUMBER)
        if outer is not None:
            d.emit(code.SetVar(round_outside.id, _load("round_number")))
        d.jump(start)
        d.open(start)
        self._all(phase.when, skip, phase)
        self.reset(("phase",))
        d.emit(code.Store("round_number", (), number(0), -1))
        d.exit("phase", end)
        self._set_phase(phase)
        played = d.var("played", NUMBER)
        if phase.repeat is not None:
            d.emit(code.SetVar(played.id, x.Arithmetic("add", played, number(1), NUMBER, -1, False)))
        d.steps(phase.begin, Scope(tested=False), frozenset())
        self.rounds(phase, end)
        d.open(end)
        self._left(phase, "phase", *d.exits)
        d.emit(code.Store("active", (), NONE, -1))
        d.steps(phase.finish, Scope(tested=True, turn=False), None)
        self._repeat(phase, start, skip, played)
        d.open(skip)
        if phase.repeat is not None:
            d.emit(code.SetVar(played.id, number(0)))
        if outer is not None:
            self._set_phase(outer)
            d.emit(code.Store("round_number", (), round_outside, -1))

    def _set_phase(self, phase: t.Phase) -> None:
        if self.d.phase_ends:
            self.d.emit(code.Store("@phase", (), number(self.numbers[phase.rule]), -1))

    def _repeat(self, phase: t.Phase, start: int, skip: int, played: x.Var) -> None:
        d = self.d
        if phase.repeat is None and not phase.repeat_until:
            d.jump(skip)
            return
        if phase.repeat_until:
            self._any(phase.repeat_until, skip)
        if phase.repeat is not None:
            d.branch(x.Comparison("lt", played, phase.repeat), start, skip)
        else:
            d.jump(start)

    def _all(self, tests: tuple[t.Test, ...], otherwise: int, phase: t.Phase) -> None:
        """Goes to `otherwise` if one of the tests does not hold; that it refuses is recorded of it."""
        for test in tests:
            refused, next_block = self.d.block(), self.d.block()
            self.d.branch(test.test, next_block, refused)
            self.d.open(refused)
            self.d.emit(code.Enter(test.rule), code.Resume(phase.rule))
            self.d.jump(otherwise)
            self.d.open(next_block)

    def _any(self, tests: tuple[t.Test, ...], then: int) -> None:
        """Goes to `then` if one of the tests holds; it is entered as a rule, for the record."""
        for test in tests:
            hit, next_block = self.d.block(), self.d.block()
            self.d.branch(test.test, hit, next_block)
            self.d.open(hit)
            self.d.emit(code.Enter(test.rule))
            self.d.jump(then)
            self.d.open(next_block)

    def rounds(self, phase: t.Phase, end: int) -> None:
        d = self.d
        head, done = d.block(), d.block()
        d.jump(head)
        d.open(head)
        d.blocks[head].tick = True
        d.emit(
            code.Store(
                "round_number",
                (),
                x.Arithmetic("add", _load("round_number"), number(1), NUMBER, -1, True),
                -1,
            )
        )
        d.exit("round", done)
        self.reset(("round",))
        between = Scope(tested=True, turn=False)
        d.steps(phase.each_round, between, None)
        if phase.turns is not None:
            self.turns(phase, end)
        else:
            d.steps(phase.do, between, None)
            for inner in phase.phases:
                self.phase(inner, phase)
            if phase.phases:
                d.exit("phase", end)
        d.jump(done)
        d.open(done)
        self._left(phase, "round", "turn", "round")
        d.emit(code.Store("active", (), NONE, -1))
        self._any(phase.until, end)
        if phase.rounds is not None:
            d.branch(x.Comparison("ge", _load("round_number"), phase.rounds), end, head)
        elif phase.turns is None and not phase.until:
            d.jump(end)
        else:
            d.jump(head)

    def turns(self, phase: t.Phase, end: int) -> None:
        d = self.d
        assert isinstance(phase.turns, x.SeatsDomain)
        me = x.Var(phase.me, PLAYER)
        visited = d.var("visited", BOOL)
        head, take, seat_done, none_left = d.block(), d.block(), d.block(), d.block()
        more, advance = d._iteration(me.id, phase.turns)
        d.emit(code.SetVar(visited.id, x.Const(0, BOOL)))
        d.jump(head)
        d.open(head)
        d.blocks[head].tick = True
        d.branch(more, take, none_left)
        d.open(take)
        d.emit(*advance)
        turn, exit_block = d.block(), d.block()
        d.jump(turn)
        d.open(turn)
        self._all(phase.where, seat_done, phase)
        d.emit(code.Enter(phase.rule))
        self.reset(("turn",))
        d.emit(
            code.SetVar(visited.id, x.Const(1, BOOL)),
            code.Store("active", (), me, -1),
        )
        d.exit("turn", exit_block)
        d.steps(phase.do, Scope(tested=True, turn=True), None)
        d.jump(exit_block)
        d.open(exit_block)
        d.emit(code.Enter(phase.rule))
        self._left(phase, "turn", "turn")
        d.emit(code.Store("active", (), NONE, -1))
        self._any(phase.until, end)
        if d.again is None:
            d.jump(seat_done)
        else:
            repeat = d.block()
            d.blocks[repeat].tick = True
            d.branch(x.Comparison("ne", x.Var(d.again, BOOL), x.Const(0, BOOL)), repeat, seat_done)
            d.open(repeat)
            d.emit(code.SetVar(d.again, x.Const(0, BOOL)))
            d.jump(turn)
        d.open(seat_done)
        d.jump(head)
        d.open(none_left)
        next_round = d.block()
        d.branch(x.Comparison("ne", visited, x.Const(0, BOOL)), next_round, end)
        d.open(next_round)

    def _left(self, phase: t.Phase, what: str, *exits: str) -> None:
        """Behind a turn, a round or a phase: forgets what was abandoned, if a statement has left it, and
        where to go on from what is over."""
        d = self.d
        known = frozenset(d.exits[exit_] for exit_ in exits if exit_ in d.exits)
        abandoned = self._units_within(phase) if what in d.exits else frozenset[int]()
        if known:
            d.emit(Clear(abandoned, known))

    # ------------------------------------------------------------------------ analyses

    def _units_within(self, phase: t.Phase) -> frozenset[int]:
        """The units that may be abandoned inside a phase, by index."""
        found: set[int] = set()
        for steps in (phase.each_round, phase.do, phase.begin):
            for s in steps:
                _units(s.body, found)
        pending = list(found)
        while pending:
            inner: set[int] = set()
            for s in self.game.units[pending.pop()].steps:
                _units(s.body, inner)
            for unit in inner - found:
                found.add(unit)
                pending.append(unit)
        return frozenset(found)

    def _pending_writes(self) -> None:
        """For each unit: what may have been written, since the last test, before it is entered."""
        turn = {"active", *(v.name for v in self.game.state if v.reset == "turn")}
        between = {"round_number", *(v.name for v in self.game.state if v.reset in ("round", "phase"))}
        pending: dict[int, set[str]] = {}
        edges: list[tuple[int, frozenset[str], int]] = []

        def calls(steps: t.Steps, caller: int, base: set[str]) -> None:
            for s in steps:
                found: set[int] = set()
                _units(s.body, found)
                for unit in found:
                    if caller < 0:
                        pending.setdefault(unit, set()).update(writes(s.body, self.game.units) | base)
                    else:
                        edges.append((caller, writes(s.body, self.game.units), unit))

        def walk(phases: tuple[t.Phase, ...]) -> None:
            for phase in phases:
                calls(phase.each_round, -1, between)
                calls(phase.do, -1, turn | between)
                calls(phase.finish, -1, between)
                walk(phase.phases)

        walk(self.game.phases)
        for i, u in enumerate(self.game.units):
            calls(u.steps, i, set())
        changed = True
        while changed:
            changed = False
            for caller, written, unit in edges:
                new = pending.get(caller, set()) | written
                old = pending.setdefault(unit, set())
                if not new <= old:
                    old.update(new)
                    changed = True
        self.d.pending = {u: frozenset(w) for u, w in pending.items()}


    def _whose_turns(self) -> None:
        """For each unit: whether it is entered in turns, outside of them, or both."""
        entered: dict[int, set[bool]] = {}

        def enter(steps: t.Steps, turns: set[bool]) -> None:
            found: set[int] = set()
            _units(steps, found)
            for unit in found:
                known = entered.setdefault(unit, set())
                if not turns <= known:
                    known |= turns
                    enter(self.game.units[unit].steps, set(known))

        def walk(phases: tuple[t.Phase, ...]) -> None:
            for phase in phases:
                enter(phase.each_round, {False})
                enter(phase.do, {phase.turns is not None})
                enter(phase.finish, {False})
                walk(phase.phases)

        walk(self.game.phases)
        self.d.turns = {unit: known.pop() for unit, known in entered.items() if len(known) == 1}


def _units(tree: object, found: set[int]) -> None:
    """The units that a piece of the tree calls."""
    found.update(n.unit for n in nodes(tree) if isinstance(n, t.Run))


def _load(field: str) -> x.Load:
    return x.Load(field, (), NUMBER, -1)


def _entity(world: object, entity: int) -> EntityType:
    return EntityType((world.kind_of(entity).name,))  # type: ignore[attr-defined]


def _index_type(dim: tuple[str | None, int, int]) -> IntType | EntityType:
    kind, base, size = dim
    return IntType(base, base + size - 1) if kind is None else EntityType(tuple(kind.split(" or ")))

