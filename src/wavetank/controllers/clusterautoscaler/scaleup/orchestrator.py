from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.clusterautoscaler.backoff import BackoffReason
from wavetank.controllers.clusterautoscaler.clusterstate import ClusterState
from wavetank.controllers.clusterautoscaler.events import EventWriter
from wavetank.controllers.clusterautoscaler.nodegroups import NodeGroup, NodeGroups
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.report import LoopReport, Resize
from wavetank.controllers.clusterautoscaler.scaleup.equivalence import PodGroup, group_pods
from wavetank.controllers.clusterautoscaler.scaleup.estimator import BinPackingEstimator
from wavetank.controllers.clusterautoscaler.scaleup.expanders import ExpanderChain, ExpansionOption
from wavetank.controllers.clusterautoscaler.scaleup.quotas import QuotaTracker
from wavetank.controllers.clusterautoscaler.scaleup.similar import are_similar, divide
from wavetank.controllers.clusterautoscaler.templates import NodeTemplate, TemplateCatalog
from wavetank.controllers.framework.clustersnapshot import ClusterSnapshot
from wavetank.kernel.durations import Nanoseconds

MAX_SIZE_REACHED = "max node group size reached"


class Result(Enum):
    """What came of an attempt to add nodes."""

    PLANNED = "planned"
    SUCCESSFUL = "successful"
    FAILED = "failed"
    NO_OPTIONS = "no options"
    NOT_NEEDED = "not needed"


@dataclass(slots=True)
class ScaleUpStatus:
    """The result, with what is told to pods: those that triggered it, and those that no group can hold."""

    result: Result
    plan: list[Resize] = field(default_factory=list)
    triggering: Sequence[Pod] = ()
    remaining: list[tuple[Pod, list[str]]] = field(default_factory=list)


class ScaleUpOrchestrator:
    """Adds nodes to one group, or to it and similar ones, for pods that fit no present or upcoming node."""

    def __init__(
        self,
        snapshot: ClusterSnapshot,
        groups: NodeGroups,
        state: ClusterState,
        templates: TemplateCatalog,
        expander: ExpanderChain,
        options: Options,
        events: EventWriter,
    ) -> None:
        self._snapshot = snapshot
        self._groups = groups
        self._state = state
        self._templates = templates
        self._expander = expander
        self._options = options
        self._events = events

    def decide(
        self,
        pods: Sequence[Pod],
        ready: Sequence[Node],
        templates: Mapping[str, NodeTemplate],
        now: Nanoseconds,
        report: LoopReport,
    ) -> ScaleUpStatus:
        """Chooses a group and plans how to enlarge it; nothing is done yet."""
        return _Attempt(self, pods, ready, templates, now, report).run()

    def decide_minimum(
        self, ready: Sequence[Node], templates: Mapping[str, NodeTemplate], now: Nanoseconds
    ) -> ScaleUpStatus:
        """Plans how to enlarge the groups that are below their minimum."""
        plan = []
        quota = self.quota(ready, templates)
        for group in self._groups.all().values():
            template = templates.get(group.id)
            if group.target >= group.min_size or template is None or self._state.refusal(group, now):
                continue
            wanted = quota.allowed(template.node, group.min_size - group.target)
            if self._options.max_nodes_total:
                wanted = min(wanted, self._options.max_nodes_total - group.target)
            if wanted > 0:
                plan.append(Resize(group.id, group.target, group.target + wanted, group.max_size))
        return ScaleUpStatus(Result.PLANNED if plan else Result.NOT_NEEDED, plan)

    def carry_out(self, status: ScaleUpStatus, now: Nanoseconds, report: LoopReport) -> ScaleUpStatus:
        """Does what was planned, if anything was, and returns what came of it."""
        if status.result is not Result.PLANNED:
            return status
        done = self._execute(status.plan, now, report)
        return replace(status, result=Result.SUCCESSFUL if done else Result.FAILED)

    def quota(self, ready: Sequence[Node], templates: Mapping[str, NodeTemplate]) -> QuotaTracker:
        """Returns what the limits of the cluster leave besides the present and the upcoming nodes."""
        upcoming = self._state.upcoming()
        new = [templates[group].node for group, count in upcoming.items() if group in templates for _ in range(count)]
        return QuotaTracker(self._options, [*ready, *new])

    def _execute(self, plan: Sequence[Resize], now: Nanoseconds, report: LoopReport) -> bool:
        """Asks for the new sizes one by one; a refused request backs the group off and ends the attempt."""
        for resize in plan:
            group = self._groups.all()[resize.group]
            self._events.resizing(resize)
            try:
                self._groups.set_size(group, resize.after)
            except ApiError as error:
                message = f"failed to increase node group size: {error.reason}"
                self._events.resize_failed(resize, error.reason)
                reason = BackoffReason("Other", "cloudProviderError", message)
                self._state.register_failure(resize.group, reason, now, report)
                return False
            self._state.register_scale_up(group, resize.after - resize.before, now)
            self._events.resized(resize)
        return True


class _Attempt:
    """One attempt to add nodes, with all that it found out so far."""

    def __init__(
        self,
        owner: ScaleUpOrchestrator,
        pods: Sequence[Pod],
        ready: Sequence[Node],
        templates: Mapping[str, NodeTemplate],
        now: Nanoseconds,
        report: LoopReport,
    ) -> None:
        self._owner = owner
        self._options = owner._options
        self._state = owner._state
        self._snapshot = owner._snapshot
        self._templates = templates
        self._now = now
        self._report = report
        self._groups = owner._groups.all()
        self._pod_groups = group_pods(pods)
        self._quota = owner.quota(ready, templates)
        report.upcoming = sum(self._state.upcoming().values())
        self._nodes = len(ready) + report.upcoming
        self._fitting: dict[str, list[PodGroup]] = {}
        self._reasons: dict[str, str] = {}  # why groups are skipped, by id

    def run(self) -> ScaleUpStatus:
        """Does it."""
        valid = [group for group in self._groups.values() if not self._skip(group)]
        for group in valid:
            self._fitting[group.id] = self._schedulable(group)
        options = [option for group in valid if (option := self._option(group)) is not None]
        if not options:
            self._report.no_options = True
            return ScaleUpStatus(Result.NO_OPTIONS, remaining=self._remaining())
        best = self._owner._expander.best(options, self._report)
        self._report.best, self._report.estimated = best.group.id, best.nodes
        plan = self._plan(best)
        if not plan:
            return ScaleUpStatus(Result.FAILED, triggering=best.pods)
        self._report.plan = plan
        return ScaleUpStatus(Result.PLANNED, plan, best.pods, self._remaining())

    def _skip(self, group: NodeGroup) -> bool:
        """Notes why a group cannot grow, if it cannot."""
        template = self._templates.get(group.id)
        reason = self._state.refusal(group, self._now)
        if not reason and group.target >= group.max_size:
            reason = MAX_SIZE_REACHED
        elif not reason and template is None:
            reason = "not ready for scale-up"
        elif not reason and template is not None and (names := self._quota.exceeded(template.node)):
            reason = f'exceeded quota: "cluster-wide", resources: {", ".join(names)}'
        if reason:
            self._reasons[group.id] = self._report.skipped[group.id] = reason
        return bool(reason)

    def _schedulable(self, group: NodeGroup) -> list[PodGroup]:
        """Returns the pods that fit an empty node of a group, by the first pod of each pod group."""
        new = self._owner._templates.fresh(group.id, self._templates[group.id], "test")
        self._snapshot.fork()
        self._snapshot.add_node(new.node, new.pods)
        fitting = []
        for pods in self._pod_groups:
            misfit = self._snapshot.misfit(pods.example, new.node.name)
            if misfit is None:
                pods.schedulable = True
                fitting.append(pods)
            else:
                pods.misfits[group.id] = self._report.misfits[pods.example.name, group.id] = misfit
        self._snapshot.revert()
        return fitting

    def _option(self, group: NodeGroup) -> ExpansionOption | None:
        fitting = self._fitting[group.id]
        template = self._templates[group.id]
        if fitting:
            similar = self._similar(group)
            estimator = BinPackingEstimator(
                self._snapshot,
                lambda number: self._owner._templates.fresh(group.id, template, f"e-{number}"),
                self._most(group, similar),
            )
            estimate = estimator.estimate(fitting, template)
            if estimate.nodes and estimate.pods:
                self._report.options[group.id] = (estimate.nodes, len(estimate.pods))
                return ExpansionOption(group, estimate.nodes, estimate.pods, template)
        self._report.no_fit.append(group.id)
        return None

    def _most(self, group: NodeGroup, similar: Sequence[NodeGroup]) -> int:
        """Returns how many nodes an estimate may add."""
        limits = [sum(max(each.max_size - each.target, 0) for each in (group, *similar))]
        if self._options.max_nodes_total:
            limits.append(max(self._options.max_nodes_total - self._nodes, 0))
        if self._options.max_nodes_per_scaleup:
            limits.append(self._options.max_nodes_per_scaleup)
        return min(limits)

    def _similar(self, group: NodeGroup) -> list[NodeGroup]:
        """Returns the groups that are like this one and can hold all that it can."""
        if not self._options.balance_similar_node_groups:
            return []
        found = []
        for other in self._groups.values():
            if other.id == group.id or other.id not in self._templates or self._state.refusal(other, self._now):
                continue
            fitting = self._fitting.get(other.id, [])
            if all(pods in fitting for pods in self._fitting[group.id]) and are_similar(
                self._templates[group.id], self._templates[other.id], self._options
            ):
                found.append(other)
        return found

    def _plan(self, best: ExpansionOption) -> list[Resize]:
        nodes = best.nodes
        if self._options.max_nodes_total and nodes + self._nodes > self._options.max_nodes_total:
            nodes = self._options.max_nodes_total - self._nodes
            self._owner._events.max_nodes_reached(self._options.max_nodes_total)
        nodes = self._quota.allowed(best.template.node, nodes)
        return divide([best.group, *self._similar(best.group)], nodes) if nodes > 0 else []

    def _remaining(self) -> list[tuple[Pod, list[str]]]:
        """Returns the pods that fit no group, with a reason of each group."""
        remaining = []
        for pods in self._pod_groups:
            if not pods.schedulable:
                reasons = [reason for misfit in pods.misfits.values() for reason in misfit.reasons]
                remaining += [(pod, [*reasons, *self._reasons.values()]) for pod in pods.pods]
        return remaining
