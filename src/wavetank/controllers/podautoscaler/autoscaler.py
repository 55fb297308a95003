"""The spec of a HorizontalPodAutoscaler, of autoscaling/v2 or v1, with the API server's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from wavetank.cluster.fields.selectors import EVERYTHING, LabelSelector
from wavetank.controllers.framework.metricsclient import ObjectReference
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.quantity import milli, parse_quantity

RESOURCE, CONTAINER_RESOURCE, PODS = "Resource", "ContainerResource", "Pods"
OBJECT, EXTERNAL = "Object", "External"
MAX, MIN, DISABLED = "Max", "Min", "Disabled"
PODS_POLICY, PERCENT_POLICY = "Pods", "Percent"

_FIELDS = {
    RESOURCE: "resource",
    CONTAINER_RESOURCE: "containerResource",
    PODS: "pods",
    OBJECT: "object",
    EXTERNAL: "external",
}
_DEFAULT_CPU = 80  # percent
_SCALES = (-9, -6, -3, 0, 3, 6, 9, 12, 15, 18)  # powers of ten for which a quantity has a suffix

_NO_OBJECT = ObjectReference("", "", "")

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """One metric and its target: averageUtilization in percent, value and averageValue in thousandths.

    `name` is that of the resource or of the metric; `selector` stays as it is written.
    """

    type: str
    name: str
    target_type: str
    value: int | None = None
    average_value: int | None = None
    average_utilization: int | None = None
    container: str = ""
    described: ObjectReference = _NO_OBJECT
    selector: Json | None = None
    metric_selector: LabelSelector = EVERYTHING

    @classmethod
    def parse(cls, given: Json) -> MetricSpec:
        """Reads one entry of spec.metrics."""
        kind = str(given.get("type") or "")
        source = given.get(_FIELDS.get(kind, "")) or {}
        target, metric = source.get("target") or {}, source.get("metric") or {}
        described, selector = source.get("describedObject") or {}, metric.get("selector")
        return cls(
            type=kind,
            name=str(source.get("name") or metric.get("name") or ""),
            target_type=str(target.get("type") or ""),
            value=_milli(target.get("value")),
            average_value=_milli(target.get("averageValue")),
            average_utilization=target.get("averageUtilization"),
            container=str(source.get("container") or ""),
            described=ObjectReference(*(str(described.get(field) or "") for field in ("apiVersion", "kind", "name"))),
            selector=selector,
            metric_selector=EVERYTHING if selector is None else LabelSelector.parse(selector),
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """How much may change within a period: pods or percent."""

    type: str
    value: int
    period: Nanoseconds


@dataclass(frozen=True, slots=True)
class ScalingRules:
    """The rules of one direction; a window or tolerance of None is the controller's own."""

    policies: tuple[Policy, ...]
    select_policy: str = MAX
    window: Nanoseconds | None = None
    tolerance: float | None = None

    @property
    def longest_period(self) -> Nanoseconds:
        """Returns the longest period of any policy."""
        return max((policy.period for policy in self.policies), default=0)


@dataclass(frozen=True, slots=True)
class Behavior:
    """The rules of both directions."""

    up: ScalingRules
    down: ScalingRules


@dataclass(frozen=True, slots=True)
class Autoscaler:
    """What an autoscaler is asked to do."""

    api_version: str  # of the scale target
    kind: str
    name: str
    min_replicas: int
    max_replicas: int
    metrics: tuple[MetricSpec, ...]
    behavior: Behavior | None = None

    @classmethod
    def parse(cls, manifest: Json) -> Autoscaler:
        """Reads an autoscaler of either version."""
        spec = manifest.get("spec") or {}
        target, behavior = spec.get("scaleTargetRef") or {}, spec.get("behavior")
        least = spec.get("minReplicas")
        return cls(
            api_version=str(target.get("apiVersion") or ""),
            kind=str(target.get("kind") or ""),
            name=str(target.get("name") or ""),
            min_replicas=1 if least is None else int(least),
            max_replicas=int(spec.get("maxReplicas") or 0),
            metrics=tuple(MetricSpec.parse(metric) for metric in spec.get("metrics") or [_cpu(spec)]),
            behavior=None if behavior is None else _behavior(behavior),
        )

    @property
    def group(self) -> str:
        """Returns the API group of the scale target; its version does not matter."""
        return self.api_version.rpartition("/")[0]


def _cpu(spec: Json) -> Json:
    """Returns the metric of an autoscaler that lists none: the CPU target of autoscaling/v1 or its default."""
    percent = spec.get("targetCPUUtilizationPercentage")
    target = {"type": "Utilization", "averageUtilization": _DEFAULT_CPU if percent is None else percent}
    return {"type": RESOURCE, "resource": {"name": "cpu", "target": target}}


def _behavior(given: Json) -> Behavior:
    period = 15 * SECOND
    up = (Policy(PODS_POLICY, 4, period), Policy(PERCENT_POLICY, 100, period))
    down = (Policy(PERCENT_POLICY, 100, period),)
    return Behavior(
        _rules(given.get("scaleUp") or {}, up, default_window=0),
        _rules(given.get("scaleDown") or {}, down, default_window=None),
    )


def _rules(given: Json, default: tuple[Policy, ...], default_window: Nanoseconds | None) -> ScalingRules:
    policies = given.get("policies")
    window = given.get("stabilizationWindowSeconds")
    tolerance = given.get("tolerance")
    return ScalingRules(
        default if policies is None else tuple(_policy(each) for each in policies),
        str(given.get("selectPolicy") or MAX),
        default_window if window is None else int(window) * SECOND,
        None if tolerance is None else _approximate_float(tolerance),
    )


def _policy(given: Json) -> Policy:
    return Policy(str(given.get("type") or ""), int(given["value"]), int(given["periodSeconds"]) * SECOND)


def _milli(quantity: str | int | float | None) -> int | None:
    return None if quantity is None else milli(quantity)


def _approximate_float(quantity: str | int | float) -> float:
    """Returns a quantity as Go's AsApproximateFloat64 does: digits before the suffix times a power of ten.

    100m is 100 * 0.001, which need not be the float nearest to 0.1.
    """
    exact = parse_quantity(quantity)
    scale = max(scale for scale in _SCALES if (exact / Fraction(10) ** scale).denominator == 1)
    return float(exact / Fraction(10) ** scale) * float(f"1e{scale}")
