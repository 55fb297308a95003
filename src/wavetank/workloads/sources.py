from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from wavetank.errors import InputError
from wavetank.workloads.inputfile import InputFile


@contextmanager
def naming(file: InputFile) -> Iterator[None]:
    """Lets errors that name no file name this one."""
    try:
        yield
    except InputError as error:
        raise error if error.source else error.inside(source=file.source) from None
