"""The informers of the scheduler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavetank.cluster.objects.groupkinds import PRIORITY_CLASS
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.volcano import POD_GROUPS, QUEUES
from wavetank.cluster.store.store import Store
from wavetank.scheduling.framework.listers import TABLES, Listers
from wavetank.scheduling.volcano.model.cache import Cache

Wake = Callable[[], None]
_PRIORITY_CLASSES = PRIORITY_CLASS


class _Informer:
    """Keeps one kind of objects up to date, and wakes the scheduler at every change."""

    def __init__(self, keep: Callable[[Any], None], drop: Callable[[Any], None], wake: Wake) -> None:
        self._keep = keep
        self._drop = drop
        self._wake = wake

    def added(self, new: Resource) -> None:
        self._keep(new)
        self._wake()

    def modified(self, old: Resource, new: Resource) -> None:
        self._keep(new)
        self._wake()

    def deleted(self, old: Resource) -> None:
        self._drop(old)
        self._wake()


class _PodInformer(_Informer):
    """Passes on the pods that are on a node, bound by any scheduler, and the pending ones of this scheduler."""

    def __init__(self, cache: Cache, takes: Callable[[Pod], bool], wake: Wake) -> None:
        super().__init__(cache.set_pod, cache.remove_pod, wake)
        self._takes = takes

    def added(self, new: Resource) -> None:
        assert isinstance(new, Pod)
        if new.node_name or self._takes(new):
            super().added(new)

    def modified(self, old: Resource, new: Resource) -> None:
        self.added(new)


def follow_cluster(store: Store, cache: Cache, listers: Listers, takes: Callable[[Pod], bool], wake: Wake) -> None:
    """Fills a cache and listers with what is there, and keeps them up to date."""
    followed: dict[str, _Informer] = {
        "Node": _Informer(cache.set_node, cache.remove_node, wake),
        QUEUES: _Informer(cache.set_queue, cache.remove_queue, wake),
        POD_GROUPS: _Informer(cache.set_group, cache.remove_group, wake),
        _PRIORITY_CLASSES: _Informer(cache.set_class, cache.remove_class, wake),
        **{table: _Informer(listers.set, listers.remove, wake) for table in TABLES},
        "Pod": _PodInformer(cache, takes, wake),
    }
    for table, informer in followed.items():
        store.subscribe(table, informer)
        for resource in store.list(table):
            informer.added(resource)
