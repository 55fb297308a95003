from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from wavetank.cluster.context import ActorContext
from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import ENDS, FAILED, Pod
from wavetank.kernel.durations import Nanoseconds
from wavetank.results.recording.autoscalers import AutoscalerRecorder
from wavetank.results.recording.features import Features
from wavetank.results.recording.machines import MachineRecorder
from wavetank.results.recording.podrow import BoundPodRow, PodRow
from wavetank.results.recording.queues import QueueRecorder
from wavetank.simulation.observer import Observer, Responsible

if TYPE_CHECKING:
    from wavetank.results.recording.gpuuse import GpuUse
    from wavetank.results.recording.k8ssimtasks import TaskLedger

EVICTED = frozenset({"Evicted", "Preempted"})
_TELL_EVERY = 1000


class NodeChange(NamedTuple):
    """A change of the cluster's allocatable resources: a node was added, changed or deleted."""

    time: Nanoseconds
    cpu: int
    memory: int
    nodes: int


class NodeState(NamedTuple):
    """The state of a node from a time on."""

    time: Nanoseconds
    name: str
    ready: bool
    schedulable: bool


class Recorder(Observer):
    """Watches the store and records one row per pod, and the changes of nodes.

    Pods that are created bound, as those of a snapshot, are rows too: scheduled when they were created. `tell` is
    called now and then with the number of finished pods. `gpus` records runs that share GPUs, `tasks` those with
    K8sSim's nodes.
    """

    def __init__(
        self,
        tell: Callable[[int], None] | None = None,
        gpus: GpuUse | None = None,
        tasks: TaskLedger | None = None,
    ) -> None:
        self.rows: list[PodRow] = []
        self.nodes: list[Node] = []
        self.node_changes: list[NodeChange] = []
        self.node_states: list[NodeState] = []  # changes of nodes that have been ready
        self.features = Features()
        self.gpus = gpus
        self.tasks = tasks
        self.autoscalers = AutoscalerRecorder()
        self.machines = MachineRecorder()
        self.queues = QueueRecorder()
        self.finished_pods = 0
        self.end: Nanoseconds = 0
        self._tell = tell
        self._rows: dict[str, PodRow] = {}
        self._nodeless: defaultdict[str, list[BoundPodRow]] = defaultdict(list)  # by the node that does not exist
        self._ready_once: set[str] = set()
        self._schedulers: Sequence[tuple[str, Responsible]] = ()
        self._responsible: dict[str, str] = {}  # by the pods' schedulerName

    def join(self, context: ActorContext) -> None:
        """Watches nodes and pods, with the observers that are part of it."""
        self._clock = context.clock
        self._store = store = context.store
        store.subscribe(
            NODE,
            added=lambda new: self.node_changed(None, new),
            modified=self.node_changed,
            deleted=lambda old: self.node_changed(old, None),
        )
        store.subscribe(POD, added=self.pod_added, modified=self.pod_modified, deleted=self.pod_deleted)
        for part in (self.gpus, self.tasks, self.autoscalers, self.machines, self.queues):
            if part is not None:
                part.join(context)

    def attached(self, schedulers: Sequence[tuple[str, Responsible]]) -> None:
        """Sets the attached schedulers, so that each row can name the responsible one."""
        self._schedulers = schedulers
        self._responsible.clear()
        for pod in self._store.list(POD):
            if pod.uid in self._rows:
                self._rows[pod.uid].scheduler = self._scheduler_of(pod)

    def ended(self, time: Nanoseconds) -> None:
        """Copies the last status of the remaining pods."""
        for pod in self._store.list(POD):
            if pod.uid in self._rows:
                self._rows[pod.uid].take(pod)
        self.end = time

    # what the store tells

    def node_changed(self, old: Node | None, new: Node | None) -> None:
        """Records a node that is added, changed or deleted."""
        if old is None and new is not None:
            self.nodes.append(new)
            for row in self._nodeless.pop(new.name, ()):
                if row.finished is None:
                    row.place(new.name, self._clock.now)
        if old is not None and new is not None:
            self._note_state(old, new)
        cpu = _allocatable(new, CPU) - _allocatable(old, CPU)
        memory = _allocatable(new, MEMORY) - _allocatable(old, MEMORY)
        self.node_changes.append(NodeChange(self._clock.now, cpu, memory, (new is not None) - (old is not None)))

    def _note_state(self, old: Node, new: Node) -> None:
        """Records a node that fails, recovers, is cordoned or uncordoned; one that boots has not been ready yet."""
        if old.ready:
            self._ready_once.add(new.name)
        changed = (old.ready, old.unschedulable) != (new.ready, new.unschedulable)
        if changed and new.name in self._ready_once:
            self.node_states.append(NodeState(self._clock.now, new.name, new.ready, not new.unschedulable))

    def pod_added(self, pod: Pod) -> None:
        """Opens a row."""
        self.features.note(pod.spec)
        if pod.node_name:
            self._created_bound(pod)
            return
        row = PodRow(pod, self._clock.now, self._responsible.get(pod.scheduler_name) or self._scheduler_of(pod))
        self._rows[pod.uid] = row
        self.rows.append(row)

    def _created_bound(self, pod: Pod) -> None:
        """Opens a row for a pod of a snapshot, unless it has ended."""
        if pod.finished:
            return
        placed = self._store.find(NODE, "", pod.node_name) is not None
        row = self._rows[pod.uid] = BoundPodRow(pod, self._clock.now, self._scheduler_of(pod), placed)
        self.rows.append(row)
        if not placed:
            self._nodeless[pod.node_name].append(row)

    def pod_modified(self, old: Pod, new: Pod) -> None:
        """Records a binding or an end."""
        if new.phase is not old.phase and new.phase in ENDS:
            if old.phase not in ENDS:
                self._ended(new)
        elif not old.node_name and new.node_name:
            row = self._rows.get(new.uid)
            if row is not None:
                row.node = new.node_name
                row.scheduled = self._clock.now

    def pod_deleted(self, pod: Pod) -> None:
        """Closes a row; a pod that is deleted before its end has failed."""
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
            return
        row.take(pod)
        row.finished = self._clock.now
        self.finished_pods += 1
        if self._tell is not None and self.finished_pods % _TELL_EVERY == 0:
            self._tell(self.finished_pods)

    def _scheduler_of(self, pod: Pod) -> str:
        """Returns the scheduler that is responsible for pods with this schedulerName, "" for none."""
        name = next((name for name, scheduler in self._schedulers if scheduler.takes(pod)), "")
        self._responsible[pod.scheduler_name] = name
        return name


def _allocatable(node: Node | None, resource: str) -> int:
    return node.allocatable.get(resource, 0) if node is not None else 0
