from __future__ import annotations

from typing import Any

from wavetank.cluster.fields.resources import CPU
from wavetank.cluster.fields.selectors import LabelSelector, parse_selector_text
from wavetank.cluster.objects.groupkinds import POD, SCALING_MODEL
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.scale import Scale
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.metricsclient import MetricsError
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.scalingmodels.models import ScalingModel, model_of
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration

_PERIOD_FLAG = "horizontal-pod-autoscaler-sync-period"
_PERIOD: Nanoseconds = 15 * SECOND


class ScalingModels:
    """The scaling-model-controller: applies the model of each ScalingModel to its target once every sync period.

    Its status has the fields of a HorizontalPodAutoscaler's. The period is the one of HorizontalPodAutoscalers.
    """

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._period = parse_duration(context.flags.get(_PERIOD_FLAG, _PERIOD / SECOND))
        self._models: dict[Key, ScalingModel] = {}
        self._queue = context.queue(self._sync)
        context.store.subscribe(SCALING_MODEL, added=self._added, deleted=self._deleted)
        for each in context.store.list(SCALING_MODEL):
            self._added(each)

    def _added(self, new: Resource) -> None:
        self._models[new.key] = model_of(new.manifest["spec"])
        self._queue.add_after(new.key, self._period, background=True)

    def _deleted(self, old: Resource) -> None:
        self._models.pop(old.key, None)

    def _sync(self, key: Key) -> None:
        scaler = self._store.find(SCALING_MODEL, *key)
        if scaler is None:
            return
        self._queue.add_after(key, self._period, background=True)
        target = scaler.manifest["spec"]["scaleTargetRef"]
        group = str(target.get("apiVersion", "")).rpartition("/")[0]
        try:
            scale = self._context.client.get_scale(group, target["kind"], scaler.namespace, target["name"])
        except ApiError as error:
            self._write_status(scaler, _failure("FailedGetScale", str(error)))
            return
        self._apply(scaler, scale)

    def _apply(self, scaler: Resource, scale: Scale) -> None:
        used = self._utilization(scaler.namespace, parse_selector_text(scale.selector))
        replicas = scale.spec_replicas
        wanted = self._models[scaler.key].decide(replicas, used or 0.0, self._context.clock.now)
        if wanted != replicas:
            self._context.client.update_scale(scale, wanted)
        reason = "ReadyForNewScale" if wanted == replicas else "SucceededRescale"
        current = {"averageUtilization": round(100 * (used or 0.0))}
        self._write_status(
            scaler,
            {
                "currentReplicas": replicas,
                "desiredReplicas": wanted,
                "currentMetrics": [{"type": "Resource", "resource": {"name": CPU, "current": current}}],
                "conditions": [{"type": "AbleToScale", "status": "True", "reason": reason}],
            },
        )

    def _utilization(self, namespace: str, selector: LabelSelector) -> float | None:
        """Returns the mean over running pods of used ÷ requested CPU; None if there are none."""
        try:
            measured = self._context.metrics.resource_metric(CPU, namespace, selector, "")
        except MetricsError:
            return None
        found = zip(measured.names, measured.values, strict=True)
        pods = [(self._store.find(POD, namespace, name), used) for name, used in found]
        shares = [used / amount for pod, used in pods if isinstance(pod, Pod) and (amount := _requested(pod))]
        return sum(shares) / len(shares) if shares else None

    def _write_status(self, scaler: Resource, status: dict[str, Any]) -> None:
        if status != scaler.manifest.get("status"):
            self._context.client.update_status(scaler, status)


def _requested(pod: Pod) -> int:
    return pod.spec.requests.get(CPU, 0)


def _failure(reason: str, message: str) -> dict[str, Any]:
    return {"conditions": [{"type": "AbleToScale", "status": "False", "reason": reason, "message": message}]}
