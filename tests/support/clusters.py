"""Small clusters: a clock and a store, with a scheduler attached, or as one scheduler sees them in a cycle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from tests.support.objects import SPECS
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND, seconds
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.attachable import SchedulerOptions
from wavetank.scheduling.config import parse_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome, Rotation
from wavetank.scheduling.framework.extenders.extenders import Extenders
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.selection import ExactTies
from wavetank.scheduling.registry import Handle, build_frameworks

HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
VERSION = (1, 35)

Object = Resource | Mapping[str, Any]


def one_profile(**args: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a configuration with one profile, whose plugins have the given arguments."""
    configured = [{"name": name, "args": dict(given)} for name, given in args.items()]
    return {"profiles": [{"schedulerName": "default-scheduler", "pluginConfig": configured}]}


class Cluster:
    """A store in virtual time, without actors; times are in seconds."""

    def __init__(self, *objects: Object) -> None:
        self.clock = Clock()
        self.store = Store(self.clock)
        for item in objects:
            self.create(item)

    def create(self, item: Object) -> Resource:
        """Creates an object, or what a manifest describes."""
        resource = item if isinstance(item, Resource) else parse_resource(item, self.store.specs)
        self.store.create(resource)
        return resource

    def run(self, more: float = 0) -> None:
        """Lets the present instant pass, or some time."""
        self.clock.run(self.clock.now + seconds(more))

    def run_until(self, time: float) -> None:
        self.clock.run(seconds(time))

    @property
    def now(self) -> float:
        return self.clock.now / SECOND

    def pod(self, name: str) -> Pod:
        """Returns a pod that exists."""
        return self.store.get("Pod", "default", name)

    def nodes_of_pods(self) -> dict[str, str]:
        """Returns the node of each bound pod by the pod's name."""
        return {pod.name: pod.node_name for pod in self.store.list("Pod") if pod.node_name}


class ScheduledCluster(Cluster):
    """A cluster with kube-scheduler and no other actor; if it is watched, `attempts` has the time and pod of each."""

    def __init__(
        self,
        *objects: Object,
        connect: Any = None,
        version: tuple[int, int] = VERSION,
        watched: bool = True,
        **configuration: Any,
    ) -> None:
        super().__init__(*objects)
        parsed = parse_configuration({**HEAD, **configuration}, version)
        self.attempts: list[tuple[float, str]] = []
        options = SchedulerOptions(ties="exact", connect=connect, explain=self._note if watched else None)
        context = ActorContext(self.store, Streams(0), version)
        self.scheduler = SchedulerDefinition("default", "", parsed).attach(context, options)

    def _note(self, now: int, pod: Pod, outcome: Outcome, cycle: Cycle) -> None:
        self.attempts.append((now / SECOND, pod.name))

    def tried(self, name: str) -> list[float]:
        """Returns when a pod was tried, in seconds."""
        return [time for time, tried in self.attempts if tried == name]


class CachedCluster:
    """A cluster as kube-scheduler's cache holds it, without time: a test makes one cycle after the other."""

    def __init__(
        self,
        *objects: Object,
        extenders: Iterable[Any] = (),
        version: tuple[int, int] = VERSION,
        gates: frozenset[str] = frozenset(),
        **configuration: Any,
    ) -> None:
        self.table = NodeTable()
        self.listers = Listers()
        self.rotation = Rotation()
        for item in objects:
            self.add(item)
        handle = Handle(version, self.listers, Random(0), Extenders(extenders, Random(0)))
        (self.framework,) = build_frameworks(parse_configuration({**HEAD, **configuration}, version, gates), handle)

    def add(self, item: Object) -> None:
        """Adds a node, a pod that is bound, or another object."""
        item = item if isinstance(item, Resource) else parse_resource(item, SPECS)
        if isinstance(item, Node):
            self.table.set_node(item)
        elif isinstance(item, Pod):
            self.place(item, item.node_name)
        else:
            self.listers.set(item)

    def place(self, pod: Pod, node_name: str) -> None:
        """Puts a pod on a node, as the event of its binding does."""
        self.table.add_pod(_identified(pod), node_name)

    def cycle(self, pod: Pod) -> Cycle:
        return Cycle(self.framework, self.table, _identified(pod))

    def attempt(self, pod: Pod) -> tuple[Cycle, Outcome]:
        """Runs a cycle without assuming the pod on its node."""
        cycle = self.cycle(pod)
        return cycle, cycle.run(Rotation(), ExactTies())

    def schedule(self, pod: Pod) -> Outcome:
        """Runs a cycle, and assumes the pod on its node if there is one."""
        outcome = self.cycle(pod).run(self.rotation, ExactTies())
        if outcome.node_name:
            self.table.add_pod(pod, outcome.node_name)
        return outcome

    def names(self, slots: Iterable[int]) -> list[str]:
        return [self.table.nodes[slot].name for slot in slots]

    def plugin(self, name: str) -> Any:
        """Returns a filter plugin by its name."""
        return next(plugin for plugin in self.framework.filter if plugin.name == name)

    def feasible(self, pod: Pod) -> set[str]:
        """Returns the names of the nodes that pass the filters."""
        return set(self.names(self.attempt(pod)[1].feasible))

    def reasons(self, pod: Pod) -> list[str]:
        """Returns the reasons of all nodes with their numbers, sorted; or that of the PreFilter."""
        cycle, outcome = self.attempt(pod)
        if outcome.pre_filter is not None:
            return [outcome.pre_filter.text]
        return sorted(f"{count} {reason.text}" for reasons, count in cycle.refusals(outcome) for reason in reasons)


def _identified(pod: Pod) -> Pod:
    """Gives a pod the uid that it would have got from the API server."""
    pod.uid = pod.uid or f"uid-of-{pod.name}"
    return pod
