"""Columns of numbers, and of short lists of numbers, in one compressed file that numpy.load opens too."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import numpy as np
import numpy.typing as npt

from wavetank.errors import InputError

Array = npt.NDArray[Any]

_INDEX = "index.json"
_WHOLE_TYPES = (np.int8, np.int16, np.int32)


class ColumnWriter:
    """Writes rows in blocks; the same rows make the same bytes.

    Numbers are stored in the smallest type that holds all of their block. A column of lists is two: the lists one
    after the other, and `<name>.sizes`.
    """

    def __init__(self, path: Path) -> None:
        self._file = ZipFile(path, "w", ZIP_DEFLATED)
        self.blocks = 0

    def add(self, numbers: Mapping[str, Sequence[int]], lists: Mapping[str, Sequence[Array]]) -> None:
        """Writes a block of rows: columns with a number for each row, and columns with a list for each."""
        for name, column in numbers.items():
            self._write(name, np.asarray(column, np.int64))
        for name, rows in lists.items():
            self._write(name, np.concatenate(rows))
            self._write(f"{name}.sizes", np.array([len(row) for row in rows], np.int64))
        self.blocks += 1

    def close(self, index: bytes) -> None:
        """Finishes the file with the index of whatever the numbers refer to."""
        with self._file, self._file.open(_INDEX, "w") as member:
            member.write(index)

    def _write(self, name: str, values: Array) -> None:
        with self._file.open(f"{self.blocks}/{name}.npy", "w") as member:
            np.lib.format.write_array(member, _narrowed(values), allow_pickle=False)


class ColumnReader:
    """Reads what a ColumnWriter wrote; a file that is none is an InputError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = ZipFile(path)
        except (OSError, BadZipFile) as error:
            raise self._unreadable(error) from None
        self.index = self._read(_INDEX)

    def numbers(self, block: int, name: str) -> Array:
        """Returns a column with a number for each row of the block."""
        try:
            column: Array = np.load(BytesIO(self._read(f"{block}/{name}.npy")), allow_pickle=False)
        except ValueError as error:
            raise self._unreadable(error) from None
        return column

    def lists(self, block: int, name: str) -> list[Array]:
        """Returns a column with a list for each row of the block."""
        ends = np.cumsum(self.numbers(block, f"{name}.sizes"), dtype=np.int64)
        return np.split(self.numbers(block, name), ends[:-1])

    def _read(self, member: str) -> bytes:
        try:
            return self._file.read(member)
        except (OSError, KeyError, BadZipFile, EOFError, zlib.error) as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: Exception) -> InputError:
        return InputError(f"not a recording of attempts: {error}", source=str(self._path))


def _narrowed(values: Array) -> Array:
    if values.dtype.kind != "i" or not len(values):
        return values
    low, high = values.min(), values.max()
    fitting = (kind for kind in _WHOLE_TYPES if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    return values.astype(next(fitting, np.int64))
