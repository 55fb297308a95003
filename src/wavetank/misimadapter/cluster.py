from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.releases import Version
from wavetank.cluster.rules.admission import admit
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.storeclient import StoreClient
from wavetank.controllers.machines.definitions import definitions
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.misimadapter.machines import InstantMachines, annotated
from wavetank.misimadapter.requests import Manifest, NodesUpdate, PodsUpdate, WatchEvent
from wavetank.scheduling.attachable import Attachable, SchedulerOptions
from wavetank.simulation.evictions import BudgetedEvictions
from wavetank.simulation.extenders import connect_extender
from wavetank.simulation.scaling.nodegroups import start_autoscaler
from wavetank.simulation.served.eventlog import EventLog
from wavetank.simulation.served.podevents import PodEvents
from wavetank.simulation.world import World

_NOTHING_NEW = "No new situation for the scheduler"
_LONGEST_WAIT: Nanoseconds = 120 * SECOND  # for the autoscaler, and for pods that wait for a new node
_STEP: Nanoseconds = SECOND


@dataclass(slots=True)
class PodsResult:
    """What became of the pods that wanted a node: (pod, node) and (pod, message); nodes that came and went."""

    bound: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    new_nodes: list[dict[str, Any]] = field(default_factory=list)
    deleted_nodes: list[dict[str, Any]] = field(default_factory=list)


class AdapterCluster:
    """A cluster whose nodes and pods another simulation dictates, with built-in schedulers.

    Time stands still except while the cluster autoscaler is waited for, which machine sets turn on. `flags` are those
    of the autoscaler.
    """

    def __init__(
        self, schedulers: Sequence[Attachable], version: Version, seed: int = 1, flags: Mapping[str, str] | None = None
    ) -> None:
        self.world = World(version, seed)
        self._store = store = self.world.store
        self._log = EventLog(store)
        self._flags = flags or {}
        self._machines: InstantMachines | None = None
        self._bound: dict[tuple[str, str], str] = {}
        PodEvents(store, self._log, scheduler=True, kubelets=False)
        store.subscribe(POD, modified=self._note_binding)
        self.world.attach(schedulers, SchedulerOptions(takes_all=len(tuple(schedulers)) == 1, connect=connect_extender))

    def _note_binding(self, old: Pod, new: Pod) -> None:
        if new.node_name and not old.node_name:
            self._bound[new.key] = new.node_name

    def events(self) -> list[dict[str, Any]]:
        """Returns the Events so far, in the form of core/v1."""
        return [event.render() for event in self._store.list("Event")]

    # nodes

    def update_nodes(self, update: NodesUpdate) -> None:
        """Takes the nodes of the simulation, and machine sets with their machines if it has some."""
        if update.machine_sets:
            self._machine_sets().load(update.machine_sets, update.machines)
        self._apply(update.events)
        self._take_all(NODE, update.nodes)
        self.world.clock.run(self.world.clock.now)

    def _machine_sets(self) -> InstantMachines:
        if self._machines is None:
            store, context = self._store, self.world.context
            self.world.create(definitions())
            self._machines = InstantMachines(store)
            client = StoreClient(store, context.streams.stream("names"), partial(admit, store=store))
            controllers = ControllerContext(store, client, record_event=self._log.tell, flags=self._flags)
            start_autoscaler(context, controllers, BudgetedEvictions(store))
        return self._machines

    # pods

    def update_pods(self, update: PodsUpdate) -> PodsResult:
        """Takes the pods of the simulation and schedules those that want a node; the autoscaler adds nodes once."""
        clock = self.world.clock
        self._apply(update.events)
        wanted = [parse_resource(manifest, self._store.specs).key for manifest in update.to_be_placed]
        self._take_all(POD, [*update.pods, *update.to_be_placed])
        self._bound.clear()
        for key in wanted:
            self._try_again(key)
        clock.run(clock.now)
        machines = self._machines
        if machines is None:
            return self._result(wanted)
        machines.new_nodes, machines.deleted_nodes = [], []
        if self._unplaced(wanted) and machines.can_grow():
            self._wait_for_nodes(machines, wanted)
        result = self._result(wanted)
        result.new_nodes, result.deleted_nodes = machines.new_nodes, machines.deleted_nodes
        return result

    def _try_again(self, key: tuple[str, str]) -> None:
        """Submits a pending pod anew, so that the scheduler tries it now, whatever its back-off."""
        pod = self._store.find(POD, *key)
        assert isinstance(pod, Pod)
        if not pod.node_name:
            self._store.delete(pod)
            self._create(pod.manifest)

    def _wait_for_nodes(self, machines: InstantMachines, wanted: list[tuple[str, str]]) -> None:
        """Lets time pass until there are new nodes, then until all pods have one that now fit."""
        clock = self.world.clock
        end = clock.now + _LONGEST_WAIT
        while not machines.new_nodes and clock.now < end:
            clock.run(clock.now + _STEP)
        if machines.new_nodes:
            end = clock.now + _LONGEST_WAIT
            known = len(machines.new_nodes)
            while self._unplaced(wanted) and clock.now < end and len(machines.new_nodes) == known:
                clock.run(clock.now + _STEP)

    def _unplaced(self, wanted: list[tuple[str, str]]) -> list[Pod]:
        found = (self._store.find(POD, *key) for key in wanted)
        return [pod for pod in found if isinstance(pod, Pod) and not pod.node_name]

    def _result(self, wanted: list[tuple[str, str]]) -> PodsResult:
        failed = [(pod.name, pod.unschedulable or _NOTHING_NEW) for pod in self._unplaced(wanted)]
        chosen = set(wanted)
        return PodsResult([(key[1], node) for key, node in self._bound.items() if key in chosen], failed)

    # objects

    def _apply(self, events: list[WatchEvent]) -> None:
        for event in events:
            if event.type == "DELETED":
                new = parse_resource(event.manifest, self._store.specs)
                present = self._store.find(new.group_kind, new.namespace, new.name)
                if present is not None:
                    self._store.delete(present)
            else:
                self._put(event.manifest)

    def _take_all(self, kind: str, manifests: list[Manifest]) -> None:
        """Makes the objects of a kind those of a list."""
        keys = {self._put(manifest).key for manifest in manifests}
        for present in [each for each in self._store.list(kind) if each.key not in keys]:
            self._store.delete(present)

    def _put(self, manifest: Manifest) -> Resource:
        """Creates or replaces an object; what is there already in this form is kept."""
        if manifest["kind"] == "Node" and self._machines is not None:
            machine = self._machines.of_node(manifest)
            manifest = manifest if machine is None else annotated(manifest, machine.namespace, machine.name)
        new = parse_resource(manifest, self._store.specs)
        present = self._store.find(new.group_kind, new.namespace, new.name)
        if present is None:
            return self._create(manifest)
        if _is_same(present, new):
            return present
        if not isinstance(present, Pod):
            new.uid, new.created, new.resource_version = present.uid, present.created, present.resource_version
            self._store.update(new)
            return new
        self._store.delete(present)
        return self._create(manifest)

    def _create(self, manifest: Manifest) -> Resource:
        new = parse_resource(manifest, self._store.specs)
        if isinstance(new, Pod):
            admit(new, self._store)
        self._store.create(new)
        return new


def _is_same(present: Resource, new: Resource) -> bool:
    """Returns whether an object need not be replaced: for a pod its node and spec count, else the whole manifest."""
    if isinstance(present, Pod) and isinstance(new, Pod):
        return new.node_name in ("", present.node_name) and present.spec is new.spec
    return present.manifest == new.manifest
