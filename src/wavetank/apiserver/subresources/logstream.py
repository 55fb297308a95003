from __future__ import annotations

from collections.abc import Callable

from wavetank.apiserver.verbs.objects import KubeletReports
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import Nanoseconds

Line = tuple[Nanoseconds, str]
Write = Callable[[list[Line]], bytes]


class LogStream:
    """The log of a container as it is written, until the container ends."""

    def __init__(self, pod: Pod, container: str, reports: KubeletReports, write: Write) -> None:
        self.headers = [("content-type", "text/plain"), ("cache-control", "no-cache, private")]
        self.timeout_s: float | None = None
        self.notify: Callable[[], None] | None = None
        self.closed = False
        self._container = container
        self._reports = reports
        self._write = write
        self._run = pod.restarts
        lines = reports.log(pod, container, False)
        self._sent = len(lines)
        self._waiting = write(lines)

    def update(self, pod: Pod) -> None:
        """Adds the lines that a new version of the pod has."""
        lines = self._reports.log(pod, self._container, pod.restarts > self._run)
        self._waiting += self._write(lines[self._sent :])
        self._sent = len(lines)
        if pod.finished or pod.restarts > self._run:
            self.close()
        elif self.notify is not None:
            self.notify()

    def take(self) -> bytes:
        """Returns the pending lines, and forgets them."""
        taken, self._waiting = self._waiting, b""
        return taken

    def bookmark(self) -> None:
        """Does nothing: a log has no bookmarks."""

    def close(self) -> None:
        """Ends the stream; pending lines can still be taken."""
        self.closed = True
        if self.notify is not None:
            self.notify()


class LogFollowers:
    """The streams of followed logs; updated whenever their pod changes."""

    def __init__(self, store: Store) -> None:
        self._streams: dict[str, list[LogStream]] = {}
        store.subscribe(POD, modified=self._modified, deleted=self._deleted)

    def add(self, pod: Pod, stream: LogStream) -> None:
        """Keeps a stream up to date until it is closed."""
        present = [other for other in self._streams.get(pod.uid, ()) if not other.closed]
        self._streams[pod.uid] = [*present, stream]

    def _modified(self, old: Pod, new: Pod) -> None:
        for stream in self._streams.get(new.uid, ()):
            if not stream.closed:
                stream.update(new)
        if new.finished:
            self._streams.pop(new.uid, None)

    def _deleted(self, old: Pod) -> None:
        for stream in self._streams.pop(old.uid, ()):
            stream.close()
