"""Instances run: calls both ways, memory without copies, traps, threads, Ctrl-C."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from sample_module import COUNTER, SAMPLE, STOP

from ludex.backends.wasm import calls
from ludex.backends.wasm.host import Busy, Instance, Module, Trap
from ludex.backends.wasm.host import run_interruptibly as run_interruptibly_alone


@pytest.fixture(scope="module")
def module() -> Module:
    return Module.compile(SAMPLE)


@pytest.fixture(params=["native", "public"])
def instance(module: Module, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Instance:
    """An instance whose functions are called by the way named."""
    if request.param == "public":
        monkeypatch.setattr(calls, "native_is_as_expected", lambda: False)
    made = Instance(module)
    kind = calls.NativeCalls if request.param == "native" else calls.PublicCalls
    assert type(made._calls) is kind
    return made


@pytest.fixture(params=["quick", "long"])
def bind(instance: Instance, request: pytest.FixtureRequest) -> Callable[[str], calls.Call]:
    return instance.quick if request.param == "quick" else instance.long


# ------------------------------------------------------------------------------------- calls


def test_calls_give_results(bind: Callable[[str], calls.Call]) -> None:
    assert bind("nothing")() == 0
    assert bind("answer")() == 42
    assert bind("add")(2, 3) == 5
    assert bind("sub64")(2, 3) == -1
    assert bind("mixed")(7 << 32 | 5, 100) == 107
    assert bind("wide")(-1, 1) == 1 << 32


def test_integers_are_taken_modulo_their_width_and_given_signed(bind: Callable[[str], calls.Call]) -> None:
    add, sub = bind("add"), bind("sub64")
    assert add(0x7FFFFFFF, 1) == -0x80000000
    assert add(0xFFFFFFFF, 0) == -1
    assert add(-1, -1) == -2
    assert add(5 << 32, 6) == 6
    assert sub(0xFFFFFFFFFFFFFFFF, 0) == -1
    assert sub(0x8000000000000000, 1) == 0x7FFFFFFFFFFFFFFF


def test_wrong_arguments_are_refused(bind: Callable[[str], calls.Call]) -> None:
    add = bind("add")
    for arguments in ((), (1,), (1, 2, 3)):
        with pytest.raises(TypeError):
            add(*arguments)
    for wrong in (1.5, "1", None):
        with pytest.raises(TypeError):
            add(1, wrong)
    with pytest.raises(TypeError):
        bind("nothing")(1)
    assert add(1, 2) == 3


def test_what_is_not_there_or_not_of_integers_is_refused(bind: Callable[[str], calls.Call]) -> None:
    for name in ("missing", "memory"):
        with pytest.raises(KeyError):
            bind(name)
    for name in ("float", "pair"):
        with pytest.raises(ValueError):
            bind(name)


def test_calls_of_one_instance_do_not_mix(instance: Instance) -> None:
    add, sub, get = instance.quick("add"), instance.long("sub64"), instance.quick("get")
    results = []
    for i in range(50):
        results.append((add(i, 1), sub(i, 1), get(256)))
    assert results == [(i + 1, i - 1, 0x04030201) for i in range(50)]


# ------------------------------------------------------------------------------------ memory


def test_memory_is_the_modules_own(instance: Instance) -> None:
    assert len(instance.memory) == 2 * 65536
    assert bytes(instance.memory[256:260]) == b"\1\2\3\4"
    assert instance.words[64] == 0x04030201
    assert len(instance.words) == 32768
    state, copy = instance.memory[1024:2048], instance.memory[4096:5120]
    data = bytes(i * 7 % 256 for i in range(1024))
    state[:] = data
    instance.quick("copy")()
    assert copy.tobytes() == data
    instance.quick("put")(256, -2)
    assert instance.words[64] == 0xFFFFFFFE
    instance.words[64] = 9
    assert instance.quick("get")(256) == 9


def test_memory_ends_where_it_ends(instance: Instance) -> None:
    with pytest.raises(IndexError):
        instance.memory[2 * 65536] = 1
    with pytest.raises(ValueError):
        instance.memory[0:4] = b"12345"


def test_instances_share_nothing(module: Module) -> None:
    one, two = Instance(module), Instance(module)
    one.quick("put")(256, 1)
    assert (one.words[64], two.words[64]) == (1, 0x04030201)


@pytest.mark.parametrize("give, read", [
    (lambda one: one.memory[400:404], lambda part: part[0]),
    (lambda one: one.words, lambda words: words[100]),
    (lambda one: one.quick("get"), lambda get: get(400)),
    (lambda one: one.long("get"), lambda get: get(400)),
], ids=["memory", "words", "quick", "long"])
def test_what_an_instance_gave_outlives_it(
    module: Module, give: Callable[[Instance], object], read: Callable[[object], int]
) -> None:
    """Memory that was freed would be gone, or another's by now."""
    given = []
    for i in range(20):
        made = Instance(module)
        made.words[100] = i
        given.append(give(made))
        del made
    gc.collect()
    assert [read(one) for one in given] == list(range(20))


def test_many_instances_fit(module: Module) -> None:
    made = [Instance(module) for _ in range(300)]
    for i, one in enumerate(made):
        one.words[100] = i
    assert [one.quick("get")(400) for one in made] == list(range(300))


# ------------------------------------------------------------------------------------- traps


def test_traps_are_exceptions_and_the_instance_survives(
    instance: Instance, bind: Callable[[str], calls.Call]
) -> None:
    wanted = [
        ("unreachable", (), "unreachable", "unreachable"),
        ("divide", (1, 0), "integer_division_by_zero", "divide by zero"),
        ("divide", (-(1 << 31), -1), "integer_overflow", "overflow"),
        ("get", (-4,), "memory_out_of_bounds", "out of bounds"),
        ("get", (2 * 65536 - 3,), "memory_out_of_bounds", "out of bounds"),
        ("put", (0x7FFFFFFF, 1), "memory_out_of_bounds", "out of bounds"),
        ("deep", (10_000_000,), "stack_overflow", "stack"),
    ]
    for name, arguments, code, words in wanted:
        for _ in range(3):
            with pytest.raises(Trap) as caught:
                bind(name)(*arguments)
            assert caught.value.code == code
            assert words in str(caught.value)
            assert "\n" not in str(caught.value)
            assert "wasm trap" in caught.value.detail
            assert bind("add")(2, 3) == 5
    assert instance.words[2] == 7  # written before the trap
    assert bind("deep")(1000) == 1000


def test_a_trap_in_one_call_is_not_reported_by_another(instance: Instance) -> None:
    with pytest.raises(Trap):
        instance.long("unreachable")()
    assert instance.quick("nothing")() == 0
    assert instance.long("nothing")() == 0


# ----------------------------------------------------------------------------------- threads


def wait_until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.0005)


def test_long_calls_of_two_instances_run_at_a_time_and_let_python_run(module: Module) -> None:
    """Both count while this thread looks at them and stops them; `spin` gives 1 only if stopped."""
    pair = [Instance(module), Instance(module)]
    results: list[int] = []
    spins = [one.long("spin") for one in pair]
    threads = [threading.Thread(target=lambda spin=spin: results.append(spin())) for spin in spins]
    for thread in threads:
        thread.start()
    for _ in range(2):
        for one in pair:
            before = one.words[COUNTER]
            wait_until(lambda one=one, before=before: one.words[COUNTER] > before)
    assert results == []
    for one in pair:
        one.words[STOP // 4] = 1
    for thread in threads:
        thread.join()
    assert results == [1, 1]


def test_python_waits_for_quick_calls(module: Module) -> None:
    """Another thread does nothing meanwhile, whereas during a long call it does."""
    instance = Instance(module)
    done, steps = threading.Event(), [0]

    def work() -> None:
        while not done.is_set():
            steps[0] += 1
            time.sleep(0)

    def steps_during(call: calls.Call) -> int:
        time.sleep(0.01)
        before = steps[0]
        call(100_000_000)
        return steps[0] - before

    interval = sys.getswitchinterval()
    sys.setswitchinterval(100)  # a thread keeps the lock until it gives it up
    thread = threading.Thread(target=work)
    try:
        thread.start()
        assert steps_during(instance.quick("count")) == 0
        assert steps_during(instance.long("count")) > 0
    finally:
        done.set()
        sys.setswitchinterval(interval)
        thread.join()


def test_an_instance_refuses_a_second_call_while_one_runs(instance: Instance) -> None:
    results: list[int] = []
    spin = instance.long("spin")
    thread = threading.Thread(target=lambda: results.append(spin()))
    thread.start()
    wait_until(lambda: instance.words[COUNTER] > 0)
    try:
        for call in (instance.quick("answer"), instance.long("answer")):
            for _ in range(2):
                with pytest.raises(Busy):
                    call()
        with pytest.raises(Busy):
            instance.quick("add")(1, 2)
    finally:
        instance.words[STOP // 4] = 1
        thread.join()
    assert results == [1]
    assert instance.quick("answer")() == instance.long("answer")() == 42


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_process_can_compile_and_run() -> None:
    code = """
import os, signal, sys
from ludex.backends.wasm.host import Instance, Module, Trap
wasm = bytes.fromhex(sys.argv[1])
first = Instance(Module.compile(wasm))
pid = os.fork()
if pid == 0:
    signal.alarm(60)
    second = Instance(Module.compile(wasm))
    caught = 0
    for instance in (first, second):
        try:
            instance.quick("get")(-4)
        except Trap:
            caught += 1
    os._exit(caught + first.quick("add")(1, 2) + second.quick("add")(3, 4))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", code, SAMPLE.hex()], check=False)
    assert result.returncode == 2 + 3 + 7


# ---------------------------------------------------------------------------------- interrupts


@pytest.fixture
def interrupts() -> Iterator[Callable[[Callable[[], bool]], None]]:
    """Ctrl-C is KeyboardInterrupt here; what is given presses it as soon as a condition holds."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threads: list[threading.Thread] = []

    def press_when(condition: Callable[[], bool]) -> None:
        def press() -> None:
            wait_until(condition)
            os.kill(os.getpid(), signal.SIGINT)

        threads.append(threading.Thread(target=press))
        threads[-1].start()

    try:
        yield press_when
    finally:
        for thread in threads:
            thread.join()
        signal.signal(signal.SIGINT, before)


posix = pytest.mark.skipif(os.name != "posix", reason="a process cannot press Ctrl-C for itself alone")
Press = Callable[[Callable[[], bool]], None]


@posix
def test_ctrl_c_ends_a_long_call(instance: Instance, interrupts: Press) -> None:
    results: list[int] = []
    spin = instance.long("spin")
    interrupts(lambda: instance.words[COUNTER] > 0)
    with pytest.raises(KeyboardInterrupt):
        instance.run_interruptibly(lambda: results.append(spin()), STOP)
    assert results == [1]  # it was told to stop, and was waited for
    assert instance.words[STOP // 4] == 0
    assert instance.words[COUNTER] > 0
    assert instance.quick("answer")() == 42


@posix
def test_a_trap_after_ctrl_c_is_not_left_behind(instance: Instance, interrupts: Press) -> None:
    interrupts(lambda: instance.words[COUNTER] > 0)
    with pytest.raises(KeyboardInterrupt):
        instance.run_interruptibly(instance.long("spin_then_trap"), STOP)
    assert instance.long("nothing")() == instance.quick("nothing")() == 0


@posix
@pytest.mark.parametrize(
    "name, arguments", [("count_then_trap", (300_000_000,)), ("count_much_then_trap", ())]
)
def test_ctrl_c_during_a_call_that_traps_leaves_nothing_behind(
    bind: Callable[[str], calls.Call], instance: Instance, name: str, arguments: tuple[int, ...]
) -> None:
    """Called from the main thread, so the signal is handled the moment the trapped call returns."""
    call = bind(name)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(KeyboardInterrupt):
            call(*arguments)  # takes longer than that on any machine
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert instance.words[COUNTER] == 300_000_000
    assert instance.quick("nothing")() == instance.long("nothing")() == 0


@posix
def test_the_second_ctrl_c_waits_for_nothing(instance: Instance, interrupts: Press) -> None:
    asked = threading.Event()
    interrupts(lambda: instance.words[COUNTER] > 0)
    interrupts(asked.is_set)
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly_alone(instance.long("spin"), asked.set)
    with pytest.raises(Busy):
        instance.quick("answer")()
    instance.words[STOP // 4] = 1

    def ended() -> bool:
        try:
            return instance.quick("answer")() == 42
        except Busy:
            return False

    wait_until(ended)


def test_run_interruptibly_gives_results_and_raises_failures(instance: Instance) -> None:
    add, unreachable = instance.long("add"), instance.long("unreachable")
    assert instance.run_interruptibly(lambda: add(2, 3), STOP) == 5
    with pytest.raises(Trap):
        instance.run_interruptibly(unreachable, STOP)
    with pytest.raises(ZeroDivisionError):
        instance.run_interruptibly(lambda: 1 // 0, STOP)


def test_outside_the_main_thread_the_call_runs_right_there() -> None:
    where: list[int] = []

    def work() -> None:
        run_interruptibly_alone(lambda: where.append(threading.get_ident()), lambda: None)
        where.append(threading.get_ident())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert where[0] == where[1]
    here = run_interruptibly_alone(threading.get_ident, lambda: None)
    assert here != threading.get_ident()
