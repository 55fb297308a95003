from __future__ import annotations

from collections.abc import Callable

from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.context import ControllerContext


class PodChanges:
    """Calls `changed` when something happens to a pod that its owner has to react to.

    While `is_calm` returns True, nothing waits for pods to become ready, and their readiness is ignored.
    """

    def __init__(self, context: ControllerContext, changed: Callable[[], None], is_calm: Callable[[], bool]) -> None:
        self._ready_since = context.ready_since
        self._changed = changed
        self._is_calm = is_calm
        self._ready: dict[str, int | None] = {}

    def added(self, new: Pod) -> None:
        """Reports a new pod."""
        self._ready[new.uid] = self._ready_since(new)
        self._changed()

    def modified(self, old: Pod, new: Pod) -> None:
        """Reports a pod whose phase, readiness, labels or deletion has changed; not one that was only bound."""
        ready = self._ready_since(new)
        same = ready == self._ready.get(new.uid) and new.phase is old.phase and new.deleted == old.deleted
        if same and new.labels is old.labels:
            return
        self._ready[new.uid] = ready
        if new.deleted is not None or new.finished or new.labels is not old.labels or not self._is_calm():
            self._changed()

    def deleted(self, old: Pod) -> None:
        """Reports a deleted pod."""
        self._ready.pop(old.uid, None)
        self._changed()
