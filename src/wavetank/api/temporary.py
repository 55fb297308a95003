from __future__ import annotations

import weakref
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TypeVar

_T = TypeVar("_T")


def in_temporary_folder(make: Callable[[Path], _T]) -> _T:
    """Returns what `make` makes of a new folder; the folder is removed with the returned object."""
    temporary = mkdtemp(prefix="wavetank-")
    try:
        made = make(Path(temporary) / "results")
    except BaseException:
        rmtree(temporary, ignore_errors=True)
        raise
    weakref.finalize(made, rmtree, temporary, ignore_errors=True)
    return made
