"""Texts of raw values: entities, sets, arguments of actions, and reading them back.

Where cards of one face are interchangeable a card is called by its face (`gold(3)`), never
by its copy number, which would tell which copy a player holds. Pieces keep their names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from ludex.diagnostics import normalise, printable
from ludex.typed.types import BoolType, EntityType, FamilyType, SetType, Type
from ludex.typed.world import Kind, World

_SPACE = re.compile(r"\s+")


def canonical(text: str) -> str:
    """The form under which texts of actions are compared: case, spacing and composition aside."""
    return _SPACE.sub("", normalise(text)).casefold()


def split_call(text: str) -> tuple[str, tuple[str, ...] | None] | None:
    """`name(a, b(c))` as name and arguments; arguments None without brackets; None if malformed."""
    text = text.strip()
    open_at = text.find("(")
    if open_at < 0:
        return (text, None) if text and ")" not in text and "," not in text else None
    name = text[:open_at].strip()
    if not name or not text.endswith(")"):
        return None
    args: list[str] = []
    depth = 0
    start = open_at + 1
    for i in range(open_at, len(text)):
        c = text[i]
        if c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
            if depth == 0 and i != len(text) - 1:
                return None
        elif c == "," and depth == 1:
            args.append(text[start:i].strip())
            start = i + 1
    if depth != 0:
        return None
    last = text[start:-1].strip()
    if last or args:
        args.append(last)
    return (name, tuple(args)) if all(args) else None


def bits(mask: int) -> Iterator[int]:
    """The elements of a set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


_SEAT = re.compile(r"[^\W\d_][\w .'’-]{0,23}")
"""What a seat may be called by those who play: a letter, then what names of people have."""


class Naming:
    """Names of the entities of one world, both ways.

    `seats` are names that the players, in seat order, go by instead of those of the definition,
    which are still understood. Raises ValueError if these cannot be.
    """

    __slots__ = ("_by_text", "_kind_at", "_merged", "_names", "_seats", "_texts", "world")

    def __init__(self, world: World, seats: Sequence[str] = ()) -> None:
        self.world = world
        self._seats = dict(zip((world.names[i] for i in world.players.ids), seats, strict=False))
        _check_seats(world, seats)
        self._names = tuple(printable(self.renamed(n)) for n in world.names)
        kinds: list[Kind | None] = [None] * (world.size + 1)
        for kind in world.kinds:
            for i in kind.ids:
                kinds[i] = kind
        self._kind_at = tuple(kinds)
        sizes: dict[int, int] = {}
        for i in range(1, world.size + 1):
            sizes[world.copies[i]] = sizes.get(world.copies[i], 0) + 1
        self._merged = tuple(
            i > 0 and sizes[world.copies[i]] > 1 and self.kind(i).category == "card"
            for i in range(world.size + 1)
        )
        self._texts = tuple(
            printable(self.renamed(world.faces[i])) if self._merged[i] else self._names[i]
            for i in range(world.size + 1)
        )
        self._by_text: dict[str, list[int]] = {}
        for i in range(world.size + 1):
            texts = [self._names[i], self._texts[i], printable(world.names[i])]
            if self._merged[i] or (i and world.faces[i] != world.names[i]):
                texts += [printable(self.renamed(world.faces[i])), printable(world.faces[i])]
            for text in dict.fromkeys(map(canonical, texts)):
                self._by_text.setdefault(text, []).append(i)

    def renamed(self, text: str) -> str:
        """A name of the definition with the players in it called as they call themselves."""
        if not self._seats:
            return text
        if text in self._seats:
            return self._seats[text]
        call = split_call(text)
        if call is None or call[1] is None or self._seats.keys().isdisjoint(call[1]):
            return text
        return call_text(call[0], [self._seats.get(arg, arg) for arg in call[1]])

    def kind(self, entity: int) -> Kind:
        kind = self._kind_at[entity]
        if kind is None:
            raise KeyError(entity)
        return kind

    def is_movable(self, entity: int) -> bool:
        kind = self._kind_at[entity] if 0 < entity < len(self._kind_at) else None
        return kind is not None and kind.is_movable

    def name(self, entity: int) -> str:
        """The full name, with the copy number: unique."""
        return self._names[entity]

    def text(self, entity: int) -> str:
        """The name that players see: the face of an interchangeable card, else the full name."""
        return self._texts[entity]

    def back(self, entity: int) -> str:
        """What those see who may not see the face."""
        return f"?{printable(self.kind(entity).name)}"

    def entities(self, text: str) -> tuple[int, ...]:
        """All entities that a text may mean (names, faces); 0 for `none`."""
        return tuple(self._by_text.get(canonical(text), ()))

    def known_texts(self, kinds: Iterable[str]) -> list[str]:
        """Texts of all members of some kinds, for suggestions."""
        wanted = set(kinds)
        return [self._texts[i] for k in self.world.kinds if k.name in wanted for i in k.ids]

    def value(self, value: int, type: Type) -> str:
        """The text of a value of a static type, with the names that players see."""
        match type:
            case BoolType():
                return "true" if value else "false"
            case EntityType():
                return self.text(value)
            case SetType(element) | FamilyType(element):
                members = [self.value(i, element) for i in bits(value)]
                return f"set({', '.join(members)})"
            case _:
                return str(value)

    def words(self, value: int, type: Type, sees: Callable[[int], object] = bool) -> str:
        """A value within a sentence for people; pieces and cards that are not seen by their backs."""
        match type:
            case BoolType():
                return "yes" if value else "no"
            case EntityType():
                hidden = self.is_movable(value) and not sees(value)
                return self.back(value) if hidden else self.text(value)
            case SetType(element) | FamilyType(element):
                return ", ".join(self.words(i, element, sees) for i in bits(value)) or "nothing"
            case _:
                return str(value)

    def readings(self, text: str, type: Type) -> tuple[int, ...]:
        """All values of a type that a text may mean; none if it is no value of it."""
        match type:
            case BoolType():
                values = {"true": (1,), "yes": (1,), "false": (0,), "no": (0,)}
                return values.get(canonical(text), ())
            case EntityType(kinds, optional):
                return tuple(
                    i for i in self.entities(text) if (optional if i == 0 else self.kind(i).name in kinds)
                )
            case SetType(element) | FamilyType(element):
                return self._set_readings(text, element)
            case _:
                number = canonical(text)
                if re.fullmatch(r"-?[0-9]{1,10}", number):
                    return (int(number),)
                return ()

    def _set_readings(self, text: str, element: Type) -> tuple[int, ...]:
        call = split_call(text)
        if call is None or canonical(call[0]) != "set":
            return ()
        mask = 0
        for member in call[1] or ():
            values = [v for v in self.readings(member, element) if v >= 0 and not mask >> v & 1]
            if not values:
                return ()
            mask |= 1 << values[0]
        return (mask,)


def _check_seats(world: World, seats: Sequence[str]) -> None:
    players = world.players
    if len(seats) > players.count:
        raise ValueError(f"there are {len(seats)} names for {players.count} players")
    own = {canonical(world.names[i]) for i in players.ids}
    taken = {canonical(n) for names in (world.names, world.faces) for n in names} - own
    taken |= {canonical(world.names[i]) for i in players.ids[len(seats) :]}
    for name in seats:
        if _SEAT.fullmatch(name) is None:
            raise ValueError(
                f"`{printable(name)}` cannot be a player's name: it begins with a letter, and has at most 24 "
                "letters, digits, blanks, dots, hyphens and apostrophes"
            )
        if canonical(name) in taken:
            raise ValueError(f"`{name}` is a name already, of another player or of something in the game")
        taken.add(canonical(name))


def distinct(texts: Sequence[str], finer: Sequence[str]) -> list[str]:
    """The texts, made different from one another.

    Those that read alike are replaced by those of `finer`; what still reads alike then gets a
    number behind a `#`, in order: no copy number, which might tell who holds which copy.
    """
    found = list(texts)
    for i in _alike(found):
        found[i] = finer[i]
    counts: dict[str, int] = {}
    for i in _alike(found):
        text = found[i]
        counts[text] = counts.get(text, 0) + 1
        found[i] = f"{text}#{counts[text]}"
    return found


def _alike(texts: Sequence[str]) -> list[int]:
    """The positions of texts that stand there more than once."""
    counts = Counter(texts)
    return [i for i, text in enumerate(texts) if counts[text] > 1]


def call_text(name: str, args: Sequence[str]) -> str:
    return f"{name}({', '.join(args)})" if args else name
