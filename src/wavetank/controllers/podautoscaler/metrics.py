"""What each metric of an autoscaler asks for, with its entry in status.currentMetrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from wavetank.cluster.fields.resources import MEMORY
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.controllers.framework.metricsclient import MetricsClient, MetricsError
from wavetank.controllers.podautoscaler.autoscaler import (
    CONTAINER_RESOURCE,
    EXTERNAL,
    OBJECT,
    PODS,
    RESOURCE,
    MetricSpec,
)
from wavetank.controllers.podautoscaler.replicacalculator import (
    Proposal,
    ReplicaCalculator,
    Situation,
    of_value_per_pod,
    sum_of_series,
    sum_of_series_per_pod,
)
from wavetank.quantity import format_bytes, format_milli

Json = dict[str, Any]

_NO_TARGET = "invalid {} metric source: neither a value target nor an average value target was set"
_NO_RESOURCE_TARGET = (
    "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set"
)


class Measured(NamedTuple):
    """What a metric asks for, its name in conditions and Events, and its entry in status.currentMetrics."""

    replicas: int
    name: str
    status: Json


class InvalidMetricError(Exception):
    """A metric without a proposal: `reason` and `why` go into an Event, the text is part of the sync's error."""

    def __init__(self, reason: str, why: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.why = why


class MetricEvaluation:
    """Asks the metrics APIs and computes proposals, one metric at a time."""

    def __init__(self, client: MetricsClient, calculator: ReplicaCalculator) -> None:
        self._client = client
        self._calculator = calculator

    def evaluate(self, spec: MetricSpec, namespace: str, selector: LabelSelector, given: Situation) -> Measured:
        """Returns what a metric asks for; InvalidMetricError if that is unknown."""
        try:
            if spec.type in (RESOURCE, CONTAINER_RESOURCE):
                return self._of_resource(spec, namespace, selector, given)
            if spec.type == PODS:
                return self._of_pods(spec, namespace, selector, given)
            if spec.type == OBJECT:
                return self._of_object(spec, namespace, given)
            if spec.type == EXTERNAL:
                return self._of_external(spec, namespace, given)
        except MetricsError as error:
            why = str(error)
            raise InvalidMetricError(f"FailedGet{spec.type}Metric", why, _failure(spec) + why) from None
        why = f'unknown metric source type "{spec.type}"'
        raise InvalidMetricError("InvalidMetricSourceType", why, why)

    def _of_resource(self, spec: MetricSpec, namespace: str, selector: LabelSelector, given: Situation) -> Measured:
        if spec.average_value is None and spec.average_utilization is None:
            raise MetricsError(_NO_RESOURCE_TARGET)
        what = "utilization" if spec.average_value is None else "usage"
        try:
            proposal = self._resource_proposal(spec, namespace, selector, given)
        except MetricsError as error:
            raise MetricsError(f"failed to get {spec.name} {what}: {error}") from None
        current: Json = {"averageValue": _quantity(spec.name, proposal.usage)}
        name = f"{spec.name} resource"
        if proposal.utilization is not None:
            current["averageUtilization"] = proposal.utilization
            container = "container " if spec.type == CONTAINER_RESOURCE else ""
            name = f"{spec.name} {container}resource utilization (percentage of request)"
        status: Json = {"name": spec.name, "current": current}
        if spec.type == CONTAINER_RESOURCE:
            return Measured(
                proposal.replicas,
                name,
                {"type": spec.type, "containerResource": {**status, "container": spec.container}},
            )
        return Measured(proposal.replicas, name, {"type": spec.type, "resource": status})

    def _resource_proposal(
        self, spec: MetricSpec, namespace: str, selector: LabelSelector, given: Situation
    ) -> Proposal:
        try:
            metrics = self._client.resource_metric(spec.name, namespace, selector, spec.container)
        except MetricsError as error:
            raise MetricsError(f"unable to get metrics for resource {spec.name}: {error}") from None
        if spec.average_value is not None:
            return self._calculator.of_average_value(metrics, spec.name, spec.average_value, given)
        assert spec.average_utilization is not None
        return self._calculator.of_utilization(metrics, spec.container, spec.name, spec.average_utilization, given)

    def _of_pods(self, spec: MetricSpec, namespace: str, selector: LabelSelector, given: Situation) -> Measured:
        try:
            metrics = self._client.pods_metric(spec.name, namespace, selector, spec.metric_selector)
        except MetricsError as error:
            raise MetricsError(f"unable to get metric {spec.name}: {error}") from None
        proposal = self._calculator.of_average_value(metrics, "", spec.average_value or 0, given)
        current = {"averageValue": format_milli(proposal.usage)}
        status = {"type": PODS, "pods": {"metric": _identifier(spec), "current": current}}
        return Measured(proposal.replicas, f"pods metric {spec.name}", status)

    def _of_object(self, spec: MetricSpec, namespace: str, given: Situation) -> Measured:
        by_value = spec.target_type == "Value" and spec.value is not None
        if not by_value and not _is_object_average(spec):
            raise MetricsError(_NO_TARGET.format("object"))
        described = spec.described
        try:
            usage = self._client.object_metric(spec.name, namespace, described, spec.metric_selector)
        except MetricsError as error:  # the order of these words is upstream's
            where = f"{described.kind} on {namespace} {described.name}/{error}"
            raise MetricsError(f"unable to get metric {spec.name}: {where}") from None
        if by_value:
            proposal = self._calculator.of_value(usage, spec.value or 0, given)
            current, name = {"value": format_milli(proposal.usage)}, f"{described.kind} metric {spec.name}"
        else:
            proposal = of_value_per_pod(usage, spec.average_value or 0, given, capped=False)
            current, name = {"averageValue": format_milli(proposal.usage)}, _external_name(spec)
        reference = {"kind": described.kind, "name": described.name, "apiVersion": described.api_version}
        reference = {field: value for field, value in reference.items() if value or field != "apiVersion"}
        status = {"metric": _identifier(spec), "current": current, "describedObject": reference}
        return Measured(proposal.replicas, name, {"type": OBJECT, "object": status})

    def _of_external(self, spec: MetricSpec, namespace: str, given: Situation) -> Measured:
        if spec.average_value is None and spec.value is None:
            raise MetricsError(_NO_TARGET.format("external"))
        try:
            series = self._client.external_metric(spec.name, namespace, spec.metric_selector)
        except MetricsError as error:
            what = f"{namespace}/{spec.name}/{_go_text(spec.selector)}"
            raise MetricsError(f"unable to get external metric {what}: {error}") from None
        if spec.average_value is not None:
            proposal = of_value_per_pod(sum_of_series_per_pod(series), spec.average_value, given, capped=True)
            current = {"averageValue": format_milli(proposal.usage)}
        else:
            proposal = self._calculator.of_value(sum_of_series(series), spec.value or 0, given)
            current = {"value": format_milli(proposal.usage)}
        status = {"type": EXTERNAL, "external": {"metric": _identifier(spec), "current": current}}
        return Measured(proposal.replicas, _external_name(spec), status)


def _is_object_average(spec: MetricSpec) -> bool:
    return spec.target_type == "AverageValue" and spec.average_value is not None


def _failure(spec: MetricSpec) -> str:
    """Returns what comes before the reason why a metric could not be had."""
    if spec.type == OBJECT:
        inner = f"failed to get {spec.name} object metric: " if _is_object_average(spec) else ""
        return f"failed to get object metric value: {inner}"
    if spec.type == PODS:
        return "failed to get pods metric value: "
    if spec.type == RESOURCE:
        return f"failed to get {spec.name} resource metric value: "
    if spec.type == CONTAINER_RESOURCE:
        return f"failed to get {spec.container} container metric value: "
    inner = f"failed to get external metric {spec.name}: " if spec.value is not None else ""
    if spec.average_value is not None:
        inner = f"failed to get {spec.name} external metric: "
    return f"failed to get {spec.name} external metric value: {inner}"


def _quantity(resource: str, usage: int) -> str:
    if resource == MEMORY and usage % 1000 == 0:
        return format_bytes(usage // 1000)
    return format_milli(usage)


def _identifier(spec: MetricSpec) -> Json:
    return {"name": spec.name} if spec.selector is None else {"name": spec.name, "selector": spec.selector}


def _external_name(spec: MetricSpec) -> str:
    return f"external metric {spec.name}({_go_text(spec.selector)})"


def _go_text(selector: Mapping[str, Any] | None) -> str:
    """Writes a LabelSelector as its Go type does."""
    if selector is None:
        return "nil"
    labels = "".join(f"{key}: {value}," for key, value in sorted((selector.get("matchLabels") or {}).items()))
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{each.get('key')},Operator:{each.get('operator')},"
        f"Values:[{' '.join(each.get('values') or ())}],}},"
        for each in selector.get("matchExpressions") or ()
    )
    matching = (
        f"MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},"
    )
    return f"&LabelSelector{{{matching}}}"
