"""Columns of a CSV file, read fast and with the place named when one cannot be used."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wavetank.errors import InputError

Floats = NDArray[np.float64]


class Columns:
    """The wanted columns of a CSV file with a header row; other columns are passed over."""

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self.path = path
        self._cells = dict(zip(names, _read(path, names), strict=True))

    def texts(self, name: str) -> tuple[str, ...]:
        """Returns the cells of a column as they stand."""
        return self._cells[name]

    def numbers(self, name: str) -> Floats:
        """Returns the cells of a column as numbers, NaN where a cell is empty."""
        cells = self._cells[name]
        try:
            return np.array([float(cell) if cell else np.nan for cell in cells], dtype=np.float64)
        except ValueError:
            raise self._not_a_number(name) from None

    def _not_a_number(self, name: str) -> InputError:
        for row, cell in enumerate(self._cells[name], start=2):
            try:
                float(cell or "nan")
            except ValueError:
                return InputError(f"expected a number, got {cell!r}", path=f"row {row}: {name}", source=str(self.path))
        raise AssertionError("called for a column of numbers")


def _read(path: Path, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Returns one tuple of cells per name."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return _pick(csv.reader(file), names, str(path))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=str(path)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"expected CSV in UTF-8: {error}", source=str(path)) from None


def _pick(rows: Iterator[list[str]], names: Sequence[str], source: str) -> list[tuple[str, ...]]:
    header = next(rows, [])
    missing = [name for name in names if name not in header]
    if missing:
        got = ", ".join(header) or "nothing"
        raise InputError(f"expected a column {missing[0]!r}, got {got}", source=source)
    # The first column once more at the end: with a single name itemgetter would not give a tuple.
    wanted = itemgetter(*(header.index(name) for name in names), 0)
    picked: list[tuple[str, ...]] = []
    try:
        picked.extend(map(wanted, rows))
    except IndexError:
        line = len(picked) + 2
        raise InputError(f"expected {len(header)} cells", path=f"row {line}", source=source) from None
    return list(zip(*picked, strict=True))[:-1] if picked else [()] * len(names)
