from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from wavetank.cluster.objects.groupkinds import DAEMON_SET
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.clusterautoscaler.clusterstate import ClusterState
from wavetank.controllers.clusterautoscaler.cooldown import Cooldown
from wavetank.controllers.clusterautoscaler.events import EventWriter
from wavetank.controllers.clusterautoscaler.instances import InstanceCache
from wavetank.controllers.clusterautoscaler.loop import LoopTrigger, Trigger
from wavetank.controllers.clusterautoscaler.nodegroups import NodeGroups, SizeError
from wavetank.controllers.clusterautoscaler.nodewatch import NodeWatch
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.order import Order
from wavetank.controllers.clusterautoscaler.pendingpods import PendingPods
from wavetank.controllers.clusterautoscaler.podwatch import PodWatch
from wavetank.controllers.clusterautoscaler.report import MIN_SIZE_REACHED, LoopReport, ScaleDownReport
from wavetank.controllers.clusterautoscaler.scaledown.actuator import ScaleDownActuator
from wavetank.controllers.clusterautoscaler.scaledown.deletions import Deletions
from wavetank.controllers.clusterautoscaler.scaledown.drain import Drainer
from wavetank.controllers.clusterautoscaler.scaledown.planner import ScaleDownPlanner, UnneededNode
from wavetank.controllers.clusterautoscaler.scaleup.expanders import ExpanderChain
from wavetank.controllers.clusterautoscaler.scaleup.orchestrator import (
    Result,
    ScaleUpOrchestrator,
    ScaleUpStatus,
)
from wavetank.controllers.clusterautoscaler.status import StatusWriter
from wavetank.controllers.clusterautoscaler.templates import NodeTemplate, TemplateCatalog
from wavetank.controllers.framework.clustersnapshot import ClusterSnapshot
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.evictions import Evictions
from wavetank.kernel.durations import SECOND, Nanoseconds

_START_UP: Nanoseconds = SECOND // 5  # before the first scan interval begins

Observe = Callable[[LoopReport], None]


class ClusterAutoscaler:
    """Adds nodes to groups for pods that fit nowhere and removes nodes that are not needed, as cluster-autoscaler does.

    It reads `context.flags` (see Options). `order` decides what the real program leaves to chance. `observe` is called
    with the report of every loop.
    """

    def __init__(
        self,
        context: ControllerContext,
        snapshot: ClusterSnapshot,
        evictions: Evictions,
        order: Order,
        observe: Observe | None = None,
    ) -> None:
        options = self._options = Options.from_flags(context.flags)
        self._context = context
        self._snapshot = snapshot
        self._observe = observe
        self._order = order
        self._events = EventWriter(context, options)
        self._groups = NodeGroups(context, options)
        self._nodes = NodeWatch(context.store, self._groups)
        self._state = ClusterState(self._groups, self._nodes, options, InstanceCache(self._groups, context.clock))
        self._templates = TemplateCatalog(snapshot, context.store.specs)
        self._pods = PodWatch(context.store, self._signal)
        self._deletions = Deletions()
        self._cooldown = Cooldown(options)
        self._pending = PendingPods(snapshot, self._templates, self._deletions, options, order)
        self._orchestrator = ScaleUpOrchestrator(
            snapshot,
            self._groups,
            self._state,
            self._templates,
            ExpanderChain(context.store, options, order, self._events),
            options,
            self._events,
        )
        self._planner = ScaleDownPlanner(
            context.store, snapshot, self._groups, self._nodes, self._deletions, options, order
        )
        drainer = Drainer(context, evictions, options, self._events)
        self._actuator = ScaleDownActuator(
            context, self._groups, self._pods, self._deletions, drainer, options, self._events, self._removal_ended
        )
        self._status = StatusWriter(context, options, self._groups, self._state)
        first = context.clock.now + _START_UP + options.scan_interval
        self._trigger = self._make_trigger(first)

    def _make_trigger(self, first: Nanoseconds) -> Trigger:
        options = self._options
        return LoopTrigger(
            self._context.store, self._loop, options.scan_interval, first, options.frequent_loops_enabled
        )

    def _signal(self) -> None:
        if hasattr(self, "_trigger"):
            self._trigger.signal()

    def _removal_ended(self, group: str, done: bool) -> None:
        self._cooldown.removal_ended(group, done, self._context.clock.now)

    # one loop

    def _loop(self, trigger: str, lagging: bool) -> tuple[bool, bool]:
        report = LoopReport(self._context.clock.now, trigger)
        self._order.begin()
        self._snapshot.refresh()
        self._snapshot.fork()
        try:
            productive = self._run_once(lagging, report)
        finally:
            self._snapshot.revert()
        self._status.write()
        if self._observe is not None:
            self._observe(report)
        awaited = report.all_new or bool(report.too_young) or bool(report.to_help and not report.no_options)
        return productive, awaited

    def _run_once(self, lagging: bool, report: LoopReport) -> bool:
        now = report.time
        ready = list(self._nodes.usable.values())
        if not ready and not self._options.scale_up_from_zero:
            return False
        templates = self._find_templates(now)
        self._state.update(now, report)
        self._tell_failures()
        report.unregistered = len(self._state.unregistered)
        self._remove_old_unregistered(now, report)
        if not self._state.is_healthy():
            report.unhealthy = True
            self._planner.forget_unneeded()
            self._events.unhealthy()
            return False
        self._delete_failed()
        if self._fix_sizes(now):
            return False
        return self._scale(ready, templates, lagging, report)

    def _find_templates(self, now: Nanoseconds) -> dict[str, NodeTemplate]:
        groups = self._groups.all()
        by_group = {group: self._ready_nodes(group) for group in groups}
        daemon_sets = list(self._context.store.list(DAEMON_SET))
        return self._templates.find(groups.values(), by_group, daemon_sets, now)

    def _ready_nodes(self, group: str) -> Iterator[tuple[Node, Nanoseconds]]:
        for node in self._order.nodes(self._nodes.members(group).values()):
            if node.name in self._nodes.usable:
                yield node, self._nodes.ready_since(node)

    def _scale(self, ready: list[Node], templates: dict[str, NodeTemplate], lagging: bool, report: LoopReport) -> bool:
        waiting = self._pods.unschedulable(lagging)
        report.scheduled, report.unschedulable = self._pods.scheduled, len(waiting)
        upcoming = self._state.upcoming()
        not_started = [
            name for group in upcoming for name in getattr(self._state.readiness.get(group), "not_started", ())
        ]
        self._pending.add_upcoming(upcoming, templates, not_started)
        pods = self._pending.to_help(waiting, report)
        result = self._help(pods, ready, templates, report)
        if result is Result.FAILED:
            return False
        productive = result is Result.SUCCESSFUL
        if self._options.scale_down_enabled:
            productive |= self._scale_down(set(not_started), report.all_new, report)
        if self._options.enforce_node_group_min_size:
            productive |= self._enlarge_to_minimum(ready, templates, report)
        return productive

    def _help(
        self, pods: list[Pod], ready: list[Node], templates: dict[str, NodeTemplate], report: LoopReport
    ) -> Result:
        """Adds nodes for pods, unless all pods are so new that more may follow."""
        if not pods:
            return Result.NOT_NEEDED
        most = self._options.max_nodes_total
        if most and len(ready) >= most:
            report.max_nodes_total_reached = True
            self._events.max_nodes_reached(most)
            for pod in pods:
                self._events.not_triggered_at_limit(pod)
            return Result.NO_OPTIONS
        if self._pending.are_new(pods, report.time):
            report.all_new = True
            return Result.NOT_NEEDED
        report.to_help = [pod.name for pod in pods]
        status = self._carry_out(self._plan(pods, ready, templates, report), report)
        self._tell(status)
        return status.result

    def _carry_out(self, status: ScaleUpStatus, report: LoopReport) -> ScaleUpStatus:
        status = self._orchestrator.carry_out(status, report.time, report)
        if status.result is Result.SUCCESSFUL:
            self._cooldown.scaled_up(status.plan, report.time)
        return status

    def _enlarge_to_minimum(self, ready: list[Node], templates: dict[str, NodeTemplate], report: LoopReport) -> bool:
        status = self._orchestrator.decide_minimum(ready, templates, report.time)
        return self._carry_out(status, report).result is Result.SUCCESSFUL

    def _plan(
        self, pods: list[Pod], ready: list[Node], templates: dict[str, NodeTemplate], report: LoopReport
    ) -> ScaleUpStatus:
        return self._orchestrator.decide(pods, ready, templates, report.time, report)

    def _tell(self, status: ScaleUpStatus) -> None:
        if status.result is Result.SUCCESSFUL:
            self._events.triggered(status.triggering, status.plan)
        elif status.result is Result.NO_OPTIONS:
            for pod, reasons in status.remaining:
                self._events.not_triggered(pod, reasons)

    # removing nodes

    def _scale_down(self, not_started: set[str], forbidden: bool, report: LoopReport) -> bool:
        """Looks for nodes to remove and removes some; returns whether a removal has begun."""
        now = report.time
        down = report.down = ScaleDownReport(forbidden=forbidden)
        self._planner.occupancy.update(now)
        candidates = self._candidates(not_started, down, now)
        self._find_unneeded(candidates, set(self._nodes.all) - not_started, down, now)
        self._status.note_candidates(self._planner.unneeded)
        down.cooldown = forbidden or self._cooldown.holds(now)
        started = not down.cooldown and self._remove(report)
        self._update_soft_taints(not_started)
        return started

    def _find_unneeded(
        self, candidates: list[Node], destinations: set[str], down: ScaleDownReport, now: Nanoseconds
    ) -> None:
        self._planner.update(candidates, destinations, now, down)

    def _remove(self, report: LoopReport) -> bool:
        """Begins to remove nodes that were unneeded for long; returns whether there are any."""
        try:
            started = self._actuator.start(*self._choose_removals(report))
        except ApiError:
            self._cooldown.failed(report.time)
            return False
        if started:
            self._cooldown.removal_began(report.time)
        return started

    def _choose_removals(self, report: LoopReport) -> tuple[list[UnneededNode], list[UnneededNode]]:
        assert report.down is not None
        empty, filled = self._actuator.within_budgets(*self._planner.removable(report.time, report.down))
        report.remove_empty = [each.node.name for each in empty]
        report.remove_drain = [each.node.name for each in filled]
        return empty, filled

    def _candidates(self, not_started: set[str], down: ScaleDownReport, now: Nanoseconds) -> list[Node]:
        """Returns the nodes that may be removed: empty ones first, then those found unneeded before.

        Nodes that will be passed over for their use are among them only if the loop is observed.
        """
        planner, occupancy = self._planner, self._planner.occupancy
        names: Iterable[str] = self._nodes.all
        if self._observe is None:
            names = [name for name in occupancy.below if not planner.ignores(name, now)]
        found = []
        for name in names:
            group = self._nodes.group_of(name)
            if group is None or name in not_started:
                continue
            if group.target <= group.min_size:
                down.kept[name] = MIN_SIZE_REACHED
            elif not self._cooldown.holds_group(group.id, now):
                found.append(self._nodes.all[name])
        ordered = self._order.nodes(found)
        return sorted(ordered, key=lambda node: (node.name not in occupancy.empty, node.name not in planner.unneeded))

    def _update_soft_taints(self, not_started: set[str]) -> None:
        if not self._options.max_bulk_soft_taint_count:
            return
        unneeded = self._planner.unneeded
        names = [name for name in {**self._nodes.marked, **unneeded} if name not in not_started]
        nodes = [self._nodes.all[name] for name in names if self._nodes.group_of(name) is not None]
        self._actuator.update_soft_taints(list(self._order.nodes(nodes)), self._order.taints(list(unneeded)))

    # failures

    def _tell_failures(self) -> None:
        for group, duration in self._state.timed_out:
            self._events.timed_out(group, duration)
        for group, count, reason in self._state.failures:
            self._events.creation_failed(group, count, reason)

    def _remove_old_unregistered(self, now: Nanoseconds, report: LoopReport) -> None:
        """Removes machines that did not become nodes in time, as far as their groups' minimum allows it."""
        for group in self._groups.all().values():
            late = [
                name
                for name, (owner, since) in self._state.unregistered.items()
                if owner == group.id and since + group.options.max_node_provision_time <= now
            ]
            for name in late[: max(group.target - group.min_size, 0)]:
                try:
                    self._groups.delete_instance(group.id, name)
                except (ApiError, SizeError) as error:
                    self._events.unregistered_kept(name, str(error))
                    return
                report.removed_unregistered.append(name)
                self._events.unregistered_deleted(name)
            if late:
                self._state.forget_instances(group.id)

    def _delete_failed(self) -> None:
        """Removes machines that report that they cannot be created."""
        for group, names in self._state.failed_instances().items():
            try:
                for name in names:
                    self._groups.delete_instance(group, name)
            except (ApiError, SizeError):
                continue  # tried again in the next loop
            self._state.forget_instances(group)

    def _fix_sizes(self, now: Nanoseconds) -> bool:
        """Lowers the target of groups whose machines have been missing for long; returns whether any was lowered."""
        fixed = False
        for group_id, size in self._state.incorrect.items():
            group = self._groups.all()[group_id]
            if size.current < size.expected and size.since + group.options.max_node_provision_time <= now:
                try:
                    self._groups.set_size(group, group.target + size.current - size.expected)
                except ApiError:
                    continue
                fixed = True
        return fixed
