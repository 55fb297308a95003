from __future__ import annotations

from pathlib import Path
from typing import Any

from wavetank.errors import InputError
from wavetank.results.read.frames import Frame, read_table


class ResultTables:
    """The tables of an experiment, read from the folder of its results.

    They come as pandas frames where pandas is installed, else as polars frames, else as lists of dicts; `frame` asks
    for one of these by name. Times are in seconds.
    """

    def __init__(self, folder: Path) -> None:
        if not (folder / "summary.csv").is_file():
            raise InputError("no results here: expected a folder that `wavetank run` wrote", source=str(folder))
        self.folder = folder

    def summary(self, frame: Frame | None = None) -> Any:
        """Returns one row per scheduler and seed."""
        return read_table(self.folder / "summary.csv", frame)

    def pods(self, scheduler: str, seed: int, frame: Frame | None = None) -> Any:
        """Returns one row per pod of a run."""
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
        return read_table(path, frame)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.folder}>"
