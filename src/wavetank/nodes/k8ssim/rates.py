"""Rates that K8sSim's authors measured: work per second by CPU, in their unit."""

from __future__ import annotations

WORK_OF_EPOCH = 135.0  # of the training that K8sSim's authors measured

# Above this CPU, this much of the rate is lost.
_PIECES = ((2800.0, 0.2), (2600.0, 0.25), (800.0, 0.3), (640.0, 0.27), (450.0, 0.24))


def cpu_rate(milli_cpu: float) -> float:
    """Returns the work per second on CPUs alone."""
    if milli_cpu > 3200:
        return 3.0
    for above, loss in _PIECES:
        if milli_cpu > above:
            return milli_cpu / 1000 - loss
    return 0.46 * milli_cpu / 1000


def gpu_rate(milli_cpu: float) -> float:
    """Returns the work per second with a GPU, which also needs CPU."""
    return 7.5 if milli_cpu > 1000 else max(7.5 * (milli_cpu - 50) / 1000, 0.0)
