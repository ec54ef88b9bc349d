"""Small games at the edges of what the passes and native code take for granted."""

from __future__ import annotations

from pathlib import Path

import pytest
from lockstep import Faulted, Pair, luck

from ludex import pipeline
from ludex.backends.machine import TurnPoint

NOBODY_IS_ME = """\
components:
  spaces: {field: {count: 70}}
  tokens:
    coin: {count: 5, start: field(2)}
    man: {per: player, count: 400, places: [field], start: field(1)}
state: {n: {type: 0..999}}
phases:
  play:
    turns: clockwise from player_1
    rounds: 6
    each_round: {another: n += 1}
    do: {go: act go}
actions: {go: {do: n += 1}}
end:
  no man is there: count(man of me at field(1)) == 0
  no man is left: sum(count(man of me at s) for s in field) == 0
"""
NEVER_SET = """\
state:
  mine: {per: player, type: 1..6, start: 1, reset: turn}
  all: {type: 1..6, start: 1, reset: turn}
  n: {type: 0..9}
setup:
  alike: {do: n = count(p in player where mine(p) == all)}
phases:
  play: {turns: clockwise from player_1, rounds: 2, do: {go: act go}}
actions: {go: {do: n = count(p in player where mine(p) == all)}}
"""
NOBODY_OWNS_NOTHING = """\
components:
  spaces: {field: {count: 3, holds: 1}}
  tokens: {man: {per: player, count: 4, places: [field]}}
state:
  mine: {type: player, start: player(1), reset: turn}
  n: {type: 0..99}
records: {all: {of: [who, owner_on, n], keep: 50}}
define:
  who: me
  owner_on(field f): (man at f).owner
  mine_here(field f): (man at f).owner == me
phases:
  play:
    turns: clockwise from player(1)
    rounds: 2
    each_round:
      asked: |
        note all
        ask player(1):
          act one or two
      again: n += seen(all)
    do: {go: act one or two}
actions:
  one:
    choose: {f: field}
    where: {it is mine: (man at f).owner == mine}
    do: n += 1
  two:
    where: {none is mine: not any((man at f).owner == mine and man at f is not none for f in field)}
    do: {counted: n += 1, noted: note all}
end: {a man of mine: any(mine_here(f) for f in field)}
"""
OUTSIDE = """\
state: {b: {type: 0..9}, spare: {type: 0..9, start: 7}, n: {type: 0..9}}
constants: {doubled: {per: 0..4, values: [0, 2, 4, 6, 8]}}
define: {twice(0..4 k): doubled(k) + spare - spare}
procedures: {keep(0..4 k): {do: n = doubled(k)}}
phases: {play: {turns: clockwise from player_1, rounds: 2, do: {go: act GO, take: act take(1)}}}
actions:
  go: {do: STEP}
  take: {given: {k: 0..4}, do: n = doubled(k)}
"""
"""An argument that lies outside by one, as b is 0, or does not."""
NO_ELEMENT = """\
components:
  pieces: {man: {per: {value: -3..3}}}
state: {n: {type: 0..9}}
phases:
  play: {turns: clockwise from player_1, rounds: 2, do: {go: act go}}
actions:
  go:
    choose: {m: man}
    where: {it is so many: n in set(m.value)}
    do: n += 1
"""
LISTED_TWICE = """\
components:
  spaces: {field: {grid: 4x4, holds: 1}}
state: {n: {type: 0..9}}
phases:
  play: {turns: clockwise from player_1, rounds: 3, do: {go: act go}}
procedures:
  heavy:
    do: |
      repeat 300000:
        n = 3
  light: {do: n = 4}
actions:
  go:
    choose: {f: field, g: field}
    let: {v: try heavy then n}
    where:
      it is not so far: g.x != v
      it is low: try light then g.y != n and f.x <= 2
    do: n = f.x
"""
TOO_MANY = """\
components:
  spaces: {field: {grid: 62x63, holds: 1}}
state: {n: {type: 0..99}}
phases:
  play: {turns: clockwise from player_1, rounds: 3, do: {go: ACTS}}
actions:
"""
TOO_MANY = TOO_MANY.replace("ACTS", "act " + " or ".join(f"a{i}" for i in range(17))) + "".join(
    f"  a{i}: {{choose: {{f: field}}, do: n = {i}}}\n" for i in range(17)
)
LET_BY_LET = """\
state: {n: {type: 0..9}, m: {type: 0..99}}
phases: {play: {turns: clockwise from player_1, rounds: 6, do: {go: act go}}}
actions:
  go:
    choose: {a: 0..9, b: 0..9}
    let: {c: a + 2 * b + n, d: c + c + b, unused: c + d}
    where:
      it is none of those: d != 8 * m - 3 and d > 7
      it is not too much: d < 60
    do: m = d + b
"""
NOTED_OF_NOTED = """\
state: {n: {type: 0..3}, k: {type: 0..999}}
define: {often: seen(plain)}
records:
  plain: {of: [n], keep: 99}
  other: {of: [often], keep: 99}
phases:
  play:
    turns: clockwise from player_1
    rounds: 9
    do:
      go: act go
      noted: |
        note other
        note plain
        if seen(other) > 0 and seen(plain) > 1 then k += 1
actions: {go: {choose: {v: 0..3}, do: n = v}}
"""
BELOW_NOTHING = """\
state:
  n: {type: -3..3}
  deep: {per: {i: -3..3}, type: -9..9, start: (i * 5) mod 7 - 3}
  held: {per: {i: -3..3, s: -1..1}, type: set of 0..5, start: set((i + 9 * s) mod 6)}
define:
  twice(-3..3 i): i * i + (if i < 0 then 1 else 0)
  all_twice: sum(twice(i) for i in -3..3)
phases: {play: {turns: clockwise from player_1, rounds: 9, do: {go: act go}}}
actions:
  go:
    choose: {v: -3..3, s: -1..1}
    where: {it is so: "twice(v) != deep(n) and count(held(v, s)) < 4"}
    do: |
      deep(v) = 0 - deep(n)
      held(n, s) += set(count(i in -3..3 where deep(i) >= v and 1 in held(i, s)) mod 6)
      n = if deep(v) < -3 then -3 else if deep(v) > 3 then 3 else deep(v)
"""
ONLY_IN_TOWN = """\
components:
  spaces: {town: {count: 3}, camp: {count: 3}, hut: {count: 4}}
  pieces: {man: {per: {owner: player}, count: 3, places: [town, camp, hut], start: camp(2)}}
state:
  n: {type: 0..99}
  mayor: {per: town, type: man, start: "man(player_1, 1)"}
  far: {per: {i: 0..9}, type: int, start: 1900000000 + i}
  price: {per: man, type: 0..9, start: 5}
  flag: {per: man, type: bool}
phases:
  play: {turns: clockwise from player_1, rounds: 20, do: {go: act go or other}}
actions:
  go:
    choose: {k: man, h: hut}
    where:
      the mayor is dear: k.place in town and price(mayor(k.place)) > 3
      or he has a flag: k.place not in town or flag(mayor(k.place)) or n > 3
    do: {there: move k to h, one more: n = (n + 1) mod 99}
  other:
    choose: {k: man, t: town}
    where: {dear: k.place not in town or price(mayor(k.place)) + n > 7 or flag(mayor(k.place))}
    do: |
      flag(k) = k.place not in town or flag(mayor(k.place))
      move k to t
      mayor(t) = k
      price(k) = (price(k) + 3) mod 10
"""


def pair(tmp_path: Path, sections: str) -> Pair:
    path = tmp_path / "game.yaml"
    path.write_text("ludex: 1\ngame: g\ntitle: G\nplayers: 2\n" + sections)
    return Pair(pipeline.program(str(path)))


TO_THE_END = {
    "nobody is me": NOBODY_IS_ME,
    "never set": NEVER_SET,
    "nobody owns nothing": NOBODY_OWNS_NOTHING,
    "let by let": LET_BY_LET,
    "noted of noted": NOTED_OF_NOTED,
    "below nothing": BELOW_NOTHING,
    "only in town": ONLY_IN_TOWN,
}


@pytest.mark.parametrize("sections", TO_THE_END.values(), ids=TO_THE_END)
def test_to_the_end(sections: str, tmp_path: Path) -> None:
    both = pair(tmp_path, sections)
    both.start()
    both.steps(40, *luck(1))
    both.results()


@pytest.mark.parametrize(
    ("sections", "seeds"),
    [(LISTED_TWICE, range(3)), (TOO_MANY, range(1))],
    ids=["listed twice", "too many"],
)
def test_a_choice_is_the_same_or_the_fault(sections: str, seeds: range, tmp_path: Path) -> None:
    both = pair(tmp_path, sections)
    both.start()
    point, found = both.compare(), set[str]()
    assert isinstance(point, TurnPoint)
    for seed in seeds:
        try:
            both.drawn(luck(seed)[1], lambda m, w, rng: m.sample_choice(w, point.player, rng))
            found.add("chosen")
        except Faulted as fault:
            found.add(fault.kind)
    assert found <= {"chosen", "steps", "options"} and found != {"chosen"}


def test_what_is_no_element_of_a_set_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(Faulted, match="-3 cannot be an element"):
        pair(tmp_path, NO_ELEMENT).start()


@pytest.mark.parametrize("taken", ["n = twice(b - 1)", "run keep(b - 1)", "take(b - 1)"])
def test_an_argument_outside_of_what_a_parameter_takes_is_a_fault(taken: str, tmp_path: Path) -> None:
    def sections(call: str) -> str:
        go, step = (f"go or {call}", "n = 1") if call.startswith("take") else ("go", call)
        return OUTSIDE.replace("GO", go).replace("STEP", step)

    both = pair(tmp_path, sections(taken))
    with pytest.raises(Faulted, match="-1"):
        both.start()
        both.steps(1, *luck(1))
    both = pair(tmp_path, sections(taken.replace("-", "+")))
    both.start()
    both.steps(1, *luck(1))
