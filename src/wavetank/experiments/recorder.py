from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from wavetank.cluster.node import Node
from wavetank.cluster.pod import FAILED, Pod
from wavetank.cluster.podspec import PodSpec
from wavetank.cluster.run import Job
from wavetank.cluster.store import Store
from wavetank.experiments.features import Features
from wavetank.experiments.usage import Usage
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds

EVICTED = frozenset({"Evicted", "Preempted"})
_TELL_EVERY = 1000


class Responsible(Protocol):
    """A scheduler, of whom it is enough to know which pods are his."""

    def takes(self, pod: Pod) -> bool:
        """Tells whether a pod is his business."""


class PodRow:
    """What became of one submitted pod; times in nanoseconds since the start of the run, None = never."""

    __slots__ = (
        "finished",
        "job",
        "message",
        "name",
        "namespace",
        "node",
        "phase",
        "priority",
        "reason",
        "restarts",
        "scheduled",
        "scheduler",
        "spec",
        "started",
        "submitted",
    )

    def __init__(self, pod: Pod, now: Nanoseconds, scheduler: str) -> None:
        self.namespace = pod.namespace
        self.name = pod.name
        self.spec: PodSpec = pod.spec
        self.job: Job | None = pod.run.job if pod.run else None
        self.priority = pod.priority
        self.scheduler = scheduler
        self.submitted = now
        self.scheduled: Nanoseconds | None = None
        self.started: Nanoseconds | None = None
        self.finished: Nanoseconds | None = None
        self.node = ""
        self.take(pod)

    def take(self, pod: Pod) -> None:
        """Copies the pod's present status."""
        self.phase = pod.phase
        self.reason = pod.reason
        self.message = pod.message or pod.unschedulable
        self.restarts = pod.restarts
        self.started = pod.started


class Recorder:
    """Watches the store and keeps one row per submitted pod, and the use of the cluster over time.

    Pods that come bound with the cluster use it like any other, but are nobody's submission: they have no row.
    """

    def __init__(self, store: Store, clock: Clock, tell: Callable[[int], None] | None = None) -> None:
        self.rows: list[PodRow] = []
        self.nodes: list[Node] = []
        self.usage = Usage(clock)
        self.features = Features()
        self.finished_pods = 0
        self.end: Nanoseconds = 0
        self._clock = clock
        self._store = store
        self._tell = tell
        self._rows: dict[str, PodRow] = {}
        self._schedulers: Sequence[tuple[str, Responsible]] = ()
        store.subscribe("Node", _NodeEvents(self))
        store.subscribe("Pod", _PodEvents(self))

    def name_schedulers(self, schedulers: Sequence[tuple[str, Responsible]]) -> None:
        """Learns which schedulers are attached, so that each row can say who was responsible."""
        self._schedulers = schedulers
        for pod in self._store.list("Pod"):
            if pod.uid in self._rows:
                self._rows[pod.uid].scheduler = self._responsible(pod)

    def close(self, end: Nanoseconds) -> None:
        """Takes the last status of the pods that are still there; `end` is when the last thing happened."""
        for pod in self._store.list("Pod"):
            if pod.uid in self._rows:
                self._rows[pod.uid].take(pod)
        self.usage.close()
        self.end = end

    # what the store tells

    def node_added(self, node: Node) -> None:
        """Adds a node to the cluster."""
        self.nodes.append(node)
        self.usage.node(None, node)

    def pod_added(self, pod: Pod) -> None:
        """Opens a row."""
        self.features.note(pod.spec)
        if pod.node_name:
            if not pod.finished:
                self.usage.bound(pod.requests)
            return
        row = self._rows[pod.uid] = PodRow(pod, self._clock.now, self._responsible(pod))
        self.rows.append(row)
        self.usage.submitted()

    def pod_modified(self, old: Pod, new: Pod) -> None:
        """Notes a binding, a start or an end."""
        row = self._rows.get(new.uid)
        if not old.node_name and new.node_name:
            self.usage.bound(new.requests)
            if row is not None:
                row.node = new.node_name
                row.scheduled = self._clock.now
                self.usage.left_queue()
        if new.finished and not old.finished:
            self._ended(new, row)
        elif new.started is not None and old.started is None:
            self.usage.started()

    def pod_deleted(self, pod: Pod) -> None:
        """Closes a row; a pod that goes before its end has failed."""
        row = self._rows.pop(pod.uid, None)
        if pod.finished:
            return
        self._ended(pod, row)
        if row is not None:
            row.phase = FAILED
            row.reason = pod.reason or "Deleted"

    def _ended(self, pod: Pod, row: PodRow | None) -> None:
        if pod.node_name:
            self.usage.released(pod.requests, started=pod.started is not None)
        elif row is not None:
            self.usage.left_queue()
        if row is None:
            return
        row.take(pod)
        row.finished = self._clock.now
        self.finished_pods += 1
        if self._tell is not None and self.finished_pods % _TELL_EVERY == 0:
            self._tell(self.finished_pods)

    def _responsible(self, pod: Pod) -> str:
        return next((name for name, scheduler in self._schedulers if scheduler.takes(pod)), "")


class _NodeEvents:
    def __init__(self, recorder: Recorder) -> None:
        self.added = recorder.node_added
        self._usage = recorder.usage

    def modified(self, old: Node, new: Node) -> None:
        self._usage.node(old, new)

    def deleted(self, old: Node) -> None:
        self._usage.node(old, None)


class _PodEvents:
    def __init__(self, recorder: Recorder) -> None:
        self.added = recorder.pod_added
        self.modified = recorder.pod_modified
        self.deleted = recorder.pod_deleted
