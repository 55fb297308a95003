from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.reconcilers.scheduling.checks import job_problem
from wavetank.batchoperator.reconcilers.scheduling.entry import Entry, Key
from wavetank.batchoperator.resources.batchjob import JobState
from wavetank.batchoperator.resources.references import Reference
from wavetank.batchoperator.resources.scheduling import QueuedState, SchedulingSpec

_PENDING = (QueuedState.ACQUIRING, QueuedState.IN_QUEUE)
_ACTIVE = (QueuedState.SUBMITTED, QueuedState.SCHEDULED)


class JobQueue:
    """The jobs of a Scheduling in their order, counted by state, and the slots in use."""

    def __init__(self, scheduling: Reference) -> None:
        self._scheduling = scheduling
        self.entries: dict[Key, Entry] = {}
        self.counts = dict.fromkeys(QueuedState, 0)
        self.changed: set[Key] = set()
        self.problems: dict[Key, str] = {}
        self._seen: dict[Key, KubeObject | None] = {}  # the version of each job that was last looked at
        self._slots = 0
        self._described: list[dict[str, Any]] = []
        self._place: dict[Key, int] = {}
        self.in_use: set[int] = set()
        self.failed: dict[Key, Entry] = {}
        self.pending: dict[Key, Entry] = {}  # neither submitted nor completed
        self.strict = True

    def arrange(self, spec: SchedulingSpec) -> list[Key]:
        """Takes over the jobs of a spec; returns those that are no longer in it."""
        self._seen.clear()
        new = {entry.key: entry for entry in _entries(spec)}
        self.strict = spec.slot_based is None or spec.slot_based.mode == "strict"
        gone = [key for key in self.entries if key not in new]
        for key in gone:
            entry = self.entries[key]
            self._uncount(key, entry.state, entry.used, entry.problem)
        order: dict[Key, Entry] = {}
        for key, entry in new.items():
            known = self.entries.get(key)
            if known is None:
                self.counts[entry.state] += 1
                self.changed.add(key)
                known = entry
            elif known.state in (QueuedState.ACQUIRING, QueuedState.IN_QUEUE):
                known.replication, known.wanted = entry.replication, entry.wanted
                self.changed.add(key)
            order[key] = known
        self.entries = order
        self.pending = {key: entry for key, entry in order.items() if entry.state in _PENDING}
        self._described = [entry.status for entry in order.values()]
        self._place = {key: place for place, key in enumerate(order)}
        for key in gone:
            self.problems.pop(key, None)
        return gone

    def measure(self, slots: int) -> None:
        """Takes over how many slots the testbed has; 0 if that is not known yet."""
        if slots != self._slots:
            self._slots = slots
            for entry in self.entries.values():
                self._judge(entry)

    def _judge(self, entry: Entry) -> None:
        problem = job_problem(entry, self._slots)
        if problem:
            self.problems[entry.key] = problem
        else:
            self.problems.pop(entry.key, None)

    def expects(self, job: KubeObject) -> bool:
        """Tells whether a change of a job says nothing new: it runs, and was known to be scheduled."""
        known = self.entries[job.key].state
        return known is QueuedState.SCHEDULED and job.status.get("state") == JobState.RUNNING

    def see(self, key: Key, job: KubeObject | None) -> None:
        """Takes over what a job is now."""
        entry = self.entries[key]
        if job is not None and job is self._seen.get(key):
            return
        self._seen[key] = job
        was_pending, before = entry.state in _PENDING, entry.status
        counted = (entry.state, entry.used, entry.problem)
        entry.see(job, self._scheduling)
        if (entry.state, entry.used, entry.problem) != counted:
            self._uncount(key, *counted)
            self._count(entry)
        self._judge(entry)
        if entry.status is not before and entry.status != before:
            self._described = list(self._described)  # the old one is in the status that was written
            self._described[self._place[key]] = entry.status
        if entry.state not in _PENDING:
            self.pending.pop(key, None)
        elif not was_pending:  # given back: it keeps its place in the order
            self.pending = {each: self.entries[each] for each in self.entries if self.entries[each].state in _PENDING}

    def _count(self, entry: Entry) -> None:
        self.counts[entry.state] += 1
        if entry.state in _ACTIVE:
            self.in_use.update(entry.used)
        if entry.state is QueuedState.COMPLETED and entry.problem:
            self.failed[entry.key] = entry

    def _uncount(self, key: Key, state: QueuedState, used: tuple[int, ...], problem: str) -> None:
        self.counts[state] -= 1
        if state in _ACTIVE:
            self.in_use.difference_update(used)
        if problem:
            self.failed.pop(key, None)

    @property
    def size(self) -> int:
        """Returns how many jobs there are."""
        return len(self.entries)

    @property
    def begun(self) -> bool:
        """Tells whether any job was submitted."""
        waiting = self.counts[QueuedState.ACQUIRING] + self.counts[QueuedState.IN_QUEUE]
        return waiting < self.size

    @property
    def missing(self) -> list[Entry]:
        """Returns the jobs that are not yet ours."""
        if not self.counts[QueuedState.ACQUIRING]:
            return []
        return [entry for entry in self.pending.values() if entry.state is QueuedState.ACQUIRING]

    def runnable(self, free: set[int]) -> Iterator[tuple[Entry, tuple[int, ...]]]:
        """Yields the jobs that can start with these free slots, and the slots that each gets.

        A queue starts its jobs in their order, each on the free slots with the lowest ids; none overtakes another. So
        do jobs with slots of their own if they are strict; otherwise each starts as soon as its own slots are free.
        """
        left = sorted(free - self.in_use)
        for entry in self.pending.values():
            if not left:
                return
            chosen = _choose(entry, left)
            if chosen and entry.state is QueuedState.IN_QUEUE:
                left = [slot for slot in left if slot not in chosen]
                yield entry, chosen
            elif self.strict:
                return

    def describe(self) -> list[dict[str, Any]]:
        """Returns the jobs for the status: the same list, as long as none has changed."""
        return self._described


def _choose(entry: Entry, free: list[int]) -> tuple[int, ...]:
    if entry.wanted:
        return entry.wanted if set(entry.wanted) <= set(free) else ()
    return tuple(free[: entry.replication]) if entry.replication <= len(free) else ()


def _entries(spec: SchedulingSpec) -> Iterator[Entry]:
    """Yields the jobs of a spec; a job that stands several times in a queue gets as many slots."""
    if spec.slot_based is not None:
        for job in spec.slot_based.jobs:
            yield Entry(job.name.key, len(job.slot_ids), job.slot_ids)
        return
    counts: dict[Key, int] = {}
    for name in spec.queue_based or ():
        counts[name.key] = counts.get(name.key, 0) + 1
    for key, count in counts.items():
        yield Entry(key, count)
