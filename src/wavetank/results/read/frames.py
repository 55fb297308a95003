"""Tables as pandas or polars frames, or as lists of dicts."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from wavetank.results.schema import Table

Frame = Literal["pandas", "polars", "rows"]
Cell = str | int | float | None
Row = dict[str, Cell]


def read_table(folder: Path, table: Table, frame: Frame | None = None) -> Any:
    """Reads a table of results with the types of the schema.

    An empty cell is an empty text in a column of texts, otherwise a missing value.
    """
    frame, path = frame or _installed(), folder / table.file
    with path.open(newline="", encoding="utf-8") as file:
        types = {name: table.type_of(name) for name in next(csv.reader(file))}
        if frame == "rows":
            return [_row(types, cells) for cells in csv.reader(file)]
    if frame == "pandas":
        import pandas

        empty = {name: [""] for name, kind in types.items() if kind is not str}
        return pandas.read_csv(path, dtype=types, keep_default_na=False, na_values=empty)
    import polars

    kinds = {name: {str: polars.String, int: polars.Int64, float: polars.Float64}[kind] for name, kind in types.items()}
    return polars.read_csv(path, schema_overrides=kinds).with_columns(polars.col(polars.String).fill_null(""))


def make_table(columns: Sequence[str], rows: Sequence[Sequence[Cell]], frame: Frame | None = None) -> Any:
    """Makes a table of values; None is missing."""
    frame = frame or _installed()
    if frame == "pandas":
        import pandas

        return pandas.DataFrame(rows, columns=list(columns))
    if frame == "polars":
        import polars

        return polars.DataFrame(rows, schema=list(columns), orient="row", infer_schema_length=None)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _installed() -> Frame:
    if find_spec("pandas"):
        return "pandas"
    return "polars" if find_spec("polars") else "rows"


def _row(types: Mapping[str, type], cells: Sequence[str]) -> Row:
    pairs = zip(types.items(), cells, strict=True)
    return {name: text if kind is str else kind(text) if text else None for (name, kind), text in pairs}
