"""How many nodes each group has, wants and waits for; which groups may grow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from wavetank.cluster.objects.node import Node
from wavetank.controllers.clusterautoscaler.backoff import BackoffReason, ExponentialBackoff
from wavetank.controllers.clusterautoscaler.instances import InstanceCache
from wavetank.controllers.clusterautoscaler.nodegroups import DELETING, Instance, NodeGroup, NodeGroups, instance_id
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.report import LoopReport
from wavetank.controllers.clusterautoscaler.taints import TO_BE_DELETED, has_taint
from wavetank.kernel.durations import Nanoseconds

NOT_READY, BACKED_OFF = "not ready for scale-up", "in backoff after failed scale-up"


@dataclass(slots=True)
class ScaleUpRequest:
    """Nodes that a group was asked to add, and until when they must have registered."""

    increase: int
    time: Nanoseconds
    deadline: Nanoseconds


@dataclass(slots=True)
class Readiness:
    """Names of the nodes of a group, or of all, by state; `unregistered` are machines without a node."""

    ready: list[str] = field(default_factory=list)
    unready: list[str] = field(default_factory=list)
    not_started: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    registered: list[str] = field(default_factory=list)
    unregistered: list[str] = field(default_factory=list)
    long_unregistered: list[str] = field(default_factory=list)


class UnregisteredNode(NamedTuple):
    """A machine that has not become a node, and since when it was seen."""

    group: str
    since: Nanoseconds


class IncorrectSize(NamedTuple):
    """A difference between the nodes of a group and its target, and since when it was seen."""

    current: int
    expected: int
    since: Nanoseconds


class ClusterState:
    """Follows the nodes, the machines and the requests of all groups from loop to loop.

    The groups are those of the beginning of the loop: what it changes shows only in the next one.
    """

    def __init__(self, groups: NodeGroups, options: Options, cache: InstanceCache) -> None:
        self._groups = groups
        self._options = options
        self._cache = cache
        self.backoff = ExponentialBackoff(
            options.initial_node_group_backoff_duration,
            options.max_node_group_backoff_duration,
            options.node_group_backoff_reset_timeout,
        )
        self.requests: dict[str, ScaleUpRequest] = {}
        self.total = Readiness()
        self.readiness: dict[str, Readiness] = {}
        self.unregistered: dict[str, UnregisteredNode] = {}
        self.incorrect: dict[str, IncorrectSize] = {}
        self.failures: list[tuple[str, int, str, BackoffReason]] = []  # new creation errors: group, count, code
        self.timed_out: list[tuple[str, Nanoseconds]] = []
        self._nodes = 0
        self.groups: dict[str, NodeGroup] = {}
        self._scaling_up: set[str] = set()  # at the end of the last update
        self._seen_errors: dict[str, set[str]] = {}
        self._instances: dict[str, list[Instance]] = {}

    # requests

    def register_scale_up(self, group: NodeGroup, delta: int, now: Nanoseconds) -> None:
        """Notes that nodes were asked for; a further request moves the deadline of all nodes of the group."""
        request = self.requests.get(group.id)
        if request is None:
            if delta > 0:
                self.requests[group.id] = ScaleUpRequest(delta, now, now + group.options.max_node_provision_time)
        elif request.increase + delta <= 0:
            del self.requests[group.id]
        else:
            request.increase += delta
            if delta > 0:
                request.time, request.deadline = now, now + group.options.max_node_provision_time

    def register_failure(self, group: str, reason: BackoffReason, now: Nanoseconds, report: LoopReport) -> None:
        """Backs a group off."""
        report.backoff.append((group, self.backoff.fail(group, reason, now)))

    # updating

    def update(
        self,
        nodes: Iterable[tuple[Node, NodeGroup | None]],
        now: Nanoseconds,
        report: LoopReport,
    ) -> None:
        """Reads the present nodes and machines; ends requests that are fulfilled or too late."""
        nodes = list(nodes)
        groups = self.groups = self._groups.all()
        for group in self._scaling_up:
            self._cache.invalidate(group)
        self._instances = {group: self._cache.get(group) for group in groups}
        self._nodes = len(nodes)
        self._update_unregistered(nodes, groups, now)
        self._update_readiness(nodes, groups, now)
        self._update_requests(now, report)
        self._find_creation_errors(groups, now, report)
        self._update_incorrect_sizes(groups, now)
        self._scaling_up = {group for group in self.requests if self.upcoming_in(group)}

    def _update_unregistered(
        self, nodes: list[tuple[Node, NodeGroup | None]], groups: Mapping[str, NodeGroup], now: Nanoseconds
    ) -> None:
        registered = {instance_id(node) for node, _ in nodes}
        found = {
            instance.id: UnregisteredNode(group, now)
            for group in groups
            for instance in self._instances[group]
            if instance.id not in registered and instance.state != DELETING and not instance.error
        }
        self.unregistered = {name: self.unregistered.get(name, node) for name, node in found.items()}

    def _update_readiness(
        self, nodes: list[tuple[Node, NodeGroup | None]], groups: Mapping[str, NodeGroup], now: Nanoseconds
    ) -> None:
        self.total, self.readiness = Readiness(), {}
        for node, group in nodes:
            startup = (group.options if group else self._options.group).max_node_startup_time
            places = [self.total]
            if group is not None:
                places.append(self.readiness.setdefault(group.id, Readiness()))
            for place in places:
                place.registered.append(node.name)
                if has_taint(node, TO_BE_DELETED) and not self._groups.has_instance(node):
                    place.deleted.append(node.name)
                elif node.ready:
                    place.ready.append(node.name)
                elif node.created + startup > now:
                    place.not_started.append(node.name)
                else:
                    place.unready.append(node.name)
        for name, (group_id, since) in self.unregistered.items():
            late = since + groups[group_id].options.max_node_provision_time <= now
            for place in (self.total, self.readiness.setdefault(group_id, Readiness())):
                (place.long_unregistered if late else place.unregistered).append(name)

    def _update_requests(self, now: Nanoseconds, report: LoopReport) -> None:
        self.backoff.drop_stale(now)
        self.timed_out = []
        for group, request in list(self.requests.items()):
            if not self.upcoming_in(group):
                del self.requests[group]
            elif request.deadline <= now:
                self.timed_out.append((group, now - request.time))
                report.timed_out.append(group)
                message = f"Scale-up timed out for node group {group}"
                self.register_failure(group, BackoffReason("Other", "timeout", message), now, report)
                del self.requests[group]

    def _find_creation_errors(self, groups: Mapping[str, NodeGroup], now: Nanoseconds, report: LoopReport) -> None:
        """Backs off groups whose machines report new errors while they grow."""
        self.failures = []
        for group_id, group in groups.items():
            errors = {each.id: each.error for each in self._instances[group_id] if each.error}
            new = errors.keys() - self._seen_errors.get(group_id, set())
            self._seen_errors[group_id] = set(errors)
            if new and group_id in self.requests and self.upcoming_in(group_id):
                reason = BackoffReason("Other", "ProvisioningFailed", "Machine provisioning failed")
                self.failures.append((group_id, len(new), str(reason), reason))
                self.register_scale_up(group, -len(new), now)
                self.register_failure(group_id, reason, now, report)

    def _update_incorrect_sizes(self, groups: Mapping[str, NodeGroup], now: Nanoseconds) -> None:
        found = {}
        for group_id, group in groups.items():
            state = self.readiness.get(group_id)
            if state is None:
                continue
            registered, waiting = len(state.registered), len(state.unregistered) + len(state.long_unregistered)
            if registered > group.target or registered < group.target - waiting:
                old = self.incorrect.get(group_id)
                same = old is not None and (old.current, old.expected) == (registered, group.target)
                found[group_id] = old if same and old is not None else IncorrectSize(registered, group.target, now)
        self.incorrect = found

    # questions

    def failed_instances(self) -> dict[str, list[str]]:
        """Returns the machines that could not be created, by group."""
        failed = {
            group: [each.id for each in instances if each.error and each.state != DELETING]
            for group, instances in self._instances.items()
        }
        return {group: ids for group, ids in failed.items() if ids}

    def forget_instances(self, group: str) -> None:
        """Lets the machines of a group be listed anew."""
        self._cache.invalidate(group)

    def upcoming_in(self, group: str) -> bool:
        """Returns whether a group waits for nodes."""
        state = self.readiness.get(group)
        provisioned = len(state.registered) - len(state.not_started) if state else 0
        return group in self.groups and self.groups[group].target > provisioned

    def upcoming(self) -> dict[str, int]:
        """Returns how many nodes each group waits for: not registered yet, or not ready yet."""
        found = {}
        for group_id, group in self.groups.items():
            state = self.readiness.get(group_id) or Readiness()
            new = group.target - len(state.ready) - len(state.unready) - len(state.long_unregistered)
            if new > 0:
                found[group_id] = new
        return found

    def is_healthy(self) -> bool:
        """Returns whether few enough nodes are unready for the autoscaler to work at all."""
        unready = len(self.total.unready)
        share = self._options.max_total_unready_percentage / 100.0 * self._nodes
        return not (unready > self._options.ok_total_unready_count and unready > share)

    def is_group_healthy(self, group: NodeGroup) -> bool:
        """Returns whether few enough nodes of a group are missing for it to grow."""
        group = self.groups.get(group.id, group)
        state, request = self.readiness.get(group.id), self.requests.get(group.id)
        increase = request.increase if request else 0
        if state is None:
            return group.target == 0 or group.target - increase == 0
        missing = group.target - len(state.long_unregistered) - increase - len(state.ready)
        present = len(state.ready) + len(state.unready) + len(state.not_started)
        share = self._options.max_total_unready_percentage / 100.0 * present
        return not (missing > self._options.ok_total_unready_count and missing > share)

    def refusal(self, group: NodeGroup, now: Nanoseconds) -> str:
        """Returns why a group may not grow now, or an empty string."""
        if not self.is_group_healthy(group):
            return NOT_READY
        return BACKED_OFF if self.backoff.reason(group.id, now) is not None else ""
