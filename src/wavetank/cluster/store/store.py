from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import CUSTOM_RESOURCE_DEFINITION, GroupKind
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.resourcenames import RESOURCE_NAMES, custom_name
from wavetank.cluster.store.errors import (
    AlreadyExistsError,
    ConflictError,
    ExpiredError,
    InvalidError,
    NotFoundError,
)
from wavetank.cluster.store.history import ADDED, DELETED, MODIFIED, Event, History
from wavetank.cluster.store.patch import merge_patch
from wavetank.cluster.store.storedkinds import Call, Calls, Key, Kind, Kinds, Watcher
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND

_GRACE = "deletionGracePeriodSeconds"

_Untold = tuple[Iterator[Call], Any, Any]  # the calls that are left, the old version, the new one


class Store:
    """Holds the present version of every object, numbers all writes, and notifies watchers of each.

    A write takes effect at once and is answered at once. Watchers of one kind are called in the order of their
    subscription; a write made inside such a call is delivered after the present one has reached every watcher.
    Writers that state a resource version (an object they read before) get a ConflictError if it is no longer current.
    """

    def __init__(self, clock: Clock, history: int | History = 0) -> None:
        self.clock = clock
        self.version = 0
        self._reserved = 0  # uids that were given away in advance
        self.specs = SpecTable()
        self._kinds = Kinds()
        self._begun: dict[str, Kind] = {}  # those that have had objects, in that order
        self._history = History(history) if isinstance(history, int) else history
        self._compacted = 0
        self._untold: deque[_Untold] = deque()
        self._telling = False

    # reading

    def get(self, group_kind: GroupKind, namespace: str, name: str) -> Resource:
        """Returns the present version of an object; NotFoundError if there is none."""
        found = self.find(group_kind, namespace, name)
        if found is None:
            raise NotFoundError(f'{self.resource_name(group_kind)} "{name}" not found')
        return found

    def find(self, group_kind: GroupKind, namespace: str, name: str) -> Resource | None:
        """Returns the present version of an object, or None."""
        kind = self._kinds.get(group_kind)
        return None if kind is None else kind.objects.get((namespace, name))

    def objects(self, group_kind: GroupKind) -> Mapping[Key, Any]:
        """Returns the objects of a kind by (namespace, name): always the present ones, for frequent reads."""
        return self._kinds[group_kind].objects

    def list(self, group_kind: GroupKind) -> Iterator[Any]:
        """Yields every object of a kind, in the order of creation; writes meanwhile do not disturb it."""
        yield from list(self.objects(group_kind).values())

    def at(self, group_kind: GroupKind, version: int) -> Iterable[Resource]:
        """Returns every object of a kind as it was at a resource version; ExpiredError if that is no longer kept."""
        if version < self._compacted:
            raise ExpiredError(f"required revision has been compacted: {version} ({self._compacted})")
        objects = dict(self.objects(group_kind))
        for event in reversed(list(self.events_since(version, group_kind))):
            if event.old is None:
                del objects[event.resource.key]
            else:
                objects[event.resource.key] = event.old
        return objects.values()

    def compact(self, version: int) -> None:
        """Refuses to list objects at versions before this one, as a compacted etcd; watchers may resume from them."""
        self._compacted = version

    def has(self, group_kind: GroupKind) -> bool:
        """Returns whether there is any object of a kind."""
        kind = self._kinds.get(group_kind)
        return kind is not None and bool(kind.objects)

    def resource_name(self, group_kind: GroupKind) -> str:
        """Returns what the API calls the objects of a kind: pods, networkpolicies.networking.k8s.io.

        Custom kinds are named by their definitions in the store; a kind without one, by its GroupKind.
        """
        known = RESOURCE_NAMES.get(group_kind)
        return known or custom_name(group_kind, self.list(CUSTOM_RESOURCE_DEFINITION)) or group_kind

    @property
    def next_uid(self) -> str:
        """Returns the uid that the next new object gets, if it is created before anything else is written."""
        return _uid(self.version + 1)

    def reserve_uid(self) -> str:
        """Returns a uid that no other object gets, for an object that is created later."""
        self._reserved += 1
        return f"{self._reserved:08x}-0000-4000-9000-000000000000"

    def is_first(self, resource: Resource) -> bool:
        """Returns whether a version is the one with which its object began."""
        return resource.uid == _uid(resource.resource_version)

    def subscribe(
        self,
        group_kind: GroupKind,
        watcher: Watcher | None = None,
        *,
        added: Callable[[Any], None] | None = None,
        modified: Callable[[Any, Any], None] | None = None,
        deleted: Callable[[Any], None] | None = None,
    ) -> None:
        """Calls `watcher`, or the given functions, on every change of this kind from now on.

        Without a watcher, changes for which there is no function cost nothing.
        """
        if watcher is not None:
            added, modified, deleted = watcher.added, watcher.modified, watcher.deleted
        self._kinds[group_kind].watch(added, modified, deleted)

    def unsubscribe(self, group_kind: GroupKind, watcher: Watcher) -> None:
        """Calls a watcher no more; changes that are being delivered may still reach it."""
        self._kinds[group_kind].unwatch(watcher)

    def subscribe_all(self, watcher: Watcher) -> None:
        """Calls `watcher` on every change of every kind from now on."""
        for kind in self._kinds.values():
            kind.watch(watcher.added, watcher.modified, watcher.deleted)
        self._kinds.everywhere.append(watcher)

    def group_kinds(self) -> Iterator[str]:
        """Yields the kinds of which there are objects."""
        yield from [group_kind for group_kind, kind in self._begun.items() if kind.objects]

    def events_since(self, version: int, group_kind: GroupKind | None = None) -> Iterator[Event]:
        """Yields the kept events after a resource version; ExpiredError if some are no longer kept."""
        return self._history.since(version, self.version, group_kind)

    def skip_to(self, version: int) -> None:
        """Goes on with a higher version, and forgets the writes before: no watcher can resume from an older one."""
        self.version = version
        self._history.forget(version)

    @property
    def reserved_uids(self) -> int:
        """Returns how many uids were given away in advance."""
        return self._reserved

    def restore(self, objects: Iterable[Resource], version: int, reserved_uids: int) -> None:
        """Fills an empty store with objects as they were at a version, without telling watchers, and goes on there."""
        for each in objects:
            kind = self._kinds[each.group_kind]
            self._begun[each.group_kind] = kind
            kind.objects[each.namespace, each.name] = each
        self._reserved = reserved_uids
        self.skip_to(version)

    # writing

    def create(self, new: Resource) -> None:
        """Adds an object; AlreadyExistsError if its name is taken."""
        group_kind, key = new.group_kind, (new.namespace, new.name)
        kind = self._kinds[group_kind]
        if key in kind.objects:
            raise AlreadyExistsError(f'{self.resource_name(group_kind)} "{new.name}" already exists')
        if not kind.objects:
            self._begun[group_kind] = kind
        self.version = new.resource_version = self.version + 1
        new.created = self.clock.now
        new.uid = new.uid or _uid(self.version)
        kind.objects[key] = new
        if self._history.capacity:
            self._history.remember(ADDED, group_kind, new, None, self.version)
        self._tell(kind.added, None, new)

    def update(self, new: Resource) -> None:
        """Replaces an object by a new version made from the present one.

        ConflictError if `new` was made from an older version, NotFoundError if the object is deleted.
        """
        kind = self._kinds[new.group_kind]
        old = kind.objects.get((new.namespace, new.name))
        if old is None or old.uid != new.uid:
            old = self._same(kind, new)
        if new.resource_version != old.resource_version:
            problem = "the object has been modified; apply your changes to it"
            raise ConflictError(f'{new.group_kind} "{new.name}": {problem}')
        self._replace(kind, old, new)

    def patch(self, group_kind: GroupKind, namespace: str, name: str, patch: Mapping[str, Any]) -> Resource:
        """Applies a JSON merge patch to the rendered object and returns its new version."""
        old = self.get(group_kind, namespace, name)
        patched = merge_patch(old.render(), patch)
        new = parse_resource(patched, self.specs)
        if (new.group_kind, new.key) != (old.group_kind, old.key):
            problem = "its kind, metadata.name and metadata.namespace cannot be changed"
            raise InvalidError(f'{group_kind} "{name}": {problem}')
        stated = patched["metadata"].get("resourceVersion", str(old.resource_version))
        if str(stated) != str(old.resource_version):
            raise ConflictError(f'{group_kind} "{name}": the present version is {old.resource_version}, not {stated}')
        new.uid, new.created, new.deleted = old.uid, old.created, old.deleted
        if isinstance(new, Pod) and isinstance(old, Pod):
            new.behavior, new.restarts, new.started = old.behavior, old.restarts, old.started
        self._replace(self._kinds[group_kind], old, new)
        return new

    def bind(self, pod: Pod, node_name: str) -> None:
        """Assigns a pod to a node, as the binding subresource does.

        NotFoundError if the pod is deleted; ConflictError if it was replaced, is bound already or is being deleted.
        """
        kind = self._kinds[pod.group_kind]
        old = self._same(kind, pod)
        assert isinstance(old, Pod)
        if old.node_name:
            raise ConflictError(f'pod {pod.name} is already assigned to node "{old.node_name}"')
        if old.deleted is not None or old.gates:
            why = "is being deleted, cannot be assigned to a host" if not old.gates else "has scheduling gates"
            raise ConflictError(f"pod {pod.name} {why}")
        self._replace(kind, old, self.bound(old, node_name))

    def bound(self, old: Pod, node_name: str) -> Pod:
        """Returns the version of a pod that has come to a node."""
        new = old.copy()
        new.node_name = node_name
        new.unschedulable = new.nominated_node = ""
        return new

    def delete(self, old: Resource) -> None:
        """Removes an object at once; NotFoundError if it is deleted already, ConflictError if it was replaced."""
        kind = self._kinds[old.group_kind]
        present = self._same(kind, old)
        self.version += 1
        del kind.objects[old.namespace, old.name]
        if self._history.capacity:
            self._history.remember(DELETED, old.group_kind, present, present, self.version)
        self._tell(kind.deleted, present, None)

    def discard(self, old: Resource) -> None:
        """Removes an object at once unless finalizers keep it: then it is marked, and goes with the last of them."""
        metadata = old.manifest.get("metadata")
        if not metadata or not metadata.get("finalizers"):
            self.delete(old)
            return
        kind = self._kinds[old.group_kind]
        present = self._same(kind, old)
        if present.deleted is None or metadata.get(_GRACE):
            new = present.copy()
            new.deleted = self.clock.now
            new.manifest = {**present.manifest, "metadata": {**metadata, _GRACE: 0}}
            self._replace(kind, present, new)

    def evict(
        self, pod: Pod, reason: str, grace_s: int | None = None, condition: Mapping[str, Any] | None = None
    ) -> None:
        """Asks a pod to stop, with `reason` in its status; it stays until its node has stopped it.

        `condition` is added to its status, in place of one of the same type.
        It is removed at once if no kubelet runs it: unbound, finished, or with no grace period.
        """
        kind = self._kinds[pod.group_kind]
        present = self._same(kind, pod)
        assert isinstance(present, Pod)
        grace = present.spec.grace_s if grace_s is None else grace_s
        stays = present.deleted is None and grace and present.node_name and not present.finished
        if not stays and grace and present.deleted is not None:
            return  # it is stopping
        if stays or (reason and not present.reason):
            new = present.copy()
            new.reason = new.reason or reason
            if condition is not None:
                new.manifest = _with_condition(new.manifest, condition)
            if stays:
                new.deleted = self.clock.now + grace * SECOND
                new.manifest = {**new.manifest, "metadata": {**(new.manifest.get("metadata") or {}), _GRACE: grace}}
            self._replace(kind, present, new)
            present = new
        if not stays:
            self.discard(present)

    def _same(self, kind: Kind, old: Resource) -> Resource:
        present = kind.objects.get((old.namespace, old.name))
        if present is None:
            raise NotFoundError(f'{self.resource_name(old.group_kind)} "{old.name}" not found')
        if present.uid != old.uid:
            raise ConflictError(f'{old.group_kind} "{old.name}": the uid is {present.uid}, not {old.uid}')
        return present

    def _replace(self, kind: Kind, old: Resource, new: Resource) -> None:
        self.version = new.resource_version = self.version + 1
        kind.objects[new.namespace, new.name] = new
        if self._history.capacity:
            self._history.remember(MODIFIED, new.group_kind, new, old, self.version)
        self._tell(kind.modified, old, new)

    def _tell(self, watching: Calls, old: Resource | None, new: Resource | None) -> None:
        """Calls the watchers; inside such a call, after the present change has reached all of them."""
        if self._telling:
            self._untold.append((iter(watching), old, new))
            return
        calls = iter(watching)
        untold = self._untold
        if untold:  # a watcher has failed before all were called
            untold.append((calls, old, new))
            calls, old, new = untold.popleft()
        self._telling = True
        try:
            while True:
                if old is None:
                    for call in calls:
                        call(new)
                elif new is None:
                    for call in calls:
                        call(old)
                else:
                    for call in calls:
                        call(old, new)
                if not untold:
                    return
                calls, old, new = untold.popleft()
        except BaseException:
            untold.appendleft((calls, old, new))  # the others are called with the next write
            raise
        finally:
            self._telling = False


def _with_condition(manifest: Mapping[str, Any], condition: Mapping[str, Any]) -> dict[str, Any]:
    status = manifest.get("status") or {}
    others = [each for each in status.get("conditions") or () if each.get("type") != condition["type"]]
    return {**manifest, "status": {**status, "conditions": [*others, condition]}}


def _uid(version: int) -> str:
    return f"{version:08x}-0000-4000-8000-000000000000"
