from __future__ import annotations

import time
from collections.abc import Callable

from wavetank.cluster.context import ActorContext
from wavetank.kernel.durations import SECOND

INTERVAL_S = 300  # as kube-apiserver's --etcd-compaction-interval
_LEAST_REAL_S = 270  # a cluster that runs fast keeps versions long enough for clients, which do not


class Compaction:
    """Compacts the store as kube-apiserver compacts etcd: every five minutes up to the version five minutes ago.

    Lists that continue at an older version are refused then, as in a real cluster. `real_time` is in seconds.
    """

    def __init__(self, context: ActorContext, real_time: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = context.store, context.clock
        self._real_time = real_time
        self._remember()

    def _remember(self) -> None:
        self._version, self._since = self._store.version, self._real_time()
        self._wait()

    def _wait(self) -> None:
        self._clock.after(INTERVAL_S * SECOND, self._tick, background=True)

    def _tick(self) -> None:
        if self._real_time() - self._since < _LEAST_REAL_S:
            self._wait()
            return
        self._store.compact(self._version)
        self._remember()
