"""A small game put together by hand, with everything that is to be kept from players.

Coins: twelve cards, values 1 to 3, four copies each, of which players see the value only.
Two are dealt to each player's hand, two laid face down on the row, the top turned up; the
rest is the deck. A turn is `give(c)` (a coin from the hand, face down, to the next player's
hand), `lay(c)` (openly on the row), `take` (the top of the row), `draw` (from the deck),
`roll` (the die's result is kept where only the player sees it) or `pass` (refused at first).
After three turns each player secretly puts a coin, and maybe a second, on his tray; then all
trays are laid on the row. Six turns in all.
"""

from __future__ import annotations

from ludex.backends.interpreter import Interpreter
from ludex.game import DefinitionInfo, Game
from ludex.game.definition import content_hash_of
from ludex.ir import code as s
from ludex.ir import program as p
from ludex.ir.layout import Dimension, Field, Layout
from ludex.source import SourceFile, Span
from ludex.typed import expr as e
from ludex.typed.types import INT, EntityType, IntType, SetType, Type
from ludex.typed.world import Audience, Category, FieldValues, Kind, World

PLAYERS, COINS, TURNS = 3, 12, 6
SOURCE = SourceFile("coins.yaml", "game: coins\n")
SPAN = Span(SOURCE, 0, 4)
PLAYER = EntityType(("player",))
COIN = EntityType(("coin",))


def num(value: int) -> e.Const:
    return e.Const(value, IntType(value, value))


class Builder:
    def __init__(self) -> None:
        self.kinds: list[Kind] = []
        self.names, self.faces, self.copies = ["none"], ["none"], [0]
        self.fields: list[Field] = []
        self.words = 0
        self.variables: list[p.Variable] = []
        self.registers = 0
        self.blocks: list[p.Block] = []
        self.rules: list[p.Rule] = []

    def kind(self, name: str, category: Category, count: int, **more: object) -> Kind:
        kind = Kind(name, category, len(self.names), count, SPAN, **more)  # type: ignore[arg-type]
        self.kinds.append(kind)
        for i in range(count):
            text = f"{name}({i + 1})" if count > 1 else name
            self.names.append(text)
            self.faces.append(text)
            self.copies.append(kind.base + i)
        return kind

    def owned(self, name: str, players: Kind, audience: Audience, *, ordered: bool = False) -> Kind:
        owners = FieldValues("owner", PLAYER, tuple(players.ids))
        return self.kind(
            name,
            "pile",
            players.count,
            fields=("owner",),
            attributes=(owners,),
            audience=audience,
            ordered=ordered,
        )

    def field(
        self,
        name: str,
        dims: tuple[Dimension, ...],
        type_: Type,
        lo: int,
        hi: int,
        *,
        audience: Audience = "all",
        owner_dim: int | None = None,
        role: str = "state",
    ) -> Field:
        field = Field(name, self.words, dims, type_, lo, hi, audience, owner_dim, 1, 0, role)
        self.fields.append(field)
        self.words += field.size
        return field

    def var(self, name: str, type_: Type, *, frame: bool = False) -> e.Var:
        if frame:
            word = self.field(f"frame:{name}", (), type_, 0, 4095, role="frame").offset
        else:
            word, self.registers = self.registers, self.registers + 1
        self.variables.append(p.Variable(name, type_, frame, word))
        return e.Var(len(self.variables) - 1, type_)

    def rule(self, name: str, kind: str = "step") -> int:
        self.rules.append(p.Rule(f"rules/{name}", name, kind, SPAN, (f"book / {len(self.rules)}",)))
        return len(self.rules) - 1

    def block(self, *code: s.Stmt, end: p.Terminator, clear: tuple[e.Var, ...] = ()) -> int:
        words = tuple(self.variables[v.id].word for v in clear)
        self.blocks.append(p.Block(code, end, words))
        return len(self.blocks) - 1

    def hole(self) -> int:
        """A block that is filled later."""
        return self.block(end=p.GameOver())

    def fill(self, index: int, *code: s.Stmt, end: p.Terminator, clear: tuple[e.Var, ...] = ()) -> None:
        words = tuple(self.variables[v.id].word for v in clear)
        self.blocks[index] = p.Block(code, end, words)


def offer(
    name: str, var: e.Var | None, domain: e.Expr | None, *guards: e.OptionGuard, collapse: bool = True
) -> e.OptionSite:
    if var is None or domain is None:
        return e.OptionSite(name, (e.OptionLevel(None, guards),), ())
    binding = e.OptionBinding("c", var.id, e.SetDomain(domain), collapse, var.type)
    return e.OptionSite(name, (e.OptionLevel(None, ()), e.OptionLevel(binding, guards)), ())


def coin_program() -> p.Program:
    b = Builder()
    players = b.kind("player", "player", PLAYERS)
    deck = b.kind("deck", "pile", 1, audience="none", ordered=True, shuffled=True)
    row = b.kind("row", "pile", 1, audience="top", ordered=True)
    hand = b.owned("hand", players, "owner")
    tray = b.owned("tray", players, "owner")
    box = b.kind("box", "box", 1, audience="none")
    coin = b.kind("coin", "card", COINS, places=("deck", "row", "hand", "tray"))
    for i in range(COINS):
        value, copy = divmod(i, 4)
        b.names[coin.base + i] = f"coin({value + 1}, {copy + 1})"
        b.faces[coin.base + i] = f"coin({value + 1})"
        b.copies[coin.base + i] = coin.base + 4 * value

    per_player = Dimension(players.base, PLAYERS, "player")
    per_coin = Dimension(coin.base, COINS, "coin")
    piles = Dimension(deck.base, 2 + 2 * PLAYERS, "pile")
    b.field("@pc", (), INT, 0, 4095, role="control")
    b.field("@place", (per_coin,), EntityType(()), 0, 4095, role="place")
    b.field("@order", (per_coin,), INT, -99, 99, role="order")
    b.field("@head", (piles,), INT, 0, 99, role="pile")
    b.field("@tail", (piles,), INT, 0, 99, role="pile")
    b.field("@strand", (per_player,), INT, -1, 4095, role="control")
    active = b.field("active", (), EntityType(("player",), optional=True), 0, 99, role="control")
    turns = b.field("turns", (), IntType(0, 99), 0, 99)
    luck = b.field("luck", (per_player,), IntType(0, 6), 0, 6, audience="owner", owner_dim=0)

    def load(field: Field, *index: e.Expr) -> e.Load:
        return e.Load(field.name, index, field.type, 0)

    def store(field: Field, value: e.Expr, *index: e.Expr) -> s.Store:
        return s.Store(field.name, index, value, 0)

    def of(table: str, kind: str, player: e.Expr) -> e.Lookup:
        return e.Lookup(table, (player,), EntityType((kind,)), 0)

    def at(place: e.Expr) -> e.Occupants:
        return e.Occupants(place, coin.mask, SetType(COIN))

    deck_, row_ = e.Const(deck.base, EntityType(("deck",))), e.Const(row.base, EntityType(("row",)))
    box_ = e.Const(box.base, EntityType(("box",)))
    me_ = load(active)
    c = b.var("c", COIN, frame=True)
    pick = [b.var(f"pick{i}", COIN, frame=True) for i in range(PLAYERS)]
    chosen = b.var("chosen", COIN)
    who = b.var("me", PLAYER)
    j = b.var("j", COIN)
    face = b.var("face", INT, frame=True)

    dealing, laying = b.rule("the coins are dealt"), b.rule("two coins are laid")
    turn = b.rule("a turn")
    late = b.rule("nobody passes at first", "condition")
    mine = b.rule("giving", "step")
    rolling = b.rule("rolling", "step")
    secret = b.rule("the trays are filled", "step")
    opening = b.rule("the trays are laid", "step")
    points, cards = b.rule("coins in hand", "scoring"), b.rule("number of coins", "scoring")
    most = b.rule("most coins", "ranking")

    start = b.hole()
    following = b.hole()
    b.fill(
        start,
        s.For(
            j.id, e.SetDomain(e.Const(coin.mask, SetType(COIN))), None, (s.Store("@place", (j,), box_, 0),)
        ),
        s.Enter(dealing),
        s.MoveAll(at(box_), deck_, False, 0),
        s.ShufflePile(deck_),
        end=p.Jump(following),
    )

    def draws(target: e.Expr, rule: int) -> None:
        """The block in hand becomes a draw that goes to `target`, and a new one is in hand."""
        nonlocal following
        move, following_ = b.hole(), b.hole()
        b.fill(following, end=p.Chance(p.DrawChance(deck_), -1, move, "deck", "none", rule))
        top = e.Top(deck_, COIN, 0)
        b.fill(move, s.Enter(rule), s.MoveOne(top, target, False, 0), end=p.Jump(following_))
        following = following_

    for player in players.ids:
        for _ in range(2):
            draws(of("hand", "hand", e.Const(player, PLAYER)), dealing)
    for _ in range(2):
        draws(row_, laying)
    choose, after, seal, join, over = b.hole(), b.hole(), b.hole(), b.hole(), b.hole()
    b.fill(following, store(active, e.Const(players.base, PLAYER)), end=p.Jump(choose))

    next_player = e.NextSeat(me_, num(1), num(1), PLAYER)
    giving = b.block(
        s.Enter(mine), s.MoveOne(c, of("hand", "hand", next_player), False, 0), end=p.Jump(after)
    )
    laid = b.block(s.Enter(laying), s.MoveOne(c, row_, False, 0), end=p.Jump(after))
    take = b.block(
        s.Enter(turn),
        s.MoveOne(e.Top(row_, COIN, 0), of("hand", "hand", me_), False, 0),
        end=p.Jump(after),
    )
    drawing = b.hole()
    drew = b.block(s.MoveOne(e.Top(deck_, COIN, 0), of("hand", "hand", me_), False, 0), end=p.Jump(after))
    b.fill(
        drawing,
        s.Enter(turn),
        end=p.Branch(
            e.UnknownTop(deck_),
            b.block(end=p.Chance(p.DrawChance(deck_), -1, drew, "deck", "none", turn)),
            after,
        ),
    )
    kept = b.block(s.Enter(rolling), store(luck, face, me_), end=p.Jump(after))
    roll = b.block(end=p.Chance(p.RollChance((1, 1, 2, 3)), face.id, kept, "die", "none", rolling))

    own = at(of("hand", "hand", me_))
    some_row = e.Comparison("gt", e.Size(at(row_), INT), num(0))
    some_deck = e.UnknownTop(deck_)
    options = (
        p.Option(offer("give", chosen, own), ((c.id, chosen),), giving, turn, ("give ", chosen, " away")),
        p.Option(offer("lay", chosen, own), ((c.id, chosen),), laid, turn),
        p.Option(offer("take", None, None, e.OptionGuard(turn, some_row)), (), take, turn),
        p.Option(offer("draw", None, None, e.OptionGuard(turn, some_deck)), (), drawing, turn),
        p.Option(offer("roll", None, None), (), roll, turn),
        p.Option(
            offer("pass", None, None, e.OptionGuard(late, e.Comparison("ge", load(turns), num(2)))),
            (),
            after,
            turn,
        ),
    )
    dead = (c, face, *pick)
    b.fill(choose, s.Enter(turn), end=p.Decide(me_, options, after, 4, False, (), "all", turn), clear=dead)

    count_on = store(turns, e.Arithmetic("add", load(turns), num(1), INT, 0, False))
    is_over = e.Comparison("ge", load(turns), num(TURNS))
    go_on = b.block(end=p.Branch(is_over, over, choose))
    is_half = e.Comparison("eq", load(turns), num(3))
    b.fill(after, count_on, store(active, next_player), end=p.Branch(is_half, seal, go_on))

    entries = []
    for i, player in enumerate(players.ids):
        me = e.Const(player, PLAYER)
        finished = b.block(end=p.StrandEnd())
        put = b.block(
            s.Enter(secret), s.MoveOne(pick[i], of("tray", "tray", me), False, 0), end=p.Jump(finished)
        )
        again = p.Option(
            offer("put", chosen, at(of("hand", "hand", me))), ((pick[i].id, chosen),), put, secret
        )
        stop = p.Option(offer("stop", None, None), (), finished, secret)
        more = b.block(
            end=p.Decide(me, (again, stop), finished, -1, False, (), "owner", secret), clear=(pick[i],)
        )
        first = b.block(
            s.Enter(secret), s.MoveOne(pick[i], of("tray", "tray", me), False, 0), end=p.Jump(more)
        )
        once = p.Option(
            offer("put", chosen, at(of("hand", "hand", me))), ((pick[i].id, chosen),), first, secret
        )
        entries.append(b.block(end=p.Decide(me, (once,), finished, -1, False, (), "owner", secret)))
    everyone = e.Const(players.mask, SetType(PLAYER))
    b.fill(seal, end=p.Simultaneous(everyone, tuple(entries), join, secret), clear=(c, face))
    trays = [s.MoveAll(at(of("tray", "tray", e.Const(q, PLAYER))), row_, False, 0) for q in players.ids]
    b.fill(join, s.Enter(opening), *trays, end=p.Jump(go_on))
    b.fill(over, store(active, num(0)), end=p.GameOver())

    in_hand = at(of("hand", "hand", who))
    worth = e.Fold(
        "sum",
        (e.Binding(j.id, e.SetDomain(in_hand)),),
        None,
        e.Lookup("value", (j,), IntType(1, 3), 0),
        None,
        None,
        INT,
        0,
    )
    world = World(tuple(b.kinds), tuple(b.names), tuple(b.copies), tuple(b.faces))
    return p.Program(
        title="Coins",
        players=PLAYERS,
        world=world,
        layout=Layout(tuple(b.fields), b.words),
        tables=(
            p.Table("hand", (per_player,), tuple(hand.ids)),
            p.Table("tray", (per_player,), tuple(tray.ids)),
            p.Table("value", (per_coin,), tuple(1 + i // 4 for i in range(COINS))),
        ),
        variables=tuple(b.variables),
        registers=b.registers,
        functions=(),
        atomics=(),
        blocks=tuple(b.blocks),
        rules=tuple(b.rules),
        sites=(p.Site(-1, SPAN),),
        scoring=(p.ScoreLine(points, who.id, worth), p.ScoreLine(cards, who.id, e.Size(in_hand, INT))),
        ranking=(p.RankingKey(most, who.id, True, None),),
        payoff=None,
        heuristic=None,
        records=(),
        invariants=(),
        panels=(),
        glyphs=(),
        viewer=who.id,
        games=1,
    )


def definition() -> DefinitionInfo:
    files = (("coins.yaml", SOURCE.text),)
    options = (("die", "small"),)
    return DefinitionInfo(
        "coins", "Coins", (), options, PLAYERS, files, content_hash_of("coins", (), options, PLAYERS, files)
    )


def coin_game() -> Game:
    return Game(Interpreter(coin_program()), definition())
