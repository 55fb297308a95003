"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wavetank.errors import InputError


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
