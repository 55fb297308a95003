"""The lines of an SWF file as columns of numbers, a block of the file at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wavetank.errors import InputError
from wavetank.workloads.inputfile import InputFile, on_line
from wavetank.workloads.tables.jobtable import Integers

COLUMNS = (
    "job number",
    "submit time",
    "wait time",
    "run time",
    "number of processors",
    "average CPU time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding job",
    "think time",
)

_NEWLINE, _SPACE = 10, 32


class Rows(NamedTuple):
    """Lines of 18 finite numbers, whole ones if all of the block are; `lines` are their numbers in the file."""

    lines: Integers
    values: NDArray[np.int64] | NDArray[np.float64]

    def where(self, kept: NDArray[np.bool_]) -> Rows:
        """Returns the rows that are marked."""
        return self if kept.all() else Rows(self.lines[kept], self.values[kept])


def rows_of(file: InputFile) -> Iterator[Rows]:
    """Yields the rows of a file; comments and empty lines are passed over.

    If the first line has more than 18 fields, all lines may have, and those after the 18th are ignored.
    """
    first, width = 1, 0
    for block in map(_without_comments, file.blocks()):
        width = width or _first_width(block)
        yield _rows(file, _cut(file, block) if width > len(COLUMNS) else block, first)
        first += block.count(b"\n")


def _first_width(block: bytes) -> int:
    return next((len(words) for line in block.split(b"\n") if (words := line.split())), 0)


def _cut(file: InputFile, block: bytes) -> bytes:
    """Leaves out fields after the 18th, which may be texts, and counts the lines that have some."""
    lines = [line.split(None, len(COLUMNS)) for line in block.split(b"\n")]
    file.assumed["line with more than 18 fields, of which the first 18 are read"] += sum(
        len(words) > len(COLUMNS) for words in lines
    )
    return b"\n".join(b" ".join(words[: len(COLUMNS)]) for words in lines)


def _rows(file: InputFile, block: bytes, first: int) -> Rows:
    counts = _fields_per_line(block)
    if not np.isin(counts, (0, len(COLUMNS))).all():
        return _rows_one_by_one(file, block, first)
    lines = np.flatnonzero(counts) + first
    values = _numbers(block, np.dtype(np.int64), len(lines))
    if values is None:
        values = _numbers(block, np.dtype(np.float64), len(lines))
    if values is None or not np.isfinite(values).all():
        return _rows_one_by_one(file, block, first)
    return Rows(lines, values.reshape(-1, len(COLUMNS)))


def _numbers(block: bytes, dtype: np.dtype[np.int64] | np.dtype[np.float64], lines: int) -> NDArray[np.int64] | None:
    """Returns the numbers in a block, or None if one of them is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # NumPy 1 warns where 2 raises
            numbers: NDArray[np.int64] = np.fromstring(block, dtype, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    return numbers if len(numbers) == lines * len(COLUMNS) else None


def _fields_per_line(block: bytes) -> Integers:
    data = np.frombuffer(block, np.uint8)
    blank = data <= _SPACE
    begins = ~blank
    begins[1:] &= blank[:-1]
    starts = np.concatenate(([0], np.flatnonzero(data == _NEWLINE) + 1))
    counts: Integers = np.add.reduceat(begins, starts[starts < len(data)], dtype=np.int64)
    return counts


def _without_comments(block: bytes) -> bytes:
    if b";" not in block:
        return block
    lines = block.split(b"\n")
    return b"\n".join(b"" if line.lstrip().startswith(b";") else line for line in lines)


def _rows_one_by_one(file: InputFile, block: bytes, first: int) -> Rows:
    """Reads a block in which something is wrong, to name it."""
    lines, values = [], []
    for number, line in enumerate(block.split(b"\n"), first):
        try:
            row = _row(line.split())
        except InputError as error:
            file.skip(on_line(error, number), "a line that is not 18 numbers")
            continue
        if row:
            lines.append(number)
            values.append(row)
    return Rows(np.array(lines, np.int64), np.array(values, np.float64).reshape(-1, len(COLUMNS)))


def _row(words: list[bytes]) -> list[float]:
    if words and len(words) != len(COLUMNS):
        raise InputError(f"expected {len(COLUMNS)} fields, got {len(words)} (is the line cut off?)")
    return [_number(word, column) for word, column in zip(words, COLUMNS, strict=False)]


def _number(word: bytes, column: str) -> float:
    try:
        number = float(word)
        if np.isfinite(number):
            return number
    except ValueError:
        pass
    raise InputError(f"expected a number, got {word.decode('utf-8', 'replace')!r:.60}", path=column)
