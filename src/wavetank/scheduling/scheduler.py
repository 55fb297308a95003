from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from wavetank.cluster.node import Node
from wavetank.cluster.pod import Pod
from wavetank.cluster.resource import Resource
from wavetank.cluster.status import ApiError
from wavetank.cluster.store import Store
from wavetank.kernel.clock import SCHEDULERS, Clock
from wavetank.kernel.distributions import Distribution
from wavetank.kernel.durations import Nanoseconds, seconds
from wavetank.scheduling.framework.cycle import Cycle, Outcome, Rotation
from wavetank.scheduling.framework.events import ClusterEvent, assigned_pod_events, node_events
from wavetank.scheduling.framework.framework import Framework
from wavetank.scheduling.framework.listers import TABLES, Listers
from wavetank.scheduling.framework.nodetable import NodeTable
from wavetank.scheduling.framework.queue import QueuedPod, QueueRules, SchedulingQueue
from wavetank.scheduling.framework.selection import Ties
from wavetank.scheduling.latency import SchedulerLatency

Explain = Callable[[Nanoseconds, Pod, Outcome, Cycle], None]


class Scheduler:
    """kube-scheduler on the simulated cluster: watches the store, tries pods one by one, binds them.

    A scheduler with `takes_all` schedules every pod by its only profile; otherwise a pod's schedulerName decides.
    Attempts of one instant come before their bindings are committed, and bindings before status patches: what a real
    process does between two moments of quiet. `explain` is told of each attempt, with the cycle that decided it,
    before anything comes of it; it may still send the pod to another feasible node, or to none.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        frameworks: Sequence[Framework],
        listers: Listers,
        *,
        ties: Ties,
        random: random.Random,
        rules: QueueRules | None = None,
        latency: SchedulerLatency | None = None,
        takes_all: bool = False,
        explain: Explain | None = None,
    ) -> None:
        self.table = NodeTable()
        self.queue = SchedulingQueue(clock, rules or QueueRules(), self._wake)
        self.attempts = 0
        self._store = store
        self._clock = clock
        self._frameworks = {framework.scheduler_name: framework for framework in frameworks}
        self._only = frameworks[0] if takes_all else None
        self._ties = ties
        self._random = random
        self._latency = latency or SchedulerLatency()
        self._rotation = Rotation()
        self._explain = explain
        self._failures: dict[Hashable, tuple[Cycle, Outcome]] = {}
        self._failures_version = -1
        self._outbox: list[Callable[[], None]] = []
        self._busy = False  # the loop runs, waits for its turn in this instant, or for the API server's answer
        for table in TABLES:
            store.subscribe(table, _ListerEvents(listers, self.table))
            for resource in store.list(table):
                listers.set(resource)
        store.subscribe("Node", _NodeEvents(self))
        store.subscribe("Pod", _PodEvents(self))
        for node in store.list("Node"):
            self.node_added(node)
        for pod in store.list("Pod"):
            self.pod_added(pod)

    def framework_of(self, pod: Pod) -> Framework | None:
        """Returns the profile that is responsible for a pod, or None if it is somebody else's."""
        return self._only or self._frameworks.get(pod.scheduler_name)

    # the loop

    def _wake(self) -> None:
        if not self._busy:
            self._busy = True
            self._clock.at(self._clock.now, self._run, SCHEDULERS)

    def _run(self) -> None:
        """Tries pods until none is left or the loop has to wait, then sends what was decided."""
        while (queued := self.queue.pop()) is not None:
            takes = self._draw(self._latency.attempt)
            held_up = self._attempt(queued)
            if takes or held_up:
                self._clock.after(takes, lambda held_up=held_up: self._go_on(held_up), SCHEDULERS)  # type: ignore[misc]
                return
        self._busy = False
        self._send()

    def _go_on(self, held_up: bool) -> None:
        self._send()
        self._clock.after(self._draw(self._latency.patch) if held_up else 0, self._run, SCHEDULERS)

    def _send(self) -> None:
        """Sends the bindings and patches of this turn to the API server."""
        outbox, self._outbox = self._outbox, []
        for write in outbox:
            write()

    def _attempt(self, queued: QueuedPod) -> bool:
        """Tries one pod; returns whether the loop has to wait for the API server to take its new status."""
        self.attempts += 1
        cycle = Cycle(queued.framework, self.table, queued.pod)
        decided_by, outcome = self._outcome(cycle)
        if self._explain is not None:
            self._explain(self._clock.now, queued.pod, outcome, decided_by)
        if outcome.node_name:
            reason = self._assume(cycle, outcome.node_name)
            if reason is None:
                self._outbox.append(lambda: self._send_binding(cycle, queued, outcome.node_name))
                return False
            outcome.message, outcome.rejectors = reason
        if outcome.rejectors:
            self.queue.refused(queued, outcome.rejectors)
        else:
            self.queue.failed(queued, hopeless=not len(self.table.order))
        return self._report(queued.pod, outcome.message)

    def _outcome(self, cycle: Cycle) -> tuple[Cycle, Outcome]:
        """Runs the cycle; a pod like one that just failed fails alike, by its cycle, as long as nothing has changed."""
        if self._failures_version != self.table.version:
            self._failures.clear()
            self._failures_version = self.table.version
        pod = cycle.pod
        key = (cycle.framework, pod.spec, pod.namespace, frozenset(pod.labels.items()))
        known = self._failures.get(key)
        if known is not None and not pod.node_name:
            return known
        outcome = cycle.run(self._rotation, self._ties)
        if not outcome.node_name and cycle.framework.is_pure:
            self._failures[key] = cycle, outcome
        return cycle, outcome

    # binding

    def _assume(self, cycle: Cycle, node_name: str) -> tuple[str, frozenset[str]] | None:
        """Counts the pod on its node before it is bound; returns (message, plugins) if a Permit plugin objects."""
        for plugin in cycle.framework.reserve:
            plugin.reserve(cycle, node_name)
        self.table.add_pod(cycle.pod, node_name)
        for permit in cycle.framework.permit:
            reason = permit.permit(cycle, node_name)
            if reason is not None:
                self._forget(cycle, node_name)
                return reason.text, frozenset({permit.name})
        return None

    def _forget(self, cycle: Cycle, node_name: str) -> None:
        if cycle.pod.uid in self.table.placements:
            self.table.remove_pod(cycle.pod.uid)
        for plugin in reversed(cycle.framework.reserve):
            plugin.unreserve(cycle, node_name)

    def _send_binding(self, cycle: Cycle, queued: QueuedPod, node_name: str) -> None:
        delay = self._draw(self._latency.bind)
        if delay:
            self._clock.after(delay, lambda: self._bind(cycle, queued, node_name))
        else:
            self._bind(cycle, queued, node_name)

    def _bind(self, cycle: Cycle, queued: QueuedPod, node_name: str) -> None:
        try:
            self._store.bind(cycle.pod, node_name)
        except ApiError as error:
            self._forget(cycle, node_name)
            assumed = cycle.pod.copy()
            assumed.node_name = node_name
            self.queue.failed(queued)
            self.queue.move(ClusterEvent.ASSIGNED_POD_DELETE, assumed, None)
            self._patch_status(cycle.pod, f"binding rejected: {error}")

    def _report(self, pod: Pod, message: str) -> bool:
        """Puts the message into the pod's status, if it is a new one; returns whether a patch was sent."""
        present = self._store.find("Pod", pod.namespace, pod.name)
        if not isinstance(present, Pod) or present.uid != pod.uid or present.unschedulable == message:
            return False
        self._outbox.append(lambda: self._patch_status(pod, message))
        return True

    def _patch_status(self, pod: Pod, message: str) -> None:
        present = self._store.find("Pod", pod.namespace, pod.name)
        if isinstance(present, Pod) and present.uid == pod.uid and not present.node_name:
            new = present.copy()
            new.unschedulable = message
            self._store.update(new)

    def _draw(self, distribution: Distribution) -> Nanoseconds:
        return seconds(distribution.sample(self._random))

    # what the store tells

    def node_added(self, node: Node) -> None:
        """Takes in a node."""
        self.table.set_node(node)
        self.queue.move(ClusterEvent.NODE_ADD, None, node)

    def node_modified(self, old: Node, new: Node) -> None:
        """Takes in a node's new version."""
        self.table.set_node(new)
        for event in node_events(old, new):
            self.queue.move(event, old, new)

    def node_deleted(self, node: Node) -> None:
        """Forgets a node."""
        self.table.remove_node(node)
        self.queue.move(ClusterEvent.NODE_DELETE, node, None)

    def pod_added(self, pod: Pod) -> None:
        """Takes in a pod: as a user of its node, or into the queue."""
        if pod.finished:
            return
        if pod.node_name:
            self.table.add_pod(pod, pod.node_name)
            self.queue.move(ClusterEvent.ASSIGNED_POD_ADD, None, pod)
            return
        framework = self.framework_of(pod)
        if framework is not None:
            self.queue.add(pod, framework)

    def pod_modified(self, old: Pod, new: Pod) -> None:
        """Takes in a pod's new version."""
        if new.finished:
            self.pod_deleted(old)
        elif not new.node_name:
            self.queue.update(old, new)
        elif not old.node_name:
            self.queue.remove(new)
            self._confirm(new)
            self.queue.move(ClusterEvent.ASSIGNED_POD_ADD, None, new)
        else:
            self._confirm(new)
            for event in assigned_pod_events(old, new):
                self.queue.move(event, old, new)

    def pod_deleted(self, pod: Pod) -> None:
        """Forgets a pod, and lets others have its room."""
        if pod.finished:
            return
        if pod.uid in self.table.placements:
            self.table.remove_pod(pod.uid)
        if pod.node_name:
            self.queue.move(ClusterEvent.ASSIGNED_POD_DELETE, pod, None)
        else:
            self.queue.remove(pod)

    def _confirm(self, pod: Pod) -> None:
        placed = self.table.placements.get(pod.uid)
        if placed and placed.pod.spec is pod.spec and placed.slot == self.table.slots.get(pod.node_name):
            self.table.replace_pod(pod)
        else:
            self.table.add_pod(pod, pod.node_name)


class _ListerEvents:
    def __init__(self, listers: Listers, table: NodeTable) -> None:
        self._listers = listers
        self._table = table

    def added(self, new: Resource) -> None:
        self._listers.set(new)
        self._table.version += 1

    def modified(self, old: Resource, new: Resource) -> None:
        self.added(new)

    def deleted(self, old: Resource) -> None:
        self._listers.remove(old)
        self._table.version += 1


class _NodeEvents:
    def __init__(self, scheduler: Scheduler) -> None:
        self.added = scheduler.node_added
        self.modified = scheduler.node_modified
        self.deleted = scheduler.node_deleted


class _PodEvents:
    def __init__(self, scheduler: Scheduler) -> None:
        self.added = scheduler.pod_added
        self.modified: Callable[[Any, Any], None] = scheduler.pod_modified
        self.deleted = scheduler.pod_deleted
