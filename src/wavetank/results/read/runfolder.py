"""One run in a folder of results, read row by row: its pods may be a million."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, TextIO

from wavetank.errors import InputError

_SUMMARY, _PODS = "summary.csv", "pods.csv"


class PodRecord(NamedTuple):
    """What became of a pod, in the words of pods.csv: exact times in seconds, empty for what never happened."""

    scheduled: str
    started: str
    finished: str
    node: str
    phase: str


@dataclass(frozen=True)
class RunFolder:
    """The folder of one run; `metrics` is its row of summary.csv, empty if that file is not there."""

    path: Path
    scheduler: str
    seed: int | None
    metrics: Mapping[str, float | None]

    @property
    def label(self) -> str:
        """Returns what the run is called inside its results: default/seed-1."""
        return f"{self.scheduler}/{self.path.name}"


def runs_in(path: Path) -> list[RunFolder]:
    """Returns the runs in a folder of results, or the one whose folder it is."""
    if (path / _PODS).is_file():
        return [_single(path.resolve())]
    if (path / _SUMMARY).is_file():
        return _all_of(path)
    problem = "no results here: expected a folder that `wavetank run` wrote, or the folder of a run in it"
    raise InputError(problem, source=str(path))


def read_pods(run: RunFolder) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields each pod's `namespace/name` and its cells in the order of PodRecord, in the order of the file."""
    path = run.path / _PODS
    names = ("namespace", "name", *PodRecord._fields)
    with _reading(path) as file:
        rows = csv.reader(file)
        header = next(rows, [])
        _check_columns(header, names, path)
        for namespace, name, *cells in map(itemgetter(*map(header.index, names)), rows):
            yield f"{namespace}/{name}", tuple(cells)


def _single(path: Path) -> RunFolder:
    results = path.parent.parent
    if (results / _SUMMARY).is_file():
        for run in _all_of(results):
            if run.path == path:
                return run
    match = re.fullmatch(r"seed-(\d+)", path.name)
    return RunFolder(path, path.parent.name, int(match[1]) if match else None, {})


def _all_of(results: Path) -> list[RunFolder]:
    path = results / _SUMMARY
    with _reading(path) as file:
        rows = csv.DictReader(file)
        _check_columns(rows.fieldnames or (), ("scheduler", "seed"), path)
        return [_run(results, row) for row in rows]


def _run(results: Path, row: dict[str, str]) -> RunFolder:
    scheduler, seed = row.pop("scheduler"), row.pop("seed")
    metrics = {name: None if cell == "" else float(cell) for name, cell in row.items()}
    return RunFolder(results / scheduler / f"seed-{seed}", scheduler, int(seed), metrics)


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
    except (IndexError, TypeError):
        raise InputError("expected as many cells in every row as in the first", source=str(path)) from None
    except ValueError as error:
        raise InputError(f"expected numbers: {error}", source=str(path)) from None


def _check_columns(header: Sequence[str], names: Sequence[str], path: Path) -> None:
    missing = [name for name in names if name not in header]
    if missing:
        raise InputError(f"expected a column {missing[0]!r}, got {', '.join(header) or 'nothing'}", source=str(path))
