"""Where everything lies: the memory map of a program's module, and the home of each variable.

| region | content |
|---|---|
| control | fault, interrupt flag, generators, arguments and results of exported functions; this map |
| state | canonical words, then the trail: what is saved |
| derived | for each location the set of movables there, for each kind of movable and each face of
tokens the set of locations that hold some, for each ordered pile its top card, for each card the one
below it, for each record what is kept up of its hash (`Kept`) and a filter of what it has: rebuilt from
the state |
| shared | registers that several functions use |
| streams | the generator of each seat, for games of random bots |
| broken | which invariants did not hold at some decision of the game |
| sequence | the things of a move of several, in the order they go |
| chosen | one option record: index of the offer, then the values |
| counters | coverage by rule and by block, and as much that counts nothing |
| results | scoring lines, ranking keys, ranks |
| snapshots | a stack of state and derived, for hypothetical positions |
| options | records of the options of a decision, or rows of them (see `rows`) |
| memo | positions met while longest runs are looked for, if any decision asks for them |
| records | one for each game played; or states that are gone through |
| constants | tables |
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from ludex.backends.wasm.shapes import Shape, Shapes
from ludex.ir import program as p
from ludex.ir import recorded
from ludex.ir.layout import Field
from ludex.ir.passes.facts import Facts
from ludex.ir.passes.local import Local, local
from ludex.ir.walk import children, classes, nodes
from ludex.limits import MAX_OPTIONS, MAX_RECURSION_DEPTH
from ludex.typed import code as s
from ludex.typed import expr as e
from ludex.typed.types import MAX_SET_NUMBER, EntityType, IntType, SetType
from ludex.typed.world import Kind

FAULT, SITE, RULE, INTERRUPT = 0, 4, 8, 12
CHANCE, POLICY = 16, 32
"""The four words of each generator."""
SEED, FIRST, GAMES, MOST = 64, 72, 76, 80
"""Arguments of `games`: a 64-bit seed, the first index, how many, the most decisions of one."""
PLAYED, CHANCES, OPTIONS, LARGEST, FORCED = 84, 88, 92, 96, 100
"""How many games were played; counts of the game that is being played."""
TICKS = 104
"""What was left of the ticks when `run` last came back."""
WHERE = 192
"""Where things are: see `memory_map`."""
STATE = 256

ROW_HEAD = 8
"""Of a row of options (see `rows`), before its values: how many options there are with it and before it,
the index of the offer."""

SNAPSHOTS = MAX_RECURSION_DEPTH + 16
"""Hypothetical positions within one another."""

PAGE = 1 << 16

RECORD_WORDS = 9
"""Of a game's record, before what is by seat: outcome (0 finished, 1 not), decisions, turns (of all
games so far), round, chance events, options, most options, decisions with one option, end condition."""

FILTER = 128
"""Bytes of a record's filter: a bit for each value of a hash's low 10 bits, 1 if such a position may have
been noted. Behind it, in a word, the length of the record if its last position is in it once only."""

MEMO_ENTRIES = 512
"""Positions whose longest runs are remembered: number of the decision, hash, length, words."""

BATCH_WORDS = 8
"""Of a state that is stepped with others, before its words: the option to be played, how many
options it has then, who decides (0: nobody), the result, a generator for chance."""
STEPPED, ILLEGAL, FAULTED = 0, 1, 2
"""That result."""

RECORD_BYTES = 1 << 20
"""Room for records, or for states."""


def _aligned(address: int, to: int = 16) -> int:
    return (address + to - 1) // to * to


@dataclass(frozen=True)
class Kept:
    """What is kept up for a record: parts of its hash that are said of a place alone.

    At `touched` the set of places where something may have changed, at `total` the sum of what all
    places add to the hash, from `shares` on what each of them adds: as it was when last looked at.
    """

    touched: int
    total: int
    places: Shape
    parts: tuple[tuple[int, Local], ...]
    """The number of the first block, and the part."""

    @property
    def domain(self) -> range:
        """All places that are looked at."""
        lo = min(part.first for _, part in self.parts)
        return range(lo, max(part.first + part.count for _, part in self.parts))

    @property
    def shares(self) -> int:
        return self.total + 8

    @property
    def end(self) -> int:
        return self.shares + 8 * len(self.domain)


def kept_parts(program: p.Program, facts: Facts, record: p.Record) -> tuple[tuple[int, Local], ...]:
    """The parts of a record that can be kept up place by place."""
    found: list[tuple[int, Local]] = []
    for part in recorded.parts(program, record):
        if part.first is not None and not isinstance(part.value.type, SetType):
            own = local(program, facts, part.bindings, part.value)
            if own is not None:
                found.append((part.first, own))
    return tuple(found)


def _looks_back(program: p.Program) -> bool:
    """Whether positions that are only tried may be compared with earlier ones."""
    tried: list[object] = [program.functions, program.atomics]
    tried.extend(n for n in nodes(program, classes(e.Hypothetical)) if isinstance(n, e.Hypothetical))
    tried.extend(b.end for b in program.blocks if isinstance(b.end, p.Decide) and b.end.longest)
    return any(isinstance(n, e.Seen) for n in nodes(tuple(tried), classes(e.Seen)))


def values_of(field: Field) -> range:
    """What the elements of a field may be: 0, too, before they are first stored."""
    return range(min(field.lo, 0), max(field.hi, 0) + 1)


@dataclass
class Plan:
    """The memory map. `held[m]` is the set of the locations that hold any movable of the group m (of a
    whole kind, where no group is asked for), or a token of the face m; `crowds[n][m]` of those that hold n
    tokens of the face m or more, for each n that is asked for; `led[t, m]` of the elements for which a table
    t has a location that is in `held[m]`. `tops`, plus 4 times an ordered pile, is where its top card is, 0
    unless that is known without looking; so is at `below`, plus 4 times a card of a pile's known head, the
    card just below it there, and 0 of all other cards. Addresses are in bytes; `constants` grows while code
    is emitted."""

    program: p.Program
    fields: dict[str, Field] = field(init=False)
    locations: tuple[Kind, ...] = field(init=False)
    movables: tuple[Kind, ...] = field(init=False)
    _shapes: Shapes = field(init=False)

    def __post_init__(self) -> None:
        program = self.program
        layout, world = program.layout, program.world
        self.fields = {f.name: f for f in layout.fields}
        self.locations = tuple(k for k in world.kinds if k.is_location)
        self.movables = tuple(k for k in world.kinds if k.is_movable)
        self.trails: dict[str, int] = {}
        end = layout.words
        for record in layout.records:
            self.trails[record.name] = STATE + 4 * end
            end += 2 * record.keep
        self.saved = end
        self.world_players = world.players.count
        self.turn_rules = p.turn_rules(program.rules)
        self._shapes = Shapes.chosen(program)
        self.occupants: Shape = self._shapes.movables
        self.movables_base = self.occupants.base
        last = max((kind.ids[-1] for kind in self.locations if kind.count), default=0)
        first = min((kind.ids[0] for kind in self.locations if kind.count), default=0)
        row = 8 * self.occupants.size
        self.derived = _aligned(STATE + 4 * end)
        # the location none has an empty row of its own, before the others
        self._occupied = self.derived + row - first * row
        at = self.derived + row * (last - first + 2)
        self.first_location = first
        self.places: Shape = self._shapes.places
        self.places_base = self.places.base
        self.asked: set[int] = set()
        crowded: set[int] = set()
        led: set[tuple[str, int]] = set()
        for n in nodes(program, classes(e.Holders, e.HoldersBy, e.HoldersOf, e.Sights)):
            match n:
                case e.Holders(mask):
                    self.asked.add(mask)
                case e.HoldersBy(table, mask):
                    self.asked.add(mask)
                    led.add((table, mask))
                case e.HoldersOf(least=least) if least > 1:
                    crowded.add(least)
                case e.HoldersOf(computed) if isinstance(computed.type, EntityType):
                    self.asked.update(1 << i for name in computed.type.kinds for i in world.kind(name).ids)
                case e.Sights():
                    self.asked.add(sum(kind.mask for kind in world.kinds if not kind.is_location))
        self.held: dict[int, int] = {}
        for kind in self.movables:
            for group in kind.groups if self._asked_apart(kind) else (kind.mask,):
                self.held[group] = at
                at += 8 * self.places.size
        self.crowds: dict[int, dict[int, int]] = {least: {} for least in sorted(crowded)}
        for sets in (self.held, *self.crowds.values()):
            for kind in world.kinds:
                for face in kind.ids if kind.category == "token" else ():
                    sets[1 << face] = at
                    at += 8 * self.places.size
        self._tables = {table.name: table for table in program.tables}
        self._leading: dict[str, list[int]] = {}
        self.led: dict[tuple[str, int], int] = {}
        for name, mask in sorted(led):
            for group in self.held:
                if group & mask and (name, group) not in self.led:
                    self.led[name, group] = at
                    at += 8 * self.led_from(name).size
        head = self.fields.get("@head")
        self.tops: int | None = None
        self.below = 0
        if head is not None:
            self.tops = at - 4 * head.dims[0].base
            at += 4 * head.size
            order = self.fields["@order"]
            self.below = at - 4 * order.dims[0].base
            at = _aligned(at + 4 * order.size, 8)
        self.having: dict[str, int] = {}
        self._asked_values: dict[str, set[int | None]] = {}
        self._run: set[str] = set()
        """Procedures that are functions of their own, as something runs them."""
        for n in nodes(program):
            match n:
                case e.Having(name, value):
                    known = value.value if isinstance(value, e.Const) else None
                    self._asked_values.setdefault(name, set()).add(known)
                case e.Hypothetical(name) | s.RunAtomic(name):
                    self._run.add(name)
                case p.Decide(effects=effects):
                    self._run.update(effects)
        for name in sorted(self._asked_values):
            field, self.having[name] = self.fields[name], at
            at += 8 * len(values_of(field)) * self.indices(field).size
        facts = Facts(program)
        parts = {noted.name: kept_parts(program, facts, noted) for noted in program.records}
        touched: dict[str, int] = {}
        for name in parts:
            if parts[name]:
                touched[name] = at
                at += 8 * self.places.size
        self.tried_end = at
        self.kept: dict[str, Kept] = {}
        for name in touched:
            self.kept[name] = kept = Kept(touched[name], at, self.places, parts[name])
            at = kept.end
        if _looks_back(program):
            self.tried_end = at
        self.filters: dict[str, int] = {}
        for name in parts:
            self.filters[name] = at
            at += FILTER + 8
        self.derived_end = at
        self.shared: dict[int, int] = {}
        for variable in self._shared_variables():
            self.shared[variable] = at
            type_ = program.variables[variable].type
            at += 8 * self.shape(type_).size if isinstance(type_, SetType) else 8
        self.sequence = at
        at += 4 * sum(kind.count for kind in self.movables)
        self.streams = at
        at = _aligned(at + 16 * world.players.count, 8)
        self.broken = at
        at = _aligned(at + 4 * len(program.invariants), 8)
        self.remembers = any(isinstance(b.end, p.Decide) and b.end.longest for b in program.blocks)
        self.memo_entry = _aligned(16 + 4 * layout.words)
        self.stride = max((self.record(site) for site in self.sites()), default=4)
        if self.remembers:
            self.stride += 4  # the length of the run that an option begins
        self.chosen = at
        self.counters = _aligned(at + self.stride)
        self.rules = 4 * len(program.rules)
        self.blocks = self.counters + 2 * self.rules
        self.unseen = self.blocks + 4 * len(program.blocks)
        self.results = _aligned(self.unseen + 2 * self.rules)
        seats = world.players.count
        self.lines = self.results
        self.keys = self.lines + 4 * seats * len(program.scoring)
        self.ranks = self.keys + 4 * seats * max(len(program.ranking), 1)
        self.snapshots = _aligned(self.ranks + 4 * seats)
        self.snapshot = _aligned(self.derived_end - STATE)
        self.options = _aligned(self.snapshots + self.snapshot * SNAPSHOTS)
        self.options_end = self.options + self.stride * MAX_OPTIONS
        self.row_stride = max((self.row_of(site) for site in self.sites()), default=ROW_HEAD)
        room = max(self.stride, self.row_stride) * (MAX_OPTIONS + 1)
        self.memo = _aligned(self.options + room)
        self.records = self.memo + (MEMO_ENTRIES * self.memo_entry if self.remembers else 0)
        rows = len(program.scoring) + max(len(program.ranking), 1) + 1 + (program.payoff is not None)
        self.record_words = RECORD_WORDS + seats * rows + len(program.invariants)
        self.record_count = max(1, min(4096, RECORD_BYTES // (4 * self.record_words)))
        self.state_count = RECORD_BYTES // (4 * (BATCH_WORDS + self.saved))
        room = max(RECORD_BYTES, 4 * self.record_words * self.record_count)
        self.constants = _aligned(self.records + room)

    def led_from(self, table: str) -> Shape:
        """The set of what a table of one index is indexed by."""
        (dim,) = self._tables[table].dims
        return self._shapes.covering(dim.base, dim.base + dim.size - 1)

    def leading(self, table: str) -> list[int]:
        """For each location in a row the elements for which a table of one index has it."""
        rows = self._leading.get(table)
        if rows is None:
            found, first = self._tables[table], self.first_location
            rows = self._leading[table] = [0] * (self.places.end - first)
            for i, value in enumerate(found.values):
                if first <= value < self.places.end:
                    rows[value - first] |= 1 << found.dims[0].base + i
        return rows

    def _asked_apart(self, kind: Kind) -> bool:
        """Whether any code asks for some of a kind's groups."""
        return any(mask & kind.mask not in (0, kind.mask) for mask in self.asked)

    def asked_values(self, field: Field) -> tuple[int, ...]:
        """The values of which the elements of a field that have them are asked for, ascending."""
        asked = self._asked_values[field.name]
        return tuple(x for x in values_of(field) if None in asked or x in asked)

    # ------------------------------------------------------------------------------- addresses

    def row(self) -> tuple[int, int]:
        """(address of the occupants of location 0 were it in a row with the rest, bytes of a row)."""
        return self._occupied, 8 * self.occupants.size

    def base(self, name: str) -> int | None:
        """What to add to 4 times an index to get the address of a field of one dimension."""
        found = self.fields.get(name)
        return None if found is None else STATE + 4 * (found.offset - found.dims[0].base)

    def word(self, name: str) -> int:
        """The address of a field."""
        return STATE + 4 * self.fields[name].offset

    def shape(self, type_: SetType) -> Shape:
        return self._shapes.of(type_)

    def indices(self, field: Field) -> Shape:
        """The set of what a field of one dimension is indexed by."""
        (dim,) = field.dims
        return self._shapes.covering(dim.base, dim.base + dim.size - 1)

    def packed(self, variable: p.Variable) -> tuple[int, int]:
        """(32-bit words, base) of a set that lies in frame words."""
        for f in self.fields.values():
            if f.offset == variable.word and isinstance(f.type, SetType):
                return f.width, f.set_base
        return 1, 0

    def record(self, site: e.OptionSite) -> int:
        """Bytes of an option of a site."""
        return 4 + sum(self.bytes_of(b) for b in bindings(site))

    def row_of(self, site: e.OptionSite) -> int:
        """Bytes of a row of options of a site, should it end in a set."""
        *outer, last = bindings(site) or (None,)
        size = ROW_HEAD + sum(self.bytes_of(b) for b in outer if b is not None)
        if last is not None and (values := values_of_parameter(last)) is not None:
            size += 8 * self.shape(values).size
        return size

    def bytes_of(self, binding: e.OptionBinding) -> int:
        return 8 * self.shape(binding.type).size if isinstance(binding.type, SetType) else 4

    # -------------------------------------------------------------------------------- variables

    def sites(self) -> Iterator[e.OptionSite]:
        """All offers of decisions."""
        for block in self.program.blocks:
            if isinstance(block.end, p.Decide):
                for option in block.end.options:
                    yield option.site

    def _shared_variables(self) -> list[int]:
        """Registers that more than one function uses; the others become its locals."""
        program = self.program
        seen: dict[int, int] = {}
        shared: set[int] = set()
        nested: list[e.OptionSite] = []
        known: set[int] = set()

        def unit(number: int, *trees: object) -> None:
            for var in _mentioned(trees, nested):
                if seen.setdefault(var, number) != number:
                    shared.add(var)

        number = 0
        for function in program.functions:
            number += 1
            unit(number, function)
        for atomic in program.atomics:
            if atomic.name in self._run:
                number += 1
                unit(number, atomic)
        run = number = number + 1
        for block in program.blocks:
            unit(run, block.code, block.clear)
            match block.end:
                case p.Decide(player, options, default_value=value):
                    unit(run, player, value)
                    for option in options:
                        number += 1
                        known.add(id(option.site))
                        stored = tuple(e.Var(var, program.variables[var].type) for var, _ in option.stores)
                        unit(number, option.site, tuple(value for _, value in option.stores), stored)
                        unit(run, stored)
                case p.Chance(event, var):
                    number += 1
                    stored = (e.Var(var, program.variables[var].type),) if var >= 0 else ()
                    unit(number, event, stored)
                    unit(run, stored)
                case end:
                    unit(run, end)
        alone = tuple(valued for valued in (program.payoff, program.heuristic) if valued is not None)
        for piece in (*program.scoring, *program.ranking, *alone, *program.records, *program.invariants):
            number += 1
            unit(number, piece)
        while nested:
            site = nested.pop()
            if id(site) not in known:
                known.add(id(site))
                number += 1
                unit(number, site)
        return sorted(var for var in shared if not program.variables[var].frame)


def values_of_parameter(binding: e.OptionBinding) -> SetType | None:
    """The type of the set of a parameter's values, if they are in a set or are a few constant numbers."""
    match binding.domain:
        case e.SetDomain(set_):
            assert isinstance(set_.type, SetType)
            return set_.type
        case e.RangeDomain(e.Const(lo), e.Const(hi)) if 0 <= lo <= hi <= MAX_SET_NUMBER:
            return _numbers(lo, hi)
        case _:
            return None


@cache
def _numbers(lo: int, hi: int) -> SetType:
    return SetType(IntType(lo, hi))


def bindings(site: e.OptionSite) -> list[e.OptionBinding]:
    return [level.binding for level in site.levels if level.binding is not None]


_VARIABLE: dict[type, str] = {
    e.Var: "id",
    **dict.fromkeys((e.Binding, e.OptionBinding, e.OptionLet, e.Region, e.Reachable), "var"),
    **dict.fromkeys((s.SetVar, s.For, p.Return, p.MemberChance), "var"),
    **dict.fromkeys((p.ScoreLine, p.RankingKey), "me"),
}
"""For nodes that read or bind a variable, the field with its number."""


def _mentioned(tree: object, nested: list[e.OptionSite]) -> set[int]:
    """The variables that a tree reads or binds; offers it asks about are put aside."""
    found: set[int] = set()
    stack: list[object] = [tree]
    while stack:
        n = stack.pop()
        cls = n.__class__
        if isinstance(n, e.Exists):
            nested.append(n.site)
            continue
        if cls in _VARIABLE:
            found.add(getattr(n, _VARIABLE[cls]))
        elif isinstance(n, p.Function | p.Atomic):
            found.update(n.params)
        stack.extend(children(n))
    return found
