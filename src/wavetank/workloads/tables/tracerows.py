"""Traces as comma-separated files: one row at a time, each cell checked when it is asked for."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, Never, TypeVar

import numpy as np

from wavetank.cluster.fields.selectors import read_label_value
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds, seconds
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.names import object_name
from wavetank.workloads.tables.jobtable import NONE, Jobs

T = TypeVar("T")

_PART = 4096  # rows in hand at a time
NAMESPACE = "default"
_UNUSABLE = "a row that cannot be used"


class Row:
    """The cells of one line by their column; `line` counts from 1. A cell that is not as expected names its place."""

    __slots__ = ("_cells", "line")

    def __init__(self, line: int, cells: Mapping[str, str]) -> None:
        self.line = line
        self._cells = cells

    def get(self, column: str) -> str:
        """Returns a cell as it is, empty if the file has no such column."""
        return self._cells.get(column, "")

    def text(self, column: str) -> str:
        """Returns a cell that is not empty."""
        return self.get(column) or self._refuse(column, "a text")

    def number(self, column: str, most: float = 2**53) -> float:
        """Returns a number from 0 to `most`."""
        try:
            value = float(self.get(column))
        except ValueError:
            value = math.nan
        return value if 0 <= value <= most else self._refuse(column, f"a number, 0 to {most:g}")

    def integer(self, column: str, least: int = 0, most: int = 2**53) -> int:
        """Returns a whole number from `least` to `most`."""
        text = self.get(column)
        value = int(text) if len(text) < 18 and text.removeprefix("-").isdecimal() and text.isascii() else None
        if value is None or not least <= value <= most:
            return self._refuse(column, f"a whole number, {least} to {most}")
        return value

    def time(self, column: str) -> Nanoseconds:
        """Returns a number of seconds, at most those of a century, in nanoseconds."""
        return seconds(self.number(column, fields.LONGEST / SECOND))

    def label(self, column: str, text: str | None = None) -> str:
        """Returns a cell, or a `text` from it, that may stand as the value of a label."""
        try:
            return read_label_value(self.get(column) if text is None else text)
        except InputError as error:
            raise error.inside(path=f"line {self.line}, {column}") from None

    def name(self, column: str) -> str:
        """Returns a cell as the name of a Kubernetes object."""
        return object_name(self.text(column), f"line {self.line}, {column}")

    def refusal(self, column: str, expected: str) -> InputError:
        """Returns the error that a cell of this row is not what was expected."""
        return InputError(f"expected {expected}, got {self.get(column)!r:.60}", path=f"line {self.line}, {column}")

    def _refuse(self, column: str, expected: str) -> Never:
        raise self.refusal(column, expected)


class TraceJob(NamedTuple):
    """The job of a row: `size` equal pods, described by `ask`; times in nanoseconds, NONE is forever."""

    line: int
    name: str
    time: Nanoseconds
    duration: Nanoseconds
    ask: Hashable
    size: int = 1


def cells_of_head(file: InputFile) -> list[str]:
    """Returns the cells of a file's first line, by which a trace is recognized; of other files, anything."""
    first = file.head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    return first.decode("utf-8", "replace").strip().split(",")


def rows_under_header(file: InputFile, required: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Row]:
    """Yields the rows of a file whose first line names its columns; one that is missing or unknown is refused."""
    lines = _lines(file)
    line, names = next(lines, (1, []))
    for name in required:
        if name not in names:
            raise InputError(f"expected a column {name}", path=f"line {line}", source=file.source)
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"the column {name!r:.60} stands twice", path=f"line {line}", source=file.source)
        if name not in required and name not in optional:
            known = ", ".join((*required, *optional))
            why = f"unknown column {name!r:.60}: expected {known}"
            file.skip(InputError(why, path=f"line {line}"), f"the unknown column {name!r:.60}")
    yield from _rows(file, names, lines)


def rows_without_header(file: InputFile, columns: Sequence[str]) -> Iterator[Row]:
    """Yields the rows of a file that has only data, in these columns."""
    return _rows(file, columns, _lines(file))


def jobs_of(file: InputFile, rows: Iterable[Row], read: Callable[[Row], TraceJob | None]) -> Iterator[Jobs]:
    """Yields the jobs of the rows, some thousand at a time; rows that `read` returns None for are left out."""
    return parts_of(job for job in read_each(file, rows, read) if job is not None)


def parts_of(jobs: Iterable[TraceJob]) -> Iterator[Jobs]:
    """Yields the jobs by columns, some thousand at a time."""
    left = iter(jobs)
    while part := list(islice(left, _PART)):
        yield _columns(part)


def read_each(file: InputFile, rows: Iterable[Row], read: Callable[[Row], T]) -> Iterator[T]:
    """Yields what `read` returns for each row; in lenient mode, invalid rows are left out."""
    for row in rows:
        try:
            item = read(row)
        except InputError as error:
            file.skip(error, _UNUSABLE)
        else:
            yield item


def _lines(file: InputFile) -> Iterator[tuple[int, list[str]]]:
    line = 0
    for block in file.blocks():
        for raw in block.splitlines():
            line += 1
            try:
                cells = _split(raw)
            except (UnicodeDecodeError, csv.Error) as error:
                file.skip(InputError(f"not a line of text: {error}", path=f"line {line}"), _UNUSABLE)
                continue
            if cells:
                yield line, cells


def _split(raw: bytes) -> list[str]:
    text = raw.decode()
    if '"' in text:
        return next(csv.reader([text]), [])
    return text.split(",") if text.strip() else []


def _rows(file: InputFile, names: Sequence[str], lines: Iterator[tuple[int, list[str]]]) -> Iterator[Row]:
    for line, cells in lines:
        if len(cells) == len(names):
            yield Row(line, dict(zip(names, cells, strict=True)))
        else:
            why = f"expected {len(names)} cells, got {len(cells)}"
            file.skip(InputError(why, path=f"line {line}"), _UNUSABLE)


def _columns(part: list[TraceJob]) -> Jobs:
    lines, names, times, durations, asks, sizes = zip(*part, strict=True)
    return Jobs(
        lines=np.array(lines, np.int64),
        names=names,
        namespaces=[NAMESPACE] * len(part),
        times=np.array(times, np.int64),
        durations=np.array(durations, np.int64),
        walltimes=np.full(len(part), NONE, np.int64),
        sizes=np.array(sizes, np.int64),
        exit_codes=np.zeros(len(part), np.int64),
        asks=asks,
    )
