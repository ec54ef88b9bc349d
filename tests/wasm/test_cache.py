"""The cache gives back what was put in, or nothing: never anything else, and never an error."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ludex.backends.wasm.cache import Cache, user_folder

posix = pytest.mark.skipif(os.name != "posix", reason="modes and owners are those of POSIX")

KEY, OTHER = "ab" * 32, "cd" * 32
BODY = bytes(range(256)) * 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "modules"


def only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


# ----------------------------------------------------------------------------- what it keeps


def test_what_was_written_is_read(folder: Path) -> None:
    cache = Cache(folder)
    assert cache.read(KEY) is None
    cache.write(KEY, BODY)
    cache.write(OTHER, b"")
    assert (cache.read(KEY), cache.read(OTHER)) == (BODY, b"")
    assert Cache(folder).read(KEY) == BODY


def test_the_last_write_counts(folder: Path) -> None:
    cache = Cache(folder)
    cache.write(KEY, b"old")
    cache.write(KEY, BODY)
    assert cache.read(KEY) == BODY
    assert only_file(folder)


@posix
def test_nobody_else_may_look(folder: Path) -> None:
    umask = os.umask(0)
    try:
        Cache(folder).write(KEY, BODY)
    finally:
        os.umask(umask)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert only_file(folder).stat().st_mode & 0o077 == 0


# ---------------------------------------------------------------------- what it does not trust


@pytest.mark.parametrize("position", [0, 5, 20, 21, 40, 52, 53, 1000, -1])
def test_one_flipped_bit_is_noticed(folder: Path, position: int) -> None:
    cache = Cache(folder)
    cache.write(KEY, BODY)
    path = only_file(folder)
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(content)
    assert cache.read(KEY) is None
    cache.write(KEY, BODY)
    assert cache.read(KEY) == BODY


@pytest.mark.parametrize("size", [0, 1, 21, 30, 53, 100])
def test_a_file_cut_short_is_noticed(folder: Path, size: int) -> None:
    cache = Cache(folder)
    cache.write(KEY, BODY)
    path = only_file(folder)
    path.write_bytes(path.read_bytes()[:size])
    assert cache.read(KEY) is None


def test_bytes_appended_are_noticed(folder: Path) -> None:
    cache = Cache(folder)
    cache.write(KEY, BODY)
    with only_file(folder).open("ab") as file:
        file.write(b"\0")
    assert cache.read(KEY) is None


def test_a_file_under_another_key_is_noticed(folder: Path) -> None:
    cache = Cache(folder)
    cache.write(KEY, BODY)
    path = only_file(folder)
    path.rename(path.with_name(path.name.replace(KEY, OTHER)))
    assert cache.read(OTHER) is None


@posix
@pytest.mark.parametrize("mode", [0o701, 0o710, 0o704, 0o770, 0o777, 0o1777])
def test_a_folder_open_to_others_is_not_used(folder: Path, mode: int) -> None:
    cache = Cache(folder)
    cache.write(KEY, BODY)
    folder.chmod(mode)
    assert cache.read(KEY) is None
    cache.write(OTHER, BODY)
    folder.chmod(0o700)
    assert cache.read(OTHER) is None
    assert cache.read(KEY) == BODY


@posix
def test_a_link_to_a_folder_is_not_used(folder: Path, tmp_path: Path) -> None:
    real = tmp_path / "real"
    Cache(real).write(KEY, BODY)
    folder.parent.mkdir()
    folder.symlink_to(real)
    assert Cache(folder).read(KEY) is None
    Cache(folder).write(OTHER, BODY)
    assert Cache(real).read(OTHER) is None


@posix
def test_a_file_that_others_may_write_is_not_used(folder: Path) -> None:
    cache = Cache(folder)
    cache.write(KEY, BODY)
    only_file(folder).chmod(0o620)
    assert cache.read(KEY) is None


@posix
def test_a_link_to_a_file_is_not_used(folder: Path, tmp_path: Path) -> None:
    cache = Cache(folder)
    cache.write(KEY, BODY)
    path = only_file(folder)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert cache.read(KEY) is None


@posix
def test_a_pipe_in_place_of_a_file_holds_nobody_up(folder: Path) -> None:
    cache = Cache(folder)
    cache.write(KEY, BODY)
    path = only_file(folder)
    path.unlink()
    os.mkfifo(path, 0o600)
    assert cache.read(KEY) is None


@posix
def test_what_belongs_to_somebody_else_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(folder)
    cache.write(KEY, BODY)
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert cache.read(KEY) is None
    cache.write(OTHER, BODY)
    monkeypatch.undo()
    assert cache.read(OTHER) is None


# --------------------------------------------------------------------------- what it survives


def test_without_a_folder_nothing_is_kept() -> None:
    cache = Cache(None)
    cache.write(KEY, BODY)
    assert cache.read(KEY) is None


def test_a_file_in_the_way_is_no_error(folder: Path) -> None:
    folder.parent.write_text("not a folder")
    cache = Cache(folder)
    cache.write(KEY, BODY)
    assert cache.read(KEY) is None


def test_a_folder_in_place_of_a_file_is_no_error(folder: Path) -> None:
    cache = Cache(folder)
    cache.write(KEY, BODY)
    path = only_file(folder)
    path.unlink()
    path.mkdir()
    assert cache.read(KEY) is None
    cache.write(KEY, BODY)
    assert only_file(folder) == path  # and the unfinished file is gone


def test_a_path_that_cannot_be_is_no_error(tmp_path: Path) -> None:
    for name in ("a\0b", "x" * 5000):
        cache = Cache(tmp_path / name)
        cache.write(KEY, BODY)
        assert cache.read(KEY) is None


def test_a_full_disk_is_no_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "no space left on device")

    cache = Cache(folder)
    monkeypatch.setattr(os, "replace", full)
    cache.write(KEY, BODY)
    assert list(folder.iterdir()) == []
    assert cache.read(KEY) is None


# ------------------------------------------------------------------------------ how it is kept small


def test_what_was_used_longest_ago_goes_first(folder: Path) -> None:
    cache = Cache(folder, max_bytes=4500)
    keys = [f"{i:064x}" for i in range(4)]
    for i, key in enumerate(keys):
        cache.write(key, bytes(1000))
        (path,) = folder.glob(f"{key}*")
        os.utime(path, (1000.0 + i, 1000.0 + i))
    assert len(list(folder.iterdir())) == 4
    assert cache.read(keys[0]) is not None  # now the second is the one used longest ago
    cache.write(KEY, bytes(1000))
    assert [cache.read(k) is not None for k in [*keys, KEY]] == [True, False, True, True, True]
    assert sum(p.stat().st_size for p in folder.iterdir()) <= 4500


def test_what_would_fill_the_cache_alone_is_not_kept(folder: Path) -> None:
    cache = Cache(folder, max_bytes=4500)
    cache.write(OTHER, bytes(1000))
    cache.write(KEY, bytes(4000))
    assert cache.read(KEY) is None
    assert cache.read(OTHER) == bytes(1000)


def test_files_that_were_never_finished_go_but_not_those_being_written(folder: Path) -> None:
    cache = Cache(folder)
    cache.write(OTHER, BODY)
    for name, age in (("abandoned.unfinished", 5000), ("new.unfinished", 1), ("notes.txt", 5000)):
        (folder / name).write_bytes(b"")
        os.utime(folder / name, (time.time() - age,) * 2)
    cache.write(KEY, BODY)
    assert {p.name for p in folder.iterdir() if KEY not in p.name and OTHER not in p.name} == {
        "new.unfinished", "notes.txt",
    }


# ------------------------------------------------------------------------- many users at a time

WORKER = """
import sys
from pathlib import Path
from ludex.backends.wasm.cache import Cache
cache = Cache(Path(sys.argv[1]), max_bytes=60_000)
for i in range(150):
    key = f"{i % 7:064x}"
    cache.write(key, bytes([i % 7]) * 9000)
    for j in range(7):
        body = cache.read(f"{j:064x}")
        assert body is None or body == bytes([j]) * 9000, (i, j)
"""


def test_processes_write_and_read_at_a_time(folder: Path) -> None:
    """What is read is whole and right, while files are replaced and removed by others."""
    workers = [subprocess.Popen([sys.executable, "-c", WORKER, str(folder)]) for _ in range(3)]
    assert [w.wait(timeout=120) for w in workers] == [0, 0, 0]
    assert {p.suffix for p in folder.iterdir()} == {".module"}


def test_threads_write_and_read_at_a_time(folder: Path) -> None:
    seen: list[bytes | None] = []

    def work(byte: int) -> None:
        cache = Cache(folder)
        for _ in range(30):
            cache.write(KEY, bytes([byte]) * 5000)
            seen.append(cache.read(KEY))

    threads = [threading.Thread(target=work, args=(b,)) for b in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 90
    assert set(seen) <= {bytes([b]) * 5000 for b in (1, 2, 3)}


# ------------------------------------------------------------------------------- where it lies


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("LUDEX_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="XDG is for the others")
def test_the_folder_is_that_of_xdg(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert user_folder() == home / ".cache" / "ludex" / "modules"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "elsewhere"))
    assert user_folder() == home / "elsewhere" / "ludex" / "modules"
    for ignored in ("", "relative/path"):  # "must be absolute", "if empty, the default"
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert user_folder() == home / ".cache" / "ludex" / "modules"


def test_another_folder_can_be_named_and_none(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDEX_CACHE", str(home / "mine"))
    assert user_folder() == home / "mine" / "modules"
    monkeypatch.chdir(home)
    monkeypatch.setenv("LUDEX_CACHE", "here")
    assert user_folder() == home / "here" / "modules"
    monkeypatch.setenv("LUDEX_CACHE", "")
    assert user_folder() is None


def test_without_a_home_there_is_no_cache(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("could not determine home directory")

    monkeypatch.setattr(Path, "home", homeless)
    assert user_folder() is None
