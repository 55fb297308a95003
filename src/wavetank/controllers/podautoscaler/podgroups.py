from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wavetank.cluster.fields.resources import CPU
from wavetank.controllers.framework.metricsclient import PodMetrics
from wavetank.controllers.podautoscaler.configuration import Configuration
from wavetank.controllers.podautoscaler.podstates import FALSE, PodState, PodStates, Requests
from wavetank.controllers.podautoscaler.selections import Selection
from wavetank.kernel.durations import Nanoseconds


class PodGroups(NamedTuple):
    """Pods by what their samples are good for.

    `measured` are the positions of the samples that count: of ready pods, and of pods that are not there.
    """

    pods: Sequence[PodState]
    ready: int
    unready: Sequence[str]
    missing: Sequence[str]
    measured: Sequence[int]


class Requested(NamedTuple):
    """What pods request, in thousandths: `total` is that of the pods whose samples at `positions` count."""

    total: int
    positions: Sequence[int]
    unready: int
    missing: Sequence[int]


class Grouping:
    """Groups the pods of a selection; while neither the pods nor the names of samples change, nothing is redone."""

    def __init__(self, states: PodStates, configuration: Configuration) -> None:
        self._states = states
        self._initialization = configuration.cpu_initialization_period
        self._readiness_delay = configuration.initial_readiness_delay
        self._requests = Requests()

    def group(self, selection: Selection, metrics: PodMetrics, resource: str, now: Nanoseconds) -> PodGroups:
        """Groups pods by their samples; only those of CPU look at readiness."""
        key = ("groups", resource == CPU)
        names, known = selection.computed.get(key, (None, None))
        if known is not None and names is metrics.names:
            groups: PodGroups = known
            return groups
        states = self._states.of(selection)
        groups = self._group(states, metrics, resource, now)
        if resource != CPU or now >= self._initialized_at(selection, states):
            selection.computed[key] = (metrics.names, groups)
        return groups

    def _group(self, states: list[PodState], metrics: PodMetrics, resource: str, now: Nanoseconds) -> PodGroups:
        positions = {name: position for position, name in enumerate(metrics.names)}
        unready: list[str] = []
        missing: list[str] = []
        left_out: set[str] = set()
        for state in states:
            position = positions.get(state.name)
            if state.ignored:
                left_out.add(state.name)
            elif state.pending:
                unready.append(state.name)
            elif position is None:
                missing.append(state.name)
            elif resource == CPU and self._is_unready(state, metrics, position, now):
                unready.append(state.name)
        ready = len(states) - len(left_out) - len(unready) - len(missing)
        left_out.update(unready)
        measured = [position for name, position in positions.items() if name not in left_out]
        return PodGroups(states, ready, unready, missing, measured)

    def _is_unready(self, pod: PodState, metrics: PodMetrics, position: int, now: Nanoseconds) -> bool:
        """Tells whether a sample of CPU does not count because its pod may still be starting."""
        if not pod.condition or pod.start is None:
            return True
        if pod.start + self._initialization > now:
            complete = metrics.timestamps[position] >= pod.since + metrics.windows[position]
            return pod.condition == FALSE or not complete
        return pod.condition == FALSE and pod.start + self._readiness_delay > pod.since

    def _initialized_at(self, selection: Selection, states: list[PodState]) -> Nanoseconds:
        """Returns from when on it depends neither on time nor on the age of a sample which pods count."""
        known: Nanoseconds | None = selection.computed.get("initialized")
        if known is None:
            starts = (pod.start for pod in states if pod.start is not None)
            known = selection.computed["initialized"] = max(starts, default=0) + self._initialization
        return known

    def requested(
        self, selection: Selection, metrics: PodMetrics, groups: PodGroups, what: tuple[str, str]
    ) -> Requested:
        """Adds up what pods request of (container, resource); MetricsError if any selected pod leaves it open."""
        known_for, known = selection.computed.get(what, (None, None))
        if known is not None and known_for is groups:
            requested: Requested = known
            return requested
        of = self._requests_of(selection, groups.pods, what)
        positions = [position for position in groups.measured if metrics.names[position] in of]
        requested = Requested(
            sum(of[metrics.names[position]] for position in positions),
            positions,
            sum(of[name] for name in groups.unready),
            [of[name] for name in groups.missing],
        )
        selection.computed[what] = (groups, requested)
        return requested

    def _requests_of(self, selection: Selection, pods: Sequence[PodState], what: tuple[str, str]) -> dict[str, int]:
        """Returns what each pod requests of (container, resource)."""
        key = ("requests", *what)
        known: dict[str, int] | None = selection.computed.get(key)
        if known is None:
            known = selection.computed[key] = {pod.name: self._requests.of(pod, *what) for pod in pods}
        return known
