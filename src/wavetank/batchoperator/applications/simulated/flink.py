from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.batchoperator.applications.simulated.flavor import Picture, pod_document
from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.resources import labels
from wavetank.batchoperator.resources.applications import FLINK_CLUSTER, FLINK_DEPLOYMENT
from wavetank.cluster.objects.pod import FAILED, RUNNING


class SimulatedFlinkCluster:
    """The pods of a FlinkCluster: a job manager, then its task managers."""

    kind = FLINK_CLUSTER

    def workers(self, application: KubeObject) -> int:
        """Returns the number of task managers."""
        return int((application.spec.get("taskManager") or {}).get("replicas") or 1)

    def leader_pod(self, application: KubeObject) -> dict[str, Any]:
        """Returns the job manager."""
        part = application.spec.get("jobManager") or {}
        marks = {labels.FLINK_CLUSTER: application.name, "component": "jobmanager"}
        return pod_document(application, f"{application.name}-jobmanager-0", marks, _requests(part), {})

    def worker_pod(self, application: KubeObject, number: int) -> dict[str, Any]:
        """Returns a task manager."""
        part = application.spec.get("taskManager") or {}
        batch = application.spec.get("batchScheduler") or {}
        marks = {**(part.get("podLabels") or {}), labels.FLINK_CLUSTER: application.name, "component": "taskmanager"}
        spec = {
            "schedulerName": batch.get("name"),
            "priorityClassName": batch.get("priorityClassName"),
            "affinity": part.get("affinity"),
        }
        return pod_document(application, f"{application.name}-taskmanager-{number - 1}", marks, _requests(part), spec)

    def status(self, application: KubeObject, picture: Picture) -> dict[str, Any]:
        """Returns the status of a FlinkCluster; its stateful sets are deleted at the end."""
        ready = all(phase == RUNNING for phase in picture.workers.values())
        running = picture.leader == RUNNING and len(picture.workers) >= self.workers(application) and ready
        state = "Failed" if picture.leader == FAILED else "Running" if running else "Creating"
        part = "Deleted" if picture.ended else "Ready" if running else "NotReady"
        sets = {name: {"state": part} for name in ("jobManagerStatefulSet", "taskManagerStatefulSet")}
        return _started({"state": "Stopped" if picture.ended else state, "components": sets}, picture)


class SimulatedFlinkDeployment:
    """The pods of a FlinkDeployment: a job manager, then its task managers."""

    kind = FLINK_DEPLOYMENT

    def workers(self, application: KubeObject) -> int:
        """Returns the number of task managers."""
        part = application.spec.get("taskManager") or {}
        return int(part.get("replicas") or (application.spec.get("job") or {}).get("parallelism") or 1)

    def leader_pod(self, application: KubeObject) -> dict[str, Any]:
        """Returns the job manager."""
        part = application.spec.get("jobManager") or {}
        marks = {labels.FLINK_APP: application.name, "component": "jobmanager"}
        return pod_document(application, f"{application.name}-jobmanager", marks, _resource(part), {})

    def worker_pod(self, application: KubeObject, number: int) -> dict[str, Any]:
        """Returns a task manager, with what the pod template says."""
        part = application.spec.get("taskManager") or {}
        template = part.get("podTemplate") or {}
        given = (template.get("metadata") or {}).get("labels") or {}
        marks = {**given, labels.FLINK_APP: application.name, "component": "taskmanager"}
        spec = {field: value for field, value in (template.get("spec") or {}).items() if field != "containers"}
        return pod_document(application, f"{application.name}-taskmanager-1-{number}", marks, _resource(part), spec)

    def status(self, application: KubeObject, picture: Picture) -> dict[str, Any]:
        """Returns the status of a FlinkDeployment."""
        ready = all(phase == RUNNING for phase in picture.workers.values())
        running = picture.leader == RUNNING and len(picture.workers) >= self.workers(application) and ready
        state = "FAILED" if picture.leader == FAILED else "RUNNING" if running else "CREATED"
        job = {"state": "FINISHED" if picture.ended else state}
        return _started({"jobStatus": job, "lifecycleState": "STABLE" if running else "DEPLOYED"}, picture)


def _requests(part: Mapping[str, Any]) -> Mapping[str, str]:
    found = (part.get("resources") or {}).get("requests") or {}
    return {name: str(amount) for name, amount in found.items()}


def _resource(part: Mapping[str, Any]) -> Mapping[str, str]:
    """Returns the requests of a part of a FlinkDeployment, whose memory is written as the JVM does."""
    found = part.get("resource") or {}
    memory = str(found.get("memory") or "1024m")
    return {"cpu": f"{round(float(found.get('cpu') or 1) * 1000)}m", "memory": memory.rstrip("mM") + "Mi"}


def _started(status: dict[str, Any], picture: Picture) -> dict[str, Any]:
    return {**status, "startTime": picture.started} if picture.started else status
