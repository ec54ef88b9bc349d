"""A checked game: statements with every name resolved, sugar removed.

Statements that run to their end are `code` statements; those that may suspend or leave are
here. Control statements hold typed statements; lowering turns those without suspension
into structured code again.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from ludex.node import node
from ludex.typed import code
from ludex.typed.expr import Binding, Domain, Expr, OptionSite
from ludex.typed.tables import Function, Rule, Site, Table, VariableInfo
from ludex.typed.types import Type
from ludex.typed.world import Audience, World


@node
class RollValue:
    """A die's faces, in order."""

    faces: tuple[int, ...]
    name: str


@node
class RandomValue:
    """A uniform member of a domain; `var` is bound while `guard` is tested."""

    var: int
    domain: Domain
    guard: Expr | None
    type: Type
    site: int
    name: str


@node
class Chance:
    """A chance event whose outcome goes to `var`."""

    var: int
    event: RollValue | RandomValue


@node
class Draw:
    """If the top card of the pile is not determined, chance determines it."""

    pile: Expr


@node
class If:
    test: Expr
    then: Block
    orelse: Block


@node
class For:
    var: int
    domain: Domain
    guard: Expr | None
    body: Block


@node
class Loop:
    """At most `count` times, while `test` holds; without either until left."""

    count: Expr | None
    test: Expr | None
    body: Block


@node
class Run:
    """Calls procedure `unit` (an index into the game's units)."""

    unit: int
    args: tuple[Expr, ...]


@node
class Ask:
    """`var` is `me` in the body."""

    var: int
    player: Expr
    body: Block


@node
class Secret:
    """Sealed choices; `strands[seat]` was checked with `me` being that seat."""

    players: Expr
    strands: tuple[Block, ...]
    rule: int


@node
class Alternative:
    """One offer of a decision: its options, and what an option of it leads to.

    Once an option is chosen the variables of `site` have its values; `stores` are evaluated
    (so that nothing that outlives the choice is touched by enumerating), then `body` runs.
    `effect` names the atomic procedure that plays it, for `longest` ("" if not needed);
    its arguments are the values of `effect_args`. `label` is a text for people.
    """

    site: OptionSite
    stores: tuple[tuple[int, Expr], ...]
    body: Block
    rule: int
    label: tuple[str | Expr, ...] = ()
    effect: str = ""
    effect_args: tuple[Expr, ...] = ()


@node
class Decision:
    """`me` chooses an option of one of the alternatives; without any, `orelse` runs."""

    me: Expr
    alternatives: tuple[Alternative, ...]
    default: int
    longest: bool
    orelse: Block
    rule: int
    default_value: Expr | None = None
    """For `choose`: what is chosen for an absent player, if it is among the options."""


@node
class Leave:
    """`end turn | round | phase | game`."""

    what: Literal["turn", "round", "phase", "game"]
    rule: int


@node
class Again:
    pass


@node
class Stop:
    """Leaves the innermost loop."""


@node
class Decree:
    """`win`, `lose`, `tie`: result 1, 2 or 3 for the players of the set; the game ends."""

    result: int
    players: Expr
    rule: int


Stmt: TypeAlias = (
    code.Stmt
    | Chance
    | Draw
    | If
    | For
    | Loop
    | Run
    | Ask
    | Secret
    | Decision
    | Leave
    | Again
    | Stop
    | Decree
)
Block: TypeAlias = tuple[Stmt, ...]


@node
class Step:
    """A named step; `rule` indexes the game's rules."""

    rule: int
    body: Block


Steps: TypeAlias = tuple[Step, ...]


@node
class Unit:
    """A procedure or an action's body. `tested`: end conditions are tested after its steps."""

    name: str
    params: tuple[int, ...]
    steps: Steps
    tested: bool


@node
class Atomic:
    """A procedure for `try` and `longest`: plain code, nothing tested."""

    name: str
    params: tuple[int, ...]
    body: code.Code


@node
class StateVariable:
    """A state item: one word (a set: several) for each combination of its dimensions.

    `start` is evaluated with `index` bound to the dimensions' values.
    """

    name: str
    dims: tuple[tuple[str | None, int, int], ...]
    """Kind (None for integers), base and size of each."""
    type: Type
    lo: int
    hi: int
    audience: Audience
    owner_dim: int | None
    reset: Literal["turn", "round", "phase", "game", "match"]
    index: tuple[int, ...]
    start: Expr


@node
class Test:
    """A named condition: its rule and expression."""

    rule: int
    test: Expr


@node
class EndTest:
    rule: int
    test: Expr
    winner: Expr | None
    """The set of winners, if the condition decides."""


@node
class Phase:
    """`me` is the variable of the turn's seat. `until` and `repeat_until` know no `me`."""

    name: str
    rule: int
    me: int
    when: tuple[Test, ...]
    begin: Steps
    each_round: Steps
    turns: Domain | None
    where: tuple[Test, ...]
    do: Steps
    finish: Steps
    until: tuple[Test, ...]
    rounds: Expr | None
    repeat: Expr | None
    repeat_until: tuple[Test, ...]
    phases: tuple[Phase, ...]
    end: tuple[EndTest, ...]


@node
class Scored:
    """A scoring line or ranking key: a value for the player in variable `me`."""

    rule: int
    me: int
    value: Expr | None
    most: bool = True


@node
class Heuristic:
    """How well the player in variable `me` stands; bots judge by it after `horizon` decisions."""

    me: int
    value: Expr
    horizon: int


@node
class RecordDecl:
    name: str
    parts: tuple[tuple[tuple[Binding, ...], Expr], ...]
    keep: int


@node
class PanelDecl:
    name: str
    across: Binding | None
    across_guard: Expr | None
    down: Binding | None
    rows: tuple[tuple[str, tuple[str | Expr, ...]], ...]
    head: tuple[str | Expr, ...] | None
    foot: tuple[str | Expr, ...] | None
    side: tuple[str | Expr, ...] | None
    empty: str


@node
class MapDecl:
    """`spots`: each space that may be drawn, and where it lies. `ends`: each pair, and its two spaces."""

    name: str
    spaces: Binding
    guard: Expr | None
    sign: tuple[str | Expr, ...]
    links: Binding | None
    links_guard: Expr | None
    mark: tuple[str | Expr, ...]
    spots: tuple[tuple[int, int, int], ...]
    ends: tuple[tuple[int, int, int], ...]


@node
class SignDecl:
    text: tuple[str | Expr, ...]
    color: Expr | None
    guard: Expr | None


@node
class PictureDecl:
    name: str
    across: Binding | None
    guard: Expr | None
    lines: tuple[str, ...]
    legend: tuple[tuple[str, tuple[SignDecl, ...]], ...]
    at: tuple[Expr, Expr] | None


@node
class GlyphDecl:
    kind: str
    var: int
    signs: tuple[SignDecl, ...]


@node
class Start:
    """Where the members of a component begin: location of each movable, or a count of tokens."""

    entity: int
    place: int
    count: int


@node
class Game:
    name: str
    title: str
    players: int
    world: World
    tables: tuple[Table, ...]
    variables: tuple[VariableInfo, ...]
    functions: tuple[Function, ...]
    atomics: tuple[Atomic, ...]
    units: tuple[Unit, ...]
    rules: tuple[Rule, ...]
    sites: tuple[Site, ...]
    state: tuple[StateVariable, ...]
    starts: tuple[Start, ...]
    setup: Steps
    phases: tuple[Phase, ...]
    end: tuple[EndTest, ...]
    scoring: tuple[Scored, ...]
    ranking: tuple[Scored, ...]
    payoff: Scored | None
    heuristic: Heuristic | None
    records: tuple[RecordDecl, ...]
    invariants: tuple[Test, ...]
    panels: tuple[PanelDecl | MapDecl | PictureDecl, ...]
    glyphs: tuple[GlyphDecl, ...]
    viewer: int
    faces: bool
    """Whether dice keep the face they show."""
    active: int
    """Variable that stands for the owner of the turn in end conditions."""
    games: int
