from __future__ import annotations

from wavetank.controllers.kueue.objects.clusterqueues import ClusterQueueSpec, CohortSpec
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo
from wavetank.controllers.kueue.quota.amounts import Quantities
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode, CohortNode, Occupancy


class Hierarchy:
    """All ClusterQueues and cohorts, with the workloads that hold quota, and domains of topologies (`occupancy`)."""

    def __init__(self, occupancy: Occupancy | None = None) -> None:
        self._occupancy = occupancy
        self.queues: dict[str, ClusterQueueNode] = {}
        self.cohorts: dict[str, CohortNode] = {}
        self._queue_of: dict[tuple[str, str], ClusterQueueNode] = {}  # by workload

    # objects

    def put_queue(self, spec: ClusterQueueSpec) -> ClusterQueueNode:
        """Adds or changes a ClusterQueue."""
        node = self.queues.get(spec.name)
        if node is None:
            node = self.queues[spec.name] = ClusterQueueNode(spec, self._occupancy)
        before = (node.quotas, node.parent)
        node.spec, node.quotas, node.weight = spec, spec.quotas, spec.weight
        self._attach_queue(node, spec.cohort)
        if node.generation == 0 or before != (node.quotas, node.parent):
            self._rebuild(before[1])
            self._rebuild(node.parent, node)
        return node

    def drop_queue(self, name: str) -> None:
        """Removes a ClusterQueue."""
        node = self.queues.pop(name, None)
        if node is not None:
            parent = node.parent
            self._attach_queue(node, "")
            self._rebuild(parent)

    def put_cohort(self, spec: CohortSpec) -> None:
        """Adds or changes a Cohort."""
        node = self._cohort(spec.name)
        node.explicit, node.quotas, node.weight = True, spec.quotas, spec.weight
        before = node.parent
        self._attach_cohort(node, spec.parent)
        if before is not node.parent:
            self._rebuild(before)
        self._rebuild(node)

    def drop_cohort(self, name: str) -> None:
        """Removes a Cohort; one with children stays without quotas of its own."""
        node = self.cohorts.get(name)
        if node is None:
            return
        parent = node.parent
        node.explicit, node.quotas, node.weight = False, {}, 1.0
        self._attach_cohort(node, "")
        self._rebuild(parent)
        self._rebuild(node)
        self._forget_empty(node)

    # workloads

    def put(self, workload: WorkloadInfo) -> bool:
        """Adds or replaces a workload that holds quota; False if its ClusterQueue does not exist."""
        self.drop(workload.key)
        queue = self.queues.get(workload.cluster_queue)
        if queue is None:
            return False
        queue.put(workload)
        self._changed(queue, workload)
        self._queue_of[workload.key] = queue
        return True

    def drop(self, key: tuple[str, str]) -> bool:
        """Removes a workload; False if it held no quota."""
        queue = self._queue_of.pop(key, None)
        if queue is None or key not in queue.workloads:
            return False
        workload = queue.workloads[key]
        queue.take(workload)
        queue.generation += 1
        self._changed(queue, workload)
        return True

    def _changed(self, queue: ClusterQueueNode, workload: WorkloadInfo) -> None:
        queue.changed()
        if workload.domains and self._occupancy is not None:
            self._occupancy.touch()

    def holds(self, key: tuple[str, str]) -> bool:
        """Tells whether a workload holds quota."""
        return key in self._queue_of

    # the tree

    def _cohort(self, name: str) -> CohortNode:
        if name not in self.cohorts:
            self.cohorts[name] = CohortNode(name)
        return self.cohorts[name]

    def _attach_queue(self, node: ClusterQueueNode, cohort: str) -> None:
        if node.parent is not None and node.parent.name != cohort:
            del node.parent.queues[node.name]
            self._forget_empty(node.parent)
            node.parent = None
        if cohort and node.parent is None:
            node.parent = self._cohort(cohort)
            node.parent.queues[node.name] = node

    def _attach_cohort(self, node: CohortNode, parent: str) -> None:
        if node.parent is not None and node.parent.name != parent:
            del node.parent.cohorts[node.name]
            self._forget_empty(node.parent)
            node.parent = None
        if parent and node.parent is None:
            node.parent = self._cohort(parent)
            node.parent.cohorts[node.name] = node

    def _forget_empty(self, node: CohortNode) -> None:
        if not node.explicit and not node.queues and not node.cohorts:
            self.cohorts.pop(node.name, None)

    def _rebuild(self, cohort: CohortNode | None, queue: ClusterQueueNode | None = None) -> None:
        """Adds up quotas and usage of the tree of a cohort, or of a queue that has none."""
        if cohort is not None:
            if not cohort.is_cyclic:
                root = cohort.root
                _add_up(root)
                root.version += 1
        elif queue is not None:
            _reset(queue)
            queue.changed()


def _reset(queue: ClusterQueueNode) -> None:
    queue.generation += 1
    queue.set_subtree({fr: quota.nominal for fr, quota in queue.quotas.items()})


def _add_up(cohort: CohortNode) -> None:
    subtree: Quantities = {fr: quota.nominal for fr, quota in cohort.quotas.items()}
    usage: Quantities = {}
    for child in cohort.cohorts.values():
        _add_up(child)
    for queue in cohort.queues.values():
        _reset(queue)
    for node in (*cohort.cohorts.values(), *cohort.queues.values()):
        for fr, amount in node.subtree.items():
            subtree[fr] = subtree.get(fr, 0) + amount - node.local.get(fr, 0)
        for fr, amount in node.usage.items():
            usage[fr] = usage.get(fr, 0) + max(0, amount - node.local.get(fr, 0))
    cohort.set_subtree(subtree)
    cohort.usage = usage
    cohort.lendable = None
