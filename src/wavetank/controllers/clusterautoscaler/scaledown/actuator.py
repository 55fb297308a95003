from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.clusterautoscaler.events import EventWriter
from wavetank.controllers.clusterautoscaler.nodegroups import NodeGroups, SizeError, instance_id
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.podwatch import PodWatch
from wavetank.controllers.clusterautoscaler.scaledown.budgets import RemainingBudgets
from wavetank.controllers.clusterautoscaler.scaledown.deletions import Deletions
from wavetank.controllers.clusterautoscaler.scaledown.drain import Drainer
from wavetank.controllers.clusterautoscaler.scaledown.drainability import BlockingPodError, DrainRules
from wavetank.controllers.clusterautoscaler.scaledown.planner import UnneededNode
from wavetank.controllers.clusterautoscaler.scaledown.utilization import utilization
from wavetank.controllers.clusterautoscaler.taints import (
    DELETION_CANDIDATE,
    TO_BE_DELETED,
    NodeTaints,
    has_taint,
)
from wavetank.controllers.framework.context import ControllerContext
from wavetank.kernel.durations import Nanoseconds


class ScaleDownActuator:
    """Removes nodes: taints them, waits, evicts their pods, then asks for their machines to go.

    `changed` is called with a group when the removal of one of its nodes has ended, and whether it succeeded.
    """

    def __init__(
        self,
        context: ControllerContext,
        groups: NodeGroups,
        pods: PodWatch,
        deletions: Deletions,
        drainer: Drainer,
        options: Options,
        events: EventWriter,
        changed: Callable[[str, bool], None],
    ) -> None:
        self._context = context
        self._groups = groups
        self._pods = pods
        self._deletions = deletions
        self._drainer = drainer
        self._options = options
        self._events = events
        self._changed = changed
        self._rules = DrainRules(context.store, options)
        self._taints = NodeTaints(context, options.cordon_node_before_terminating)

    def within_budgets(
        self, empty: Sequence[UnneededNode], filled: Sequence[UnneededNode]
    ) -> tuple[list[UnneededNode], list[UnneededNode]]:
        """Returns as many of the nodes as may be removed at a time, empty ones first."""
        budget = self._options.max_scale_down_parallelism - len(self._deletions.all())
        drains = self._options.max_drain_parallelism - len(self._deletions.drained)
        going = self._by_group(empty)[: max(budget, 0)]
        return going, self._by_group(filled)[: max(min(drains, budget - len(going)), 0)]

    def start(self, empty: Sequence[UnneededNode], filled: Sequence[UnneededNode]) -> bool:
        """Begins to remove nodes; returns whether there are any. ApiError if a node cannot be tainted."""
        for nodes, drain in ((empty, False), (filled, True)):
            self._taint(nodes)
            for each in nodes:
                self._begin(each, drain)
        return bool(empty or filled)

    def _by_group(self, nodes: Sequence[UnneededNode]) -> list[UnneededNode]:
        """Orders nodes group by group, the groups in the order of their first nodes."""
        groups: dict[str, list[UnneededNode]] = {}
        for each in nodes:
            group = self._groups.of_node(each.node)
            if group is not None:
                groups.setdefault(group.id, []).append(each)
        return [each for nodes in groups.values() for each in nodes]

    def _taint(self, nodes: Sequence[UnneededNode]) -> None:
        tainted: list[str] = []
        try:
            for each in nodes:
                self._taints.mark_to_be_deleted(each.node.name)
                self._events.marked(each.node.name)
                tainted.append(each.node.name)
        except ApiError:
            for name in tainted:
                self._taints.clean_to_be_deleted(name)
            raise

    def _begin(self, each: UnneededNode, drain: bool) -> None:
        name = each.node.name
        group = self._groups.of_node(each.node)
        assert group is not None
        self._deletions.start(group.id, name, drain)
        if drain:
            used = utilization(each.node, self._pods_on(name), group.options.ignore_daemonsets_utilization, self._now)
            pods = [pod.name for pod in each.pods]
            self._events.removing_drained(name, str(used), pods)
        else:
            self._events.removing_empty(name)
        delay = self._options.node_delete_delay_after_taint
        self._context.clock.after(delay, lambda: self._empty(name, group.id, drain), background=True)

    @property
    def _now(self) -> Nanoseconds:
        return self._context.clock.now

    def _empty(self, name: str, group: str, drain: bool) -> None:
        """Evicts the pods of a node, unless it can no longer go."""
        pods = self._pods_on(name)
        budgets = RemainingBudgets(self._context.store) if drain else None
        try:
            moving = self._rules.pods_to_move(pods, budgets, self._now)
        except BlockingPodError as error:
            self._abort(name, group, drain, f'GetPodsToMove for "{name}" returned error: {error}')
            return
        if drain:
            self._drainer.drain(name, pods, lambda why: self._drained(name, group, why))
        elif moving:
            self._abort(name, group, drain, f'failed to delete empty node "{name}", new pods scheduled')
        else:
            self._drainer.evict_daemons(pods)
            self._delete(name, group, drain)

    def _pods_on(self, name: str) -> list[Pod]:
        """Returns the pods of a node that count; expendable ones go with it unasked."""
        cutoff = self._options.expendable_pods_priority_cutoff
        return [pod for pod in self._pods.pods_on(name) if pod.priority >= cutoff]

    def _drained(self, name: str, group: str, why: str) -> None:
        if why:
            self._abort(name, group, True, why)
        else:
            self._delete(name, group, True)

    def _delete(self, name: str, group: str, drain: bool) -> None:
        node = self._context.store.find(NODE, "", name)
        try:
            if isinstance(node, Node):
                self._groups.delete_instance(group, instance_id(node))
        except (ApiError, SizeError) as error:
            self._abort(name, group, drain, f"failed to delete {name}: {error}")
            return
        self._deletions.end(name)
        self._changed(group, True)
        self._events.removed(name, drain)

    def _abort(self, name: str, group: str, drain: bool, why: str) -> None:
        self._events.removal_failed(name, drain, why)
        with suppress(ApiError):  # then the taint stays, as it does in a real cluster
            self._taints.clean_to_be_deleted(name)
        self._deletions.end(name)
        self._changed(group, False)

    def update_soft_taints(self, nodes: Sequence[Node], unneeded: Sequence[str]) -> None:
        """Taints unneeded nodes softly, in this order, after others were cleaned, with a limited number of writes."""
        wanted = {name: number for number, name in enumerate(unneeded)}
        left = self._options.max_bulk_soft_taint_count
        present = [node for node in nodes if not has_taint(node, TO_BE_DELETED)]
        clean = [node for node in present if node.name not in wanted and has_taint(node, DELETION_CANDIDATE)]
        mark = [node for node in present if node.name in wanted and not has_taint(node, DELETION_CANDIDATE)]
        mark.sort(key=lambda node: wanted[node.name])
        writes = [(self._taints.clean_candidate, node.name) for node in clean]
        writes += [(self._taints.mark_candidate, node.name) for node in mark]
        for write, name in writes[:left]:
            try:
                write(name)
            except ApiError:
                continue  # tried again in the next loop
