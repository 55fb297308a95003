"""Streams of changes for any client: Server-Sent Events, or the same events over a WebSocket."""

from __future__ import annotations

from collections.abc import Callable, Collection

from wavetank.batchoperator.esi.broadcast import BOOKMARK, TOPICS, Broadcast, Change, Topic
from wavetank.batchoperator.esi.mailbox import Mailbox
from wavetank.errors import InputError

_LONGEST_S = 30 * 24 * 3600.0  # of a stream: schedulers wait for days
_SYNCED = b'{"action":"%s"}' % BOOKMARK.encode()


class EventStream(Mailbox):
    """A stream of Server-Sent Events; fits `apiserver.requests.stream.Stream`."""

    def __init__(self, broadcast: Broadcast, kinds: Collection[str]) -> None:
        super().__init__()
        self.headers = [("content-type", "text/event-stream"), ("cache-control", "no-store")]
        self.timeout_s: float | None = _LONGEST_S
        self._unsubscribe = follow(broadcast, kinds, lambda event: self.put(b"data: %b\n\n" % event))

    def take(self) -> bytes:
        """Returns the pending events."""
        return b"".join(self.take_all())

    def bookmark(self) -> None:
        """Adds a comment, so that proxies keep the connection."""
        self.put(b":\n\n")

    def close(self) -> None:
        """Ends the stream."""
        self._unsubscribe()
        super().close()


def follow(broadcast: Broadcast, kinds: Collection[str], send: Callable[[bytes], None]) -> Callable[[], None]:
    """Sends the present resources as ADDED, a BOOKMARK, then every change; the returned function ends it."""

    def deliver(change: Change) -> None:
        send(change.event)

    for change in broadcast.present(kinds):
        deliver(change)
    send(_SYNCED)
    ends = [broadcast.subscribe(Topic(kind), deliver) for kind in kinds]

    def unsubscribe() -> None:
        for end in ends:
            end()

    return unsubscribe


def read_kinds(values: Collection[str]) -> Collection[str]:
    """Reads the query parameter `topic`, which may be repeated or have commas; none means all."""
    kinds = [kind for value in values for kind in value.split(",")]
    for kind in kinds:
        if kind not in TOPICS:
            raise InputError(f"expected {', '.join(TOPICS)}, not {kind[:40]!r}", path="topic")
    return kinds or TOPICS
