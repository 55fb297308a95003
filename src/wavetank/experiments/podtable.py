from __future__ import annotations

from functools import cached_property

import numpy as np

from wavetank.cluster.podspec import PodSpec
from wavetank.cluster.resources import CPU, MEMORY
from wavetank.experiments.coded import Coded
from wavetank.experiments.decimals import NEVER, Integers
from wavetank.experiments.recorder import Recorder
from wavetank.kernel.durations import Nanoseconds

PART = 1 << 10  # rows in hand at a time: as many as a processor keeps close by


class PodTable:
    """The rows of a run that is over, by columns; times in nanoseconds, NEVER for what did not happen."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.rows = recorder.rows
        count = len(self.rows)
        self.submitted, self.scheduled, self.started, self.finished = np.empty((4, count), np.int64)
        self.namespace, self.node = Coded[str](), Coded[str]()
        self.phase, self.reason = Coded[str](), Coded[str]()
        self.spec = Coded[PodSpec]()
        for begin in range(0, count, PART):
            self._take(slice(begin, begin + PART))

    def _take(self, part: slice) -> None:
        rows = self.rows[part]
        self.submitted[part] = [row.submitted for row in rows]
        self.scheduled[part] = [NEVER if row.scheduled is None else row.scheduled for row in rows]
        self.started[part] = [NEVER if row.started is None else row.started for row in rows]
        self.finished[part] = [NEVER if row.finished is None else row.finished for row in rows]
        self.namespace.extend([row.namespace for row in rows])
        self.node.extend([row.node for row in rows])
        self.phase.extend([row.phase for row in rows])
        self.reason.extend([row.reason for row in rows])
        self.spec.extend([row.spec for row in rows])

    @cached_property
    def cpu(self) -> Integers:
        """Returns what each pod asks for, in milli-CPU."""
        return self._asked(CPU)

    @cached_property
    def memory(self) -> Integers:
        """Returns what each pod asks for, in bytes."""
        return self._asked(MEMORY)

    def _asked(self, resource: str) -> Integers:
        return self.spec.each(lambda spec: spec.requests.get(resource, 0), np.int64)

    def busy_span(self) -> tuple[Nanoseconds, Nanoseconds]:
        """Returns the time from the first submission to the last end, or to that of the run where nothing ended."""
        begin = int(self.submitted.min()) if self.rows else 0
        last = int(self.finished.max(initial=NEVER))
        return begin, self.recorder.end if last == NEVER else last
