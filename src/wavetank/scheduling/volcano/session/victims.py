from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.model.quantities import LEAST
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.heap import Heap

if TYPE_CHECKING:
    from wavetank.scheduling.volcano.session.session import Session


def tasks_on(session: Session, slot: int) -> list[Task]:
    """Returns the tasks of a node that were there when the session began, in the order in which victims are sought."""
    found = session.cache.on_node[slot] if slot < len(session.cache.on_node) else {}
    return session.in_victim_order([found[key] for key in sorted(found)])


def victims_in_turn(session: Session, victims: Iterable[Task], preemptor: Task) -> Heap[Task]:
    """Orders victims: of one job its last tasks first, of one queue its last job first, then by queue."""
    tiers, taker = session.tiers, session.job_of(preemptor)

    def by_job(left: Task, right: Task, of_left: Job, of_right: Job) -> bool:
        found = tiers.compare_jobs(of_left, of_right)
        return found > 0 if found else not tiers.task_before(left, right)

    def goes_before(left: Task, right: Task) -> bool:
        of_left, of_right = session.job_of(left), session.job_of(right)
        if left.job == right.job or (of_left is None and of_right is None):
            return not tiers.task_before(left, right)
        if of_left is None or of_right is None:
            return of_left is None
        if taker is None or of_left.queue == of_right.queue:
            return by_job(left, right, of_left, of_right)
        queues = (session.queue_of(job) for job in (of_left, of_right, taker))
        return tiers.victim_queue_before(*queues)

    return Heap(goes_before, victims)


def would_do(session: Session, task: Task, slot: int, victims: Iterable[Task]) -> bool:
    """Returns whether a task would fit on a node if all of the victims were evicted."""
    free = session.node_resources.future_idle(slot)
    for victim in victims:
        free[victim.request.rows] += victim.request.amounts
    return bool((task.request.amounts - free[task.request.rows] < LEAST).all())


def fits_later(session: Session, task: Task, slot: int) -> bool:
    """Returns whether a task will fit on a node in the present state."""
    return would_do(session, task, slot, ())
