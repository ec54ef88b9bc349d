"""Ordered piles against an independent model: a list, a set and a list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import CARD, Tiny, cmp, decide, ent, mask, num, offer, span

from ludex.backends.interpreter import Interpreter
from ludex.backends.machine import ChancePoint, Choice, Event, Fault, Moved, Revealed, Shuffled, TokensMoved
from ludex.ir import code as s
from ludex.ir import program as p
from ludex.typed import expr as e
from ludex.typed.types import INT, SetType

CARDS = range(6, 12)
"""Piles 3 and 4 keep order, 5 is the box; cards 6 and 7, 8 and 9 are copies."""

OPS = ("top 3", "top 4", "under 3", "under 4", "box", "shuffle", "reverse", "all 4", "all box")


def driver(audience: str = "none") -> Interpreter:
    """Chooses an operation and a card, for ever; a draw event on pile 3 where its top is unknown."""
    t = Tiny(2)
    pile = t.kind("pile", "pile", 2, ordered=True, shuffled=True, audience=audience)
    box = t.kind("box", "box", 1)
    card = t.kind("card", "card", 6, copies_of=[0, 0, 2, 2, 4, 5])
    t.places()
    op, c = t.var("op", INT), t.var("c", CARD)
    chosen, drawn = t.var("chosen", CARD, frame=True), t.var("drawn", CARD, frame=True)
    first, second, away = ent(pile.base, "pile"), ent(pile.base + 1, "pile"), ent(box.base, "box")
    everything = e.Occupants(first, card.mask, SetType(CARD))
    effects: list[s.Stmt] = [
        s.MoveOne(chosen, first, False, 0),
        s.MoveOne(chosen, second, False, 0),
        s.MoveOne(chosen, first, True, 0),
        s.MoveOne(chosen, second, True, 0),
        s.MoveOne(chosen, away, False, 0),
        s.ShufflePile(first),
        s.ReversePile(first),
        s.MoveAll(everything, second, False, 0),
        s.MoveAll(everything, away, False, 0),
    ]
    start = tuple(s.MoveOne(ent(i, "card"), away, False, 0) for i in card.ids)
    options = []
    for i, name in enumerate((*OPS, "draw")):
        guard = [e.OptionGuard(0, e.UnknownTop(first))] if name == "draw" else []
        site = offer(
            name, (None, None, guard), (c, e.SetDomain(mask(*card.ids, kind="card")), []), collapse=False
        )
        options.append((site, [(chosen, c)], 2 + i))
    t.rule("the top is unknown", "condition")
    t.block(start, p.Jump(1))
    t.block((), decide(ent(1), options, 1), clear=tuple(t.variables[v.id].word for v in (chosen, drawn)))
    for effect in effects:
        t.block((effect,), p.Jump(1))
    t.block((), p.Chance(p.DrawChance(first), drawn.id, 1, "draw", "none", 0))
    assert op.type == INT
    return Interpreter(t.program())


class Model:
    def __init__(self) -> None:
        self.head: dict[int, list[int]] = {3: [], 4: []}  # from the middle upwards
        self.middle: dict[int, set[int]] = {3: set(), 4: set()}
        self.tail: dict[int, list[int]] = {3: [], 4: []}  # from the middle downwards

    def settle(self, pile: int) -> None:
        if not self.middle[pile]:
            self.head[pile] = self.tail[pile][::-1] + self.head[pile]
            self.tail[pile] = []

    def remove(self, card: int) -> None:
        for pile in (3, 4):
            for part in (self.head[pile], self.tail[pile]):
                if card in part:
                    part.remove(card)
            self.middle[pile].discard(card)
            self.settle(pile)

    def put(self, card: int, pile: int, under: bool) -> None:
        self.remove(card)
        if under:
            self.tail[pile].append(card)
            self.settle(pile)
        else:
            self.head[pile].append(card)

    def downwards(self, pile: int) -> list[int]:
        return self.head[pile][::-1] + sorted(self.middle[pile]) + self.tail[pile]

    def play(self, op: str, card: int) -> None:
        match op.split():
            case [("top" | "under") as how, pile]:
                self.put(card, int(pile), how == "under")
            case ["box"]:
                self.remove(card)
            case ["shuffle"]:
                self.middle[3] |= set(self.head[3]) | set(self.tail[3])
                self.head[3], self.tail[3] = [], []
                if len(self.middle[3]) == 1:
                    self.head[3], self.middle[3] = list(self.middle[3]), set()
            case ["reverse"]:
                self.head[3], self.tail[3] = self.tail[3], self.head[3]
                self.settle(3)
            case ["all", where]:
                for c in self.downwards(3):
                    if where == "4":
                        self.put(c, 4, False)
                    else:
                        self.remove(c)

    def draw(self, card: int) -> None:
        self.middle[3].remove(card)
        self.head[3] = [card]
        self.settle(3)

    def words(self) -> tuple[list[int], list[int], list[int]]:
        order = dict.fromkeys(CARDS, 0)
        for pile in (3, 4):
            order |= {c: i + 1 for i, c in enumerate(self.head[pile])}
            order |= {c: -i - 1 for i, c in enumerate(self.tail[pile])}
        return (
            [order[c] for c in CARDS],
            [len(self.head[x]) for x in (3, 4)],
            [len(self.tail[x]) for x in (3, 4)],
        )


MACHINE = driver()
LAYOUT = MACHINE.program.layout


def read(words: list[int], name: str) -> list[int]:
    field = LAYOUT.field(name)
    return words[field.offset : field.offset + field.size]


steps = st.lists(
    st.tuples(st.integers(0, len(OPS)), st.sampled_from(list(CARDS)), st.integers(0, 5)), max_size=40
)


@given(steps)
def test_order_is_as_the_model_says(moves: list[tuple[int, int, int]]) -> None:
    model, words = Model(), MACHINE.start()
    for op, card, pick in moves:
        if op < len(OPS):
            MACHINE.choose(words, 1, Choice(op, (card,)))
            model.play(OPS[op], card)
        elif model.middle[3] and not model.head[3]:
            MACHINE.choose(words, 1, Choice(op, (card,)))
            assert isinstance(MACHINE.point(words), ChancePoint)
            copies = {6: 6, 7: 6, 8: 8, 9: 8, 10: 10, 11: 11}
            faces: dict[int, list[int]] = {}
            for c in sorted(model.middle[3]):
                faces.setdefault(copies[c], []).append(c)
            assert MACHINE.outcomes(words) == [(cards[0], len(cards)) for cards in faces.values()]
            drawn = list(faces.values())[pick % len(faces)][0]
            MACHINE.resolve(words, drawn)
            model.draw(drawn)
        else:
            assert not MACHINE.is_legal(words, 1, Choice(op, (card,)))
        assert (read(words, "@order"), read(words, "@head"), read(words, "@tail")) == model.words()
        again = MACHINE.unpack(MACHINE.pack(words))
        assert MACHINE.pack(again) == MACHINE.pack(words)
        derived = slice(-7, None)  # locations 0 to 5, and nowhere
        assert again[derived] == words[derived]


def moved(audience: str, ops: list[tuple[str, int]]) -> list[tuple[int, int, int]]:
    """(card, target, seen_by) of the moves."""
    machine = driver(audience)
    words, events = machine.start(), list[Event]()
    for op, card in ops:
        machine.choose(words, 1, Choice(OPS.index(op), (card,)), events)
    return [(m.thing, m.target, m.seen_by) for m in events if isinstance(m, Moved)]


def test_who_sees_a_move() -> None:
    """The box is open to all (0b111); before or after is enough."""
    assert moved("none", [("top 3", 6), ("top 4", 6)]) == [(6, 3, 7), (6, 4, 0)]
    assert moved("top", [("top 3", 6), ("under 3", 7), ("top 4", 7)]) == [(6, 3, 7), (7, 3, 7), (7, 4, 7)]
    assert moved("top", [("top 3", 6), ("top 3", 7), ("under 4", 6)])[2] == (6, 4, 7)


def test_a_covered_card_is_not_seen() -> None:
    machine = driver("top")
    words = machine.start()
    for card in (6, 7):
        machine.choose(words, 1, Choice(OPS.index("top 3"), (card,)))
    assert (machine.visible_to(words, 6), machine.visible_to(words, 7)) == (0, 7)
    assert machine.visible_to(words, 8) == 7
    machine.choose(words, 1, Choice(OPS.index("shuffle"), (8,)))
    assert (machine.visible_to(words, 6), machine.visible_to(words, 7)) == (0, 0)
    events: list[Event] = []
    machine.choose(words, 1, Choice(len(OPS), (8,)))
    machine.resolve(words, 7, events)
    assert events == [Revealed(1 << 6, 7, 0)]
    assert machine.visible_to(words, 6) == 7


def test_shuffle_is_told() -> None:
    machine = driver()
    words, events = machine.start(), list[Event]()
    machine.choose(words, 1, Choice(OPS.index("shuffle"), (6,)), events)
    assert events == [Shuffled(3, 0)]


def tokens() -> tuple[Tiny, list[s.Stmt]]:
    """Spaces 3, 4 hold one each, the box 5 has four white (6) and two black (7) stones."""
    t = Tiny(2)
    t.kind("space", "space", 2, capacity=1)
    t.kind("box", "box", 1)
    t.kind("stone", "token", 2)
    t.kind("man", "piece", 1)
    t.places()
    t.tokens()
    start: list[s.Stmt] = [
        s.Store("@tokens", (ent(5, "box"), ent(6, "stone")), num(4), 0),
        s.Store("@tokens", (ent(5, "box"), ent(7, "stone")), num(2), 0),
        s.MoveOne(ent(8, "man"), ent(5, "box"), False, 0),
    ]
    return t, start


def run(t: Tiny, code: list[s.Stmt]) -> tuple[list[int], list[Event]]:
    t.block(tuple(code), p.GameOver())
    events: list[Event] = []
    machine = Interpreter(t.program())
    words = machine.start(events)
    assert machine.unpack(machine.pack(words))[-11:] == words[-11:]  # all that is derived
    field = machine.program.layout.field("@tokens")
    return words[field.offset : field.offset + field.size], events


def test_tokens_move_in_numbers() -> None:
    t, code = tokens()
    box, white = ent(5, "box"), ent(6, "stone")
    code.append(s.MoveTokens(num(1), white, box, ent(3, "space"), 0))
    code.append(s.MoveTokens(num(1), ent(0, "stone"), box, ent(3, "space"), 0))
    code.append(s.MoveAllTokens(mask(6, 7, kind="stone"), ent(3, "space"), ent(4, "space"), 0))
    counts, events = run(t, code)
    assert counts == [0, 0, 1, 0, 3, 2]
    told = [event for event in events if isinstance(event, TokensMoved)]
    assert told == [TokensMoved(6, 1, 5, 3, -1), TokensMoved(6, 1, 3, 4, -1)]


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        (s.MoveTokens(num(5), ent(6, "stone"), ent(5, "box"), ent(3, "space"), 0), "tokens"),
        (s.MoveTokens(num(-1), ent(6, "stone"), ent(5, "box"), ent(3, "space"), 0), "tokens"),
        (s.MoveTokens(num(2), ent(6, "stone"), ent(5, "box"), ent(3, "space"), 0), "capacity"),
        (s.MoveOne(ent(8, "man"), ent(4, "space"), False, 0), "capacity"),
        (s.MoveOne(ent(8, "man"), ent(0, "space"), False, 0), "place"),
    ],
)
def test_impossible_moves(statement: s.Stmt, kind: str) -> None:
    t, code = tokens()
    code.append(s.MoveTokens(num(1), ent(6, "stone"), ent(5, "box"), ent(4, "space"), 0))
    with pytest.raises(Fault) as caught:
        run(t, [*code, statement])
    assert caught.value.kind == kind


@given(st.integers(1, 40), st.data())
def test_faults_leave_the_words_unchanged(n: int, data: st.DataObject) -> None:
    """A choice that moves, stores, and then divides by what was chosen."""
    t, code = tokens()
    value = t.field("value", (), INT)
    x, chosen = t.var("x", INT), t.var("chosen", INT, frame=True)
    t.block(tuple(code), p.Jump(1))
    t.block((), decide(ent(1), [(offer("go", (x, span(0, 3), [])), [(chosen, x)], 2)], 1))
    body = (
        s.MoveTokens(chosen, ent(6, "stone"), ent(5, "box"), ent(5, "box"), 0),
        s.MoveOne(ent(8, "man"), ent(3, "space"), False, 0),
        s.Store("value", (), e.Arithmetic("div", num(n), chosen, INT, 0, True), 0),
    )
    t.block(body, p.Branch(cmp("eq", chosen, num(3)), 3, 1))
    t.block((s.MoveOne(ent(8, "man"), ent(0, "space"), False, 0),), p.Jump(1))
    machine = Interpreter(t.program())
    words = machine.start()
    for pick in data.draw(st.lists(st.integers(0, 3), max_size=5)):
        before = list(words)
        events: list[Event] = []
        if pick in (0, 3):
            with pytest.raises(Fault):
                machine.choose(words, 1, Choice(0, (pick,)), events)
            assert words == before
        else:
            machine.choose(words, 1, Choice(0, (pick,)), events)
            assert words[value.offset] == n // pick
