"""The distribution of waiting times, over all seeds of a scheduler."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wavetank.results.columns.decimals import Floats
from wavetank.results.read.resultsfolder import ResultsFolder

POINTS = 320


def waiting_data(folder: ResultsFolder) -> list[dict[str, Any]]:
    """Returns the distribution of waiting times of each scheduler, in the order of the experiment."""
    return [_distribution(_pooled(folder, name)) for name in folder.scheduler_names()]


def _pooled(folder: ResultsFolder, scheduler: str) -> Floats:
    """Returns the waiting times (seconds) of all pods of all seeds, NaN for those that never started."""
    runs = folder.runs_of(scheduler)
    return np.concatenate([folder.waiting_times(run) for run in runs]) if runs else np.array([])


def _distribution(waits: Floats) -> dict[str, Any]:
    """Returns the points of the empirical distribution function and a few quantiles of the pods that started.

    The function is a share of *all* pods: it ends below 1 if some never started.
    """
    known = np.sort(waits[~np.isnan(waits)])
    distribution: dict[str, Any] = {"pods": len(waits), "started": len(known)}
    if len(known) == 0:
        return distribution | {"seconds": [], "share": [], "quantiles": None}
    places = _places(len(known))
    quantiles = [*np.quantile(known, (0.5, 0.9, 0.99)), known[-1]]
    return distribution | {
        "seconds": _rounded(known[places]),
        "share": _rounded((places + 1) / len(waits)),
        "quantiles": _rounded(np.array(quantiles)),
    }


def _places(n: int) -> NDArray[np.int64]:
    """Returns places in a sorted list of n, evenly spread and denser towards the tail, with the last one."""
    even = np.linspace(0, n - 1, POINTS).astype(np.int64)
    tail = n - 1 - np.geomspace(1, n, POINTS // 4).astype(np.int64)
    places: NDArray[np.int64] = np.unique(np.concatenate([even, tail[tail >= 0]]))
    return places


def _rounded(values: Floats) -> list[float]:
    return [float(f"{value:.6g}") for value in values]
