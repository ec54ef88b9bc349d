"""Runs modules: compiles them or takes them from the cache, instantiates, reads, writes, calls.

    module = Module.cached(key, make)         # `make()` gives the module's bytes, if it is needed
    instance = Instance(module)
    state = instance.memory[start:end]        # no copy: `state[:] = data`, `state.tobytes()`
    step = instance.quick("step")             # Python waits
    play = instance.long("play")              # other threads run on
    instance.run_interruptibly(play, stop)    # Ctrl-C sets the word at address `stop`

**Modules.** No imports; one exported memory `memory` that cannot grow; exported functions of i32
and i64 with at most one result. Most of what goes in or comes out goes through the memory.

**Costs** in µs, measured on a machine busy with other work: a quick call 0.6, a long one 0.85, with
two arguments and a result 1.0; 1 KiB of memory out or in 0.15; a trap 30; an instance with ten
functions 700, without 200; a module from the cache 400 for 60 KB of machine code;
`run_interruptibly` 200; compiling 1 to 3 a byte of the module; importing wasmtime 100,000. So importing
this module does not import it: `load_runtime` does, when first needed, and raises `Unavailable` where
that fails.

**Threads.** An instance serves one thread at a time; different instances of one module are
independent and run in parallel.

**Faults** of a definition do not belong into traps but into memory, where they carry a reason. A
trap is a signal to the process, and ends it if `faulthandler` was enabled after the first module
was loaded (before is fine).

May import: nothing of ludex but what lies beside it.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeVar

from ludex.backends.wasm.cache import Cache, user_cache
from ludex.backends.wasm.calls import Busy, Call, Signature, Trap, make_calls, signature
from ludex.backends.wasm.runtime import Runtime, Unavailable, load_runtime

if TYPE_CHECKING:
    import wasmtime

__all__ = [
    "Busy", "Call", "Instance", "InvalidModule", "Module", "Trap", "Unavailable", "load_runtime",
    "run_interruptibly",
]

T = TypeVar("T")

_POLL_SECONDS: Final = 0.1
"""How often a waiting thread looks up, where a signal does not wake it (Windows)."""


class InvalidModule(Exception):
    """The module is not one, or is not made as this package asks for. A fault of the code generator."""


class Module:
    """Compiled code, of which any number of instances can be made, in any threads."""

    __slots__ = ("_signatures", "code", "engine")

    def __init__(self, engine: wasmtime.Engine, code: wasmtime.Module) -> None:
        if code.imports:
            raise InvalidModule("a module must not import anything")
        self.engine = engine
        self.code = code
        self._signatures: dict[str, Signature] = {}

    @classmethod
    def compile(cls, wasm: bytes) -> Module:
        """Raises `InvalidModule`, `Unavailable`."""
        engine = load_runtime().engine
        return cls(engine, _compile(engine, wasm))

    @classmethod
    def cached(cls, key: str, make: Callable[[], bytes], cache: Cache | None = None) -> Module:
        """The module that `make` gives, from `cache` (the user's) if it was compiled before.

        `key` stands for whatever `make` depends on, but for the code of ludex and of wasmtime,
        their settings and the platform: those are added here. Raises `InvalidModule`, `Unavailable`.
        """
        runtime = load_runtime()
        if runtime.fingerprint is None:
            return cls(runtime.engine, _compile(runtime.engine, make()))
        kept = user_cache() if cache is None else cache
        name = sha256(f"{runtime.fingerprint}\n{key}".encode()).hexdigest()
        machine_code = kept.read(name)
        if machine_code is not None:
            module = _restored(runtime, machine_code)
            if module is not None:
                return module
        module = cls(runtime.engine, _compile(runtime.engine, make()))
        kept.write(name, bytes(module.code.serialize()))
        return module

    def signature(self, name: str, function: wasmtime.Func, store: wasmtime.Store) -> Signature:
        """The types of a function in any of the instances; asked for once, since that takes longest."""
        if name not in self._signatures:
            self._signatures[name] = signature(function, store)
        return self._signatures[name]


def _compile(engine: wasmtime.Engine, wasm: bytes) -> wasmtime.Module:
    import wasmtime

    if not wasm.startswith(b"\0asm"):  # wasmtime would also take the text form
        raise InvalidModule("no WebAssembly module")
    try:
        return wasmtime.Module(engine, wasm)
    except wasmtime.WasmtimeError as error:
        raise InvalidModule(str(error)) from None


def _restored(runtime: Runtime, machine_code: bytes) -> Module | None:
    """None if it is for another processor, as in a home folder that several machines share."""
    import wasmtime

    try:
        return Module(runtime.engine, wasmtime.Module.deserialize(runtime.engine, machine_code))
    except wasmtime.WasmtimeError:
        return None


class Instance:
    """A module's memory and functions. All that it gives out keeps it alive."""

    memory: Final[memoryview]
    """All bytes of the linear memory, writable, not a copy. Slices cost as much as a read: keep them."""

    words: Final[memoryview]
    """The same as unsigned 32-bit words: the word at address a is `words[a // 4]`."""

    def __init__(self, module: Module) -> None:
        """Raises `InvalidModule`; `Unavailable` where the machine has no addresses for it."""
        import wasmtime

        self._module: Final = module
        self._store: Final = wasmtime.Store(module.engine)
        try:
            self._exports: Final = wasmtime.Instance(self._store, module.code, []).exports(self._store)
        except wasmtime.Trap as trap:
            raise InvalidModule(f"the module cannot be started: {trap.message}") from None
        except wasmtime.WasmtimeError as error:
            raise Unavailable(f"no instance can be made ({' '.join(str(error).split())})") from None
        memory = self._exports.get("memory")
        if not isinstance(memory, wasmtime.Memory):
            raise InvalidModule("a module must export its memory as `memory`")
        limits = memory.type(self._store).limits
        if limits.min != limits.max:
            raise InvalidModule("the memory must not grow: views of it could not follow")
        self.memory, self.words = _views(self._store, memory)
        self._calls: Final = make_calls(self._store)
        self._quick: Final[dict[str, Call]] = {}
        self._long: Final[dict[str, Call]] = {}

    def quick(self, name: str) -> Call:
        """The exported function as a call for which Python waits: for what takes microseconds.
        Raises KeyError, or ValueError if it takes or gives anything but integers."""
        if name not in self._quick:
            self._quick[name] = self._calls.quick(*self._function(name))
        return self._quick[name]

    def long(self, name: str) -> Call:
        """The same as a call that lets other threads run on: for batches."""
        if name not in self._long:
            self._long[name] = self._calls.long(*self._function(name))
        return self._long[name]

    def run_interruptibly(self, call: Callable[[], T], stop: int) -> T:
        """`call()`, which runs a long call that returns soon after the word at address `stop` is
        not 0; Ctrl-C makes it so, and KeyboardInterrupt then comes from here, with the results so far
        in memory. The word is 0 before and after.

        The module must read the word by `i32.atomic.load`: of plain loads in a loop that stores
        nothing the compiler makes a single one, before the loop."""
        words, at = self.words, stop // 4
        words[at] = 0

        def set_word() -> None:
            words[at] = 1

        try:
            return run_interruptibly(call, set_word)
        finally:
            words[at] = 0

    def _function(self, name: str) -> tuple[wasmtime.Func, Signature]:
        import wasmtime

        function = self._exports[name]
        if not isinstance(function, wasmtime.Func):
            raise KeyError(name)
        return function, self._module.signature(name, function, self._store)


def _views(store: wasmtime.Store, memory: wasmtime.Memory) -> tuple[memoryview, memoryview]:
    """Views that keep the store alive, whose memory they show."""
    array = memory.get_buffer_ptr(store)
    array.store = store  # type: ignore[attr-defined]
    view = memoryview(array).cast("B")
    return view, view.cast("I")


def run_interruptibly(call: Callable[[], T], stop: Callable[[], object]) -> T:
    """`call()` in a thread of its own, while this one waits for it and for Ctrl-C.

    Python handles signals between its own instructions only, so it would notice nothing during a
    long call. Here KeyboardInterrupt (or whatever a handler raises) makes `stop()`, and is raised
    when the call has ended; the second one is raised at once and leaves the call running. `call` may
    start more threads, each with an instance; `stop` then stops them all. In other threads than
    the main one there are no signals to wait for, and `call` runs right there.
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    results: list[T] = []
    failures: list[BaseException] = []
    ended = threading.Lock()
    ended.acquire()

    def work() -> None:
        try:
            results.append(call())
        except BaseException as failure:
            failures.append(failure)
        finally:
            ended.release()

    def wait() -> None:
        while not results and not failures:
            ended.acquire(timeout=_POLL_SECONDS)

    try:
        _thread.start_new_thread(work, ())  # unlike Thread.start, done or not done when a signal comes
        wait()
    except RuntimeError:  # no thread to be had
        raise
    except BaseException:
        stop()
        wait()
        raise
    if failures:
        raise failures[0]
    return results[0]
