from __future__ import annotations

from dataclasses import dataclass

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import SUCCEEDED, Pod
from wavetank.cluster.objects.volcano import GROUP_NAME
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.k8ssim.kubelets import JOB_LABEL
from wavetank.simulation.observer import Observer


@dataclass(slots=True)
class TaskRow:
    """The record of one task; times since the start of the run, None = never."""

    pod: Pod
    bound: Nanoseconds | None = None
    ended: Nanoseconds | None = None

    @property
    def job(self) -> str:
        """Returns the job that the task belongs to."""
        return self.pod.labels.get(JOB_LABEL) or self.group

    @property
    def group(self) -> str:
        """Returns the pod group that the task belongs to."""
        return self.pod.annotations.get(GROUP_NAME) or self.pod.name

    @property
    def succeeded(self) -> bool:
        """Whether the task succeeded."""
        return self.pod.phase == SUCCEEDED


class TaskLedger(Observer):
    """Keeps one row per pod of a run, for K8sSim's tables; `unfinished` counts the pods that have not ended."""

    def __init__(self) -> None:
        self.rows: dict[str, TaskRow] = {}
        self.unfinished = 0

    def join(self, context: ActorContext) -> None:
        """Watches pods."""
        self._clock = context.clock
        context.store.subscribe(POD, added=self._added, modified=self._modified, deleted=self._deleted)

    def _added(self, new: Pod) -> None:
        self.rows[new.uid] = TaskRow(new)
        self.unfinished += not new.finished

    def _modified(self, old: Pod, new: Pod) -> None:
        row = self.rows[new.uid]
        row.pod = new
        if new.node_name and not old.node_name:
            row.bound = self._clock.now
        if new.finished and not old.finished:
            row.ended = self._clock.now
            self.unfinished -= 1

    def _deleted(self, old: Pod) -> None:
        self.unfinished -= not old.finished
