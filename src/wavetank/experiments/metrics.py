"""The figures of one run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wavetank.cluster.pod import FAILED, SUCCEEDED
from wavetank.experiments.podrow import PodRow
from wavetank.experiments.recorder import EVICTED, Recorder
from wavetank.kernel.durations import SECOND, Nanoseconds


@dataclass(frozen=True, slots=True)
class Metrics:
    """What summary.csv says of a run; times in seconds, None where nothing of the kind happened.

    Waiting time is from submission to the start of the containers, over the pods that started; turnaround is from
    submission to the end; makespan from the first submission to the last end, so that pods which run for ever do
    not count in it. Utilization is requested ÷ allocatable, weighted by time over the makespan (to the end of the
    run where nothing ends).
    """

    pods: int
    scheduled_pods: int
    unscheduled_pods: int
    succeeded_pods: int
    failed_pods: int
    evicted_pods: int
    makespan_s: float | None
    mean_waiting_time_s: float | None
    p95_waiting_time_s: float | None
    max_waiting_time_s: float | None
    mean_turnaround_s: float | None
    cpu_utilization: float
    memory_utilization: float
    nodes_used: int


def measure(recorder: Recorder, end: Nanoseconds) -> Metrics:
    """Computes the figures of a run that ended at `end`."""
    rows = recorder.rows
    waiting = waiting_times(rows)
    turnaround = np.array([row.finished - row.submitted for row in rows if row.finished is not None]) / SECOND
    begin, last = busy_span(rows, end)
    cpu, memory = recorder.usage.mean_utilization(begin, last)
    finished = any(row.finished is not None for row in rows)
    return Metrics(
        pods=len(rows),
        scheduled_pods=sum(row.scheduled is not None for row in rows),
        unscheduled_pods=sum(row.scheduled is None for row in rows),
        succeeded_pods=sum(row.phase == SUCCEEDED for row in rows),
        failed_pods=sum(row.phase == FAILED for row in rows),
        evicted_pods=sum(row.reason in EVICTED and row.finished is not None for row in rows),
        makespan_s=(last - begin) / SECOND if finished else None,
        mean_waiting_time_s=float(waiting.mean()) if len(waiting) else None,
        p95_waiting_time_s=float(np.percentile(waiting, 95)) if len(waiting) else None,
        max_waiting_time_s=float(waiting.max()) if len(waiting) else None,
        mean_turnaround_s=float(turnaround.mean()) if len(turnaround) else None,
        cpu_utilization=cpu,
        memory_utilization=memory,
        nodes_used=len({row.node for row in rows if row.node}),
    )


def waiting_times(rows: list[PodRow]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Returns the waiting times in seconds of the pods that started."""
    return np.array([row.started - row.submitted for row in rows if row.started is not None]) / SECOND


def busy_span(rows: list[PodRow], end: Nanoseconds) -> tuple[Nanoseconds, Nanoseconds]:
    """Returns the time from the first submission to the last end, or to `end` where nothing ended."""
    begin = min((row.submitted for row in rows), default=0)
    return begin, max((row.finished for row in rows if row.finished is not None), default=end)
