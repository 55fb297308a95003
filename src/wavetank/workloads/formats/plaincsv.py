"""Nodes and pods as plain CSV: the easiest format for data that are neither manifests nor a known trace."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, format_amounts
from wavetank.cluster.fields.selectors import read_node_name
from wavetank.cluster.objects.resource import Manifest
from wavetank.errors import InputError
from wavetank.workloads.inputfile import InputFile, on_line
from wavetank.workloads.manifests.nodes import MOST_PODS, node_manifest
from wavetank.workloads.tables.jobtable import Integers, Jobs, TableWorkload
from wavetank.workloads.tables.plaincells import plain_columns
from wavetank.workloads.tables.podcolumns import (
    AMOUNTS,
    LABEL,
    Layout,
    is_amount,
    read_amount,
    read_label,
    unknown_column,
)

_TELLING = {"cpu_milli", "memory_bytes", CPU, MEMORY, "arrival_s", "arrival_ns", "duration_s"}
_PART = 1 << 14  # rows in hand at a time


class CsvWorkload(TableWorkload):
    """The pods of a CSV file, one per row, with columns as in `podcolumns`."""

    def __init__(self, file: InputFile) -> None:
        try:
            self.layout = Layout(_header(file))
        except InputError as error:
            raise error.inside(source=file.source) from None
        super().__init__(file, self._read, self.layout.kind, self.layout.of_jobs)

    def _read(self, file: InputFile) -> Iterator[Jobs]:
        for lines, columns in _parts(file, len(self.layout.columns)):
            if len(lines):
                yield self.layout.jobs(file, lines, columns)


def is_csv(file: InputFile) -> bool:
    """Tells whether a file looks like a table of nodes or pods: its header names what only those have."""
    columns = {column.strip() for column in _first_line(file).split(",")}
    return len(columns) > 1 and bool(columns & _TELLING)


def read_csv_nodes(file: InputFile) -> list[Manifest]:
    """Makes a node of each row.

    Columns: name, cpu_milli (or cpu: 500m), memory_bytes (or memory: 1Gi), pods (110), any other resource by its
    name, and `label:<key>`. All capacity is allocatable.
    """
    try:
        columns = _header(file)
        for column in columns:
            if column not in ("name", PODS) and not column.startswith(LABEL) and not is_amount(column):
                raise unknown_column(column, ("name", *AMOUNTS, CPU, MEMORY, PODS, "label:…"))
    except InputError as error:
        raise error.inside(source=file.source) from None
    nodes: list[Manifest] = []
    for lines, cells in _parts(file, len(columns)):
        for line, *row in zip(lines.tolist(), *cells, strict=True):
            try:
                nodes.append(_node(dict(zip(columns, row, strict=True))))
            except InputError as error:
                file.skip(on_line(error, line), "a node that cannot be")
    return nodes


def _node(row: dict[str, str]) -> Manifest:
    try:
        name = read_node_name(row.get("name", ""))
    except InputError as error:
        raise error.inside(path="name") from None
    capacity: dict[str, int] = {PODS: MOST_PODS}
    labels: dict[str, str] = {}
    for column, cell in row.items():
        try:
            _read_cell(column, cell, capacity, labels)
        except InputError as error:
            raise InputError(error.message, path=column) from None
    return node_manifest(name, labels, format_amounts(capacity))


def _read_cell(column: str, cell: str, capacity: dict[str, int], labels: dict[str, str]) -> None:
    if column == "name":
        return
    if column.startswith(LABEL):
        key = column.removeprefix(LABEL)
        labels |= {} if (value := read_label(key, cell)) is None else {key: value}
    elif column == PODS:
        capacity[PODS] = MOST_PODS if cell == "" else read_amount("memory_bytes", cell) or 0
    elif (amount := read_amount(column, cell)) is not None:
        capacity[AMOUNTS.get(column, column)] = amount


class _Part(NamedTuple):
    """Some rows of as many cells as the header has, by columns, and their lines."""

    lines: Integers
    columns: Sequence[Sequence[str]]


def _first_line(file: InputFile) -> str:
    return file.head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0].decode("utf-8", "replace")


def _header(file: InputFile) -> list[str]:
    columns = [column.strip() for row in _cells([_first_line(file)]) for column in row]
    if not columns:
        raise InputError("expected a header with the names of the columns", path="line 1")
    return columns


def _parts(file: InputFile, width: int) -> Iterator[_Part]:
    first = 1
    for block in file.blocks():
        plain = _plain_part(block, first, width)
        if plain is not None:
            yield plain
        else:
            lines = _decoded(file, block, first)
            for start in range(0, len(lines), _PART):
                yield _part(file, lines[start : start + _PART], first + start, width)
        first += block.count(b"\n")


def _plain_part(block: bytes, first: int, width: int) -> _Part | None:
    """Returns the rows of a block that need no closer look; else None."""
    if b" " in block:  # which is no part of a cell that it begins
        return None
    begin, rows = (first, block) if first > 1 else (2, block.partition(b"\n")[2])
    try:
        columns = plain_columns(rows.decode() + "\n" * (not rows.endswith(b"\n")), width)
    except UnicodeDecodeError:
        return None
    return None if columns is None else _Part(np.arange(begin, begin + len(columns[0])), columns)


def _decoded(file: InputFile, block: bytes, first: int) -> list[str]:
    """Returns the lines of a block, with an empty one instead of the header and of what is left out."""
    try:
        lines = block.decode().split("\n")
    except UnicodeDecodeError:
        lines = [_line(file, line, first + i) for i, line in enumerate(block.split(b"\n"))]
    if first == 1:
        lines[0] = ""
    return lines


def _line(file: InputFile, line: bytes, number: int) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        what = f"not UTF-8 text: byte {error.start + 1} is {line[error.start]:#04x}"
        file.skip(InputError(what, path=f"line {number}"), "line that is not UTF-8")
        return ""


def _part(file: InputFile, lines: list[str], first: int, width: int) -> _Part:
    cells = _rows(file, lines, first)
    kept = [i for i, row in enumerate(cells) if row and _fits(file, row, first + i, width)]
    return _Part(np.array(kept, np.int64) + first, list(zip(*(cells[i] for i in kept), strict=True)))


def _rows(file: InputFile, lines: list[str], first: int) -> list[list[str]]:
    try:
        cells = _cells(lines)
        if len(cells) == len(lines):
            return cells
    except InputError:
        pass
    return [_row(file, line, first + i) for i, line in enumerate(lines)]  # to tell which is wrong


def _row(file: InputFile, line: str, number: int) -> list[str]:
    try:
        rows = _cells([line])
        return rows[0] if rows else []
    except InputError as error:
        file.skip(on_line(error, number), "line that is not CSV")
        return []


def _fits(file: InputFile, row: list[str], line: int, width: int) -> bool:
    if len(row) == width:
        return True
    error = InputError(f"expected {width} cells as in the header, got {len(row)} (is the line cut off?)")
    file.skip(on_line(error, line), "line with too few or too many cells")
    return False


def _cells(lines: list[str]) -> list[list[str]]:
    try:
        return list(csv.reader(lines, strict=True, skipinitialspace=True))
    except csv.Error as error:
        raise InputError(f"not valid CSV: {error}") from None
