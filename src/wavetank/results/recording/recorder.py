from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import ENDS, FAILED, Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds
from wavetank.results.metrics.usage import NodeChange
from wavetank.results.recording.features import Features
from wavetank.results.recording.podrow import PodRow

if TYPE_CHECKING:
    from wavetank.results.recording.gpuuse import GpuUse

EVICTED = frozenset({"Evicted", "Preempted"})
_TELL_EVERY = 1000


class Responsible(Protocol):
    """A scheduler, of whom it is enough to know which pods are his."""

    def takes(self, pod: Pod) -> bool:
        """Tells whether a pod is his business."""


class Recorder:
    """Watches the store and keeps one row per submitted pod, and how nodes came and went.

    Pods that come bound with the cluster use it like any other, but are nobody's submission: they are `residents`.
    """

    def __init__(self, store: Store, clock: Clock, tell: Callable[[int], None] | None = None) -> None:
        self.rows: list[PodRow] = []
        self.nodes: list[Node] = []
        self.node_changes: list[NodeChange] = []
        self.features = Features()
        self.gpus: GpuUse | None = None  # in runs that share GPUs
        self.finished_pods = 0
        self.end: Nanoseconds = 0
        self._clock = clock
        self._store = store
        self._tell = tell
        self._rows: dict[str, PodRow] = {}
        self._residents: dict[str, PodRow] = {}
        self.residents: list[PodRow] = []
        self._schedulers: Sequence[tuple[str, Responsible]] = ()
        self._responsible: dict[str, str] = {}  # by the pods' schedulerName
        store.subscribe(
            NODE,
            added=lambda new: self.node_changed(None, new),
            modified=self.node_changed,
            deleted=lambda old: self.node_changed(old, None),
        )
        store.subscribe(POD, added=self.pod_added, modified=self.pod_modified, deleted=self.pod_deleted)

    def name_schedulers(self, schedulers: Sequence[tuple[str, Responsible]]) -> None:
        """Learns which schedulers are attached, so that each row can say who was responsible."""
        self._schedulers = schedulers
        self._responsible.clear()
        for pod in self._store.list(POD):
            if pod.uid in self._rows:
                self._rows[pod.uid].scheduler = self._scheduler_of(pod)

    def close(self, end: Nanoseconds) -> None:
        """Takes the last status of the pods that are still there; `end` is when the last thing happened."""
        for pod in self._store.list(POD):
            if pod.uid in self._rows:
                self._rows[pod.uid].take(pod)
            elif pod.uid in self._residents:
                self._residents[pod.uid].started = pod.started
        self.end = end

    # what the store tells

    def node_changed(self, old: Node | None, new: Node | None) -> None:
        """Notes a node that comes, changes or goes."""
        if old is None and new is not None:
            self.nodes.append(new)
        cpu = _allocatable(new, CPU) - _allocatable(old, CPU)
        memory = _allocatable(new, MEMORY) - _allocatable(old, MEMORY)
        self.node_changes.append(NodeChange(self._clock.now, cpu, memory, (new is not None) - (old is not None)))

    def pod_added(self, pod: Pod) -> None:
        """Opens a row."""
        self.features.note(pod.spec)
        row = PodRow(pod, self._clock.now, self._responsible.get(pod.scheduler_name) or self._scheduler_of(pod))
        if not pod.node_name:
            self._rows[pod.uid] = row
            self.rows.append(row)
        elif not pod.finished:
            row.scheduled = self._clock.now
            self._residents[pod.uid] = row
            self.residents.append(row)

    def pod_modified(self, old: Pod, new: Pod) -> None:
        """Notes a binding or an end."""
        if new.phase is not old.phase and new.phase in ENDS:
            if old.phase not in ENDS:
                self._ended(new)
        elif not old.node_name and new.node_name:
            row = self._rows.get(new.uid)
            if row is not None:
                row.node = new.node_name
                row.scheduled = self._clock.now

    def pod_deleted(self, pod: Pod) -> None:
        """Closes a row; a pod that goes before its end has failed."""
        if pod.phase not in ENDS:
            self._ended(pod)
            row = self._rows.get(pod.uid)
            if row is not None:
                row.phase = FAILED
                row.reason = pod.reason or "Deleted"
        self._rows.pop(pod.uid, None)

    def _ended(self, pod: Pod) -> None:
        row = self._rows.get(pod.uid)
        if row is None:
            resident = self._residents.pop(pod.uid, None)
            if resident is not None:
                resident.started, resident.finished = pod.started, self._clock.now
            return
        row.take(pod)
        row.finished = self._clock.now
        self.finished_pods += 1
        if self._tell is not None and self.finished_pods % _TELL_EVERY == 0:
            self._tell(self.finished_pods)

    def _scheduler_of(self, pod: Pod) -> str:
        """Finds out who is responsible for pods with this schedulerName: one of the schedulers, or nobody."""
        name = next((name for name, scheduler in self._schedulers if scheduler.takes(pod)), "")
        self._responsible[pod.scheduler_name] = name
        return name


def _allocatable(node: Node | None, resource: str) -> int:
    return node.allocatable.get(resource, 0) if node is not None else 0
