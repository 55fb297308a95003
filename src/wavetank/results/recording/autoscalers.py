from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import HORIZONTAL_POD_AUTOSCALER, POD, SCALING_MODEL
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.objects.resource import Manifest, Resource
from wavetank.cluster.store.errors import ApiError
from wavetank.kernel.durations import Nanoseconds
from wavetank.simulation.observer import Observer


@dataclass(slots=True)
class RunningPod:
    """When a pod of a run served: from its start to the beginning of its end, None if it still does."""

    namespace: str
    labels: Mapping[str, str]
    begin: Nanoseconds
    end: Nanoseconds | None = None


@dataclass(slots=True)
class ScaledWorkload:
    """An autoscaler with every status that it has had; `selector` is that of its target, "" if it is not known."""

    namespace: str
    name: str
    manifest: Manifest
    selector: str = ""
    statuses: list[tuple[Nanoseconds, Manifest]] = field(default_factory=list)


class AutoscalerRecorder(Observer):
    """Records the autoscalers of a run, built-in, real or models, and when pods served.

    Pods are watched from the first autoscaler on: a run without any pays nothing.
    """

    def __init__(self) -> None:
        self.workloads: list[ScaledWorkload] = []
        self.pods: list[RunningPod] = []
        self._by_uid: dict[str, ScaledWorkload] = {}
        self._serving: dict[str, RunningPod] = {}

    def join(self, context: ActorContext) -> None:
        """Watches autoscalers."""
        self._store, self._clock = context.store, context.clock
        for kind in (HORIZONTAL_POD_AUTOSCALER, SCALING_MODEL):
            context.store.subscribe(kind, added=self._added, modified=self._modified)

    def _added(self, new: Resource) -> None:
        if not self.workloads:
            self._watch_pods()
        workload = self._by_uid[new.uid] = ScaledWorkload(new.namespace, new.name, new.manifest)
        self.workloads.append(workload)

    def _modified(self, old: Resource, new: Resource) -> None:
        workload = self._by_uid[new.uid]
        workload.manifest = new.manifest
        if new.manifest.get("status") == old.manifest.get("status"):
            return
        if not workload.selector:
            workload.selector = self._selector(new)
        if workload.statuses and workload.statuses[-1][0] == self._clock.now:
            workload.statuses.pop()
        workload.statuses.append((self._clock.now, new.manifest))

    def _selector(self, autoscaler: Resource) -> str:
        from wavetank.controllers.framework.scales import read_scale  # few runs need it

        target: dict[str, Any] = autoscaler.manifest["spec"]["scaleTargetRef"]
        group = str(target.get("apiVersion") or "").rpartition("/")[0]
        try:
            return read_scale(self._store, group, target["kind"], autoscaler.namespace, target["name"]).selector
        except ApiError:
            return ""

    # pods

    def _watch_pods(self) -> None:
        self._store.subscribe(POD, added=self._pod_changed, modified=self._pod_modified, deleted=self._pod_gone)
        for pod in self._store.list(POD):
            self._pod_changed(pod)

    def _pod_modified(self, old: Pod, new: Pod) -> None:
        if new.phase is not old.phase or new.deleted != old.deleted:
            self._pod_changed(new)

    def _pod_changed(self, pod: Pod) -> None:
        serves = pod.phase == RUNNING and pod.deleted is None
        if serves and pod.uid not in self._serving:
            self._serving[pod.uid] = running = RunningPod(pod.namespace, pod.labels, self._clock.now)
            self.pods.append(running)
        elif not serves:
            self._pod_gone(pod)

    def _pod_gone(self, pod: Pod) -> None:
        running = self._serving.pop(pod.uid, None)
        if running is not None:
            running.end = self._clock.now
