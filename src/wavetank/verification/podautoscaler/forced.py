"""Runs every recorded sync with the recorded answers, so that one difference does not lead to others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.groupkinds import HORIZONTAL_POD_AUTOSCALER, POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource, parse_time
from wavetank.cluster.objects.scale import Scale
from wavetank.cluster.releases import SERVED
from wavetank.cluster.rules.readiness import stated_ready_since
from wavetank.cluster.store.errors import ApiError, NoKindMatchError
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.metricsclient import (
    ContainerUsages,
    ObjectReference,
    PodMetrics,
    no_metrics,
    sum_containers,
    unavailable,
)
from wavetank.controllers.podautoscaler.configuration import Configuration
from wavetank.controllers.podautoscaler.reconciler import Reconciler
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration
from wavetank.quantity import milli
from wavetank.simulation.served.faults import RefusedError
from wavetank.simulation.world import World
from wavetank.verification.podautoscaler.playedpods import (
    NAMESPACE,
    mark_deleted,
    pod_manifest,
    pod_status,
    write_status,
)
from wavetank.verification.podautoscaler.recorder import Observations, Recorder
from wavetank.verification.podautoscaler.recording import AutoscalerRecording, RecordedSync
from wavetank.verification.podautoscaler.texts import stable_status

Json = dict[str, Any]

_CUSTOM_WINDOW = 60 * SECOND
_LONGEST_RETRY: Nanoseconds = SECOND // 10


def run_forced(recording: AutoscalerRecording) -> Observations:
    """Runs every recorded sync at its instant, with the answers that the controller got then."""
    return _Forced(recording).run()


class _Forced:
    def __init__(self, recording: AutoscalerRecording) -> None:
        self._recording = recording
        world = World(SERVED.version, store=Store(Clock(-1)))  # the first objects are written at 0
        self._clock, self._store = world.clock, world.store
        self._answers = _Answers(self._store)
        self._recorder = Recorder(self._answers, self._clock)
        context = ControllerContext(
            self._store, self._recorder, stated_ready_since, self._recorder.tell, metrics=self._answers
        )
        configuration = Configuration.from_flags(recording.inputs.flags)
        self._reconciler = Reconciler(context, configuration, self._recorder.done)
        self._targets = {target["name"]: target for target in recording.inputs.targets}

    def run(self) -> Observations:
        outputs = self._recording.outputs
        steps: list[tuple[Nanoseconds, int, Callable[[], None]]] = []
        steps += [(entry[0], 0, self._pod_step(entry)) for entry in outputs.pods]
        steps += [(time, 1, self._autoscaler_step(name, spec)) for time, name, spec in outputs.hpas]
        steps += [(time, 2, self._forget_step(name)) for time, what, name in outputs.other if what == "forgotten"]
        steps += [(sync.t, 3, self._sync_step(sync)) for sync in outputs.syncs]
        for time, _, step in sorted(steps, key=lambda each: each[:2]):
            self._clock.run(time)
            step()
        return self._recorder.observations

    def _pod_step(self, entry: Sequence[Any]) -> Callable[[], None]:
        _, what, name, *rest = entry
        if what == "create":
            return lambda: self._create_pod(name, rest[0] if rest else {})
        if what == "status":
            given = rest[0]
            ready = tuple(given["ready"]) if given.get("ready") else None
            status = pod_status(given["phase"], given.get("start"), ready)
            return lambda: write_status(self._store, name, status)
        if what == "terminating":
            return lambda: mark_deleted(self._store, name)
        return lambda: self._store.delete(self._store.get(POD, NAMESPACE, name))

    def _create_pod(self, name: str, own: Json) -> None:
        target = self._targets[name.rpartition("-")[0]]
        manifest = pod_manifest(name, target["labels"], target, {**(target.get("pods") or {}).get(name, {}), **own})
        self._store.create(Pod.parse(manifest, self._store.specs))

    def _autoscaler_step(self, name: str, spec: Json | None) -> Callable[[], None]:
        def step() -> None:
            old = self._store.find(HORIZONTAL_POD_AUTOSCALER, NAMESPACE, name)
            if spec is None:
                assert old is not None
                self._store.delete(old)
                self._reconciler.deselect(old.key)
            elif old is None:
                head = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler"}
                metadata = {"name": name, "namespace": NAMESPACE}
                self._store.create(Resource({**head, "metadata": metadata, "spec": spec}))
            else:
                self._answers.rewrite(old, spec=spec)

        return step

    def _forget_step(self, name: str) -> Callable[[], None]:
        return lambda: self._reconciler.sync((NAMESPACE, name))

    def _sync_step(self, sync: RecordedSync) -> Callable[[], None]:
        def step() -> None:
            before = len(self._recorder.observations.syncs)
            self._answers.begin(sync)
            self._reconciler.sync((NAMESPACE, sync.hpa))
            if len(self._recorder.observations.syncs) == before:
                self._clock.run(self._clock.now + _LONGEST_RETRY)
            if sync.status is not None and ["PUT status", 200] in sync.writes:
                hpa = self._store.get(HORIZONTAL_POD_AUTOSCALER, NAMESPACE, sync.hpa)
                self._answers.rewrite(hpa, status=self._status(sync.status))

        return step

    def _status(self, recorded: Json) -> Json:
        """Returns the recorded status, in our own words if only the words differ."""
        ours = self._recorder.observations.syncs[-1].status
        return ours if ours is not None and stable_status(ours) == stable_status(recorded) else recorded


class _Answers:
    """The recorded answers of one sync, served as the client and the metrics APIs of the next one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sync: RecordedSync | None = None
        self._given = 0
        self._written = 0

    def begin(self, sync: RecordedSync) -> None:
        """Begins a sync."""
        self._sync, self._given, self._written = sync, 0, 0

    def rewrite(self, old: Resource, **parts: Json) -> Resource:
        """Writes parts of an object as they are."""
        new = old.copy()
        new.manifest = {**old.manifest, **parts}
        self._store.update(new)
        return new

    # of the client

    def get_scale(self, group: str, kind: str, namespace: str, name: str) -> Scale:
        """Tells the recorded scale, between two tries that of then."""
        sync = self._sync
        assert sync is not None
        if sync.scale is None:
            raise NoKindMatchError(group, kind)
        hpa = self._store.get(HORIZONTAL_POD_AUTOSCALER, NAMESPACE, sync.hpa)
        selector = str(sync.scale.get("selector") or "")
        if self._written:
            entry = self._next_write("GET scale")
            if entry is not None and entry[1] < 400:
                return Scale(hpa, entry[2][0], entry[2][1], selector)
            raise RefusedError(500 if entry is None else entry[1], "refused")
        if "code" in sync.scale:
            raise RefusedError(sync.scale["code"], str(sync.scale.get("text")))
        return Scale(hpa, sync.scale.get("spec") or 0, sync.scale.get("status") or 0, selector)

    def update_scale(self, scale: Scale, replicas: int) -> None:
        """Tells what came of the recorded write."""
        self._write("PUT scale")

    def update_status(self, old: Resource, status: Document, annotations: Mapping[str, str] | None = None) -> Resource:
        """Tells what came of the recorded write; the recorded status is written afterwards."""
        self._write("PUT status")
        return old

    def _write(self, what: str) -> None:
        entry = self._next_write(what)
        if entry is not None and entry[1] >= 400:
            raise RefusedError(entry[1], "refused")

    def _next_write(self, what: str) -> list[Any] | None:
        assert self._sync is not None
        for index in range(self._written, len(self._sync.writes)):
            if self._sync.writes[index][0] == what:
                self._written = index + 1
                return self._sync.writes[index]
        self._written += 1
        return None

    def create(self, document: Mapping[str, Any], name: str = "") -> Resource:
        """Is not asked for."""
        raise NotImplementedError

    def update(self, old: Resource, document: Document) -> Resource:
        """Is not asked for."""
        raise NotImplementedError

    def delete(self, old: Resource, grace_s: int | None = None, policy: str | None = None) -> None:
        """Is not asked for."""
        raise NotImplementedError

    def finalize(self, old: Resource, document: Document) -> None:
        """Is not asked for."""
        raise NotImplementedError

    # of the metrics APIs

    def resource_metric(self, resource: str, namespace: str, selector: LabelSelector, container: str) -> PodMetrics:
        """Tells the next answer."""
        answer = self._answer("resource")
        if not answer["pods"]:
            raise no_metrics("resource")
        time, window = parse_time(answer["timestamp"], "timestamp") or 0, parse_duration(answer["window"])
        usages = (
            ContainerUsages(pod, time, window, {name: _milli(usage) for name, usage in containers.items()})
            for pod, containers in answer["pods"].items()
        )
        return sum_containers(usages, resource, container)

    def pods_metric(
        self, metric: str, namespace: str, selector: LabelSelector, metric_selector: LabelSelector
    ) -> PodMetrics:
        """Tells the next answer."""
        answer = self._answer("custom")
        values: Json = answer["values"]
        if not values:
            raise no_metrics("custom")
        time = parse_time(answer["timestamp"], "timestamp") or 0
        amounts = list(_milli(values).values())
        return PodMetrics(tuple(values), amounts, [time] * len(values), [_CUSTOM_WINDOW] * len(values))

    def object_metric(
        self, metric: str, namespace: str, described: ObjectReference, metric_selector: LabelSelector
    ) -> int:
        """Tells the next answer."""
        return next(iter(_milli(self._answer("custom")["values"]).values()))

    def external_metric(self, metric: str, namespace: str, metric_selector: LabelSelector) -> Sequence[int]:
        """Tells the next answer."""
        values = [milli(value) for value in self._answer("external")["values"]]
        if not values:
            raise no_metrics("external")
        return values

    def _answer(self, api: str) -> Json:
        assert self._sync is not None
        if self._given >= len(self._sync.answers) or self._sync.answers[self._given]["api"] != api:
            raise ApiError(f"the real controller did not ask the {api} metrics API then")
        answer = self._sync.answers[self._given]
        self._given += 1
        if "code" in answer:
            raise unavailable(api, str(answer.get("text")))
        return answer


def _milli(amounts: Mapping[str, str]) -> dict[str, int]:
    return {name: milli(amount) for name, amount in amounts.items()}
