"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

from wavetank.errors import InputError

_YOUNG_S = 60  # a folder that is younger may not have its lock yet


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
def locked(path: Path) -> Iterator[None]:
    """Holds the lock of a file, which the system releases when this process ends, whatever ends it."""
    with path.open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def remove_unlocked(folder: Path, lock: str) -> None:
    """Removes a folder if its file `lock` is there and no process holds it."""
    if fcntl is None:
        return
    with suppress(OSError), (folder / lock).open() as file:  # no such file, or it is locked
        if time.time() - folder.stat().st_mtime > _YOUNG_S:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            rmtree(folder, ignore_errors=True)
