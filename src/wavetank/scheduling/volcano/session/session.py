from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.volcano import defects
from wavetank.scheduling.volcano.config.conf import PluginOption, VolcanoConf
from wavetank.scheduling.volcano.model.cache import Cache
from wavetank.scheduling.volcano.model.fiterrors import StatusTable
from wavetank.scheduling.volcano.model.job import INQUEUE, Job
from wavetank.scheduling.volcano.model.queue import QueueInfo
from wavetank.scheduling.volcano.model.statuses import ALLOCATED, BINDING, PENDING, PIPELINED, RELEASING, RUNNING
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.session.hooks import Hooks, Plugin
from wavetank.scheduling.volcano.session.observer import Observer
from wavetank.scheduling.volcano.session.outcome import UNSCHEDULABLE, SessionOutcome
from wavetank.scheduling.volcano.session.plugintiers import PluginTiers
from wavetank.scheduling.volcano.session.sessionterms import SessionTerms
from wavetank.scheduling.volcano.session.ties import Ties

T = TypeVar("T")


class Session:
    """One session: the cluster as it was at its beginning, changed in memory by what actions do.

    Whatever it changes in the cache is put back when it ends; what it wants done is in its outcome. `now` is the time
    by which waiting times are computed, on the clock of the objects' creation.
    With `maps`, what Volcano iterates over in the order of a Go map comes in random order; without, always in the same.
    With `victims`, so do the pods of a node among which victims are sought: recordings have them by name.
    """

    def __init__(
        self,
        cache: Cache,
        conf: VolcanoConf,
        plugins: Mapping[str, Callable[[PluginOption], Plugin]],
        *,
        now: Nanoseconds,
        start: int,
        ties: Ties,
        observer: Observer | None = None,
        without: frozenset[str] = frozenset(),
        maps: random.Random | None = None,
        victims: random.Random | None = None,
    ) -> None:
        self.cache = cache
        self.conf = conf
        self.now = now
        self.start = start  # where the next search among many nodes begins
        self.ties = ties
        self.observer = observer
        self.without = without
        self._maps = maps
        self._victims = victims
        self.outcome = SessionOutcome()
        self.fit_errors: dict[str, str] = {}  # summaries of the statuses of jobs' tasks, by job
        self.enqueue_rejections: dict[str, str] = {}  # why jobs were not enqueued, by job
        self.new_conditions: dict[str, dict[str, dict[str, str]]] = {}  # of PodGroups, by job and type
        self.statuses = StatusTable()
        self.node_resources = cache.node_resources.copy()
        self.nodes: IntArray = cache.nodes
        self.names = [node.name if node else "" for node in cache.table.nodes]  # by slot
        self.jobs: dict[str, Job] = {job.key: job for job in self.in_map_order(list(cache.jobs()))}
        self.queues: dict[str, QueueInfo] = cache.queues
        self.total = self.node_resources.total(self.nodes)
        self.searches = 0  # for nodes for a task
        self.changes = 0  # of tasks' statuses
        self.tried_placing = False  # whether any task got a place, if only for a while
        self._before: dict[str, tuple[Task, int, str, int]] = {}  # how tasks stood at the beginning
        self._phases = {job.key: job.phase for job in self.jobs.values()}
        self._changes: list[tuple[Task, str, int]] = []  # of the NodeTable
        self._terms = cache.table.terms
        if defects.STALE_AFFINITY not in without:
            cache.table.terms = SessionTerms(self._terms, cache.table.placements)
        self._open(plugins)

    def _open(self, plugins: Mapping[str, Callable[[PluginOption], Plugin]]) -> None:
        if defects.STALE_IMAGES in self.without:
            self.table.images.outdated.update(self.nodes.tolist())
            self.table.begin_cycle()
        hooks: dict[str, Hooks] = {}
        opened: list[Hooks] = []
        self.plugins: dict[str, Plugin] = {}
        for tier in self.conf.tiers:
            for option in tier:
                plugin = self.plugins[option.name] = plugins[option.name](option)
                hooks[option.name] = plugin.open(self)
                opened.append(hooks[option.name])
        self._allocated = [each.allocated for each in opened if each.allocated is not None]
        self._deallocated = [each.deallocated for each in opened if each.deallocated is not None]
        self._closing = [each.close for each in hooks.values() if each.close is not None]
        self.tiers = PluginTiers(self.conf.tiers, hooks, self.observer, defects.EMPTY_ANSWER in self.without)

    @property
    def table(self) -> NodeTable:
        """Returns the nodes as kube-scheduler's filters and scores see them."""
        return self.cache.table

    def in_map_order(self, items: list[T]) -> list[T]:
        """Returns items in an order that they might have in a Go map."""
        return items if self._maps is None else self._maps.sample(items, len(items))

    def in_victim_order(self, tasks: list[Task]) -> list[Task]:
        """Returns the tasks of a node in the order in which victims are sought."""
        return tasks if self._victims is None else self._victims.sample(tasks, len(tasks))

    def queue_of(self, job: Job) -> QueueInfo:
        """Returns the queue of a job."""
        return self.queues[job.queue]

    def job_of(self, task: Task) -> Job | None:
        """Returns the job of a task, unless it takes no part in the session."""
        return self.jobs.get(task.job)

    def note(self, op: str, task: Task, node_name: str = "") -> None:
        """Records a step of a task, if there is an observer."""
        if self.observer is not None:
            self.observer.note(op, t=task.key, n=node_name or task.node)

    # what becomes of tasks, in memory

    def enqueue(self, job: Job) -> None:
        """Enqueues a job."""
        job.phase = INQUEUE
        self.outcome.enqueued.append(job)
        if self.observer is not None:
            self.observer.note("enqueue", j=job.key)

    def refuse(self, job: Job, why: str) -> None:
        """Records why a job was not enqueued."""
        self.enqueue_rejections[job.key] = why
        self.outcome.events.append((job.key, UNSCHEDULABLE, why))

    def allocate(self, task: Task, slot: int) -> None:
        """Allocates a task to a node."""
        self._place(task, slot, ALLOCATED)
        self.note("allocate", task)

    def pipeline(self, task: Task, slot: int, evicted_for: bool) -> None:
        """Pipelines a task to a node, `evicted_for` if pods were evicted for it."""
        task.evicted_for = evicted_for
        self._place(task, slot, PIPELINED)
        self.note("pipeline", task)

    def withdraw(self, task: Task) -> None:
        """Removes a task from the node that it was allocated or pipelined to."""
        node_name = task.node
        self.changes += 1
        op = "unallocate" if task.status == ALLOCATED else "unpipeline"
        self.jobs[task.job].move(task, PENDING)
        self.node_resources.put(task, self.table.slots[node_name], -1)
        self._tell(self._deallocated, task)
        task.node = ""
        self.note(op, task, node_name)

    def evict(self, task: Task) -> None:
        """Evicts a task from its node."""
        self._keep(task)
        self._restate(task, RELEASING)
        self._tell(self._deallocated, task)
        self.note("evict", task)

    def unevict(self, task: Task) -> None:
        """Lets a task stay after all; whatever it was, it counts as running then."""
        was = self._before[task.key][1] if defects.BOUND_RUNS in self.without else RUNNING
        self._restate(task, was)
        self._tell(self._allocated, task)
        self.note("unevict", task)

    def bind(self, task: Task) -> None:
        """Sends a task to its node for good."""
        self.jobs[task.job].move(task, BINDING)
        self.outcome.binds.append((task, task.node))
        self.note("bind", task)

    def commit_eviction(self, task: Task, reason: str) -> None:
        """Sends a task away for good."""
        self.outcome.evicts.append((task, reason))
        if self.observer is not None:
            self.observer.note("commit-evict", t=task.key, n=task.node, reason=reason)

    def _place(self, task: Task, slot: int, status: int) -> None:
        self._keep(task)
        self.changes += 1
        self.tried_placing = True
        self.jobs[task.job].move(task, status)
        task.node, task.on_node = self.names[slot], status
        self.node_resources.put(task, slot, 1)
        self._tell(self._allocated, task)

    def _restate(self, task: Task, status: int) -> None:
        """Gives a task on its node another status."""
        self.changes += 1
        slot = self.table.slots[task.node]
        self.jobs[task.job].move(task, status)
        self.node_resources.put(task, slot, -1)
        task.on_node = status
        self.node_resources.put(task, slot, 1)

    def _keep(self, task: Task) -> None:
        if task.key not in self._before:
            self._before[task.key] = (task, task.status, task.node, task.on_node)

    def _tell(self, handlers: Sequence[Callable[[Task], None]], task: Task) -> None:
        for handler in handlers:
            handler(task)

    # what filters and scores see

    def show(self, task: Task) -> None:
        """Lets filters and scores see a task on its node."""
        self.table.add_pod(task.pod, task.node)
        self._changes.append((task, task.node, 1))

    def hide(self, task: Task) -> None:
        """Hides a task from filters and scores, if they see it."""
        if task.pod.uid in self.table.placements:
            self.table.remove_pod(task.pod.uid)
            self._changes.append((task, task.node, -1))

    # the end

    def settle(self) -> None:
        """Closes the plugins."""
        for close in self._closing:
            close()

    def end(self) -> None:
        """Puts everything back that the session has changed in the cache."""
        for task, node_name, sign in reversed(self._changes):
            if sign > 0:
                self.table.remove_pod(task.pod.uid)
            else:
                self.table.add_pod(task.pod, node_name)
        self.table.terms = self._terms
        for task, status, node_name, on_node in self._before.values():
            self.jobs[task.job].move(task, status)
            task.node, task.on_node = node_name, on_node
            task.evicted_for, task.last = False, None
        for job in self.jobs.values():
            job.phase = self._phases[job.key]
            if job.fit_errors:
                job.forget_failures()
