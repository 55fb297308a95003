"""Pods that start, become ready and end as a script says, in place of kubelets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import PENDING, RUNNING, Pod
from wavetank.cluster.objects.resource import render_time
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import parse_duration

Document = dict[str, Any]
Time = str | float


@dataclass(frozen=True)
class PodTimes:
    """How long a pod takes: from its binding to its start, from there until it is ready, from its deletion to its end.

    Seconds, or texts such as 1m30s; None: it never does.
    """

    start: Time | None = 0
    ready: Time | None = 0
    stop: Time | None = 0


class PodClient:
    """Writes what a kubelet would: the status of a pod, and its end."""

    def __init__(self, request: Callable[[str, str, Document], object]) -> None:
        self._request = request

    def write_status(self, pod: Pod, status: Document) -> None:
        """Replaces fields of the status."""
        self._request("PATCH", f"{_path(pod)}/status", {"status": status})

    def remove(self, pod: Pod) -> None:
        """Removes a pod that has ended."""
        self._request("DELETE", _path(pod), {"gracePeriodSeconds": 0})


class ScriptedPods:
    """Starts and ends the pods of a cluster without kubelets; `times` is asked for each pod when it is bound."""

    def __init__(self, store: Store, client: PodClient, times: Callable[[Document], PodTimes]) -> None:
        self._store = store
        self._clock = store.clock
        self._client = client
        self._times = times
        self._of: dict[str, PodTimes] = {}
        self._ending: set[str] = set()
        store.subscribe(POD, added=self._seen, modified=lambda _, new: self._seen(new), deleted=self._gone)

    def set_ready(self, namespace: str, name: str, ready: bool) -> None:
        """Makes a running pod ready or not; nothing happens to one that does not run or is being deleted."""
        pod = self._store.find(POD, namespace, name)
        if isinstance(pod, Pod) and pod.phase == RUNNING and pod.deleted is None:
            self._write(pod, ready)

    def _seen(self, new: Pod) -> None:
        if not new.node_name:
            return
        if new.uid not in self._of:
            self._of[new.uid] = self._times(new.render())
            self._plan(self._of[new.uid].start, lambda: self._start(new))
        if new.deleted is not None and new.uid not in self._ending:
            self._ending.add(new.uid)
            self._plan(self._of[new.uid].stop, lambda: self._client.remove(new))

    def _gone(self, old: Pod) -> None:
        self._of.pop(old.uid, None)
        self._ending.discard(old.uid)

    def _plan(self, delay: Time | None, act: Callable[[], None]) -> None:
        if delay is not None:
            self._clock.after(parse_duration(delay), act)

    def _start(self, pod: Pod) -> None:
        present = self._present(pod)
        if present is None or present.phase != PENDING:
            return
        ready = self._of[pod.uid].ready
        self._write(present, ready is not None and not parse_duration(ready))
        if ready is not None and parse_duration(ready):
            self._plan(ready, lambda: self._become_ready(pod))

    def _become_ready(self, pod: Pod) -> None:
        present = self._present(pod)
        if present is not None and present.phase == RUNNING:
            self._write(present, True)

    def _present(self, pod: Pod) -> Pod | None:
        """Returns the newest version of a pod, None if it is gone or being deleted."""
        found = self._store.find(POD, pod.namespace, pod.name)
        return found if isinstance(found, Pod) and found.uid == pod.uid and found.deleted is None else None

    def _write(self, pod: Pod, ready: bool) -> None:
        now = render_time(self._clock.now)
        old: Mapping[str, Any] = pod.manifest.get("status") or {}
        others = [each for each in old.get("conditions") or () if each.get("type") != "Ready"]
        condition = {"type": "Ready", "status": str(ready), "lastTransitionTime": now}
        status = {"phase": RUNNING, "startTime": old.get("startTime") or now, "conditions": [*others, condition]}
        self._client.write_status(pod, status)


def _path(pod: Pod) -> str:
    return f"/api/v1/namespaces/{pod.namespace}/pods/{pod.name}"
