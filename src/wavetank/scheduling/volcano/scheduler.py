from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from functools import partial

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.volcano import API_VERSION, POD_GROUPS, QUEUES, PodGroup, Queue
from wavetank.cluster.store.errors import ApiError
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import SCHEDULERS, Clock
from wavetank.kernel.distributions import drawing
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.latency import SchedulerLatency
from wavetank.scheduling.plugins.defaultpreemption.plugin import PREEMPTED
from wavetank.scheduling.scheduler.prebinding import PreBinding
from wavetank.scheduling.volcano.config.conf import VolcanoConf
from wavetank.scheduling.volcano.informers import follow_cluster
from wavetank.scheduling.volcano.model.cache import DEFAULT_QUEUE, Cache
from wavetank.scheduling.volcano.model.queue import OPEN, ROOT
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.plugins import plugin_makers
from wavetank.scheduling.volcano.plugins.kubeplugins import KubePlugins
from wavetank.scheduling.volcano.plugins.predicates import Predicates
from wavetank.scheduling.volcano.plugins.sla import Sla
from wavetank.scheduling.volcano.podgroups import PodGroupController
from wavetank.scheduling.volcano.release import V1_15, VolcanoRelease
from wavetank.scheduling.volcano.running import run_session
from wavetank.scheduling.volcano.session.closing import changes_status
from wavetank.scheduling.volcano.session.outcome import PodCondition
from wavetank.scheduling.volcano.session.session import Session
from wavetank.scheduling.volcano.session.ties import Ties


class VolcanoScheduler:
    """Volcano's scheduler on the simulated cluster: one session after the other, a period apart.

    Where nothing has changed since a session that wanted nothing done, the next would not either: it is left out until
    there are events, or a waiting time of the plugin sla is over.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        conf: VolcanoConf,
        *,
        scheduler_names: Collection[str],
        takes_all: bool,
        period: Nanoseconds = SECOND,
        without: frozenset[str] = frozenset(),
        ties: Ties,
        latency: SchedulerLatency | None = None,
        draws: random.Random,
        release: VolcanoRelease = V1_15,
    ) -> None:
        self.attempts = 0
        self.cache = Cache()
        self._store = store
        self._clock = clock
        self._conf = conf
        self._names = frozenset(scheduler_names)
        self._takes_all = takes_all
        self._period = period
        self._without = without
        self._ties = ties
        latency = latency or SchedulerLatency()
        self._draw_bind = drawing(latency.bind, draws)
        self._draw_delete = drawing(latency.delete, draws)
        listers = Listers()
        self._kube = KubePlugins(listers, release)
        self._plugins = plugin_makers(self._kube)
        self._start = 0  # where the next search among many nodes begins
        self._origin = self._earliest = clock.now
        self._due: dict[Nanoseconds, bool] = {}  # planned sessions, and whether they are progress
        self._reporting = False
        self._rejected_groups: dict[str, str] = {}
        open_queues(store)
        follow_cluster(store, self.cache, listers, self.takes, self._wake)
        PodGroupController(store, self.takes)

    def takes(self, pod: Pod) -> bool:
        """Returns whether a pod is this scheduler's business."""
        return self._takes_all or pod.scheduler_name in self._names

    def rejected_groups(self) -> Mapping[str, str]:
        """Returns the PodGroups without pods that the last session has rejected, with the reason."""
        return self._rejected_groups

    def configure(self, conf: VolcanoConf) -> None:
        """Takes another configuration for the sessions to come, of which the next is due."""
        self._conf = conf
        self._wake()

    # when

    def _wake(self) -> None:
        if not self._reporting:
            self._plan(self._clock.now)

    def _plan(self, time: Nanoseconds, background: bool = False) -> None:
        """Plans a session at the first beat that is not before a time, and for which there was none yet."""
        time = max(time, self._earliest)
        beat = self._origin - (self._origin - time) // self._period * self._period
        if beat not in self._due or (self._due[beat] and not background):
            self._due[beat] = background
            self._clock.at(beat, partial(self._beat, beat, background), SCHEDULERS, background)

    def _beat(self, beat: Nanoseconds, background: bool) -> None:
        if self._due.get(beat) == background:
            del self._due[beat]
            self._earliest = beat + 1
            self._run()

    # what

    def _run(self) -> None:
        session = Session(
            self.cache,
            self._conf,
            self._plugins,
            now=self._clock.now,
            start=self._start,
            ties=self._ties,
            without=self._without,
        )
        jobs = session.jobs
        outcome = run_session(session)
        self._start = session.start
        self._rejected_groups = {key: why for key, why in session.enqueue_rejections.items() if not jobs[key].tasks}
        self.attempts += session.searches
        changed = {key: status for key, status in outcome.groups.items() if changes_status(jobs[key], status)}
        self._carry_out(session)
        for key, status in changed.items():
            self._write_group(key, status)
        self._report(outcome.conditions)
        self._plan_next(session)

    def _carry_out(self, session: Session) -> None:
        """Binds and evicts; all of it is collected first, since watchers of the first write may change the others."""
        predicates = session.plugins.get(Predicates.name)
        volumes = predicates.awaited if isinstance(predicates, Predicates) else _no_volumes
        outcome = session.outcome
        cycles = [volumes(task, node_name) for task, node_name in outcome.binds]
        for task, node_name in outcome.binds:
            self.cache.assume(task, node_name)
        for task, _ in outcome.evicts:
            self.cache.expel(task)
        for (task, node_name), cycle in zip(outcome.binds, cycles, strict=True):
            self._bind(task, node_name, cycle)
        for task, _ in outcome.evicts:
            self._later(self._draw_delete(), partial(self._commit_eviction, task))

    def _plan_next(self, session: Session) -> None:
        """Schedules what no event will cause: the end of a waiting time, and another try if a choice is random."""
        if self._ties.by_chance and session.tried_placing and not session.outcome.binds:
            self._plan(self._clock.now + self._period, background=True)
        sla = session.plugins.get(Sla.name)
        if isinstance(sla, Sla):
            deadlines = (sla.deadline(job) for job in session.jobs.values() if not job.is_ready())
            coming = [time for time in deadlines if time is not None and time > self._clock.now]
            if coming:
                self._plan(min(coming))

    # what comes of it

    def _bind(self, task: Task, node_name: str, cycle: Cycle | None) -> None:
        """Sends a task to its node; with a cycle, when the volumes are bound that were found in it."""
        bind = partial(self._later, self._draw_bind(), partial(self._commit_bind, task, node_name))
        if cycle is None:
            bind()
            return
        volumes = self._kube.volumes

        def failed(message: str) -> None:
            volumes.unreserve(cycle, node_name)
            self._retract(task)

        PreBinding(self._store, self._clock, cycle, node_name, [volumes], bind, failed).begin()

    def _commit_bind(self, task: Task, node_name: str) -> None:
        try:
            self._store.bind(task.pod, node_name)
        except ApiError:
            self._retract(task)

    def _commit_eviction(self, task: Task) -> None:
        try:
            self._store.evict(task.pod, PREEMPTED)
        except ApiError:
            self._retract(task)

    def _later(self, latency: Nanoseconds, commit: partial[None]) -> None:
        if latency:
            self._clock.after(latency, commit)
        else:
            commit()

    def _retract(self, task: Task) -> None:
        """Reads a pod again whose binding or eviction did not succeed, if it is still there."""
        present = self._store.find(POD, task.pod.namespace, task.pod.name)
        if isinstance(present, Pod) and task.key in self.cache.tasks:
            self.cache.set_pod_anew(present)
            self._wake()

    def _write_group(self, key: str, status: dict[str, object]) -> None:
        group = self._store.find(POD_GROUPS, *key.split("/", 1))
        if isinstance(group, PodGroup):
            self._store.update(group.with_status(status))

    def _report(self, conditions: dict[str, PodCondition]) -> None:
        """Writes why pods were not bound, if that is new; only a new nomination is a reason for a new session."""
        for key, condition in conditions.items():
            task = self.cache.tasks.get(key)
            if task is None or task.node:
                continue  # it is deleted by now
            pod = task.pod
            if (pod.unschedulable, pod.nominated_node) != (condition.message, condition.nominated):
                self._reporting = pod.nominated_node == condition.nominated
                new = pod.copy()
                new.unschedulable, new.nominated_node = condition.message, condition.nominated
                self._store.update(new)
        self._reporting = False


def _no_volumes(task: Task, node_name: str) -> Cycle | None:
    return None


def open_queues(store: Store) -> None:
    """Creates the queues that every installation has, and opens those without a state."""
    for name, reclaimable in ((ROOT, False), (DEFAULT_QUEUE, True)):
        if store.find(QUEUES, "", name) is None:
            spec = {"weight": 1, "reclaimable": reclaimable}
            metadata = {"name": name}
            store.create(Queue({"apiVersion": API_VERSION, "kind": "Queue", "metadata": metadata, "spec": spec}))
    for queue in store.list(QUEUES):
        if not queue.state:
            store.update(queue.with_status({**(queue.manifest.get("status") or {}), "state": OPEN}))
