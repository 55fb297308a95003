from __future__ import annotations

from collections.abc import Callable, Iterable

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.framework.selectorindex import SelectorIndex


class SelectedPods:
    """The pods that the selector of each object selects; `changed` is called with an object whose pods change.

    The labels of a pod are compared when it is created and when they change, not for each of its versions.
    """

    def __init__(
        self, store: Store, changed: Callable[[Key], None], selectors: Iterable[tuple[Key, LabelSelector]] = ()
    ) -> None:
        self._store = store
        self._changed = changed
        self._selectors = SelectorIndex()
        self._pods: dict[Key, dict[str, Pod]] = {}  # by object and uid
        self._selecting: dict[str, dict[Key, None]] = {}  # objects by the uid of a pod
        for key, selector in selectors:
            self._selectors.put(key, selector)
            self._pods[key] = {}
        for pod in store.list(POD):
            self._find_selecting(pod)
        store.subscribe(POD, added=self._added, modified=self._modified, deleted=self._deleted)

    def put(self, key: Key, selector: LabelSelector) -> None:
        """Adds an object or its new selector, and finds its pods."""
        if key in self._selectors and self._selectors.of(key) == selector:
            return
        self.drop(key)
        self._selectors.put(key, selector)
        self._pods[key] = {}
        for pod in self._store.list(POD):
            if pod.namespace == key[0] and selector.matches(pod.labels):
                self._select(key, pod)

    def drop(self, key: Key) -> None:
        """Removes an object, if it is there."""
        self._selectors.drop(key)
        for uid in self._pods.pop(key, ()):
            self._unselect(key, uid)

    def of(self, key: Key) -> list[Pod]:
        """Returns the pods that an object selects, in the order in which it has come to select them."""
        return list(self._pods.get(key, {}).values())

    def _select(self, key: Key, pod: Pod) -> None:
        self._pods[key][pod.uid] = pod
        self._selecting.setdefault(pod.uid, {})[key] = None

    def _unselect(self, key: Key, uid: str) -> None:
        keys = self._selecting[uid]
        del keys[key]
        if not keys:
            del self._selecting[uid]

    def _find_selecting(self, pod: Pod) -> None:
        for key in self._selectors.matching(pod.namespace, pod.labels):
            self._select(key, pod)

    # events

    def _added(self, new: Pod) -> None:
        self._find_selecting(new)
        self._tell_of(new)

    def _modified(self, old: Pod, new: Pod) -> None:
        if old.labels is not new.labels and old.labels != new.labels:
            self._deleted(old)
            self._added(new)
            return
        for key in self._selecting.get(new.uid, ()):
            self._pods[key][new.uid] = new
        self._tell_of(new)

    def _deleted(self, old: Pod) -> None:
        for key in self._selecting.pop(old.uid, ()):
            del self._pods[key][old.uid]
            self._changed(key)

    def _tell_of(self, pod: Pod) -> None:
        for key in self._selecting.get(pod.uid, ()):
            self._changed(key)
