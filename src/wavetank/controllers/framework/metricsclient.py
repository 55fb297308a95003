"""What the controller asks of the metrics APIs, as client-go's metrics client does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.kernel.durations import Nanoseconds

_NO_RESOURCE_API = "the server could not find the requested resource (get pods.metrics.k8s.io)"
_NO_CUSTOM_API = "no custom metrics API (custom.metrics.k8s.io) registered"
_NO_EXTERNAL_API = "the server could not find the requested resource (get {}.external.metrics.k8s.io)"


class MetricsError(Exception):
    """A metric is not available; the text is the message of the condition and the Event.

    `code` is the HTTP status of the API's answer, 200 for an answer without the metric.
    """

    def __init__(self, message: str, code: int = 200) -> None:
        super().__init__(message)
        self.code = code


class PodMetrics(NamedTuple):
    """One answer about pods: columns of equal length, values in thousandths of the unit.

    An answer that names the same pods as the one before should have the same tuple `names`: then the pods need not be
    looked at one by one.
    """

    names: tuple[str, ...]
    values: Sequence[int]
    timestamps: Sequence[Nanoseconds]
    windows: Sequence[Nanoseconds]


class ContainerUsages(NamedTuple):
    """The answer of metrics.k8s.io for one pod: the usage by container and resource, in thousandths of the unit."""

    pod: str
    timestamp: Nanoseconds
    window: Nanoseconds
    containers: Mapping[str, Mapping[str, int]]


class ObjectReference(NamedTuple):
    """The object that an Object metric describes."""

    api_version: str
    kind: str
    name: str


class MetricsClient(Protocol):
    """The three metrics APIs; whatever cannot be answered is a MetricsError. Values are in thousandths."""

    def resource_metric(self, resource: str, namespace: str, selector: LabelSelector, container: str) -> PodMetrics:
        """Returns what the selected pods use of a resource, or what one container of each uses if it is named."""

    def pods_metric(
        self, metric: str, namespace: str, selector: LabelSelector, metric_selector: LabelSelector
    ) -> PodMetrics:
        """Returns a custom metric of the selected pods."""

    def object_metric(
        self, metric: str, namespace: str, described: ObjectReference, metric_selector: LabelSelector
    ) -> int:
        """Returns a custom metric of one object."""

    def external_metric(self, metric: str, namespace: str, metric_selector: LabelSelector) -> Sequence[int]:
        """Returns the values of all series of an external metric that the selector selects."""


class NoMetrics:
    """A cluster in which no metrics API is served."""

    def resource_metric(self, resource: str, namespace: str, selector: LabelSelector, container: str) -> PodMetrics:
        """Says that there is no metrics.k8s.io."""
        raise unavailable("resource", _NO_RESOURCE_API)

    def pods_metric(
        self, metric: str, namespace: str, selector: LabelSelector, metric_selector: LabelSelector
    ) -> PodMetrics:
        """Says that there is no custom.metrics.k8s.io."""
        raise unavailable("custom", _NO_CUSTOM_API)

    def object_metric(
        self, metric: str, namespace: str, described: ObjectReference, metric_selector: LabelSelector
    ) -> int:
        """Says that there is no custom.metrics.k8s.io."""
        raise unavailable("custom", _NO_CUSTOM_API)

    def external_metric(self, metric: str, namespace: str, metric_selector: LabelSelector) -> Sequence[int]:
        """Says that there is no external.metrics.k8s.io."""
        raise unavailable("external", _NO_EXTERNAL_API.format(metric))


def unavailable(api: str, why: str, code: int = 404) -> MetricsError:
    """Returns the error for an API (resource, custom, external) that has refused a request."""
    return MetricsError(f"unable to fetch metrics from {api} metrics API: {why}", code)


def no_metrics(api: str) -> MetricsError:
    """Returns the error for an answer of an API (resource, custom, external) that is empty."""
    return MetricsError(f"no metrics returned from {api} metrics API")


def sum_containers(usages: Iterable[ContainerUsages], resource: str, container: str) -> PodMetrics:
    """Returns the usage of whole pods, or of the named container of each.

    A pod is left out if the container is not there, or if any container that counts has no figure for the resource.
    An empty answer is a MetricsError.
    """
    found = [(each, _used(each.containers, resource, container)) for each in usages]
    if not found:
        raise no_metrics("resource")
    measured = [(each, used) for each, used in found if used is not None]
    return PodMetrics(
        tuple(each.pod for each, _ in measured),
        [used for _, used in measured],
        [each.timestamp for each, _ in measured],
        [each.window for each, _ in measured],
    )


def _used(containers: Mapping[str, Mapping[str, int]], resource: str, container: str) -> int | None:
    if container:
        return containers.get(container, {}).get(resource)
    amounts = [usage.get(resource) for usage in containers.values()]
    stated = [amount for amount in amounts if amount is not None]
    return sum(stated) if stated and len(stated) == len(amounts) else None
