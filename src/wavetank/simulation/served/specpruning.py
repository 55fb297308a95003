from __future__ import annotations

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store

_EVERY = 1_000  # deleted pods


class SpecPruner:
    """Forgets the specs of deleted pods now and then: a server may run for ever, and all its pods may differ."""

    def __init__(self, store: Store, every: int = _EVERY) -> None:
        self._store = store
        self._every = every
        self._deleted = 0
        store.subscribe(POD, deleted=self._pod_deleted)

    def _pod_deleted(self, old: Pod) -> None:
        self._deleted += 1
        if self._deleted >= self._every:
            self._deleted = 0
            self._store.specs.keep_only(pod.spec for pod in self._store.list(POD))
