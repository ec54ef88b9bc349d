"""From drafts to a program: homes of variables, the layout, calls expanded, dead words cleared."""

from __future__ import annotations

from ludex import limits
from ludex.ir import program as p
from ludex.ir.drafting import NUMBER, Drafting
from ludex.ir.graph import Call, Clear, Draft, liveness, successors
from ludex.ir.layout import Field, Layout, RecordLayout
from ludex.ir.leaving import departures
from ludex.ir.turn import recorded
from ludex.node import node
from ludex.typed import code
from ludex.typed import expr as x
from ludex.typed import game as t
from ludex.typed.tables import Dimension
from ludex.typed.types import EntityType, IntType, SetType, Type
from ludex.typed.words import set_span
from ludex.typed.world import Kind


class TooLarge(Exception):
    """The state needs more words than the ceiling allows."""


def assemble(game: t.Game, d: Drafting) -> p.Program:
    drafts = d.blocks
    reached = _reachable(d)
    suspends = _suspending(d, reached)
    live = liveness(drafts, departures(d))
    frame = _frame_variables(d, reached, live.waiting, suspends)
    builder = _Layouts(game, d, frame)
    layout = builder.layout()
    owner = _owners(d, reached)
    region_frames: dict[int, list[int]] = {}
    for v in sorted(frame):
        region_frames.setdefault(owner.get(v, 0), []).append(v)
    new_index = {old: i for i, old in enumerate(sorted(reached))}
    links = _Links(d, new_index, frame, region_frames, builder.variables, suspends)
    blocks = tuple(links.block(i, drafts[i], live.waiting[i]) for i in sorted(reached))
    return p.Program(
        title=game.title,
        players=game.players,
        world=game.world,
        layout=layout,
        tables=game.tables,
        variables=builder.variables,
        registers=builder.registers,
        functions=game.functions,
        atomics=tuple(p.Atomic(a.name, a.params, a.body) for a in game.atomics),
        blocks=blocks,
        rules=game.rules,
        sites=game.sites,
        scoring=tuple(p.ScoreLine(s.rule, s.me, s.value) for s in game.scoring if s.value is not None),
        ranking=tuple(p.RankingKey(s.rule, s.me, s.most, s.value) for s in game.ranking),
        payoff=(game.payoff.me, game.payoff.value)
        if game.payoff is not None and game.payoff.value is not None
        else None,
        heuristic=p.Heuristic(game.heuristic.me, game.heuristic.value, game.heuristic.horizon)
        if game.heuristic is not None
        else None,
        records=tuple(p.Record(r.name, tuple((b, recorded(v)) for b, v in r.parts)) for r in game.records),
        invariants=tuple(p.Invariant(i.rule, i.test) for i in game.invariants),
        panels=tuple(_panel(q) for q in game.panels),
        glyphs=tuple(p.Glyph(g.kind, g.var, _signs(g.signs)) for g in game.glyphs),
        viewer=game.viewer,
        games=game.games,
    )


def _signs(signs: tuple[t.SignDecl, ...]) -> tuple[p.Sign, ...]:
    return tuple(p.Sign(s.text, s.color, s.guard) for s in signs)


def _panel(q: t.PanelDecl | t.MapDecl | t.PictureDecl) -> p.Panel | p.MapPanel | p.PicturePanel:
    if isinstance(q, t.PictureDecl):
        legend = tuple((hole, _signs(signs)) for hole, signs in q.legend)
        return p.PicturePanel(q.name, q.across, q.guard, q.lines, legend, q.at)
    if isinstance(q, t.MapDecl):
        return p.MapPanel(
            q.name, q.spaces, q.guard, q.sign, q.links, q.links_guard, q.mark, q.spots, q.ends
        )
    rows = tuple(p.PanelRow(name, cell) for name, cell in q.rows)
    return p.Panel(q.name, q.across, q.across_guard, q.down, rows, q.head, q.foot, q.side, q.empty)


def _targets(d: Drafting, draft: Draft) -> list[int]:
    found = list(successors(draft.end))
    if isinstance(draft.end, Call):
        found.append(d.unit_entry[draft.end.unit])
    if isinstance(draft.end, p.Return) and draft.end.var in d.exits.values():
        pass  # the targets are stored by SetVar: collected below
    exits = set(d.exits.values())
    for s in draft.code:
        if isinstance(s, code.SetVar) and s.var in exits and isinstance(s.value, x.Const) and s.value.value:
            found.append(s.value.value)
    return found


def _reachable(d: Drafting) -> set[int]:
    seen = {0}
    pending = [0]
    while pending:
        for target in _targets(d, d.blocks[pending.pop()]):
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return seen


def _suspending(d: Drafting, reached: set[int]) -> dict[int, bool]:
    """Which units may wait for a player or chance."""
    regions = {r: u for u, r in d.unit_region.items()}
    direct: dict[int, bool] = dict.fromkeys(d.unit_region, False)
    calls: dict[int, set[int]] = {u: set() for u in d.unit_region}
    for i in reached:
        draft = d.blocks[i]
        unit = regions.get(draft.region)
        if unit is None:
            continue
        if isinstance(draft.end, p.Decide | p.Chance | p.Simultaneous):
            direct[unit] = True
        elif isinstance(draft.end, Call):
            calls[unit].add(draft.end.unit)
    changed = True
    while changed:
        changed = False
        for u, called in calls.items():
            if not direct[u] and any(direct[c] for c in called):
                direct[u] = True
                changed = True
    return direct


def _frame_variables(
    d: Drafting, reached: set[int], waiting: list[frozenset[int]], suspends: dict[int, bool]
) -> set[int]:
    """The variables that outlive a suspension: they are words of the state."""
    frame = _control(d)
    for i in reached:
        end = d.blocks[i].end
        if isinstance(end, p.Decide | p.Chance | p.Simultaneous) or (
            isinstance(end, Call) and suspends[end.unit]
        ):
            frame |= waiting[i]
    return frame


def _owners(d: Drafting, reached: set[int]) -> dict[int, int]:
    """The region that each variable belongs to: where it is set (parameters: the unit's)."""
    owner: dict[int, int] = {}
    for u, region in d.unit_region.items():
        for v in (*d.game.units[u].params, d.unit_return[u]):
            owner[v] = region
    for i in reached:
        draft = d.blocks[i]
        for s in draft.code:
            if isinstance(s, code.SetVar):
                owner.setdefault(s.var, draft.region)
        match draft.end:
            case p.Chance():
                owner.setdefault(draft.end.var, draft.region)
            case p.Decide():
                for o in draft.end.options:
                    for v, _ in o.stores:
                        owner.setdefault(v, draft.region)
    for v in _control(d):
        owner[v] = -1
    return owner


def _control(d: Drafting) -> set[int]:
    """The variables that no block owns: where to go on, and whether once more."""
    return {*d.exits.values(), *([] if d.again is None else [d.again])}


class _Layouts:
    """Assigns words: control, world, state, frames."""

    def __init__(self, game: t.Game, d: Drafting, frame: set[int]) -> None:
        self.game = game
        self.d = d
        self.fields: list[Field] = []
        self.offset = 0
        self.frame = frame
        self.records: list[RecordLayout] = []
        self.homes: dict[int, int] = {}
        self.variables: tuple[p.Variable, ...] = ()
        self.registers = 0

    def add(
        self, name: str, dims: tuple[Dimension, ...], type: Type, lo: int, hi: int, role: str, **more: object
    ) -> Field:
        field = Field(name, self.offset, dims, type, lo, hi, role=role, **more)  # type: ignore[arg-type]
        self.fields.append(field)
        self.offset += field.size
        if self.offset > limits.MAX_STATE_WORDS:
            raise TooLarge(f"the state has more than {limits.MAX_STATE_WORDS} words")
        return field

    def layout(self) -> Layout:
        self.control()
        self.things()
        for v in self.game.state:
            base, width = set_span(self.game.world, v.type) if isinstance(v.type, SetType) else (0, 1)
            dims = tuple(Dimension(b, s, k) for k, b, s in v.dims)
            self.add(
                v.name,
                dims,
                v.type,
                v.lo,
                v.hi,
                "state",
                audience=v.audience,
                owner_dim=v.owner_dim,
                width=width,
                set_base=base,
            )
        self.frames()
        return Layout(tuple(self.fields), self.offset, tuple(self.records))

    def control(self) -> None:
        game, world = self.game, self.game.world
        n = Dimension(world.players.base, world.players.count, "player")
        hi = 2**31 - 1
        self.add("@pc", (), NUMBER, 0, hi, "control")
        self.add("active", (), EntityType(("player",), True), 0, world.players.ids[-1], "control")
        self.add("round_number", (), NUMBER, 0, hi, "control")
        self.add("game_number", (), NUMBER, 0, hi, "control")
        self.add("@ended_by", (), NUMBER, 0, hi, "control")
        self.add("@result", (n,), IntType(0, 3), 0, 3, "control")
        if self.d.phase_ends:
            self.add("@phase", (), NUMBER, 0, hi, "control")
        if game.games > 1:
            keys, lines = len(game.ranking), len(game.scoring)
            if keys:
                self.add("@total", (Dimension(0, keys, None), n), NUMBER, -hi - 1, hi, "control")
            if lines:
                self.add("@lines", (Dimension(0, lines, None), n), NUMBER, -hi - 1, hi, "control")
        if any(isinstance(b.end, p.Simultaneous) for b in self.d.blocks):
            self.add("@strand", (n,), NUMBER, -1, hi, "control", audience="none")

    def most_tokens(self) -> int:
        """How many of a face there are: all that may lie at one location, as tokens only move."""
        found: dict[int, int] = {}
        for start in self.game.starts:
            found[start.entity] = found.get(start.entity, 0) + start.count
        return max(found.values(), default=0)

    def things(self) -> None:
        world = self.game.world
        movables = [k for k in world.kinds if k.is_movable and k.count]
        locations = [k for k in world.kinds if k.is_location and k.count]
        tokens = [k for k in world.kinds if k.category == "token" and k.count]
        places = _span(locations)
        location = EntityType(tuple(k.name for k in locations))
        if movables:
            dim = _span(movables)
            self.add("@place", (dim,), location, 0, places.base + places.size - 1, "place", audience="none")
            if any(k.ordered for k in locations):
                self.add(
                    "@order",
                    (dim,),
                    NUMBER,
                    -limits.MAX_ENTITIES,
                    limits.MAX_ENTITIES,
                    "order",
                    audience="none",
                )
                piles = _span([k for k in locations if k.category == "pile"])
                for name in ("@head", "@tail"):
                    self.add(name, (piles,), NUMBER, 0, limits.MAX_ENTITIES, "pile", audience="none")
        if tokens:
            self.add("@tokens", (places, _span(tokens)), NUMBER, 0, self.most_tokens(), "token")
        dice = [k for k in world.kinds if k.category == "die" and k.count]
        if dice and self.game.faces:
            faces = [v for k in dice if (f := k.attribute("@faces")) for v in f.values]
            audience = "all" if all(k.audience == "all" for k in dice) else "owner"
            dim = _span(dice)
            self.add("@face", (dim,), NUMBER, min(0, *faces), max(0, *faces), "face", audience=audience)
        for r in self.game.records:
            field = self.add(f"@record:{r.name}", (), NUMBER, 0, r.keep, "record")
            self.records.append(RecordLayout(r.name, field.offset, r.keep))

    def frames(self) -> None:
        made: list[p.Variable] = []
        for i, v in enumerate(self.d.variables):
            if i in self.frame:
                base, width = set_span(self.game.world, v.type) if isinstance(v.type, SetType) else (0, 1)
                name = f"frame:{v.name}#{i}"
                field = self.add(
                    name,
                    (),
                    v.type,
                    -(2**31),
                    2**31 - 1,
                    "frame",
                    audience="none",
                    width=width,
                    set_base=base,
                )
                made.append(p.Variable(v.name, v.type, True, field.offset))
            else:
                made.append(p.Variable(v.name, v.type, False, self.registers))
                self.registers += 1
        self.variables = tuple(made)


def _span(kinds: list[Kind]) -> Dimension:
    base = min(k.base for k in kinds)
    top = max(k.base + k.count for k in kinds)
    return Dimension(base, top - base, " or ".join(k.name for k in kinds))


@node
class _Links:
    """Makes final blocks of drafts."""

    d: Drafting
    index: dict[int, int]
    frame: set[int]
    region_frames: dict[int, list[int]]
    variables: tuple[p.Variable, ...]
    suspends: dict[int, bool]

    def zero(self, var: int) -> code.SetVar:
        return code.SetVar(var, x.Const(0, self.d.variables[var].type))

    def block(self, i: int, draft: Draft, waiting: frozenset[int]) -> p.Block:
        body: list[code.Stmt] = []
        exits = set(self.d.exits.values())
        for s in draft.code:
            if isinstance(s, Clear):
                body.extend(self.cleared(s))
            elif (
                isinstance(s, code.SetVar)
                and s.var in exits
                and isinstance(s.value, x.Const)
                and s.value.value
            ):
                body.append(code.SetVar(s.var, x.Const(self.index[s.value.value], NUMBER)))
            else:
                body.append(s)
        own = self.region_frames.get(draft.region, [])
        clear: tuple[int, ...] = ()
        end = draft.end
        made: p.Terminator
        match end:
            case p.Jump(target):
                made = p.Jump(self.index[target])
            case p.Branch(test, then, orelse):
                made = p.Branch(test, self.index[then], self.index[orelse])
            case p.Decide():
                options = tuple(
                    p.Option(o.site, o.stores, self.index[o.target], o.rule, o.label) for o in end.options
                )
                audience = "owner" if self.in_strand(draft.region) else "all"
                made = p.Decide(
                    end.player,
                    options,
                    self.index[end.orelse],
                    end.default,
                    end.longest,
                    end.effects,
                    audience,  # type: ignore[arg-type]
                    end.rule,
                    end.default_value,
                )
                clear = self.dead(own, waiting)
            case p.Chance():
                made = p.Chance(end.event, end.var, self.index[end.next], end.name, end.audience, end.rule)
                clear = self.dead(own, waiting)
            case p.Simultaneous():
                made = p.Simultaneous(
                    end.players, tuple(self.index[e] for e in end.entries), self.index[end.next], end.rule
                )
                clear = self.dead(own, waiting)
            case Call(unit, args, next_block):
                made = self.call(unit, args, next_block, own, waiting, body)
            case p.Return(var):
                if var not in exits:
                    body.extend(self.zero(v) for v in own if v != var)
                made = p.Return(var)
            case p.StrandEnd():
                body.extend(self.zero(v) for v in own)
                made = p.StrandEnd()
            case p.GameOver():
                made = p.GameOver()
            case None:
                made = p.GameOver()
            case _:
                raise AssertionError(end)
        return p.Block(tuple(body), made, clear, draft.tick)

    def in_strand(self, region: int) -> bool:
        if region == 0:
            return False
        for u, r in self.d.unit_region.items():
            if r == region:
                return "@" in self.d.game.units[u].name
        return True

    def call(
        self,
        unit: int,
        args: tuple[x.Expr, ...],
        next_block: int,
        own: list[int],
        waiting: frozenset[int],
        body: list[code.Stmt],
    ) -> p.Jump:
        params = self.d.game.units[unit].params
        body.extend(code.SetVar(v, a) for v, a in zip(params, args, strict=True))
        body.append(code.SetVar(self.d.unit_return[unit], x.Const(self.index[next_block], NUMBER)))
        if self.suspends[unit]:
            body.extend(self.zero(v) for v in own if v not in waiting)
        return p.Jump(self.index[self.d.unit_entry[unit]])

    def dead(self, own: list[int], waiting: frozenset[int]) -> tuple[int, ...]:
        words: list[int] = []
        for v in own:
            if v not in waiting:
                home = self.variables[v]
                width = set_span(self.d.game.world, home.type)[1] if isinstance(home.type, SetType) else 1
                words.extend(range(home.word, home.word + width))
        return tuple(words)

    def cleared(self, clear: Clear) -> list[code.Stmt]:
        """Zeroes what a construct that was left may have left behind."""
        if clear.units is None:
            everything = [v for vs in self.region_frames.values() for v in vs]
            return [self.zero(v) for v in sorted(everything)]
        regions = {self.d.unit_region[u] for u in clear.units}
        found = [v for r in sorted(regions) for v in self.region_frames.get(r, [])]
        found += [v for v in sorted(clear.variables) if v in self.frame]
        return [self.zero(v) for v in found]

