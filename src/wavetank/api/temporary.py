from __future__ import annotations

import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from wavetank.files import TemporaryFolder

_T = TypeVar("_T")


def in_temporary_folder(make: Callable[[Path], _T]) -> _T:
    """Returns what `make` makes of a new folder; the folder is removed with the returned object."""
    temporary = TemporaryFolder()
    try:
        made = make(temporary.path / "results")
    except BaseException:
        temporary.remove()
        raise
    weakref.finalize(made, temporary.remove)
    return made
