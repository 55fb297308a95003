from __future__ import annotations

from wavetank.errors import SchedulerError


class ProcessError(SchedulerError):
    """A program in the loop has failed; the message names it, the problem, and the last lines of its log.

    A name of two words says what it is (controller scaler); others are schedulers.
    """

    def __init__(self, name: str, problem: str, tail: str = "") -> None:
        super().__init__(name, problem, tail)
        self.name = name
        self.problem = problem
        self.tail = tail

    def __reduce__(self) -> tuple[object, ...]:  # it is raised in a worker process
        return ProcessError, (self.name, self.problem, self.tail)

    def __str__(self) -> str:
        log = f"; its log ends: {self.tail}" if self.tail else "; its log is empty"
        name = self.name if " " in self.name else f"scheduler {self.name}"
        return f"{name} {self.problem}{log}"
