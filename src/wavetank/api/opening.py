from __future__ import annotations

from pathlib import Path

from wavetank.api.results import Results
from wavetank.api.sweeps import SweepResults
from wavetank.results import layout


def open_results(folder: str | Path) -> Results | SweepResults:
    """Opens the results of an earlier run or sweep in a folder."""
    path = Path(folder)
    return SweepResults(path) if (path / layout.SWEEP).is_file() else Results(path)
