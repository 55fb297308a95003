"""Places the pods of a workload in domains of the topologies of its flavors."""

from __future__ import annotations

from collections.abc import Sequence

from wavetank.controllers.kueue.objects.clusterqueues import FlavorSpec
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode
from wavetank.controllers.kueue.scheduler.assignment import FIT, NO_FIT, PREEMPT, Assignment, PodSetAssignment
from wavetank.controllers.kueue.scheduler.preemption import Target
from wavetank.controllers.kueue.topology.requests import UNCONSTRAINED, Placement, PlacementRequest, TopologyRequest
from wavetank.controllers.kueue.topology.topologies import Topologies


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
        found = self._find(assignment)
        if found is None:
            return
        pod_set, flavor, request = found
        if assignment.mode == FIT:
            placed = self._topologies.find(flavor, request)
            if isinstance(placed, Placement):
                pod_set.placement = placed
                return
            pod_set.reasons.append(placed)
            pod_set.set_mode(PREEMPT)
        if assignment.mode == PREEMPT and isinstance(self._topologies.find(flavor, request, empty=True), str):
            pod_set.set_mode(NO_FIT)

    def is_placed(self, assignment: Assignment) -> bool:
        """Tells whether there are domains for the pods as things are now."""
        found = self._find(assignment)
        return found is None or isinstance(self._topologies.find(*found[1:]), Placement)

    def reserve(self, assignment: Assignment, targets: Sequence[Target]) -> None:
        """Places pods for which others have to be preempted: where those are, or as if the cluster were empty."""
        found = self._find(assignment)
        if found is None:
            return
        pod_set, flavor, request = found
        for each in targets:
            each.queue.release(each.workload)
        placed = self._topologies.find(flavor, request, empty=not targets)
        for each in targets:
            each.queue.occupy(each.workload)
        pod_set.placement = placed if isinstance(placed, Placement) else None

    def _find(self, assignment: Assignment) -> tuple[PodSetAssignment, str, PlacementRequest] | None:
        """Returns the pod set to place, its flavor and its request."""
        for number, each in enumerate(assignment.pod_sets):
            request, flavors = self._request(number), {flavor.name for flavor in each.flavors.values()}
            if request is not None and len(flavors) == 1 and each.pod_set.count:
                return each, flavors.pop(), PlacementRequest(each.pod_set.spec, each.pod_set.count, request)
        return None

    def _request(self, number: int) -> TopologyRequest | None:
        return self._asked[number] or (TopologyRequest(UNCONSTRAINED) if self._implied else None)
