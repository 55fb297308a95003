"""The pods of a scenario, which live as it says and never do anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import FAILED, PENDING, RUNNING, Pod
from wavetank.cluster.objects.resource import render_time
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import Nanoseconds

Json = dict[str, Any]

NAMESPACE = "default"
_HOUR = 3600 * 10**9
_START, _READY, _TERMINATION = 1_207_000_000, 6_311_000_000, 3_409_000_000
_DEFAULTS: Json = {"born_ns": -_HOUR, "start_ns": _START, "ready_ns": _READY, "term_ns": _TERMINATION}


def pod_manifest(name: str, labels: Json, target: Json, own: Json) -> Json:
    """Returns a pod of a target, with the values of its own."""
    containers = own.get("containers") or target["containers"]
    if "requests" in own:
        containers = [{**each, "requests": own["requests"]} for each in containers]
    spec: Json = {"containers": [_container(each) for each in containers]}
    if "init_containers" in target:
        spec["initContainers"] = [{**_container(each), "restartPolicy": "Always"} for each in target["init_containers"]]
    if "pod_resources" in target:
        spec["resources"] = {"requests": target["pod_resources"]}
    metadata = {"name": name, "namespace": NAMESPACE, "labels": own.get("labels") or labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"nodeName": "played", **spec}}


def _container(given: Json) -> Json:
    return {"name": given["name"], "image": "played", "resources": {"requests": given.get("requests") or {}}}


def pod_status(phase: str, start: str | None, ready: tuple[bool, str] | None) -> Json:
    """Returns a pod's status; `ready` is the status of its Ready condition and since when."""
    status: Json = {"phase": phase}
    if start is not None:
        status["startTime"] = start
    if ready is not None:
        status["conditions"] = [{"type": "Ready", "status": str(ready[0]), "lastTransitionTime": ready[1]}]
    return status


def write_status(store: Store, name: str, status: Json) -> None:
    """Writes the status of a pod."""
    old = store.get(POD, NAMESPACE, name)
    new = Pod.parse({**old.manifest, "status": status}, store.specs)
    new.uid, new.created, new.deleted, new.resource_version = old.uid, old.created, old.deleted, old.resource_version
    store.update(new)


def mark_deleted(store: Store, name: str) -> None:
    """Marks a pod as one that is being deleted."""
    new = store.get(POD, NAMESPACE, name).copy()
    new.deleted = store.clock.now
    store.update(new)


class PlayedPod:
    """One pod: what it is, when it starts, becomes ready and ends; `changed` is called after each change."""

    def __init__(self, name: str, target: Json, store: Store, changed: Callable[[], None], initial: bool) -> None:
        own = (target.get("pods") or {}).get(name) or {}
        manifest = pod_manifest(name, target["labels"], target, own)
        self.name = name
        self.target: str = target["name"]
        self.labels: dict[str, str] = manifest["metadata"]["labels"]
        spec = manifest["spec"]
        self.containers = [each["name"] for each in (*spec["containers"], *spec.get("initContainers", ()))]
        self.phase = PENDING
        self.ready = self.terminating = False
        self.started: Nanoseconds = 0
        self._since: Nanoseconds = 0
        self._play: Json = {**_DEFAULTS, **{key: target[key] for key in _DEFAULTS if key in target}, **own}
        self._states_start = initial or not target.get("no_start_time")
        self._store = store
        self._clock = store.clock
        self._changed = changed
        store.create(Pod.parse(manifest, store.specs))
        if initial and self._play["born_ns"] is not None:
            self._begin_in_the_past(self._play["born_ns"])
        elif self._play["start_ns"] is not None:
            self._clock.after(self._play["start_ns"], self._start)

    @property
    def running(self) -> bool:
        """Tells whether the pod runs."""
        return self.phase == RUNNING

    @property
    def serves(self) -> bool:
        """Tells whether the pod takes its share of a total load."""
        return self.ready and not self.terminating

    @property
    def active(self) -> bool:
        """Tells whether the pod counts as a replica."""
        return not self.terminating and self.phase in (PENDING, RUNNING)

    def set_ready(self, ready: bool) -> None:
        """Makes a running pod ready or not."""
        if self.running and not self.terminating:
            self._become(ready)

    def restart(self) -> None:
        """Lets the containers of a running pod start again."""
        if self.running and not self.terminating:
            self._become(False)
            self._plan_readiness()

    def fail(self) -> bool:
        """Ends a pod in failure; returns whether there was anything to end."""
        if self.terminating:
            return False
        self.phase = FAILED
        self._become(False)
        return True

    def delete(self, term: Nanoseconds | None = None) -> bool:
        """Deletes a pod, which is gone after a while; returns whether it was not being deleted yet."""
        if self.terminating:
            return False
        self.terminating = True
        mark_deleted(self._store, self.name)
        self._clock.after(self._play["term_ns"] if term is None else term, self._end)
        return True

    def _begin_in_the_past(self, born: Nanoseconds) -> None:
        self.phase, self.started, self._since, self.ready = RUNNING, born, born, True
        if "unready_since_ns" in self._play:
            self.ready, self._since = False, self._play["unready_since_ns"]
        self._write()

    def _start(self) -> None:
        if self.phase == PENDING and not self.terminating:
            self.phase, self.started = RUNNING, self._clock.now
            self._become(False)
            self._plan_readiness()

    def _plan_readiness(self) -> None:
        if self._play["ready_ns"] is not None:
            self._clock.after(self._play["ready_ns"], lambda: self.set_ready(True))

    def _become(self, ready: bool) -> None:
        self.ready, self._since = ready, self._clock.now
        self._write()

    def _write(self) -> None:
        start = render_time(self.started) if self._states_start and self.phase != PENDING else None
        write_status(self._store, self.name, pod_status(self.phase, start, (self.ready, render_time(self._since))))

    def _end(self) -> None:
        self._store.delete(self._store.get(POD, NAMESPACE, self.name))
        self.phase = ""
        self._changed()
