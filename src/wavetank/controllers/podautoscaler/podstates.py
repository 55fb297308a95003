"""What the controller reads of a pod: phase, start, readiness and requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from wavetank.cluster.fields.resources import CPU, is_pod_level
from wavetank.cluster.objects.pod import FAILED, PENDING, RUNNING, Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.objects.resource import parse_time
from wavetank.cluster.rules.readiness import whole_second
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.metricsclient import MetricsError
from wavetank.controllers.podautoscaler.selections import Selection, Selections
from wavetank.kernel.durations import Nanoseconds
from wavetank.quantity import milli
from wavetank.textcache import LONGEST

TRUE, FALSE = "True", "False"


class PodState(NamedTuple):
    """A pod as replica counts see it; `condition` is the status of its Ready condition, "" if it has none."""

    name: str
    spec: PodSpec
    ignored: bool  # failed, or being deleted
    pending: bool
    ready: bool  # running and Ready, also while it is being deleted
    start: Nanoseconds | None = None
    condition: str = ""
    since: Nanoseconds = 0  # last transition of the condition


class PodStates:
    """Reads the states of selected pods, each version of a pod once."""

    def __init__(self, context: ControllerContext, selections: Selections) -> None:
        self._context = context
        self._bound = selections.bound

    def of(self, selection: Selection) -> list[PodState]:
        """Returns the states of all pods of a selection, in their order."""
        states: list[PodState] | None = selection.computed.get("states")
        if states is None:
            states = selection.computed["states"] = [self._state(selection, pod) for pod in selection.pods.values()]
        return states

    def _state(self, selection: Selection, pod: Pod) -> PodState:
        known = selection.versions.get(pod.name)
        if known is None or known[0] is not pod:
            known = selection.versions[pod.name] = (pod, self._read(pod))
        state: PodState = known[1]
        return state

    def _read(self, pod: Pod) -> PodState:
        ignored, pending = pod.deleted is not None or pod.phase == FAILED, pod.phase == PENDING
        ready_since = self._context.ready_since(pod) if pod.phase == RUNNING else None
        state = PodState(pod.name, pod.spec, ignored, pending, ready_since is not None)
        if ignored or pending:  # their conditions are not looked at
            return state
        status = self._context.render(pod).get("status") or {}
        start = parse_time(status.get("startTime"), "status.startTime")
        for condition in status.get("conditions") or ():
            if condition.get("type") == "Ready":
                since = parse_time(condition.get("lastTransitionTime"), "lastTransitionTime") or 0
                return state._replace(start=start, condition=str(condition.get("status")), since=since)
        return state if ready_since is None or start is not None else self._of_a_run(state, pod, ready_since)

    def _of_a_run(self, state: PodState, pod: Pod, ready_since: Nanoseconds) -> PodState:
        """Returns the state of a running pod whose status has not been written, as in a run without API clients."""
        bound = self._bound(pod)
        start = next(time for time in (bound, pod.started, pod.created) if time is not None)
        return state._replace(start=whole_second(start), condition=TRUE, since=ready_since)


class Requests:
    """What pods request of a resource, in thousandths: all of a pod or one container; read once for each spec."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[PodSpec, dict[tuple[str, str], int | str]] = WeakKeyDictionary()

    def of(self, pod: PodState, container: str, resource: str) -> int:
        """Returns what a pod requests; MetricsError if it does not say."""
        known = self._known.get(pod.spec)
        if known is None:
            known = self._known[pod.spec] = {}
        request = known.get((container, resource))
        if request is None:
            request = _request(pod.spec, container, resource)
            if len(container) + len(resource) <= LONGEST:
                known[container, resource] = request
        if isinstance(request, str):
            raise MetricsError(f"{request} {pod.name}")
        return request


def _request(spec: PodSpec, container: str, resource: str) -> int | str:
    """Returns the request, or what is to be said of pods of this spec, up to the pod's name."""
    if not container and _is_stated_for_the_pod(spec.manifest):
        if resource not in spec.requests:
            return f"missing pod-level request for {resource} in Pod"
        return spec.requests[resource] * (1 if resource == CPU else 1000)
    total = 0
    for given in _lasting_containers(spec.manifest):
        if container in ("", given.get("name")):
            resources = given.get("resources") or {}
            stated = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
            if resource not in stated:
                return f"missing request for {resource} in container {given.get('name')} of Pod"
            total += milli(stated[resource])
        if container and container == given.get("name"):
            return total
    return f"container {container} not found in Pod" if container else total


def _lasting_containers(manifest: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the containers and the sidecars of a pod."""
    yield from manifest.get("containers") or ()
    yield from (each for each in manifest.get("initContainers") or () if each.get("restartPolicy") == "Always")


def _is_stated_for_the_pod(manifest: Mapping[str, Any]) -> bool:
    return any(map(is_pod_level, (manifest.get("resources") or {}).get("requests") or {}))
