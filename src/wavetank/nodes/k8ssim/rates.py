"""What K8sSim measured on its cluster: how much work a task does in a second with so much CPU, in its own unit."""

from __future__ import annotations

WORK_OF_EPOCH = 135.0  # one epoch of the training that K8sSim's authors measured

_PIECES = ((2800.0, 0.2), (2600.0, 0.25), (800.0, 0.3), (640.0, 0.27), (450.0, 0.24))  # above so much, this is lost


def cpu_rate(milli_cpu: float) -> float:
    """Returns the work of one second on CPUs alone."""
    if milli_cpu > 3200:
        return 3.0
    for above, loss in _PIECES:
        if milli_cpu > above:
            return milli_cpu / 1000 - loss
    return 0.46 * milli_cpu / 1000


def gpu_rate(milli_cpu: float) -> float:
    """Returns the work of one second with a GPU, which needs a CPU to feed it."""
    return 7.5 if milli_cpu > 1000 else max(7.5 * (milli_cpu - 50) / 1000, 0.0)
