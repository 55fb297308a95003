from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.groupkinds import POD_DISRUPTION_BUDGET, SERVICE
from wavetank.cluster.objects.kinds import PodDisruptionBudget
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.deployments.replicasets import HASH
from wavetank.controllers.framework.ownership import controller_of
from wavetank.kernel.durations import Nanoseconds

_Group = tuple[str, str, str]  # kind, namespace, name


@dataclass(slots=True)
class ReadyCount:
    """How many pods of a workload, budget or service are ready; `fewest` and `below` since the count was begun.

    `wanted` were ready at the beginning, `below` is the time with fewer than that, in nanoseconds.
    """

    ready: int = 0
    wanted: int = 0
    fewest: int = 0
    below: Nanoseconds = 0
    since: Nanoseconds = 0

    def begin(self, now: Nanoseconds) -> None:
        """Takes the present number as the one that is wanted."""
        self.wanted = self.fewest = self.ready
        self.below, self.since = 0, now

    def add(self, change: int, now: Nanoseconds) -> None:
        """Changes the number; what held for no time at all does not count as the fewest."""
        self.pass_time(now)
        self.ready += change

    def pass_time(self, now: Nanoseconds) -> None:
        """Takes the present number into account up to now."""
        if now > self.since:
            self.fewest = min(self.fewest, self.ready)
            self.below += (now - self.since) if self.ready < self.wanted else 0
            self.since = now


class Readiness:
    """Counts ready pods by workload, by PodDisruptionBudget and by Service."""

    def __init__(self) -> None:
        self.counts: dict[_Group, ReadyCount] = {}
        self._selectors: dict[str, list[tuple[_Group, LabelSelector]]] = {}  # by namespace
        self._groups: dict[tuple[Any, ...], tuple[_Group, ...]] = {}

    def join(self, context: ActorContext) -> None:
        """Watches the objects that select pods; they come before their pods."""
        self._clock = context.clock
        context.store.subscribe(POD_DISRUPTION_BUDGET, added=self._budget)
        context.store.subscribe(SERVICE, added=self._service)

    def begin(self) -> None:
        """Begins to look for the fewest ready pods."""
        for count in self.counts.values():
            count.begin(self._clock.now)

    def end(self) -> None:
        """Takes the present numbers into account."""
        for count in self.counts.values():
            count.pass_time(self._clock.now)

    def change(self, pod: Pod, change: int) -> None:
        """Counts a pod that has become ready (1), or no longer is (-1)."""
        for group in self._groups_of(pod):
            count = self.counts.get(group)
            if count is None:
                count = self.counts[group] = ReadyCount(since=self._clock.now)
            count.add(change, self._clock.now)

    def _budget(self, budget: PodDisruptionBudget) -> None:
        self._select("PodDisruptionBudget", budget, budget.selector)

    def _service(self, service: Resource) -> None:
        labels = (service.manifest.get("spec") or {}).get("selector")
        if labels:
            self._select("Service", service, LabelSelector.parse({"matchLabels": labels}, path="spec.selector"))

    def _select(self, kind: str, selecting: Resource, selector: LabelSelector) -> None:
        group = (kind, selecting.namespace, selecting.name)
        self._selectors.setdefault(selecting.namespace, []).append((group, selector))
        self._groups.clear()

    def _groups_of(self, pod: Pod) -> tuple[_Group, ...]:
        reference = controller_of(pod)
        owner = ("", "") if reference is None else (str(reference.get("kind")), str(reference.get("name")))
        key = (pod.namespace, owner, *sorted(pod.labels.items()))
        if key not in self._groups:
            self._groups[key] = tuple(self._found(pod, *owner))
        return self._groups[key]

    def _found(self, pod: Pod, kind: str, name: str) -> list[_Group]:
        found = [group for group, selector in self._selectors.get(pod.namespace, ()) if selector.matches(pod.labels)]
        if kind in ("ReplicaSet", "StatefulSet"):
            found.append(workload_of(kind, pod.namespace, name, pod.labels.get(HASH, "")))
        return found


def workload_of(kind: str, namespace: str, name: str, template_hash: str) -> _Group:
    """Returns the workload of a pod by its controller: the Deployment of a ReplicaSet that has its hash in the name."""
    if kind == "ReplicaSet" and template_hash and name.endswith(f"-{template_hash}"):
        return "Deployment", namespace, name.removesuffix(f"-{template_hash}")
    return kind, namespace, name
