"""The structure of `hpa` and `autoscaling` in the Experiment document."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from wavetank.apiserver.features import FEATURES
from wavetank.controllers.scalingmodels.models import HPA, MODELS, SIMPLE_REACTIVE
from wavetank.documents import patterns, reading, types
from wavetank.documents.definitions import Schema
from wavetank.documents.rules import OneOf
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.quantity import milli

_MOST_REPLICAS = 1_000_000
_PERCENT = re.compile(r"([1-9][0-9]{0,6})%")
_SELECTIONS = ("Max", "Min", "Disabled")

Json = dict[str, Any]


class Target(NamedTuple):
    """What a metric should be: a percentage of what pods request, or a quantity per pod."""

    percent: int | None
    quantity: str = ""

    def manifest(self) -> Json:
        """Returns the target as autoscaling/v2 writes it."""
        if self.percent is not None:
            return {"type": "Utilization", "averageUtilization": self.percent}
        return {"type": "AverageValue", "averageValue": self.quantity}


def _read_target(value: object, path: str) -> Target:
    if isinstance(value, int) and not isinstance(value, bool):
        return Target(reading.integer(value, path, least=1))
    match = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    return Target(int(match[1])) if match else Target(None, _read_quantity(value, path))


def _read_quantity(value: object, path: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"expected a quantity such as 100 or 500m, got {value!r:.60}", path=path)
    try:
        milli(value)
    except InputError as error:
        raise InputError(error.message, path=path) from None
    return str(value)


def _read_seconds(value: object, path: str) -> int:
    time = reading.duration(value, path)
    if time % SECOND:
        raise InputError(f"expected whole seconds, got {value!r:.60}", path=path)
    return time // SECOND


_PERCENTAGE: Schema = {"anyOf": [{"type": "string", "pattern": f"^{_PERCENT.pattern}$"}, patterns.QUANTITY]}
_target = Type("percentage or quantity", _read_target, _PERCENTAGE)
_quantity = Type("quantity", _read_quantity, patterns.QUANTITY)
_seconds = Type("duration", _read_seconds, types.duration.schema)
_share = types.number(0, None, "a number of 0 or more")
_utilization = types.number(0.02, None, "a share of the request of at least 0.02")


class MetricTargetSpec(Structure):
    """One more metric of an HPA, and its target."""

    type: str = field(types.choice(("pods", "object", "external", "container")), doc="what the metric is of")

    def manifest(self) -> Json:
        """Returns the metric as autoscaling/v2 writes it."""
        raise NotImplementedError


class PodsMetricSpec(MetricTargetSpec):
    """A custom metric of pods."""

    metric: str = field(types.text, doc="its name")
    labels: dict[str, str] | None = field(types.labels, default=None, doc="labels that select it")
    average: str = field(_quantity, doc="the target: its mean over the pods")

    def manifest(self) -> Json:
        """Returns the metric as autoscaling/v2 writes it."""
        target = {"type": "AverageValue", "averageValue": self.average}
        return {"type": "Pods", "pods": {"metric": _identifier(self.metric, self.labels), "target": target}}


class ObjectMetricTargetSpec(MetricTargetSpec):
    """A custom metric of one object."""

    rules = (OneOf("value", "average"),)

    metric: str = field(types.text, doc="its name")
    object: str = field(types.text, doc="the object, such as `Service/web`")
    api_version: str = field(types.text, default="v1", doc="of the object")
    labels: dict[str, str] | None = field(types.labels, default=None, doc="labels that select the metric")
    value: str | None = field(_quantity, default=None, doc="the target of the metric itself")
    average: str | None = field(_quantity, default=None, doc="the target of the metric divided by the replicas")

    def manifest(self) -> Json:
        """Returns the metric as autoscaling/v2 writes it."""
        kind, _, name = self.object.partition("/")
        described = {"apiVersion": self.api_version, "kind": kind, "name": name}
        metric, target = _identifier(self.metric, self.labels), _value(self.value, self.average)
        return {"type": "Object", "object": {"describedObject": described, "metric": metric, "target": target}}


class ExternalMetricTargetSpec(MetricTargetSpec):
    """A metric of something outside the cluster."""

    rules = (OneOf("value", "average"),)

    metric: str = field(types.text, doc="its name")
    labels: dict[str, str] | None = field(types.labels, default=None, doc="the series that count")
    value: str | None = field(_quantity, default=None, doc="the target of the sum of the series")
    average: str | None = field(_quantity, default=None, doc="the target of the sum divided by the replicas")

    def manifest(self) -> Json:
        """Returns the metric as autoscaling/v2 writes it."""
        metric, target = _identifier(self.metric, self.labels), _value(self.value, self.average)
        return {"type": "External", "external": {"metric": metric, "target": target}}


class ContainerMetricSpec(MetricTargetSpec):
    """What one container of each pod uses."""

    container: str = field(types.text, doc="its name")
    resource: str = field(types.choice(("cpu", "memory")), default="cpu", doc="the resource")
    target: Target = field(_target, doc="a percentage of what it requests, or a quantity")

    def manifest(self) -> Json:
        """Returns the metric as autoscaling/v2 writes it."""
        source = {"name": self.resource, "container": self.container, "target": self.target.manifest()}
        return {"type": "ContainerResource", "containerResource": source}


METRIC_TARGET: Type[MetricTargetSpec] = types.tagged(
    "type",
    {
        "pods": PodsMetricSpec,
        "object": ObjectMetricTargetSpec,
        "external": ExternalMetricTargetSpec,
        "container": ContainerMetricSpec,
    },
    MetricTargetSpec,
)


class PolicySpec(Structure):
    """How much may change within a period."""

    rules = (OneOf("pods", "percent"),)

    pods: int | None = field(types.integer(1), default=None, doc="the number of pods")
    percent: int | None = field(types.integer(1), default=None, doc="the percentage of the replicas")
    period: int = field(_seconds, default="15s", doc="the period, up to 30m")

    def manifest(self) -> Json:
        """Returns the policy as autoscaling/v2 writes it."""
        kind, value = ("Pods", self.pods) if self.pods is not None else ("Percent", self.percent)
        return {"type": kind, "value": value, "periodSeconds": self.period}


class ScalingRulesSpec(Structure):
    """The behavior of an HPA in one direction."""

    window: int | None = field(
        _seconds, default=None, otherwise="0s up, the controller's 5m down", doc="the stabilization window, up to 1h"
    )
    policies: list[PolicySpec] | None = field(
        types.items(types.nested(PolicySpec)), default=None, otherwise="Kubernetes' own", doc="how fast it may scale"
    )
    select: str | None = field(
        types.choice(_SELECTIONS), default=None, otherwise="Max", doc="which of several policies counts"
    )
    tolerance: float | None = field(
        _share,
        default=None,
        otherwise="the controller's",
        doc="how far from its target a metric causes no scaling",
    )

    def manifest(self) -> Json:
        """Returns the rules as autoscaling/v2 writes them."""
        given = {
            "stabilizationWindowSeconds": self.window,
            "policies": None if self.policies is None else [policy.manifest() for policy in self.policies],
            "selectPolicy": self.select,
            "tolerance": None if self.tolerance is None else f"{self.tolerance:.9f}".rstrip("0").rstrip("."),
        }
        return {name: value for name, value in given.items() if value is not None}


class HpaSpec(Structure):
    """A HorizontalPodAutoscaler in short, or one of MiSim's models in its place. A manifest may be in `cluster`."""

    target: str = field(types.text, doc="what it scales: the name of a Deployment, or `StatefulSet/web`")
    name: str | None = field(types.text, default=None, otherwise="the target's name", doc="its name")
    namespace: str = field(types.text, default="default", doc="its namespace, and the target's")
    min: int = field(types.integer(0, _MOST_REPLICAS), default=1, doc="fewest replicas; 0 needs a feature gate")
    max: int = field(types.integer(1, _MOST_REPLICAS), doc="most replicas")
    cpu: Target | None = field(
        _target,
        default=None,
        otherwise="80% if it has no other metric",
        doc="target: a percentage of what pods request (`60` or `60%`), or a quantity per pod (`500m`)",
    )
    memory: Target | None = field(_target, default=None, doc="target: the same for memory")
    metrics: list[MetricTargetSpec] | None = field(types.items(METRIC_TARGET), default=None, doc="further metrics")
    scale_up: ScalingRulesSpec | None = field(
        types.nested(ScalingRulesSpec), default=None, otherwise="Kubernetes' own", doc="behavior when scaling up"
    )
    scale_down: ScalingRulesSpec | None = field(
        types.nested(ScalingRulesSpec), default=None, otherwise="Kubernetes' own", doc="behavior when scaling down"
    )
    model: str | None = field(
        types.choice(MODELS),
        default=None,
        otherwise="the real controller's algorithm",
        doc="a model of MiSim: `HPA` (proportional to CPU), `Fake` (up and down), `SimpleReactive` (two bounds)",
    )
    lower_bound: float = field(
        _utilization, default=0.3, doc="of `SimpleReactive`: the share of the request below which it scales down"
    )
    upper_bound: float = field(_utilization, default=0.8, doc="of `SimpleReactive`: the share from which it scales up")
    hold_time: Nanoseconds = field(
        types.duration, default="120s", doc="of `SimpleReactive`: time without changes before it scales down"
    )
    increment: int = field(types.integer(0, _MOST_REPLICAS), default=1, doc="of `Fake`: replicas more at each sync")
    decrement: int = field(
        types.integer(0, _MOST_REPLICAS), default=1, doc="of `Fake`: replicas fewer once there are `max`"
    )

    def check(self, path: str) -> None:
        """Refuses bounds that cannot hold, and fields that a model does not have."""
        if self.min > self.max:
            raise InputError(f"expected at most max ({self.max}), got {self.min}", path=f"{path}.min")
        if self.model is None:
            return
        unused = {
            "memory": self.memory,
            "metrics": self.metrics,
            "scaleUp": self.scale_up,
            "scaleDown": self.scale_down,
        }
        for name in (name for name, value in unused.items() if value is not None):
            raise InputError(f"the model {self.model} has no {name}", path=f"{path}.{name}")
        if self.model == SIMPLE_REACTIVE and self.lower_bound >= self.upper_bound:
            raise InputError(f"expected less than upperBound ({self.upper_bound})", path=f"{path}.lowerBound")
        if self.model == HPA and self.cpu is not None and self.cpu.percent is None:
            raise InputError("the model HPA has a percentage as its target", path=f"{path}.cpu")


def _read_gates(value: object, path: str) -> frozenset[str]:
    given = reading.mapping(value, path, FEATURES)
    return frozenset(name for name, on in given.items() if reading.boolean(on, f"{path}.{name}"))


_gates = Type(
    "true or false by name",
    _read_gates,
    {"type": "object", "properties": {name: {"type": "boolean"} for name in FEATURES}, "additionalProperties": False},
)


class AutoscalingSpec(Structure):
    """Settings of the HPA controller: kube-controller-manager's flags `--horizontal-pod-autoscaler-*`."""

    sync_period: Nanoseconds = field(types.duration, default="15s", doc="time between two syncs of an HPA")
    tolerance: float = field(_share, default=0.1, doc="how far from its target a metric causes no scaling")
    downscale_stabilization: Nanoseconds = field(
        types.duration, default="5m", doc="the stabilization window for scaling down, for HPAs that state none"
    )
    cpu_initialization_period: Nanoseconds = field(
        types.duration, default="5m", doc="time after the start of a pod in which CPU samples may be left out"
    )
    initial_readiness_delay: Nanoseconds = field(
        types.duration, default="30s", doc="time after the start of a pod in which its first readiness is waited for"
    )
    feature_gates: frozenset[str] = field(_gates, default={}, doc=f"of kube-apiserver: {', '.join(FEATURES)}")

    def check(self, path: str) -> None:
        """Refuses syncs without time between them."""
        if not self.sync_period:
            raise InputError("syncs need some time between them", path=f"{path}.syncPeriod")


def _identifier(metric: str, labels: dict[str, str] | None) -> Json:
    return {"name": metric} if not labels else {"name": metric, "selector": {"matchLabels": labels}}


def _value(value: str | None, average: str | None) -> Json:
    return {"type": "Value", "value": value} if value is not None else {"type": "AverageValue", "averageValue": average}
