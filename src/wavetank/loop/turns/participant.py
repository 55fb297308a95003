from __future__ import annotations

from collections.abc import Callable, Sequence

from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.stream import Stream
from wavetank.kernel.clock import Clock, Timer
from wavetank.kernel.durations import SECOND, Nanoseconds, seconds
from wavetank.loop.errors import ProcessError
from wavetank.loop.transport.connection import Connection
from wavetank.loop.transport.listener import Listener
from wavetank.loop.turns.requestaudit import RequestAudit
from wavetank.loop.turns.steppedprocess import SteppedProcess
from wavetank.loop.turns.waiting import WaitingPods

BOOKMARKS = 60 * SECOND  # between two bookmarks of a watch
LONGEST_S = 3600.0  # of a watch whose client does not say how long

Handle = Callable[[Request], Response | Stream]
Delay = Callable[[str], Nanoseconds]


class Participant:
    """One program at the table: its player, its doors, the pods that wait for it, and what it has done so far.

    Its requests are answered by `handle`, those that end a scheduling attempt when `delay` has passed. `wake` is called
    when it has to be given a turn.
    """

    def __init__(
        self,
        clock: Clock,
        handle: Handle,
        waiting: WaitingPods,
        audit: RequestAudit,
        delay: Delay,
        wake: Callable[[], None],
    ) -> None:
        self.waiting = waiting
        self.audit = audit
        self.due: Nanoseconds | None = None
        self._clock = clock
        self._handle = handle
        self._delay = delay
        self._wake = wake
        self._process: SteppedProcess | None = None
        self._listeners: Sequence[Listener] = ()
        self._news: dict[int, tuple[Listener, Connection]] = {}
        self._overdue: list[Stream] = []
        self.stirred = True  # it has something to do although no timer of its own is due

    def take(self, process: SteppedProcess, listeners: Sequence[Listener]) -> None:
        """Seats the program."""
        self._process, self._listeners = process, listeners

    @property
    def process(self) -> SteppedProcess:
        """Returns the program."""
        assert self._process is not None
        return self._process

    @property
    def descriptors(self) -> list[int]:
        """Returns what becomes readable when the program wants something."""
        return [fd for listener in self._listeners for fd in listener.descriptors]

    # a turn

    def deal(self, now: Nanoseconds) -> bool:
        """Hands over what waits for the program; returns whether it has anything to do now."""
        self.process.set_clock(now)
        for stream in self._take_overdue():
            stream.close()
        news, self._news = self._news, {}
        for listener, connection in news.values():
            if connection.stream is not None:
                connection.send_events()
                listener.send(connection)
        for listener in self._listeners:
            self.stirred = listener.flush() or self.stirred
        due = self.due is not None and self.due <= now
        stirred, self.stirred = self.stirred, False
        return stirred or due

    def collect(self) -> bool:
        """Reads and serves what the program has asked; returns whether it needs another turn for that."""
        for listener in self._listeners:
            self.stirred = listener.read() or self.stirred
            if not self.stirred and listener.waits:
                self.stirred = listener.flush()  # what did not fit before; if it still does not, nobody reads it now
        return self.stirred or bool(self._news)

    def close(self) -> None:
        """Ends the program and closes its doors."""
        if self._process is not None:
            self._process.close()
        for listener in self._listeners:
            listener.close()

    # requests

    def serve(self, listener: Listener, connection: Connection, request: Request) -> None:
        """Answers a request, now or when the latency model says."""
        problem = self.audit.fault(request)
        if problem is not None:
            raise ProcessError(self.process.name, problem, self.process.tail())
        ended = self.audit.attempted(request)
        delay = self._delay(ended) if ended else 0
        if delay:
            self._clock.after(delay, lambda: self._answer(listener, connection, request))
        else:
            self._answer(listener, connection, request)

    def _answer(self, listener: Listener, connection: Connection, request: Request) -> None:
        if connection.closed:
            return
        answer = self._handle(request)
        self.audit.note(request, answer)
        connection.answer(answer)
        if not isinstance(answer, Response):
            self._follow(answer, listener, connection)
        listener.send(connection)
        self._wake()

    def _follow(self, stream: Stream, listener: Listener, connection: Connection) -> None:
        def notify() -> None:
            self._news[connection.number] = (listener, connection)
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
