"""What the metrics APIs of a scenario tell, played from its series."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wavetank.cluster.fields.selectors import LabelSelector, parse_selector_text
from wavetank.cluster.objects.resource import parse_time
from wavetank.cluster.rules.readiness import whole_second
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.metricsclient import (
    ContainerUsages,
    MetricsError,
    ObjectReference,
    PodMetrics,
    no_metrics,
    sum_containers,
    unavailable,
)
from wavetank.kernel.durations import SECOND, Nanoseconds, parse_duration
from wavetank.nodes.usage.series import StepSeries
from wavetank.quantity import milli
from wavetank.simulation.served.faults import Faults
from wavetank.verification.podautoscaler.playedpods import PlayedPod
from wavetank.verification.podautoscaler.recording import AutoscalerInputs

Json = dict[str, Any]
Pods = Callable[[], Sequence[PlayedPod]]

_CUSTOM_WINDOW = 60 * SECOND  # of samples that do not state theirs
_SELECTED = re.compile(r"(?P<name>[^{]*)(?:\{(?P<selector>.*)\})?")


class _PodSeries:
    """A metric of pods: a value of each, or a total that the ready ones share; single pods may have their own."""

    def __init__(self, spec: Json) -> None:
        self._each = StepSeries(spec["each"]) if "each" in spec else None
        self._total = StepSeries(spec["total"]) if "total" in spec else None
        self._idle: int = spec.get("idle", 0)
        self._own = {name: StepSeries(steps) for name, steps in (spec.get("pods") or {}).items()}

    def values(self, pods: Sequence[PlayedPod], time: Nanoseconds) -> dict[str, int]:
        """Returns the values of measured pods; some may have none."""
        sharing: dict[str, int] = {}
        for pod in pods:
            sharing[pod.target] = sharing.get(pod.target, 0) + pod.serves
        values = {pod.name: self._value(pod, sharing, time) for pod in pods}
        return {name: value for name, value in values.items() if value is not None}

    def _value(self, pod: PlayedPod, sharing: Mapping[str, int], time: Nanoseconds) -> int | None:
        if pod.name in self._own:
            return self._own[pod.name].at(time)
        if self._each is not None:
            return self._each.at(time)
        total = self._total.at(time) if self._total is not None else None
        if total is None:
            return None
        return total // sharing[pod.target] if pod.serves else self._idle


class PlayedMetrics:
    """The metrics APIs of a scenario."""

    def __init__(self, inputs: AutoscalerInputs, store: Store, pods: Pods, faults: Faults) -> None:
        self._given = given = inputs.metrics
        self._custom_root = f"/apis/custom.metrics.k8s.io/{inputs.custom_version}"
        self._clock = clock = store.clock
        self._name = store.resource_name
        self._pods = pods
        self._faults = faults
        self._resource = [
            (*container.rpartition("/")[::2], name, _PodSeries(spec))
            for container, resources in (given.get("resource") or {}).items()
            for name, spec in resources.items()
        ]
        self._custom = {_selected(name): _PodSeries(spec) for name, spec in (given.get("pods") or {}).items()}
        self._objects = {_selected(name): StepSeries(steps) for name, steps in (given.get("objects") or {}).items()}
        self._external = {
            name: [(labels, StepSeries(steps)) for labels, steps in series]
            for name, series in (given.get("external") or {}).items()
        }
        self._scraped: list[tuple[Mapping[str, str], ContainerUsages]] = []
        if "scrape_ns" in given:
            clock.at(given.get("scrape_at_ns", 0), self._scrape, background=True)

    # the three APIs

    def resource_metric(self, resource: str, namespace: str, selector: LabelSelector, container: str) -> PodMetrics:
        """Returns the usage of the selected pods."""
        body = self._faults.check(
            "GET", f"/apis/metrics.k8s.io/v1beta1/namespaces/{namespace}/pods", _refused("resource")
        )
        if body is not None:
            return sum_containers(_listed(body), resource, container)
        if "resource" not in self._given:
            raise unavailable("resource", "the server could not find the requested resource")
        samples = self._scraped if "scrape_ns" in self._given else self._usages()
        chosen = [usages for labels, usages in samples if selector.matches(labels)]
        return sum_containers(chosen, resource, container)

    def pods_metric(
        self, metric: str, namespace: str, selector: LabelSelector, metric_selector: LabelSelector
    ) -> PodMetrics:
        """Returns a custom metric of the selected pods."""
        path = f"{self._custom_root}/namespaces/{namespace}/pods/*/{metric}"
        body = self._faults.check("GET", path, _refused("custom"))
        if body is not None:
            return _values(body)
        series = self._custom.get((metric, metric_selector))
        if series is None:
            raise unavailable("custom", f"the server could not find the metric {metric} for pods")
        now = self._clock.now
        values = series.values([pod for pod in self._measured() if selector.matches(pod.labels)], now)
        if not values:
            raise no_metrics("custom")
        times = [whole_second(now - self._given.get("age_ns", 0))] * len(values)
        return PodMetrics(tuple(values), list(values.values()), times, [_CUSTOM_WINDOW] * len(values))

    def object_metric(
        self, metric: str, namespace: str, described: ObjectReference, metric_selector: LabelSelector
    ) -> int:
        """Returns a custom metric of one object."""
        group = described.api_version.rpartition("/")[0]
        resource = self._name(f"{described.kind}.{group}" if group else described.kind)
        name = namespace if resource == "namespaces" else described.name
        path = f"{self._custom_root}/namespaces/{namespace}/{resource}/{name}/{metric}"
        body = self._faults.check("GET", path, _refused("custom"))
        if body is not None:
            return _values(body).values[0]
        series = self._objects.get((f"{resource}/{name}/{metric}", metric_selector))
        value = series.at(self._clock.now) if series is not None else None
        if value is None:
            raise unavailable("custom", f"the server could not find the metric {metric} for {resource} {name}")
        return value

    def external_metric(self, metric: str, namespace: str, metric_selector: LabelSelector) -> Sequence[int]:
        """Returns the series of an external metric that the selector selects."""
        path = f"/apis/external.metrics.k8s.io/v1beta1/namespaces/{namespace}/{metric}"
        body = self._faults.check("GET", path, _refused("external"))
        if body is not None:
            return [milli(item["value"]) for item in body["items"]]
        if metric not in self._external:
            raise unavailable("external", f"the server could not find the metric {metric}")
        chosen = (series for labels, series in self._external[metric] if metric_selector.matches(labels))
        values = [value for series in chosen if (value := series.at(self._clock.now)) is not None]
        if not values:
            raise no_metrics("external")
        return values

    # what is measured

    def _scrape(self) -> None:
        self._scraped = self._usages()
        self._clock.after(self._given["scrape_ns"], self._scrape, background=True)

    def _measured(self) -> list[PlayedPod]:
        now, given = self._clock.now, self._given
        hidden = {name for start, end, names in given.get("hide") or () if start <= now < end for name in names}
        return [
            pod
            for pod in self._pods()
            if pod.running
            and pod.started + given.get("lag_ns", 0) <= now
            and (given.get("terminating", True) or not pod.terminating)
            and not hidden & {pod.name, "*"}
            and pod.target in given.get("of", [pod.target])
        ]

    def _usages(self) -> list[tuple[Mapping[str, str], ContainerUsages]]:
        now, pods = self._clock.now, self._measured()
        used: dict[str, dict[str, dict[str, int]]] = {
            pod.name: {name: {} for name in pod.containers if self._is_measured(pod, name)} for pod in pods
        }
        for target, container, resource, series in self._resource:
            of = [pod for pod in pods if target in ("", pod.target) and container in pod.containers]
            for name, value in series.values(of, now).items():
                used[name][container][resource] = value if resource == "cpu" else value * 1000
        time, window = whole_second(now - self._given.get("age_ns", 0)), self._given.get("window_s", 30) * SECOND
        return [(pod.labels, ContainerUsages(pod.name, time, window, used[pod.name])) for pod in pods]

    def _is_measured(self, pod: PlayedPod, container: str) -> bool:
        return any(target in ("", pod.target) and name == container for target, name, _, _ in self._resource)


def _selected(name: str) -> tuple[str, LabelSelector]:
    """Reads the name of a metric, perhaps with a selector in braces."""
    match = _SELECTED.fullmatch(name)
    assert match is not None
    return match["name"], parse_selector_text(match["selector"] or "")


def _refused(api: str) -> Callable[[str], MetricsError]:
    return lambda why: unavailable(api, why)


def _listed(body: Json) -> list[ContainerUsages]:
    """Reads a PodMetricsList."""
    return [
        ContainerUsages(
            item["metadata"]["name"],
            parse_time(item["timestamp"], "timestamp") or 0,
            parse_duration(item["window"]),
            {
                each["name"]: {name: milli(amount) for name, amount in each["usage"].items()}
                for each in item["containers"]
            },
        )
        for item in body["items"]
    ]


def _values(body: Json) -> PodMetrics:
    """Reads a MetricValueList."""
    items = body["items"]
    if not items:
        raise no_metrics("custom")
    windows = [item.get("windowSeconds") for item in items]
    return PodMetrics(
        tuple(item["describedObject"]["name"] for item in items),
        [milli(item["value"]) for item in items],
        [parse_time(item.get("timestamp"), "timestamp") or 0 for item in items],
        [_CUSTOM_WINDOW if window is None else window * SECOND for window in windows],
    )
