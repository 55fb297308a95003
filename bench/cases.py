"""What is measured inside this process: each case returns (how many, of what, in how many seconds)."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import autoscaling
import batchoperator
import volcano
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.document.structures.spec import API_VERSION
from wavetank.experiments.recording import record
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND
from wavetank.kernel.garbage import rare_collections
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.framework.cycle.cycle import Cycle, Rotation
from wavetank.scheduling.framework.selection import RandomTies
from wavetank.simulation.latency.model import parse_latency
from wavetank.simulation.simulation import Setting
from wavetank.simulation.world import World
from wavetank.workloads.workload import Arrival, ObjectArrival

Result = tuple[int, str, float]

SMALL = {"cpu": "500m", "memory": "500Mi"}
ZONES = ["a", "b", "c"]


# the kernel


def events(number: int = 300_000, live: int = 100) -> Result:
    """Bare callbacks through the clock, so many of them pending at a time."""
    clock = Clock()
    left = number

    def again() -> None:
        nonlocal left
        left -= 1
        if left >= live:
            clock.after(1, again)

    for _ in range(live):
        clock.after(1, again)
    begun = time.perf_counter()
    clock.run()
    return number, "events", time.perf_counter() - begun


# plain pods


def lives(nodes: int, pods: int, duration: float | None = 60) -> Result:
    """Whole lives of pods under the default profile: submit, schedule, start, run, finish, record."""
    generator = {"kind": "poisson", "pods": pods, "rate": 100, "requests": SMALL}
    if duration is not None:
        generator["duration"] = {"exponential": duration}
    return _simulated(_setting(nodes, {"generator": generator}), pods)


def cycle(nodes: int, pods: int) -> Result:
    """Scheduling cycles alone under the default profile, each with the pod counted on its node afterwards."""
    setting = _setting(nodes, {"generator": {"kind": "poisson", "pods": pods, "rate": 100, "requests": SMALL}})
    world = World(setting.version, seed=1)
    for resource in setting.cluster.resources(world.store.specs):
        world.store.create(resource)
    streams = world.context.streams
    scheduler = setting.schedulers[0].attach(world.context)
    arrivals = [arrival.pod for arrival in setting.workload.arrivals(world.store.specs, streams)]
    rotation, ties = Rotation(), RandomTies(streams.stream("ties"))
    for number, pod in enumerate(arrivals):
        pod.uid = str(number)
    framework = scheduler.framework_of(arrivals[0])
    assert framework is not None
    begun = time.perf_counter()
    for pod in arrivals:
        outcome = Cycle(framework, scheduler.table, pod).decide(rotation, ties)
        scheduler.table.add_pod(pod, outcome.node_name)
    return pods, "cycles", time.perf_counter() - begun


# hard plugins and preemption


class Burst:
    """Pods of a few kinds, all submitted at once; `more` adds to the spec of each by its labels."""

    def __init__(self, pods: int, more: Callable[[Mapping[str, str]], dict[str, Any]], apps: int = 20) -> None:
        self.description = f"{pods} pods at once"
        self._pods = pods
        self._more = more
        self._apps = apps

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods."""
        for number in range(self._pods):
            labels = {"app": f"app-{number % self._apps}"}
            yield Arrival(SECOND, Pod.parse(_manifest(f"pod-{number}", labels, self._more(labels)), specs))


def _manifest(name: str, labels: Mapping[str, str], more: dict[str, Any], cpu: str = "100m") -> dict[str, Any]:
    container = {"name": "main", "resources": {"requests": {"cpu": cpu, "memory": "500Mi"}}}
    metadata = {"name": name, "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **more}}


def _required(side: str, key: str, labels: Mapping[str, str]) -> dict[str, Any]:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": labels}}
    return {"affinity": {side: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def _preferred(side: str, key: str, labels: Mapping[str, str]) -> dict[str, Any]:
    term = {"topologyKey": key, "labelSelector": {"matchLabels": labels}}
    weighted = [{"weight": 1, "podAffinityTerm": term}]
    return {"affinity": {side: {"preferredDuringSchedulingIgnoredDuringExecution": weighted}}}


def _spread(when: str, labels: Mapping[str, str]) -> dict[str, Any]:
    constraint = {"maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": when}
    return {"topologySpreadConstraints": [{**constraint, "labelSelector": {"matchLabels": labels}}]}


def burst(nodes: int, pods: int, more: Callable[[Mapping[str, str]], dict[str, Any]]) -> Result:
    """Pods with something to say of each other, from submission to start."""
    setting = _setting(nodes, {"generator": {"kind": "poisson", "pods": 1, "rate": 1}})
    return _simulated(replace(setting, workload=Burst(pods, more)), pods)


class Apps:
    """Equal applications, all submitted at once: Deployments, or as many pods of each behind a Service.

    Both are spread by kube-scheduler's default constraints, so that the difference is what controllers cost.
    """

    def __init__(self, pods: int, apps: int, deployed: bool) -> None:
        self.description = f"{pods} pods of {apps} applications"
        self._size = pods // apps
        self._names = [f"app-{number}" for number in range(apps)]
        self._deployed = deployed

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods."""
        for name in self._names:
            for number in range(self._size):
                yield Arrival(SECOND, Pod.parse(_manifest(f"{name}-{number}", {"app": name}, {}), specs))

    def object_arrivals(
        self, specs: SpecTable, streams: Streams, kinds: Collection[str]
    ) -> Iterator[Arrival | ObjectArrival]:
        """Yields the Deployments, or the Services and then the pods."""
        for name in self._names:
            yield ObjectArrival(SECOND, parse_resource(self._object(name, {"app": name}), specs))
        if not self._deployed:
            yield from self.arrivals(specs, streams)

    def _object(self, name: str, labels: dict[str, str]) -> dict[str, Any]:
        if not self._deployed:
            return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {"selector": labels}}
        template = {"metadata": {"labels": labels}, "spec": _manifest(name, labels, {})["spec"]}
        spec = {"replicas": self._size, "selector": {"matchLabels": labels}, "template": template}
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def apps(nodes: int, pods: int, number: int, deployed: bool) -> Result:
    """Pods of applications, each started at its own instant, so that their owners hear of every one."""
    setting = _setting(nodes, {"generator": {"kind": "poisson", "pods": 1, "rate": 1}})
    latency = parse_latency("k3s", "latency")
    return _simulated(replace(setting, workload=Apps(pods, number, deployed), latency=latency), pods)


class Preemptors:
    """A cluster that is filled by unimportant pods, and important ones that each need the room of one of those.

    `low` and `high` add to the spec of the ones and of the others.
    """

    def __init__(self, nodes: int, pods: int, low: dict[str, Any], high: dict[str, Any]) -> None:
        self.description = f"{pods} pods that preempt others"
        self._nodes = nodes
        self._pods = pods
        self._low = {"priority": 0, "terminationGracePeriodSeconds": 0, **low}
        self._high = {"priority": 10, "terminationGracePeriodSeconds": 0, **high}

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields four pods for each node, and a while later those that preempt."""
        for number in range(4 * self._nodes):
            yield Arrival(SECOND, Pod.parse(_manifest(f"low-{number}", {"app": "low"}, self._low, "1"), specs))
        for number in range(self._pods):
            high = _manifest(f"high-{number}", {"app": "high"}, self._high, "1")
            yield Arrival(60 * SECOND, Pod.parse(high, specs))


def preemption(nodes: int, pods: int, low: dict[str, Any], high: dict[str, Any]) -> Result:
    """Preemptions alone: the same run without the important pods is subtracted."""
    setting = _setting(nodes, {"generator": {"kind": "poisson", "pods": 1, "rate": 1}}, cpu=4)
    without = _simulated(replace(setting, workload=Preemptors(nodes, 0, low, high)), 1)[2]
    whole = _simulated(replace(setting, workload=Preemptors(nodes, pods, low, high)), 1)[2]
    return pods, "preemptions", whole - without


def _setting(nodes: int, workload: dict[str, Any], cpu: int = 32) -> Setting:
    cluster = {"nodes": [{"count": nodes, "cpu": cpu, "memory": "128Gi", "zone": ZONES}]}
    document = {"apiVersion": API_VERSION, "kind": "Experiment", "spec": {"cluster": cluster, "workload": workload}}
    experiment = parse_experiment(document, Path.cwd())
    return experiment.setting(experiment.schedulers[0])


def _simulated(setting: Setting, pods: int) -> Result:
    with rare_collections():
        begun = time.perf_counter()
        record(setting, seed=1)
        return pods, "pods", time.perf_counter() - begun


HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"

CASES: dict[str, Callable[[], Result]] = {
    "events: bare callbacks, 100 pending": events,
    "events: bare callbacks, 100,000 pending": partial(events, 300_000, 100_000),
    "cycle: 1,000 nodes, 10,000 pods": partial(cycle, 1_000, 10_000),
    "cycle: 5,000 nodes, 10,000 pods": partial(cycle, 5_000, 10_000),
    "lives: 1,000 nodes, 10,000 pods": partial(lives, 1_000, 10_000),
    "lives: 5,000 nodes, 10,000 pods": partial(lives, 5_000, 10_000),
    "placement: 5,000 nodes, 10,000 pods that stay": partial(lives, 5_000, 10_000, None),
    "hard: required anti-affinity by host, 5,000 nodes": partial(
        burst, 5_000, 5_000, partial(_required, "podAntiAffinity", HOST)
    ),
    "hard: required affinity by zone, 5,000 nodes": partial(
        burst, 5_000, 5_000, partial(_required, "podAffinity", ZONE)
    ),
    "hard: preferred affinity by host, 5,000 nodes": partial(
        burst, 5_000, 5_000, partial(_preferred, "podAffinity", HOST)
    ),
    "hard: preferred anti-affinity by zone, 5,000 nodes": partial(
        burst, 5_000, 5_000, partial(_preferred, "podAntiAffinity", ZONE)
    ),
    "hard: spread by zone, DoNotSchedule, 5,000 nodes": partial(burst, 5_000, 5_000, partial(_spread, "DoNotSchedule")),
    "hard: spread by zone, ScheduleAnyway, 5,000 nodes": partial(
        burst, 5_000, 5_000, partial(_spread, "ScheduleAnyway")
    ),
    "volcano: one session, 1,000 nodes, 10,000 tasks in gangs of 10": partial(volcano.session, 1_000, 1_000, 10),
    "apps: 1,000 nodes, 20,000 pods of 20 Services": partial(apps, 1_000, 20_000, 20, False),
    "apps: 1,000 nodes, 20,000 pods of 20 Deployments": partial(apps, 1_000, 20_000, 20, True),
    "apps: 1,000 nodes, 20,000 pods of 2,000 Deployments": partial(apps, 1_000, 20_000, 2_000, True),
    "autoscaling: a day of 20 HPAs and 2,000 pods": autoscaling.day,
    "batch operator: a week of daily queues of 200 jobs, 64 slots": partial(batchoperator.queues, 7, 200),
    "nodes: a day of 200 nodes under 20 HPAs and the cluster autoscaler": autoscaling.nodes_day,
    "preemption: only resources decide, 5,000 nodes": partial(preemption, 5_000, 500, {}, {}),
    "preemption: victims with anti-affinity terms, 5,000 nodes": partial(
        preemption, 5_000, 100, _required("podAntiAffinity", HOST, {"app": "nobody"}), {}
    ),
    "preemption: preemptors with a spread constraint, 5,000 nodes": partial(
        preemption, 5_000, 20, {}, _spread("DoNotSchedule", {"app": "high"})
    ),
}

# These take a minute or minutes each.
BIG: dict[str, Callable[[], Result]] = {
    "batch operator: a year of daily queues of 200 jobs, 64 slots": partial(batchoperator.queues, 365, 200),
    "batch operator: one queue of 10,000 jobs, 64 slots": partial(batchoperator.queues, 1, 10_000),
    "nodes: 100,000 pods in 60 batches, 5,000 nodes and back under the cluster autoscaler": autoscaling.nodes_wave,
}
