from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from wavetank.cluster.objects.groupkinds import POD, POD_DISRUPTION_BUDGET
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest, Resource, parse_time
from wavetank.cluster.releases import Version
from wavetank.cluster.rules.admission import admit
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.volumes.attaching import attach_volume_controllers
from wavetank.errors import InputError
from wavetank.explanation.advice.budgets import Budgets
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.kernel.randomness import Streams
from wavetank.results.attempts.explanation import BOUND, NOMINATED, Explanation, explain_attempt, key_of
from wavetank.scheduling.attachable import SchedulerOptions
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.simulation.extenders import connect_extender
from wavetank.simulation.world import World
from wavetank.workloads.workload import Workload

_LONGEST_WAIT = 30 * SECOND  # for the second attempt of a pod that has preempted others


class ClusterObjects(Protocol):
    """The objects of a cluster, such as `workloads.cluster.Cluster`."""

    def resources(self, specs: SpecTable) -> list[Resource]:
        """Returns new objects: nodes first, pods last."""


class Explainer:
    """Schedules pods one by one on a cluster, and explains every attempt.

    A pod that is bound runs from then on, a second before the next one is created; a pod that is not bound is deleted,
    so that each pod has its attempt in turn. Victims of a preemption are deleted at once. Pods of the cluster without a
    node are `pending`: they are not scheduled. `choices` gives pods (namespace/name) the node that they are bound to.
    A scheduler of one profile that `takes_all` does so whatever their schedulerName.
    """

    def __init__(
        self,
        cluster: ClusterObjects,
        scheduler: SchedulerDefinition,
        version: Version,
        choices: Mapping[str, str],
        takes_all: bool = False,
    ) -> None:
        world = World(version)
        self._clock, self._store = world.clock, world.store
        self._choices = choices
        self.pending: list[Pod] = []
        self._explained: list[Explanation] = []
        self._attempts: Counter[str] = Counter()
        for resource in cluster.resources(self._store.specs):
            self._take_over(resource)
        attach_volume_controllers(self._store, on_demand=True)
        self.scheduler = scheduler.attach(
            world.context,
            SchedulerOptions(ties="exact", takes_all=takes_all, explain=self._listen, connect=connect_extender),
        )

    def explain_all(self, workload: Workload | None) -> Iterator[Explanation]:
        """Explains the pods of a workload in turn, or the pending pods if there is no workload."""
        for pod in self.pending if workload is None else self._pods_of(workload):
            yield from self.explain(pod)

    @property
    def budgets(self) -> Budgets:
        """Returns the disruption budgets of the cluster."""
        return Budgets(self._store.list(POD_DISRUPTION_BUDGET))

    def pod_of(self, manifest: Manifest) -> Pod:
        """Makes a pod that can be explained."""
        return Pod.parse(manifest, self._store.specs)

    def explain(self, pod: Pod) -> list[Explanation]:
        """Creates a pod and returns its attempts, or one explanation of why there was none."""
        self._explained = []
        self._create(pod)
        self._clock.run(self._clock.now)
        while self._explained and self._explained[-1].outcome == NOMINATED and self._retried(self._explained[-1]):
            pass
        self._settle(pod)
        self._clock.run(self._clock.now + SECOND)
        return self._explained or [Explanation(key_of(pod), self._why_untried(pod))]

    # before an attempt

    def _pods_of(self, workload: Workload) -> Iterator[Pod]:
        return (arrival.pod for arrival in workload.arrivals(self._store.specs, Streams(0)))

    def _take_over(self, found: Resource) -> None:
        """Adds an object of the cluster with its state: running for some time, or terminating."""
        metadata, status = found.manifest.get("metadata") or {}, found.manifest.get("status") or {}
        where = f"{found.manifest_kind} {found.name}"
        found.deleted = parse_time(metadata.get("deletionTimestamp"), f"{where}: metadata.deletionTimestamp")
        if not isinstance(found, Pod):
            self._store.create(found)
        elif found.node_name:
            found.started = parse_time(status.get("startTime"), f"{where}: status.startTime")
            self._create(found)
        else:
            self.pending.append(found)

    def _create(self, pod: Pod) -> None:
        try:
            admit(pod, self._store)
            self._store.create(pod)
        except ApiError as error:
            raise InputError(str(error), path=f"pod {key_of(pod)}") from None

    def _why_untried(self, pod: Pod) -> str:
        if pod.node_name:
            return "prebound"
        framework = self.scheduler.framework_of(pod)
        if framework is None:
            return "ignored"
        refusing = {plugin.name for plugin in framework.pre_enqueue if not plugin.pre_enqueue(pod)}
        return "gated" if refusing == {"SchedulingGates"} else "not_enqueued"

    # the attempt

    def _listen(self, time: Nanoseconds, pod: Pod, outcome: Outcome, cycle: Cycle) -> None:
        key = key_of(pod)
        self._attempts[key] += 1
        explained = explain_attempt(pod, outcome, cycle, self._attempts[key])
        given = self._choices.get(key)
        if given and explained.outcome != NOMINATED:  # a nominated pod has its choice when it is tried again
            explained = replace(explained, chosen=given, diverged=given not in explained.candidates)
            if explained.outcome == BOUND:
                outcome.node_name = given if given in explained.feasible else ""
        self._explained.append(explained)

    # after an attempt

    def _retried(self, nominated: Explanation) -> bool:
        """Deletes the victims and waits for the next attempt; returns whether there was one."""
        for key in nominated.victims:
            victim = self._store.find(POD, *key.split("/"))
            if victim is not None:
                self._store.delete(victim)
        latest, before = self._clock.now + _LONGEST_WAIT, len(self._explained)
        while len(self._explained) == before and (due := self._clock.next_due()) is not None and due <= latest:
            self._clock.run(due)
        return len(self._explained) > before

    def _settle(self, pod: Pod) -> None:
        """Starts the pod on its node, or deletes it if it has none; a pod without an attempt stays as it is."""
        present = self._store.find(POD, pod.namespace, pod.name)
        if not self._explained or not isinstance(present, Pod):
            return
        last = self._explained[-1]
        if last.chosen is None:
            self._store.delete(present)
        elif last.chosen not in last.feasible:
            self._store.bind(present, last.chosen)
        self._start(pod)

    def _start(self, pod: Pod) -> None:
        present = self._store.find(POD, pod.namespace, pod.name)
        if isinstance(present, Pod) and present.node_name:
            started = present.copy()
            started.phase, started.started = RUNNING, self._clock.now
            self._store.update(started)
