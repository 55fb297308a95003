"""Computes metrics of many pods at once: as long as the pods stay the same, only the series are looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from wavetank.cluster.fields.labels import labels_key
from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.usage.load import Distribution, Load
from wavetank.nodes.usage.series import Constant, FunctionSeries
from wavetank.nodes.usage.usage import container_names, requested
from wavetank.simulation.metrics.podsets import PodSet, PodSets, start_of

RESOURCES = (CPU, MEMORY)  # that are measured of every pod
_MOST_KNOWN = 10_000  # labels of pods with one spec

Value = Callable[[Nanoseconds], int | None]


class Sample(NamedTuple):
    """The values of pods, in thousandths, in the order of `names`, which is the same tuple while the pods are."""

    names: tuple[str, ...]
    values: list[int]


class _Part(NamedTuple):
    """Pods that have the same value."""

    names: tuple[str, ...]
    value: Value


class _Plan(NamedTuple):
    """How the values of a set of pods are computed, until another pod is measured for the first time."""

    names: tuple[str, ...]
    parts: list[_Part]
    until: Nanoseconds | None


class PodMetricsTable:
    """The metrics of pods by the loads that are on them; the first load that fits a pod counts.

    While a load of CPU or memory on a pod has no value, neither resource of the pod is measured, as a metrics server
    does it.
    """

    def __init__(self, loads: tuple[Load, ...], sets: PodSets) -> None:
        self._sets = sets
        self._loads = loads
        self._has_names = any(load.pods for load in loads)
        self._always = all(isinstance(load.series, Constant | FunctionSeries) for load in loads)
        self._known: WeakKeyDictionary[PodSpec, dict[Any, list[Load]]] = WeakKeyDictionary()  # there by labels

    def resource(self, pods: PodSet, resource: str, container: str, time: Nanoseconds) -> Sample:
        """Returns what pods, or one container of each, use of a resource."""
        return self._sample(pods, ("resource", resource, container), time)

    def custom(self, pods: PodSet, metric: str, labels: Any, time: Nanoseconds) -> Sample:
        """Returns a custom metric of pods that is asked for by these labels; pods without it are left out."""
        return self._sample(pods, ("custom", metric, labels), time)

    def has_custom(self, metric: str, labels: Any) -> bool:
        """Tells whether any pods have such a metric."""
        return any((load.metric, load.metric_labels) == (metric, labels) for load in self._loads)

    def measures(self, pod: Pod, time: Nanoseconds) -> bool:
        """Tells whether the resources of a running pod are measured at a time."""
        return self._always or all(load.series.at(time) is not None for load in self._resource_loads(pod))

    def container(self, pod: Pod, container: str, resource: str, time: Nanoseconds) -> int:
        """Returns what a container of a running pod uses of a resource, in thousandths."""
        value = self._used_by(pod, resource, container)(time)
        return value or 0

    def _sample(self, pods: PodSet, what: tuple[str, str, Any], time: Nanoseconds) -> Sample:
        plan: _Plan | None = pods.computed.get(what)
        if plan is None or (plan.until is not None and time >= plan.until):
            plan = pods.computed[what] = self._plan(pods, what, time)
        values: list[int] = []
        for part in plan.parts:
            value = part.value(time)
            if value is None:
                return self._without(plan, time)
            values += [value] * len(part.names)
        return Sample(plan.names, values)

    def _without(self, plan: _Plan, time: Nanoseconds) -> Sample:
        """Returns a sample without pods whose series have not begun."""
        pairs = [(name, value) for part in plan.parts if (value := part.value(time)) is not None for name in part.names]
        return Sample(tuple(name for name, _ in pairs), [value for _, value in pairs])

    def _plan(self, pods: PodSet, what: tuple[str, str, Any], time: Nanoseconds) -> _Plan:
        running = pods.running()
        measured = [pod for pod in running if start_of(pod) <= time]
        waiting = [start_of(pod) for pod in running if start_of(pod) > time]
        grouped: dict[Any, list[str]] = {}
        values: dict[Any, Value] = {}
        for pod in measured:
            found = self._value_of(pod, what)
            if found is not None:
                key, value = found
                grouped.setdefault(key, []).append(pod.name)
                values[key] = value
        parts = [_Part(tuple(names), values[key]) for key, names in grouped.items()]
        names = tuple(name for part in parts for name in part.names)
        return _Plan(names, parts, min(waiting, default=None))

    def _value_of(self, pod: Pod, what: tuple[str, str, Any]) -> tuple[Any, Value] | None:
        """Returns a key that pods of the same value share, and how it is computed; None if the pod has none."""
        kind, name, detail = what
        if kind == "custom":
            load = self._load(pod, name, detail)
            return None if load is None else self._by_load(pod, load, "")
        if detail and detail not in container_names(pod):
            return None
        key, used = self._used(pod, name, detail)
        if self._always:
            return key, used
        loads = self._resource_loads(pod)
        return (key, *map(id, loads)), lambda time: used(time) if self.measures(pod, time) else None

    def _used(self, pod: Pod, resource: str, container: str) -> tuple[Any, Value]:
        """Returns what a pod, or one container of it, uses, as `_value_of` does."""
        loads = self._loads_of(pod, resource)
        if len(loads) == 1 and not container:
            return self._by_load(pod, loads[0], resource)
        key = (id(pod.spec), tuple(map(id, loads)), self._sets.serves(pod))
        if container:
            return key, self._used_by(pod, resource, container)
        each = [self._used_by(pod, resource, name) for name in container_names(pod)]
        return key, lambda time: sum(value(time) or 0 for value in each)

    def _used_by(self, pod: Pod, resource: str, container: str) -> Value:
        loads = self._loads_of(pod, resource)
        if not loads:
            amount = requested(pod.spec, container, resource)
            return lambda time: amount
        for load in loads:
            if (load.container or container_names(pod)[0]) == container:
                return self._by_load(pod, load, resource)[1]
        return lambda time: 0

    def _resource_loads(self, pod: Pod) -> list[Load]:
        return [load for resource in RESOURCES for load in self._loads_of(pod, resource)]

    def _loads_of(self, pod: Pod, resource: str) -> list[Load]:
        """Returns the loads of a resource on a pod, one for each container."""
        name = pod.name if self._has_names else ""
        of_spec = self._known.get(pod.spec)
        if of_spec is None:
            of_spec = self._known[pod.spec] = {}
        key = (resource, pod.namespace, name, labels_key(pod.labels))
        known = of_spec.get(key)
        if known is None:
            found: dict[str, Load] = {}
            for load in self._loads:
                if load.metric == resource and load.is_on(pod):
                    found.setdefault(load.container or container_names(pod)[0], load)
            if len(of_spec) >= _MOST_KNOWN:
                of_spec.clear()
            known = of_spec[key] = list(found.values())
        return known

    def _load(self, pod: Pod, metric: str, labels: Any) -> Load | None:
        return next(
            (load for load in self._loads if (load.metric, load.metric_labels) == (metric, labels) and load.is_on(pod)),
            None,
        )

    def _by_load(self, pod: Pod, load: Load, resource: str) -> tuple[Any, Value]:
        at = load.series.at
        if load.distribution is Distribution.EACH:
            return id(load), at
        if load.distribution is Distribution.SHARE:
            amount = requested(pod.spec, load.container or container_names(pod)[0], resource)
            return (id(load), amount), lambda time: _share(amount, at(time))
        if not self._sets.serves(pod):
            return (id(load), False), lambda time: load.idle
        sharing, serving = self._sets.of(load.namespace, load.selector), self._sets.serving
        return (id(load), True), lambda time: _divided(at(time), serving(sharing, time))


def _share(amount: int, share: int | None) -> int | None:
    return None if share is None else amount * share // 1000


def _divided(total: int | None, pods: int) -> int | None:
    return None if total is None else total // max(pods, 1)
