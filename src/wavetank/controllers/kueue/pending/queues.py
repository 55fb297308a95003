from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from wavetank.cluster.objects.kinds import Namespace
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo
from wavetank.controllers.kueue.pending.queue import PendingQueue
from wavetank.controllers.kueue.quota.hierarchy import Hierarchy
from wavetank.kernel.durations import SECOND


class Queues:
    """The pending workloads of all ClusterQueues, which reach them through LocalQueues.

    `wake` is called when there may be workloads to try.
    """

    def __init__(self, store: Store, hierarchy: Hierarchy, wake: Callable[[], None]) -> None:
        self._store = store
        self._hierarchy = hierarchy
        self._wake = wake
        self.pending: dict[str, PendingQueue] = {}  # by ClusterQueue
        self.local: dict[Key, str] = {}  # the ClusterQueue of each LocalQueue that is not stopped
        self._assigned: dict[Key, Key] = {}  # the LocalQueue of each workload

    # ClusterQueues and LocalQueues

    def put_queue(self, name: str, workloads: Iterable[WorkloadInfo]) -> None:
        """Adds a ClusterQueue with its pending workloads, or takes note of its change."""
        queue = self.pending.get(name)
        if queue is None:
            queue = self.pending[name] = PendingQueue(name, self.may_come, self._now_s)
            for workload in workloads:
                queue.heap.add(workload)
        queue.strategy = self._hierarchy.queues[name].spec.strategy
        self.requeue_tree(name)
        self._wake()

    def put_local(self, key: Key, cluster_queue: str, workloads: Iterable[WorkloadInfo]) -> None:
        """Adds a LocalQueue or moves it to another ClusterQueue, with its pending workloads."""
        before = self.local.get(key)
        if before == cluster_queue:
            return
        if before is not None:
            self.drop_local(key)
        self.local[key] = cluster_queue
        queue = self.pending.get(cluster_queue)
        for workload in workloads:
            self._assigned[workload.key] = key
            if queue is not None:
                queue.heap.add(workload)
        self._wake()

    def drop_local(self, key: Key) -> None:
        """Removes a LocalQueue; its workloads are not tried any more."""
        name = self.local.pop(key, None)
        queue = self.pending.get(name) if name is not None else None
        if queue is not None:
            for workload in [each for each, local in self._assigned.items() if local == key]:
                queue.remove(workload)

    # workloads

    def put(self, workload: WorkloadInfo) -> None:
        """Queues a workload or a new version of it."""
        local = (workload.key[0], workload.queue)
        before = self._assigned.get(workload.key)
        if before is not None and before != local:
            self.forget(workload.key)
        queue = self.pending.get(self.local.get(local, ""))
        if local not in self.local or queue is None:
            return
        self._assigned[workload.key] = local
        queue.put(workload)
        self._wake()

    def requeue(self, workload: WorkloadInfo, reason: str) -> None:
        """Takes a workload back from a cycle."""
        queue = self.pending.get(self.local.get((workload.key[0], workload.queue), ""))
        if queue is not None and queue.requeue(workload, reason):
            self._wake()

    def remove(self, key: Key) -> None:
        """Removes a workload that is not pending any more."""
        queue = self.pending.get(self.local.get(self._assigned.get(key, ("", "")), ""))
        if queue is not None:
            queue.remove(key)

    def forget(self, key: Key) -> None:
        """Removes a workload that does not exist any more."""
        self.remove(key)
        self._assigned.pop(key, None)

    def requeue_with(self, key: Key) -> None:
        """Lets the workloads be tried again that share a cohort with a workload that has given quota back."""
        name = self.local.get(self._assigned.get(key, ("", "")))
        if name is not None:
            self.requeue_tree(name)

    def requeue_tree(self, name: str) -> None:
        """Lets all inadmissible workloads of the tree of a ClusterQueue be tried again."""
        moved = False
        for each in self._tree(name):
            queue = self.pending.get(each)
            moved = (queue is not None and queue.move_inadmissible()) or moved
        if moved:
            self._wake()

    def heads(self) -> list[tuple[str, WorkloadInfo]]:
        """Removes and returns the first workload of each active ClusterQueue, with the queue's name."""
        found = []
        for name, queue in self.pending.items():
            node = self._hierarchy.queues.get(name)
            if node is None or node.inactive is not None:
                continue
            head = queue.pop()
            if head is not None:
                found.append((name, head))
        return found

    @property
    def has_heads(self) -> bool:
        """Tells whether there is a workload to try."""
        queues = self._hierarchy.queues
        return any(
            len(queue.heap) and name in queues and queues[name].inactive is None for name, queue in self.pending.items()
        )

    def cluster_queue_of(self, workload: WorkloadInfo) -> str:
        """Returns the ClusterQueue that a workload is queued in, empty if there is none."""
        return self.local.get((workload.key[0], workload.queue), "")

    def may_come(self, workload: WorkloadInfo) -> bool:
        """Tells whether the ClusterQueue of a workload takes workloads of its namespace."""
        node = self._hierarchy.queues.get(self.cluster_queue_of(workload))
        if node is None or node.spec.namespaces.is_empty:
            return node is not None
        namespace = self._store.find(Namespace.kind, "", workload.key[0])
        labels = {"kubernetes.io/metadata.name": workload.key[0]} if namespace is None else namespace.labels
        return node.spec.namespaces.matches(labels)

    def _tree(self, name: str) -> Iterator[str]:
        node = self._hierarchy.queues.get(name)
        if node is None or node.parent is None:
            yield name
        elif not node.parent.is_cyclic:
            yield from [each.name for each in node.parent.root.all_queues()]

    def _now_s(self) -> float:
        return self._store.clock.now / SECOND
