from __future__ import annotations

from collections.abc import Iterable

from wavetank.errors import SchedulerError


class ProcessError(SchedulerError):
    """A program in the loop has failed; the message names it, the problem, its last requests and lines of its log.

    A name of two words says what it is (controller scaler); others are schedulers.
    """

    def __init__(self, name: str, problem: str, tail: str = "", requests: tuple[str, ...] = ()) -> None:
        super().__init__(name, problem, tail, requests)
        self.name = name
        self.problem = problem
        self.tail = tail
        self.requests = requests

    def __reduce__(self) -> tuple[object, ...]:  # it is raised in a worker process
        return ProcessError, (self.name, self.problem, self.tail, self.requests)

    def after(self, requests: Iterable[str]) -> ProcessError:
        """Returns the same error with the last requests of the program."""
        return ProcessError(self.name, self.problem, self.tail, tuple(requests))

    def __str__(self) -> str:
        log = f"; its log ends: {self.tail}" if self.tail else "; its log is empty"
        asked = f"; its last requests: {', '.join(self.requests)}" if self.requests else ""
        name = self.name if " " in self.name else f"scheduler {self.name}"
        return f"{name} {self.problem}{asked}{log}"
