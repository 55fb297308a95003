"""The stream of what the page shows: first everything, then what has changed, as rows in lines of JSON.

A page would need a watch for each kind, and a browser opens six connections to a server. So all kinds share one stream.
Changes are gathered for a moment, and of an object that changed often only its present state is sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Any

import msgspec

from wavetank.apiserver.waiting import in_slices
from wavetank.cluster.objects.groupkinds import EVENT, NODE, POD, GroupKind
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import EPOCH_SECONDS, Resource
from wavetank.cluster.store.store import Store
from wavetank.cluster.store.storedkinds import Key
from wavetank.kernel.durations import SECOND
from wavetank.ui.rows import SCALERS, WORKLOADS, Row, event_row, is_shown, node_row, pod_row, scaler_row, workload_row

_KINDS = (NODE, POD, *WORKLOADS, *SCALERS, EVENT)
_PARTS = {NODE: "nodes", POD: "pods", EVENT: "events", **dict.fromkeys(WORKLOADS, "workloads")}
_EVENTS = 300  # Events that a new page gets; it shows no more
_PAUSE_S = 0.05  # between two lines, wall time
_MOST_ROWS = 1000  # in a line but the first
_LONGEST_S = 30 * 24 * 3600.0


class ClusterFeed:
    """Follows a store, and tells the open pages which objects have changed.

    The store is watched from the first page on: a server without one pays nothing.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._watched: Store | None = None
        self._streams: set[FeedStream] = set()

    def open(self) -> FeedStream:
        """Returns the stream of a new page; what it begins with is collected in slices, if the caller may wait."""
        if self._watched is not self._store:
            self._watch()
        stream = FeedStream(self._store, self._streams.discard)
        self._streams.add(stream)
        stream.begin()
        return stream

    def follow(self, store: Store) -> None:
        """Follows another store from now on; open pages end and come back."""
        self._store = store
        for stream in list(self._streams):
            stream.close()

    def _watch(self) -> None:
        self._watched = self._store
        for group_kind in _KINDS:
            self._store.subscribe(group_kind, _KindWatcher(group_kind, self._streams))


class _KindWatcher:
    """Notes the changed objects of one kind in every stream."""

    def __init__(self, group_kind: GroupKind, streams: Collection[FeedStream]) -> None:
        self._group_kind = group_kind
        self._streams = streams

    def added(self, new: Resource) -> None:
        """Notes a new object."""
        for stream in self._streams:
            stream.note(self._group_kind, new.key)

    def modified(self, old: Resource, new: Resource) -> None:
        """Notes a changed object."""
        self.added(new)

    def deleted(self, old: Resource) -> None:
        """Notes a deleted object."""
        self.added(old)


class FeedStream:
    """The stream of one page; fits `apiserver.requests.stream.Stream`.

    A page that does not read costs no memory but the names of the objects that have changed.
    """

    def __init__(self, store: Store, ended: Callable[[FeedStream], None]) -> None:
        self.headers = [("content-type", "application/jsonl"), ("cache-control", "no-store")]
        self.timeout_s: float | None = _LONGEST_S
        self.notify: Callable[[], None] | None = None
        self.closed = False
        self._store = store
        self._ended = ended
        self._changed: dict[GroupKind, dict[Key, None]] = {}
        self._first = b""
        self._planned = False

    def note(self, group_kind: GroupKind, key: Key) -> None:
        """Notes that an object has changed; the page gets it a moment later."""
        self._changed.setdefault(group_kind, {})[key] = None
        if not self._planned and not self.closed:
            self._plan(_PAUSE_S)

    def _plan(self, delay_s: float) -> None:
        self._planned = True
        asyncio.get_running_loop().call_later(delay_s, self._wake)

    def begin(self) -> None:
        """Collects everything, for the first line; what changes meanwhile comes in the next one."""
        self._first = self._line(dict(self._everything()) | {"reset": True})

    def take(self) -> bytes:
        """Returns everything at first, then what has changed since, as one line; nothing if it is too early."""
        if self._first:
            first, self._first = self._first, b""
            return first
        if self._planned or not self._changed:
            return b""
        return self._line(self._rows_of(self._take_changed()))

    def _take_changed(self) -> dict[GroupKind, dict[Key, None]]:
        """Returns the changed objects; if there are many, some of them, and the others in the next line."""
        taken: dict[GroupKind, dict[Key, None]] = {}
        left = _MOST_ROWS
        for group_kind, keys in list(self._changed.items()):
            taken[group_kind] = dict.fromkeys(islice(keys, left))
            left -= len(taken[group_kind])
            for key in taken[group_kind]:
                del keys[key]
            if keys:
                self._plan(0.0)
                break
            del self._changed[group_kind]
        return taken

    def bookmark(self) -> None:
        """Adds nothing: the page asks for the clock, which keeps the connection alive."""

    def close(self) -> None:
        """Ends the stream."""
        self.closed = True
        self._ended(self)
        if self.notify is not None:
            self.notify()

    def _wake(self) -> None:
        self._planned = False
        if self.notify is not None:
            self.notify()

    def _line(self, parts: dict[str, Any]) -> bytes:
        return msgspec.json.encode({"now": self._store.clock.now / SECOND + EPOCH_SECONDS, **parts}) + b"\n"

    def _everything(self) -> Iterator[tuple[str, list[Row]]]:
        store = self._store
        workloads = [each for kind in WORKLOADS for each in store.list(kind)]
        yield "nodes", [node_row(node) for node in in_slices(store.list(NODE))]
        yield "pods", [pod_row(pod, store) for pod in in_slices(store.list(POD))]
        yield "workloads", [workload_row(each) for each in in_slices(workloads) if is_shown(each)]
        yield "scalers", [scaler_row(each) for kind in SCALERS for each in in_slices(store.list(kind))]
        events = sorted(store.list(EVENT), key=lambda event: event.resource_version)
        yield "events", [event_row(event) for event in events[-_EVENTS:]]

    def _rows_of(self, changed: dict[GroupKind, dict[Key, None]]) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        for group_kind, keys in changed.items():
            part, gone = _PARTS.get(group_kind, "scalers"), []
            rows: list[Row] = parts.setdefault(part, [])
            for key in list(keys)[-_EVENTS:] if group_kind == EVENT else keys:
                found = self._store.find(group_kind, *key)
                if found is None:
                    gone.append([group_kind.partition(".")[0], *key])
                elif part != "workloads" or is_shown(found):
                    rows.append(self._row(part, found))
            if gone and part != "events":
                parts.setdefault("gone", {}).setdefault(part, []).extend(gone)
        return parts

    def _row(self, part: str, found: Resource) -> Row:
        if isinstance(found, Pod):
            return pod_row(found, self._store)
        if isinstance(found, Node):
            return node_row(found)
        return {"workloads": workload_row, "scalers": scaler_row, "events": event_row}[part](found)
