"""What the tests of Jobs share."""

from __future__ import annotations

from typing import Any

from tests.controllers.clusters import ControllerCluster, a_template
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import render_time

JOB = "Job.batch"


def a_job(name: str = "j", policy: str = "Never", **spec: Any) -> dict[str, Any]:
    template = a_template({"app": "batch"}, restartPolicy=policy)
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template, **spec}}


def a_cluster(**spec: Any) -> ControllerCluster:
    cluster = ControllerCluster("job")
    cluster.create(a_job(**spec))
    return cluster


def alive(cluster: ControllerCluster) -> list[Pod]:
    return [pod for pod in cluster.pods() if not pod.finished]


def end(cluster: ControllerCluster, pod: Pod, code: int = 0, after: float = 0) -> None:
    """Lets a pod's container exit, and the Job hear of it."""
    cluster.run(after)
    new = cluster.store.get("Pod", pod.namespace, pod.name).copy()
    new.phase = "Failed" if code else "Succeeded"
    terminated = {"exitCode": code, "finishedAt": render_time(cluster.clock.now)}
    status = {"containerStatuses": [{"name": "main", "state": {"terminated": terminated}}]}
    new.manifest = {**new.manifest, "status": {**(new.manifest.get("status") or {}), **status}}
    cluster.store.update(new)
    cluster.run(1)


def conditions(cluster: ControllerCluster, name: str = "j") -> list[tuple[str, str, str]]:
    """Returns type, reason and message of the conditions that hold."""
    found = cluster.status(JOB, name).get("conditions") or []
    return [(c["type"], c.get("reason", ""), c.get("message", "")) for c in found if c["status"] == "True"]


def kinds(cluster: ControllerCluster, name: str = "j") -> list[str]:
    return [kind for kind, _, _ in conditions(cluster, name)]
