from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.pod import ENDS, Pod
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import SCHEDULERS, Clock
from wavetank.kernel.distributions import drawing
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome, Rotation
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.events import ClusterEvent
from wavetank.scheduling.framework.extenders.answers import ExtenderError
from wavetank.scheduling.framework.heavywork import Beside, HeavyWork
from wavetank.scheduling.framework.listers import TABLES, Listers
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.queue.inorder import InOrderQueue
from wavetank.scheduling.framework.queue.queue import QueuedPod, QueueRules, SchedulingQueue
from wavetank.scheduling.framework.selection import Ties
from wavetank.scheduling.latency import SchedulerLatency
from wavetank.scheduling.scheduler.eventhandlers import EventHandlers
from wavetank.scheduling.scheduler.evictions import Evictions, gates_of
from wavetank.scheduling.scheduler.failurecache import FailureCache
from wavetank.scheduling.scheduler.informers import NodeInformer, ObjectInformer, PodInformer
from wavetank.scheduling.scheduler.prebinding import PreBinding
from wavetank.scheduling.scheduler.request import Request

_MAX_DEFERRED = 1000

Explain = Callable[[Nanoseconds, Pod, Outcome, Cycle], None]


class Scheduler:
    """kube-scheduler on the simulated cluster: watches the store, schedules pods one by one, binds them.

    With `takes_all` every pod is scheduled by the only profile; otherwise its schedulerName decides. At one instant all
    attempts are made before their bindings are committed, and bindings before status patches, like in a real process.
    `explain` is called for each attempt, with the cycle that decided it, before the result is applied; it may change
    the result to another feasible node, or to none. `beside` runs what takes long, if the thread is also that of a
    server.
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
        beside: Beside | None = None,
    ) -> None:
        self.table = NodeTable()
        self.heavy_work = HeavyWork(beside)
        self._decide, self._place = self.heavy_work.wrap(self._outcome), self.heavy_work.wrap(self._assume)
        self._remove = self.heavy_work.wrap(self.table.remove_pod)
        self.queue = self._make_queue(clock, rules or QueueRules())
        self.attempts = 0
        self._store = store
        self._clock = clock
        self._frameworks = {framework.scheduler_name: framework for framework in frameworks}
        self._only = frameworks[0] if takes_all else None
        self._ties = ties
        latency = latency or SchedulerLatency()
        self._draw_attempt = drawing(latency.attempt, random)
        self._draw_bind = drawing(latency.bind, random)
        self._draw_patch = drawing(latency.patch, random)
        self._draw_delete = drawing(latency.delete, random)
        self._rotation = Rotation()
        self._explain = explain
        self._failures = FailureCache(self.table)
        self._bindings: list[tuple[Nanoseconds, Callable[[], None]]] = []  # to be sent, with their latencies
        self._outbox: list[Request] = []
        self._answered: list[Callable[[], None]] = []
        self._inbox: list[tuple[Callable[..., None], tuple[Any, ...]]] = []  # handlers and their arguments
        self._deferred: list[tuple[Pod, Pod]] = []  # updates of bound pods, older than the inbox
        self._awake = False  # a turn is scheduled for this instant, or running
        self._blocked = False  # the loop is busy with an attempt, or waits for the API server's answer
        self._evictions = Evictions(store, self.table.nominator, self._send, self._draw_eviction)
        for table in TABLES:
            store.subscribe(table, ObjectInformer(listers, self, table))
            for resource in store.list(table):
                listers.set(resource)
        self.event_handlers = EventHandlers(self.table, self.queue, self.framework_of, self._try_pods, self.heavy_work)
        store.subscribe(NODE, NodeInformer(self))
        store.subscribe(POD, PodInformer(self))
        for node in store.list(NODE):
            self.event_handlers.node_added(node)
        for pod in store.list(POD):
            self.event_handlers.pod_added(pod)

    def _make_queue(self, clock: Clock, rules: QueueRules) -> SchedulingQueue:
        return (InOrderQueue if rules.in_order else SchedulingQueue)(clock, rules, self._wake, self.heavy_work)

    def framework_of(self, pod: Pod) -> Framework | None:
        """Returns the profile for a pod, or None if another scheduler is responsible for it."""
        return self._only or self._frameworks.get(pod.scheduler_name)

    def takes(self, pod: Pod) -> bool:
        """Returns whether this scheduler is responsible for a pod."""
        return self.framework_of(pod) is not None

    # the loop: everything runs until it has to wait, then requests are sent to the API server

    def _wake(self) -> None:
        if not self._awake:
            self._awake = True
            self._clock.at(self._clock.now, self._turn, SCHEDULERS)

    def _turn(self) -> None:
        """Runs the scheduling loop and the event handlers; the loop is faster than events, which come by informers."""
        try:
            if self._deferred:
                self._apply_deferred()
            if self._answered:
                self._take_answers()
            queue = self.queue
            if queue.active or queue.backoff:
                self._try_pods()
            while self._inbox:
                inbox, self._inbox = self._inbox, []
                for handle, event in inbox:
                    handle(*event)
                if queue.active or queue.backoff:
                    self._try_pods()
        finally:
            self._awake = False
        if self._bindings or self._outbox:
            self._serve()

    def _take_answers(self) -> None:
        """Lets everything go on that has an answer; the watch events of its own writes come later."""
        answered, self._answered = self._answered, []
        for go_on in answered:
            go_on()

    def _apply_deferred(self) -> None:
        """Handles the deferred updates."""
        deferred, self._deferred = self._deferred, []
        for old, new in deferred:
            self.event_handlers.pod_modified(old, new)

    def _try_pods(self) -> None:
        while not self._blocked and (queued := self.queue.pop()) is not None:
            self._attempt(queued)

    def receive(self, handle: Callable[..., None], *event: Any) -> None:
        """Queues an event of the cluster for its handler."""
        self._inbox.append((handle, event))
        if not self._awake:
            self._awake = True
            self._clock.at(self._clock.now, self._turn, SCHEDULERS)

    def receive_update(self, old: Pod, new: Pod) -> None:
        """Queues the update of a bound pod; it is deferred as long as there is no pending pod that it could help.

        Of consecutive updates of one pod only the last is handled.
        """
        queue = self.queue
        if self._awake or queue.active or queue.backoff or queue.errors or queue.unschedulable:
            self.receive(self.event_handlers.pod_modified, old, new)
            return
        deferred = self._deferred
        if deferred and deferred[-1][1] is old and new.phase not in ENDS:
            old, _ = deferred.pop()
        deferred.append((old, new))
        if len(deferred) >= _MAX_DEFERRED:
            self._wake()

    def _send(self, request: Request) -> None:
        self._outbox.append(request)

    def _serve(self) -> None:
        """Sends the requests to the API server: bindings first, then the others, each after its latency."""
        bindings, outbox = self._bindings, self._outbox
        self._bindings, self._outbox = [], []
        for latency, bind in bindings:
            if latency:
                self._clock.after(latency, bind)
            else:
                bind()
        for request in outbox:
            if request.latency:
                self._clock.after(request.latency, partial(self._commit, request))
            else:
                self._commit(request)

    def _commit(self, request: Request) -> None:
        request.commit()
        if request.answered is not None:
            self._answered.append(request.answered)
            self._wake()

    def _attempt(self, queued: QueuedPod) -> None:
        self.attempts += 1
        takes = self._draw_attempt()
        if queued.framework.batch is not None:
            queued.framework.batch.begin(self.attempts, self._clock.now)
        cycle = Cycle(queued.framework, self.table, queued.pod)
        decided_by, outcome = self._decide(cycle)
        if self._explain is not None:
            self._explain(self._clock.now, queued.pod, outcome, decided_by)
        alike = not outcome.node_name and self._fails_alike(queued, outcome, takes)
        if queued.equals is not None and not alike:
            self.queue.leave_equals(queued)
        if outcome.node_name:
            reason = self._place(cycle, outcome.node_name)
            if reason is None:
                self._send_binding(cycle, queued, outcome.node_name, takes)
            else:
                outcome = Outcome(message=reason[0], rejectors=reason[1])
        if not outcome.node_name:
            self._fail(queued, outcome, takes)
            if alike:
                self.attempts += self.queue.join_equals(queued, outcome)
        elif takes:
            self._block(takes)

    def _fails_alike(self, queued: QueuedPod, outcome: Outcome, takes: Nanoseconds) -> bool:
        """Returns whether equal pods fail with this one: without latency, explanation, or a new status to report."""
        if not outcome.holds_for_all or not outcome.rejectors or outcome.writes or takes or self._explain is not None:
            return False
        nomination = None if outcome.keeps_nomination else ""
        return queued.framework.batch is None and not self._is_news(queued.pod, outcome.message, nomination)

    def _block(self, takes: Nanoseconds) -> None:
        self._blocked = True
        self._clock.after(takes, self._unblock)

    def _unblock(self) -> None:
        self._blocked = False
        self._wake()

    def _fail(self, queued: QueuedPod, outcome: Outcome, takes: Nanoseconds) -> None:
        """Puts the pod back into the queue and patches its status; the loop waits for the API server's answer."""
        pod = queued.pod
        if outcome.rejectors:
            self.queue.refused(queued, outcome.rejectors)
        else:
            self.queue.failed(queued, hopeless=not len(self.table.order))
        nominated = outcome.preemption.nominated if outcome.preemption else ""
        nomination = None if outcome.keeps_nomination and not nominated else nominated
        if nomination is not None:
            self.table.nominate(pod, nomination)
        if nominated and outcome.preemption is not None:
            self._evictions.begin(pod, nominated, outcome.preemption.victims, gates_of(queued.framework))
        for write in outcome.writes:
            self._send(Request(takes + self._draw_patch(), partial(write, self._store)))
        if self._is_news(pod, outcome.message, nomination):
            self._blocked = True
            patch = self._draw_patch()
            self._send(
                Request(takes + patch, lambda: self._patch_status(pod, outcome.message, nomination), self._unblock)
            )
        elif takes:
            self._block(takes)

    def _outcome(self, cycle: Cycle) -> tuple[Cycle, Outcome]:
        """Runs the cycle; a pod equal to one that failed fails by the same cycle, as long as nothing has changed."""
        if self._failures.known and (known := self._failures.like(cycle)) is not None:
            return known
        decide = cycle.decide if self._explain is None else cycle.run
        outcome = decide(self._rotation, self._ties)
        if not outcome.node_name:
            self._failures.add(cycle, outcome)
        return cycle, outcome

    # binding

    def _assume(self, cycle: Cycle, node_name: str) -> tuple[str, frozenset[str]] | None:
        """Counts the pod on its node before it is bound; returns (message, plugins) if a Permit plugin rejects it."""
        for plugin in cycle.plan.reserve:
            plugin.reserve(cycle, node_name)
        self.table.add_pod(cycle.pod, node_name)
        if not self.table.nominator.is_empty:
            self.table.nominate(cycle.pod, "")
        for permit in cycle.framework.permit:
            reason = permit.permit(cycle, node_name)
            if reason is not None:
                self._forget(cycle, node_name)
                return reason.text, frozenset({permit.name})
        return None

    def _forget(self, cycle: Cycle, node_name: str) -> None:
        if cycle.pod.uid in self.table.placements:
            self._remove(cycle.pod.uid)
        for plugin in reversed(cycle.plan.reserve):
            plugin.unreserve(cycle, node_name)

    def _send_binding(self, cycle: Cycle, queued: QueuedPod, node_name: str, takes: Nanoseconds) -> None:
        latency = takes + self._draw_bind()
        bind: Callable[[], None] = partial(self._bind, cycle, queued, node_name)
        if cycle.plan.pre_bind:
            plugins = [plugin for plugin in cycle.plan.pre_bind if plugin.has_to_prepare(cycle, node_name)]
            if plugins:
                failed = partial(self._unbind, cycle, queued, node_name)
                bind = PreBinding(self._store, self._clock, cycle, node_name, plugins, bind, failed).begin
        self._bindings.append((latency, bind))

    def _bind(self, cycle: Cycle, queued: QueuedPod, node_name: str) -> None:
        try:
            if not (cycle.framework.extenders and self._is_bound_by_extender(cycle, node_name)):
                self._store.bind(cycle.pod, node_name)
        except ExtenderError as error:
            self._unbind(cycle, queued, node_name, str(error))
        except ApiError as error:
            self._unbind(cycle, queued, node_name, f'running Bind plugin "DefaultBinder": {error}')

    def _is_bound_by_extender(self, cycle: Cycle, node_name: str) -> bool:
        """Lets an extender bind the pod; returns False if it has not bound it in the simulated cluster."""
        if not cycle.framework.extenders.bind(cycle.pod, node_name):
            return False
        present = self._store.find(POD, cycle.pod.namespace, cycle.pod.name)
        return isinstance(present, Pod) and present.node_name == node_name

    def _unbind(self, cycle: Cycle, queued: QueuedPod, node_name: str, message: str) -> None:
        """Puts back a pod that was not bound."""
        self._forget(cycle, node_name)
        assumed = cycle.pod.copy()
        assumed.node_name = node_name
        self.queue.failed(queued)
        self.queue.move(ClusterEvent.ASSIGNED_POD_DELETE, assumed, None)
        self._patch_status(cycle.pod, message, "")

    # the pod's status

    def _is_news(self, pod: Pod, message: str, nomination: str | None) -> bool:
        return pod.unschedulable != message or nomination not in (None, pod.nominated_node)

    def _patch_status(self, pod: Pod, message: str, nomination: str | None) -> None:
        present = self._store.find(POD, pod.namespace, pod.name)
        if not isinstance(present, Pod) or present.uid != pod.uid or present.node_name:
            return
        if self._is_news(present, message, nomination):
            new = present.copy()
            new.unschedulable = message
            new.nominated_node = present.nominated_node if nomination is None else nomination
            self._store.update(new)

    def _draw_eviction(self) -> tuple[Nanoseconds, Nanoseconds]:
        return self._draw_patch(), self._draw_delete()
