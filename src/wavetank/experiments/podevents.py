from __future__ import annotations

from collections import deque
from typing import Any

from wavetank.cluster.pod import FAILED, RUNNING, Pod
from wavetank.cluster.resource import Resource, render_time
from wavetank.cluster.store import Store

_MOST = 5_000  # Events that are kept; the oldest go first, as they do by age in a real cluster
_TABLE = "Event"


class PodEvents:
    """Writes the Events that a built-in scheduler and simulated kubelets would, for `kubectl describe`.

    `scheduler` and `kubelets` say whose are written: whoever is outside writes his own.
    """

    def __init__(self, store: Store, scheduler: bool, kubelets: bool) -> None:
        self._store = store
        self._scheduler = scheduler
        self._kubelets = kubelets
        self._written: deque[tuple[str, str]] = deque()
        store.subscribe("Pod", self)

    def added(self, new: Pod) -> None:
        """A pod that has just come has nothing to tell; one that came bound is an old one."""

    def modified(self, old: Pod, new: Pod) -> None:
        """Tells what is new of a pod."""
        if self._scheduler:
            self._tell_scheduling(old, new)
        if self._kubelets and new.node_name:
            self._tell_running(old, new)

    def deleted(self, old: Pod) -> None:
        """Events outlive their pod."""

    def _tell_scheduling(self, old: Pod, new: Pod) -> None:
        who = {"component": new.scheduler_name}
        if new.node_name and not old.node_name:
            message = f"Successfully assigned {new.namespace}/{new.name} to {new.node_name}"
            self._write(new, "Normal", "Scheduled", message, who)
        elif new.unschedulable and new.unschedulable != old.unschedulable:
            self._write(new, "Warning", "FailedScheduling", new.unschedulable, who)

    def _tell_running(self, old: Pod, new: Pod) -> None:
        who = {"component": "kubelet", "host": new.node_name}
        if new.phase == RUNNING and (old.phase != RUNNING or new.restarts != old.restarts):
            for container in new.spec.manifest.get("containers") or ():
                image, field = container.get("image"), f"spec.containers{{{container.get('name')}}}"
                self._write(new, "Normal", "Pulled", f'Successfully pulled image "{image}"', who, field)
                self._write(new, "Normal", "Created", "Container created", who, field)
                self._write(new, "Normal", "Started", "Container started", who, field)
        elif new.phase == FAILED and old.phase != FAILED and new.reason and new.started is None:
            self._write(new, "Warning", new.reason, new.message, who)
        elif new.deleted is not None and old.deleted is None:
            for container in new.spec.manifest.get("containers") or ():
                name = container.get("name")
                self._write(new, "Normal", "Killing", f"Stopping container {name}", who, f"spec.containers{{{name}}}")

    def _write(self, pod: Pod, type_: str, reason: str, message: str, who: dict[str, str], field: str = "") -> None:
        now = render_time(self._store.clock.now)
        name = f"{pod.name}.{self._store.version:016x}"
        about: dict[str, Any] = {"kind": "Pod", "namespace": pod.namespace, "name": pod.name, "uid": pod.uid}
        about |= {"apiVersion": "v1", "resourceVersion": str(pod.resource_version)}
        event = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name, "namespace": pod.namespace},
            "involvedObject": {**about, "fieldPath": field} if field else about,
            "reason": reason,
            "message": message,
            "source": who,
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
            "type": type_,
            "eventTime": None,
            "reportingComponent": who["component"],
            "reportingInstance": who.get("host", ""),
        }
        self._store.create(Resource(event))
        self._written.append((pod.namespace, name))
        if len(self._written) > _MOST:
            self._forget(*self._written.popleft())

    def _forget(self, namespace: str, name: str) -> None:
        oldest = self._store.find(_TABLE, namespace, name)
        if oldest is not None:
            self._store.delete(oldest)
