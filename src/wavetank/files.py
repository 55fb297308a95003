"""Files that are written whole or not at all, locks, and temporary folders."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from typing import TextIO

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

from wavetank.errors import InputError

_YOUNG_S = 60  # a folder that is younger may not have its lock yet
_LONGEST_HOLDER = 200  # characters of a lock that are shown
_PREFIX = "wavetank-"  # of temporary folders
_LOCK = "lock"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields a temporary path beside `path`: what is written there takes its place, or is removed after an error.

    InputError if it cannot be written.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", source=str(path)) from None
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def writing_into(path: Path) -> Iterator[None]:
    """Raises InputError if something in `path` cannot be written: the disk is full, or read-only."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", source=str(path)) from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock of a file, which the system releases when this process ends, whatever ends it."""
    with path.open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


class LockedError(Exception):
    """Another process holds a lock; the message says which, and since when."""


def take_lock(path: Path) -> TextIO:
    """Takes the lock of a file until that is closed or this process ends, whatever ends it.

    LockedError if another process holds it, OSError if the file cannot be written.
    """
    file = path.open("a+")
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read(_LONGEST_HOLDER).strip()
        file.close()
        raise LockedError(holder or "another process") from None
    _sign(file)
    return file


def wait_for_lock(path: Path, waits: Callable[[str], None]) -> TextIO:
    """Takes the lock of a file; if another process holds it, calls `waits` with which one that is, and waits for it."""
    try:
        return take_lock(path)
    except LockedError as error:
        waits(str(error))
    file = path.open("a+")
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)
    _sign(file)
    return file


def _sign(file: TextIO) -> None:
    """Writes who holds a lock into its file, for those who wait."""
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    file.truncate(0)
    file.write(f"process {os.getpid()}, since {since}\n")
    file.flush()


def remove_unlocked(folder: Path, lock: str) -> None:
    """Removes a folder if its file `lock` is there and no process holds it."""
    if fcntl is None:
        return
    with suppress(OSError), (folder / lock).open() as file:  # no such file, or it is locked
        if time.time() - folder.stat().st_mtime > _YOUNG_S:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            rmtree(folder, ignore_errors=True)


@contextmanager
def held_alone(folder: Path, problem: InputError) -> Iterator[None]:
    """Holds the lock of a folder; raises `problem` if another process holds it."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise problem from None
    finally:
        os.close(descriptor)


class TemporaryFolder:
    """A new folder among the system's temporary files, which `remove` removes.

    What killed processes have left there is removed when another one makes such a folder.
    """

    def __init__(self) -> None:
        for left in Path(gettempdir()).glob(f"{_PREFIX}*"):
            remove_unlocked(left, _LOCK)
        self.path = Path(mkdtemp(prefix=_PREFIX))
        self._lock = (self.path / _LOCK).open("w")
        if fcntl is not None:
            fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Removes it."""
        self._lock.close()
        rmtree(self.path, ignore_errors=True)
