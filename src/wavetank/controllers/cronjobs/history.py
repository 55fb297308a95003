"""The history limits of a CronJob."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.workloads.jobconditions import finished_condition

_LIMITS = {"Complete": "successfulJobsHistoryLimit", "Failed": "failedJobsHistoryLimit"}


def remove_oldest(context: ControllerContext, cron_job: Resource, jobs: Sequence[Resource]) -> Iterator[Resource]:
    """Deletes the oldest finished Jobs beyond the history limits of a CronJob, and yields them."""
    spec = cron_job.manifest.get("spec") or {}
    for end, limit in _LIMITS.items():
        if spec.get(limit) is None:
            continue
        ended = sorted((job for job in jobs if finished_condition(job) == end), key=_start)
        for job in ended[: max(0, len(ended) - spec[limit])]:
            try:
                context.client.delete(job, policy="Background")
            except ApiError as error:
                message = f"Deleted job: {error}"
                context.record_event(cron_job, "Warning", "FailedDelete", message, "cronjob-controller")
            else:
                yield job


def _start(job: Resource) -> tuple[bool, str, str]:
    started = str((job.manifest.get("status") or {}).get("startTime") or "")
    return not started, started, job.name
