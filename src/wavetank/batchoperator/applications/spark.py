from __future__ import annotations

from typing import Any

from wavetank.batchoperator.applications.application import Progress, Submission
from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.resources.applications import SPARK_APPLICATION, SPARK_VERSION
from wavetank.quantity import whole

_FAILED = ("FAILED", "FAILING", "SUBMISSION_FAILED")
_MIB = 1 << 20


class SparkApplications:
    """SparkApplications of the Spark operator; executors are configured by the slots, drivers by the user."""

    kind = SPARK_APPLICATION

    def build(self, submission: Submission) -> dict[str, Any]:
        """Returns the SparkApplication of a job: one executor for each slot."""
        spec = dict(submission.job.object.spec["sparkSpec"])
        given = dict(spec.get("executor") or {})
        executor = {
            **given,
            "instances": submission.request.replication,
            "cores": 1,
            "memoryOverhead": "0m",
            "schedulerName": submission.options.scheduler_name,
            "labels": {**(given.get("labels") or {}), **submission.pod_labels},
            "affinity": submission.affinity,
        }
        if "cpu" in submission.resources:
            executor["coreRequest"] = str(submission.resources["cpu"])
        if "memory" in submission.resources:
            executor["memory"] = f"{-(-whole(submission.resources['memory']) // _MIB)}m"
        options = {
            **(spec.get("batchSchedulerOptions") or {}),
            "priorityClassName": submission.options.priority_class,
        }
        return {
            "apiVersion": SPARK_VERSION,
            "kind": "SparkApplication",
            "metadata": submission.metadata,
            "spec": {**spec, "executor": executor, "batchSchedulerOptions": options},
        }

    def progress(self, application: KubeObject) -> Progress:
        """Tells how far a SparkApplication is; it runs once all its executors do."""
        state = (application.status.get("applicationState") or {}).get("state") or ""
        if state == "COMPLETED":
            return Progress.COMPLETED
        if state in _FAILED:
            return Progress.FAILED
        executors = application.status.get("executorState") or {}
        wanted = int((application.spec.get("executor") or {}).get("instances") or 0)
        running = sum(each == "RUNNING" for each in executors.values())
        return Progress.RUNNING if state == "RUNNING" and running >= wanted else Progress.PENDING
