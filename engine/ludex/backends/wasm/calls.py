"""Calls of exported functions, the quick way and the official way.

The public wrapper of wasmtime builds the types of a function anew for each call, which costs
twenty to eighty times as much as the call. `NativeCalls` calls the same entry point of the C interface
with addresses prepared once. That entry point is not public in Python, so `make_calls` looks
first whether everything is as expected and falls back to `PublicCalls`, which behaves alike
but for time. µs per call, on one machine: public 12, with two arguments 84; native 0.6 and 1.0.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, byref, c_int64, c_size_t, c_void_p
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

if TYPE_CHECKING:
    import wasmtime

Call: TypeAlias = Callable[..., int]
"""An exported function. Integers in, modulo two to the 32 or 64; its result, signed, or 0 if it has none."""

_BITS: Final = {"i32": 32, "i64": 64}

class Trap(Exception):
    """A call was ended by the sandbox. The instance may be called again; its memory is as it was then.

    `code` is wasmtime's name of the reason in lower case (`unreachable`, `stack_overflow`,
    `integer_division_by_zero`, `memory_out_of_bounds`), or empty; `detail` its whole message.
    """

    def __init__(self, code: str, detail: str) -> None:
        self.code = code
        self.detail = detail
        super().__init__(detail.rpartition("wasm trap: ")[2].strip().partition("\n")[0] or code)


class Busy(Exception):
    """A long call of the same instance is still running, in another thread."""

    def __init__(self) -> None:
        super().__init__("an instance runs one call at a time")


@dataclass(frozen=True, slots=True)
class Signature:
    """Types of parameters, and of the result where there is one: `i32` or `i64`."""

    parameters: tuple[str, ...]
    result: str | None


def signature(function: wasmtime.Func, store: wasmtime.Store) -> Signature:
    """Raises ValueError for what `Call` cannot express."""
    kind = function.type(store)
    parameters = tuple(str(t) for t in kind.params)
    results = tuple(str(t) for t in kind.results)
    if not {*parameters, *results} <= set(_BITS) or len(results) > 1:
        raise ValueError(f"functions take and give integers, not {parameters} -> {results}")
    return Signature(parameters, results[0] if results else None)


class Calls(Protocol):
    """Makes the functions of one instance callable.

    `quick` keeps Python's lock where that can be had; `long` releases it. A long call marks the
    instance as busy. Two threads must not call one instance at a time; while a long call runs, the
    attempt raises `Busy`.
    """

    def quick(self, function: wasmtime.Func, kind: Signature) -> Call: ...

    def long(self, function: wasmtime.Func, kind: Signature) -> Call: ...


def make_calls(store: wasmtime.Store) -> Calls:
    """The quickest calls that work with the installed wasmtime."""
    return NativeCalls(store) if native_is_as_expected() else PublicCalls(store)


def exclusive(busy: list[None], call: Call) -> Call:
    """`call`, with `busy` not empty meanwhile."""

    def run(*arguments: int) -> int:
        if busy:
            raise Busy
        try:
            busy.append(None)
            return call(*arguments)
        finally:
            busy.clear()

    return run


def wrong_number(given: int, wanted: int) -> TypeError:
    return TypeError(f"the function takes {wanted} arguments, not {given}")


# ------------------------------------------------------------------------- the official way


class PublicCalls:
    """`Calls` by what wasmtime documents. Quick calls release Python's lock, too."""

    def __init__(self, store: wasmtime.Store) -> None:
        self._store = store
        self._busy: list[None] = []

    def quick(self, function: wasmtime.Func, kind: Signature) -> Call:
        return self.long(function, kind)

    def long(self, function: wasmtime.Func, kind: Signature) -> Call:
        import wasmtime

        store = self._store
        wanted = len(kind.parameters)

        def call(*arguments: int) -> int:
            if len(arguments) != wanted:
                raise wrong_number(len(arguments), wanted)
            try:
                result = function(store, *arguments)
            except wasmtime.Trap as trap:
                raise trap_from(trap) from None
            except wasmtime.WasmtimeError as error:
                raise Trap("", str(error)) from None
            return result if isinstance(result, int) else 0

        return exclusive(self._busy, call)


def trap_from(trap: wasmtime.Trap) -> Trap:
    try:
        code = trap.trap_code
    except ValueError:  # one that the package does not know yet
        code = None
    return Trap(code.name.lower() if code is not None else "", trap.message)


# --------------------------------------------------------------------------- the quick way


def native_is_as_expected() -> bool:
    """Whether the installed package declares the entry point and its data as `NativeCalls` uses them.
    The declarations are generated from the C headers of the very library that is loaded."""
    try:
        from wasmtime import Func, Store, Trap, WasmtimeError, _bindings, _ffi

        entry: Any = _bindings._wasmtime_func_call_unchecked
        value: Any = _bindings.wasmtime_val_raw_t
        return (
            isinstance(_ffi.dll, ctypes.CDLL)
            and entry.restype is POINTER(_bindings.wasmtime_error_t)
            and list(entry.argtypes) == [
                POINTER(_bindings.wasmtime_context_t), POINTER(_bindings.wasmtime_func_t),
                POINTER(_bindings.wasmtime_val_raw_t), c_size_t, POINTER(POINTER(_bindings.wasm_trap_t)),
            ]
            and (ctypes.sizeof(value), value.i32.offset, value.i64.offset) == (16, 0, 0)
            and "_func" in Func.__annotations__
            and all(callable(f) for f in (Store._context, Trap._from_ptr, WasmtimeError._from_ptr))
        )
    except (ImportError, AttributeError, KeyError, TypeError):
        return False


@cache
def native_entries() -> tuple[Any, Any]:
    """The entry point, such that a call keeps Python's lock, and that it releases it."""
    from wasmtime import _ffi

    handle = _ffi.dll._handle
    entries = [library("", handle=handle) for library in (ctypes.PyDLL, ctypes.CDLL)]
    keeping, releasing = (library["wasmtime_func_call_unchecked"] for library in entries)
    keeping.restype = releasing.restype = c_void_p
    return keeping, releasing


class NativeCalls:
    """`Calls` by the C interface: `error = call_unchecked(context, function, values, count, &trap)`.

    Arguments and result share one array of 16-byte values. The arguments of the C call are ctypes
    objects made once: ctypes then converts nothing, and no prototype is needed. They also keep
    alive what they point to, and `_failure` the instance.
    """

    def __init__(self, store: wasmtime.Store) -> None:
        self._store = store
        self._busy: list[None] = []
        self._trap = (c_size_t * 1)()
        self._context = ctypes.cast(store._context(), c_void_p)
        self._keeping, self._releasing = native_entries()

    def quick(self, function: wasmtime.Func, kind: Signature) -> Call:
        return self._bind(function, kind, self._keeping, self._busy)

    def long(self, function: wasmtime.Func, kind: Signature) -> Call:
        return exclusive(self._busy, self._bind(function, kind, self._releasing, []))

    def _bind(self, function: wasmtime.Func, kind: Signature, entry: Any, busy: list[None]) -> Call:
        wanted = len(kind.parameters)
        cells = max(wanted, 1)
        values = (c_int64 * (2 * cells))()
        result = memoryview(values).cast("B").cast("i" if kind.result == "i32" else "q")
        trap = self._trap
        context, target, start, count, trap_at = (
            self._context, byref(function._func), byref(values), c_size_t(cells), byref(trap),
        )
        failure = self._failure

        def procedure() -> int:
            if busy:
                raise Busy
            try:
                error = entry(context, target, start, count, trap_at)
                if error or trap[0]:
                    raise failure(error)
            except BaseException:
                if trap[0]:  # a signal came between a trap and its report
                    failure(None)
                raise
            return 0

        def general(*arguments: int) -> int:
            if busy:
                raise Busy
            if len(arguments) != wanted:
                raise wrong_number(len(arguments), wanted)
            cell = 0
            for argument in arguments:
                values[cell] = argument
                cell += 2
            try:
                error = entry(context, target, start, count, trap_at)
                if error or trap[0]:
                    raise failure(error)
            except BaseException:
                if trap[0]:
                    failure(None)
                raise
            return result[0]

        return general if kind.parameters or kind.result else procedure

    def _failure(self, error: int | None) -> Trap:
        """What the call left behind, which is taken away."""
        import wasmtime
        from wasmtime import _bindings

        if error:
            pointer: Any = ctypes.cast(c_void_p(error), POINTER(_bindings.wasmtime_error_t))
            return Trap("", str(wasmtime.WasmtimeError._from_ptr(pointer)))
        address = self._trap[0]
        self._trap[0] = 0
        pointer = ctypes.cast(c_void_p(address), POINTER(_bindings.wasm_trap_t))
        return trap_from(wasmtime.Trap._from_ptr(pointer))
