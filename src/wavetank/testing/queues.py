"""What Kueue decides in a run, read from its Workloads: admissions, flavors, preemptions, with their instants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.kueue.topology.requests import read_placement
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds
from wavetank.simulation.observer import Observer

WORKLOAD = "Workload.kueue.x-k8s.io"
# Conditions of a Workload that report a decision when they become true.
_DECISIONS = ("QuotaReserved", "Admitted", "Preempted", "Evicted", "Finished")


@dataclass(frozen=True, slots=True)
class QueueDecision:
    """A decision about a workload: a condition that has become true at an instant.

    `what` is the condition's type, `workload` the owner's NAMESPACE/NAME, or the Workload's own if it is of a group
    of pods. `queue` is the ClusterQueue, `flavors` are (pod set, resource, flavor) of the admission that holds then,
    `domains` (values of the topology's levels, pods) if pods got any.
    """

    at: Nanoseconds
    what: str
    workload: str
    queue: str = ""
    flavors: tuple[tuple[str, str, str], ...] = ()
    reason: str = ""
    message: str = ""
    domains: tuple[tuple[tuple[str, ...], int], ...] = ()


class QueueHistory(Observer):
    """Notes all decisions of a run, in their order."""

    def __init__(self) -> None:
        self.decisions: list[QueueDecision] = []
        self._clock: Clock | None = None

    def join(self, context: ActorContext) -> None:
        """Watches Workloads."""
        self._clock = context.clock
        context.store.subscribe(WORKLOAD, added=lambda new: self._note(None, new), modified=self._note)

    def of(self, what: str) -> list[QueueDecision]:
        """Returns the decisions of one type."""
        return [each for each in self.decisions if each.what == what]

    def _note(self, old: Resource | None, new: Resource) -> None:
        assert self._clock is not None
        before = {} if old is None else _conditions(old)
        for name, condition in _conditions(new).items():
            if name not in _DECISIONS or condition["status"] != "True" or _same(before.get(name), condition):
                continue
            admission = _admission(new if name != "Evicted" or old is None else old)
            self.decisions.append(
                QueueDecision(
                    self._clock.now,
                    name,
                    _owner(new),
                    str(admission.get("clusterQueue", "")),
                    tuple(_flavors(admission)),
                    condition.get("reason", ""),
                    condition.get("message", ""),
                    tuple(_domains(admission)),
                )
            )


def _same(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> bool:
    return old is not None and old["status"] == new["status"]


def _conditions(workload: Resource) -> dict[str, Mapping[str, Any]]:
    found = (workload.manifest.get("status") or {}).get("conditions") or []
    by_type = {each["type"]: each for each in found}
    return {name: by_type[name] for name in (*_DECISIONS, *by_type) if name in by_type}


def _admission(workload: Resource) -> Mapping[str, Any]:
    return (workload.manifest.get("status") or {}).get("admission") or {}


def _domains(admission: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], int]]:
    for each in admission.get("podSetAssignments") or []:
        yield from read_placement(each.get("topologyAssignment") or {}).domains


def _flavors(admission: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for each in admission.get("podSetAssignments") or []:
        for resource, flavor in sorted((each.get("flavors") or {}).items()):
            yield str(each.get("name", "")), str(resource), str(flavor)


def _owner(workload: Resource) -> str:
    owners = (workload.manifest.get("metadata") or {}).get("ownerReferences") or []
    name = next((each["name"] for each in owners if each.get("controller")), workload.name)
    return f"{workload.namespace}/{name}"
