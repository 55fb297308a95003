"""What the columns of a table of pods mean, be it CSV or Parquet.

| column | means |
|---|---|
| `name` | of the pod; `pod-<row>` if there is no such column |
| `namespace` | of the pod; `default` |
| `arrival_s` | when it is submitted, in seconds from the start of the run: the only one that must be there |
| `duration_s` | how long it runs; empty: forever |
| `cpu_milli`, `memory_bytes` | what it requests, in thousandths of a core and in bytes |
| `cpu`, `memory` | the same as Kubernetes writes it: `500m`, `1Gi` |
| `ephemeral-storage`, `hugepages-…`, `nvidia.com/gpu`, … | any other resource that it requests, in bytes or counts |
| `priority`, `scheduler` | its priority and schedulerName |
| `label:<key>`, `selector:<key>` | a label, a label that its node must have |
| `exit_code` | with which it ends; 0 |
| `pods`, `walltime_s` | makes jobs of the rows: so many pods `<name>-<rank>` that run together, and their time limit |

Times may also be in whole nanoseconds: `arrival_ns`, `duration_ns`, `walltime_ns`. An empty cell is as no column.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.fields.selectors import read_node_name
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.tables.jobtable import NONE, Integers, Jobs, Kind

ARRIVAL, DURATION, WALLTIME = "arrival", "duration", "walltime"
UNITS = {"_s": SECOND, "_ns": 1}
LABEL, SELECTOR = "label:", "selector:"
AMOUNTS = {"cpu_milli": CPU, "memory_bytes": MEMORY}  # columns in units of the scheduler's own

_EXACT = 2**50 / SECOND  # seconds: below that a float tells nanoseconds apart even after a product
_EMPTY = {None, ""}
_LONGEST_NAME = 253
_OF_NAMES = b"-abcdefghijklmnopqrstuvwxyz0123456789"
_DEFAULTS: dict[str, Any] = {"namespace": "default", "exit_code": 0, "pods": 1}


_Bad = dict[int, tuple[int, InputError]]  # by row: the column, and what is wrong there


class _Time(NamedTuple):
    """A column of times."""

    column: int
    unit: Nanoseconds


class Layout:
    """Which column of a table means what; an unknown or a missing one is an InputError that names it."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = columns
        self._times: dict[str, _Time] = {}
        self._readers: dict[int, Callable[[Any], Hashable]] = {}
        self._fixed: dict[str, int] = {}
        self._asks: list[int] = []
        for i, column in enumerate(columns):
            if column in columns[:i]:
                raise InputError("appears twice in the header", path=f"column {column!r:.60}")
            self._place(i, column)
        if ARRIVAL not in self._times:
            raise InputError("a table of pods needs the column arrival_s (when each is submitted)", path="header")

    def __reduce__(self) -> tuple[object, ...]:  # readers are closures, which cannot be pickled
        return Layout, (self.columns,)

    @property
    def of_jobs(self) -> bool:
        """Tells whether the rows are jobs of their own."""
        return "pods" in self._fixed or WALLTIME in self._times

    def _place(self, i: int, column: str) -> None:
        for base in (ARRIVAL, DURATION, WALLTIME):
            for suffix, unit in UNITS.items():
                if column == base + suffix:
                    if base in self._times:
                        raise InputError(f"there is another column for the {base}", path=f"column {column!r}")
                    self._times[base] = _Time(i, unit)
                    return
        if column in _FIXED:
            self._fixed[column] = i
            self._readers[i] = _FIXED[column]
        else:
            self._readers[i] = _ask_reader(column)
            self._asks.append(i)

    def jobs(self, file: InputFile, lines: Integers, cells: Sequence[Sequence[Any]]) -> Jobs:
        """Reads some rows, given by columns; what cannot be used is refused, or left out and counted."""
        bad: _Bad = {}
        times = {base: _ticks(cells[at.column], at, base, bad) for base, at in self._times.items()}
        read = {i: _read(cells[i], reader, i, bad) for i, reader in self._readers.items()}
        if bad:
            return self._without(bad, file, lines, cells)
        rows = len(lines)
        names = read[self._fixed["name"]] if "name" in self._fixed else [f"pod-{line}" for line in lines.tolist()]
        none = np.full(rows, NONE, np.int64)
        return Jobs(
            lines,
            names,
            self._or_default("namespace", read, rows),
            times[ARRIVAL],
            times.get(DURATION, none),
            times.get(WALLTIME, none),
            self._numbers("pods", read, rows),
            self._numbers("exit_code", read, rows),
            _shared(list(zip(*(read[i] for i in self._asks), strict=True))) if self._asks else [()] * rows,
        )

    def _or_default(self, name: str, read: dict[int, Sequence[Any]], rows: int) -> list[Any]:
        default = _DEFAULTS[name]
        if name not in self._fixed:
            return [default] * rows
        return [default if value is None else value for value in read[self._fixed[name]]]

    def _numbers(self, name: str, read: dict[int, Sequence[Any]], rows: int) -> Integers:
        if name not in self._fixed:
            return np.full(rows, _DEFAULTS[name], np.int64)
        return np.array(self._or_default(name, read, rows), np.int64)

    def _without(self, bad: _Bad, file: InputFile, lines: Integers, cells: Sequence[Sequence[Any]]) -> Jobs:
        for row, (i, error) in sorted(bad.items()):
            column = self.columns[i]
            file.skip(error.inside(path=f"line {lines[row]}: {column}"), f"row with a bad {column}")
        kept = [row for row in range(len(lines)) if row not in bad]
        return self.jobs(file, lines[kept], [[column[row] for row in kept] for column in cells])

    def kind(self, ask: tuple[Any, ...]) -> Kind:
        """Returns what the pods of a row are like."""
        given = {self.columns[i]: value for i, value in zip(self._asks, ask, strict=True) if value is not None}
        labels = {column: value for column, value in given.items() if column.startswith((LABEL, SELECTOR))}
        scheduler, priority = given.pop("scheduler", ""), given.pop("priority", None)
        return Kind(
            {AMOUNTS.get(column, column): amount for column, amount in given.items() if column not in labels},
            scheduler,
            priority,
            {key.removeprefix(LABEL): value for key, value in labels.items() if key.startswith(LABEL)},
            {key.removeprefix(SELECTOR): value for key, value in labels.items() if key.startswith(SELECTOR)},
        )


def read_amount(column: str, value: Any) -> int | None:
    """Reads a cell of a column of amounts; an empty one is None."""
    if value in _EMPTY:
        return None
    if column in AMOUNTS:
        return _whole(value, 0, 2**63 - 1)
    return fields.amounts({column: value}, "")[column]


def is_amount(column: str) -> bool:
    """Tells whether a column is one of amounts of a resource."""
    try:
        return column in AMOUNTS or column in fields.amounts({column: 1}, "")
    except InputError:
        return False


def read_label(key: str, value: Any) -> str | None:
    """Reads a cell of a column of labels; an empty one is None."""
    return None if value in _EMPTY else fields.labels({key: str(value)}, "")[key]


def unknown_column(column: str, known: Iterable[str]) -> InputError:
    """Returns what to say of a column that means nothing."""
    resources = "a resource such as nvidia.com/gpu"
    return InputError(f"expected one of {', '.join(known)}, or {resources}", path=f"unknown column {column!r:.60}")


def _shared(asks: Sequence[Hashable]) -> list[Hashable]:
    """Returns the same with one object for all that are equal: they are many, and may be held."""
    known: dict[Hashable, Hashable] = {}
    return list(map(known.setdefault, asks, asks))


def _ask_reader(column: str) -> Callable[[Any], Hashable]:
    if column == "priority":
        return lambda value: None if value in _EMPTY else _whole(value, -(2**31), 2**31 - 1)
    if column == "scheduler":
        return lambda value: str(value) if value else None
    for prefix in (LABEL, SELECTOR):
        if column.startswith(prefix):
            return partial(read_label, column.removeprefix(prefix))
    if is_amount(column):
        return partial(read_amount, column)
    times = (f"{base}_s" for base in (ARRIVAL, DURATION, WALLTIME))
    raise unknown_column(column, (*times, *_FIXED, *AMOUNTS, CPU, MEMORY, "priority", "scheduler", "label:…"))


def _whole(value: Any, least: int, most: int) -> int:
    try:
        number = int(value)
        if least <= number <= most and number == float(value):
            return number
    except (ValueError, OverflowError):
        pass
    raise InputError(f"expected a whole number from {least} to {most}, got {value!r:.60}")


def _name(value: Any) -> str:
    try:
        return read_node_name(str(value) if isinstance(value, int) else value)  # pods are named by the same rule
    except InputError:
        raise InputError(f"expected a name in lower case, with digits, dashes and dots, got {value!r:.60}") from None


_FIXED: dict[str, Callable[[Any], Hashable]] = {
    "name": _name,
    "namespace": lambda value: _name(value) if value else None,
    "pods": lambda value: None if value in _EMPTY else _whole(value, 1, fields.MOST_OBJECTS),
    "exit_code": lambda value: None if value in _EMPTY else _whole(value, 0, 255),
}


def _read(cells: Sequence[Any], read: Callable[[Any], Any], column: int, bad: _Bad) -> Sequence[Any]:
    """Reads a column; what cannot be read goes to `bad`, by row."""
    if read is _name and _are_plain_names(cells):  # names differ, everything else repeats
        return cells
    known: dict[Any, Any] = {}
    errors: dict[Any, InputError] = {}
    for cell in set(cells):
        try:
            known[cell] = read(cell)
        except InputError as error:
            errors[cell] = error
    if errors:
        for row, cell in enumerate(cells):
            if cell in errors:
                bad.setdefault(row, (column, errors[cell]))
        return ()
    return list(map(known.__getitem__, cells))


def _are_plain_names(cells: Sequence[Any]) -> bool:
    """Tells whether all are names of letters, digits and inner dashes: most are, and this sees it at a glance."""
    try:
        text = "\n".join(["", *cells, ""])
    except TypeError:  # numbers
        return False
    other = text.encode("utf-8", "replace").translate(None, _OF_NAMES)
    misplaced = any(pair in text for pair in ("\n\n", "\n-", "-\n"))
    return other == b"\n" * (len(cells) + 1) and not misplaced and max(map(len, cells), default=0) <= _LONGEST_NAME


def _ticks(cells: Sequence[Any], at: _Time, base: str, bad: _Bad) -> Integers:
    """Reads a column of times as nanoseconds; an empty cell is NONE, of an arrival 0."""
    default = 0 if base == ARRIVAL else NONE
    ticks = _ticks_at_once(cells, at.unit, default)
    if ticks is not None:
        return ticks
    slow = np.zeros(len(cells), np.int64)
    for row, cell in enumerate(cells):
        try:
            slow[row] = default if cell in _EMPTY else _tick(cell, at.unit)
        except InputError as error:
            bad.setdefault(row, (at.column, error))
    return slow


def _ticks_at_once(cells: Sequence[Any], unit: Nanoseconds, default: int) -> Integers | None:
    """Returns the column if it is one of floats that stand for nanoseconds exactly, else None."""
    empty: list[int] = []
    seconds = _floats(cells)
    if seconds is None:
        empty = [row for row, cell in enumerate(cells) if cell in _EMPTY]
        seconds = _floats([cell or 0 for cell in cells]) if empty else None
    if seconds is None:
        return None
    seconds *= unit / SECOND
    if len(seconds) and not (seconds.min() >= 0 and seconds.max() < _EXACT):
        return None
    ticks = np.rint(seconds * SECOND).astype(np.int64)
    ticks[empty] = default
    return ticks


def _floats(cells: Sequence[Any]) -> NDArray[np.float64] | None:
    try:
        return np.array(list(map(float, cells)), np.float64)
    except (TypeError, ValueError):
        return None


def _tick(cell: Any, unit: Nanoseconds) -> Nanoseconds:
    try:
        ticks = Decimal(str(cell)) * unit
        if 0 <= ticks <= fields.LONGEST:
            return round(ticks)
    except (InvalidOperation, ValueError):
        pass
    raise InputError(f"expected a time of 0 or more, at most a century, got {cell!r:.60}")
