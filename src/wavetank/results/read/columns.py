"""Columns of a table of results, read fast; an error names the row and column."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from wavetank.errors import InputError
from wavetank.results.columns.coded import Coded
from wavetank.results.schema import Table
from wavetank.workloads.tables.plaincells import plain_columns

Floats = NDArray[np.float64]

_PART = 1 << 18  # characters in hand at a time


class Columns:
    """Columns of a table in a folder, as texts or numbers by the schema; only the named ones are read."""

    def __init__(self, folder: Path, table: Table, names: Sequence[str]) -> None:
        path = folder / table.file
        self._source = str(path)
        texts = [name for name in names if table.type_of(name) is str]
        self._texts: dict[str, Coded[str]] = {name: Coded() for name in texts}
        self._numbers: dict[str, list[Floats]] = {name: [np.empty(0)] for name in names if name not in texts}
        row = 2
        for part in self._parts(path, names):
            cells = dict(zip(names, part, strict=True))
            for name, column in self._texts.items():
                column.extend(cells[name])
            for name, columns in self._numbers.items():
                columns.append(self._as_numbers(name, cells[name], row))
            row += len(part[0])

    def texts(self, name: str) -> Coded[str]:
        """Returns the cells of a column as they stand."""
        return self._texts[name]

    def numbers(self, name: str) -> Floats:
        """Returns the cells of a column as numbers, NaN where a cell is empty."""
        return np.concatenate(self._numbers[name])

    def _as_numbers(self, name: str, cells: Sequence[str], row: int) -> Floats:
        try:
            filled = [cell or "nan" for cell in cells] if "" in cells else cells
            return np.array(list(map(float, filled)), np.float64)
        except ValueError:
            raise self._not_a_number(name, cells, row) from None

    def _not_a_number(self, name: str, cells: Sequence[str], first: int) -> InputError:
        for row, cell in enumerate(cells, first):
            try:
                float(cell or "nan")
            except ValueError:
                return InputError(f"expected a number, got {cell!r}", path=f"row {row}: {name}", source=self._source)
        raise AssertionError("called for a column of numbers")

    def _parts(self, path: Path, names: Sequence[str]) -> Iterator[list[Sequence[str]]]:
        """Yields the cells of some rows, a column for each name."""
        try:
            with path.open(newline="", encoding="utf-8") as file:
                header = next(csv.reader([file.readline()]), [])
                wanted = self._places(header, names)
                row = 2
                while lines := file.readlines(_PART):
                    part = self._cells(file, lines, wanted, len(header), row)
                    row += len(part[0])
                    yield part
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", source=self._source) from None
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"expected CSV in UTF-8: {error}", source=self._source) from None

    def _places(self, header: list[str], names: Sequence[str]) -> list[int]:
        missing = [name for name in names if name not in header]
        if missing:
            got = ", ".join(header) or "nothing"
            raise InputError(f"expected a column {missing[0]!r}, got {got}", source=self._source)
        return [header.index(name) for name in names]

    def _cells(self, file: TextIO, lines: list[str], wanted: list[int], width: int, first: int) -> list[Sequence[str]]:
        plain = plain_columns("".join(lines), width)
        if plain is not None:
            return [plain[place] for place in wanted]
        rows = list(_rows(file, lines))
        for row, cells in enumerate(rows, first):
            if len(cells) <= max(wanted):
                raise InputError(f"expected {width} cells", path=f"row {row}", source=self._source)
        return [[cells[place] for cells in rows] for place in wanted]


def header_of(path: Path) -> list[str]:
    """Returns the names of the columns of a CSV file; none if it cannot be read."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return next(csv.reader([file.readline()]), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return []


def _rows(file: TextIO, lines: list[str]) -> Iterator[list[str]]:
    """Yields the rows of some lines, and reads on in the file if a cell does not end with the last line."""
    reader = csv.reader(chain(lines, file))
    for row in reader:
        yield row
        if reader.line_num >= len(lines):
            return
