"""custom.metrics.k8s.io and external.metrics.k8s.io: metrics of pods, of other objects, and of things outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from wavetank.apiserver.endpoints.aggregated import AggregatedResource, register
from wavetank.apiserver.errors import StatusError, method_not_allowed
from wavetank.apiserver.requests.negotiation import negotiate_plain
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.responses import PRIVATE
from wavetank.apiserver.selectors.labels import parse_labels
from wavetank.apiserver.verbs.writing import Writer
from wavetank.cluster.fields.selectors import EVERYTHING, LabelSelector
from wavetank.cluster.objects.resource import render_time
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.quantity import format_milli

CUSTOM, EXTERNAL = "custom.metrics.k8s.io", "external.metrics.k8s.io"
_ADAPTER = "metrics-adapter"
_ALL = "*"

Document = dict[str, Any]


class Values(Protocol):
    """The values of pods, in thousandths, in the order of their names."""

    @property
    def names(self) -> Sequence[str]:
        """Returns the names of the pods."""

    @property
    def values(self) -> Sequence[int]:
        """Returns their values."""


class MetricValues(Protocol):
    """Where custom and external metrics come from; values are in thousandths, times in nanoseconds."""

    window: Nanoseconds

    @property
    def measured_at(self) -> Nanoseconds:
        """Returns the time of the values."""

    @property
    def has_custom_metrics(self) -> bool:
        """Tells whether there are custom metrics at all."""

    @property
    def has_external_metrics(self) -> bool:
        """Tells whether there are external metrics at all."""

    def custom_metrics(self) -> Iterable[tuple[str, str]]:
        """Yields resources (plural with group) and the names of their metrics."""

    def external_metrics(self) -> Iterable[str]:
        """Yields the names of external metrics."""

    def of_pods(
        self, namespace: str, selector: LabelSelector, metric: str, metric_selector: LabelSelector
    ) -> Values | None:
        """Returns a metric of the selected pods; None if there is no such metric."""

    def of_object(
        self, namespace: str, resource: str, name: str, metric: str, metric_selector: LabelSelector
    ) -> int | None:
        """Returns a metric of one object; None if it has none."""

    def external(
        self, namespace: str, metric: str, selector: LabelSelector
    ) -> Sequence[tuple[Mapping[str, str], int]] | None:
        """Returns the labels and values of the series that are selected; None if there is no such metric."""


class _Group:
    """What both groups have in common."""

    name: str
    versions: tuple[str, ...]

    def __init__(self, writer: Writer, metrics: MetricValues) -> None:
        self._kinds = writer.objects.kinds
        self._metrics = metrics
        for version in self.versions:
            register(writer, self.name, version, _ADAPTER)

    def resources(self) -> Iterator[AggregatedResource]:
        """Yields the resources, as discovery shows them."""
        raise NotImplementedError

    def respond(self, request: Request) -> Response | None:
        """Answers a request for metrics; None if its path is another one."""
        parts = [part for part in request.path.split("/") if part]
        if len(parts) < 4 or parts[:2] != ["apis", self.name] or parts[2] not in self.versions:
            return None
        if request.method != "GET":
            raise method_not_allowed()
        document = self._document(parts[2], parts[3:], request)
        representation = negotiate_plain(request)
        return Response(200, [("content-type", representation.media_type), PRIVATE], representation.encode(document))

    def _document(self, version: str, parts: list[str], request: Request) -> Document:
        raise NotImplementedError

    def _list(self, kind: str, version: str, items: list[Document]) -> Document:
        return {"kind": kind, "apiVersion": f"{self.name}/{version}", "metadata": {}, "items": items}

    @property
    def _time(self) -> Document:
        return {"timestamp": render_time(self._metrics.measured_at)}


class CustomMetrics(_Group):
    """custom.metrics.k8s.io."""

    name = CUSTOM
    versions = ("v1beta2", "v1beta1")

    def resources(self) -> Iterator[AggregatedResource]:
        """Yields resources such as pods/requests-per-second."""
        for resource, metric in self._metrics.custom_metrics():
            yield AggregatedResource(f"{resource}/{metric}", "MetricValueList", resource != "namespaces")

    def _document(self, version: str, parts: list[str], request: Request) -> Document:
        namespace, resource, name, metric = _read(parts, request)
        metric_selector = _selector(request, "metricLabelSelector")
        if (resource, name) == ("pods", _ALL):
            found = self._metrics.of_pods(namespace, _selector(request, "labelSelector"), metric, metric_selector)
            if found is None:
                raise _unknown_metric(metric, "pods")
            values = list(zip(found.names, found.values, strict=True))
        else:
            value = self._metrics.of_object(namespace, resource, name, metric, metric_selector)
            if value is None:
                raise _unknown_metric(metric, f"{resource} {name}")
            values = [(name, value)]
        described = self._described(resource, namespace)
        text = request.param("metricLabelSelector")
        items = [self._item(version, {**described, "name": each}, metric, text, value) for each, value in values]
        return self._list("MetricValueList", version, items)

    def _described(self, resource: str, namespace: str) -> Document:
        kind = next((each for each in self._kinds if each.resource == resource), None)
        named = {"kind": kind.kind, "apiVersion": kind.api_version} if kind is not None else {"kind": resource}
        return {**named, "namespace": namespace} if kind is None or kind.namespaced else named

    def _item(self, version: str, described: Document, metric: str, selector: str, value: int) -> Document:
        head: Document = {"describedObject": described}
        labels = _match_labels(selector)
        window = self._metrics.window // SECOND
        if version == "v1beta1":
            own = {"metricName": metric, **self._time, "window": window, "value": format_milli(value)}
            return {**head, **own, "selector": labels}
        named = {"name": metric, **({"selector": labels} if labels else {"selector": None})}
        return {**head, "metric": named, **self._time, "windowSeconds": window, "value": format_milli(value)}


class ExternalMetrics(_Group):
    """external.metrics.k8s.io."""

    name = EXTERNAL
    versions = ("v1beta1",)

    def resources(self) -> Iterator[AggregatedResource]:
        """Yields the names of the metrics."""
        for metric in self._metrics.external_metrics():
            yield AggregatedResource(metric, "ExternalMetricValueList")

    def _document(self, version: str, parts: list[str], request: Request) -> Document:
        if len(parts) != 3 or parts[0] != "namespaces":
            raise _not_found("the server could not find the requested resource")
        _, namespace, metric = parts
        found = self._metrics.external(namespace, metric, _selector(request, "labelSelector"))
        if found is None:
            raise _unknown_metric(metric, f"namespace {namespace}")
        items: list[Document] = [
            {"metricName": metric, "metricLabels": dict(labels), **self._time, "value": format_milli(value)}
            for labels, value in found
        ]
        return self._list("ExternalMetricValueList", version, items)


def _read(parts: list[str], request: Request) -> tuple[str, str, str, str]:
    """Returns namespace, resource, name and metric that a path names."""
    match parts:
        case ["namespaces", namespace, "metrics", metric]:
            return namespace, "namespaces", namespace, metric
        case ["namespaces", namespace, resource, name, metric]:
            return namespace, resource, name, metric
        case [resource, name, metric]:
            return "", resource, name, metric
    raise _not_found("the server could not find the requested resource")


def _selector(request: Request, parameter: str) -> LabelSelector:
    text = request.param(parameter)
    return parse_labels(text) if text else EVERYTHING


def _match_labels(selector: str) -> Document | None:
    """Returns a selector of equalities as a LabelSelector."""
    terms = [term.partition("=") for term in selector.split(",") if "=" in term]
    return {"matchLabels": {key: value for key, _, value in terms}} if terms else None


def _unknown_metric(metric: str, of: str) -> StatusError:
    return _not_found(f"the server could not find the metric {metric} for {of}")


def _not_found(message: str) -> StatusError:
    return StatusError(404, "NotFound", message, {})
