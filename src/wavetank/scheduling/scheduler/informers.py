"""What brings news of the cluster to a scheduler, in the order in which the store tells it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from wavetank.cluster.objects.pod import ENDS, Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.queue.events import OBJECT_EVENTS, ClusterEvent

if TYPE_CHECKING:
    from wavetank.scheduling.scheduler.scheduler import Scheduler


class ObjectInformer:
    """Keeps the listers up to date with one kind of objects, and wakes the pods that a change may help."""

    def __init__(self, listers: Listers, scheduler: Scheduler, table: str) -> None:
        self._listers = listers
        self._scheduler = scheduler
        self._events = OBJECT_EVENTS.get(table, (None, None, None))

    def added(self, new: Resource) -> None:
        """Hands on a new object."""
        self._listers.set(new)
        self._tell(self._events[0], None, new)

    def modified(self, old: Resource, new: Resource) -> None:
        """Hands on a new version."""
        self._listers.set(new)
        self._tell(self._events[1], old, new)

    def deleted(self, old: Resource) -> None:
        """Hands on that an object is gone."""
        self._listers.remove(old)
        self._tell(self._events[2], old, None)

    def _tell(self, event: ClusterEvent | None, old: Resource | None, new: Resource | None) -> None:
        self._scheduler.table.version += 1
        if event is not None:
            self._scheduler.receive(self._scheduler.queue.move, event, old, new)


class NodeInformer:
    """Hands changes of nodes to a scheduler."""

    def __init__(self, scheduler: Scheduler) -> None:
        intake = scheduler.intake
        self.added = partial(scheduler.receive, intake.node_added)
        self.modified = partial(scheduler.receive, intake.node_modified)
        self.deleted = partial(scheduler.receive, intake.node_deleted)


class PodInformer:
    """Hands changes of pods to a scheduler, as far as they concern it: a finished pod does not."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.added = partial(scheduler.receive, scheduler.intake.pod_added)
        self._scheduler = scheduler

    def modified(self, old: Pod, new: Pod) -> None:
        """Hands on a new version."""
        if new.node_name:
            self._scheduler.overhear(old, new)
        else:
            self._scheduler.receive(self._scheduler.intake.pod_modified, old, new)

    def deleted(self, old: Pod) -> None:
        """Hands on that an object is gone."""
        if old.phase not in ENDS:
            self._scheduler.receive(self._scheduler.intake.pod_deleted, old)
