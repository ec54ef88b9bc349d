"""Runs work in a forked process with little processor time and memory, and says how it ended.

What a hostile definition must not do (hang, take all memory, end in a traceback) would take
the tests with it. A limit that is reached is an outcome like any other, and a failed test.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

from ludex.diagnostics import Diagnostic, Failed
from ludex.render import render_all

CPU_SECONDS = 12
"""Processor time, not a clock's: the bound of a load (`limits.MAX_LOAD_SECONDS`) and some more."""

MEMORY = 1 << 30
"""Bytes of address space beyond what the tests themselves have."""


@dataclass(frozen=True)
class Outcome:
    """How it ended. `codes` are those of the diagnostics; `crash` is a traceback or a signal."""

    codes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    text: str = ""
    crash: str = ""
    value: object = None
    seconds: float = field(default=0.0, compare=False)
    """Processor time that was used."""


def confined(work: Callable[[], object], *, cpu: int = CPU_SECONDS, memory: int = MEMORY) -> Outcome:
    """`work` may return a value that can be pickled, a list of diagnostics, or raise `Failed`."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            _confine(cpu, memory)
            outcome = _outcome(work)
            with os.fdopen(writer, "wb") as pipe:
                pipe.write(pickle.dumps(outcome))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        data = pipe.read()
    _, status, usage = os.wait4(child, 0)
    seconds = usage.ru_utime + usage.ru_stime
    if not data:
        how = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {status}"
        return Outcome(crash=f"ended by {how} after {seconds:.1f} s", seconds=seconds)
    outcome = pickle.loads(data)
    assert isinstance(outcome, Outcome)
    return Outcome(outcome.codes, outcome.errors, outcome.text, outcome.crash, outcome.value, seconds)


def _confine(cpu: int, memory: int) -> None:
    with open("/proc/self/statm", encoding="ascii") as file:
        own = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (own + memory, own + memory))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)


def _outcome(work: Callable[[], object]) -> Outcome:
    value: object = None
    try:
        value = work()
    except Failed as failed:
        value = list(failed.diagnostics)
    except BaseException:
        return Outcome(crash=traceback.format_exc(limit=-12)[-4000:])
    if isinstance(value, list) and value and all(isinstance(d, Diagnostic) for d in value):
        return Outcome(
            tuple(d.code.name for d in value),
            tuple(d.code.name for d in value if d.severity == "error"),
            render_all(value[:5]),
        )
    return Outcome(value=value)
