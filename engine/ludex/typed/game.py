"""A checked game: statements with every name resolved, sugar removed.

Statements that run to their end are `code` statements; those that may suspend or leave are
here. Control statements hold typed statements; lowering turns those without suspension
into structured code again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ludex.typed import code
from ludex.typed.expr import Binding, Domain, Expr, OptionSite
from ludex.typed.tables import Function, Rule, Site, Table, VariableInfo
from ludex.typed.types import Type
from ludex.typed.world import Audience, World


@dataclass(frozen=True, slots=True)
class RollValue:
    """A die's faces, in order."""

    faces: tuple[int, ...]
    name: str


@dataclass(frozen=True, slots=True)
class RandomValue:
    """A uniform member of a domain; `var` is bound while `guard` is tested."""

    var: int
    domain: Domain
    guard: Expr | None
    type: Type
    site: int
    name: str


@dataclass(frozen=True, slots=True)
class Chance:
    """A chance event whose outcome goes to `var`."""

    var: int
    event: RollValue | RandomValue


@dataclass(frozen=True, slots=True)
class Draw:
    """If the top card of the pile is not determined, chance determines it."""

    pile: Expr


@dataclass(frozen=True, slots=True)
class If:
    test: Expr
    then: Block
    orelse: Block


@dataclass(frozen=True, slots=True)
class For:
    var: int
    domain: Domain
    guard: Expr | None
    body: Block


@dataclass(frozen=True, slots=True)
class Loop:
    """At most `count` times, while `test` holds; without either until left."""

    count: Expr | None
    test: Expr | None
    body: Block


@dataclass(frozen=True, slots=True)
class Run:
    """Calls procedure `unit` (an index into the game's units)."""

    unit: int
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """`var` is `me` in the body."""

    var: int
    player: Expr
    body: Block


@dataclass(frozen=True, slots=True)
class Secret:
    """Sealed choices; `strands[seat]` was checked with `me` being that seat."""

    players: Expr
    strands: tuple[Block, ...]
    rule: int


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Decision:
    """`me` chooses an option of one of the alternatives; without any, `orelse` runs."""

    me: Expr
    alternatives: tuple[Alternative, ...]
    default: int
    longest: bool
    orelse: Block
    rule: int


@dataclass(frozen=True, slots=True)
class Leave:
    """`end turn | round | phase | game`."""

    what: Literal["turn", "round", "phase", "game"]
    rule: int


@dataclass(frozen=True, slots=True)
class Again:
    pass


@dataclass(frozen=True, slots=True)
class Stop:
    """Leaves the innermost loop."""


@dataclass(frozen=True, slots=True)
class Decree:
    """`win`, `lose`, `tie`: result 1, 2 or 3 for the players of the set; the game ends."""

    result: int
    players: Expr
    rule: int


Stmt: TypeAlias = (
    code.Stmt | Chance | Draw | If | For | Loop | Run | Ask | Secret | Decision | Leave | Again | Stop | Decree
)
Block: TypeAlias = tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A named step; `rule` indexes the game's rules."""

    rule: int
    body: Block


Steps: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """A procedure or an action's body. `tested`: end conditions are tested after its steps."""

    name: str
    params: tuple[int, ...]
    steps: Steps
    tested: bool


@dataclass(frozen=True, slots=True)
class Atomic:
    """A procedure for `try` and `longest`: plain code, nothing tested."""

    name: str
    params: tuple[int, ...]
    body: code.Code


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Test:
    """A named condition: its rule and expression."""

    rule: int
    test: Expr


@dataclass(frozen=True, slots=True)
class EndTest:
    rule: int
    test: Expr
    winner: Expr | None
    """The set of winners, if the condition decides."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Scored:
    """A scoring line or ranking key: a value for the player in variable `me`."""

    rule: int
    me: int
    value: Expr | None
    most: bool = True


@dataclass(frozen=True, slots=True)
class RecordDecl:
    name: str
    parts: tuple[tuple[tuple[Binding, ...], Expr], ...]
    keep: int


@dataclass(frozen=True, slots=True)
class PanelDecl:
    name: str
    across: Binding | None
    across_guard: Expr | None
    down: Binding | None
    rows: tuple[tuple[str, tuple[str | Expr, ...]], ...]


@dataclass(frozen=True, slots=True)
class GlyphDecl:
    kind: str
    var: int
    sign: tuple[str | Expr, ...]
    color: Expr | None


@dataclass(frozen=True, slots=True)
class Start:
    """Where the members of a component begin: location of each movable, or a count of tokens."""

    entity: int
    place: int
    count: int


@dataclass(frozen=True, slots=True)
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
    records: tuple[RecordDecl, ...]
    invariants: tuple[Test, ...]
    panels: tuple[PanelDecl, ...]
    glyphs: tuple[GlyphDecl, ...]
    viewer: int
    active: int
    """Variable that stands for the owner of the turn in end conditions."""
    games: int
