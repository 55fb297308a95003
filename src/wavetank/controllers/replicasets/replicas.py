from __future__ import annotations

from collections.abc import Callable, Mapping

from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.context import ControllerContext
from wavetank.kernel.durations import Nanoseconds


class Replicas:
    """The pods of one ReplicaSet, counted as they change, so that reading the counts is cheap.

    `changed` is called when a count may have changed.
    """

    def __init__(self, context: ControllerContext, changed: Callable[[], None]) -> None:
        self._ready_since = context.ready_since
        self._changed = changed
        self._labels: Mapping[str, str] = {}
        self.active: dict[str, Pod] = {}  # by uid
        self.terminating: set[str] = set()
        self._labelled: set[str] = set()
        self._ready: dict[str, Nanoseconds] = {}  # since when
        self._maturing: dict[str, Nanoseconds] = {}  # ready, but perhaps not for minReadySeconds
        self.unsure: dict[str, Pod] = {}  # pods whose labels are to be compared with the selector

    def expect(self, labels: Mapping[str, str]) -> None:
        """Sets the labels of the template."""
        if self._labels is not labels and self._labels != labels:
            self._labels = labels
            self._labelled = {uid for uid, pod in self.active.items() if self._is_labelled(pod)}

    # counts

    @property
    def labelled(self) -> int:
        """Returns how many pods have all labels of the template."""
        return len(self._labelled)

    @property
    def ready(self) -> int:
        """Returns how many pods are ready."""
        return len(self._ready)

    def available(self, now: Nanoseconds, after: Nanoseconds) -> int:
        """Returns how many pods have been ready for at least `after`, which must be the same in all calls."""
        for uid, since in list(self._maturing.items()):
            if since + after <= now:
                del self._maturing[uid]
        return len(self._ready) - len(self._maturing)

    @property
    def next_available(self) -> Nanoseconds | None:
        """Returns since when the pod is ready that becomes available next."""
        return min(self._maturing.values(), default=None)

    def reconsider(self) -> None:
        """Checks all ready pods for availability again: minReadySeconds has changed."""
        self._maturing = dict(self._ready)

    # events of the ReplicaSet's pods

    def added(self, new: Pod) -> None:
        """Counts a new pod."""
        self._count(new)
        self._changed()

    def modified(self, old: Pod, new: Pod) -> None:
        """Updates the counts."""
        uid = new.uid
        if new.deleted is old.deleted and new.phase is old.phase and new.labels is old.labels and uid in self.active:
            self.active[uid] = new
            if self._note_readiness(new):
                self._changed()
            return
        self._drop(uid)
        self._count(new)
        self._changed()

    def deleted(self, old: Pod) -> None:
        """Removes a pod from the counts."""
        self._drop(old.uid)
        self._changed()

    def _count(self, pod: Pod) -> None:
        if pod.deleted is not None:
            if not pod.finished:
                self.terminating.add(pod.uid)
        elif not pod.finished:
            self.active[pod.uid] = pod
            if pod.labels is not self._labels:
                self.unsure[pod.uid] = pod
            if self._is_labelled(pod):
                self._labelled.add(pod.uid)
            self._note_readiness(pod)

    def _drop(self, uid: str) -> None:
        if self.active.pop(uid, None) is None:
            self.terminating.discard(uid)
            return
        self._labelled.discard(uid)
        self.unsure.pop(uid, None)
        if self._ready.pop(uid, None) is not None:
            self._maturing.pop(uid, None)

    def _note_readiness(self, pod: Pod) -> bool:
        since, known = self._ready_since(pod), self._ready.get(pod.uid)
        if since == known:
            return False
        if since is None:
            del self._ready[pod.uid]
            self._maturing.pop(pod.uid, None)
        else:
            self._ready[pod.uid] = self._maturing[pod.uid] = since
        return True

    def _is_labelled(self, pod: Pod) -> bool:
        wanted, labels = self._labels, pod.labels
        return labels is wanted or all(labels.get(key) == value for key, value in wanted.items())
