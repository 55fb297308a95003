from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from wavetank.batchoperator.client.remote.connection import JSON, UnreachableError
from wavetank.cluster.store.errors import ApiError
from wavetank.realclusters.client.client import CONNECTIONS, ApiClient

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 2.0
_BUSY = (429, 500, 503, 504)


@dataclass(frozen=True, slots=True)
class Request:
    """A request that is to be sent."""

    method: str
    path: str
    body: object = None
    content_type: str = JSON


Make = Callable[[], Sequence[Request]]


class Outbox:
    """Requests that are sent one after the other for each key, and side by side for different keys.

    What is put for a key replaces what has not been sent for it yet, and is made when its turn comes: a server that is
    slow or away gets the latest state only. Requests are repeated until the server answers; `refused` is called with
    those that it does not accept. Urgent keys are sent before others, but take at most every second turn while both
    wait, so that a slow server gets some of each.
    """

    def __init__(
        self, client: ApiClient, refused: Callable[[Hashable, Request, ApiError], None], workers: int = CONNECTIONS
    ) -> None:
        self._client = client
        self._refused = refused
        self._workers = workers
        self._makes: dict[Hashable, Make] = {}  # not sent yet
        self._active: set[Hashable] = set()
        self._queues: tuple[deque[Hashable], deque[Hashable]] = (deque(), deque())  # urgent, others
        self._last_was_urgent = False
        self._waiting = asyncio.Semaphore(0)

    def put(self, key: Hashable, make: Make, urgent: bool = False) -> None:
        """Sends what `make` returns, as soon as there is a connection."""
        is_queued = key in self._makes
        self._makes[key] = make
        if not is_queued and key not in self._active:
            self._queue(key, urgent)

    @property
    def idle(self) -> bool:
        """Tells whether everything was sent."""
        return not self._makes and not self._active

    async def run(self) -> None:
        """Sends requests until it is cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._workers):
                group.create_task(self._work())

    def _queue(self, key: Hashable, urgent: bool) -> None:
        self._queues[0 if urgent else 1].append(key)
        self._waiting.release()

    async def _work(self) -> None:
        while True:
            await self._waiting.acquire()
            urgent = self._is_turn_of_urgent()
            key = self._queues[0 if urgent else 1].popleft()
            self._active.add(key)
            try:
                for request in self._makes.pop(key)():
                    await self._deliver(key, request)
            finally:
                self._active.discard(key)
            if key in self._makes:
                self._queue(key, urgent)

    def _is_turn_of_urgent(self) -> bool:
        if all(self._queues):
            self._last_was_urgent = not self._last_was_urgent
            return self._last_was_urgent
        return bool(self._queues[0])

    async def _deliver(self, key: Hashable, request: Request) -> None:
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                await self._client.request(request.method, request.path, request.body, request.content_type)
            except ApiError as error:
                if isinstance(error, UnreachableError) or error.code in _BUSY:
                    await asyncio.sleep(pause_s)
                    pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
                    continue
                self._refused(key, request, error)
            return
