from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import count
from typing import Any

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.selectorindex import SelectorIndex
from wavetank.kernel.durations import Nanoseconds

Key = tuple[str, str]


class PodSet:
    """The pods of a namespace that a selector selects; `version` changes with any of them."""

    __slots__ = ("computed", "pods", "version")

    def __init__(self) -> None:
        self.pods: dict[str, Pod] = {}
        self.version = 0
        self.computed: dict[Hashable, Any] = {}  # of one version

    def changed(self) -> None:
        """Notes that a pod has come, changed or gone."""
        self.version += 1
        self.computed.clear()

    def running(self) -> list[Pod]:
        """Returns the pods that run, terminating ones too."""
        return [pod for pod in self.pods.values() if pod.phase == RUNNING and pod.node_name]


class PodSets:
    """Sets of pods by selector, kept up to date from the store, so that no request reads all pods.

    It watches pods from the first request on: in a run without metrics it costs nothing.
    """

    def __init__(self, store: Store, ready_since: Callable[[Pod], Nanoseconds | None]) -> None:
        self._store = store
        self._ready_since = ready_since
        self._numbers = count()
        self._sets: dict[tuple[str, LabelSelector], PodSet] = {}
        self._by_key: dict[Key, PodSet] = {}
        self._index = SelectorIndex()
        self._sets_of: dict[Key, dict[PodSet, None]] = {}  # by pod

    def of(self, namespace: str, selector: LabelSelector) -> PodSet:
        """Returns the pods that a selector selects; all pods are looked at when it is new."""
        known = self._sets.get((namespace, selector))
        if known is None:
            if not self._sets:
                self._store.subscribe(POD, added=self._added, modified=self._modified, deleted=self._deleted)
            known = self._sets[namespace, selector] = PodSet()
            key = (namespace, str(next(self._numbers)))
            self._by_key[key] = known
            self._index.put(key, selector)
            for pod in self._store.list(POD):
                if pod.namespace == namespace and selector.matches(pod.labels):
                    self._put(known, pod)
        return known

    def serves(self, pod: Pod) -> bool:
        """Tells whether a pod has its part of a total load: it is ready and not being deleted."""
        return pod.deleted is None and self._ready_since(pod) is not None

    def serving(self, pods: PodSet, measured_at: Nanoseconds) -> int:
        """Returns how many pods of a set had their part of a total load at a time."""
        starts: list[Nanoseconds] | None = pods.computed.get("serving")
        if starts is None:
            starts = pods.computed["serving"] = sorted(start_of(pod) for pod in pods.running() if self.serves(pod))
        if starts and starts[-1] > measured_at:
            return sum(start <= measured_at for start in starts)
        return len(starts)

    def _put(self, pods: PodSet, pod: Pod) -> None:
        pods.pods[pod.name] = pod
        pods.changed()
        self._sets_of.setdefault(pod.key, {})[pods] = None

    # what the store tells

    def _added(self, new: Pod) -> None:
        for key in self._index.matching(new.namespace, new.labels):
            self._put(self._by_key[key], new)

    def _modified(self, old: Pod, new: Pod) -> None:
        if old.labels is not new.labels and old.labels != new.labels:
            self._deleted(old)
            self._added(new)
            return
        for pods in self._sets_of.get(new.key, ()):
            pods.pods[new.name] = new
            pods.changed()

    def _deleted(self, old: Pod) -> None:
        for pods in self._sets_of.pop(old.key, ()):
            pods.pods.pop(old.name, None)
            pods.changed()


def start_of(pod: Pod) -> Nanoseconds:
    """Returns when a running pod has started."""
    return pod.created if pod.started is None else pod.started
