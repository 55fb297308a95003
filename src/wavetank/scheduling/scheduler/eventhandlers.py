from __future__ import annotations

from collections.abc import Callable

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import ENDS, Pod
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.events import ClusterEvent, assigned_pod_events, node_events
from wavetank.scheduling.framework.heavywork import HeavyWork
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.queue.queue import SchedulingQueue


class EventHandlers:
    """Handles the events of informers: nodes and their pods go into the table, pending pods into the queue.

    `try_pods` makes the attempts that are possible now.
    """

    def __init__(
        self,
        table: NodeTable,
        queue: SchedulingQueue,
        framework_of: Callable[[Pod], Framework | None],
        try_pods: Callable[[], None],
        heavy_work: HeavyWork,
    ) -> None:
        self._table = table
        self._queue = queue
        self._framework_of = framework_of
        self._try_pods = try_pods
        self._heavy = heavy_work
        self._set_node, self._remove_node = heavy_work.wrap(table.set_node), heavy_work.wrap(table.remove_node)
        self._add_pod, self._remove_pod = heavy_work.wrap(table.add_pod), heavy_work.wrap(table.remove_pod)
        self._confirm_pod = heavy_work.wrap(table.confirm_pod)

    def node_added(self, node: Node) -> None:
        """Adds a node."""
        self._heavy.note(node)
        self._set_node(node)
        self._queue.move(ClusterEvent.NODE_ADD, None, node)

    def node_modified(self, old: Node, new: Node) -> None:
        """Updates a node."""
        self._heavy.note(new)
        self._set_node(new)
        for event in node_events(old, new):
            self._queue.move(event, old, new)

    def node_deleted(self, node: Node) -> None:
        """Removes a node."""
        self._remove_node(node)
        self._queue.move(ClusterEvent.NODE_DELETE, node, None)
        self._heavy.forget(node)

    def pod_added(self, pod: Pod) -> None:
        """Adds a pod to its node, or to the queue."""
        if pod.phase in ENDS:
            return
        self._heavy.note(pod)
        if pod.node_name:
            self._add_pod(pod, pod.node_name)
            self._queue.move(ClusterEvent.ASSIGNED_POD_ADD, None, pod)
            return
        framework = self._framework_of(pod)
        if framework is not None:
            if self._queue.has_preemptor:
                # an idle scheduler takes it as soon as its victim is gone, so before a controller can replace the
                # victim; behind the new pod, which is active, it would find its place taken
                self._try_pods()
            self._queue.add(pod, framework)

    def pod_modified(self, old: Pod, new: Pod) -> None:
        """Updates a pod."""
        if new.phase in ENDS:
            self.pod_deleted(old)
            return
        if old.labels is not new.labels or old.spec is not new.spec:
            self._heavy.note(new)
        if not new.node_name:
            self._update_waiting(old, new)
        elif not old.node_name:
            self._queue.remove(new)
            if not self._table.nominator.is_empty:
                self._table.nominate(new, "")
            self._confirm_pod(new)
            self._queue.move(ClusterEvent.ASSIGNED_POD_ADD, None, new)
        else:
            self._confirm_pod(new)
            if old.spec is not new.spec or old.labels is not new.labels:
                for event in assigned_pod_events(old, new):
                    self._queue.move(event, old, new)

    def _update_waiting(self, old: Pod, new: Pod) -> None:
        table = self._table
        if new.uid in table.placements:
            return  # it is assumed
        self._queue.update(old, new)
        if old.nominated_node != new.nominated_node:
            table.nominate(new, new.nominated_node)
        elif node_name := table.nominator.node_of(new.uid):
            table.nominator.set(new, node_name)
        if old.nominated_node and old.nominated_node != new.nominated_node:
            # pods of the same or a lower priority counted the pod as if it were on the node
            self._queue.move(ClusterEvent.ASSIGNED_POD_DELETE, old, None, at_most=old.priority)

    def pod_deleted(self, pod: Pod) -> None:
        """Removes a pod, and requeues pods that its deletion may help."""
        if pod.phase in ENDS:
            return
        self._delete(pod)
        self._heavy.forget(pod)

    def _delete(self, pod: Pod) -> None:
        if pod.node_name:
            if pod.uid in self._table.placements:
                self._remove_pod(pod.uid)
            self._queue.move(ClusterEvent.ASSIGNED_POD_DELETE, pod, None)
            return
        self._queue.remove(pod)
        self._table.nominate(pod, "")
        if pod.uid in self._table.placements:
            self._delete_assumed(pod)
        elif pod.nominated_node:
            self._queue.move(ClusterEvent.ASSIGNED_POD_DELETE, pod, None, at_most=pod.priority)

    def _delete_assumed(self, pod: Pod) -> None:
        """Removes a pod that was assumed but not yet bound."""
        node = self._table.nodes[self._table.placements[pod.uid][1]]
        self._remove_pod(pod.uid)
        assumed = pod.copy()
        assumed.node_name = node.name if node is not None else ""
        self._queue.move(ClusterEvent.ASSIGNED_POD_DELETE, assumed, None)
