"""Places the pods of a workload in domains of the topologies of its flavors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wavetank.controllers.kueue.objects.clusterqueues import FlavorSpec
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode
from wavetank.controllers.kueue.scheduler.assignment import FIT, NO_FIT, PREEMPT, Assignment, PodSetAssignment
from wavetank.controllers.kueue.scheduler.preemption import Target
from wavetank.controllers.kueue.topology.requests import UNCONSTRAINED, Placement, PlacementRequest, TopologyRequest
from wavetank.controllers.kueue.topology.topologies import Topologies


class _Failed(NamedTuple):
    """A pod set without domains."""

    pod_set: PodSetAssignment
    reason: str


class Placer:
    """Finds domains for the pods of a workload, if they ask for a topology or all flavors of their queue have one."""

    def __init__(self, workload: WorkloadInfo, queue: ClusterQueueNode, topologies: Topologies) -> None:
        self._workload = workload
        self._topologies = topologies
        self._asked = workload.topologies
        self._implied = topologies.is_only(queue.spec.flavors)

    def refusal(self, number: int, flavor: FlavorSpec) -> str:
        """Returns why the pods of a pod set cannot use a flavor, by its topology."""
        request = self._request(number)
        if request is None:
            return f'Flavor "{flavor.name}" supports only TopologyAwareScheduling' if flavor.topology else ""
        if self._asked[number] is not None:
            if not flavor.topology:
                return f'Flavor "{flavor.name}" does not support TopologyAwareScheduling'
            if not self._topologies.has_level(flavor.name, request.level):
                return f'Flavor "{flavor.name}" does not contain the requested level'
        return self._workload.topology_limit

    def settle(self, assignment: Assignment) -> None:
        """Places the pods, if there is quota for them; without domains others would have to be preempted.

        If they would not have domains even then, nothing helps.
        """
        if assignment.mode == FIT:
            failed = self._place(assignment)
            if failed is not None:
                failed.pod_set.reasons.append(failed.reason)
                failed.pod_set.set_mode(PREEMPT)
        if assignment.mode == PREEMPT:
            failed = self._place(assignment, empty=True, keep=False)
            if failed is not None:
                failed.pod_set.set_mode(NO_FIT)

    def is_placed(self, assignment: Assignment) -> bool:
        """Tells whether there are domains for the pods as things are now."""
        return self._place(assignment, keep=False) is None

    def reserve(self, assignment: Assignment, targets: Sequence[Target]) -> None:
        """Places pods for which others have to be preempted: where those are, or as if the cluster were empty."""
        for each in targets:
            each.queue.release(each.workload)
        self._place(assignment, empty=not targets)
        for each in targets:
            each.queue.occupy(each.workload)

    def _place(self, assignment: Assignment, empty: bool = False, keep: bool = True) -> _Failed | None:
        """Places all pod sets, flavor by flavor; returns the first one that has no domains.

        `keep` notes the domains of those that have some, if all have.
        """
        placements: list[tuple[PodSetAssignment, Placement]] = []
        for flavor, wanted in self._wanted(assignment).items():
            found, reason = self._topologies.find(flavor, [request for _, request in wanted], empty)
            if reason:
                return _Failed(wanted[len(found)][0], reason)
            placements += [(pod_set, placement) for (pod_set, _), placement in zip(wanted, found, strict=True)]
        if keep:
            for pod_set, placement in placements:
                pod_set.placement = placement
        return None

    def _wanted(self, assignment: Assignment) -> dict[str, list[tuple[PodSetAssignment, PlacementRequest]]]:
        """Returns by flavor the pod sets to place, with their requests."""
        wanted: dict[str, list[tuple[PodSetAssignment, PlacementRequest]]] = {}
        for number, each in enumerate(assignment.pod_sets):
            request, flavors = self._request(number), {flavor.name for flavor in each.flavors.values()}
            if request is not None and len(flavors) == 1 and each.pod_set.count:
                asked = PlacementRequest(each.pod_set.spec, each.pod_set.count, request)
                wanted.setdefault(flavors.pop(), []).append((each, asked))
        return wanted

    def _request(self, number: int) -> TopologyRequest | None:
        return self._asked[number] or (TopologyRequest(UNCONSTRAINED) if self._implied else None)
