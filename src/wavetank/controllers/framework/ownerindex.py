from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.cluster.store.storedkinds import Watcher
from wavetank.controllers.framework.ownership import controller_of


class OwnerIndex:
    """All objects of one kind by the uid of their controller, updated from the store.

    It subscribes on first use and costs nothing before; no lookup scans all objects.
    """

    def __init__(self, store: Store, group_kind: str) -> None:
        self._store = store
        self._group_kind = group_kind
        self._owned: defaultdict[str, dict[str, Resource]] = defaultdict(dict)  # by owner
        self._orphans: defaultdict[str, dict[str, Resource]] = defaultdict(dict)  # by namespace
        self._watchers: dict[str, Watcher] = {}
        self._orphan_watchers: list[Callable[[Any], None]] = []
        self._awake = False

    def follow(self, owner_uid: str, watcher: Watcher) -> None:
        """Reports to `watcher` the objects of an owner (as added) and all their changes from now on."""
        self._wake()
        self._watchers[owner_uid] = watcher
        for each in list(self._owned.get(owner_uid, {}).values()):
            watcher.added(each)

    def unfollow(self, owner_uid: str) -> None:
        """Ends the reports about an owner's objects."""
        self._watchers.pop(owner_uid, None)

    def follow_orphans(self, seen: Callable[[Any], None]) -> None:
        """Calls `seen` with every object without a controller when it is created, released or relabelled."""
        self._wake()
        self._orphan_watchers.append(seen)

    def of(self, owner_uid: str) -> list[Any]:
        """Returns the objects of an owner, in order of creation."""
        self._wake()
        return list(self._owned.get(owner_uid, {}).values())

    def orphans(self, namespace: str) -> Iterator[Any]:
        """Yields the objects of a namespace without a controller."""
        self._wake()
        yield from list(self._orphans.get(namespace, {}).values())

    def _wake(self) -> None:
        if not self._awake:
            self._awake = True
            self._store.subscribe(self._group_kind, self)
            for each in self._store.list(self._group_kind):
                self.added(each)

    # events

    def added(self, new: Resource) -> None:
        """Adds an object."""
        owner = _owner(new)
        if not owner:
            self._orphans[new.namespace][new.uid] = new
            self._tell_of_orphan(new)
            return
        self._owned[owner][new.uid] = new
        watcher = self._watchers.get(owner)
        if watcher is not None:
            watcher.added(new)

    def modified(self, old: Resource, new: Resource) -> None:
        """Replaces an object by its new version, whose owner may have changed."""
        owner = _owner(new)
        if old.manifest is not new.manifest and _owner(old) != owner:
            self.deleted(old)
            self.added(new)
        elif owner:
            self._owned[owner][new.uid] = new
            watcher = self._watchers.get(owner)
            if watcher is not None:
                watcher.modified(old, new)
        else:
            self._orphans[new.namespace][new.uid] = new
            if old.labels is not new.labels and old.labels != new.labels:
                self._tell_of_orphan(new)

    def deleted(self, old: Resource) -> None:
        """Removes an object."""
        owner = _owner(old)
        if not owner:
            self._orphans[old.namespace].pop(old.uid, None)
            return
        owned = self._owned[owner]
        owned.pop(old.uid, None)
        if not owned:
            del self._owned[owner]
        watcher = self._watchers.get(owner)
        if watcher is not None:
            watcher.deleted(old)

    def _tell_of_orphan(self, each: Resource) -> None:
        for seen in self._orphan_watchers:
            seen(each)


def _owner(each: Resource) -> str:
    reference = controller_of(each)
    return str(reference.get("uid")) if reference is not None else ""
