from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.rules.readiness import running_since, whole_second
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.metricsclient import (
    NoMetrics,
    ObjectReference,
    PodMetrics,
    no_metrics,
    unavailable,
)
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.usage.usage import Usage, Used
from wavetank.simulation.metrics.podmetrics import RESOURCES, PodMetricsTable, Sample
from wavetank.simulation.metrics.podsets import PodSets, start_of
from wavetank.simulation.metrics.setting import MetricsSetting

_ABSENT = NoMetrics()  # says so of APIs that are not served


class ClusterMetrics(Usage):
    """The metrics of a cluster: what the three metrics APIs serve, and what the built-in autoscaler asks for.

    Series begin with the cluster, at the present time of its clock. `ready_since` returns since when a pod is ready,
    None if it is not.
    """

    def __init__(
        self,
        store: Store,
        setting: MetricsSetting | None = None,
        ready_since: Callable[[Pod], Nanoseconds | None] = running_since,
    ) -> None:
        super().__init__(store)
        self._setting = setting = (setting or MetricsSetting()).beginning_at(store.clock.now)
        self._sets = PodSets(store, ready_since)
        self._table = PodMetricsTable(setting.loads, self._sets)
        self.window = setting.window

    @property
    def measured_at(self) -> Nanoseconds:
        """Returns when the values that are served now were measured."""
        return self._setting.measured_at(self._store.clock.now)

    def containers(self, pod: Pod) -> dict[str, Used]:
        """Returns the usage of each container of a pod, by name; empty unless it ran when it was last measured."""
        time = self.measured_at
        return super().containers(pod) if start_of(pod) <= time and self._table.measures(pod, time) else {}

    def container(self, pod: Pod, name: str) -> Used:
        """Returns the usage of one container of a running pod."""
        cpu, memory = (self._table.container(pod, name, resource, self.measured_at) for resource in RESOURCES)
        return Used(cpu, memory // 1000)

    # of custom.metrics.k8s.io and external.metrics.k8s.io

    @property
    def has_custom_metrics(self) -> bool:
        """Tells whether there is anything for custom.metrics.k8s.io to serve."""
        return bool(self._setting.objects) or any(load.metric not in RESOURCES for load in self._setting.loads)

    @property
    def has_external_metrics(self) -> bool:
        """Tells whether there is anything for external.metrics.k8s.io to serve."""
        return bool(self._setting.external)

    def custom_metrics(self) -> Iterator[tuple[str, str]]:
        """Yields the resources (plural with group) and metrics of custom.metrics.k8s.io."""
        names = {("pods", load.metric): None for load in self._setting.loads if load.metric not in RESOURCES}
        yield from names | {(each.resource, each.metric): None for each in self._setting.objects}

    def external_metrics(self) -> Iterator[str]:
        """Yields the names of external metrics."""
        yield from dict.fromkeys(each.metric for each in self._setting.external)

    def of_pods(
        self, namespace: str, selector: LabelSelector, metric: str, metric_selector: LabelSelector
    ) -> Sample | None:
        """Returns a custom metric of pods, in thousandths; None if no pods have such a metric."""
        if not self._table.has_custom(metric, metric_selector):
            return None
        return self._table.custom(self._sets.of(namespace, selector), metric, metric_selector, self.measured_at)

    def of_object(
        self, namespace: str, resource: str, name: str, metric: str, metric_selector: LabelSelector
    ) -> int | None:
        """Returns a custom metric of an object, in thousandths; None if it has no such metric."""
        wanted = (namespace, resource, name, metric, metric_selector)
        for each in self._setting.objects:
            if (each.namespace, each.resource, each.name, each.metric, each.metric_labels) == wanted:
                return each.series.at(self.measured_at)
        return None

    def external(
        self, namespace: str, metric: str, selector: LabelSelector
    ) -> list[tuple[Mapping[str, str], int]] | None:
        """Returns the series of an external metric with their labels; None if there is no such metric."""
        known = [each for each in self._setting.external if each.metric == metric]
        if not known:
            return None
        chosen = (each for each in known if each.namespace in (None, namespace) and selector.matches(each.labels))
        values = ((each.labels, each.series.at(self.measured_at)) for each in chosen)
        return [(labels, value) for labels, value in values if value is not None]

    # of the autoscaler's metrics client

    def resource_metric(self, resource: str, namespace: str, selector: LabelSelector, container: str) -> PodMetrics:
        """Returns what the selected pods use."""
        pods = self._sets.of(namespace, selector)
        if container:  # an answer without that container is not empty
            if not self._table.resource(pods, resource, "", self.measured_at).names:
                raise no_metrics("resource")
            return self._answer(self._table.resource(pods, resource, container, self.measured_at))
        sample = self._table.resource(pods, resource, "", self.measured_at)
        if not sample.names:
            raise no_metrics("resource")
        return self._answer(sample)

    def pods_metric(
        self, metric: str, namespace: str, selector: LabelSelector, metric_selector: LabelSelector
    ) -> PodMetrics:
        """Returns a custom metric of the selected pods."""
        if not self.has_custom_metrics:
            return _ABSENT.pods_metric(metric, namespace, selector, metric_selector)
        sample = self.of_pods(namespace, selector, metric, metric_selector)
        if sample is None:
            raise unavailable("custom", f"the server could not find the metric {metric} for pods")
        if not sample.names:
            raise no_metrics("custom")
        return self._answer(sample)

    def object_metric(
        self, metric: str, namespace: str, described: ObjectReference, metric_selector: LabelSelector
    ) -> int:
        """Returns a custom metric of one object."""
        if not self.has_custom_metrics:
            return _ABSENT.object_metric(metric, namespace, described, metric_selector)
        group = described.api_version.rpartition("/")[0]
        resource = self._store.resource_name(f"{described.kind}.{group}" if group else described.kind)
        name = namespace if resource == "namespaces" else described.name
        value = self.of_object(namespace, resource, name, metric, metric_selector)
        if value is None:
            why = f"the server could not find the metric {metric} for {resource} {name}"
            raise unavailable("custom", why)
        return value

    def external_metric(self, metric: str, namespace: str, metric_selector: LabelSelector) -> Sequence[int]:
        """Returns the values of an external metric."""
        if not self.has_external_metrics:
            return _ABSENT.external_metric(metric, namespace, metric_selector)
        found = self.external(namespace, metric, metric_selector)
        if found is None:
            raise unavailable("external", f"the server could not find the metric {metric} for namespace {namespace}")
        if not found:
            raise no_metrics("external")
        return [value for _, value in found]

    def _answer(self, sample: Sample) -> PodMetrics:
        count, time = len(sample.names), whole_second(self.measured_at)
        return PodMetrics(sample.names, sample.values, [time] * count, [self.window] * count)
