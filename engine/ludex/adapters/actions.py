"""A fixed number for every action of a game.

The numbers of one action are a *section*: its name and the values that each of its parameters may
have. Sections follow one another in the order in which the program offers them; an action that is
offered at several places has one section. Within a section the numbers run like the digits of a clock:
the last parameter fastest, values in the order of their types. So the numbering is the same whenever
the same program is made.

Cards of one face that no rule tells apart have no numbers of their own, which would tell who holds
which copy: an action takes the number of the first copy, and where two legal actions would read alike
(the same face at two places) the second, in the order of the places, takes that of the next copy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod

from ludex.backends.machine import Choice, Words
from ludex.check.codes import TOO_LARGE
from ludex.diagnostics import Diagnostic, Failed, printable
from ludex.game import Game
from ludex.game.naming import bits, call_text
from ludex.ir import program as p
from ludex.limits import MAX_OPTIONS
from ludex.node import node
from ludex.source import NOWHERE
from ludex.typed import expr as e
from ludex.typed.types import EntityType, IntType, SetType, Type

MAX_ACTIONS = 1 << 18
"""Numbers of one game. Every mask of legal actions has as many entries."""

GREATEST = 127
"""The greatest value of a numeric parameter of which the rules do not say how great it may be."""


class BeyondBound(ValueError):
    """A number that the rules do not bound is greater than the numbering allows for."""


class Digit:
    """A parameter: its values in order. `face` is of values that read alike the first of them."""

    def __init__(self, name: str, type: Type, values: Sequence[int], faces: dict[int, int]) -> None:
        self.name = name
        self.type = type
        self.values = values
        self.index = {value: i for i, value in enumerate(values)}
        self.faces = faces
        self._twins: dict[int, list[int]] = {}
        for value, first in faces.items():
            self._twins.setdefault(first, []).append(value)

    def twins(self, value: int) -> Sequence[int]:
        """All values that read like one that is the first of them."""
        return self._twins.get(value, (value,))


@node
class Section:
    """The actions of one name and form: numbers `first` to `first + size - 1`."""

    name: str
    first: int
    size: int
    digits: tuple[Digit, ...]
    radices: tuple[int, ...]

    def number(self, values: Sequence[int]) -> int:
        """Raises `BeyondBound`."""
        at = self.first
        for digit, radix, value in zip(self.digits, self.radices, values, strict=True):
            i = digit.index.get(value)
            if i is None:
                raise BeyondBound(
                    f"{printable(self.name)}: {printable(digit.name)} is {value}, but actions are numbered "
                    f"for {digit.values[0]} to {digit.values[-1]} only: let the rules bound it to fewer than "
                    f"{MAX_OPTIONS} values"
                )
            at += radix * i
        return at

    def values(self, number: int) -> tuple[int, ...]:
        rest, found = number - self.first, []
        for digit, radix in zip(self.digits, self.radices, strict=True):
            i, rest = divmod(rest, radix)
            found.append(digit.values[i])
        return tuple(found)

    def faces(self, values: Sequence[int]) -> tuple[int, ...]:
        return tuple(d.faces.get(v, v) for d, v in zip(self.digits, values, strict=True))


class ActionSpace:
    """The numbers of the actions of one game: 0 to `size - 1`.

    `greatest` is where numbers end that the rules do not bound. Raises `Failed` if there would be
    more than `MAX_ACTIONS`.
    """

    def __init__(self, game: Game, greatest: int = GREATEST) -> None:
        self._context = game.context
        self._program = game.program
        self._greatest = greatest
        self._digits: dict[object, Digit] = {}
        self._known: dict[tuple[object, ...], Section] = {}
        self.size = 0
        self._offers: dict[int, tuple[Section, ...]] = {
            number: tuple(self._section(option) for option in block.end.options)
            for number, block in enumerate(self._program.blocks)
            if isinstance(block.end, p.Decide)
        }
        self.sections: tuple[Section, ...] = tuple(self._known.values())
        self._alike = {s.first for s in self.sections if any(d.faces for d in s.digits)}

    # ---------------------------------------------------------------------------------- asking

    def numbers(self, words: Words, block: int, choices: Sequence[Choice]) -> list[int]:
        """The number of each of the options of the decision at `block`, which are all its options."""
        sections = self._offers[block]
        numbers = [sections[c.option].number(c.values) for c in choices]
        if self._alike and any(s.first in self._alike for s in sections):
            self._hide_copies(words, sections, choices, numbers)
        return numbers

    def text(self, number: int) -> str:
        """The action of a number: `ride(red_1)`. A second one that reads alike has `#2` behind it."""
        section = self.section(number)
        naming, values = self._context.naming, section.values(number)
        args = [naming.value(v, d.type) for d, v in zip(section.digits, values, strict=True)]
        text = call_text(printable(section.name), args)
        faces = section.faces(values)
        if faces == values:
            return text
        twins = product(*(d.twins(v) for d, v in zip(section.digits, faces, strict=True)))
        return f"{text}#{next(i for i, twin in enumerate(twins, start=1) if twin == values)}"

    def section(self, number: int) -> Section:
        for section in self.sections:
            if section.first <= number < section.first + section.size:
                return section
        raise IndexError(f"the actions are numbered from 0 to {self.size - 1}")

    def _hide_copies(
        self, words: Words, sections: Sequence[Section], choices: Sequence[Choice], numbers: list[int]
    ) -> None:
        """Gives options that read alike the numbers of the first copies, in the order of their places."""
        groups: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        for i, choice in enumerate(choices):
            section = sections[choice.option]
            if section.first in self._alike:
                groups.setdefault((section.first, section.faces(choice.values)), []).append(i)
        for (_, faces), members in groups.items():
            if len(members) > 1:
                members.sort(key=lambda i: self._places(words, choices[i].values))
            section = sections[choices[members[0]].option]
            twins = product(*(d.twins(v) for d, v in zip(section.digits, faces, strict=True)))
            for i, values in zip(members, islice(twins, len(members)), strict=True):
                numbers[i] = section.number(values)

    def _places(self, words: Words, values: Sequence[int]) -> tuple[int, ...]:
        reader, naming = self._context.reader, self._context.naming
        return tuple(reader.place(words, v) if naming.is_movable(v) else v for v in values)

    # ---------------------------------------------------------------------------------- making

    def _section(self, option: p.Option) -> Section:
        bindings = [level.binding for level in option.site.levels if level.binding is not None]
        key = (option.site.name, *map(self._form, bindings))
        if key not in self._known:
            sizes = [self._count(form) for form in key[1:]]
            if self.size + prod(sizes) > MAX_ACTIONS:
                raise self._too_many(option)
            digits = tuple(map(self._digit, bindings))
            radices = tuple(prod(sizes[i + 1 :]) for i in range(len(sizes)))
            self._known[key] = Section(option.site.name, self.size, prod(sizes), digits, radices)
            self.size += prod(sizes)
        return self._known[key]

    def _too_many(self, option: p.Option) -> Failed:
        rules = self._program.rules
        span = rules[option.rule].span if 0 <= option.rule < len(rules) else NOWHERE
        message = f"there are more than {MAX_ACTIONS} actions to be numbered, many of them "
        help = (
            "programs that learn need a number for each combination of parameters: "
            "let the action have fewer, or choose one after another"
        )
        message += f"`{printable(option.site.name)}`"
        return Failed([Diagnostic(TOO_LARGE, message, span, (), help)])

    def _form(self, binding: e.OptionBinding) -> tuple[object, ...]:
        """The name of a parameter, its type, and its values."""
        return (binding.name, binding.type, self._values(binding))

    @staticmethod
    def _count(form: object) -> int:
        assert isinstance(form, tuple)
        return len(form[2])

    def _digit(self, binding: e.OptionBinding) -> Digit:
        form = self._form(binding)
        if form not in self._digits:
            values = form[2]
            assert isinstance(values, range | tuple)
            self._digits[form] = Digit(binding.name, binding.type, values, self._faces(binding.type, values))
        return self._digits[form]

    def _values(self, binding: e.OptionBinding) -> Sequence[int]:
        world = self._program.world
        match binding.type:
            case EntityType(kinds, optional):
                members = tuple(i for name in kinds for i in world.kind(name).ids)
                return (0, *members) if optional else members
            case SetType():
                assert isinstance(binding.domain, e.FamilyDomain), "sets are chosen from constant lists"
                return tuple(dict.fromkeys(self._family(binding.domain.family)))
            case IntType(lo, hi):
                if isinstance(binding.domain, e.RangeDomain):
                    low, high = binding.domain.lo.type, binding.domain.hi.type
                    assert isinstance(low, IntType) and isinstance(high, IntType)
                    lo, hi = max(lo, low.lo), min(hi, high.hi)
                if hi - lo < MAX_OPTIONS:
                    return range(lo, hi + 1)
                lo = max(lo, -self._greatest)
                return range(lo, max(lo, self._greatest) + 1)
            case _:
                return (0, 1)

    def _family(self, family: e.Expr) -> Iterator[int]:
        match family:
            case e.FamilyLookup(name):
                table = next(t for t in self._program.tables if t.name == name)
                yield from (mask for sets in table.families for mask in sets)
            case e.Select(_, then, orelse):
                yield from self._family(then)
                yield from self._family(orelse)
            case _:
                raise TypeError(f"not a family: {type(family).__name__}")

    def _faces(self, type: Type, values: Sequence[int]) -> dict[int, int]:
        """For values that read like others: the first of them."""
        if isinstance(type, IntType) or not any(map(self._is_copy, range(len(self._program.world.names)))):
            return {}
        alike = [self._face(type, value) for value in values]
        counts = Counter(alike)
        first: dict[int, int] = {}
        for value, face in zip(values, alike, strict=True):
            first.setdefault(face, value)
        return {v: first[f] for v, f in zip(values, alike, strict=True) if counts[f] > 1}

    def _face(self, type: Type, value: int) -> int:
        """What a value reads as: of a set, how many of each face."""
        copies = self._program.world.copies
        if not isinstance(type, SetType):
            return copies[value] if value and self._is_copy(value) else value
        counts = Counter(copies[i] if self._is_copy(i) else i for i in bits(value))
        width = len(copies).bit_length()
        return sum(n << width * face for face, n in counts.items())

    def _is_copy(self, entity: int) -> bool:
        naming = self._context.naming
        return (
            entity > 0
            and naming.is_movable(entity)
            and naming.kind(entity).category == "card"
            and (naming.text(entity) != naming.name(entity))
        )
