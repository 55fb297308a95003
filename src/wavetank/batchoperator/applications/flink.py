from __future__ import annotations

from typing import Any

from wavetank.batchoperator.applications.application import Progress, Submission
from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.resources.applications import (
    FLINK_CLUSTER,
    FLINK_CLUSTER_VERSION,
    FLINK_DEPLOYMENT,
    FLINK_DEPLOYMENT_VERSION,
)
from wavetank.quantity import milli, whole

_IMAGE = "flink:1.15"
_JOB_MANAGER = {"cpu": "100m", "memory": "512Mi"}
_MIB = 1 << 20


class FlinkClusters:
    """FlinkClusters of the Flink operator of Google and Spotify, extended by labels and affinity of task managers."""

    kind = FLINK_CLUSTER

    def build(self, submission: Submission) -> dict[str, Any]:
        """Returns the FlinkCluster of a job, of which flinkSpec is the part `job`: one task manager for each slot."""
        amounts = {name: str(amount) for name, amount in submission.resources.items()}
        options = submission.options
        spec = {
            "image": {"name": _IMAGE},
            "jobManager": {"resources": {"requests": dict(_JOB_MANAGER)}},
            "taskManager": {
                "replicas": submission.request.replication,
                "resources": {"requests": amounts, "limits": amounts},
                "podLabels": submission.pod_labels,
                "affinity": submission.affinity,
            },
            "job": {**submission.job.object.spec["flinkSpec"], "parallelism": submission.request.replication},
            "flinkProperties": {"taskmanager.numberOfTaskSlots": "1"},
            "batchScheduler": {"name": options.scheduler_name, "priorityClassName": options.priority_class},
        }
        return {
            "apiVersion": FLINK_CLUSTER_VERSION,
            "kind": "FlinkCluster",
            "metadata": submission.metadata,
            "spec": spec,
        }

    def progress(self, application: KubeObject) -> Progress:
        """Tells how far a FlinkCluster is; it is completed when its stateful sets are deleted, too."""
        state, components = application.status.get("state"), application.status.get("components") or {}
        if state == "Stopped":
            sets = (components.get(name) or {} for name in ("taskManagerStatefulSet", "jobManagerStatefulSet"))
            return Progress.COMPLETED if all(each.get("state") == "Deleted" for each in sets) else Progress.RUNNING
        if state == "Failed":
            return Progress.FAILED
        return Progress.RUNNING if state == "Running" else Progress.PENDING


class FlinkDeployments:
    """FlinkDeployments of Apache's Flink operator, for jobs whose flinkSpec has a jarURI instead of a jarFile."""

    kind = FLINK_DEPLOYMENT

    def build(self, submission: Submission) -> dict[str, Any]:
        """Returns the FlinkDeployment of a job, of which flinkSpec is the part `job`."""
        job = dict(submission.job.object.spec["flinkSpec"])
        options = submission.options
        cpu, memory = submission.resources.get("cpu", "1"), submission.resources.get("memory", "1Gi")
        template = {
            "metadata": {"labels": submission.pod_labels},
            "spec": {
                "schedulerName": options.scheduler_name,
                "priorityClassName": options.priority_class,
                "affinity": submission.affinity,
            },
        }
        spec = {
            "image": job.pop("image", _IMAGE),
            "flinkVersion": job.pop("flinkVersion", "v1_15"),
            "serviceAccount": job.pop("serviceAccount", "flink"),
            "flinkConfiguration": {"taskmanager.numberOfTaskSlots": "1"},
            "jobManager": {"resource": {"cpu": 0.1, "memory": "512m"}},
            "taskManager": {
                "replicas": submission.request.replication,
                "resource": {"cpu": milli(cpu) / 1000, "memory": f"{-(-whole(memory) // _MIB)}m"},
                "podTemplate": template,
            },
            "job": {"upgradeMode": "stateless", **job, "parallelism": submission.request.replication},
        }
        return {
            "apiVersion": FLINK_DEPLOYMENT_VERSION,
            "kind": "FlinkDeployment",
            "metadata": submission.metadata,
            "spec": spec,
        }

    def progress(self, application: KubeObject) -> Progress:
        """Tells how far a FlinkDeployment is."""
        state = (application.status.get("jobStatus") or {}).get("state")
        if state == "FINISHED":
            return Progress.COMPLETED
        if state == "FAILED" or application.status.get("lifecycleState") == "FAILED":
            return Progress.FAILED
        return Progress.RUNNING if state == "RUNNING" else Progress.PENDING
