from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.volcano.config import conf as switches
from wavetank.scheduling.volcano.config.conf import PluginOption
from wavetank.scheduling.volcano.model.job import Job
from wavetank.scheduling.volcano.model.queue import QueueInfo
from wavetank.scheduling.volcano.model.task import Task, comes_before
from wavetank.scheduling.volcano.session.hooks import Evictable, Hooks, Invalid, Scores
from wavetank.scheduling.volcano.session.observer import Observer

Tiers = Sequence[Sequence[tuple[str, Any]]]  # by tier, each plugin that takes part with its function


class PluginTiers:
    """Asks the plugins, tier by tier as Volcano does, and makes one answer of theirs.

    With `vetoes` a plugin that accepts no victim has the last word in its tier, which it has not in Volcano.
    """

    def __init__(
        self,
        tiers: Sequence[Sequence[PluginOption]],
        hooks: dict[str, Hooks],
        observer: Observer | None,
        vetoes: bool,
    ) -> None:
        self._hooks = hooks
        self._options = tiers
        self._observer = observer
        self._vetoes = vetoes
        self._job_order = self._flat("job_order", switches.JOB_ORDER)
        self._queue_order = self._flat("queue_order", switches.QUEUE_ORDER)
        self._victim_queue_order = self._flat("victim_queue_order")
        self._task_order = self._flat("task_order", switches.TASK_ORDER)
        self._ready = self._flat("job_ready", switches.JOB_READY)
        self._valid = self._flat("job_valid")
        self._enqueued = self._flat("enqueued", switches.JOB_ENQUEUED)
        self._overused = self._flat("overused", switches.OVERUSED)
        self._preemptive = self._flat("preemptive", switches.PREEMPTIVE)
        self._allocatable = self._flat("allocatable", switches.ALLOCATABLE)
        self._prepare = self._flat("prepare", switches.PREDICATE)
        self._predicate = self._flat("predicate", switches.PREDICATE)
        self._node_scores = self._flat("node_scores", switches.NODE_ORDER)
        self._batch_scores = self._flat("batch_scores", switches.NODE_ORDER)
        self._enqueueable = self._tiered("enqueueable", switches.JOB_ENQUEUED)
        self._pipelined = self._tiered("job_pipelined", switches.JOB_PIPELINED)
        self._starving = self._tiered("job_starving", switches.JOB_STARVING)
        self._preemptable = self._tiered("preemptable", switches.PREEMPTABLE)
        self._reclaimable = self._tiered("reclaimable", switches.RECLAIMABLE)

    def _tiered(self, point: str, switch: str = "") -> Tiers:
        return [
            [
                (option.name, function)
                for option in tier
                if option.takes_part(switch) and (function := getattr(self._hooks[option.name], point)) is not None
            ]
            for tier in self._options
        ]

    def _flat(self, point: str, switch: str = "") -> Sequence[tuple[str, Any]]:
        return [named for tier in self._tiered(point, switch) for named in tier]

    # orders

    def compare_jobs(self, left: Job, right: Job) -> int:
        """Returns a negative number if the plugins want the first job first, a positive one if the second, else 0."""
        for _, key in self._job_order:
            of_left, of_right = key(left), key(right)
            if of_left != of_right:
                return -1 if of_left < of_right else 1
        return 0

    def in_order(self, jobs: Iterable[Job]) -> list[Job]:
        """Returns jobs in the order of a heap in which their order does not change."""
        keys = [key for _, key in self._job_order]
        return sorted(jobs, key=lambda job: (*(key(job) for key in keys), job.created, job.key))

    def job_before(self, left: Job, right: Job) -> bool:
        """Returns whether the first job comes first; the older one, if the plugins have no preference."""
        found = self.compare_jobs(left, right)
        return found < 0 if found else (left.created, left.key) < (right.created, right.key)

    def queue_before(self, left: QueueInfo, right: QueueInfo) -> bool:
        """Returns whether the first queue comes first; the older one, if the plugins have no preference."""
        for _, compare in self._queue_order:
            found: int = compare(left, right)
            if found:
                return found < 0
        return (left.created, left.name) < (right.created, right.name)

    def victim_queue_before(self, left: QueueInfo, right: QueueInfo, preemptor: QueueInfo) -> bool:
        """Returns whether victims are taken from the first queue first."""
        for _, compare in self._victim_queue_order:
            found: int = compare(left, right, preemptor)
            if found:
                return found < 0
        return not self.queue_before(left, right)

    def task_before(self, left: Task, right: Task) -> bool:
        """Returns whether the first task of a job comes first."""
        for _, compare in self._task_order:
            found: int = compare(left, right)
            if found:
                return found < 0
        return comes_before(left, right)

    # of jobs

    def job_ready(self, job: Job) -> bool:
        """Returns whether a job's tasks may be bound."""
        return all(ready(job) for _, ready in self._ready)

    def job_valid(self, job: Job) -> Invalid | None:
        """Returns why a job cannot be scheduled at all, or None."""
        return next((found for _, check in self._valid if (found := check(job)) is not None), None)

    def job_pipelined(self, job: Job) -> bool:
        """Returns whether a job has enough tasks when releasing tasks are gone."""
        return self._vote(self._pipelined, job, None)

    def job_enqueueable(self, job: Job) -> bool:
        """Returns whether a job may be enqueued."""
        return self._vote(self._enqueueable, job, self._note_vote)

    def enqueued(self, job: Job) -> None:
        """Calls the plugins after a job was enqueued."""
        for _, tell in self._enqueued:
            tell(job)

    def job_starving(self, job: Job) -> bool:
        """Returns whether a job may take from others; the first tier that has an opinion decides."""
        for tier in self._starving:
            if tier:
                return all(starving(job) for _, starving in tier)
        return False

    def _vote(self, tiers: Tiers, job: Job, note: Callable[[str, Job, int], None] | None) -> bool:
        """A rejection ends the vote; if a plugin permits, later tiers are not called."""
        for tier in tiers:
            permitted = False
            for name, ask in tier:
                vote: int = ask(job)
                if note is not None:
                    note(name, job, vote)
                if vote < 0:
                    return False
                permitted = permitted or vote > 0
            if permitted:
                return True
        return True

    def _note_vote(self, plugin: str, job: Job, vote: int) -> None:
        if self._observer is not None:
            self._observer.note("vote", j=job.key, plugin=plugin, vote=vote)

    # of queues

    def overused(self, queue: QueueInfo) -> bool:
        """Returns whether a queue has had its share."""
        for name, overused in self._overused:
            if overused(queue):
                if self._observer is not None:
                    self._observer.note("overused", j=queue.name, plugin=name)
                return True
        return False

    def allocatable(self, queue: QueueInfo, task: Task) -> bool:
        """Returns whether a task fits into a queue's share."""
        for name, allocatable in self._allocatable:
            if not allocatable(queue, task):
                if self._observer is not None:
                    self._observer.note("not-allocatable", t=task.key, j=queue.name, plugin=name)
                return False
        return True

    def preemptive(self, queue: QueueInfo, task: Task) -> bool:
        """Returns whether a queue may take back from others for a task."""
        return all(preemptive(queue, task) for _, preemptive in self._preemptive)

    # of nodes

    def prepare(self, task: Task) -> str:
        """Looks at a task before nodes are filtered; returns why no node can do, or an empty text."""
        return next((problem for _, prepare in self._prepare if (problem := prepare(task))), "")

    def predicate(self, task: Task, slots: IntArray) -> IntArray | None:
        """Returns the status number of each node, or None if no plugin filters."""
        for _, predicate in self._predicate:
            statuses: IntArray = predicate(task, slots)
            return statuses  # only the plugin predicates has such a function
        return None

    def node_scores(self, task: Task, slots: IntArray) -> Scores:
        """Returns the scores that are floats, in the order in which they are added."""
        return {part: scores for _, score in self._node_scores for part, scores in score(task, slots).items()}

    def batch_scores(self, task: Task, slots: IntArray) -> Scores:
        """Returns the scores that are whole numbers."""
        return {part: scores for _, score in self._batch_scores for part, scores in score(task, slots).items()}

    # victims

    def preemptable(self, preemptor: Task, candidates: list[Task], node_name: str) -> list[Task]:
        """Returns the tasks that may be evicted for a task of the same queue."""
        return self._victims("preemptable", self._preemptable, preemptor, candidates, node_name)

    def reclaimable(self, reclaimer: Task, candidates: list[Task], node_name: str) -> list[Task]:
        """Returns the tasks that may be evicted for a task of another queue."""
        return self._victims("reclaimable", self._reclaimable, reclaimer, candidates, node_name)

    def _victims(self, op: str, tiers: Tiers, task: Task, candidates: list[Task], node_name: str) -> list[Task]:
        """Intersects the answers of a tier; one without a victim counts as no answer of the tier (unless it vetoes)."""
        victims: list[Task] | None = None
        for tier in tiers:
            for name, accept in tier:
                accepted = self._accepted(op, name, accept, task, candidates, node_name)
                if not accepted:
                    if self._vetoes:
                        return []
                    victims = None
                    break
                if victims is None:
                    victims = accepted
                else:
                    keys = {victim.key for victim in accepted}
                    victims = [victim for victim in victims if victim.key in keys]
                    if not victims:
                        if self._vetoes:
                            return []
                        victims = None
            if victims is not None:
                return victims
        return []

    def _accepted(
        self, op: str, plugin: str, accept: Evictable, task: Task, candidates: list[Task], node_name: str
    ) -> list[Task]:
        accepted = accept(task, candidates)
        if self._observer is not None and candidates:
            given, taken = [each.key for each in candidates], [each.key for each in accepted]
            self._observer.note(op, t=task.key, n=node_name, plugin=plugin, **{"in": given, "out": taken})
        return accepted
