"""Tables as the user's favourite library holds them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

Frame = Literal["pandas", "polars", "rows"]
Cell = str | int | float | None
Row = dict[str, Cell]

# A column has one type in every run, whatever its cells look like: a pod may be called 007 or null.
_WORDS = """
    namespace name job node phase reason requests scheduler message
    job_id workload_name profile final_state allocated_resources metadata batsim_version
"""
_WHOLE = """
    seed pods scheduled_pods unscheduled_pods succeeded_pods failed_pods evicted_pods nodes_used
    restarts cpu_milli memory_bytes priority requested_number_of_resources success
"""
_TYPES: Mapping[str, type[str | int | float]] = {
    **dict.fromkeys(_WORDS.split(), str),
    **dict.fromkeys(_WHOLE.split(), int),
}


def read_table(path: Path, frame: Frame | None = None) -> Any:
    """Reads a table of results; an empty cell is an empty text in a column of words, otherwise missing."""
    frame = frame or _installed()
    with path.open(newline="", encoding="utf-8") as file:
        types = {name: _TYPES.get(name, float) for name in next(csv.reader(file))}
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
