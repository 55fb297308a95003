"""wavetank's own columnar form: Parquet with the columns of `podcolumns`, for a million pods and more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wavetank.errors import InputError
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.tables.jobtable import Jobs, TableWorkload
from wavetank.workloads.tables.podcolumns import Layout

if TYPE_CHECKING:
    import polars

BATCH = 1 << 16  # rows in hand at a time, and in a row group of what is written
_MAGIC = b"PAR1"


class ParquetWorkload(TableWorkload):
    """The pods of a Parquet file, read in batches; a row's number, from 1, is named as its line."""

    def __init__(self, file: InputFile) -> None:
        self._path = file.path
        try:
            self.layout = Layout(_columns(file.path))
        except InputError as error:
            raise error.inside(source=file.source) from None
        super().__init__(file, self._read, self.layout.kind, self.layout.of_jobs)

    def _read(self, file: InputFile) -> Iterator[Jobs]:
        row = 1
        for batch in _batches(self._path, file.source):
            lines = np.arange(row, row + len(batch))
            yield self.layout.jobs(file, lines, [column.to_list() for column in batch.get_columns()])
            row += len(batch)


def is_parquet(file: InputFile) -> bool:
    """Tells whether a file is Parquet."""
    return file.head.startswith(_MAGIC)


def import_polars() -> Any:
    """Returns polars, which only Parquet needs; without it an InputError says how to get it."""
    try:
        import polars
    except ImportError:
        raise InputError("Parquet needs polars: pip install 'wavetank[data]'") from None
    return polars


def _columns(path: Path) -> list[str]:
    schema = _trying(lambda: import_polars().read_parquet_schema(path))
    for column, kind in schema.items():
        if kind.is_nested():
            raise InputError(f"expected numbers or texts, got {kind}", path=f"column {column!r:.60}")
    return list(schema)


def _batches(path: Path, source: str) -> Iterator[polars.DataFrame]:
    pl = import_polars()
    table = pl.scan_parquet(path, glob=False)
    for start in range(0, pl.scan_parquet(path, glob=False).select(pl.len()).collect().item(), BATCH):
        try:
            yield _trying(lambda start=start: table.slice(start, BATCH).collect())
        except InputError as error:
            raise error.inside(source=source) from None


def _trying(read: Any) -> Any:
    """Reads; polars' errors of any kind become InputErrors, since they are about the file."""
    try:
        return read()
    except InputError:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        raise InputError(f"not a valid Parquet file: {error!s:.200}") from None
