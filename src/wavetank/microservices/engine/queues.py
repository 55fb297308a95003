"""In which order a CPU takes processes, and how much of their work it does in one burst."""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.engine.requests import Request

if TYPE_CHECKING:
    from wavetank.microservices.engine.events import Event

_LEAST_QUANTUM = 25
_LEVELS = 3


class Process:
    """The work of a request on a CPU: what remained of its demand before the present burst."""

    __slots__ = ("burst", "end", "level", "remaining", "request", "started")

    def __init__(self, request: Request, demand: float) -> None:
        self.request = request
        self.remaining = demand
        self.burst = 0.0
        self.started: Nanoseconds = 0
        self.end: Event | None = None
        self.level = 0


class RunQueue(Protocol):
    """Processes that are ready to run."""

    def enter(self, process: Process) -> None:
        """Adds a process, or one whose burst has ended."""

    def take(self) -> Process:
        """Takes the next process and sets its burst."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Process]: ...

    def clear(self) -> None:
        """Drops all processes."""


class Fifo(deque[Process]):
    """First come, first served."""

    def enter(self, process: Process) -> None:
        """Adds a process at the end."""
        self.append(process)

    def take(self) -> Process:
        """Takes the first process, for all of its work."""
        return _whole(self.popleft())


class Lifo(deque[Process]):
    """The latest first; a process that runs is not interrupted."""

    def enter(self, process: Process) -> None:
        """Adds a process at the front."""
        self.append(process)

    def take(self) -> Process:
        """Takes the latest process, for all of its work."""
        return _whole(self.pop())


class ShortestJobNext(list[Process]):
    """The one with the least work first, then the earlier; a process that runs is not interrupted."""

    def enter(self, process: Process) -> None:
        """Adds a process in order of its work."""
        insort(self, process, key=lambda each: each.remaining)

    def take(self) -> Process:
        """Takes the shortest process, for all of its work."""
        return _whole(self.pop(0))


def _whole(process: Process) -> Process:
    process.burst = process.remaining
    return process


class SelfAdjustingRoundRobin(deque[Process]):
    """Round robin (SARR) whose quantum is the median of the remaining work, at least 25 units.

    The quantum is set anew when a process enters, or when the next one already had its turn.
    """

    def __init__(self) -> None:
        super().__init__()
        self._quantum = 0.0
        self._is_old = True
        self._served: set[Process] = set()

    def enter(self, process: Process) -> None:
        """Adds a process at the end."""
        self.append(process)
        self._is_old = True

    def take(self) -> Process:
        """Takes the first process, for at most the quantum."""
        if self._is_old:
            self._adjust()
        process = self.popleft()
        self._served.add(process)
        process.burst = min(process.remaining, self._quantum)
        # a process that needs more than the quantum is seen behind the others already
        follower = self[0] if self else process if process.burst < process.remaining else None
        if follower in self._served:
            self._is_old = True
        return process

    def clear(self) -> None:
        """Drops all processes."""
        super().clear()
        self._served.clear()

    def _adjust(self) -> None:
        self._served.clear()
        works = sorted(process.remaining for process in self)
        middle = (len(works) - 1) // 2
        median = works[middle] if len(works) % 2 else (works[middle] + works[middle + 1]) // 2
        self._quantum = max(median, _LEAST_QUANTUM)
        self._is_old = False


class MultiLevelFeedbackQueue:
    """Three round robins by priority; a process that is not done goes down a level.

    With `skips_middle` it goes down to the last one at once, as in MiSim.
    """

    def __init__(self, skips_middle: bool) -> None:
        self._levels = [SelfAdjustingRoundRobin() for _ in range(_LEVELS)]
        self._skips_middle = skips_middle

    def enter(self, process: Process) -> None:
        """Adds a process on its level."""
        self._levels[process.level].enter(process)

    def take(self) -> Process:
        """Takes the first process of the highest level that has one."""
        level = next(level for level in self._levels if level)
        process = level.take()
        process.level = _LEVELS - 1 if self._skips_middle else min(process.level + 1, _LEVELS - 1)
        return process

    def __len__(self) -> int:
        return sum(len(level) for level in self._levels)

    def __iter__(self) -> Iterator[Process]:
        return (process for level in self._levels for process in level)

    def clear(self) -> None:
        """Drops all processes."""
        for level in self._levels:
            level.clear()
