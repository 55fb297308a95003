from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import POD, POD_DISRUPTION_BUDGET
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import FAILED, RUNNING, SUCCEEDED, Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.verification.timelines.timeline import Change

_TABLES = {"node": "Node", "pod": "Pod", "pdb": POD_DISRUPTION_BUDGET, "namespace": "Namespace"}
_NEVER = 2**62


class RefusedBindingError(ApiError):
    """The recorded API server refused this binding."""

    code = 500


class FaultyStore(Store):
    """A store that refuses the first bindings of some pods: {"namespace/name": how many}."""

    def __init__(self, clock: Clock, refused: Mapping[str, int]) -> None:
        super().__init__(clock)
        self._refused = dict(refused)

    def bind(self, pod: Pod, node_name: str) -> None:
        """Binds, unless this attempt is one to refuse."""
        key = f"{pod.namespace}/{pod.name}"
        if self._refused.get(key, 0):
            self._refused[key] -= 1
            raise RefusedBindingError("injected")
        super().bind(pod, node_name)


class RecordedInputs:
    """The inputs of a recorded scheduler: timed changes of objects, and a small kubelet that follows recorded plans.

    A pod starts some time after it is bound, ends some time after that (deleted, succeeded or failed), and takes some
    time to terminate when it is deleted with a grace period. A terminating pod is not started, but its end still comes.
    """

    def __init__(self, context: ActorContext, changes: list[Change]) -> None:
        self._store = context.store
        self._clock = context.clock
        self._plans: dict[str, dict[str, Any]] = {}
        self._store.subscribe(POD, added=self._added, modified=self._modified)
        for time, action, subject in changes:
            self._clock.at(time, lambda action=action, subject=subject: self._do(action, subject))  # type: ignore[misc]

    def _do(self, action: str, subject: dict[str, Any]) -> None:
        kind, _, verb = action.partition(".")
        if verb == "create":
            self._create(subject)
            return
        table = _TABLES[kind]
        namespace = "" if kind in ("node", "namespace") else str(subject.get("namespace", ""))
        found = self._store.find(table, namespace, str(subject["name"]))
        if found is None:
            return
        if verb == "patch":
            self._store.patch(table, namespace, found.name, subject["patch"])
        elif isinstance(found, Pod):
            self._store.evict(found, "", subject.get("grace"))
        else:
            self._store.delete(found)

    def _create(self, subject: dict[str, Any]) -> None:
        resource: Resource = parse_resource(subject["object"], self._store.specs)
        if isinstance(resource, Pod):
            self._plans[resource.uid] = subject.get("plan") or {}
        self._store.create(resource)

    # the kubelet

    def _added(self, new: Pod) -> None:
        if new.node_name:
            self._follow_plan(new)

    def _modified(self, old: Pod, new: Pod) -> None:
        if new.node_name and not old.node_name:
            self._follow_plan(new)
        if new.deleted is not None and old.deleted is None and not new.finished:
            takes = self._plans.get(new.uid, {}).get("term_ns", _NEVER)
            self._clock.at(min(new.deleted, self._clock.now + takes), lambda: self._remove(new))

    def _follow_plan(self, pod: Pod) -> None:
        plan = self._plans.get(pod.uid, {})
        start: Nanoseconds = plan.get("start_delay_ns") or 0
        self._clock.after(start, lambda: self._start(pod))
        if plan.get("duration_ns") is not None:
            self._clock.after(start + plan["duration_ns"], lambda: self._finish(pod, plan.get("end", "delete")))

    def _start(self, pod: Pod) -> None:
        present = self._present(pod)
        if present is not None and present.deleted is None and not present.finished:
            new = present.copy()
            new.phase = RUNNING
            new.started = self._clock.now // SECOND * SECOND
            self._store.update(new)

    def _finish(self, pod: Pod, end: str) -> None:
        present = self._present(pod)
        if present is None or present.finished:
            return
        if end == "delete":
            self._store.delete(present)
            return
        new = present.copy()
        new.phase = SUCCEEDED if end == "succeed" else FAILED
        self._store.update(new)

    def _remove(self, pod: Pod) -> None:
        present = self._present(pod)
        if present is not None:
            self._store.delete(present)

    def _present(self, pod: Pod) -> Pod | None:
        present = self._store.find(POD, pod.namespace, pod.name)
        return present if isinstance(present, Pod) and present.uid == pod.uid else None
