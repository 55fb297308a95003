"""A cluster without nodes, whose pods the test itself starts and ends, and workloads for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.support.clusters import Cluster
from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import User
from wavetank.cluster.objects.pod import PENDING, RUNNING, Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.descriptors import read_names, start_controllers
from wavetank.controllers.framework.context import ControllerContext

APPS = "apps/v1"


class ControllerCluster(Cluster):
    """A served cluster with some controllers on; writes of the test go through the API, as a client's do."""

    def __init__(self, controllers: str = "*") -> None:
        super().__init__()
        self.told: list[tuple[str, str, str]] = []
        self.api = Api(self.store)
        self.client = self.api.actor(User())
        self.context = ControllerContext(self.store, self.client, record_event=self._tell)
        start_controllers(self.context, read_names(controllers), served=True)

    def _tell(self, about: Resource, type_: str, reason: str, message: str, component: str) -> None:
        self.told.append((type_, reason, message))

    def create(self, document: dict[str, Any]) -> Resource:
        made = self.client.create(document)
        self.run()
        return made

    def change(self, kind: str, name: str, **spec: Any) -> Resource:
        """Changes the spec of an object."""
        old = self.get(kind, name)
        document = old.render()
        document["spec"] = {**document["spec"], **spec}
        new = self.client.update(old, document)
        self.run()
        return new

    def get(self, kind: str, name: str) -> Resource:
        return self.store.get(kind, "default", name)

    def status(self, kind: str, name: str) -> dict[str, Any]:
        return dict(self.get(kind, name).manifest.get("status") or {})

    def pods(self, **labels: str) -> list[Pod]:
        """Returns the pods that are not being deleted, in the order of their creation."""
        pods = (pod for pod in self.store.list("Pod") if labels.items() <= dict(pod.labels).items())
        return [pod for pod in pods if pod.deleted is None]

    def start(self, pods: Iterable[Pod] | None = None, node: str = "n") -> None:
        """Lets pods run, all that do not if none are named."""
        for pod in list(self.pods() if pods is None else pods):
            if pod.phase == PENDING:
                new = pod.copy()
                new.node_name, new.phase, new.started = new.node_name or node, RUNNING, self.clock.now
                self.store.update(new)
        self.run()

    def end(self, pod: Pod, phase: str = "Failed") -> None:
        """Lets a pod come to its end."""
        new = self.store.get("Pod", pod.namespace, pod.name).copy()
        new.phase = phase
        self.store.update(new)
        self.run()

    def remove_deleted(self) -> None:
        """Removes the pods that are being deleted, as kubelets do."""
        for pod in list(self.store.list("Pod")):
            if pod.deleted is not None:
                self.store.delete(pod)
        self.run()


def a_template(labels: dict[str, str] | None = None, image: str = "nginx", **spec: Any) -> dict[str, Any]:
    containers = [{"name": "main", "image": image}]
    return {"metadata": {"labels": labels or {"app": "web"}}, "spec": {"containers": containers, **spec}}


def a_workload(kind: str, name: str = "web", **spec: Any) -> dict[str, Any]:
    """Returns a ReplicaSet, Deployment, StatefulSet or DaemonSet that selects app=web."""
    given = {"selector": {"matchLabels": {"app": "web"}}, "template": a_template(), **spec}
    return {"apiVersion": APPS, "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": given}
