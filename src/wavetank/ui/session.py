"""Going back in time: a served cluster is made again, and what clients wrote is repeated up to a point.

A simulation is deterministic. So the state before any write is that of a new cluster to which the same writes were made
at the same times, each after the same timers. Whether that is so is checked write by write.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from wavetank.apiserver.api import Api
from wavetank.apiserver.clock.pacing import Pacing
from wavetank.apiserver.errors import StatusError, bad_request, not_found
from wavetank.apiserver.requests.request import Request, Response, User
from wavetank.apiserver.requests.stream import Stream
from wavetank.apiserver.waiting import HEAVIEST, beside, run_beside, run_waiting
from wavetank.cluster.objects.groupkinds import MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting
from wavetank.ui.keptrequest import KeptRequest
from wavetank.ui.repeating import RepeatedEvents

Act = Callable[[ServedCluster], Response | Stream]
Title = Callable[[], str]  # made when it is asked for

_READS = ("GET", "HEAD", "OPTIONS")
_MOST_BYTES = 8 * 1024 * 1024  # of kept writes
_BYTES_PER_WRITE = 300  # besides its request, about
_MOST_LEFT = 3000  # objects in clusters that are needed no longer, before the loop stands still to free these
_EMPTY = 500  # objects that an empty cluster counts for
_UNLIKE = "this session cannot be repeated exactly, so the cluster stays as it is"


@dataclass(frozen=True, slots=True)
class Write:
    """A write of a client: when it came, after how many timers, what the store's version was, and what it does."""

    at: Nanoseconds
    steps: int
    version: int
    title: Title | None  # None: it is not shown
    act: Act


class Session:
    """The cluster that a server serves; it may be replaced by an earlier state of itself.

    `replaced` is called with a cluster that has taken the place of the present one. `barrier` says why the session
    cannot go back, if it cannot.
    """

    def __init__(
        self,
        served: ServedCluster,
        pacing: Pacing,
        authenticate: Callable[[str], User | None],
        replaced: Callable[[ServedCluster], None],
        barrier: str = "",
    ) -> None:
        self.served = served
        self._pacing = pacing
        self._authenticate = authenticate
        self._replaced = replaced
        self._barrier = barrier or _barrier_of(served.setting)
        self._setting = replace(served.setting, start=served.clock.now)
        self._writes: list[Write] = []
        self._size = 0
        self._rewinding = False
        self._left = 0  # objects in clusters that are needed no longer

    @property
    def api(self) -> Api:
        """Returns the API of the present cluster."""
        return self.served.api

    def handle(self, request: Request) -> Response | Stream:
        """Answers a request to the API, and keeps it if it may change something."""
        if request.method in _READS:
            return self.served.api.handle(request)
        if self._barrier:
            return self.served.api.handle(request)
        kept = run_beside(partial(KeptRequest, request), len(request.body))
        self._size += kept.size
        if "webhookconfigurations" in request.path:
            self._barrier = "webhooks were registered, and would be called again"
        return self._make(kept.title, kept.repeat, lambda: self.served.api.handle(request))

    def authenticate(self, token: str) -> User | None:
        """Returns the service account of a token that the API has issued."""
        return self.served.api.authenticate(token)

    def impersonate(self, user: User, headers: Iterable[tuple[bytes, bytes]]) -> User:
        """Returns the user in whose name an authenticated user makes a request; StatusError if it may not."""
        return self.served.api.impersonate(user, headers)

    def act(self, title: Title | None, act: Act) -> Response | Stream:
        """Changes the cluster, and keeps how."""
        return self._make(title, act, lambda: act(self.served))

    def _make(self, title: Title | None, act: Act, answer: Callable[[], Response | Stream]) -> Response | Stream:
        """Makes a write, which is kept unless there is a barrier; `act` makes it again."""
        if self._rewinding:
            raise StatusError(503, "ServiceUnavailable", "the cluster is going back in time", {})
        self._size += _BYTES_PER_WRITE
        if self._size > _MOST_BYTES:
            self._barrier, self._writes = "more was written than is kept", []
        if self._barrier:
            return answer()
        store = self.served.store
        write = Write(store.clock.now, self._pacing.steps, store.version, title, act)
        self._writes.append(write)
        answered = answer()
        if not self._barrier and not self._is_present(write):
            self._barrier = "other things happened while a large object was checked"
        return answered

    def _is_present(self, write: Write) -> bool:
        """Returns whether nothing else has happened since a write came, nor is an event in the middle of a step."""
        present = (self._pacing.steps, self.served.clock.now, self._pacing.is_between_steps)
        return self._writes[-1] is write and present == (write.steps, write.at, True)

    @property
    def barrier(self) -> str:
        """Returns why the session cannot go back, or an empty string."""
        store = self.served.store
        if not self._barrier and (store.has(MUTATING_WEBHOOKS) or store.has(VALIDATING_WEBHOOKS)):
            return "there are webhooks, which would be called again"
        return self._barrier

    def writes(self) -> Iterator[tuple[int, Write]]:
        """Yields the writes that have changed something, with their numbers."""
        for number, write in enumerate(self._writes):
            following = (
                self._writes[number + 1].version if number + 1 < len(self._writes) else self.served.store.version
            )
            if write.title is not None and following != write.version:
                yield number, write

    async def rewind(self, number: int) -> None:
        """Goes back to just before a write, and pauses the clock; StatusError if that is not possible."""
        if self.barrier:
            raise bad_request(self.barrier)
        if not 0 <= number < len(self._writes):
            raise not_found("writes", str(number))
        if self._rewinding:
            raise bad_request("the cluster is going back in time already")
        self._rewinding = True
        self._pacing.hold()
        try:
            while self._pacing.in_event:
                await asyncio.sleep(0.001)
            self._free_left()
            made = await beside(partial(ServedCluster, self._setting, self._authenticate))
            try:
                steps = await self._repeat(made, self._writes[: number + 1])
                await beside(partial(made.store.skip_to, made.store.version))  # so that its writes are freed in pieces
            except BaseException:
                self._leave(made)
                raise
        finally:
            self._rewinding = False
            self._pacing.release()
        self._take_over(made, number, steps)

    async def _repeat(self, made: ServedCluster, writes: list[Write]) -> int:
        """Repeats all writes but the last, and advances the clock to the time of that; returns how many steps it made.

        If the last one came in the middle of an event, this event is ended.
        """
        repeated = RepeatedEvents(made.clock)
        for write in writes:
            await repeated.go_to(write.steps)
            if made.clock.now < write.at:  # else timers of this instant may be left, which came after the write
                made.clock.run(write.at)
            if made.clock.now != write.at or made.store.version != write.version:
                raise bad_request(_UNLIKE)
            if write is not writes[-1]:
                await run_waiting(partial(write.act, made))
        await repeated.end_event()
        return repeated.steps

    def _take_over(self, made: ServedCluster, number: int, steps: int) -> None:
        version = self.served.store.version + 1
        self._leave(self.served)
        del self._writes[number:]
        self.served = made
        self._pacing.replace(made.clock, steps)
        self.act(None, lambda served: _skip(served, version))
        self._replaced(made)

    def _leave(self, served: ServedCluster) -> None:
        """Counts the objects of a cluster that is needed no longer; its parts refer to each other."""
        store = served.store
        self._left += _EMPTY + sum(len(store.objects(each)) for each in store.group_kinds())

    def _free_left(self) -> None:
        """Frees the clusters that are needed no longer, once they are large together."""
        if self._left > _MOST_LEFT:
            gc.collect()
            self._left = 0


def _skip(served: ServedCluster, version: int) -> Response:
    """Lets a store go on above every version that clients have seen, so that they list again instead of resuming."""
    # beside the loop only when it is repeated, for a cluster that is not in use yet
    run_beside(partial(served.store.skip_to, version), HEAVIEST)
    return Response(200, [])


def _barrier_of(setting: ServedSetting) -> str:
    for scheduler in setting.schedulers:
        if isinstance(scheduler, SchedulerDefinition) and scheduler.configuration.extenders:
            return "the scheduler has extenders, which would be called again"
    return ""
