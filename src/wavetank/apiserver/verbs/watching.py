from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from wavetank.apiserver.codec import canonical
from wavetank.apiserver.errors import StatusError, expired, version_too_large
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.requests.negotiation import Representation
from wavetank.apiserver.verbs.objects import Document, Objects
from wavetank.apiserver.verbs.options import ListOptions, parse_version
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ExpiredError
from wavetank.cluster.store.history import ADDED, DELETED, MODIFIED, Event

_LARGEST_BACKLOG = 64 * 1024 * 1024  # bytes that may wait for a client that does not read, beyond the first events
_INITIAL_END = {"k8s.io/initial-events-end": "true"}

Line = tuple[str, Resource, int]  # what a watcher is told: the type, the object, and the version that it shows


@dataclass(frozen=True, slots=True)
class Watch:
    """What a client wants to be told of, and how."""

    kind: Kind
    namespace: str
    options: ListOptions
    representation: Representation


class WatchStream:
    """The events of one watch that wait to be sent, as newline-delimited JSON.

    Whoever carries it to the client calls `take` after each `notify`, until it is empty and `closed`. A client that
    leaves too much unread is cut off: it lists again, and nobody else waits for it.
    """

    def __init__(self, watch: Watch, objects: Objects, forget: Callable[[WatchStream], None]) -> None:
        self.watch = watch
        self.headers = [("content-type", watch.representation.media_type), ("cache-control", "no-cache, private")]
        self.timeout_s = float(watch.options.timeout_s) if watch.options.timeout_s else None
        self.notify: Callable[[], None] | None = None
        self.closed = False
        self.after = 0
        self._objects = objects
        self._forget = forget
        self._waiting: list[bytes] = []
        self._size = 0
        self._told = False

    def take(self) -> bytes:
        """Returns what is waiting, and forgets it."""
        taken = b"".join(self._waiting)
        self._waiting.clear()
        self._size = 0
        return taken

    def bookmark(self) -> None:
        """Adds a bookmark at the present version, if the client likes them."""
        if self.watch.options.bookmarks and not self.closed:
            self.push(self._bookmark({}))

    def close(self) -> None:
        """Ends the watch; what waits can still be taken."""
        if not self.closed:
            self.closed = True
            self._forget(self)
            self._wake()

    def push(self, line: bytes) -> None:
        """Adds one event, already written."""
        if self._size > _LARGEST_BACKLOG:
            self._waiting.clear()
            self.close()
            return
        self._waiting.append(line)
        self._size += len(line)
        if len(self._waiting) == 1:
            self._wake()

    def tell(self, line: Line, written: dict[Any, bytes]) -> None:
        """Adds one event; `written` holds what others that want the same have written already."""
        key = (self.watch.kind.api_version, self.watch.representation, line[0], line[2], self._told)
        if key not in written:
            written[key] = self._write(line)
        self._told = True
        self.push(written[key])

    def begin(self, lines: Iterator[Line]) -> None:
        """Adds the first events, however many there are."""
        for line in lines:
            self._waiting.append(self._write(line))
            self._told = True
        self._wake()

    def end_beginning(self) -> None:
        """Tells the client that the first events are over, if it likes bookmarks."""
        if self.watch.options.bookmarks:
            self.push(self._bookmark(_INITIAL_END))

    def fail(self, error: StatusError) -> None:
        """Adds an error and ends the watch."""
        self.push(msgspec.json.encode({"type": "ERROR", "object": error.status}) + b"\n")
        self.close()

    def _write(self, line: Line) -> bytes:
        what, resource, version = line
        kind, representation = self.watch.kind, self.watch.representation
        if not representation.convert and version == resource.resource_version:
            return b'{"type":"%s","object":%s}\n' % (what.encode(), self._objects.encode(kind, resource))
        document = self._objects.show(kind, resource, version)
        return self._line(what, document)

    def _line(self, what: str, document: Document) -> bytes:
        shown = self.watch.representation.object(self.watch.kind, document, self._objects.now, headers=not self._told)
        return msgspec.json.encode({"type": what, "object": shown}) + b"\n"

    def _bookmark(self, annotations: Document) -> bytes:
        metadata: Document = {"resourceVersion": str(self._objects.store.version)}
        if annotations:
            metadata["annotations"] = annotations
        kind = self.watch.kind
        head = {"kind": kind.kind, "apiVersion": kind.api_version}
        line = self._line("BOOKMARK", {**canonical(kind.schema, {}), **head, "metadata": metadata})
        self._told = True
        return line

    def _wake(self) -> None:
        if self.notify is not None:
            self.notify()


class Hub:
    """Tells the watches of one table of the store of each change; each representation is written once for all.

    Changes are read from the store's history, which knows the versions of deletions.
    """

    def __init__(self, objects: Objects, table: str, oldest: int) -> None:
        self._objects = objects
        self._store = objects.store
        self._table = table
        self._oldest = oldest
        self._seen = objects.store.version
        self._streams: dict[WatchStream, None] = {}
        objects.store.subscribe(table, self)

    def added(self, new: Any) -> None:
        """Tells of a new object."""
        self._tell()

    def modified(self, old: Any, new: Any) -> None:
        """Tells of a new version of an object."""
        self._tell()

    def deleted(self, old: Any) -> None:
        """Tells that an object is gone."""
        self._tell()

    def open(self, watch: Watch) -> WatchStream:
        """Begins a watch."""
        options, present = watch.options, self._store.version
        asked = parse_version(options.version)
        stream = WatchStream(watch, self._objects, self._drop)
        self._tell()
        if options.initial_events:
            self._begin(stream, asked)
        elif asked:
            self._resume(stream, asked)
        stream.after = max(asked, present)
        if not stream.closed:
            self._streams[stream] = None
        if options.timeout_s is not None and options.timeout_s < 0:
            stream.close()
        return stream

    def _begin(self, stream: WatchStream, asked: int) -> None:
        if asked > self._store.version:
            stream.fail(version_too_large(asked, self._store.version))
            return
        watch = stream.watch
        found = self._objects.sorted(watch.kind, watch.namespace)
        chosen = (each for _, each in found if self._objects.selected(watch.options, each))
        stream.begin((ADDED, resource, resource.resource_version) for resource in chosen)
        stream.end_beginning()

    def _resume(self, stream: WatchStream, asked: int) -> None:
        try:
            if asked < self._oldest:
                raise ExpiredError(f"too old resource version: {asked} ({self._oldest})")
            events = self._store.events_since(asked, self._table)
        except ExpiredError as error:
            stream.fail(expired(str(error)))
            return
        lines = (self._line(stream.watch, event) for event in events)
        stream.begin(line for line in lines if line is not None)

    def _tell(self) -> None:
        """Tells all watches what has happened since they were told last."""
        seen, self._seen = self._seen, self._store.version
        if not self._streams:
            return
        for event in self._store.events_since(seen, self._table):
            written: dict[Any, bytes] = {}
            for stream in list(self._streams):
                if event.version > stream.after:
                    line = self._line(stream.watch, event)
                    if line is not None:
                        stream.tell(line, written)

    def _line(self, watch: Watch, event: Event) -> Line | None:
        """Returns what a watcher is told of an event: objects come and go as they enter and leave the selection."""
        new, version = event.resource, event.version
        if watch.namespace and new.namespace != watch.namespace:
            return None
        if watch.options.selects_all:
            return event.type, new, version
        is_selected = event.type != DELETED and self._objects.selected(watch.options, new)
        was_selected = event.old is not None and self._objects.selected(watch.options, event.old)
        if is_selected:
            return (MODIFIED if was_selected else ADDED), new, version
        if was_selected:
            assert event.old is not None
            return DELETED, event.old, version
        return None

    def close(self) -> None:
        """Ends all watches."""
        for stream in list(self._streams):
            stream.close()

    def _drop(self, stream: WatchStream) -> None:
        self._streams.pop(stream, None)


class Watches:
    """All watches, by the tables of the store that they are about."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._oldest = objects.store.version
        self._hubs: dict[str, Hub] = {}

    def open(self, watch: Watch) -> WatchStream:
        """Begins a watch."""
        table = self._objects.stored(watch.kind).group_kind
        if table not in self._hubs:
            self._hubs[table] = Hub(self._objects, table, self._oldest)
        return self._hubs[table].open(watch)

    def close(self, table: str) -> None:
        """Ends the watches of a table, whose kind is not served any more or not in the same way."""
        if table in self._hubs:
            self._hubs[table].close()
