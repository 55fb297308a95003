"""Power over time and nodes that are on, of runs whose nodes have a power model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wavetank.report.page.packing import pack_floats
from wavetank.results.read.frames import Row, read_table
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.runfolder import RunFolder
from wavetank.results.schema import ENERGY

_COLUMNS = ("time_s", "power_w", "nodes_on")


def has_energy(folder: ResultsFolder) -> bool:
    """Tells whether any run has nodes with a power model."""
    return any((run.path / ENERGY.file).is_file() for run in folder.runs)


def energy_data(folder: ResultsFolder, seeds: Sequence[int | None]) -> list[dict[str, Any]]:
    """Returns what the charts draw of the runs with these seeds."""
    return [_run(run) for run in folder.runs if run.seed in seeds and (run.path / ENERGY.file).is_file()]


def _run(run: RunFolder) -> dict[str, Any]:
    rows: list[Row] = read_table(run.path, ENERGY, "rows")
    columns = pack_floats([np.array([row[name] for row in rows], np.float64) for name in _COLUMNS])
    return {"scheduler": run.scheduler, "seed": run.seed, "joules": rows[-1]["energy_j"], "columns": columns}
