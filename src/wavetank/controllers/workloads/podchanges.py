from __future__ import annotations

from collections.abc import Callable

from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.context import ControllerContext


class PodChanges:
    """Calls `changed` when something happens to a pod that its owner has to look at.

    Where `is_calm` says that nothing waits for pods to be ready, their starts are passed over.
    """

    def __init__(self, context: ControllerContext, changed: Callable[[], None], is_calm: Callable[[], bool]) -> None:
        self._ready_since = context.ready_since
        self._changed = changed
        self._is_calm = is_calm
        self._ready: dict[str, int | None] = {}

    def added(self, new: Pod) -> None:
        """Tells of a new pod."""
        self._ready[new.uid] = self._ready_since(new)
        self._changed()

    def modified(self, old: Pod, new: Pod) -> None:
        """Tells of a pod whose phase, readiness, labels or end are others; not of one that was bound."""
        ready = self._ready_since(new)
        same = ready == self._ready.get(new.uid) and new.phase is old.phase and new.deleted == old.deleted
        if same and new.labels is old.labels:
            return
        self._ready[new.uid] = ready
        if new.deleted is not None or new.finished or new.labels is not old.labels or not self._is_calm():
            self._changed()

    def deleted(self, old: Pod) -> None:
        """Tells of a pod that is gone."""
        self._ready.pop(old.uid, None)
        self._changed()
