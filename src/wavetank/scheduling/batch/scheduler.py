from __future__ import annotations

import heapq
import random
from collections import Counter
from functools import partial

import numpy as np

from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import SCHEDULERS, Clock
from wavetank.kernel.distributions import drawing
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.batch.disciplines import Discipline
from wavetank.scheduling.batch.job import FOREVER, BatchJob, Placement, Shape
from wavetank.scheduling.batch.jobs import WaitingJobs, expected
from wavetank.scheduling.batch.timeline import Timeline
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.static import StaticFilter
from wavetank.scheduling.latency import SchedulerLatency


class _Held:
    """What a pod uses of a node, and until when as far as is known."""

    __slots__ = ("amounts", "end", "slot")

    def __init__(self, slot: int, amounts: IntArray, end: Nanoseconds) -> None:
        self.slot = slot
        self.amounts = amounts
        self.end = end


class BatchScheduler:
    """Starts whole jobs, in the order and by the discipline of a batch queue.

    It looks at what pods ask for and, through the filters of `framework` that depend on the node alone, at node
    selectors, node affinity, taints and cordons; at nothing else. A job that the cluster could not even run alone is
    passed over, and says so in the status of its pods.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        framework: Framework,
        discipline: Discipline,
        waiting: WaitingJobs,
        *,
        random: random.Random,
        latency: SchedulerLatency | None = None,
        takes_all: bool = False,
    ) -> None:
        self.attempts = 0
        self._store = store
        self._clock = clock
        self._name = None if takes_all else framework.scheduler_name
        self._filters = [plugin for plugin in framework.filter if isinstance(plugin, StaticFilter)]
        self._discipline = discipline
        self._waiting = waiting
        self._hopeless: dict[str, BatchJob] = {}  # by the uids of their pods
        latency = latency or SchedulerLatency()
        self._draw_attempt = drawing(latency.attempt, random)
        self._draw_bind = drawing(latency.bind, random)
        self._table = NodeTable()
        self._timeline: Timeline | None = None  # None: the nodes have changed
        self._shapes: dict[PodSpec, Shape] = {}
        self._held: dict[str, _Held] = {}
        self._ends: list[tuple[Nanoseconds, str]] = []
        self._freed = False
        self._awake = False
        store.subscribe(
            NODE, added=self.node_seen, modified=lambda _, new: self.node_seen(new), deleted=self.node_deleted
        )
        store.subscribe(POD, added=self.pod_added, modified=self.pod_modified, deleted=self.pod_deleted)
        for node in store.list(NODE):
            self.node_seen(node)
        for pod in store.list(POD):
            self.pod_added(pod)

    def takes(self, pod: Pod) -> bool:
        """Returns whether a pod is this scheduler's business."""
        return self._name is None or pod.scheduler_name == self._name

    # events of the store

    def node_seen(self, node: Node) -> None:
        """Adds a node, or its new version."""
        self._table.set_node(node)
        self._nodes_changed()

    def node_deleted(self, node: Node) -> None:
        """Forgets a node."""
        self._table.remove_node(node)
        self._nodes_changed()

    def pod_added(self, pod: Pod) -> None:
        """Adds a pod to its node, or to the queue."""
        if pod.finished:
            return
        self._learn(pod.spec)
        if pod.node_name:
            self._occupy(pod)
        elif self.takes(pod) and not pod.gates:
            self._waiting.add(pod)
        self._wake()

    def pod_modified(self, old: Pod, new: Pod) -> None:
        """Handles that a pod has ended, was bound by another scheduler, or may run now."""
        if new.finished:
            self.pod_deleted(old)
        elif new.node_name and not old.node_name and new.uid not in self._held:
            self._drop(new)
            self._occupy(new)
            self._wake()
        elif old.gates and not new.gates:
            self.pod_added(new)

    def pod_deleted(self, pod: Pod) -> None:
        """Removes a pod and frees its resources."""
        held = self._held.pop(pod.uid, None)
        if held is None:
            self._drop(pod)
        elif self._timeline is not None:
            slot = np.array([held.slot])
            self._timeline.give_back(self._clock.now, held.end, slot, held.amounts[:, None])
        self._freed = True
        self._wake()

    def _drop(self, pod: Pod) -> None:
        hopeless = self._hopeless.get(pod.uid)
        if hopeless is not None:
            for other in hopeless.pods:
                del self._hopeless[other.uid]
            return
        job = self._waiting.remove(pod)
        if job is not None and self._timeline is not None:
            self._discipline.forget(job, self._timeline)

    def _occupy(self, pod: Pod) -> None:
        """Counts a pod that another scheduler has bound."""
        slot = self._table.slots.get(pod.node_name)
        if slot is None:
            return
        end = min(self._clock.now + expected(pod), FOREVER)
        self._hold(pod, slot, self._amounts(pod.spec), end)
        self._timeline = None

    def _nodes_changed(self) -> None:
        """Starts anew: with other nodes, or a resource that was not requested before."""
        self._timeline = None
        self._shapes.clear()
        for job in dict.fromkeys(self._hopeless.values()):
            self._waiting.put(job)
        self._hopeless.clear()
        self._wake()

    # the turn

    def _wake(self) -> None:
        if not self._awake:
            self._awake = True
            self._clock.at(self._clock.now, self._turn, SCHEDULERS)

    def _turn(self) -> None:
        self._awake = False
        if not len(self._table.order):
            return
        if not self._start_jobs() and not self._held:
            # Jobs that took longer than planned have left reservations in the future, and no end will come that starts
            # the next one: plan anew.
            self._timeline = None
            self._start_jobs()

    def _start_jobs(self) -> bool:
        """Starts the jobs that the discipline allows; returns False if there are waiting jobs, but none can start."""
        jobs = [job for job in self._waiting if self._has_a_shape(job)]
        timeline = self._present_timeline()
        freed, self._freed = self._freed, False
        starts = list(self._discipline.starts(jobs, timeline, freed))
        for job, placement in starts:
            self._start(job, placement)
        return bool(starts) or not jobs

    def _has_a_shape(self, job: BatchJob) -> bool:
        """Prepares a job for placement; one that does not fit in the empty cluster leaves the queue."""
        self.attempts += 1
        if self._timeline is None or not job.shapes:
            job.shapes = [(self._shape(spec), pods) for spec, pods in _runs(job)]
            if job.place(self._capacity()) is None:
                self._give_up(job)
                return False
        return True

    def _present_timeline(self) -> Timeline:
        now = self._clock.now
        if self._timeline is None:
            self._discipline.forget_all()
            self._timeline = Timeline(self._capacity(), now)
            for held in self._held.values():
                held.amounts = np.pad(held.amounts, (0, len(self._table.allocatable) + 1 - len(held.amounts)))
                self._timeline.take(now, held.end, np.array([held.slot]), held.amounts[:, None])
        self._timeline.begin(now)
        self._wait_for_overdue(self._timeline)
        return self._timeline

    def _wait_for_overdue(self, timeline: Timeline) -> None:
        """Extends the end of pods that should have ended by now."""
        while self._ends and self._ends[0][0] <= timeline.now:
            uid = heapq.heappop(self._ends)[1]
            held = self._held.get(uid)
            if held is not None and held.end <= timeline.now:
                held.end = timeline.now + 1
                heapq.heappush(self._ends, (held.end, uid))
                timeline.take(timeline.now, held.end, np.array([held.slot]), held.amounts[:, None])
                self._freed = True

    def _start(self, job: BatchJob, placement: Placement) -> None:
        self._waiting.take(job)
        end = min(self._clock.now + job.takes, FOREVER)
        latency = self._draw_attempt() + self._draw_bind()
        for pod, slot, amounts in job.seated(placement):
            self._hold(pod, slot, amounts, end)
            node = self._table.nodes[slot]
            assert node is not None
            if latency:
                self._clock.after(latency, partial(self._bind, pod, node.name))
            else:
                self._bind(pod, node.name)

    def _bind(self, pod: Pod, node_name: str) -> None:
        try:
            self._store.bind(pod, node_name)
        except ApiError:  # it is deleted, or another scheduler was faster
            self.pod_deleted(pod)

    def _hold(self, pod: Pod, slot: int, amounts: IntArray, end: Nanoseconds) -> None:
        self._held[pod.uid] = _Held(slot, amounts, end)
        heapq.heappush(self._ends, (end, pod.uid))

    def _give_up(self, job: BatchJob) -> None:
        self._waiting.take(job)
        fitting = ", ".join(f"{shape.capacity(self._capacity()).sum()} of {pods} pods" for shape, pods in job.shapes)
        for pod in job.pods:
            self._hopeless[pod.uid] = job
            present = self._store.find(POD, pod.namespace, pod.name)
            if isinstance(present, Pod) and present.uid == pod.uid:
                new = present.copy()
                new.unschedulable = f"only {fitting} of this job fit on the empty cluster at a time"
                self._store.update(new)

    # nodes as arrays

    def _capacity(self) -> IntArray:
        """Returns what all nodes have: the pods that a node may have, and below that the rows of the table."""
        table = self._table
        slots = len(table.nodes)
        return np.vstack([table.max_pods[:slots], table.allocatable[:, :slots]])

    def _shape(self, spec: PodSpec) -> Shape:
        shape = self._shapes.get(spec)
        if shape is None:
            shape = self._shapes[spec] = Shape(self._amounts(spec), self._allowed(spec))
        return shape

    def _amounts(self, spec: PodSpec) -> IntArray:
        return np.insert(self._table.vector(spec.requests.items()), 0, 1)

    def _learn(self, spec: PodSpec) -> None:
        """Makes rows for what a pod asks for, before anything is placed."""
        if any(name not in self._table.rows for name in spec.requests):
            self._table.vector(spec.requests.items())
            self._nodes_changed()

    def _allowed(self, spec: PodSpec) -> BoolArray:
        table = self._table
        allowed = np.array([node is not None for node in table.nodes])
        for plugin in self._filters:
            codes = plugin.codes(spec, table)
            if codes is not None:
                allowed &= codes[: len(allowed)] == 0
            else:  # a pod that names its nodes, as those of DaemonSets do
                left = np.flatnonzero(allowed)
                allowed[left] = plugin.evaluate(plugin.facet(spec), left, table) == 0
        return allowed


def _runs(job: BatchJob) -> list[tuple[PodSpec, int]]:
    """Returns the specs of the pods, each with how many there are, and puts equal pods side by side."""
    counts = Counter(pod.spec for pod in job.pods)
    if len(counts) > 1:
        order = {spec: i for i, spec in enumerate(counts)}
        job.pods.sort(key=lambda pod: order[pod.spec])
    return list(counts.items())
