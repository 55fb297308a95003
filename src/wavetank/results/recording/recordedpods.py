from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from wavetank.cluster.fields.resources import CPU, MEMORY, format_amounts
from wavetank.cluster.objects.podbehavior import Job
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.results.columns.coded import Coded
from wavetank.results.columns.decimals import NEVER, Integers
from wavetank.results.columns.podcolumns import PART, PodColumns
from wavetank.results.recording.podrow import BoundPodRow, PodRow


class RecordedPods(PodColumns):
    """The columns of recorded rows."""

    def __init__(self, rows: Sequence[PodRow]) -> None:
        self.rows = rows
        self.submitted, self.scheduled, self.started, self.finished = np.empty((4, len(rows)), np.int64)
        self.names: list[str] = []
        self.jobs: list[Job | None] = []
        self.namespace, self.node = Coded[str](), Coded[str]()
        self.phase, self.reason = Coded[str](), Coded[str]()
        self.spec = Coded[PodSpec]()
        for begin in range(0, len(rows), PART):
            self._take(slice(begin, begin + PART))

    def _take(self, part: slice) -> None:
        rows = self.rows[part]
        self.submitted[part] = [row.submitted for row in rows]
        self.scheduled[part] = [NEVER if row.scheduled is None else row.scheduled for row in rows]
        self.started[part] = [NEVER if row.started is None else row.started for row in rows]
        self.finished[part] = [NEVER if row.finished is None else row.finished for row in rows]
        self.names += [row.name for row in rows]
        self.jobs += [row.job for row in rows]
        self.namespace.extend([row.namespace for row in rows])
        self.node.extend([row.node for row in rows])
        self.phase.extend([row.phase for row in rows])
        self.reason.extend([row.reason for row in rows])
        self.spec.extend([row.spec for row in rows])

    @cached_property
    def began(self) -> Integers:
        """Returns when each pod began to run; NEVER if it did not. Pods that were created bound have no start."""
        bound = {i: row.began for i, row in enumerate(self.rows) if isinstance(row, BoundPodRow)}
        if not bound:
            return self.started
        began = self.started.copy()
        began[list(bound)] = [NEVER if time is None else time for time in bound.values()]
        return began

    @cached_property
    def job_ids(self) -> list[str]:
        """Returns the job of each pod; a pod without a job is a job of its own."""
        if not any(self.jobs):
            return self.names
        return [job.id if job else name for job, name in zip(self.jobs, self.names, strict=True)]

    @cached_property
    def requests(self) -> Coded[str]:
        """Returns all resources that each pod requests: cpu=500m;memory=1Gi."""
        return self.spec.mapped(requests_text)

    @cached_property
    def cpu(self) -> Integers:
        """Returns the CPU that each pod requests, in milli-CPU."""
        return self._requested(CPU)

    @cached_property
    def memory(self) -> Integers:
        """Returns the memory that each pod requests, in bytes."""
        return self._requested(MEMORY)

    @cached_property
    def priority(self) -> Coded[int]:
        """Returns the priority of each pod."""
        return Coded([row.priority for row in self.rows])

    def _requested(self, resource: str) -> Integers:
        return self.spec.each(lambda spec: spec.requests.get(resource, 0), np.int64)


def requests_text(spec: PodSpec) -> str:
    """Returns all resources that a spec requests, as in pods.csv: cpu=500m;memory=1Gi."""
    return ";".join(f"{name}={amount}" for name, amount in format_amounts(spec.requests).items())
