from __future__ import annotations

from collections.abc import Callable
from functools import partial

from wavetank.cluster.store.errors import ApiError
from wavetank.kernel.clock import Clock, Timer
from wavetank.kernel.durations import SECOND, Nanoseconds

Key = tuple[str, str]  # (namespace, name)

# Of client-go's rate limiter: the delay after the first failure, doubled with each further one, and its maximum.
FIRST_RETRY: Nanoseconds = SECOND // 200
LAST_RETRY: Nanoseconds = 1000 * SECOND


class WorkQueue:
    """A work queue of object keys: a key that is added several times is processed once.

    Keys are processed by the clock at the current instant, after the event that added them has reached all watchers. If
    the API refuses a request (ApiError) the key is retried with exponential back-off, `retries` times at most: after
    `first`, twice that, and so on up to `longest`. Retries are background timers, which do not keep a run going.
    """

    def __init__(
        self,
        clock: Clock,
        work: Callable[[Key], None],
        retries: int | None = None,
        first: Nanoseconds = FIRST_RETRY,
        longest: Nanoseconds = LAST_RETRY,
    ) -> None:
        self._clock = clock
        self._work = work
        self._retries = retries
        self._first = first
        self._longest = longest
        self._asked: set[Key] = set()
        self._later: dict[Key, Timer] = {}
        self._failures: dict[Key, int] = {}

    def add(self, key: Key) -> None:
        """Adds a key to be processed now."""
        if key not in self._asked:
            self._asked.add(key)
            self._clock.soon(partial(self._do, key))

    def add_after(self, key: Key, delay: Nanoseconds, background: bool = False) -> None:
        """Adds a key to be processed after a delay; the earliest of several delays counts.

        `background`: a run need not wait for it.
        """
        due = self._clock.now + delay
        planned = self._later.get(key)
        if planned is not None:
            if planned.due <= due and (background or not planned.background):
                return
            due, background = min(due, planned.due), background and planned.background
            planned.cancel()
        self._later[key] = self._clock.at(due, partial(self._wake, key), background=background)

    def _wake(self, key: Key) -> None:
        del self._later[key]
        self.add(key)

    def _do(self, key: Key) -> None:
        self._asked.discard(key)
        try:
            self._work(key)
        except ApiError:
            self._try_again(key)
        else:
            if self._failures:
                self._failures.pop(key, None)

    def _try_again(self, key: Key) -> None:
        failures = self._failures.get(key, 0)
        if self._retries is not None and failures >= self._retries:
            del self._failures[key]
            return
        self._failures[key] = failures + 1
        self.add_after(key, min(self._first << min(failures, 20), self._longest), background=True)
