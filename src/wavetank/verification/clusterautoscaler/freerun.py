"""Runs wavetank's autoscaler and scheduler freely on the inputs of a scenario."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

import yaml

from wavetank.cluster.objects.groupkinds import CONFIG_MAP, MACHINE_DEPLOYMENT, MACHINE_SET, NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.clusterautoscaler.autoscaler import ClusterAutoscaler
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.order import RandomOrder, map_order
from wavetank.controllers.clusterautoscaler.report import LoopReport
from wavetank.controllers.clusterautoscaler.taints import DELETION_CANDIDATE, TO_BE_DELETED
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.machines.definitions import definitions
from wavetank.controllers.machines.machines import Machines
from wavetank.controllers.machines.machinesets import MachineDeployments, MachineSets, wanted
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.attachable import SchedulerOptions
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.simulation.scaling.clustersnapshot import SchedulerSnapshot
from wavetank.simulation.served.correlation import Correlator
from wavetank.simulation.world import World
from wavetank.verification.clusterautoscaler.playedcluster import (
    FaultyClient,
    PlayedBudgets,
    PlayedCloud,
    PlayedEvents,
    group_object,
    node_of,
)
from wavetank.verification.clusterautoscaler.playedworkloads import PlayedWorkloads
from wavetank.verification.clusterautoscaler.recordedorder import RecordedBindings, RecordedOrder
from wavetank.verification.clusterautoscaler.recording import ClusterAutoscalerRecording, RecordedInputs, Replicas
from wavetank.verification.clusterautoscaler.replay import ForcedOrder, ReplayedAutoscaler

VERSION = (1, 35)
STATUS = "cluster-autoscaler-status"
_OWN_TAINTS = (TO_BE_DELETED, DELETION_CANDIDATE)

TaintWrite = tuple[Nanoseconds, str, list[str], list[str], bool]  # time, node, added, removed, whether cordoned
SentEvent = tuple[Nanoseconds, str, str, str, str]  # time, type, reason, object, message


class EventRecorder:
    """Notes Events as client-go's recorder sends them: similar ones are combined, too frequent ones left out."""

    def __init__(self, clock: Clock, events: list[SentEvent]) -> None:
        self._clock = clock
        self._events = events
        self._correlator = Correlator()

    def record(self, about: Resource, type_: str, reason: str, message: str, component: str) -> None:
        """Notes an Event unless it is one too many."""
        named = {"kind": about.manifest_kind, "name": about.name, "uid": about.uid}
        event: dict[str, Any] = {"type": type_, "reason": reason, "message": message, "involvedObject": named}
        event["source"] = {"component": component}
        self._correlator.combine(event, self._clock.now)
        if self._correlator.within_limit(event, self._clock.now):
            where = f"{about.manifest_kind}/{about.name}"
            self._events.append((self._clock.now, type_, reason, where, str(event["message"])))


@dataclass(slots=True)
class Observations:
    """All that the autoscaler did in a scenario."""

    replicas: list[Replicas] = field(default_factory=list)
    loops: list[LoopReport] = field(default_factory=list)
    events: list[SentEvent] = field(default_factory=list)
    taints: list[TaintWrite] = field(default_factory=list)
    evictions: list[tuple[Nanoseconds, str]] = field(default_factory=list)  # of pods, as far as they were granted
    statuses: list[tuple[Nanoseconds, dict[str, Any]]] = field(default_factory=list)


def run_freely(
    recording: ClusterAutoscalerRecording,
    until: Nanoseconds | None = None,
    *,
    guided: bool = True,
    forced: bool = False,
    seed: int = 0,
) -> Observations:
    """Plays the inputs to wavetank's autoscaler, beside wavetank's scheduler, and returns what it did.

    What the real programs leave to chance (the order of Go's maps, ties) is drawn with `seed`. In a `guided` run it is
    taken from the recording where the recorded choice is one of the equal ones.
    """
    inputs = recording.inputs
    observations = Observations()
    world = World(VERSION, seed)
    store = world.store
    client = FaultyClient(store, Random(seed), lambda pod: None)
    recorder = EventRecorder(world.clock, observations.events)
    context = ControllerContext(store, client, flags=inputs.flags, record_event=recorder.record)
    world.create(definitions())
    for node in inputs.nodes:
        document = node_of(node["name"], node)
        document["metadata"]["name"] = node["name"]
        world.create([{"apiVersion": "v1", "kind": "Node", **document}])
    workloads = PlayedWorkloads(inputs.workloads, store, inputs.options)
    budgets = PlayedBudgets(store, workloads, client, observations.evictions)
    draws = Random(seed)
    initial = [] if guided else _initial_order(inputs, draws)
    cloud = PlayedCloud(inputs, store, workloads, initial)
    MachineDeployments(context)
    MachineSets(context)
    Machines(context, cloud)
    for node in inputs.nodes:
        workloads.expect_node(node["name"], node.get("labels") or {}, node.get("taints") or [], 0)
    world.create(group_object(group) for group in inputs.groups)
    world.clock.run(len(initial))
    _note_replicas(world, observations)
    _note_taints(world, observations)
    note_status = partial(_note_status, world.clock, observations)
    store.subscribe(CONFIG_MAP, added=note_status, modified=lambda old, new: note_status(new))
    kube_scheduler = SchedulerDefinition("kube-scheduler", "", default_configuration(VERSION))
    bindings = RecordedBindings(recording.outputs)
    world.attach([kube_scheduler], SchedulerOptions(ties="exact", explain=bindings.explain if guided else None))
    if guided:
        bindings.plan_preemptions(store)
    PlayedEvents(store, workloads, cloud, client).plan(inputs.events)
    cutoff = Options.from_flags(inputs.flags).expendable_pods_priority_cutoff
    snapshot = SchedulerSnapshot(world.context, cutoff, Random(seed))
    note = observations.loops.append
    if forced:
        followed = ForcedOrder(inputs, recording.outputs, world.clock)
        ReplayedAutoscaler(recording.outputs.loops, context, snapshot, budgets, followed, note)
    else:
        order = RecordedOrder(inputs, recording.outputs, world.clock) if guided else RandomOrder(draws)
        ClusterAutoscaler(context, snapshot, budgets, order, note)
    world.run(inputs.options.horizon_ns if until is None else until)
    return observations


def _initial_order(inputs: RecordedInputs, draws: Random) -> list[str]:
    """Returns the nodes of the start in the order in which a scheduler's informer lists them: that of a Go map."""
    names = [f"{group['name']}-{number:03d}" for group in inputs.groups for number in range(1, group["initial"] + 1)]
    return map_order(names, names, len(names), draws.getrandbits(32), draws)


def _note_status(clock: Clock, observations: Observations, new: Resource) -> None:
    if new.name == STATUS:
        status = yaml.safe_load((new.manifest.get("data") or {})["status"])
        observations.statuses.append((clock.now, status))


def _note_taints(world: World, observations: Observations) -> None:
    def own(node: Node) -> list[str]:
        return sorted(f"{each.key}:{each.effect}" for each in node.taints if each.key in _OWN_TAINTS)

    def note(old: Node, new: Node) -> None:
        before, after = own(old), own(new)
        if before != after:
            added, removed = (
                [each for each in one if each not in other] for one, other in ((after, before), (before, after))
            )
            observations.taints.append((world.clock.now, new.name, added, removed, new.unschedulable))

    world.store.subscribe(NODE, modified=note)


def _note_replicas(world: World, observations: Observations) -> None:
    def note(old: Resource, new: Resource) -> None:
        if wanted(old) != wanted(new) and not (new.manifest.get("metadata") or {}).get("ownerReferences"):
            observations.replicas.append((world.clock.now, new.name, wanted(old), wanted(new)))

    for kind in (MACHINE_DEPLOYMENT, MACHINE_SET):
        world.store.subscribe(kind, modified=note)
