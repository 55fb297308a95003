from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from wavetank.apiserver.codec import canonical
from wavetank.apiserver.errors import StatusError, expired, version_too_large
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.requests.media import PROTOBUF
from wavetank.apiserver.requests.negotiation import Representation
from wavetank.apiserver.requests.protobufwriter import watch_event
from wavetank.apiserver.verbs.objects import Document, Objects
from wavetank.apiserver.verbs.options import ListOptions, parse_version
from wavetank.apiserver.waiting import in_slices
from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.errors import ExpiredError
from wavetank.cluster.store.history import ADDED, DELETED, MODIFIED, Event

_LARGEST_BACKLOG = 64 * 1024 * 1024  # bytes that may wait for a client that does not read, beyond the first events
_INITIAL_END = {"k8s.io/initial-events-end": "true"}

WatchEvent = tuple[str, Resource, int]  # type, object, and the resource version that it shows


@dataclass(frozen=True, slots=True)
class Watch:
    """Which events a client wants, and in which representation."""

    kind: Kind
    namespace: str
    options: ListOptions
    representation: Representation


class WatchStream:
    """The pending events of one watch, as newline-delimited JSON or as protobuf messages after their lengths.

    The transport calls `take` after each `notify`, until nothing is left and the stream is `closed`. A client that
    leaves too much unread is cut off, so that it delays no other client; it has to list again.
    """

    def __init__(self, watch: Watch, objects: Objects, forget: Callable[[WatchStream], None]) -> None:
        self.watch = watch
        self.headers = [("content-type", watch.representation.stream_type), ("cache-control", "no-cache, private")]
        self.timeout_s = float(watch.options.timeout_s) if watch.options.timeout_s else None
        self.notify: Callable[[], None] | None = None
        self.closed = False
        self.after = 0
        self._objects = objects
        self._forget = forget
        self._waiting: list[bytes] = []
        self._size = 0
        self._sent = False

    def take(self) -> bytes:
        """Returns the pending events, and forgets them."""
        taken = b"".join(self._waiting)
        self._waiting.clear()
        self._size = 0
        return taken

    def bookmark(self) -> None:
        """Adds a bookmark at the current resource version, if the client allows them."""
        if self.watch.options.bookmarks and not self.closed:
            self.push(self._bookmark({}))

    def close(self) -> None:
        """Ends the watch; pending events can still be taken."""
        if not self.closed:
            self.closed = True
            self._forget(self)
            self._wake()

    def push(self, line: bytes) -> None:
        """Adds one encoded event."""
        if self._size > _LARGEST_BACKLOG:
            self._waiting.clear()
            self.close()
            return
        self._waiting.append(line)
        self._size += len(line)
        if len(self._waiting) == 1:
            self._wake()

    def send(self, event: WatchEvent, written: dict[Any, bytes]) -> None:
        """Adds one event; `written` holds what was already encoded for other watches."""
        key = (self.watch.kind.api_version, self.watch.representation, event[0], event[2], self._sent)
        if key not in written:
            written[key] = self._write(event)
        self._sent = True
        self.push(written[key])

    def send_initial(self, events: Iterator[WatchEvent]) -> None:
        """Adds the initial events, however many there are."""
        for event in in_slices(events):
            self._waiting.append(self._write(event))
            self._sent = True
        self._wake()

    def end_initial_events(self) -> None:
        """Adds the bookmark that ends the initial events, if the client allows bookmarks."""
        if self.watch.options.bookmarks:
            self.push(self._bookmark(_INITIAL_END))

    def send_error(self, error: StatusError) -> None:
        """Adds an error and ends the watch."""
        self.push(self.watch.representation.encode_event("ERROR", error.status))
        self.close()

    def _write(self, event: WatchEvent) -> bytes:
        what, resource, version = event
        kind, representation = self.watch.kind, self.watch.representation
        if not representation.convert and version == resource.resource_version:
            if representation.media_type == PROTOBUF:
                return watch_event(what, self._objects.encode_protobuf(kind, resource))
            return b'{"type":"%s","object":%s}\n' % (what.encode(), self._objects.encode(kind, resource))
        document = self._objects.show(kind, resource, version)
        return self._encode_event(what, document)

    def _encode_event(self, what: str, document: Document) -> bytes:
        shown = self.watch.representation.object(self.watch.kind, document, self._objects.now, headers=not self._sent)
        return self.watch.representation.encode_event(what, shown)

    def _bookmark(self, annotations: Document) -> bytes:
        metadata: Document = {"resourceVersion": str(self._objects.store.version)}
        if annotations:
            metadata["annotations"] = annotations
        kind = self.watch.kind
        head = {"kind": kind.kind, "apiVersion": kind.api_version}
        line = self._encode_event("BOOKMARK", {**canonical(kind.schema, {}), **head, "metadata": metadata})
        self._sent = True
        return line

    def _wake(self) -> None:
        if self.notify is not None:
            self.notify()


class Broadcaster:
    """Sends each change of one kind's objects to the watches of that kind; each representation is encoded once.

    Changes are read from the store's history, which knows the resource versions of deletions.
    """

    def __init__(self, objects: Objects, group_kind: GroupKind, oldest: int) -> None:
        self._objects = objects
        self._store = objects.store
        self._group_kind = group_kind
        self._oldest = oldest
        self._seen = objects.store.version
        self._streams: dict[WatchStream, None] = {}
        self._closings = 0
        objects.store.subscribe(
            group_kind,
            added=lambda _: self._dispatch(),
            modified=lambda *_: self._dispatch(),
            deleted=lambda _: self._dispatch(),
        )

    def open(self, watch: Watch) -> WatchStream:
        """Starts a watch."""
        options = watch.options
        asked = parse_version(options.version)
        stream = WatchStream(watch, self._objects, self._drop)
        closings = self._closings
        self._dispatch()
        if options.initial_events:
            self._send_initial(stream, asked)
        elif asked:
            self._resume(stream, asked)
        stream.after = max(asked, self._store.version)
        if not stream.closed:
            self._streams[stream] = None
        if (options.timeout_s is not None and options.timeout_s < 0) or self._closings > closings:
            stream.close()
        return stream

    def _send_initial(self, stream: WatchStream, asked: int) -> None:
        if asked > self._store.version:
            stream.send_error(version_too_large(asked, self._store.version))
            return
        watch = stream.watch
        present = self._store.version
        found = self._objects.sorted(watch.kind, watch.namespace)
        chosen = (each for _, each in found if self._objects.selected(watch.kind, watch.options, each))
        stream.send_initial((ADDED, resource, resource.resource_version) for resource in chosen)
        self._replay(stream, present)
        if not stream.closed:
            stream.end_initial_events()

    def _resume(self, stream: WatchStream, asked: int) -> None:
        if asked < self._oldest:
            stream.send_error(expired(f"too old resource version: {asked} ({self._oldest})"))
        else:
            self._replay(stream, asked)

    def _replay(self, stream: WatchStream, after: int) -> None:
        """Sends what happened after a version; the event loop may go on meanwhile, and more may happen."""
        while after < self._store.version:
            present = self._store.version
            try:
                events = list(self._store.events_since(after, self._group_kind))
            except ExpiredError as error:
                stream.send_error(expired(str(error)))
                return
            seen = (self._watch_event(stream.watch, event) for event in events)
            stream.send_initial(event for event in seen if event is not None)
            after = present

    def _dispatch(self) -> None:
        """Sends what has happened since the last dispatch."""
        seen, self._seen = self._seen, self._store.version
        if not self._streams:
            return
        try:
            events = self._store.events_since(seen, self._group_kind)
        except ExpiredError as error:  # so much was written at once that the history does not hold it
            for stream in list(self._streams):
                stream.send_error(expired(str(error)))
            return
        for event in events:
            written: dict[Any, bytes] = {}
            for stream in list(self._streams):
                if event.version > stream.after:
                    seen_by_watch = self._watch_event(stream.watch, event)
                    if seen_by_watch is not None:
                        stream.send(seen_by_watch, written)

    def _watch_event(self, watch: Watch, event: Event) -> WatchEvent | None:
        """Returns an event as a watch sees it: an object is added or deleted as it enters or leaves the selection."""
        new, version = event.resource, event.version
        if watch.namespace and new.namespace != watch.namespace:
            return None
        if watch.options.selects_all:
            return event.type, new, version
        is_selected = event.type != DELETED and self._objects.selected(watch.kind, watch.options, new)
        was_selected = event.old is not None and self._objects.selected(watch.kind, watch.options, event.old)
        if is_selected:
            return (MODIFIED if was_selected else ADDED), new, version
        if was_selected:
            assert event.old is not None
            return DELETED, event.old, version
        return None

    def close(self) -> None:
        """Ends all watches, those that are being opened as well."""
        self._closings += 1
        for stream in list(self._streams):
            stream.close()

    def _drop(self, stream: WatchStream) -> None:
        self._streams.pop(stream, None)


class Watches:
    """All watches, by kind."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._oldest = objects.store.version
        self._broadcasters: dict[str, Broadcaster] = {}

    def open(self, watch: Watch) -> WatchStream:
        """Starts a watch."""
        group_kind = self._objects.stored(watch.kind).group_kind
        if group_kind not in self._broadcasters:
            self._broadcasters[group_kind] = Broadcaster(self._objects, group_kind, self._oldest)
        return self._broadcasters[group_kind].open(watch)

    def close(self, group_kind: GroupKind) -> None:
        """Ends the watches of a kind that is no longer served, or served in another way."""
        if group_kind in self._broadcasters:
            self._broadcasters[group_kind].close()
