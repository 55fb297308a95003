from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from wavetank.cluster.fields.labels import labels_key
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.volcano import defects
from wavetank.scheduling.volcano.model.fiterrors import ERROR, RESOLVABLE, FitErrors, Status
from wavetank.scheduling.volcano.model.task import Task

if TYPE_CHECKING:
    from wavetank.scheduling.volcano.session.session import Session

Predicate = Callable[[Task, IntArray], IntArray]
_ENOUGH = 100  # feasible nodes that are always looked for
_ERROR_CACHE = "predicateErrorCacheEnable"


class Search:
    """Finds the feasible nodes of a task, and caches for others of its role which ones rejected it.

    Volcano makes one of these for a turn of a job in allocate, for all of preempt, and for each task elsewhere.
    """

    def __init__(self, session: Session, action: str) -> None:
        self._session = session
        self._refused: dict[tuple[str, str], IntArray] = {}  # status numbers by job and role, one per slot
        remembers = session.conf.arguments_of(action).flag(_ERROR_CACHE, True)
        self._remembers = remembers and defects.STALE_ERRORS not in session.without

    def knows(self, task: Task) -> bool:
        """Returns whether others of the task's role have been rejected before, so that old answers count for it."""
        return (task.job, task.role) in self._refused

    def find(self, task: Task, slots: IntArray, predicate: Predicate) -> tuple[IntArray, FitErrors]:
        """Returns the slots that passed, in order, and why the others that were looked at did not."""
        self._session.searches += 1
        enough = nodes_to_find(len(slots))
        looked_at, numbers = self._search(task, slots, predicate, enough)
        self._remember(task, looked_at, numbers)
        passed = numbers == 0
        errors = FitErrors(self._session.statuses, looked_at[~passed], numbers[~passed])
        return looked_at[passed][:enough], errors

    def _search(self, task: Task, slots: IntArray, predicate: Predicate, enough: int) -> tuple[IntArray, IntArray]:
        """Looks at nodes in turn until one more than enough has passed; the next search begins behind it."""
        total = len(slots)
        start = self._session.start % max(total, 1)
        ring = np.concatenate((slots[start:], slots[:start])) if start else slots
        for length in (min(total, enough + enough // 4 + 8), total):
            numbers = self._judge(task, ring[:length], predicate)
            passed = np.flatnonzero(numbers == 0)
            if len(passed) > enough or length == total:
                break
        end = int(passed[enough]) + 1 if len(passed) > enough else total
        self._session.start = (start + end) % max(total, 1)
        return ring[:end], numbers[:end]

    def _judge(self, task: Task, slots: IntArray, predicate: Predicate) -> IntArray:
        known = self._refused.get((task.job, task.role)) if self._remembers and task.role else None
        if known is None:
            return predicate(task, slots)
        numbers = known[slots]
        fresh = numbers == 0
        numbers[fresh] = predicate(task, slots[fresh])
        return numbers

    def _remember(self, task: Task, slots: IntArray, numbers: IntArray) -> None:
        if self._remembers and task.role:
            key = (task.job, task.role)
            if key not in self._refused:
                self._refused[key] = np.zeros(len(self._session.names), np.int64)
            self._refused[key][slots] = numbers


def nodes_to_find(nodes: int) -> int:
    """Returns how many feasible nodes are enough among so many."""
    if nodes <= _ENOUGH:
        return nodes
    return max(_ENOUGH, nodes * max(5, 50 - nodes // 125) // 100)


class Failures:
    """What tasks have failed like since anything has changed: others like them would fail as well."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._changes = -1
        self._known: dict[object, FitErrors] = {}

    def recall(self, task: Task) -> FitErrors | None:
        """Returns why a task like this one has found no node, if nothing has changed since."""
        if self._changes != self._session.changes:
            self._changes = self._session.changes
            self._known.clear()
        return self._known.get(kind_of(task))

    def keep(self, task: Task, errors: FitErrors) -> None:
        """Keeps why a task has found no node."""
        if self._changes == self._session.changes:
            self._known[kind_of(task)] = errors


def kind_of(task: Task) -> object:
    """Returns what tasks must share to be equal for every filter."""
    pod = task.pod
    return pod.spec, pod.namespace, labels_key(pod.labels), pod.uid if pod.spec.volumes else ""


class Predicates:
    """The two uses of predicates: to allocate a task to a node, or to evict others for it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        names = session.node_resources.rows  # in the order of their rows
        numbers = [session.statuses.number((Status(RESOLVABLE, f"Insufficient {name}"),)) for name in names]
        self._lacking: IntArray = np.array([0, *numbers], np.int64)

    def for_allocate(self, task: Task, slots: IntArray) -> IntArray:
        """Rejects nodes where the task will not fit, then those that the plugins reject."""
        lacking = self._session.node_resources.lacking_later(task.request, slots)
        if not lacking.any():
            return self.for_backfill(task, slots)
        numbers = self._lacking[lacking]
        roomy = numbers == 0
        numbers[roomy] = self.for_backfill(task, slots[roomy])
        return numbers

    def for_backfill(self, task: Task, slots: IntArray) -> IntArray:
        """Rejects nodes that the plugins reject, for any reason."""
        found = self._session.tiers.predicate(task, slots)
        return np.zeros(len(slots), np.int64) if found is None else found

    def for_preempt(self, task: Task, slots: IntArray) -> IntArray:
        """Rejects only nodes that evictions cannot help."""
        numbers = self.for_backfill(task, slots)
        if not numbers.any():
            return numbers
        return np.where(self._session.statuses.hopeless(numbers), numbers, 0)

    def failed(self, problem: str, slots: IntArray) -> FitErrors:
        """Says that a problem of the task itself keeps it from every node."""
        number = self._session.statuses.number((Status(ERROR, problem),))
        return FitErrors(self._session.statuses, slots, np.full(len(slots), number, np.int64))
