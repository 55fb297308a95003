from __future__ import annotations

import threading
import time
from collections.abc import Callable

from wavetank.batchoperator.client.remote.client import RemoteClient
from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND, Nanoseconds

_LONGEST_WAIT_S = 0.5  # after which it is seen that the loop should stop


class RealTimeLoop:
    """Runs what was made with `clock` and a client over HTTP, by the time of this machine.

    Handlers of changes and timers of the clock run in the thread of the loop while it holds `client.lock`; another
    thread that uses the client holds the lock, too. Nothing runs before all watched kinds have been listed.
    """

    def __init__(self, client: RemoteClient) -> None:
        self.client = client
        self.clock = Clock(_now())
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Runs until `stop`."""
        while not self._stopped.is_set():
            self.client.wait(self._patience_s())
            with self.client.lock:
                self.client.deliver()
                if self.client.synced:
                    self.clock.run(max(_now(), self.clock.now))

    def _patience_s(self) -> float:
        with self.client.lock:
            due = self.clock.next_due() if self.client.synced else None
        return _LONGEST_WAIT_S if due is None else min(max((due - _now()) / SECOND, 0), _LONGEST_WAIT_S)

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Runs in a thread of its own; `failed` is called there if it fails."""

        def run() -> None:
            try:
                self.run()
            except Exception as error:
                failed(error)

        self._thread = threading.Thread(target=run, daemon=True, name="batch operator")
        self._thread.start()

    def stop(self) -> None:
        """Ends the loop, and waits for the thread that `start` has made."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()


def _now() -> Nanoseconds:
    """Returns the time of this machine on the scale of virtual time."""
    return time.time_ns() - EPOCH_SECONDS * SECOND
