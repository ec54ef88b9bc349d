"""The user's cache of compiled modules: machine code, kept by key from one run to the next.

A back end executes what it finds here, and the runtime accepts machine code with flipped bits.
So nothing is taken from the cache unless all of this holds:

- the folder is a real one, belongs to the user and nobody else may look into it (mode 0700);
- the file in it is a regular one that belongs to the user and that nobody else may write;
- its checksum, taken over its key and its content, agrees: neither damaged nor filed under a
  key that is not its own.

The checksum guards against damage, ownership against other people. A secret key would add
nothing: whoever can write as the user can read the secret and can change the program itself.

Nothing here ever fails: what cannot be read is absent, what cannot be written is not kept.
Writers need no lock, since a file appears by an atomic rename; readers and writers may be any
number of threads and processes. May import: nothing of ludex.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

VARIABLE: Final = "LUDEX_CACHE"
"""Environment variable that names another cache folder; empty switches the cache off."""

MAX_BYTES: Final = 64 << 20
"""Size of all files together, above which the ones used longest ago are removed."""

_MAGIC: Final = b"ludex machine code 1\n"
_SUFFIX: Final = ".module"
_UNFINISHED: Final = ".unfinished"
_UNFINISHED_SECONDS: Final = 600.0
"""Age at which a file that its writer never renamed is taken for abandoned."""


class Cache:
    """Content by key in one folder. Keys are lower-case hexadecimal digests."""

    __slots__ = ("_folder", "_max_bytes")

    def __init__(self, folder: Path | None, max_bytes: int = MAX_BYTES) -> None:
        """`folder` is made when first written to; without one nothing is kept."""
        self._folder = folder
        self._max_bytes = max_bytes

    def read(self, key: str) -> bytes | None:
        """What was written under `key`, intact, or None."""
        if self._folder is None or not _is_private(self._folder):
            return None
        path = self._folder / (key + _SUFFIX)
        try:
            with open(os.open(path, os.O_RDONLY | _NO_SURPRISES), "rb") as file:
                if not _is_ours_alone(os.fstat(file.fileno())):
                    return None
                content = file.read(self._max_bytes + 1)
        except (OSError, ValueError):
            return None
        header = len(_MAGIC) + 32
        body = content[header:]
        if content[:header] != _MAGIC + _checksum(key, body):
            return None
        with suppress(OSError):
            os.utime(path)  # the time of last use decides what is removed first
        return body

    def write(self, key: str, body: bytes) -> None:
        """Keeps `body` under `key`, in place of whatever was there, if that can be done."""
        import tempfile  # dear, and rarely needed

        if self._folder is None or len(body) > self._max_bytes // 2:
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_private(self._folder):
                return
            handle, name = tempfile.mkstemp(suffix=_UNFINISHED, dir=self._folder)
            try:
                with open(handle, "wb") as file:
                    file.write(_MAGIC + _checksum(key, body))
                    file.write(body)
                os.replace(name, self._folder / (key + _SUFFIX))
            except BaseException:
                with suppress(OSError):
                    os.unlink(name)
                raise
            self._trim()
        except (OSError, ValueError):
            return

    def _trim(self) -> None:
        """Removes what was used longest ago until the rest fits, and what writers left behind."""
        now = time.time()
        kept = []
        for path, status in self._files():
            if path.suffix == _SUFFIX:
                kept.append((status.st_mtime_ns, status.st_size, path))
            elif path.suffix == _UNFINISHED and now - status.st_mtime > _UNFINISHED_SECONDS:
                with suppress(OSError):
                    path.unlink()
        total = sum(size for _, size, _ in kept)
        for _, size, path in sorted(kept):
            if total <= self._max_bytes:
                break
            with suppress(OSError):
                path.unlink()
            total -= size

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        assert self._folder is not None
        for path in self._folder.iterdir():
            with suppress(OSError):  # another process may have removed it meanwhile
                yield path, path.lstat()


def user_cache() -> Cache:
    """The cache that the environment asks for."""
    return Cache(user_folder())


def user_folder() -> Path | None:
    """Where compiled modules are kept, or None for nowhere.

    `modules` in `$LUDEX_CACHE` or else in the platform's folder for caches: `$XDG_CACHE_HOME/ludex`
    or `~/.cache/ludex` (XDG Base Directory 0.8), `~/Library/Caches/ludex`, `%LOCALAPPDATA%\\ludex`.
    It is a folder of our own making in any case, so its mode is ours to choose.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen is not None:
        return Path(chosen).absolute() / "modules" if chosen else None
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    if base and os.path.isabs(base):
        return Path(base) / "ludex" / "modules"
    try:
        home = Path.home()
    except RuntimeError:  # no home folder
        return None
    if sys.platform == "win32":
        return home / "AppData" / "Local" / "ludex" / "modules"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "ludex" / "modules"
    return home / ".cache" / "ludex" / "modules"


def _checksum(key: str, body: bytes) -> bytes:
    digest = sha256(key.encode())
    digest.update(b"\n")
    digest.update(body)
    return digest.digest()


if sys.platform == "win32":
    _NO_SURPRISES: Final = os.O_BINARY

    def _is_private(folder: Path) -> bool:
        """Windows keeps other users out of a profile's folders by itself."""
        return not folder.is_symlink() and folder.is_dir()

    def _is_ours_alone(status: os.stat_result) -> bool:
        return stat.S_ISREG(status.st_mode)

else:
    _NO_SURPRISES: Final = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # no link, no waiting on a pipe

    def _is_private(folder: Path) -> bool:
        try:
            status = folder.lstat()
        except (OSError, ValueError):
            return False
        mode = status.st_mode
        return stat.S_ISDIR(mode) and status.st_uid == os.geteuid() and not mode & 0o077

    def _is_ours_alone(status: os.stat_result) -> bool:
        mode = status.st_mode
        return stat.S_ISREG(mode) and status.st_uid == os.geteuid() and not mode & 0o022
