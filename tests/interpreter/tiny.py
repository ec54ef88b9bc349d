"""Tiny programs put together by hand: the IR without a language in front of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ludex.ir import program as p
from ludex.ir.layout import Dimension, Field, Layout, RecordLayout
from ludex.source import NOWHERE
from ludex.typed import expr as e
from ludex.typed.types import BOOL, INT, INT_MAX, INT_MIN, BoolType, EntityType, IntType, SetType, Type
from ludex.typed.world import Audience, Category, FieldValues, Kind, World

PLAYER = EntityType(("player",))
CARD = EntityType(("card",))


class Tiny:
    """A program under construction: every method adds something and returns how to refer to it."""

    def __init__(self, players: int = 2) -> None:
        self.kinds: list[Kind] = []
        self.names = ["none"]
        self.copies = [0]
        self.fields: list[Field] = []
        self.variables: list[p.Variable] = []
        self.blocks: list[p.Block] = []
        self.rules: list[p.Rule] = []
        self.words = 0
        self.registers = 0
        self.records: tuple[RecordLayout, ...] = ()
        self.parts: dict[str, object] = {}
        self.kind("player", "player", players)
        self.field("@pc", (), INT)

    # ------------------------------------------------------------------------------- world

    def kind(
        self,
        name: str,
        category: Category,
        count: int,
        *,
        copies_of: list[int] | None = None,
        attributes: dict[str, list[int]] | None = None,
        **more: object,
    ) -> Kind:
        """`copies_of[i]`: which member (from 0) the i-th is a copy of."""
        base = len(self.names)
        fields = tuple(
            FieldValues(a, PLAYER if a == "owner" else IntType(), tuple(v))
            for a, v in (attributes or {}).items()
        )
        kind = Kind(name, category, base, count, NOWHERE, attributes=fields, **more)  # type: ignore[arg-type]
        self.kinds.append(kind)
        for i in range(count):
            self.names.append(f"{name}_{i + 1}" if count > 1 else name)
            self.copies.append(base + (copies_of[i] if copies_of else i))
        return kind

    def places(self) -> None:
        """The engine's fields for places and order, once all kinds are there."""
        movables = [k for k in self.kinds if k.is_movable]
        base, size = movables[0].base, sum(k.count for k in movables)
        last = len(self.names) - 1
        dim = Dimension(base, size, "movable")
        self.field("@place", (dim,), EntityType(()), 0, last, role="place")
        piles = [k for k in self.kinds if k.category == "pile"]
        if piles:
            self.field("@order", (dim,), INT, -last, last, role="order")
            dim = Dimension(piles[0].base, sum(k.count for k in piles), "pile")
            self.field("@head", (dim,), INT, 0, last, role="pile")
            self.field("@tail", (dim,), INT, 0, last, role="pile")

    def tokens(self) -> None:
        places = [k for k in self.kinds if k.is_location]
        faces = [k for k in self.kinds if k.category == "token"]
        dims = (
            Dimension(places[0].base, sum(k.count for k in places), "location"),
            Dimension(faces[0].base, sum(k.count for k in faces), "token"),
        )
        self.field("@tokens", dims, INT, 0, INT_MAX, role="token")

    # ------------------------------------------------------------------------------- words

    def field(
        self,
        name: str,
        dims: tuple[Dimension, ...],
        type_: Type,
        lo: int = INT_MIN,
        hi: int = INT_MAX,
        *,
        audience: Audience = "all",
        owner_dim: int | None = None,
        width: int = 1,
        set_base: int = 0,
        role: str = "state",
    ) -> Field:
        field = Field(name, self.words, dims, type_, lo, hi, audience, owner_dim, width, set_base, role)
        self.fields.append(field)
        self.words += field.size
        return field

    def per(self, kind: Kind) -> Dimension:
        return Dimension(kind.base, kind.count, kind.name)

    def var(self, name: str, type_: Type, *, frame: bool = False) -> e.Var:
        """A register, or a frame word (a packed set takes two)."""
        if frame:
            width = 2 if isinstance(type_, SetType) else 1
            word = self.field(f"frame:{name}", (), type_, width=width, role="frame").offset
        else:
            word = self.registers
            self.registers += 1
        self.variables.append(p.Variable(name, type_, frame, word))
        return e.Var(len(self.variables) - 1, type_)

    def rule(self, name: str, kind: str = "step") -> int:
        self.rules.append(p.Rule(name, name, kind, NOWHERE))
        return len(self.rules) - 1

    def block(self, code: tuple[object, ...], end: p.Terminator, **more: object) -> int:
        self.blocks.append(p.Block(code, end, **more))  # type: ignore[arg-type]
        return len(self.blocks) - 1

    def program(self, **more: object) -> p.Program:
        world = World(tuple(self.kinds), tuple(self.names), tuple(self.copies), tuple(self.names))
        base = p.Program(
            title="tiny",
            players=self.kinds[0].count,
            world=world,
            layout=Layout(tuple(self.fields), self.words, self.records),
            tables=(),
            variables=tuple(self.variables),
            registers=self.registers,
            functions=(),
            atomics=(),
            blocks=tuple(self.blocks),
            rules=tuple(self.rules),
            sites=(p.Site(-1, NOWHERE),),
            scoring=(),
            ranking=(),
            payoff=None,
            heuristic=None,
            records=(),
            invariants=(),
            panels=(),
            glyphs=(),
            viewer=0,
            games=1,
        )
        return replace(base, **more)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------ expressions


def num(value: int) -> e.Const:
    return e.Const(value, IntType(value, value))


def ent(value: int, kind: str = "player") -> e.Const:
    return e.Const(value, EntityType((kind,)))


def mask(*elements: int, kind: str | None = None) -> e.Const:
    element = IntType(0, 1023) if kind is None else EntityType((kind,))
    return e.Const(sum(1 << x for x in elements), SetType(element))


def load(field: Field, *index: e.Expr, lifted: bool = False) -> e.Load:
    return e.Load(field.name, index, field.type, 0, lifted)


def arith(op: e.ArithmeticOp, a: e.Expr, b: e.Expr, *, checked: bool = True) -> e.Arithmetic:
    return e.Arithmetic(op, a, b, INT, 0, checked)


def cmp(op: e.CompareOp, a: e.Expr, b: e.Expr) -> e.Comparison:
    return e.Comparison(op, a, b)


def both(*parts: e.Expr) -> e.Junction:
    return e.Junction("and", parts)


def either(*parts: e.Expr) -> e.Junction:
    return e.Junction("or", parts)


def fold(
    kind: e.FoldKind,
    bindings: Sequence[tuple[e.Var, e.Domain]],
    *,
    guard: e.Expr | None = None,
    value: e.Expr | None = None,
    key: e.Expr | None = None,
    default: e.Expr | None = None,
    type_: Type | None = None,
) -> e.Fold:
    result = type_ or (BOOL if kind in ("any", "all") else INT)
    return e.Fold(kind, tuple(e.Binding(v.id, d) for v, d in bindings), guard, value, key, default, result, 0)


def span(lo: e.Expr | int, hi: e.Expr | int) -> e.RangeDomain:
    return e.RangeDomain(num(lo) if isinstance(lo, int) else lo, num(hi) if isinstance(hi, int) else hi)


def offer(
    name: str,
    *levels: tuple[e.Var | None, e.Domain | None, list[e.OptionLet | e.OptionGuard]],
    late: tuple[e.OptionGuard, ...] = (),
    collapse: bool = True,
) -> e.OptionSite:
    """Levels as (variable, domain, items); a level 0 without items is put in front."""
    made = [e.OptionLevel(None, ())]
    for var, domain, items in levels:
        binding = None
        if var is not None and domain is not None:
            binding = e.OptionBinding(f"v{var.id}", var.id, domain, collapse, var.type)
            made.append(e.OptionLevel(binding, tuple(items)))
        else:
            made[0] = e.OptionLevel(None, tuple(items))
    return e.OptionSite(name, tuple(made), late)


def decide(
    player: e.Expr,
    options: list[tuple[e.OptionSite, list[tuple[e.Var, e.Expr]], int]],
    orelse: int,
    **more: object,
) -> p.Decide:
    made = tuple(
        p.Option(site, tuple((v.id, x) for v, x in stores), target, 0) for site, stores, target in options
    )
    rest: dict[str, object] = {"default": -1, "longest": False, "effects": (), "audience": "all", "rule": 0}
    return p.Decide(player, made, orelse, **(rest | more))  # type: ignore[arg-type]


__all__ = [
    "BOOL", "INT", "PLAYER", "BoolType", "Dimension", "EntityType", "IntType", "SetType", "Tiny", "arith",
    "both", "cmp", "decide", "either", "ent", "fold", "load", "mask", "num", "offer", "span",
]  # fmt: skip


def taken_word(t: Tiny, var: e.Var) -> int:
    return t.variables[var.id].word
