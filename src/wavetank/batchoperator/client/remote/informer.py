from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from wavetank.batchoperator.client.remote.connection import Connection
from wavetank.cluster.store.errors import ApiError, ExpiredError, NotFoundError

# What an informer reports: SYNC with all objects of a list, then the types of watch events with one object.
SYNC = "SYNC"
Report = Callable[[str, Any], None]

_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 10.0


class Informer(threading.Thread):
    """Lists the objects of a path and watches them, in a thread of its own, for as long as the program runs.

    If the server cannot be reached it tries again after a pause, which grows up to ten seconds. `report` is called in
    this thread. A kind that is not served has no objects.
    """

    def __init__(self, connection: Connection, path: str, report: Report) -> None:
        super().__init__(daemon=True, name=f"informer {path}")
        self._connection = connection
        self._path = path
        self._report = report
        self._pause_s = _FIRST_PAUSE_S
        self._stopped = threading.Event()

    def run(self) -> None:
        """Follows the objects until `stop`."""
        try:
            self._run()
        finally:
            self._connection.close()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._follow(self._list())
            except NotFoundError:
                self._report(SYNC, [])
                self._stopped.wait(_LONGEST_PAUSE_S)
            except ApiError:
                self._stopped.wait(self._pause_s)
                self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)

    def stop(self) -> None:
        """Lets the thread end after its present request; an open watch has to be ended besides."""
        self._stopped.set()

    def _list(self) -> str:
        found = self._connection.request("GET", self._path)
        self._report(SYNC, found.get("items") or [])
        return str(found["metadata"]["resourceVersion"])

    def _follow(self, version: str) -> None:
        """Watches from a version on; returns when the list has to be read again."""
        while not self._stopped.is_set():
            began = time.monotonic()
            try:
                for event in self._connection.watch(self._path, version):
                    self._pause_s = _FIRST_PAUSE_S
                    version = str(event["object"]["metadata"]["resourceVersion"])
                    if event["type"] != "BOOKMARK":
                        self._report(event["type"], event["object"])
            except ExpiredError:
                return
            if time.monotonic() - began < _FIRST_PAUSE_S:  # a server that closes every watch at once
                self._stopped.wait(_FIRST_PAUSE_S)
