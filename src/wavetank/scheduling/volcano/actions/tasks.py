from __future__ import annotations

from collections.abc import Iterable

from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.heap import Heap
from wavetank.scheduling.volcano.session.session import Session


def tasks_in_turn(session: Session, tasks: Iterable[Task]) -> Heap[Task]:
    """Orders tasks of a job; they are put in by name, as their order has gaps where only some end in a number."""
    return Heap(session.tiers.task_before, session.in_map_order(sorted(tasks, key=_name)))


def _name(task: Task) -> str:
    return task.key
