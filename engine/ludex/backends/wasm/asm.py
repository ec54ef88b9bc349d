"""WebAssembly, as far as the back end needs it: expressions, functions, modules, the binary form.

An expression is the sequence of instructions that leaves its value on the stack, so loops and
blocks may be part of one, and the order of the sequence is the order of evaluation. Branches
name a `Label`; encoding turns labels into depths. Knows nothing of ludex.

The binary form follows the WebAssembly core specification 2.0, section 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias

ValueType = Literal["i32", "i64"]

Instruction: TypeAlias = tuple[object, ...]
"""Name and immediates."""

_TYPES = {"i32": 0x7F, "i64": 0x7E}

_PLAIN = {
    "unreachable": 0x00, "else": 0x05, "end": 0x0B, "return": 0x0F, "drop": 0x1A, "select": 0x1B,
    "i32.eqz": 0x45, "i32.eq": 0x46, "i32.ne": 0x47, "i32.lt_s": 0x48, "i32.lt_u": 0x49, "i32.gt_s": 0x4A,
    "i32.gt_u": 0x4B, "i32.le_s": 0x4C, "i32.le_u": 0x4D, "i32.ge_s": 0x4E, "i32.ge_u": 0x4F,
    "i64.eqz": 0x50, "i64.eq": 0x51, "i64.ne": 0x52, "i64.lt_s": 0x53, "i64.lt_u": 0x54, "i64.gt_s": 0x55,
    "i64.gt_u": 0x56, "i64.le_s": 0x57, "i64.le_u": 0x58, "i64.ge_s": 0x59, "i64.ge_u": 0x5A,
    "i32.clz": 0x67, "i32.ctz": 0x68, "i32.popcnt": 0x69, "i32.add": 0x6A, "i32.sub": 0x6B, "i32.mul": 0x6C,
    "i32.div_s": 0x6D, "i32.div_u": 0x6E, "i32.rem_s": 0x6F, "i32.rem_u": 0x70, "i32.and": 0x71,
    "i32.or": 0x72, "i32.xor": 0x73, "i32.shl": 0x74, "i32.shr_s": 0x75, "i32.shr_u": 0x76,
    "i32.rotl": 0x77, "i64.clz": 0x79, "i64.ctz": 0x7A, "i64.popcnt": 0x7B, "i64.add": 0x7C,
    "i64.sub": 0x7D, "i64.mul": 0x7E, "i64.div_s": 0x7F, "i64.rem_u": 0x82, "i64.and": 0x83, "i64.or": 0x84,
    "i64.xor": 0x85, "i64.shl": 0x86, "i64.shr_s": 0x87, "i64.shr_u": 0x88, "i64.rotl": 0x89,
    "i32.wrap_i64": 0xA7, "i64.extend_i32_s": 0xAC, "i64.extend_i32_u": 0xAD,
}  # fmt: skip
_INDEXED = {"local.get": 0x20, "local.set": 0x21, "local.tee": 0x22, "global.get": 0x23, "global.set": 0x24}
_MEMORY = {
    "i32.load": (0x28, 2), "i64.load": (0x29, 3), "i32.load8_u": (0x2D, 0),
    "i32.store": (0x36, 2), "i64.store": (0x37, 3),
}  # fmt: skip
_BLOCKS = {"block": 0x02, "loop": 0x03, "if": 0x04}


class Label:
    """The target of branches: the end of a block or `if`, the start of a loop."""


@dataclass(frozen=True, slots=True)
class Ex:
    """Instructions that leave one value of type `type` on the stack."""

    ops: tuple[Instruction, ...]
    type: ValueType = "i32"

    @property
    def constant(self) -> int | None:
        """The value of a constant, else None."""
        if len(self.ops) == 1 and self.ops[0][0] in ("i32.const", "i64.const"):
            value = self.ops[0][1]
            assert isinstance(value, int)
            return value
        return None

    def _binary(self, op: str, other: Ex | int, result: ValueType | None = None) -> Ex:
        right = other if isinstance(other, Ex) else const(other, self.type)
        return Ex((*self.ops, *right.ops, (f"{self.type}.{op}",)), result or self.type)

    def __add__(self, other: Ex | int) -> Ex:
        return self if isinstance(other, int) and other == 0 else self._binary("add", other)

    def __sub__(self, other: Ex | int) -> Ex:
        return self if isinstance(other, int) and other == 0 else self._binary("sub", other)

    def __mul__(self, other: Ex | int) -> Ex:
        if isinstance(other, int):
            known = self.constant
            if known is not None:
                return const(known * other, self.type)
            if other == 1:
                return self
        return self._binary("mul", other)

    def __and__(self, other: Ex | int) -> Ex:
        return self._binary("and", other)

    def __or__(self, other: Ex | int) -> Ex:
        return self._binary("or", other)

    def __xor__(self, other: Ex | int) -> Ex:
        return self._binary("xor", other)

    def shl(self, other: Ex | int) -> Ex:
        return self if isinstance(other, int) and other == 0 else self._binary("shl", other)

    def shr(self, other: Ex | int) -> Ex:
        """Unsigned shift to the right."""
        return self if isinstance(other, int) and other == 0 else self._binary("shr_u", other)

    def rotl(self, other: Ex | int) -> Ex:
        return self._binary("rotl", other)

    def compare(self, op: str, other: Ex | int) -> Ex:
        """`eq`, `ne`, `lt_s`, `le_u`, …: 0 or 1."""
        if op == "eq" and isinstance(other, int) and other == 0:
            return self.eqz()
        return self._binary(op, other, "i32")

    def eqz(self) -> Ex:
        return Ex((*self.ops, (f"{self.type}.eqz",)))

    def unary(self, op: str) -> Ex:
        """`ctz`, `popcnt`: of the same type."""
        return Ex((*self.ops, (f"{self.type}.{op}",)), self.type)

    def wrap(self) -> Ex:
        return Ex((*self.ops, ("i32.wrap_i64",)), "i32")

    def extend(self, *, signed: bool = True) -> Ex:
        return Ex((*self.ops, ("i64.extend_i32_s" if signed else "i64.extend_i32_u",)), "i64")


@lru_cache(maxsize=1 << 12)
def const(value: int, type_: ValueType = "i32") -> Ex:
    """A constant, given signed or unsigned."""
    bits = 32 if type_ == "i32" else 64
    value &= (1 << bits) - 1
    if value >> bits - 1:
        value -= 1 << bits
    return Ex(((f"{type_}.const", value),), type_)


def load(address: Ex, offset: int = 0, type_: ValueType = "i32") -> Ex:
    """A word of memory at `address + offset`; the offset may be negative."""
    address, offset = _at(address, offset)
    return Ex((*address.ops, (f"{type_}.load", offset)), type_)


def atomic_load(address: Ex, offset: int) -> Ex:
    """A word that another thread may write: it is read anew each time."""
    return Ex((*address.ops, ("i32.atomic.load", offset)))


def load_byte(address: Ex, offset: int = 0) -> Ex:
    address, offset = _at(address, offset)
    return Ex((*address.ops, ("i32.load8_u", offset)))


def _at(address: Ex, offset: int) -> tuple[Ex, int]:
    known = address.constant
    if known is not None and known + offset >= 0:
        return const(0), known + offset
    return (address, offset) if offset >= 0 else (address + offset, 0)


def choose(test: Ex, then: Ex, orelse: Ex) -> Ex:
    """Both are evaluated; for values that cost next to nothing."""
    return Ex((*then.ops, *orelse.ops, *test.ops, ("select",)), then.type)


def branch(test: Ex, then: Ex, orelse: Ex) -> Ex:
    """Only the chosen one is evaluated."""
    return Ex((*test.ops, ("if", then.type, Label()), *then.ops, ("else",), *orelse.ops, ("end",)), then.type)


@dataclass(slots=True, eq=False)
class Function:
    """A function under construction: its first locals are the parameters."""

    name: str
    params: tuple[ValueType, ...] = ()
    results: tuple[ValueType, ...] = ()
    export: bool = False
    index: int = -1
    locals: list[ValueType] = field(default_factory=list)
    body: list[Instruction] = field(default_factory=list)

    def param(self, i: int) -> Ex:
        return Ex((("local.get", i),), self.params[i])

    def local(self, type_: ValueType = "i32") -> Ex:
        """A new local, as the expression that reads it."""
        self.locals.append(type_)
        return Ex((("local.get", len(self.params) + len(self.locals) - 1),), type_)

    # ------------------------------------------------------------------------ statements

    def do(self, ops: Iterable[Instruction]) -> None:
        self.body.extend(ops)

    def set(self, local: Ex, value: Ex | int) -> None:
        self.body.extend(assign(local, value))

    def keep(self, value: Ex) -> Ex:
        """The value in a new local; constants and locals as they are."""
        if len(value.ops) == 1 and value.ops[0][0] in ("i32.const", "i64.const"):
            return value
        local = self.local(value.type)
        self.set(local, value)
        return local

    def store(self, address: Ex, offset: int, value: Ex | int) -> None:
        self.body.extend(store(address, offset, value))

    def give(self, value: Ex | int) -> None:
        """Returns a value."""
        self.body.extend((value if isinstance(value, Ex) else const(value)).ops)
        self.body.append(("return",))

    def leave(self) -> None:
        self.body.append(("return",))

    def when(self, test: Ex) -> _Open:
        """`with f.when(test):` a block that is done if the test holds."""
        return _Open(self, (*test.ops, ("if", None, Label())))

    def otherwise(self) -> None:
        """Within `when`: what follows is done if the test does not hold."""
        self.body.append(("else",))

    def loop(self) -> _Open:
        """`with f.loop() as label:` go on with `f.again(label)`."""
        return _Open(self, (("loop", None, Label()),))

    def block(self) -> _Open:
        """`with f.block() as label:` leave with `f.out(label)`."""
        return _Open(self, (("block", None, Label()),))

    def jump(self, label: Label, test: Ex | None = None) -> None:
        """To the end of a block, the start of a loop; only if the test holds."""
        if test is None:
            self.body.append(("br", label))
        else:
            self.body.extend((*test.ops, ("br_if", label)))


@dataclass(slots=True)
class _Open:
    function: Function
    ops: tuple[Instruction, ...]

    def __enter__(self) -> Label:
        self.function.body.extend(self.ops)
        label = self.ops[-1][2]
        assert isinstance(label, Label)
        return label

    def __exit__(self, *_: object) -> None:
        self.function.body.append(("end",))


def assign(local: Ex, value: Ex | int) -> tuple[Instruction, ...]:
    """Instructions that set a local."""
    assert local.ops[0][0] == "local.get"
    made = value if isinstance(value, Ex) else const(value, local.type)
    return (*made.ops, ("local.set", local.ops[0][1]))


def store(
    address: Ex, offset: int, value: Ex | int, type_: ValueType | None = None
) -> tuple[Instruction, ...]:
    made = value if isinstance(value, Ex) else const(value, type_ or "i32")
    address, offset = _at(address, offset)
    return (*address.ops, *made.ops, (f"{made.type}.store", offset))


class Module:
    """Functions, mutable 32-bit globals, one memory, data."""

    def __init__(self) -> None:
        self.functions: list[Function] = []
        self._by_name: dict[str, Function] = {}
        self._globals: list[tuple[str, int]] = []
        self._data: list[tuple[int, bytes]] = []
        self.pages = 1

    def function(
        self,
        name: str,
        params: Sequence[ValueType] = (),
        results: Sequence[ValueType] = (),
        *,
        export: bool = False,
    ) -> Function:
        made = Function(name, tuple(params), tuple(results), export, len(self.functions))
        self.functions.append(made)
        self._by_name[name] = made
        return made

    def find(self, name: str) -> Function | None:
        return self._by_name.get(name)

    def global_(self, name: str, value: int = 0) -> Ex:
        """A new global, as the expression that reads it."""
        self._globals.append((name, value))
        return Ex((("global.get", len(self._globals) - 1),))

    def begin_global(self, variable: Ex, value: int) -> None:
        """Gives a global another value to begin with."""
        index = variable.ops[0][1]
        assert isinstance(index, int)
        self._globals[index] = self._globals[index][0], value

    def data(self, address: int, content: bytes) -> None:
        self._data.append((address, content))

    # -------------------------------------------------------------------------- the binary form

    def encode(self) -> bytes:
        types: dict[tuple[tuple[ValueType, ...], tuple[ValueType, ...]], int] = {}
        for f in self.functions:
            types.setdefault((f.params, f.results), len(types))
        made = bytearray(b"\0asm\1\0\0\0")
        made += _section(1, [b"\x60" + _value_types(p) + _value_types(r) for p, r in types])
        made += _section(3, [_unsigned(types[f.params, f.results]) for f in self.functions])
        made += _section(5, [b"\x01" + _unsigned(self.pages) * 2])
        made += _section(6, [b"\x7f\x01\x41" + _signed(v) + b"\x0b" for _, v in self._globals])
        exports = [_name("memory") + b"\x02\x00"]
        exports += [_name(f.name) + b"\x00" + _unsigned(f.index) for f in self.functions if f.export]
        made += _section(7, exports)
        encoded: dict[Instruction, bytes] = {}
        made += _section(10, [_sized(_code(f, encoded)) for f in self.functions])
        made += _section(
            11, [b"\x00\x41" + _signed(at) + b"\x0b" + _sized(content) for at, content in self._data]
        )
        return bytes(made)

    def text(self) -> str:
        """The instructions, for reading."""
        lines: list[str] = []
        for f in self.functions:
            lines.append(f"{f.index} {f.name} {f.params} -> {f.results} locals {len(f.locals)}")
            depth = 1
            for op in f.body:
                if op[0] in ("end", "else"):
                    depth -= 1
                shown = " ".join(str(x) for x in op if not isinstance(x, Label))
                lines.append("  " * depth + shown)
                if op[0] in ("block", "loop", "if", "else"):
                    depth += 1
        return "\n".join(lines)


def set_global(variable: Ex, value: Ex | int) -> tuple[Instruction, ...]:
    made = value if isinstance(value, Ex) else const(value)
    return (*made.ops, ("global.set", variable.ops[0][1]))


def call(function: Function, *arguments: Ex) -> tuple[Instruction, ...]:
    """A call: leaves the results on the stack, in order."""
    ops = [op for a in arguments for op in a.ops]
    return (*ops, ("call", function))


def _code(f: Function, encoded: dict[Instruction, bytes]) -> bytes:
    """`encoded`: instructions that are the same wherever they stand, as far as they have come up."""
    made = bytearray()
    groups: list[tuple[int, ValueType]] = []
    for type_ in f.locals:
        if groups and groups[-1][1] == type_:
            groups[-1] = groups[-1][0] + 1, type_
        else:
            groups.append((1, type_))
    made += _unsigned(len(groups))
    for n, type_ in groups:
        made += _unsigned(n)
        made.append(_TYPES[type_])
    open_: list[object] = []
    depths: dict[object, int] = {}
    for op in f.body:
        known = encoded.get(op)
        if known is not None:
            made += known
            continue
        name = op[0]
        if name == "end":
            made.append(0x0B)
            del depths[open_.pop()]
        elif name in _BLOCKS:
            result, label = op[1], op[2]
            open_.append(label)
            depths[label] = len(open_)
            made.append(_BLOCKS[name])
            made.append(0x40 if result is None else _TYPES[str(result)])
        elif name == "br" or name == "br_if":
            made.append(0x0C if name == "br" else 0x0D)
            made += _unsigned(len(open_) - depths[op[1]])
        elif name == "br_table":
            targets, other = op[1], op[2]
            assert isinstance(targets, tuple)
            made.append(0x0E)
            made += _unsigned(len(targets))
            for target in (*targets, other):
                made += _unsigned(len(open_) - depths[target])
        elif name == "call":
            assert isinstance(op[1], Function)
            made.append(0x10)
            made += _unsigned(op[1].index)
        else:
            made += encoded.setdefault(op, _encode(op))
    if open_:
        raise AssertionError(f"{f.name} leaves blocks open")
    made.append(0x0B)
    return bytes(made)


def _encode(op: Instruction) -> bytes:
    """An instruction that neither begins, ends nor leaves a block, nor calls."""
    name = op[0]
    assert isinstance(name, str)
    if name in _PLAIN:
        return bytes([_PLAIN[name]])
    if name in _INDEXED:
        return bytes([_INDEXED[name]]) + _unsigned(op[1])
    if name == "i32.const" or name == "i64.const":
        return (b"\x41" if name == "i32.const" else b"\x42") + _signed(op[1])
    if name in _MEMORY:
        return bytes(_MEMORY[name]) + _unsigned(op[1])
    if name == "i32.atomic.load":
        return b"\xfe\x10\x02" + _unsigned(op[1])
    if name == "memory.copy":
        return b"\xfc\x0a\x00\x00"
    if name == "memory.fill":
        return b"\xfc\x0b\x00"
    raise AssertionError(f"no such instruction: {name}")


def _unsigned(value: object) -> bytes:
    assert isinstance(value, int) and value >= 0
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def _signed(value: object) -> bytes:
    assert isinstance(value, int)
    made = bytearray()
    while not -0x40 <= value < 0x40:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value & 0x7F)
    return bytes(made)


def _sized(content: bytes) -> bytes:
    return _unsigned(len(content)) + content


def _name(text: str) -> bytes:
    return _sized(text.encode())


def _value_types(types: tuple[ValueType, ...]) -> bytes:
    return _unsigned(len(types)) + bytes(_TYPES[t] for t in types)


def _section(number: int, items: Sequence[bytes]) -> bytes:
    content = _unsigned(len(items)) + b"".join(items)
    return bytes([number]) + _sized(content)


Build: TypeAlias = Callable[[Function], None]
