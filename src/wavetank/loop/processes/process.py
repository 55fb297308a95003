from __future__ import annotations

import os
import select
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.kernel.lifetime import die_with_parent
from wavetank.loop.errors import ProcessError
from wavetank.loop.transport.listener import Listener

EPOCH = EPOCH_SECONDS * SECOND
TICK_NS = 1  # each time.Now() advances the program's clock by this much, so that its timestamps keep their order
_GARBAGE = 128 << 20  # heap size in bytes above which garbage is collected, between turns
_REPORT = struct.Struct("=qq")
_TIME = struct.Struct("=q")
_NEVER = 1 << 62  # due time of no timer
_TAIL_LINES, _TAIL_BYTES = 5, 2000
_GRACE_S = 1.0


@dataclass(frozen=True)
class Start:
    """How a program is started: its command, additional environment, start time, and the seed of its random numbers.

    `patience_s` is how long it may run, in real time, without becoming quiet.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    seed: int
    now: Nanoseconds
    patience_s: float


class Process:
    """A Go program that was built with the overlay: on virtual time, in turns with the simulation.

    When nothing in it can proceed it parks: it reports its next timer and waits for the new time. It leads its own
    process group, which ends with it, and it never outlives this process.
    """

    def __init__(self, name: str, start: Start, listeners: Sequence[Listener]) -> None:
        self.name = name
        self._listeners = listeners
        self._patience_s = start.patience_s
        self._log = start.log
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        setting = f"{theirs.fileno()}:{EPOCH + start.now}:{start.seed}:{TICK_NS}:{_GARBAGE}"
        environment = {**plain_environment(), **start.environment, "WAVETANK_TIME": setting}
        try:
            self._process = begin(name, start, {**environment, "GOMAXPROCS": "1", "GOGC": "off"}, theirs.fileno())
        except ProcessError:
            self._control.close()
            raise
        finally:
            theirs.close()
        self._poll = select.poll()
        self._poll.register(self._control, select.POLLIN)
        for listener in listeners:
            self._poll.register(listener.socket, select.POLLIN)

    def set_clock(self, now: Nanoseconds) -> None:
        """Does nothing: a parked program does not read its clock."""

    def resume(self, now: Nanoseconds) -> None:
        """Resumes it at this time."""
        try:
            self._control.send(_TIME.pack(EPOCH + now))
        except BrokenPipeError:
            raise self._ended() from None

    def wait(self) -> Nanoseconds | None:
        """Waits until it is parked; returns when its next timer is due, None if it has none.

        In the meantime its connections are accepted, so that the backlog never fills up; nothing is read.
        """
        deadline = time.monotonic() + self._patience_s
        while True:
            ready = self._poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
            if not ready:
                problem = f"has run for {self._patience_s:g} s without getting quiet (a busy loop?)"
                raise ProcessError(self.name, problem, self.tail())
            fds = {fd for fd, _ in ready}
            for listener in self._listeners:
                if listener.socket.fileno() in fds:
                    self._accept(listener)
                    deadline = time.monotonic() + self._patience_s  # it is alive: a burst of pods takes its time
            if self._control.fileno() in fds:
                return self._parked()

    def _accept(self, listener: Listener) -> None:
        try:
            listener.accept()
        except OSError as error:
            end_group(self._process)
            listener.close()  # so that the log can be opened
            problem = f"has made more connections than files may be open here ({error.strerror})"
            raise ProcessError(self.name, problem, self.tail()) from None

    def _parked(self) -> Nanoseconds | None:
        try:
            report = self._control.recv(_REPORT.size, socket.MSG_WAITALL)
        except ConnectionResetError:
            report = b""
        if len(report) < _REPORT.size:
            raise self._ended()
        _, due = _REPORT.unpack(report)
        return None if due >= _NEVER else int(due) - EPOCH

    def _ended(self) -> ProcessError:
        try:
            status = self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            return ProcessError(self.name, "has closed its end of the clock", self.tail())
        return ProcessError(self.name, how_ended(status), self.tail())

    def tail(self) -> str:
        """Returns the last lines of its log."""
        return tail_of(self._log)

    def close(self) -> None:
        """Ends its process group."""
        end_group(self._process)
        self._control.close()


def begin(
    name: str,
    start: Start,
    environment: Mapping[str, str],
    *inherited: int,
    prepare: Callable[[], None] | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a program in its own process group that never outlives this process; ProcessError if it cannot be started.

    `prepare` is called between fork and exec.
    """

    def prepare_child() -> None:
        die_with_parent()
        if prepare is not None:
            prepare()

    with open(start.log, "wb") as log:
        try:
            return subprocess.Popen(
                start.command,
                env=environment,
                pass_fds=inherited,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=prepare_child,
            )
        except OSError as error:
            raise ProcessError(name, f"cannot be started: {error.strerror}") from None


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kills a program and all processes that it has started."""
    with suppress(ProcessLookupError):  # all of them have exited
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def how_ended(status: int) -> str:
    """Describes how a process has ended; a negative status is a signal's number."""
    return f"was ended by {signal.Signals(-status).name}" if status < 0 else f"has exited with status {status}"


def tail_of(log: Path) -> str:
    """Returns the last lines of a log, joined by bars; of a Go panic, the first ones."""
    try:
        text = log.read_bytes()
    except FileNotFoundError:
        return ""
    start = max(text.rfind(b"\npanic: "), text.rfind(b"\nfatal error: ")) + 1
    lines = [
        line.strip() for line in text[start or -_TAIL_BYTES :].decode(errors="replace").splitlines() if line.strip()
    ]
    return " | ".join(_panic(lines)[:_TAIL_LINES] if start else lines[-_TAIL_LINES:])


def _panic(lines: list[str]) -> list[str]:
    """Returns a Go panic without the frames that only recover from it and raise it again."""
    raised = next((number for number, line in enumerate(lines) if line.startswith("panic(")), None)
    return lines if raised is None else [lines[0], *lines[raised + 2 :]]  # the frame has two lines


def plain_environment() -> dict[str, str]:
    """Returns the environment without variables that would mislead a program: proxies, a surrounding cluster."""
    foreign = ("_PROXY", "KUBERNETES_SERVICE_", "KUBECONFIG", "GODEBUG", "GOGC", "GOMEMLIMIT")
    return {key: value for key, value in os.environ.items() if not any(word in key.upper() for word in foreign)}
