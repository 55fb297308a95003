from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from wavetank.controllers.kueue.quota.amounts import FlavorResource, Quantities, Quota

if TYPE_CHECKING:
    from wavetank.controllers.kueue.objects.clusterqueues import ClusterQueueSpec
    from wavetank.controllers.kueue.objects.workloads import WorkloadInfo
    from wavetank.controllers.kueue.topology.requests import DomainUsage


class Occupancy(Protocol):
    """What workloads occupy of the domains of topologies."""

    def add(self, usage: Sequence[DomainUsage]) -> None:
        """Counts what a workload uses."""

    def remove(self, usage: Sequence[DomainUsage]) -> None:
        """Takes it away again."""

    def touch(self) -> None:
        """Says that the usage has changed for good."""


class QuotaNode:
    """A ClusterQueue or a cohort: its quotas, what its subtree has in all, and what is used of it.

    The usage of a cohort is what its children use beyond the quota that they do not lend.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.parent: CohortNode | None = None
        self.quotas: dict[FlavorResource, Quota] = {}
        self.subtree: Quantities = {}
        self.local: Quantities = {}  # the part of `subtree` that is never lent
        self.usage: Quantities = {}
        self.weight = 1.0

    def local_available(self, fr: FlavorResource) -> int:
        """Returns how much of the quota that is never lent is free."""
        return max(0, self.local.get(fr, 0) - self.usage.get(fr, 0))

    def available(self, fr: FlavorResource) -> int:
        """Returns how much more the node may use, borrowing included; negative if too much is in use."""
        if self.parent is None:
            return self.subtree.get(fr, 0) - self.usage.get(fr, 0)
        from_parent = self.parent.available(fr)
        quota = self.quotas.get(fr)
        local = self.local.get(fr, 0)
        if quota is not None and quota.borrowing_limit is not None:
            used_in_parent = max(0, self.usage.get(fr, 0) - local)
            most = self.subtree.get(fr, 0) - local - used_in_parent + quota.borrowing_limit
            from_parent = min(most, from_parent)
        return max(0, local - self.usage.get(fr, 0)) + from_parent

    def potential(self, fr: FlavorResource) -> int:
        """Returns how much the node could use if nothing else used anything."""
        if self.parent is None:
            return self.subtree.get(fr, 0)
        most = self.local.get(fr, 0) + self.parent.potential(fr)
        quota = self.quotas.get(fr)
        if quota is not None and quota.borrowing_limit is not None:
            most = min(self.subtree.get(fr, 0) + quota.borrowing_limit, most)
        return most

    def add(self, fr: FlavorResource, amount: int) -> None:
        """Adds usage, to the parent what exceeds the quota that is never lent."""
        free = self.local_available(fr)
        self.usage[fr] = self.usage.get(fr, 0) + amount
        if self.parent is not None and amount > free:
            self.parent.add(fr, amount - free)

    def remove(self, fr: FlavorResource, amount: int) -> None:
        """Takes usage away again."""
        in_parent = self.usage.get(fr, 0) - self.local.get(fr, 0)
        self.usage[fr] = self.usage.get(fr, 0) - amount
        if self.parent is not None and in_parent > 0:
            self.parent.remove(fr, min(amount, in_parent))

    def add_all(self, usage: Quantities) -> None:
        """Adds usage of several resources."""
        for fr, amount in usage.items():
            self.add(fr, amount)

    def remove_all(self, usage: Quantities) -> None:
        """Takes usage of several resources away."""
        for fr, amount in usage.items():
            self.remove(fr, amount)

    def is_within_nominal(self, frs: Iterable[FlavorResource]) -> bool:
        """Tells whether the node uses no more of these than its subtree has."""
        return all(self.usage.get(fr, 0) <= self.subtree.get(fr, 0) for fr in frs)

    def fits_in_quota(self, requests: Quantities) -> tuple[bool, Quantities]:
        """Tells whether requests fit into the quota of the subtree, and returns what the parent would be asked for."""
        fits = all(self.usage.get(fr, 0) + amount <= self.subtree.get(fr, 0) for fr, amount in requests.items())
        return fits, {fr: max(0, amount - self.local_available(fr)) for fr, amount in requests.items()}

    def ancestors(self) -> Iterator[CohortNode]:
        """Yields the cohorts above, from the parent to the root."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def set_subtree(self, subtree: Quantities) -> None:
        """Sets what the subtree has, and the part of it that is never lent."""
        self.subtree = subtree
        self.local = {
            fr: max(0, subtree.get(fr, 0) - quota.lending_limit)
            for fr, quota in self.quotas.items()
            if quota.lending_limit is not None
        }


class CohortNode(QuotaNode):
    """A cohort of ClusterQueues and cohorts; `explicit` if there is a Cohort object."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.cohorts: dict[str, CohortNode] = {}
        self.queues: dict[str, ClusterQueueNode] = {}
        self.explicit = False
        self.version = 0  # of the root: raised with every change of quotas or usage in the tree
        self.lendable: dict[str, int] | None = None

    @property
    def root(self) -> CohortNode:
        """Returns the root of the tree."""
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    @property
    def height(self) -> int:
        """Returns the distance to the furthest leaf."""
        own = min(len(self.cohorts) + len(self.queues), 1)
        return max([own, *(each.height + 1 for each in self.cohorts.values())])

    @property
    def is_cyclic(self) -> bool:
        """Tells whether the cohort is its own ancestor."""
        seen: set[str] = set()
        node: CohortNode | None = self
        while node is not None:
            if node.name in seen:
                return True
            seen.add(node.name)
            node = node.parent
        return False

    def all_queues(self) -> Iterator[ClusterQueueNode]:
        """Yields the ClusterQueues of the tree."""
        yield from self.queues.values()
        for cohort in self.cohorts.values():
            yield from cohort.all_queues()

    def borrows_with(self, fr: FlavorResource, amount: int) -> bool:
        """Tells whether the cohort would use more than its subtree has."""
        return self.usage.get(fr, 0) + amount > self.subtree.get(fr, 0)


class ClusterQueueNode(QuotaNode):
    """A ClusterQueue with the workloads that hold its quota.

    `generation` is raised when something may have become available in it.
    """

    def __init__(self, spec: ClusterQueueSpec, occupancy: Occupancy | None = None) -> None:
        super().__init__(spec.name)
        self._occupancy = occupancy
        self.spec = spec
        self.workloads: dict[tuple[str, str], WorkloadInfo] = {}
        self.generation = 0
        self.inactive: tuple[str, str] | None = None  # reason and message
        self._version = 0

    @property
    def version(self) -> int:
        """Returns a number that differs after every change of quotas or usage in the tree."""
        return self._version if self.parent is None else self.parent.root.version

    def changed(self) -> None:
        """Says that quotas or usage have changed."""
        if self.parent is None:
            self._version += 1
        else:
            self.parent.root.version += 1

    def nominal(self, fr: FlavorResource) -> int:
        """Returns the nominal quota."""
        quota = self.quotas.get(fr)
        return 0 if quota is None else quota.nominal

    def borrows_with(self, fr: FlavorResource, amount: int) -> bool:
        """Tells whether the queue would use more than its nominal quota."""
        return self.usage.get(fr, 0) + amount > self.nominal(fr)

    def free(self, fr: FlavorResource) -> int:
        """Returns how much more the queue may use, borrowing included; 0 if too much is in use."""
        return max(0, self.available(fr))

    def fits(self, usage: Quantities) -> bool:
        """Tells whether usage can be added."""
        return all(self.free(fr) >= amount for fr, amount in usage.items())

    def put(self, workload: WorkloadInfo) -> None:
        """Adds a workload with its usage."""
        self.workloads[workload.key] = workload
        self.occupy(workload)

    def take(self, workload: WorkloadInfo) -> None:
        """Removes a workload with its usage."""
        del self.workloads[workload.key]
        self.release(workload)

    def occupy(self, workload: WorkloadInfo) -> None:
        """Adds the usage of a workload: quota, and domains of topologies."""
        self.add_all(workload.usage)
        if workload.domains and self._occupancy is not None:
            self._occupancy.add(workload.domains)

    def release(self, workload: WorkloadInfo) -> None:
        """Takes the usage of a workload away."""
        self.remove_all(workload.usage)
        if workload.domains and self._occupancy is not None:
            self._occupancy.remove(workload.domains)

    @property
    def path(self) -> str:
        """Returns the names from the root to the queue."""
        return "/" + "/".join([*reversed([each.name for each in self.ancestors()]), self.name])


def lowest_fitting(queue: ClusterQueueNode, fr: FlavorResource, amount: int) -> tuple[int, bool]:
    """Returns the height of the lowest subtree in which an amount fits, and whether it is smaller than the whole tree.

    0 without borrowing; the height of the whole tree if it fits nowhere.
    """
    if queue.parent is None or not queue.borrows_with(fr, amount):
        return 0, queue.parent is not None
    remaining = amount - queue.local_available(fr)
    for cohort in queue.ancestors():
        if not cohort.borrows_with(fr, remaining):
            return cohort.height, cohort.parent is not None
        remaining -= cohort.local_available(fr)
    return queue.parent.root.height, False
