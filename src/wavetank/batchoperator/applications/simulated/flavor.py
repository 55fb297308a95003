"""What is different about Spark and the two Flink operators: pods and statuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.resources import labels
from wavetank.cluster.objects.groupkinds import GroupKind


class Picture(NamedTuple):
    """What an operator knows of its application: phases of its pods by name, and whether the work has ended."""

    leader: str  # phase, empty if there is no such pod
    workers: Mapping[str, str]
    started: str  # when all workers ran for the first time, in RFC 3339, or empty
    ended: bool = False


class Flavor(Protocol):
    """One kind of application: Spark's, or one of Flink's."""

    kind: GroupKind

    def workers(self, application: KubeObject) -> int:
        """Returns how many executors or task managers there are to be."""

    def leader_pod(self, application: KubeObject) -> dict[str, Any]:
        """Returns the driver or job manager."""

    def worker_pod(self, application: KubeObject, number: int) -> dict[str, Any]:
        """Returns an executor or task manager."""

    def status(self, application: KubeObject, picture: Picture) -> dict[str, Any]:
        """Returns the status of the application."""


def pod_document(
    application: KubeObject, name: str, marks: Mapping[str, str], requests: Mapping[str, str], spec: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns a pod of an application, which owns it."""
    kind = application.group_kind.partition(".")[0]
    owner = {
        "apiVersion": application.manifest["apiVersion"],
        "kind": kind,
        "name": application.name,
        "uid": application.uid,
        "controller": True,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": application.namespace,
            "labels": {**marks, labels.SIMULATED: kind},
            "ownerReferences": [owner],
        },
        "spec": {
            "containers": [{"name": "main", "image": "application", "resources": {"requests": dict(requests)}}],
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 0,
            **{field: value for field, value in spec.items() if value},
        },
    }
