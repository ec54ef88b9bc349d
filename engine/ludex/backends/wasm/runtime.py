"""The WebAssembly runtime, imported when first used: importing it costs more than loading a game.

May import: nothing of ludex but its version.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ludex import __version__

if TYPE_CHECKING:
    import wasmtime

STACK_BYTES: Final = 512 << 10
"""Stack of a call into a module; more is a trap. Half of what the smallest default stack of a
Python thread has (1 MiB, on musl), since a native overflow would end the process."""

_LOADED: Final = time.time_ns()


class Unavailable(Exception):
    """Modules cannot be run here. `reason` is a phrase for the user; the interpreter still can."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"games cannot be compiled here: {reason}")


@dataclass(frozen=True, slots=True)
class Runtime:
    """What modules are compiled by and run in. `fingerprint` stands for everything but the module
    that its machine code depends on: the runtime, its settings, the platform, and this program. It
    is None if the program's files were changed since they were loaded: nothing must be cached."""

    engine: wasmtime.Engine
    fingerprint: str | None


@cache
def load_runtime() -> Runtime:
    """The runtime of this process. Raises `Unavailable`; cheap to call again."""
    try:
        import wasmtime
    except ImportError as error:
        if error.name == "wasmtime":
            raise Unavailable("the package wasmtime is not installed") from None
        raise Unavailable(f"wasmtime cannot be imported ({error})") from error
    except Exception as error:  # RuntimeError, OSError, AttributeError: no library for this platform
        raise Unavailable(f"wasmtime does not run on this platform ({error})") from error
    settings = engine_settings()
    try:
        config = wasmtime.Config()
        for name, value in settings.items():
            setattr(config, name, value)
        engine = wasmtime.Engine(config)
    except Exception as error:
        raise Unavailable(f"wasmtime cannot be set up ({error})") from error
    atexit.register(_keep_objects, type(engine))
    return Runtime(engine, _fingerprint(Path(wasmtime.__file__).resolve().parent, settings))


def _keep_objects(kind: type) -> None:
    """When the process ends, what is left of wasmtime's objects ends with it: destroying them one by
    one would fail, and say so, as their library may be gone before them."""
    for base in kind.__mro__:
        if "__del__" in vars(base):
            base.__del__ = lambda self: None  # type: ignore[attr-defined]


def _fingerprint(package: Path, settings: dict[str, bool | int | str]) -> str | None:
    import platform  # as wasmtime does

    code = [*files(Path(__file__).resolve().parents[2]), *files(package)]
    if any(changed > _LOADED for _, _, changed in code):
        return None
    text = repr((__version__, code, sys.platform, platform.machine(), sorted(settings.items())))
    return sha256(text.encode()).hexdigest()


def engine_settings() -> dict[str, bool | int | str]:
    """Settings of the compiler and of memories, as measured.

    On a module of 8 functions and 37 KB of arithmetic, loads, stores and branches, compile and
    run times, in ms (least of nine, machine busy), and the size of the code of 150 such functions:

    ====================================  =======  ====  ======
    settings                              compile  run   KB
    ====================================  =======  ====  ======
    these                                 25.9     45    939
    with parallel compilation             26.5     45    939
    opt level none                        16.9     46    1,156
    opt level speed_and_size              23.4     44    935
    memory of 1 MiB reserved, not 4 GiB   43.5     54    1,090
    no traps by signals                   68.9     60    1,644
    ====================================  =======  ====  ======

    - `memory_reservation`: 4 GiB of addresses (not of memory) per instance leave no check of
      bounds in the code. Where the process has limited addresses (`ulimit -v`), nothing is
      reserved and the checks are in the code.
    - `parallel_compilation`: its threads do not survive a fork, and a child process then waits
      for them for ever. A compiled module comes from the cache the next time.
    - `memory_init_cow`: an image of the memory would have the megabytes between a module's few tables in
      it. Without, a module in the cache has 97 KB instead of 2,321, is read in 0.2 ms instead of 5, and an
      instance is made in 0.1 ms instead of 2.
    - `macos_use_mach_ports`: likewise, its thread would be missing after a fork.
    - No fuel and no epochs (12-18 % slower): modules count their own steps.
    - What is not named here is as wasmtime has it: no debug information, traps by signals.
    """
    settings: dict[str, bool | int | str] = {
        "cranelift_opt_level": "speed",
        "parallel_compilation": False,
        "memory_init_cow": False,
        "max_wasm_stack": STACK_BYTES,
    }
    if sys.platform == "darwin":
        settings["macos_use_mach_ports"] = False
    if addresses_are_limited():
        settings.update(memory_reservation=0, memory_reservation_for_growth=0, memory_guard_size=1 << 16)
    return settings


def addresses_are_limited() -> bool:
    """Whether the process may not reserve as many addresses as it likes."""
    if sys.platform == "win32":
        return False
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return soft != resource.RLIM_INFINITY


def files(folder: Path) -> list[tuple[str, int, int]]:
    """Names, sizes and times (ns) of a package's code. They change whenever the code does, and looking
    them up takes 1 ms, whereas a version number that was not raised runs code that is out of date."""
    found = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            if name.endswith((".py", ".so", ".dylib", ".dll")):
                path = os.path.join(parent, name)
                with suppress(OSError):  # removed meanwhile
                    status = os.stat(path)
                    found.append((path, status.st_size, status.st_mtime_ns))
    return sorted(found)
