"""Recorded times of a clock that does not start at 0, as that of a served cluster."""

from __future__ import annotations

from typing import overload

from wavetank.kernel.durations import Nanoseconds
from wavetank.results.recording.podrow import BoundPodRow
from wavetank.results.recording.queues import UsageChange
from wavetank.results.recording.recorder import Recorder


def count_from(recorder: Recorder, start: Nanoseconds) -> None:
    """Makes all recorded times relative to `start`; times before it become 0. Call it once, after the end."""
    since = _Since(start)
    for row in recorder.rows:
        row.submitted, row.scheduled = since(row.submitted), since(row.scheduled)
        row.started, row.finished = since(row.started), since(row.finished)
        if isinstance(row, BoundPodRow):
            row.began = since(row.began)
    recorder.node_changes[:] = [each._replace(time=since(each.time)) for each in recorder.node_changes]
    recorder.node_states[:] = [each._replace(time=since(each.time)) for each in recorder.node_states]
    _count_machines(recorder, since)
    _count_autoscalers(recorder, since)
    _count_queues(recorder, since)
    recorder.end = since(recorder.end)


class _Since:
    def __init__(self, start: Nanoseconds) -> None:
        self._start = start

    @overload
    def __call__(self, time: Nanoseconds) -> Nanoseconds: ...

    @overload
    def __call__(self, time: Nanoseconds | None) -> Nanoseconds | None: ...

    def __call__(self, time: Nanoseconds | None) -> Nanoseconds | None:
        return None if time is None else max(0, time - self._start)


def _count_machines(recorder: Recorder, since: _Since) -> None:
    for machine in recorder.machines.machines:
        machine.ordered = since(machine.ordered)
        for name in ("node", "ready", "notice", "removal", "gone"):
            setattr(machine, name, since(getattr(machine, name)))


def _count_autoscalers(recorder: Recorder, since: _Since) -> None:
    for pod in recorder.autoscalers.pods:
        pod.begin, pod.end = since(pod.begin), since(pod.end)
    for workload in recorder.autoscalers.workloads:
        workload.statuses[:] = [(since(time), manifest) for time, manifest in workload.statuses]


def _count_queues(recorder: Recorder, since: _Since) -> None:
    for row in recorder.queues.rows:
        row.submitted, row.finished, row.deleted = since(row.submitted), since(row.finished), since(row.deleted)
        row.admitted[:] = map(since, row.admitted)
        row.evicted[:] = map(since, row.evicted)
    recorder.queues.changes[:] = [
        UsageChange(since(each.time), each.queue, each.resource, each.amount) for each in recorder.queues.changes
    ]
