"""Priorities of Workloads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wavetank.cluster.objects.groupkinds import WORKLOAD_PRIORITY_CLASS
from wavetank.cluster.objects.kueue import GROUP, PRIORITY_CLASS_LABEL
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.rules.admission import priority_class
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND, Nanoseconds

Document = dict[str, Any]
_READING: Nanoseconds = SECOND // 10


class PriorityClasses:
    """Tells from when on PriorityClasses are known: Kueue begins to read them for the first owner that needs them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known_from: Nanoseconds | None = None

    def delay(self, owner: Resource) -> Nanoseconds:
        """Returns how long to wait for the priority of an owner; 0 if it names a WorkloadPriorityClass."""
        if owner.labels.get(PRIORITY_CLASS_LABEL):
            return 0
        now = self._clock.now
        if self._known_from is None:
            self._known_from = now + _READING
        return max(0, self._known_from - now)


def read_priority(store: Store, owner: Resource, pod_sets: Sequence[Document]) -> Document:
    """Returns the priority: of the WorkloadPriorityClass that the owner names, or of its pods' PriorityClass."""
    name = owner.labels.get(PRIORITY_CLASS_LABEL)
    if name:
        found = store.find(WORKLOAD_PRIORITY_CLASS, "", name)
        value = int(found.manifest.get("value") or 0) if found is not None else 0
        return {
            "priority": value,
            "priorityClassRef": {"group": GROUP, "kind": "WorkloadPriorityClass", "name": name},
        }
    named = next((found for each in pod_sets if (found := each["template"]["spec"].get("priorityClassName"))), "")
    of_pods = priority_class(named, store)
    if of_pods is None:
        return {"priority": 0}
    reference = {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": of_pods.name}
    return {"priority": of_pods.value, "priorityClassRef": reference}
