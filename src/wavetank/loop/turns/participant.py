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
LONGEST_S = 3600.0  # default timeout of a watch

Handle = Callable[[Request], Response | Stream]
Delay = Callable[[str], Nanoseconds]


class Participant:
    """A program in the loop: its process, its listeners, the pods that wait for it, and the audit of its requests.

    Its requests are answered by `handle`, those that end a scheduling attempt after `delay`. `wake` is called when it
    needs a turn. A program with `own_timers` (a controller manager) acts by its own timers even if no pod waits for it.
    From time 0 on its timers are due at multiples of `slack`, so that many of them share a turn; 0 is exact.
    """

    def __init__(
        self,
        clock: Clock,
        handle: Handle,
        waiting: WaitingPods,
        audit: RequestAudit,
        delay: Delay,
        wake: Callable[[], None],
        own_timers: bool = False,
        slack: Nanoseconds = 0,
    ) -> None:
        self.waiting = waiting
        self._own_timers = own_timers
        self._slack = max(slack, 1)
        self.audit = audit
        self.due: Nanoseconds | None = None
        self._clock = clock
        self._handle = handle
        self._delay = delay
        self._wake = wake
        self._process: SteppedProcess | None = None
        self._listeners: Sequence[Listener] = ()
        self._streams: dict[int, tuple[Listener, Connection]] = {}
        self._overdue: list[Stream] = []
        self.has_work = True  # it has something to do although none of its timers is due

    def take(self, process: SteppedProcess, listeners: Sequence[Listener]) -> None:
        """Attaches the running program."""
        self._process, self._listeners = process, listeners

    @property
    def process(self) -> SteppedProcess:
        """Returns the program."""
        assert self._process is not None
        return self._process

    @property
    def descriptors(self) -> list[int]:
        """Returns the file descriptors that become readable when the program sends something."""
        return [fd for listener in self._listeners for fd in listener.descriptors]

    @property
    def awaited(self) -> bool:
        """Tells whether anything depends on the program's timers: pods wait for it, or it acts by its own timers."""
        return self._own_timers or len(self.waiting) > 0

    @property
    def keeps_time(self) -> bool:
        """Tells whether the program runs at each of its timers; otherwise it sleeps until something reaches it."""
        return self.awaited or self.audit.polls

    # a turn

    def is_due(self, now: Nanoseconds) -> bool:
        """Tells whether the program has anything to do now."""
        return self.has_work or (self.due is not None and self.due <= now)

    def resume(self, now: Nanoseconds) -> None:
        """Lets the program run at this time."""
        try:
            self.process.resume(now)
        except ProcessError as error:
            raise error.after(self.audit.last_requests) from None

    def wait(self) -> None:
        """Waits until the program is quiet, and notes when its next timer is due."""
        try:
            due = self.process.wait()
        except ProcessError as error:
            raise error.after(self.audit.last_requests) from None
        self.due = due if due is None or due < 0 else -(-due // self._slack) * self._slack

    def fault(self, problem: str) -> ProcessError:
        """Returns an error of the program, with its last requests and the end of its log."""
        return ProcessError(self.process.name, problem, self.process.tail(), tuple(self.audit.last_requests))

    def deliver(self, now: Nanoseconds) -> bool:
        """Sends what is ready for the program; returns whether it has anything to do now."""
        self.process.set_clock(now)
        for stream in self._take_overdue():
            stream.close()
        streams, self._streams = self._streams, {}
        for listener, connection in streams.values():
            if connection.stream is not None:
                connection.send_events()
                listener.send(connection)
        for listener in self._listeners:
            self.has_work = listener.flush() or self.has_work
        due = self.is_due(now)
        self.has_work = False
        return due

    def collect(self) -> bool:
        """Reads and serves the program's requests; returns whether it needs another turn for that."""
        for listener in self._listeners:
            self.has_work = listener.read() or self.has_work
            if not self.has_work and listener.waits:
                self.has_work = listener.flush()  # what did not fit before
        return self.has_work or bool(self._streams)

    # between turns, for a webhook of the program

    def run_alone(self, now: Nanoseconds) -> None:
        """Runs the program at this instant until it is quiet: it was sent something by another way."""
        self.process.set_clock(now)
        self.process.resume(now)
        self.wait()

    def serve_alone(self, now: Nanoseconds) -> bool:
        """Serves the program's requests and sends the answers; False if there is nothing to send."""
        if not self.collect():
            return False
        self.deliver(now)
        return True

    def close(self) -> None:
        """Ends the program and closes its listeners."""
        if self._process is not None:
            self._process.close()
        for listener in self._listeners:
            listener.close()

    # requests

    def serve(self, listener: Listener, connection: Connection, request: Request) -> None:
        """Answers a request, now or after the delay of the latency model."""
        problem = self.audit.fault(request)
        if problem is not None:
            raise self.fault(problem)
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
        if self.audit.missing is not None:
            raise self.fault(f"asks again and again for {self.audit.missing}, which is not served")
        connection.answer(answer)
        if not isinstance(answer, Response):
            self._follow(answer, listener, connection)
        listener.send(connection)
        self._wake()

    def _follow(self, stream: Stream, listener: Listener, connection: Connection) -> None:
        def notify() -> None:
            self._streams[connection.number] = (listener, connection)
            self._wake()

        stream.notify = notify
        _WatchTimers(stream, self._clock, self._remind, self._end)

    def _remind(self, stream: Stream) -> None:
        """Sends a bookmark, unless the program sleeps."""
        if self.awaited:
            stream.bookmark()

    def _end(self, stream: Stream) -> None:
        """Ends a watch whose timeout is over; if nothing waits for the program, when something does again."""
        if self.awaited:
            stream.close()
        else:
            self._overdue.append(stream)

    def _take_overdue(self) -> list[Stream]:
        if not self.awaited:
            return []
        overdue, self._overdue = self._overdue, []
        return overdue


class _WatchTimers:
    """The timers of a watch, in virtual time: bookmarks and its timeout."""

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
