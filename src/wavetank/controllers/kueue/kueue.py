"""The built-in Kueue, put together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from wavetank.cluster.objects.groupkinds import (
    CLUSTER_QUEUE,
    COHORT,
    LOCAL_QUEUE,
    RESOURCE_FLAVOR,
    TOPOLOGY,
    WORKLOAD,
)
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.kueue.checks import AdmissionChecks
from wavetank.controllers.kueue.events import WorkloadEvents
from wavetank.controllers.kueue.jobs.jobs import QueuedJobs
from wavetank.controllers.kueue.jobs.pods import QueuedPods
from wavetank.controllers.kueue.jobs.priorities import PriorityClasses
from wavetank.controllers.kueue.objects.clusterqueues import (
    NONE,
    ClusterQueueSpec,
    CohortSpec,
    FlavorSpec,
    stop_policy,
)
from wavetank.controllers.kueue.objects.conditions import PENDING, WorkloadStatus
from wavetank.controllers.kueue.objects.flavors import Flavors
from wavetank.controllers.kueue.objects.topologies import TopologySpec
from wavetank.controllers.kueue.objects.workloads import WorkloadInfo, is_active, local_queue_of
from wavetank.controllers.kueue.pending.queues import Queues
from wavetank.controllers.kueue.quota.hierarchy import Hierarchy
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode
from wavetank.controllers.kueue.reconciler import WorkloadReconciler
from wavetank.controllers.kueue.scheduler.cycle import Cycle
from wavetank.controllers.kueue.scheduler.loop import SchedulerLoop
from wavetank.controllers.kueue.settings import CONFIGURATION, read_settings
from wavetank.controllers.kueue.statuses import QueueStatuses
from wavetank.controllers.kueue.topology.topologies import Topologies
from wavetank.controllers.kueue.topology.ungater import TopologyUngater
from wavetank.controllers.kueue.writer import COMPONENT, Writer
from wavetank.errors import InputError

T = TypeVar("T")


class Kueue:
    """Admits Jobs, pods and groups of pods when ClusterQueues have quota for them, by Kueue's rules."""

    def __init__(self, context: ControllerContext) -> None:
        store = self._store = context.store
        self._record_event = context.record_event
        self._flavors = Flavors()
        self._topologies = Topologies(store, self._wake, self._requeue_all)
        self.hierarchy = Hierarchy(self._topologies)
        self._queues = Queues(store, self.hierarchy, self._wake)
        self._writer = Writer(context)
        self._cycle = Cycle(self.hierarchy, self._queues, self._flavors, self._topologies, self._writer)
        self._loop = SchedulerLoop(context.clock, self._queues, self._cycle, self._settle)
        self._events = WorkloadEvents(store, self.hierarchy, self._queues, self._wake)
        self._late: list[Callable[[], None]] = []  # events that came during a cycle
        self._statuses = QueueStatuses(context, self.hierarchy, self._queues) if context.observed else None
        self._reconciler = WorkloadReconciler(context, self._writer, self.hierarchy, self._queues)
        self._checks = AdmissionChecks(store, self._refresh)
        self._ungater = TopologyUngater(context)
        self._follow(CONFIGURATION, self._configure, lambda old: None)
        self._follow(TOPOLOGY, self._put_topology, self._drop_topology)
        self._follow(RESOURCE_FLAVOR, self._put_flavor, self._drop_flavor)
        self._follow(COHORT, self._put_cohort, self._drop_cohort)
        self._follow(CLUSTER_QUEUE, self._put_queue, self._drop_queue)
        self._follow(LOCAL_QUEUE, self._put_local, self._drop_local)
        store.subscribe(WORKLOAD, added=self._added, modified=self._modified, deleted=self._deleted)
        for workload in store.list(WORKLOAD):
            self._added(workload)
        classes = PriorityClasses(context.clock)
        QueuedJobs(context, self._writer, self._flavors, classes)
        QueuedPods(context, self._writer, self._flavors, classes)

    def _follow(self, kind: str, put: Callable[[Resource], None], drop: Callable[[Resource], None]) -> None:
        """Calls `put` with every object of a kind and its new versions, `drop` with those that are deleted."""

        def modified(old: Resource, new: Resource) -> None:
            if old.manifest.get("spec") != new.manifest.get("spec"):
                put(new)

        for resource in self._store.list(kind):
            put(resource)
        self._store.subscribe(kind, added=put, modified=modified, deleted=drop)

    def _wake(self) -> None:
        self._loop.wake()

    # Workloads

    def _added(self, new: Resource) -> None:
        self._tell(partial(self._events.added, new))
        self._reconciler.changed(new)

    def _modified(self, old: Resource, new: Resource) -> None:
        self._tell(partial(self._events.modified, old, new))
        self._reconciler.changed(new)
        self._note(old, new)

    def _deleted(self, old: Resource) -> None:
        self._tell(partial(self._events.deleted, old))
        self._note(old)

    def _tell(self, event: Callable[[], None]) -> None:
        if self._loop.running:
            self._late.append(event)
        else:
            event()

    def _settle(self) -> None:
        late, self._late = self._late, []
        for event in late:
            event()

    def _note(self, *workloads: Resource) -> None:
        if self._statuses is not None:
            for each in workloads:
                self._statuses.changed(each)

    # other objects

    def _parsed(self, parse: Callable[[Resource], T], resource: Resource) -> T | None:
        """Parses an object; None, with an Event, for one that Kueue would refuse or that is not modelled.

        Those of an experiment have been checked before.
        """
        try:
            return parse(resource)
        except InputError as error:
            self._record_event(resource, "Warning", "Refused", str(error), COMPONENT)
            return None

    def _configure(self, new: Resource) -> None:
        settings = self._parsed(lambda each: read_settings(each.manifest), new)
        if settings is not None:
            self._cycle.configure(settings)
            self._wake()

    def _put_flavor(self, new: Resource) -> None:
        spec = self._parsed(FlavorSpec.parse, new)
        if spec is None:
            self._drop_flavor(new)
            return
        self._flavors.put(spec)
        self._topologies.put_flavor(spec)
        if spec.topology:
            self._ungater.start()
        self._refresh()

    def _drop_flavor(self, old: Resource) -> None:
        self._flavors.drop(old.name)
        self._topologies.drop_flavor(old.name)
        self._refresh()

    def _put_topology(self, new: Resource) -> None:
        spec = self._parsed(TopologySpec.parse, new)
        if spec is not None:
            self._topologies.put(spec)
        self._refresh()

    def _drop_topology(self, old: Resource) -> None:
        self._topologies.drop(old.name)
        self._refresh()

    def _put_cohort(self, new: Resource) -> None:
        spec = self._parsed(CohortSpec.parse, new)
        if spec is not None:
            self.hierarchy.put_cohort(spec)
            self._requeue_cohort(new.name)

    def _drop_cohort(self, old: Resource) -> None:
        self._requeue_cohort(old.name)
        self.hierarchy.drop_cohort(old.name)

    def _requeue_cohort(self, name: str) -> None:
        cohort = self.hierarchy.cohorts.get(name)
        if cohort is not None and not cohort.is_cyclic:
            for queue in list(cohort.root.all_queues()):
                self._queues.requeue_tree(queue.name)
        self._refresh()

    def _put_queue(self, new: Resource) -> None:
        spec = self._parsed(ClusterQueueSpec.parse, new)
        if spec is None:
            self._drop_queue(new)
            return
        node = self.hierarchy.put_queue(spec)
        node.inactive = self._inactivity(node)
        leading_here = [key for key, name in self._queues.local.items() if name == new.name]
        pending = (info for key in leading_here for info in self._pending_of(key))
        self._queues.put_queue(new.name, pending)
        self._reconciler.queue_changed(new.name)
        self._wake()
        if self._statuses is not None:
            self._statuses.queue_changed(new.name)

    def _drop_queue(self, old: Resource) -> None:
        self._queues.pending.pop(old.name, None)
        self.hierarchy.drop_queue(old.name)
        self._reconciler.queue_changed(old.name)

    def _put_local(self, new: Resource) -> None:
        if self._parsed(stop_policy, new) == NONE:
            cluster_queue = str((new.manifest.get("spec") or {}).get("clusterQueue") or "")
            self._queues.put_local(new.key, cluster_queue, self._pending_of(new.key))
        else:
            self._queues.drop_local(new.key)
        self._reconciler.local_changed(new.key)

    def _drop_local(self, old: Resource) -> None:
        self._queues.drop_local(old.key)
        self._reconciler.local_changed(old.key)

    def _pending_of(self, local: tuple[str, str]) -> list[WorkloadInfo]:
        """Returns the pending workloads of a LocalQueue."""
        return [
            WorkloadInfo(each, self._store.specs)
            for each in self._store.list(WORKLOAD)
            if local_queue_of(each) == local and is_active(each) and WorkloadStatus(each, 0).state == PENDING
        ]

    def _requeue_all(self) -> None:
        """Lets all workloads be tried again that were tried in vain."""
        for name in list(self.hierarchy.queues):
            self._queues.requeue_tree(name)
        self._wake()

    def _refresh(self) -> None:
        """Finds out anew which ClusterQueues are active."""
        for node in self.hierarchy.queues.values():
            before, node.inactive = node.inactive, self._inactivity(node)
            if before != node.inactive:
                self._queues.requeue_tree(node.name)
                self._reconciler.queue_changed(node.name)
                if self._statuses is not None:
                    self._statuses.queue_changed(node.name)
        self._wake()

    def _inactivity(self, node: ClusterQueueNode) -> tuple[str, str] | None:
        """Returns reason and message if a ClusterQueue admits nothing."""
        problems: list[tuple[str, str]] = []
        if node.spec.stop != NONE:
            problems.append(("Stopped", "is stopped"))
        missing = sorted(node.spec.flavors - set(self._flavors.specs))
        if missing:
            problems.append(("FlavorNotFound", f"references missing ResourceFlavor(s): {','.join(missing)}"))
        problems += self._checks.problems(node.spec.checks)
        problems += self._topologies.problems(node.spec.flavors)
        if node.parent is not None and node.parent.is_cyclic:
            problems.append(("CohortCycle", "is in a cohort that is its own ancestor"))
        if not problems:
            return None
        return problems[0][0], f"Can't admit new workloads: {', '.join(text for _, text in problems)}."
