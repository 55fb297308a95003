"""The kinds of a store: their objects, and what is called when these change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.cluster.objects.resource import Resource

Key = tuple[str, str]

Call = Callable[..., None]
Calls = tuple[Call, ...]


class Watcher(Protocol):
    """Is called on every change of one kind, in the order of the changes."""

    def added(self, new: Any) -> None:
        """Handles a new object."""

    def modified(self, old: Any, new: Any) -> None:
        """Handles a new version of an object."""

    def deleted(self, old: Any) -> None:
        """Handles the deletion of an object, last seen as `old`."""


class Kind:
    """The present objects of one kind, and the functions to call when objects are added, modified and deleted."""

    __slots__ = ("added", "deleted", "modified", "objects")

    def __init__(self) -> None:
        self.objects: dict[Key, Resource] = {}
        self.added: Calls = ()
        self.modified: Calls = ()
        self.deleted: Calls = ()

    def watch(self, added: Call | None, modified: Call | None, deleted: Call | None) -> None:
        """Calls these from now on; None is never called."""
        self.added = self.added if added is None else (*self.added, added)
        self.modified = self.modified if modified is None else (*self.modified, modified)
        self.deleted = self.deleted if deleted is None else (*self.deleted, deleted)

    def unwatch(self, watcher: Watcher) -> None:
        """Calls the functions of a watcher no more."""
        self.added = tuple(call for call in self.added if call != watcher.added)
        self.modified = tuple(call for call in self.modified if call != watcher.modified)
        self.deleted = tuple(call for call in self.deleted if call != watcher.deleted)


class Kinds(dict[str, Kind]):
    """The kinds in use, by GroupKind; watchers in `everywhere` watch each new one."""

    def __init__(self) -> None:
        super().__init__()
        self.everywhere: list[Watcher] = []

    def __missing__(self, group_kind: GroupKind) -> Kind:
        kind = self[group_kind] = Kind()
        for watcher in self.everywhere:
            kind.watch(watcher.added, watcher.modified, watcher.deleted)
        return kind
