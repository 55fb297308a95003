"""The files of a run with ClusterQueues: queues.csv, queue_quotas.csv, queue_usage.csv and workloads.csv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results import schema
from wavetank.results.metrics.queues import QueueFigures, QueueReport
from wavetank.results.recording.queues import WorkloadRow
from wavetank.results.write.csvfiles import write_rows

Row = Mapping[str, object]


def write_queues(report: QueueReport, folder: Path) -> None:
    """Writes the four tables."""
    write_rows(folder, schema.QUEUES, [_queue(each) for each in report.queues])
    write_rows(folder, schema.QUEUE_QUOTAS, [row for each in report.queues for row in _quotas(each)])
    write_rows(folder, schema.QUEUE_USAGE, list(_usage(report)))
    write_rows(folder, schema.WORKLOADS, [_workload(row) for row in report.rows])


def _queue(queue: QueueFigures) -> Row:
    waits = queue.waits
    return {
        "queue": queue.name,
        "cohort": "/".join(queue.cohorts),
        "workloads": len(queue.rows),
        "admitted": len(waits),
        "finished": sum(row.finished is not None for row in queue.rows),
        "pending": queue.pending,
        "mean_wait_s": _rounded(float(np.mean(waits))) if waits else None,
        "p95_wait_s": _rounded(float(np.percentile(waits, 95))) if waits else None,
        "max_wait_s": _rounded(max(waits)) if waits else None,
        "preempted": queue.preempted,
        "preempting": queue.preempting,
        "lost_time_s": _rounded(queue.lost_time_s),
        "use": None if queue.use is None else _rounded(queue.use),
        "borrowing_time": None if queue.borrowing_time is None else _rounded(queue.borrowing_time),
    }


def _quotas(queue: QueueFigures) -> Iterator[Row]:
    for use in queue.uses:
        yield {
            "queue": queue.name,
            "flavor": use.flavor,
            "resource": use.resource,
            "nominal": use.nominal,
            "mean_used": _rounded(use.mean),
            "most_used": use.most,
            "mean_borrowed": _rounded(use.mean_borrowed),
            "most_borrowed": max(0, use.most - use.nominal),
            "borrowing_time_s": _seconds(use.borrowing_time),
        }


def _usage(report: QueueReport) -> Iterator[Row]:
    for queue in report.queues:
        for use in queue.uses:
            for time, value in zip(use.times, use.values, strict=True):
                yield {
                    "time_s": _seconds(time),
                    "queue": queue.name,
                    "flavor": use.flavor,
                    "resource": use.resource,
                    "used": value,
                    "borrowed": max(0, value - use.nominal),
                }


def _workload(row: WorkloadRow) -> Row:
    admitted = row.admitted[0] if row.admitted else None
    preemptor, reason = row.preempted_by[-1] if row.preempted_by else ("", "")
    return {
        "namespace": row.namespace,
        "workload": row.name,
        "owner": row.owner,
        "local_queue": row.queue,
        "queue": row.cluster_queue,
        "priority": row.priority,
        "submitted_s": _seconds(row.submitted),
        "admitted_s": None if admitted is None else _seconds(admitted),
        "wait_s": None if admitted is None else _seconds(admitted - row.submitted),
        "admissions": len(row.admitted),
        "preemptions": len(row.preempted_by),
        "preempted_by": preemptor,
        "reason": reason,
        "finished_s": None if row.finished is None else _seconds(row.finished),
        "flavors": " ".join(row.flavors),
    }


def _seconds(time: Nanoseconds) -> str:
    return _rounded(time / SECOND)


def _rounded(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")
