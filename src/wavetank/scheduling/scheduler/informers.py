"""The informers of a scheduler: they pass on events of the store, in its order."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from wavetank.cluster.objects.pod import ENDS, Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.scheduling.framework.events import OBJECT_EVENTS, ClusterEvent
from wavetank.scheduling.framework.listers import Listers

if TYPE_CHECKING:
    from wavetank.scheduling.scheduler.scheduler import Scheduler


class ObjectInformer:
    """Keeps the listers up to date with one kind of objects, and requeues the pods that a change may help."""

    def __init__(self, listers: Listers, scheduler: Scheduler, table: str) -> None:
        self._listers = listers
        self._scheduler = scheduler
        self._events = OBJECT_EVENTS.get(table, (None, None, None))

    def added(self, new: Resource) -> None:
        """Passes on a new object."""
        if self._scheduler.heavy_work.postpone(partial(self.added, new)):
            return
        self._listers.set(new)
        self._tell(self._events[0], None, new)

    def modified(self, old: Resource, new: Resource) -> None:
        """Passes on a new version."""
        if self._scheduler.heavy_work.postpone(partial(self.modified, old, new)):
            return
        self._listers.set(new)
        self._tell(self._events[1], old, new)

    def deleted(self, old: Resource) -> None:
        """Passes on a deletion."""
        if self._scheduler.heavy_work.postpone(partial(self.deleted, old)):
            return
        self._listers.remove(old)
        self._tell(self._events[2], old, None)

    def _tell(self, event: ClusterEvent | None, old: Resource | None, new: Resource | None) -> None:
        self._scheduler.table.version += 1
        if event is not None:
            self._scheduler.receive(self._scheduler.queue.move, event, old, new)


class NodeInformer:
    """Passes events of nodes to a scheduler."""

    def __init__(self, scheduler: Scheduler) -> None:
        event_handlers = scheduler.event_handlers
        self.added = partial(scheduler.receive, event_handlers.node_added)
        self.modified = partial(scheduler.receive, event_handlers.node_modified)
        self.deleted = partial(scheduler.receive, event_handlers.node_deleted)


class PodInformer:
    """Passes events of pods to a scheduler, except those of finished pods."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.added = partial(scheduler.receive, scheduler.event_handlers.pod_added)
        self._scheduler = scheduler

    def modified(self, old: Pod, new: Pod) -> None:
        """Passes on a new version."""
        if new.node_name:
            self._scheduler.receive_update(old, new)
        else:
            self._scheduler.receive(self._scheduler.event_handlers.pod_modified, old, new)

    def deleted(self, old: Pod) -> None:
        """Passes on a deletion."""
        if old.phase not in ENDS:
            self._scheduler.receive(self._scheduler.event_handlers.pod_deleted, old)
