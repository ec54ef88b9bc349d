"""Options: what an offer allows now, listed into memory, drawn, taken.

An option's record is the index of its offer in the decision, then the values of its
parameters: a word each, of a set its 64-bit words. Records lie in a row from where the global
`found` pointed when the listing began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ludex.backends.wasm import asm, code, collapse, folds, longest, sets, values
from ludex.backends.wasm.asm import Ex, Function, Label, ValueType, const
from ludex.backends.wasm.emitter import Emitter, Unit
from ludex.backends.wasm.plan import bindings
from ludex.backends.wasm.shapes import Words, reshaped
from ludex.ir import program as p
from ludex.ir.walk import binds, nodes, reads
from ludex.typed import expr as e
from ludex.typed.types import SetType

# --------------------------------------------------------------------------------- one offer


def own_variables(site: e.OptionSite) -> frozenset[int]:
    """What an offer binds, unless actions it asks for (`can`) read it, which are functions of their own."""
    asked = tuple(n.site for n in nodes(site) if isinstance(n, e.Exists))
    return binds(site) - reads(asked)


def spared(u: Unit, site: e.OptionSite) -> frozenset[int]:
    """Lets that no condition needs and that cannot fault: they are computed for the option that is taken."""
    parts = [item for level in site.levels for item in level.items]
    if any(level.binding is not None and level.binding.collapse for level in site.levels):
        return frozenset()  # pieces are told apart by them
    lets = [item for item in parts if isinstance(item, e.OptionLet)]
    conditions = tuple(item for item in parts if not isinstance(item, e.OptionLet))
    needed = reads((conditions, site.late, tuple(level.binding for level in site.levels)))
    for let in reversed(lets):
        if let.var in needed:
            needed |= reads(let.value)
    return frozenset(let.var for let in lets if let.var not in needed and u.c.facts.total(let.value))


@dataclass(frozen=True)
class Refused:
    """What a condition has refused of a domain, all of which is counted; the element that is looked at."""

    rule: int
    words: Words
    element: Ex


def nest(
    u: Unit,
    site: e.OptionSite,
    innermost: Callable[[], None],
    depth: int | None = None,
    refused: list[Refused] | None = None,
) -> None:
    """The loops of an offer, or the first `depth`; `innermost` is emitted for each binding that passes.

    What is counted at once, it finds in `refused`.
    """
    levels = site.levels[:depth]
    u.own = own_variables(site)
    unneeded = spared(u, site)

    def level(i: int, ahead: tuple[e.OptionLet, ...] = ()) -> None:
        if i == len(levels):
            for let in ahead:
                code.assign(u, let.var, let.value)
            innermost()
            return
        here = levels[i]
        binding = here.binding
        later = _needed_later(here, levels[i + 1]) if i + 1 < len(levels) else ()
        own = tuple(item for item in here.items if item not in later)
        if binding is None:
            steps = tuple(item for item in own if not isinstance(item, e.OptionMask))
            items(steps, 0, lambda: level(i + 1, later))
            return
        classes = collapse.classes(u, binding, site.levels[:i]) if binding.collapse else None
        if classes is not None:
            classes.begin()
        masks = [item for item in own if isinstance(item, e.OptionMask)]
        left = tuple(item for item in own if not isinstance(item, e.OptionMask))
        with going_through(u, binding, masks, refused, ahead), u.f.block() as skip:
            u.spend(u.c.cost.candidate(site, here))

            def passed() -> None:
                if classes is not None:
                    classes.skip_if_known(u.read(binding.var), skip)
                level(i + 1, later)

            items(left, 0, passed)

    def items(parts: tuple[e.OptionLet | e.OptionGuard, ...], i: int, then: Callable[[], None]) -> None:
        if i == len(parts):
            then()
            return
        part = parts[i]
        if isinstance(part, e.OptionLet):
            if part.var not in unneeded:
                code.assign(u, part.var, part.value)
            items(parts, i + 1, then)
        else:
            guarded(u, part, lambda: items(parts, i + 1, then))

    level(0)


def _needed_later(level: e.OptionLevel, following: e.OptionLevel) -> tuple[e.OptionLet, ...]:
    """What a pass has put into a level that is needed only for values that the next one's parameter has: if
    it has none, it is not computed."""
    masks = tuple(item for item in following.items if isinstance(item, e.OptionMask))
    if following.binding is None or not masks:
        return ()
    needed = reads((following.binding, masks))
    found: list[e.OptionLet] = []
    for item in reversed(level.items):
        if isinstance(item, e.OptionLet) and item.aside and item.var not in needed:
            found.append(item)
        else:
            needed |= reads(item)
    return tuple(reversed(found))


@contextmanager
def going_through(
    u: Unit,
    binding: e.OptionBinding,
    masks: list[e.OptionMask],
    refused: list[Refused] | None = None,
    ahead: tuple[e.OptionLet, ...] = (),
) -> Iterator[None]:
    """The loop of a parameter, with what is computed ahead of it, if it has any value; refusals by what its
    domain was narrowed by are counted at once."""
    if not masks:
        with folds.going_through(u, binding.var, binding.domain):
            yield
        return
    assert isinstance(binding.domain, e.SetDomain)
    steps: list[tuple[int, Words]] = []
    with narrowed(u, sets.words(u, binding.domain.set), masks, steps) as words, u.f.block() as none:
        if ahead:
            u.f.jump(none, sets.any_bit(words).eqz())
            for let in ahead:
                code.assign(u, let.var, let.value)
        with u.each(words) as x:
            u.write(binding.var, x)
            if refused is not None:
                refused.extend(Refused(rule, found, x) for rule, found in steps)
            yield


@contextmanager
def narrowed(
    u: Unit, words: Words, masks: list[e.OptionMask], steps: list[tuple[int, Words]] | None = None
) -> Iterator[Words]:
    """What is left of a domain; skipped if it becomes empty before the last condition. What each rule
    refuses goes to `steps`."""
    f = u.f
    with f.block() as nothing:
        for mask in masks:
            # a condition may rely on those before it
            f.jump(nothing, sets.any_bit(words).eqz())
            passing = reshaped(sets.words(u, mask.set), words.shape)
            kept = u.kept(
                Words(words.shape, tuple(a & b for a, b in zip(words.words, passing.words, strict=True)))
            )
            if u.c.counting:
                pairs = zip(words.words, kept.words, strict=True)
                refused = Words(words.shape, tuple(before ^ after for before, after in pairs))
                if steps is not None:
                    refused = u.kept(refused)
                    steps.append((mask.rule, refused))
                count_all(u, mask.rule, refused, 1)
            words = kept
        yield words


def count_all(u: Unit, rule: int, refused: Words, sign: int) -> None:
    """As many refusals more, or less."""
    number = const(0, "i64")
    for word in refused.words:
        number = number + word.unary("popcnt")
    at = u.c.applied
    u.f.store(at, 4 * rule, asm.load(at, 4 * rule) + number.wrap() * sign)


def uncount(u: Unit, refused: Refused) -> None:
    """Takes back what was refused beyond the element that is looked at: nobody got there."""
    shape = refused.words.shape
    at = u.f.keep(refused.element - shape.base)
    beyond: list[Ex] = []
    for i, word in enumerate(refused.words.words):
        here = const(-2, "i64").shl(at.extend(signed=False))
        if shape.size > 1:
            later = asm.choose(at.shr(6).compare("lt_u", i), const(-1, "i64"), const(0, "i64"))
            here = asm.choose(at.shr(6).compare("eq", i), here, later)
        beyond.append(word & here)
    count_all(u, refused.rule, Words(shape, tuple(beyond)), -1)


def guarded(u: Unit, guard: e.OptionGuard, then: Callable[[], None]) -> None:
    """A condition: what follows is done if it holds; else its refusal is counted."""
    holds = _holds(u, guard)
    if holds.constant == 0:
        if u.c.counting:
            code.count(u, guard.rule)
        return
    if holds.constant is not None:
        then()
        return
    with u.f.when(holds):
        then()
        if u.c.counting:
            u.f.otherwise()
            code.count(u, guard.rule)


def _holds(u: Unit, guard: e.OptionGuard) -> Ex:
    """Whether a condition holds; what earlier offers have answered is not asked again."""
    answer = guard.answer
    if answer is None or u.offered is None:
        return values.value(u, guard.test)
    holds = const(1)
    if answer.when is not None:
        holds = asm.branch(values.value(u, answer.when), holds, values.value(u, guard.test))
    return asm.branch(u.offered(answer.offer), const(0), holds)


def late(u: Unit, site: e.OptionSite, then: Callable[[], None], i: int = 0) -> None:
    """The late conditions of what is bound."""
    if i == len(site.late):
        then()
    else:
        guarded(u, site.late[i], lambda: late(u, site, then, i + 1))


def exists(c: Emitter, site: e.OptionSite) -> Function:
    """Whether an offer has an option; stops at the first."""

    def build(u: Unit) -> None:
        refused: list[Refused] = []

        def found() -> None:
            for one in refused:
                uncount(u, one)
            u.f.give(1)

        nest(u, site, lambda: late(u, site, found), refused=refused)
        u.f.give(0)

    return c.made(f"exists {c.site(site)}", [], ["i32"], build)


def listing(c: Emitter, site: e.OptionSite, *, full: bool) -> Function:
    """(index of the offer, the earlier offers that have an option as bits, if it is said): appends its
    options; the late conditions are tested only if `full`."""
    full = full and bool(site.late)
    params: list[ValueType] = ["i32", "i32"] if answers(site) else ["i32"]

    def build(u: Unit) -> None:
        f = u.f
        if answers(site):
            u.offered = lambda i: f.param(1) & (1 << i)

        def emit() -> None:
            f.store(c.found, 0, f.param(0))
            offset = 4
            for level in site.levels:
                if level.binding is not None:
                    offset = put(u, level.binding, c.found, offset)
            f.do(asm.set_global(c.found, c.found + c.plan.stride))
            with f.when(c.found.compare("gt_u", c.plan.options_end)):
                u.fault("options", -1)

        nest(u, site, (lambda: late(u, site, emit)) if full else emit)

    return c.made(f"list {c.site(site)} {full}", params, [], build)


def answers(site: e.OptionSite) -> frozenset[int]:
    """The earlier offers that answer a condition of this one."""
    guards = (item for item in site.levels[0].items if isinstance(item, e.OptionGuard))
    return frozenset(guard.answer.offer for guard in guards if guard.answer is not None)


def asked_again(decide: p.Decide) -> frozenset[int]:
    """The offers that answer conditions of later ones."""
    return frozenset[int]().union(*(answers(option.site) for option in decide.options))


def put(u: Unit, binding: e.OptionBinding, address: Ex, offset: int) -> int:
    """Writes a parameter into a record; where the next one goes."""
    if isinstance(binding.type, SetType):
        for i, word in enumerate(u.read_set(binding.var).words):
            u.f.store(address, offset + 8 * i, word)
    else:
        u.f.store(address, offset, u.read(binding.var))
    return offset + u.plan.bytes_of(binding)


Values = Sequence[tuple[Ex, ...]]
"""Of each parameter of an option a word, of a set its words."""


def recorded(u: Unit, site: e.OptionSite, address: Ex) -> Values:
    """The values that a record of an offer has."""
    found: list[tuple[Ex, ...]] = []
    offset = 4
    for binding in bindings(site):
        found.append(words_at(u, binding, address, offset))
        offset += u.plan.bytes_of(binding)
    return found


def words_at(u: Unit, binding: e.OptionBinding, address: Ex, offset: int) -> tuple[Ex, ...]:
    """A parameter's value where `put` has put it."""
    if isinstance(binding.type, SetType):
        size = u.plan.bytes_of(binding)
        return tuple(asm.load(address, offset + i, "i64") for i in range(0, size, 8))
    return (asm.load(address, offset),)


def bind(u: Unit, site: e.OptionSite, values: Values) -> None:
    """Gives the variables of an offer their values, and computes its lets; what a pass has put aside only
    where a let needs it."""
    left = iter(values)
    needed: set[int] = set()
    for level in reversed(site.levels):
        for item in reversed(level.items):
            if isinstance(item, e.OptionLet) and (item.var in needed or not item.aside):
                needed.update((item.var, *reads(item.value)))
    for level in site.levels:
        binding = level.binding
        if binding is not None:
            if isinstance(binding.type, SetType):
                u.write_set(binding.var, u.kept(Words(u.plan.shape(binding.type), next(left))))
            else:
                u.write(binding.var, *next(left))
        for item in level.items:
            if isinstance(item, e.OptionLet) and item.var in needed:
                code.assign(u, item.var, item.value)


def passes_late(c: Emitter, site: e.OptionSite) -> Function:
    """(address of a record): whether its late conditions hold."""

    def build(u: Unit) -> None:
        u.own = own_variables(site)
        bind(u, site, recorded(u, site, u.f.param(0)))
        late(u, site, lambda: u.f.give(1))
        u.f.give(0)

    return c.made(f"late {c.site(site)}", ["i32"], ["i32"], build)


# -------------------------------------------------------------------------------- a decision


def test_late(u: Unit, decide: p.Decide, at: Ex, refused: Label) -> None:
    """Jumps if the candidate at an address does not pass the late conditions of its offer."""
    f = u.f
    for index, option in enumerate(decide.options):
        if option.site.late:
            test = Ex(asm.call(passes_late(u.c, option.site), at)).eqz()
            if len(decide.options) == 1:
                f.jump(refused, test)
            else:
                f.jump(refused, asm.branch(asm.load(at).compare("eq", index), test, const(0)))


def any_option(u: Unit, decide: p.Decide) -> Ex:
    """Whether a decision has an option."""
    found = const(0)
    for option in reversed(decide.options):
        here = Ex(asm.call(exists(u.c, option.site)))
        found = here if found.constant == 0 else asm.branch(here, const(1), found)
    return found


def list_all(c: Emitter, block: int, decide: p.Decide, *, full: bool) -> Function:
    """Appends all options of a decision (candidates, if not `full`), of runs only the longest."""

    def build(u: Unit) -> None:
        if decide.longest and full:
            longest.list_longest(u, block, decide)
            return
        list_offers(u, decide, full=full)

    return c.made(f"options {block} {full}", [], [], build)


def list_offers(u: Unit, decide: p.Decide, *, full: bool) -> None:
    """Appends the options of each offer (candidates, if not `full`)."""
    f, c = u.f, u.c
    asked = asked_again(decide)
    before, offered = f.local(), f.local()
    f.set(offered, 0)
    for i, option in enumerate(decide.options):
        f.set(before, c.found)
        known = (offered,) if answers(option.site) else ()
        f.do(asm.call(listing(c, option.site, full=full), const(i), *known))
        if i in asked:
            f.set(offered, offered | c.found.compare("ne", before).shl(i))


def taken(u: Unit, option: p.Option, values: Values) -> None:
    """Stores what was chosen of an offer."""
    own = Unit(u.c, u.f)  # each offer has its own variables
    bind(own, option.site, values)
    u.f.do(asm.set_global(u.c.rule, option.rule))
    for var, expr in option.stores:
        code.assign(own, var, expr)


def take(c: Emitter, block: int, decide: p.Decide) -> Function:
    """(address of a record): stores what was chosen; the block to go on at."""

    def build(u: Unit) -> None:
        f = u.f
        at = f.param(0)
        for i, option in enumerate(decide.options):
            with f.when(asm.load(at).compare("eq", i)):
                taken(u, option, recorded(u, option.site, at))
                f.give(option.target)

    return c.made(f"take {block}", ["i32"], ["i32"], build)
