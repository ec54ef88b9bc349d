"""Modules are compiled, kept and found again, and where that cannot be, it is said."""

from __future__ import annotations

import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import wasmtime
from sample_module import SAMPLE

from ludex.backends.wasm import calls, host, runtime
from ludex.backends.wasm.cache import Cache
from ludex.backends.wasm.host import Instance, InvalidModule, Module, Unavailable

# ------------------------------------------------------------------------------------- modules


@pytest.mark.parametrize("text", [
    '(module)',
    '(module (memory (export "other") 1 1))',
    '(module (func (export "memory")))',
    '(module (memory (export "memory") 1 2))',
    '(module (memory (export "memory") 1))',
    '(module (import "a" "b" (func)) (memory (export "memory") 1 1))',
    '(module (memory (export "memory") 1 1) (func $f unreachable) (start $f))',
])
def test_modules_of_another_make_are_refused(text: str) -> None:
    with pytest.raises(InvalidModule):
        Instance(Module.compile(bytes(wasmtime.wat2wasm(text))))


@pytest.mark.parametrize("wasm", [b"", b"\0asm", SAMPLE[:-1], SAMPLE + b"\0", b"(module)"])
def test_bytes_that_are_no_module_are_refused(wasm: bytes) -> None:
    with pytest.raises(InvalidModule):
        Module.compile(wasm)


# ---------------------------------------------------------------------------------- the cache


class Maker:
    """Gives the sample, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> bytes:
        self.asked += 1
        return SAMPLE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """For a cache that works even while somebody edits the code."""
    settled = runtime.Runtime(runtime.load_runtime().engine, "0" * 64)
    monkeypatch.setattr(host, "load_runtime", lambda: settled)
    return tmp_path / "modules"


def works(module: Module) -> bool:
    return Instance(module).quick("add")(2, 3) == 5


def test_a_module_is_made_once(folder: Path) -> None:
    make = Maker()
    for _ in range(3):
        assert works(Module.cached("a", make, Cache(folder)))
    assert make.asked == 1
    assert works(Module.cached("b", make, Cache(folder)))
    assert make.asked == 2
    for _ in range(2):
        assert works(Module.cached("a", make, Cache(None)))
    assert make.asked == 4


def test_the_cache_is_that_of_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = Maker()
    monkeypatch.setenv("LUDEX_CACHE", str(folder))
    Module.cached("a", make)
    Module.cached("a", make)
    assert make.asked == 1
    assert len(list((folder / "modules").iterdir())) == 1
    monkeypatch.setenv("LUDEX_CACHE", "")
    Module.cached("a", make)
    assert make.asked == 2


def test_a_damaged_module_is_made_anew_and_replaced(folder: Path) -> None:
    make = Maker()
    Module.cached("a", make, Cache(folder))
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    for i, position in enumerate((3, 30, 200, len(whole) // 2, len(whole) - 1)):
        content = bytearray(whole)
        content[position] ^= 0x10
        path.write_bytes(content)
        assert works(Module.cached("a", make, Cache(folder)))
        assert make.asked == i + 2
        assert works(Module.cached("a", make, Cache(folder)))
        assert make.asked == i + 2


@pytest.mark.parametrize("change", ["not machine code", "another version"])
def test_what_the_runtime_refuses_is_made_anew_and_replaced(folder: Path, change: str) -> None:
    """As from another machine that shares the folder: whole, but of no use here."""

    class Foreign(Cache):
        def write(self, key: str, body: bytes) -> None:
            super().write(key, b"?" * 500 if change == "not machine code" else body[: len(body) // 2])

    make = Maker()
    assert works(Module.cached("a", make, Foreign(folder)))
    assert works(Module.cached("a", make, Cache(folder)))
    assert make.asked == 2
    assert works(Module.cached("a", make, Cache(folder)))
    assert make.asked == 2


@pytest.fixture
def frozen_files(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], list[tuple[str, int, int]]]:
    """The files of the code as they are now, none changed since, whoever edits them meanwhile."""
    seen: dict[Path, list[tuple[str, int, int]]] = {}
    look = runtime.files

    def frozen(folder: Path) -> list[tuple[str, int, int]]:
        if folder not in seen:
            seen[folder] = [(name, size, min(t, runtime._LOADED)) for name, size, t in look(folder)]
        return seen[folder]

    monkeypatch.setattr(runtime, "files", frozen)
    return frozen


def test_the_key_holds_all_that_machine_code_depends_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, frozen_files: Callable[[Path], list[tuple[str, int, int]]]
) -> None:
    make = Maker()
    fresh = runtime.load_runtime.__wrapped__
    settings, files = runtime.engine_settings(), frozen_files
    changes: list[tuple[object, str, object]] = [
        (runtime, "engine_settings", lambda: {**settings, "max_wasm_stack": 100_000}),
        (runtime, "__version__", "9.9.9"),
        (sys, "platform", "plan9"),
        (platform, "machine", lambda: "vax"),
        (runtime, "files", lambda f: [(n, size + n.endswith("host.py"), t) for n, size, t in files(f)]),
        (runtime, "files", lambda f: [(n, size, t - ("libwasmtime" in n)) for n, size, t in files(f)]),
        (runtime, "files", lambda f: [(n, size, t - n.endswith("rng.py")) for n, size, t in files(f)]),
    ]
    found = [fresh()]
    for target, name, value in changes:
        with monkeypatch.context() as patch:
            patch.setattr(target, name, value)
            found.append(fresh())
    assert len({one.fingerprint for one in found} - {None}) == 1 + len(changes)
    assert fresh().fingerprint == found[0].fingerprint
    for i, one in enumerate(found):
        monkeypatch.setattr(host, "load_runtime", lambda one=one: one)
        for _ in range(2):
            Module.cached("a", make, Cache(folder))
        assert make.asked == i + 1


def test_code_that_was_changed_since_it_was_loaded_is_not_cached(
    folder: Path, monkeypatch: pytest.MonkeyPatch, frozen_files: Callable[[Path], list[tuple[str, int, int]]]
) -> None:
    monkeypatch.setattr(
        runtime, "files",
        lambda f: [(n, s, time.time_ns() if n.endswith("rng.py") else t) for n, s, t in frozen_files(f)],
    )
    changed = runtime.load_runtime.__wrapped__()
    monkeypatch.setattr(host, "load_runtime", lambda: changed)
    make = Maker()
    for _ in range(2):
        assert works(Module.cached("a", make, Cache(folder)))
    assert make.asked == 2
    assert not folder.exists()


def test_threads_may_make_one_module_at_a_time(folder: Path) -> None:
    results: list[bool] = []
    make = Maker()
    threads = [
        threading.Thread(target=lambda: results.append(works(Module.cached("a", make, Cache(folder)))))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 6
    assert len(list(folder.iterdir())) == 1


# ------------------------------------------------------------------- where there is no runtime


@pytest.fixture
def no_runtime_yet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    runtime.load_runtime.cache_clear()
    yield
    monkeypatch.undo()
    runtime.load_runtime.cache_clear()


@pytest.mark.usefixtures("no_runtime_yet")
def test_without_wasmtime_modules_are_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    for attempt in (lambda: Module.compile(SAMPLE), lambda: Module.cached("a", Maker()), host.load_runtime):
        with pytest.raises(Unavailable) as caught:
            attempt()
        assert caught.value.reason == "the package wasmtime is not installed"


@pytest.mark.usefixtures("no_runtime_yet")
@pytest.mark.parametrize("error", [
    "RuntimeError('unsupported architecture for wasmtime: sparc')",
    "OSError('cannot open shared object file')",
    "AttributeError('undefined symbol')",
    "ImportError('some other package')",
])
def test_on_other_platforms_modules_are_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    (tmp_path / "wasmtime.py").write_text(f"raise {error}")
    monkeypatch.delitem(sys.modules, "wasmtime")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Unavailable, match=error.split("'")[1]):
        Module.compile(SAMPLE)


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
from ludex.backends.wasm.host import Instance, Module, Trap, Unavailable
module = Module.compile(bytes.fromhex(sys.argv[1]))
instances = [Instance(module) for _ in range(20)]
try:
    instances[7].quick("get")(-4)
except Trap as trap:
    print(trap.code, instances[19].quick("add")(2, 3))
huge = Module.compile(bytes.fromhex(sys.argv[2]))
try:
    Instance(huge)
except Unavailable as error:
    print(error.reason.startswith("no instance can be made"))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere addresses are not limited like this")
def test_instances_fit_where_addresses_are_limited() -> None:
    """By default an instance reserves 4 GiB of addresses, which `ulimit -v` does not give."""
    huge = bytes(wasmtime.wat2wasm('(module (memory (export "memory") 60000 60000))'))
    result = subprocess.run(
        [sys.executable, "-c", LIMITED, SAMPLE.hex(), huge.hex()], capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.stderr) == ("memory_out_of_bounds 5\nTrue\n", "")


@pytest.mark.parametrize("name, value", [
    ("_wasmtime_func_call_unchecked", None),
    ("_wasmtime_func_call_unchecked", wasmtime._ffi.dll.wasmtime_func_call),
    ("wasmtime_val_raw_t", wasmtime._ffi.wasmtime_val_t),
    ("wasmtime_error_t", wasmtime._ffi.wasm_trap_t),
])
def test_an_interface_that_is_not_as_expected_is_not_used(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    assert calls.native_is_as_expected()
    if value is None:
        monkeypatch.delattr(wasmtime._bindings, name)
    else:
        monkeypatch.setattr(wasmtime._bindings, name, value)
    assert not calls.native_is_as_expected()
    instance = Instance(Module.compile(SAMPLE))
    assert isinstance(instance._calls, calls.PublicCalls)
    assert instance.quick("add")(2, 3) == 5


@pytest.mark.parametrize("code", [
    "import ludex.backends.wasm.host",
    "import ludex; ludex.load",
    "from ludex.cli.main import main\nsys.argv = ['ludex', 'play', '--help']\nmain()",
    "from ludex.cli.main import main\nsys.argv = ['ludex', 'check', '--help']\nmain()",
])
def test_wasmtime_is_not_imported_before_it_is_needed(code: str) -> None:
    watch = "import atexit, sys\natexit.register(lambda: print('wasmtime' in sys.modules, file=sys.stderr))\n"
    result = subprocess.run([sys.executable, "-c", watch + code], capture_output=True, text=True, check=False)
    assert result.stderr == "False\n"
    assert result.returncode == 0
