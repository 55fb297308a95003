"""A target with pods, an autoscaler on it, and metrics that the test sets."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.cluster.rules.readiness import stated_ready_since
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.metricsclient import MetricsError, ObjectReference, PodMetrics, no_metrics
from wavetank.controllers.framework.storeclient import StoreClient
from wavetank.controllers.podautoscaler.controller import HorizontalPodAutoscalers
from wavetank.controllers.podautoscaler.sync import SyncOutcome
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND

HPA = "HorizontalPodAutoscaler.autoscaling"
LONG_AGO = -3600 * SECOND


def cpu(percent: int = 50) -> dict[str, Any]:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def external(average: str = "", value: str = "") -> dict[str, Any]:
    target = {"type": "AverageValue", "averageValue": average} if average else {"type": "Value", "value": value}
    return {"type": "External", "external": {"metric": {"name": "queue"}, "target": target}}


class Metrics:
    """Metrics as the test sets them: of pods by name in thousandths of a core, of one external metric."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.cpu: dict[str, int] = {}
        self.queue: list[int] | None = None

    def resource_metric(self, resource: str, namespace: str, selector: LabelSelector, container: str) -> PodMetrics:
        if not self.cpu:
            raise no_metrics("resource")
        count = len(self.cpu)
        return PodMetrics(tuple(self.cpu), list(self.cpu.values()), [self._clock.now] * count, [30 * SECOND] * count)

    def pods_metric(
        self, metric: str, namespace: str, selector: LabelSelector, metric_selector: LabelSelector
    ) -> PodMetrics:
        return self.resource_metric("cpu", namespace, selector, "")

    def object_metric(
        self, metric: str, namespace: str, described: ObjectReference, metric_selector: LabelSelector
    ) -> int:
        return sum(self.external_metric(metric, namespace, metric_selector))

    def external_metric(self, metric: str, namespace: str, metric_selector: LabelSelector) -> Sequence[int]:
        if self.queue is None:
            raise MetricsError("the queue is closed")
        return self.queue


class Autoscaled:
    """A Deployment `web` whose pods request half a core each; only the autoscaler changes it."""

    def __init__(self, replicas: int = 4, *, flags: dict[str, str] | None = None) -> None:
        self.clock = Clock()
        self.store = Store(self.clock)
        self.metrics = Metrics(self.clock)
        self.told: list[tuple[str, str]] = []
        self.outcomes: list[SyncOutcome] = []
        client = StoreClient(self.store, random.Random(0), lambda pod: None)
        self.context = ControllerContext(
            self.store, client, stated_ready_since, self._tell, metrics=self.metrics, flags=flags or {}
        )
        selector = {"matchLabels": {"app": "web"}}
        spec = {"replicas": replicas, "selector": selector}
        self._create("apps/v1", "Deployment", "web", spec, {"replicas": replicas})
        for number in range(replicas):
            self.pod(f"web-{number}")
        HorizontalPodAutoscalers(self.context, self.outcomes.append)

    def _tell(self, about: Resource, type_: str, reason: str, message: str, component: str) -> None:
        self.told.append((reason, message))

    def _create(self, version: str, kind: str, name: str, spec: dict[str, Any], status: dict[str, Any]) -> None:
        head = {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "default"}}
        self.store.create(Resource({**head, "spec": spec, "status": status}))

    def pod(
        self,
        name: str,
        *,
        phase: str = "Running",
        ready: bool = True,
        start: int = LONG_AGO,
        since: int | None = None,
        request: str | None = "500m",
    ) -> None:
        resources = {"requests": {"cpu": request}} if request else {}
        condition = {"type": "Ready", "status": str(ready)}
        condition["lastTransitionTime"] = render_time(start if since is None else since)
        manifest = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "x", "resources": resources}]},
            "status": {"phase": phase, "startTime": render_time(start), "conditions": [condition]},
        }
        self.store.create(Pod.parse(manifest, self.store.specs))

    def autoscaler(self, *metrics: dict[str, Any], name: str = "web", **spec: Any) -> None:
        target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
        given = {"scaleTargetRef": target, "maxReplicas": 20, "metrics": list(metrics) or [cpu()], **spec}
        self._create("autoscaling/v2", "HorizontalPodAutoscaler", name, given, {})

    def use(self, *millicores: int) -> None:
        """Sets what the pods use, in the order of their names."""
        self.metrics.cpu = {f"web-{number}": amount for number, amount in enumerate(millicores)}

    def pass_time(self, seconds: int) -> None:
        self.clock.run(self.clock.now + seconds * SECOND)

    def sync(self) -> SyncOutcome:
        """Lets a sync period pass; returns what the sync at its end has come to."""
        self.pass_time(15)
        return self.outcomes[-1]

    @property
    def replicas(self) -> int:
        return int(self.store.get("Deployment.apps", "default", "web").manifest["spec"]["replicas"])

    def status(self, name: str = "web") -> dict[str, Any]:
        return dict(self.store.get(HPA, "default", name).manifest["status"])

    def condition(self, kind: str) -> tuple[str, str]:
        found = next(each for each in self.status()["conditions"] if each["type"] == kind)
        return found["status"], found["reason"]
