"""The scale targets of a scenario and the workload controllers that make their pods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from wavetank.apiserver.subresources.actor import ScalingActor
from wavetank.cluster.objects.groupkinds import group_kind_of
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import Nanoseconds
from wavetank.verification.podautoscaler.playedpods import NAMESPACE, PlayedPod, pod_manifest

Json = dict[str, Any]

_REACTION = 53_000_000
_VERSIONS = {"ReplicationController": "v1", "Fleet": "example.com/v1"}
_COUNT: Json = {"type": "integer"}
FLEETS: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "fleets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "fleets", "singular": "fleet", "kind": "Fleet", "listKind": "FleetList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "properties": {"replicas": _COUNT}},
                            "status": {
                                "type": "object",
                                "properties": {"replicas": _COUNT, "selector": {"type": "string"}},
                            },
                        },
                    }
                },
                "subresources": {
                    "status": {},
                    "scale": {
                        "specReplicasPath": ".spec.replicas",
                        "statusReplicasPath": ".status.replicas",
                        "labelSelectorPath": ".status.selector",
                    },
                },
            }
        ],
    },
}


class Requests(Protocol):
    """Writes objects as a client outside the process would."""

    def post(self, document: Json) -> None:
        """Creates an object."""

    def patch(self, group_kind: str, name: str, patch: Json, api_version: str) -> None:
        """Applies a merge patch to an object."""


class PlayedTarget:
    """One target: reacts to a new number of replicas after a while, and to pods that fail or go."""

    def __init__(
        self,
        given: Json,
        store: Store,
        requests: Requests,
        client: ScalingActor,
        tell: Callable[[str, int | None, str], None],
    ) -> None:
        self.name: str = given["name"]
        self._given = given
        self._store = store
        self._clock = store.clock
        self._requests = requests
        self._client = client
        self._tell = tell
        self._numbers = 0
        self._pods: dict[str, PlayedPod] = {}
        self._reaction: Nanoseconds | None = given.get("react_ns", _REACTION)
        version = _VERSIONS.get(given["kind"], "apps/v1")
        self.group_kind = group_kind_of(version, given["kind"])
        self._api_version = version
        self._replicas: int | None = None
        store.subscribe(self.group_kind, modified=self._modified)

    @property
    def pods(self) -> list[PlayedPod]:
        """Returns the pods that are there."""
        return [pod for pod in self._pods.values() if pod.phase]

    def find(self, name: str) -> PlayedPod | None:
        """Returns a pod that is there, or None."""
        pod = self._pods.get(name)
        return pod if pod is not None and pod.phase else None

    def create(self) -> None:
        """Creates the target and the pods of its beginning."""
        given, labels = self._given, self._given["labels"]
        wanted: int = given["replicas"]
        self._replicas = wanted
        self._tell(self.name, self._replicas, "created")
        document: Json = {"apiVersion": self._api_version, "kind": given["kind"]}
        document["metadata"] = {"name": self.name, "namespace": NAMESPACE}
        document["spec"] = {"replicas": self._replicas}
        if given["kind"] != "Fleet":
            template = pod_manifest("template", labels, {"containers": given["containers"]}, {})
            of_core = given["kind"] == "ReplicationController"
            spec = {"containers": template["spec"]["containers"]}
            document["spec"] |= {
                "selector": labels if of_core else {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": spec},
            }
        if given["kind"] == "StatefulSet":
            document["spec"]["serviceName"] = self.name
        self._requests.post(document)
        for _ in range(given.get("initial", wanted)):
            self._add(initial=True)
        self._show()

    def delete(self) -> None:
        """Deletes the target, and its pods with it."""
        self._replicas = None
        self._tell(self.name, None, "deleted")
        self._client.delete(self._object())
        for pod in self.pods:
            pod.delete()

    def scale(self, replicas: int) -> None:
        """Writes the number of replicas, as a user would."""
        self._tell(self.name, replicas, "scenario")
        self._replicas = replicas
        self._requests.patch(self.group_kind, self.name, {"spec": {"replicas": replicas}}, self._api_version)
        self.react_later()

    def react_later(self) -> None:
        """Plans to bring the pods into line with the replicas."""
        if self._reaction is not None:
            self._clock.after(self._reaction, self._react)

    def _object(self) -> Resource:
        return self._store.get(self.group_kind, NAMESPACE, self.name)

    def _modified(self, old: Resource, new: Resource) -> None:
        replicas = (new.manifest.get("spec") or {}).get("replicas")
        if new.name == self.name and self._replicas is not None and replicas != self._replicas:
            self._replicas = replicas
            self._tell(self.name, replicas, "hpa")
            self.react_later()

    def _react(self) -> None:
        if self._replicas is None:
            return
        active = [pod for pod in self.pods if pod.active]
        for _ in range(int(self._replicas) - len(active)):
            self._add(initial=False)
        surplus = max(0, len(active) - self._replicas)
        for pod in sorted(active, key=lambda each: each.name, reverse=True)[:surplus]:
            pod.delete()
        self._show()

    def _add(self, initial: bool) -> None:
        self._numbers += 1
        name = f"{self.name}-{self._numbers:04d}"
        self._pods[name] = PlayedPod(name, self._given, self._store, self._show, initial)

    def _show(self) -> None:
        """Writes how many pods there are into the target's status."""
        if self._replicas is None:
            return
        count = self._given.get("status_replicas", sum(pod.active for pod in self.pods))
        status: Json = {"replicas": count}
        if self._given["kind"] == "Fleet":
            labels = ",".join(f"{key}={value}" for key, value in sorted(self._given["labels"].items()))
            selector = self._given.get("scale_selector", labels)
            status |= {"selector": selector} if selector is not None else {}
        old = self._object()
        if {key: (old.manifest.get("status") or {}).get(key) for key in status} != status:
            self._client.update_status(old, {**(old.manifest.get("status") or {}), **status})
