from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.model.queue import QueueInfo
from wavetank.scheduling.volcano.model.task import Task

if TYPE_CHECKING:
    from wavetank.scheduling.volcano.session.session import Session

PERMIT, ABSTAIN, REJECT = 1, 0, -1

Evictable = Callable[[Task, list[Task]], list[Task]]
Scores = Mapping[str, NumberArray]  # by the part that gives them


class Invalid(NamedTuple):
    """Why a job cannot be scheduled at all."""

    reason: str
    message: str


@dataclass
class Hooks:
    """What a plugin takes part in, each a function or None.

    The order of jobs is a key, the smallest first; other orders return a negative number if the first comes first.
    `node_scores` are floats that are added up in the order of the plugins; `batch_scores` are whole numbers, so that
    their order does not matter.
    """

    job_order: Callable[[Job], Any] | None = None  # a key
    queue_order: Callable[[QueueInfo, QueueInfo], int] | None = None
    victim_queue_order: Callable[[QueueInfo, QueueInfo, QueueInfo], int] | None = None
    task_order: Callable[[Task, Task], int] | None = None
    preemptable: Evictable | None = None
    reclaimable: Evictable | None = None
    job_ready: Callable[[Job], bool] | None = None
    job_pipelined: Callable[[Job], int] | None = None
    job_starving: Callable[[Job], bool] | None = None
    job_valid: Callable[[Job], Invalid | None] | None = None
    enqueueable: Callable[[Job], int] | None = None
    enqueued: Callable[[Job], None] | None = None
    overused: Callable[[QueueInfo], bool] | None = None
    preemptive: Callable[[QueueInfo, Task], bool] | None = None
    allocatable: Callable[[QueueInfo, Task], bool] | None = None
    prepare: Callable[[Task], str] | None = None  # returns why no node can do, or an empty text
    predicate: Callable[[Task, IntArray], IntArray] | None = None  # returns numbers of the StatusTable
    node_scores: Callable[[Task, IntArray], Scores] | None = None
    batch_scores: Callable[[Task, IntArray], Scores] | None = None
    allocated: Callable[[Task], None] | None = None
    deallocated: Callable[[Task], None] | None = None
    close: Callable[[], None] | None = None


class Plugin:
    """One plugin of a session. `open` is called when the session begins."""

    name: str

    def open(self, session: Session) -> Hooks:
        """Looks at the session, and returns what the plugin takes part in."""
        raise NotImplementedError

    def snapshot(self) -> object:
        """Returns the plugin's account as plain data, or None if it keeps none."""
        return None
