"""The emitter's core: the module that grows, its tables, and one `Unit` for each function in it."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar, get_args

from ludex.backends.wasm import asm
from ludex.backends.wasm.asm import Ex, Function, Instruction, Label, Module, ValueType, const
from ludex.backends.wasm.cost import BUDGET, UNIT, Cost
from ludex.backends.wasm.generators import bounded
from ludex.backends.wasm.plan import CHANCE, FAULT, PAGE, POLICY, SITE, STATE, Plan
from ludex.backends.wasm.shapes import Shape, Words, reshaped
from ludex.ir import program as p
from ludex.ir.passes.facts import Facts
from ludex.ir.walk import classes, nodes
from ludex.limits import MAX_TICKS
from ludex.typed import expr as e
from ludex.typed.types import SetType, Type

T = TypeVar("T")

FAULTS: tuple[p.FaultKind, ...] = get_args(p.FaultKind)
"""A fault's number in the module is its place here, from 1."""


class Emitter:
    """Makes the module of one program. Functions are made when first asked for."""

    def __init__(self, program: p.Program, *, counting: bool) -> None:
        self.program = program
        self.counting = counting
        self.plan = Plan(program)
        self.module = Module()
        self.functions = {f.name: f for f in program.functions}
        self.variables: list[p.Variable] = list(program.variables)
        self.facts = Facts(program)
        self.atomics = {a.name: a for a in program.atomics}
        self.tables = {t.name: t for t in program.tables}
        self._ways: dict[type, Counter[Hashable]] = {}
        self._placed: dict[object, int] = {}
        self._end = self.plan.constants
        self.pending: list[Callable[[], None]] = []
        self.ticks = self.module.global_("ticks", MAX_TICKS)
        self.depth = self.module.global_("depth")
        self.work = self.module.global_("work", BUDGET)
        self.cost = Cost(program)
        self.rule = self.module.global_("rule", -1)
        self.applied = self.module.global_("applied", self.plan.counters)
        self.stack = self.module.global_("stack", self.plan.snapshots)
        self.found = self.module.global_("found", self.plan.options)
        self.left = self.module.global_("left")
        self.playing = self.module.global_("playing")
        self.era = self.module.global_("era", 1)
        self.scratch = self.module.global_("scratch")
        self._reserved = 0
        self._sites: dict[int, tuple[e.OptionSite, int]] = {}
        self.fault = self._fault()
        self.ticking = self._ticking()
        self.bounded = self._bounded()

    # --------------------------------------------------------------------------------- functions

    def made(
        self,
        name: str,
        params: Sequence[ValueType],
        results: Sequence[ValueType],
        build: Callable[[Unit], None],
        *,
        export: bool = False,
    ) -> Function:
        """The function of that name, to be built once, when what is being built is done."""
        found = self.module.find(name)
        if found is None:
            found = self.module.function(name, params, results, export=export)
            unit = Unit(self, found)

            def later() -> None:
                build(unit)
                if found.results:  # every path has returned
                    found.body.append(("unreachable",))

            self.pending.append(later)
        return found

    def finish(self) -> bytes:
        """Builds what is still to be built; the whole module."""
        while self.pending:
            self.pending.pop()()
        scratch = (self._end + 15) // 16 * 16
        self.module.begin_global(self.scratch, scratch)
        self.module.pages = (scratch + self._reserved + PAGE - 1) // PAGE
        made = self.module.encode()
        for function in self.module.functions:
            function.body.clear()  # they call one another: else all would wait for the garbage collector
        return made

    def reserve(self, elements: int, total: int) -> None:
        """Scratch memory for the sums of subsets."""
        self._reserved = max(self._reserved, 4 * elements + 8 + (elements + 1) * 8 * (total // 64 + 1))

    def _fault(self) -> Function:
        f = self.module.function("fault", ("i32", "i32"))
        f.store(const(0), FAULT, f.param(0))
        f.store(const(0), SITE, f.param(1))
        f.store(const(0), SITE + 4, self.rule)
        f.body.append(("unreachable",))
        return f

    def _ticking(self) -> tuple[Instruction, ...]:
        return (
            *asm.set_global(self.ticks, self.ticks - 1),
            *self.ticks.compare("lt_s", 0).ops,
            ("if", None, Label()),
            *self.raised("steps", -1),
            ("end",),
        )

    def raised(self, kind: p.FaultKind, site: Ex | int) -> tuple[Instruction, ...]:
        where = const(site) if isinstance(site, int) else site
        return (*asm.call(self.fault, const(FAULTS.index(kind) + 1), where), ("unreachable",))

    def _bounded(self) -> Function:
        """`bounded` of `generators`, as a function."""
        f = self.module.function("bounded", ("i32", "i32"), ("i32",))
        f.give(bounded(f, f.param(0), f.param(1)))
        return f

    def is_only(self, st: T, way: Callable[[T], Hashable]) -> bool:
        """Whether no other statement of its class in the program does what it does in the same `way`."""
        cls = type(st)
        if cls not in self._ways:
            alike = nodes((self.program.blocks, self.program.atomics), classes(cls))
            self._ways[cls] = Counter(way(n) for n in alike if isinstance(n, cls))
        return self._ways[cls][way(st)] == 1

    # ------------------------------------------------------------------------------------ tables

    def constant(self, key: object, make: Callable[[], bytes]) -> int:
        """The address of constant data, placed once."""
        at = self._placed.get(key)
        if at is None:
            at = self._placed[key] = (self._end + 7) // 8 * 8
            content = make()
            self.module.data(at, content)
            self._end = at + len(content)
        return at

    def integers(self, key: object, values: Sequence[int]) -> int:
        return self.constant(key, lambda: struct.pack(f"<{len(values)}i", *values))

    def masks(self, key: object, masks: Sequence[int], shape: Shape) -> int:
        """Sets in a row, `shape.size` words each."""
        return self.constant(
            (key, shape),
            lambda: b"".join(shape.bits(mask).to_bytes(8 * shape.size, "little") for mask in masks),
        )

    def family(self, key: object, family: Sequence[int], shape: Shape) -> int:
        """A family: the number of its sets, a gap, the sets."""
        def make() -> bytes:
            sets = (shape.bits(mask).to_bytes(8 * shape.size, "little") for mask in family)
            return struct.pack("<ii", len(family), 0) + b"".join(sets)

        return self.constant((key, shape), make)

    def asked(self, mask: int) -> bool:
        """Whether any code wants to know where things of a mask are."""
        return any(mask & asked for asked in self.plan.asked)

    def variable(self, type_: Type) -> int:
        """A variable for a value that one function keeps."""
        self.variables.append(p.Variable("kept", type_, False, -1))
        return len(self.variables) - 1

    def site(self, site: e.OptionSite) -> int:
        """A number for an offer."""
        if id(site) not in self._sites:
            self._sites[id(site)] = site, len(self._sites)
        return self._sites[id(site)][1]


class Unit:
    """One function being built: it knows where its variables are.

    Statements go to the end of the function's body; `part` collects some as an expression.
    """

    def __init__(self, c: Emitter, f: Function) -> None:
        self.c = c
        self.f = f
        self.plan = c.plan
        self._locals: dict[int, tuple[Ex, ...]] = {}
        self.breaks: list[Label] = []
        self.own: frozenset[int] = frozenset()
        """Variables that this function gives values and no function reads that it calls."""
        self.offered: Callable[[int], Ex] | None = None
        """Whether an earlier offer of the decision has an option, where that is known."""
        self.noted: dict[str, Ex] = {}
        """Of records that have just been noted the hash of the position, which is still the same."""
        self.world = c.program.world

    # --------------------------------------------------------------------------- collecting

    def part(self, emit: Callable[[], None]) -> tuple[Instruction, ...]:
        """The instructions that `emit` appends to the function."""
        body, self.f.body = self.f.body, []
        try:
            emit()
            return tuple(self.f.body)
        finally:
            self.f.body = body

    def fault(self, kind: p.FaultKind, site: Ex | int) -> None:
        self.f.do(self.c.raised(kind, site))

    def tick(self, *body: object) -> None:
        """A turn of a loop begins, in which `body` is done."""
        self.f.do(self.c.ticking)
        self.spend(self.c.cost.of(body) // UNIT)

    def take_ticks(self, number: Ex | int) -> None:
        """So many ticks at once."""
        ticks = self.c.ticks
        self.f.do(asm.set_global(ticks, ticks - number))
        with self.f.when(ticks.compare("lt_s", 0)):
            self.fault("steps", -1)

    def spend(self, units: int) -> None:
        """Takes work off the budget, if it is worth counting."""
        if units:
            work = self.c.work
            self.f.do(asm.set_global(work, work - units))
            with self.f.when(work.compare("lt_s", 0)):
                self.fault("steps", -1)

    # ---------------------------------------------------------------------------- variables

    def take_params(self, params: Sequence[int]) -> None:
        """The function's parameters are these variables, a set in as many as it has words."""
        i = 0
        for var in params:
            n = self.size(var)
            here = [self.f.param(i + k) for k in range(n)]
            i += n
            if self._in_memory(var) or self.c.variables[var].frame:
                self.write_parts(var, here)
            else:
                self._locals[var] = tuple(here)

    def size(self, var: int) -> int:
        type_ = self.c.variables[var].type
        return self.plan.shape(type_).size if isinstance(type_, SetType) else 1

    def types(self, params: Sequence[int]) -> list[ValueType]:
        """The parameter types of a function of these variables."""
        found: list[ValueType] = []
        for var in params:
            found.extend(self.value_types(self.c.variables[var].type))
        return found

    def value_types(self, type_: object) -> list[ValueType]:
        return ["i64"] * self.plan.shape(type_).size if isinstance(type_, SetType) else ["i32"]

    def _in_memory(self, var: int) -> bool:
        return var in self.plan.shared and var not in self.own

    def local(self, var: int) -> tuple[Ex, ...]:
        found = self._locals.get(var)
        if found is None:
            types = self.types([var])
            found = self._locals[var] = tuple(self.f.local(t) for t in types)
        return found

    def read(self, var: int) -> Ex:
        """The value of a variable that is no set."""
        variable = self.c.variables[var]
        if variable.frame:
            return asm.load(const(0), STATE + 4 * variable.word)
        if self._in_memory(var):
            return asm.load(const(0), self.plan.shared[var])
        return self.local(var)[0]

    def read_set(self, var: int) -> Words:
        variable = self.c.variables[var]
        assert isinstance(variable.type, SetType)
        shape = self.plan.shape(variable.type)
        if variable.frame:
            width, base = self.plan.packed(variable)
            return self.kept(reshaped(self.unpacked(const(0), STATE + 4 * variable.word, width, base), shape))
        if self._in_memory(var):
            at = self.plan.shared[var]
            return Words(
                shape, tuple(self.f.keep(asm.load(const(0), at + 8 * i, "i64")) for i in range(shape.size))
            )
        return Words(shape, self.local(var))

    def write(self, var: int, value: Ex) -> None:
        self.write_parts(var, [value])

    def write_set(self, var: int, words: Words, site: int = -1) -> None:
        type_ = self.c.variables[var].type
        assert isinstance(type_, SetType)
        variable = self.c.variables[var]
        if variable.frame:
            width, base = self.plan.packed(variable)
            self.pack(const(0), STATE + 4 * variable.word, width, base, words, site)
            return
        self.write_parts(var, reshaped(words, self.plan.shape(type_)).words)

    def write_parts(self, var: int, values: Sequence[Ex]) -> None:
        variable = self.c.variables[var]
        if variable.frame:
            if isinstance(variable.type, SetType):
                self.write_set(var, Words(self.plan.shape(variable.type), tuple(values)))
            else:
                self.f.store(const(0), STATE + 4 * variable.word, values[0])
        elif self._in_memory(var):
            for i, value in enumerate(values):
                self.f.store(const(0), self.plan.shared[var] + 8 * i, value)
        elif len(values) == 1:
            self.f.set(self.local(var)[0], values[0])
        else:
            made = [self.f.keep(value) for value in values]
            for local, value in zip(self.local(var), made, strict=True):
                self.f.set(local, value)

    # ------------------------------------------------------------------------- sets in words

    def kept(self, words: Words) -> Words:
        """The same in locals."""
        return Words(words.shape, tuple(self.f.keep(word) for word in words.words))

    def unpacked(self, address: Ex, offset: int, width: int, base: int) -> Words:
        """A set of `width` 32-bit words of memory; the address is evaluated more than once."""
        made: list[Ex] = []
        for i in range(0, width, 2):
            low = asm.load(address, offset + 4 * i).extend(signed=False)
            if i + 1 < width:
                low = low | asm.load(address, offset + 4 * i + 4).extend(signed=False).shl(32)
            made.append(self.f.keep(low))
        return Words(Shape(base, len(made)), tuple(made))

    def pack(self, address: Ex, offset: int, width: int, base: int, words: Words, site: int) -> None:
        """Stores a set as 32-bit words; faults if it has elements outside them."""
        shape = Shape(base, (width + 1) // 2)
        words = self.kept(words)
        made = self.kept(reshaped(words, shape))
        if width % 2:
            last = made.words[-1]
            with self.f.when(last.shr(32).compare("ne", 0)):
                self.fault("range", site)
        if not shape.holds(words.shape.base, words.shape.end - 1):
            back = reshaped(made, words.shape)
            differs = const(0, "i64")
            for a, b in zip(words.words, back.words, strict=True):
                differs = differs | (a ^ b)
            with self.f.when(differs.compare("ne", 0)):
                self.fault("range", site)
        for i in range(width):
            self.f.store(address, offset + 4 * i, made.words[i // 2].shr(32 * (i % 2)).wrap())

    @contextmanager
    def each(self, words: Words) -> Iterator[Ex]:
        """Goes through the elements of a set, ascending; the set is fixed at the start."""
        f = self.f
        current, *rest = (f.local("i64") for _ in words.words)
        for local, word in zip((current, *rest), words.words, strict=True):
            f.set(local, word)
        element, offset = f.local(), f.local()
        if rest:
            f.set(offset, words.shape.base)
        with f.block() as done, f.loop() as again:
            with f.when(current.eqz()):
                if rest:
                    f.jump(done, offset.compare("eq", words.shape.base + 64 * len(rest)))
                    for to, source in zip((current, *rest), (*rest, const(0, "i64")), strict=False):
                        f.set(to, source)
                    f.set(offset, offset + 64)
                    f.jump(again)
                else:
                    f.jump(done)
            position = current.unary("ctz").wrap()
            f.set(element, position + offset if rest else position + words.shape.base)
            f.set(current, current & (current - 1))
            yield element
            f.jump(again)

    def bit(self, element: Ex, shape: Shape, i: int) -> Ex:
        """Word i of the set of one element, which must be in a local; 0 if it is in another word."""
        at = element - shape.base
        one = const(1, "i64").shl(at.extend(signed=False))
        if shape.size == 1:
            return one
        return asm.choose(at.shr(6).compare("eq", i), one, const(0, "i64"))

    def player_kind(self) -> tuple[int, int]:
        """(first player, number of players)."""
        players = self.world.players
        return players.base, players.count

    def streams(self) -> tuple[Ex, Ex]:
        return const(CHANCE), const(POLICY)
