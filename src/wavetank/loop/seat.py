from __future__ import annotations

from collections.abc import Callable, Sequence

from wavetank.apiserver.request import Request, Response
from wavetank.apiserver.stream import Stream
from wavetank.kernel.clock import Clock, Timer
from wavetank.kernel.durations import SECOND, Nanoseconds, seconds
from wavetank.loop.conduct import Conduct
from wavetank.loop.connection import Connection
from wavetank.loop.door import Door
from wavetank.loop.faults import ProcessError
from wavetank.loop.player import Player
from wavetank.loop.waiting import WaitingPods

BOOKMARKS = 60 * SECOND  # between two bookmarks of a watch
LONGEST_S = 3600.0  # of a watch whose client does not say how long

Handle = Callable[[Request], Response | Stream]
Delay = Callable[[str], Nanoseconds]


class Seat:
    """One program at the table: its player, its doors, the pods that wait for it, and what it has done so far.

    Its requests are answered by `handle`, those that end a scheduling attempt when `delay` has passed. `wake` is called
    when it has to be given a turn.
    """

    def __init__(
        self,
        clock: Clock,
        handle: Handle,
        waiting: WaitingPods,
        conduct: Conduct,
        delay: Delay,
        wake: Callable[[], None],
    ) -> None:
        self.waiting = waiting
        self.conduct = conduct
        self.due: Nanoseconds | None = None
        self._clock = clock
        self._handle = handle
        self._delay = delay
        self._wake = wake
        self._player: Player | None = None
        self._doors: Sequence[Door] = ()
        self._news: dict[int, tuple[Door, Connection]] = {}
        self._overdue: list[Stream] = []
        self.stirred = True  # it has something to do although no timer of its own is due

    def take(self, player: Player, doors: Sequence[Door]) -> None:
        """Seats the program."""
        self._player, self._doors = player, doors

    @property
    def player(self) -> Player:
        """Returns the program."""
        assert self._player is not None
        return self._player

    @property
    def descriptors(self) -> list[int]:
        """Returns what becomes readable when the program wants something."""
        return [fd for door in self._doors for fd in door.descriptors]

    # a turn

    def deal(self, now: Nanoseconds) -> bool:
        """Hands over what waits for the program; returns whether it has anything to do now."""
        self.player.set_clock(now)
        for stream in self._take_overdue():
            stream.close()
        news, self._news = self._news, {}
        for door, connection in news.values():
            if connection.stream is not None:
                connection.send_events()
                door.send(connection)
        for door in self._doors:
            self.stirred = door.flush() or self.stirred
        due = self.due is not None and self.due <= now
        stirred, self.stirred = self.stirred, False
        return stirred or due

    def collect(self) -> bool:
        """Reads and serves what the program has asked; returns whether it needs another turn for that."""
        for door in self._doors:
            self.stirred = door.read() or self.stirred
            if not self.stirred and door.waits:
                self.stirred = door.flush()  # what did not fit before; if it still does not, nobody reads it now
        return self.stirred or bool(self._news)

    def close(self) -> None:
        """Ends the program and closes its doors."""
        if self._player is not None:
            self._player.close()
        for door in self._doors:
            door.close()

    # requests

    def serve(self, door: Door, connection: Connection, request: Request) -> None:
        """Answers a request, now or when the latency model says."""
        problem = self.conduct.fault(request)
        if problem is not None:
            raise ProcessError(self.player.name, problem, self.player.tail())
        ended = self.conduct.attempted(request)
        delay = self._delay(ended) if ended else 0
        if delay:
            self._clock.after(delay, lambda: self._answer(door, connection, request))
        else:
            self._answer(door, connection, request)

    def _answer(self, door: Door, connection: Connection, request: Request) -> None:
        if connection.closed:
            return
        answer = self._handle(request)
        self.conduct.note(request, answer)
        connection.answer(answer)
        if not isinstance(answer, Response):
            self._follow(answer, door, connection)
        door.send(connection)
        self._wake()

    def _follow(self, stream: Stream, door: Door, connection: Connection) -> None:
        def notify() -> None:
            self._news[connection.number] = (door, connection)
            self._wake()

        stream.notify = notify
        _WatchTimers(stream, self._clock, self._remind, self._end)

    def _remind(self, stream: Stream) -> None:
        """Sends a bookmark, unless the program sleeps."""
        if len(self.waiting):
            stream.bookmark()

    def _end(self, stream: Stream) -> None:
        """Ends a watch whose time is over; while nobody waits for the program that can wait, too."""
        if len(self.waiting):
            stream.close()
        else:
            self._overdue.append(stream)

    def _take_overdue(self) -> list[Stream]:
        if not len(self.waiting):
            return []
        overdue, self._overdue = self._overdue, []
        return overdue


class _WatchTimers:
    """What happens to a watch by time, which is virtual here: bookmarks, and its end."""

    def __init__(
        self, stream: Stream, clock: Clock, remind: Callable[[Stream], None], end: Callable[[Stream], None]
    ) -> None:
        self._stream = stream
        self._clock = clock
        self._remind = remind
        self._end = end
        longest = LONGEST_S if stream.timeout_s is None else max(0.0, stream.timeout_s)
        self._last: Timer = clock.after(seconds(longest), self._over, background=True)
        self._next: Timer = clock.after(BOOKMARKS, self._bookmark, background=True)

    def _bookmark(self) -> None:
        if not self._stream.closed:
            self._remind(self._stream)
            self._next = self._clock.after(BOOKMARKS, self._bookmark, background=True)

    def _over(self) -> None:
        self._next.cancel()
        if not self._stream.closed:
            self._end(self._stream)
