"""How many replicas a metric asks for, given the present ones: kube-controller-manager's replica calculator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from wavetank.controllers.framework.metricsclient import MetricsError, PodMetrics
from wavetank.controllers.podautoscaler.gointegers import (
    MAX_INT32,
    MAX_INT64,
    ceil_int32,
    ceil_int64,
    divided,
    int32,
    int64,
    ratio,
)
from wavetank.controllers.podautoscaler.podgroups import Grouping, PodGroups
from wavetank.controllers.podautoscaler.podstates import PodStates
from wavetank.controllers.podautoscaler.selections import Selection
from wavetank.kernel.durations import Nanoseconds

_NO_PODS = "no pods returned by selector while calculating replica count"
_NO_SAMPLES = "did not receive metrics for targeted pods (pods might be unready)"
_NO_MATCH = "no metrics returned matched known pods"


class Tolerances(NamedTuple):
    """How far a usage ratio may be below and above 1 without any change; both edges are inside."""

    down: float
    up: float

    def contain(self, usage_ratio: float) -> bool:
        """Tells whether a ratio is within the tolerances."""
        return 1.0 - self.down <= usage_ratio <= 1.0 + self.up


class Situation(NamedTuple):
    """What a proposal depends on besides the metric: the scale's replicas, the selected pods, tolerances, time."""

    spec_replicas: int
    status_replicas: int
    selection: Selection
    tolerances: Tolerances
    now: Nanoseconds


class Proposal(NamedTuple):
    """What a metric asks for, and what it is now: `usage` in thousandths, `utilization` in percent of the request."""

    replicas: int
    usage: int
    utilization: int | None = None


# Computes a ratio again with pods that have no sample: missing ones at all of their fallback (True), at 0 (False) or
# left out (None); unready ones at 0 (True) or left out.
_Again = Callable[[bool | None, bool], float]


class ReplicaCalculator:
    """Computes proposals from metrics and the pods that an autoscaler selects; what cannot be is a MetricsError."""

    def __init__(self, states: PodStates, grouping: Grouping) -> None:
        self._states = states
        self._grouping = grouping

    def of_utilization(
        self, metrics: PodMetrics, container: str, resource: str, target: int, given: Situation
    ) -> Proposal:
        """Returns a proposal for a target in percent of the requests."""
        groups = self._grouped(metrics, resource, given)
        requested = self._grouping.requested(given.selection, metrics, groups, (container, resource))
        used = _sum(metrics.values, requested.positions)
        utilization, usage_ratio = _utilization(used, requested.total, target)

        def again(missing_at_all: bool | None, with_unready: bool) -> float:
            used_then, requested_then = used, requested.total
            if missing_at_all is not None:
                requested_then += sum(requested.missing)
            if missing_at_all:
                used_then += sum(divided(request * max(100, target), 100) for request in requested.missing)
            if with_unready:
                requested_then += requested.unready
            return _utilization(used_then, requested_then, target)[1]

        replicas = _replicas(usage_ratio, groups, given, again)
        return Proposal(replicas, divided(used, len(requested.positions)), utilization)

    def of_average_value(self, metrics: PodMetrics, resource: str, target: int, given: Situation) -> Proposal:
        """Returns a proposal for the mean over pods, in thousandths; `resource` is "" if the metric is none."""
        groups = self._grouped(metrics, resource, given)
        used, count = _sum(metrics.values, groups.measured), len(groups.measured)
        usage = divided(used, count)

        def again(missing_at_all: bool | None, with_unready: bool) -> float:
            used_then, count_then = used, count
            if missing_at_all is not None:
                count_then += len(groups.missing)
            if missing_at_all:
                used_then += target * len(groups.missing)
            if with_unready:
                count_then += len(groups.unready)
            return ratio(divided(used_then, count_then), target)

        return Proposal(_replicas(ratio(usage, target), groups, given, again), usage)

    def of_value(self, usage: int, target: int, given: Situation) -> Proposal:
        """Returns a proposal for one value, whose ratio to the target multiplies the ready pods."""
        usage_ratio = ratio(usage, target)
        if given.spec_replicas == 0:
            return Proposal(ceil_int32(usage_ratio), usage)
        if given.tolerances.contain(usage_ratio):
            return Proposal(given.spec_replicas, usage)
        if not given.selection.pods:
            raise MetricsError(f"unable to calculate ready pods: {_NO_PODS}")
        wanted = usage_ratio * sum(pod.ready for pod in self._states.of(given.selection))
        return Proposal(MAX_INT32 if wanted > MAX_INT32 else ceil_int32(wanted), usage)

    def _grouped(self, metrics: PodMetrics, resource: str, given: Situation) -> PodGroups:
        if not given.selection.pods:
            raise MetricsError(_NO_PODS)
        groups = self._grouping.group(given.selection, metrics, resource, given.now)
        if not groups.measured:
            raise MetricsError(_NO_SAMPLES)
        return groups


def of_value_per_pod(usage: int, target: int, given: Situation, capped: bool) -> Proposal:
    """Returns a proposal for one value divided by the present replicas; an external one is `capped`."""
    replicas = given.status_replicas
    if not given.tolerances.contain(ratio(usage, float(target) * float(replicas))):
        wanted = ratio(usage, target)
        replicas = MAX_INT32 if capped and wanted > MAX_INT32 else ceil_int32(wanted)
    if capped and float(usage) >= float(MAX_INT64):
        return Proposal(replicas, MAX_INT64)
    return Proposal(replicas, ceil_int64(ratio(usage, given.status_replicas)))


def sum_of_series(values: Sequence[int]) -> int:
    """Adds up the series of an external metric, to 2⁶³-1 at most."""
    usage = 0
    for value in values:
        if value > 0 and usage > MAX_INT64 - value:
            return MAX_INT64
        usage = int64(usage + value)
    return usage


def sum_of_series_per_pod(values: Sequence[int]) -> int:
    """Adds up the series of an external metric that is divided by pods: a negative sum is taken for an overflow."""
    usage = 0
    for value in values:
        usage = int64(usage + value)
        if usage < 0:
            return MAX_INT64
    return usage


def _replicas(usage_ratio: float, groups: PodGroups, given: Situation, again: _Again) -> int:
    """Returns the replicas for a ratio; pods without samples dampen the change but never turn its direction."""
    current, with_unready = given.spec_replicas, bool(groups.unready) and usage_ratio > 1.0
    if not with_unready and not groups.missing:
        if given.tolerances.contain(usage_ratio):
            return current
        return ceil_int32(usage_ratio * groups.ready)
    missing_at_all = None if usage_ratio == 1.0 else usage_ratio < 1.0
    new_ratio = again(missing_at_all, with_unready)
    if given.tolerances.contain(new_ratio) or usage_ratio < 1.0 < new_ratio or new_ratio < 1.0 < usage_ratio:
        return current
    counted = len(groups.measured) + (len(groups.unready) if with_unready else 0)
    if missing_at_all is not None:
        counted += len(groups.missing)
    replicas = ceil_int32(new_ratio * counted)
    turned = (new_ratio < 1.0 and replicas > current) or (new_ratio > 1.0 and replicas < current)
    return current if turned else replicas


def _sum(values: Sequence[int], positions: Sequence[int]) -> int:
    if len(positions) == len(values):
        return int64(sum(values))
    return int64(sum(values[position] for position in positions))


def _utilization(used: int, requested: int, target: int) -> tuple[int, float]:
    """Returns the utilization in whole percent and its ratio to the target."""
    if requested == 0:
        raise MetricsError(_NO_MATCH)
    utilization = int32(divided(int64(used * 100), requested))
    return utilization, ratio(utilization, target)
