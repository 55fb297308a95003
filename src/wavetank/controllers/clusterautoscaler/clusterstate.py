"""How many nodes each group has, wants and waits for; which groups may grow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import is_
from typing import NamedTuple

from wavetank.cluster.objects.node import Node
from wavetank.controllers.clusterautoscaler.backoff import BackoffReason, ExponentialBackoff
from wavetank.controllers.clusterautoscaler.instances import InstanceCache
from wavetank.controllers.clusterautoscaler.nodegroups import DELETING, Instance, NodeGroup, NodeGroups
from wavetank.controllers.clusterautoscaler.nodewatch import NodeWatch
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.report import LoopReport
from wavetank.controllers.clusterautoscaler.taints import TO_BE_DELETED, has_taint
from wavetank.kernel.durations import Nanoseconds, render_duration

NOT_READY, BACKED_OFF = "not ready for scale-up", "in backoff after failed scale-up"


@dataclass(slots=True)
class ScaleUpRequest:
    """Nodes that a group was asked to add, and until when they must have registered."""

    increase: int
    time: Nanoseconds
    deadline: Nanoseconds


@dataclass(slots=True)
class Readiness:
    """How many nodes of a group, or of all, are in which state; `unregistered` are machines without a node.

    Those that have not started yet by name.
    """

    ready: int = 0
    unready: int = 0
    not_started: list[str] = field(default_factory=list)
    registered: int = 0
    unregistered: int = 0
    long_unregistered: int = 0


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

    def __init__(self, groups: NodeGroups, nodes: NodeWatch, options: Options, cache: InstanceCache) -> None:
        self._groups = groups
        self._nodes = nodes
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
        self.failures: list[tuple[str, int, BackoffReason]] = []  # new creation errors: group, count
        self.timed_out: list[tuple[str, Nanoseconds]] = []
        self.groups: dict[str, NodeGroup] = {}
        self._scaling_up: set[str] = set()  # at the end of the last update
        self._seen_errors: dict[str, set[str]] = {}
        self._instances: dict[str, list[Instance]] = {}
        self._read: tuple[int, list[list[Instance]]] = (-1, [])  # nodes and machines of which `unregistered` was made

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

    def update(self, now: Nanoseconds, report: LoopReport) -> None:
        """Reads the present nodes and machines; ends requests that are fulfilled or too late."""
        groups = self.groups = self._groups.all()
        for group in self._scaling_up:
            self._cache.invalidate(group)
        self._instances = {group: self._cache.get(group) for group in groups}
        self._update_unregistered(groups, now)
        self._update_readiness(groups, now)
        self._update_requests(now, report)
        self._find_creation_errors(groups, now, report)
        self._update_incorrect_sizes(groups, now)
        self._scaling_up = {group for group in self.requests if self.upcoming_in(group)}

    def _update_unregistered(self, groups: Mapping[str, NodeGroup], now: Nanoseconds) -> None:
        lists = list(self._instances.values())
        old = self._read
        if self._nodes.version == old[0] and len(lists) == len(old[1]) and all(map(is_, lists, old[1])):
            return
        self._read = self._nodes.version, lists
        registered = set(self._nodes.instances.values())
        found = {
            instance.id: UnregisteredNode(group, now)
            for group in groups
            for instance in self._instances[group]
            if instance.id not in registered and instance.state != DELETING and not instance.error
        }
        self.unregistered = {name: self.unregistered.get(name, node) for name, node in found.items()}

    def _update_readiness(self, groups: Mapping[str, NodeGroup], now: Nanoseconds) -> None:
        """Counts the nodes: all as ready, then those that are not as what they are."""
        count = len(self._nodes.all)
        self.total, self.readiness = Readiness(ready=count, registered=count), {}
        for group_id in groups:
            if count := len(self._nodes.members(group_id)):
                self.readiness[group_id] = Readiness(ready=count, registered=count)
        for node in self._nodes.unusual.values():
            group = self._nodes.group_of(node.name)
            startup = (group.options if group else self._options.group).max_node_startup_time
            for place in (self.total,) if group is None else (self.total, self.readiness[group.id]):
                self._count_unusual(place, node, node.created + startup > now)
        present = {each.id for group in groups if self.unregistered for each in self._groups.instances(group)}
        for name, (group_id, since) in self.unregistered.items():
            if name not in present:  # a machine that is gone stays in the cached list for a while
                continue
            late = since + groups[group_id].options.max_node_provision_time <= now
            for place in (self.total, self.readiness.setdefault(group_id, Readiness())):
                place.long_unregistered += late
                place.unregistered += not late

    def _count_unusual(self, place: Readiness, node: Node, starting: bool) -> None:
        deleted = has_taint(node, TO_BE_DELETED) and not self._groups.has_instance(node)
        if node.ready and not deleted:
            return
        place.ready -= 1
        if not deleted and starting:
            place.not_started.append(node.name)
        elif not deleted:
            place.unready += 1

    def _update_requests(self, now: Nanoseconds, report: LoopReport) -> None:
        self.backoff.drop_stale(now)
        self.timed_out = []
        for group, request in list(self.requests.items()):
            if not self.upcoming_in(group):
                del self.requests[group]
            elif request.deadline <= now:
                self.timed_out.append((group, now - request.time))
                report.timed_out.append(group)
                took = render_duration(now - request.time)
                message = f"Scale-up timed out for node group {group} after {took}"
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
                self.failures.append((group_id, len(new), reason))
                self.register_scale_up(group, -len(new), now)
                self.register_failure(group_id, reason, now, report)

    def _update_incorrect_sizes(self, groups: Mapping[str, NodeGroup], now: Nanoseconds) -> None:
        found = {}
        for group_id, group in groups.items():
            state = self.readiness.get(group_id)
            if state is None:
                continue
            registered, waiting = state.registered, state.unregistered + state.long_unregistered
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
        provisioned = state.registered - len(state.not_started) if state else 0
        return group in self.groups and self.groups[group].target > provisioned

    def upcoming(self) -> dict[str, int]:
        """Returns how many nodes each group waits for: not registered yet, or not ready yet."""
        found = {}
        for group_id, group in self.groups.items():
            state = self.readiness.get(group_id) or Readiness()
            new = group.target - state.ready - state.unready - state.long_unregistered
            if new > 0:
                found[group_id] = new
        return found

    def is_healthy(self) -> bool:
        """Returns whether few enough nodes are unready for the autoscaler to work at all."""
        unready = self.total.unready
        share = self._options.max_total_unready_percentage / 100.0 * self.total.registered
        return not (unready > self._options.ok_total_unready_count and unready > share)

    def is_group_healthy(self, group: NodeGroup) -> bool:
        """Returns whether few enough nodes of a group are missing for it to grow."""
        group = self.groups.get(group.id, group)
        state, request = self.readiness.get(group.id), self.requests.get(group.id)
        increase = request.increase if request else 0
        if state is None:
            return group.target == 0 or group.target - increase == 0
        missing = group.target - state.long_unregistered - increase - state.ready
        present = state.ready + state.unready + len(state.not_started)
        share = self._options.max_total_unready_percentage / 100.0 * present
        return not (missing > self._options.ok_total_unready_count and missing > share)

    def refusal(self, group: NodeGroup, now: Nanoseconds) -> str:
        """Returns why a group may not grow now, or an empty string."""
        if not self.is_group_healthy(group):
            return NOT_READY
        return BACKED_OFF if self.backoff.reason(group.id, now) is not None else ""
