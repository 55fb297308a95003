"""Tables of the schema as CSV files."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path

from wavetank.results.columns.podcolumns import PART
from wavetank.results.schema import Table

Texts = Sequence[str]
Blocks = Mapping[str, Texts]  # cells by the names of their columns; neighbours may be joined: {"a,b": ["1,2", "3,4"]}

_MARKS = ',"\r\n'  # a cell with one of these may need quotes


def write_rows(folder: Path, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Writes a table from rows by the names of the columns; None is an empty cell."""
    names = table.names_in(rows)
    with (folder / table.file).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([row[name] for name in names] for row in rows)


def write_columns(folder: Path, table: Table, rows: int, blocks: Callable[[slice], Blocks]) -> None:
    """Writes a long table, asking for the `blocks` of some rows at a time: the same bytes as `write_rows`.

    Cells that may need quotes are given as `quoted` returns them.
    """
    with (folder / table.file).open("w", newline="", encoding="utf-8") as file:
        file.write(_header(table, blocks(slice(0, 0))) + "\n")
        for begin in range(0, rows, PART):
            cells = blocks(slice(begin, begin + PART)).values()
            file.write("\n".join(map(",".join, zip(*cells, strict=True))) + "\n")


def quoted(texts: Texts) -> Texts:
    """Returns the texts as cells of CSV: in quotes if they need them, which is rare."""
    together = "".join(texts)
    if not any(mark in together for mark in _MARKS):
        return texts
    return list(map(quoted_cell, texts))


def quoted_cell(text: str) -> str:
    """Returns one text as a cell of CSV."""
    if not any(mark in text for mark in _MARKS):
        return text
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow([text])
    return line.getvalue().removesuffix("\n")


def _header(table: Table, blocks: Blocks) -> str:
    names = ",".join(blocks)
    expected = ",".join(table.names(names.split(",")))
    assert names == expected, f"{table.file} has the columns {expected}, not {names}"
    return names
