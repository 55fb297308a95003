from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np

from wavetank.kernel.durations import SECOND
from wavetank.results.columns.coded import Coded
from wavetank.results.columns.decimals import NEVER, Floats, Integers, seconds_of
from wavetank.results.columns.podcolumns import PodColumns
from wavetank.results.read.columns import Columns
from wavetank.results.schema import PODS

_TEXTS = ("namespace", "name", "job", "phase", "reason", "requests")
_NUMBERS = ("memory_bytes", "priority")
_TIMES = ("submitted", "scheduled", "started", "finished")


class ReadPods(PodColumns):
    """The columns of pods.csv in the folder of a run.

    Without `named` only nodes, times and CPU are read: the rest takes much memory if there are very many pods.
    """

    def __init__(self, folder: Path, named: bool = True) -> None:
        columns = Columns(folder, PODS, ("node", *_TIMES, "cpu_milli", *((*_TEXTS, *_NUMBERS) if named else ())))
        texts = {name: columns.texts(name) if named else Coded[str]() for name in _TEXTS}
        self.names = texts["name"].each(str).tolist()
        self.namespace, self.phase, self.reason = texts["namespace"], texts["phase"], texts["reason"]
        self.node = columns.texts("node")
        self.submitted, self.scheduled, self.started, self.finished = (
            nanoseconds(columns.numbers(name)) for name in _TIMES
        )
        self._job, self._requests = texts["job"], texts["requests"]
        self._cpu = np.nan_to_num(columns.numbers("cpu_milli")).astype(np.int64)
        self._memory, self._priority = (
            np.nan_to_num(columns.numbers(name)).astype(np.int64) if named else np.empty(0, np.int64)
            for name in _NUMBERS
        )

    @property
    def job_ids(self) -> Sequence[str]:
        """Returns the job of each pod."""
        ids: list[str] = self._job.each(str).tolist()
        return ids

    @property
    def requests(self) -> Coded[str]:
        """Returns all resources that each pod requests."""
        return self._requests

    @property
    def memory(self) -> Integers:
        """Returns the memory that each pod requests, in bytes."""
        return self._memory

    @property
    def priority(self) -> Coded[int]:
        """Returns the priority of each pod."""
        return Coded(self._priority.tolist())

    @property
    def cpu(self) -> Integers:
        """Returns the CPU that each pod requests, in milli-CPU."""
        return self._cpu


def nanoseconds(seconds: Floats) -> Integers:
    """Returns times in nanoseconds, NaN as NEVER: the inverse of `seconds_of`."""
    never = np.isnan(seconds)
    times = np.where(never, NEVER, np.rint(np.where(never, 0, seconds) * SECOND)).astype(np.int64)
    inexact = ~never & (seconds_of(times) != seconds)  # after weeks a product of floats may be a nanosecond off
    for i in np.flatnonzero(inexact).tolist():
        times[i] = int(Decimal(repr(float(seconds[i]))) * SECOND)
    return times
