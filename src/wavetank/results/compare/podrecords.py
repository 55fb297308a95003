"""The cells of pods.csv that are compared, read row by row: there may be a million of them."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, TextIO

from wavetank.errors import InputError
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.schema import PODS


class PodRecord(NamedTuple):
    """The compared cells of a pod as they stand in pods.csv: exact times in seconds, empty for no such event."""

    scheduled: str
    started: str
    finished: str
    node: str
    phase: str


def read_pods(run: RunFolder) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields `namespace/name` of each pod and its cells in the order of PodRecord, in the order of the file."""
    path = run.path / PODS.file
    names = ("namespace", "name", *PodRecord._fields)
    with _reading(path) as file:
        rows = csv.reader(file)
        header = next(rows, [])
        _check_columns(header, names, path)
        for namespace, name, *cells in map(itemgetter(*map(header.index, names)), rows):
            yield f"{namespace}/{name}", tuple(cells)


@contextmanager
def _reading(path: Path) -> Iterator[TextIO]:
    """Opens a table; whatever turns out to be wrong with it is an InputError."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=str(path)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"expected CSV in UTF-8: {error}", source=str(path)) from None
    except IndexError:
        raise InputError("expected as many cells in every row as in the first", source=str(path)) from None


def _check_columns(header: Sequence[str], names: Sequence[str], path: Path) -> None:
    missing = [name for name in names if name not in header]
    if missing:
        raise InputError(f"expected a column {missing[0]!r}, got {', '.join(header) or 'nothing'}", source=str(path))
