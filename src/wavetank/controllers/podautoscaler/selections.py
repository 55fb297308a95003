from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from typing import Any

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.framework.selectorindex import SelectorIndex
from wavetank.kernel.durations import Nanoseconds


class Selection:
    """The pods that one autoscaler selects, by name.

    `computed` holds what was computed of them, until any of them changes; `versions` what was read of each version.
    """

    __slots__ = ("computed", "pods", "versions")

    def __init__(self) -> None:
        self.pods: dict[str, Pod] = {}
        self.computed: dict[Hashable, Any] = {}
        self.versions: dict[str, tuple[Pod, Any]] = {}

    def put(self, pod: Pod) -> None:
        """Takes in a pod or its new version."""
        self.pods[pod.name] = pod
        self.computed.clear()

    def drop(self, pod: Pod) -> None:
        """Drops a pod."""
        self.pods.pop(pod.name, None)
        self.versions.pop(pod.name, None)
        self.computed.clear()


class Selections:
    """The pods of each autoscaler, kept up to date from the store, so that a sync looks at no other pods.

    Which pods an autoscaler selects becomes known with its first sync.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._selectors = SelectorIndex()
        self._selections: dict[Key, Selection] = {}
        self._selecting: defaultdict[Key, dict[Key, None]] = defaultdict(dict)  # autoscalers by pod
        self._bound: dict[str, Nanoseconds] = {}  # by uid
        self._version = 0  # of all selectors
        store.subscribe(POD, added=self._pod_added, modified=self._pod_modified, deleted=self._pod_deleted)

    def forget(self, key: Key) -> None:
        """Forgets an autoscaler and what it selects."""
        self._drop(key)

    def select(self, key: Key, selector: LabelSelector) -> Selection:
        """Returns what an autoscaler selects; with another selector than before all pods are looked at once."""
        if key not in self._selectors or self._selectors.of(key) != selector:
            self._drop(key)
            self._selectors.put(key, selector)
            self._selections[key] = Selection()
            for pod in self._store.list(POD):
                if pod.namespace == key[0] and selector.matches(pod.labels):
                    self._put(key, pod)
        return self._selections[key]

    def rivals(self, key: Key) -> list[Key]:
        """Returns all autoscalers that select some pod of this one, itself included; none if it has no pods."""
        selection = self._selections[key]
        rivals: list[Key]
        version, rivals = selection.computed.get("rivals", (-1, []))
        if version != self._version:
            rivals = sorted({other for name in selection.pods for other in self._selecting[key[0], name]})
            selection.computed["rivals"] = (self._version, rivals)
        return rivals

    def bound(self, pod: Pod) -> Nanoseconds | None:
        """Returns since when a pod is on its node, None if it came there before it was selected."""
        return self._bound.get(pod.uid)

    def _drop(self, key: Key) -> None:
        self._version += 1
        selection = self._selections.pop(key, None)
        if selection is not None:
            self._selectors.drop(key)
            for name in selection.pods:
                self._unmark((key[0], name), key)

    def _put(self, key: Key, pod: Pod) -> None:
        self._selections[key].put(pod)
        self._selecting[pod.key][key] = None

    def _unmark(self, pod: Key, key: Key) -> None:
        keys = self._selecting[pod]
        del keys[key]
        if not keys:
            del self._selecting[pod]

    # what the store tells

    def _pod_added(self, new: Pod) -> None:
        for key in self._selectors.matching(new.namespace, new.labels):
            self._put(key, new)

    def _pod_modified(self, old: Pod, new: Pod) -> None:
        if old.labels is not new.labels and old.labels != new.labels:
            self._leave(old)
            self._pod_added(new)
            return
        for key in self._selecting.get(new.key, ()):
            self._selections[key].put(new)
            if new.node_name and not old.node_name:
                self._bound[new.uid] = self._store.clock.now

    def _pod_deleted(self, old: Pod) -> None:
        self._bound.pop(old.uid, None)
        self._leave(old)

    def _leave(self, old: Pod) -> None:
        for key in self._selecting.pop(old.key, ()):
            self._selections[key].drop(old)
