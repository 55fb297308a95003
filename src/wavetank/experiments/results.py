from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from wavetank.errors import InputError

Frame = Literal["pandas", "polars", "rows"]


class Results:
    """The results of an experiment, read from their folder.

    Tables come as pandas frames where pandas is installed, else as polars frames, else as lists of dicts;
    `frame` asks for one of them by name.
    """

    def __init__(self, folder: Path, temporary: TemporaryDirectory[str] | None = None) -> None:
        if not (folder / "summary.csv").is_file():
            raise InputError("no results here: expected a folder that `wavetank run` wrote", source=str(folder))
        self.folder = folder
        self._temporary = temporary  # removed together with this object

    @property
    def report(self) -> Path:
        """Returns the path of the HTML report."""
        return self.folder / "report.html"

    def summary(self, frame: Frame | None = None) -> Any:
        """Returns one row per scheduler and seed."""
        return _read(self.folder / "summary.csv", frame)

    def pods(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns one row per pod of a run; times in seconds."""
        return self._table(scheduler, seed, "pods.csv", frame)

    def utilization(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns the use of the cluster over time."""
        return self._table(scheduler, seed, "utilization.csv", frame)

    def jobs(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns one row per finished job, with Batsim's columns."""
        return self._table(scheduler, seed, "jobs.csv", frame)

    def _table(self, scheduler: str, seed: int, name: str, frame: Frame | None) -> Any:
        path = self.folder / scheduler / f"seed-{seed}" / name
        if not path.is_file():
            raise InputError(f"there is no run of {scheduler!r} with seed {seed}", source=str(self.folder))
        return _read(path, frame)

    def __repr__(self) -> str:
        return f"<Results {self.folder}>"


def _read(path: Path, frame: Frame | None) -> Any:
    frame = frame or next((name for name in ("pandas", "polars") if find_spec(name)), "rows")
    if frame == "pandas":
        import pandas

        return pandas.read_csv(path)
    if frame == "polars":
        import polars

        return polars.read_csv(path, infer_schema_length=None)
    with path.open(newline="", encoding="utf-8") as file:
        return [{key: _value(text) for key, text in row.items()} for row in csv.DictReader(file)]


def _value(text: str) -> str | int | float | None:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text or None
