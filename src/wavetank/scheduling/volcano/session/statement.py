from __future__ import annotations

from typing import TYPE_CHECKING

from wavetank.scheduling.volcano.model.task import Task

if TYPE_CHECKING:
    from wavetank.scheduling.volcano.session.session import Session

_ALLOCATE, _PIPELINE, _EVICT = range(3)


class Statement:
    """Changes of a session that are committed or taken back together."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._done: list[tuple[int, Task, str]] = []

    def allocate(self, task: Task, slot: int) -> None:
        """Allocates a task to a node."""
        self._session.allocate(task, slot)
        self._done.append((_ALLOCATE, task, ""))

    def pipeline(self, task: Task, slot: int, evicted_for: bool = False) -> None:
        """Pipelines a task to a node."""
        self._session.pipeline(task, slot, evicted_for)
        self._done.append((_PIPELINE, task, ""))

    def evict(self, task: Task, reason: str) -> None:
        """Evicts a task from its node."""
        self._session.evict(task)
        self._done.append((_EVICT, task, reason))

    def commit(self) -> None:
        """Commits the operations; pipelined tasks stay pipelined."""
        for what, task, reason in self._done:
            task.last = None
            if what == _EVICT:
                self._session.commit_eviction(task, reason)
            elif what == _ALLOCATE:
                self._session.bind(task)
        self._done = []

    def discard(self) -> None:
        """Takes it all back, the last first."""
        for what, task, _ in reversed(self._done):
            task.remember()
            if what == _EVICT:
                self._session.unevict(task)
            else:
                self._session.withdraw(task)
        self._done = []

    def merge(self, other: Statement) -> None:
        """Takes over what another statement has done."""
        self._done += other._done
        other._done = []
