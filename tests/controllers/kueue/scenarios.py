"""Random ClusterQueues, cohorts and Jobs, and runs of them under the built-in and the real Kueue."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from tests.support.kueue import (
    API,
    Drive,
    a_cluster_queue,
    a_flavor,
    a_job,
    a_local_queue,
    a_priority_class,
    run_experiment,
    run_kueue,
)
from wavetank.cluster.objects.groupkinds import LOCAL_QUEUE, POD
from wavetank.cluster.store.store import Store
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.kernel.durations import SECOND
from wavetank.simulation.world import World
from wavetank.testing.queues import QueueHistory

Manifest = dict[str, Any]
NODES: tuple[Manifest, ...] = (
    {"name": "x", "count": 4, "cpu": 32, "memory": "128Gi", "labels": {"pool": "x"}},
    {"name": "y", "count": 4, "cpu": 32, "memory": "128Gi", "labels": {"pool": "y"}},
)
SLACK = "1us"  # lets those of Kueue's timers share a turn that differ by nanoseconds: half of all turns
HORIZON_S = 600
QUIET_S = 30  # without a decision or a pod that runs: longer than any check takes
ENDLESS = 160  # decisions on 20 Jobs: by then workloads preempt each other without end, as Kueue lets them


@dataclass(frozen=True)
class Change:
    """A new stopPolicy of a ClusterQueue or LocalQueue, at a time."""

    at_s: float
    kind: str
    name: str
    policy: str

    def apply(self, store: Store) -> None:
        """Writes it."""
        namespace = "default" if self.kind == LOCAL_QUEUE else ""
        old = store.find(self.kind, namespace, self.name)
        assert old is not None
        metadata, spec = old.manifest["metadata"], {**old.manifest["spec"], "stopPolicy": self.policy}
        new = old.copy()
        generation = metadata.get("generation", 1) + 1
        new.manifest = {**old.manifest, "metadata": {**metadata, "generation": generation}, "spec": spec}
        store.update(new)


@dataclass
class Scenario:
    """Queues, what is queued in them (Jobs, pods), and Kueue's configuration; `workloads` are to be finished."""

    queues: list[Manifest]
    jobs: list[Manifest]
    config: Manifest = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    frameworks: tuple[str, ...] = ("batch/job",)
    workloads: int = 20
    nodes: Sequence[Manifest] = NODES

    def run_builtin(self) -> QueueHistory:
        """Runs the scenario under the built-in Kueue."""
        return run_builtin(self.queues, self.jobs, self.config, self.nodes, drive=self._drive)

    def run_real(self, history: QueueHistory | None = None) -> QueueHistory:
        """Runs the scenario under the real Kueue; `history` has its decisions even if it crashes."""
        integrations = {"integrations": {"frameworks": list(self.frameworks)}}
        config = {"apiVersion": CONFIG, "kind": "Configuration", **integrations, **self.config}
        return run_kueue(
            self.queues,
            self.jobs,
            self.nodes,
            process={"config": config, "timerSlack": SLACK},
            drive=self._drive,
            history=history,
        )

    def _drive(self, history: QueueHistory, world: World) -> None:
        """Runs until all is finished, or nothing happens any more, or it goes on without end."""
        clock = world.clock
        for each in self.changes:
            clock.at(round(each.at_s * SECOND), partial(each.apply, world.store))
        ends = [_arrival_s(each) for each in self.jobs] + [each.at_s for each in self.changes]
        last = round(max(ends) * SECOND)
        while clock.now < HORIZON_S * SECOND and len(history.decisions) < ENDLESS:
            if _has_running_pods(world.store):
                last = max(last, clock.now)
            latest = max([last] + [each.at for each in history.decisions[-1:]])
            if clock.now > latest + QUIET_S * SECOND or len(history.of("Finished")) == self.workloads:
                break
            clock.run(clock.now + SECOND // 10)


def _has_running_pods(store: Store) -> bool:
    return any(pod.node_name and not pod.finished for pod in store.list(POD))


def _arrival_s(manifest: Manifest) -> float:
    return float(manifest["metadata"]["annotations"]["wavetank.dev/arrival"].removesuffix("s"))


CONFIG = "config.kueue.x-k8s.io/v1beta2"


def run_builtin(
    queues: Iterable[Manifest],
    jobs: Iterable[Manifest],
    config: Mapping[str, Any] | None = None,
    nodes: Sequence[Manifest] = NODES,
    drive: Drive | None = None,
    **spec: Any,
) -> QueueHistory:
    """Runs Jobs under the built-in Kueue and returns its decisions."""
    history = QueueHistory()
    objects = list(queues)
    if config:
        objects.append({"apiVersion": CONFIG, "kind": "Configuration", "metadata": {"name": "kueue"}, **config})
    head = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "queued"}}
    usual = {
        "cluster": {"nodes": list(nodes), "objects": objects},
        "workload": {"file": "jobs.yaml"},
        "horizon": "1h",
    }
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "jobs.yaml").write_text(yaml.safe_dump_all(jobs), encoding="utf-8")
        experiment = parse_experiment({**head, "spec": {**usual, **spec}}, Path(folder))
        run_experiment(experiment, history, drive=drive)
    return history


def random_run(seed: int) -> Scenario:
    """Returns a scenario drawn at random: two to four queues with 20 Jobs."""
    draw = random.Random(seed)
    objects, names = random_queues(draw)
    config: Manifest = {}
    if draw.random() < 0.35:
        config = {"fairSharing": {"preemptionStrategies": draw.choice(STRATEGIES)}}
    return Scenario(objects, random_jobs(draw, names), config)


def random_queues(draw: random.Random) -> tuple[list[Manifest], list[str]]:
    """Returns flavors, cohorts, queues and priority classes, and the names of the queues."""
    flavors = ["x", "y"][: draw.choice((1, 1, 2))]
    tree, cohorts = _cohorts(draw)
    names = [f"q{i}" for i in range(draw.randint(2, 4))]
    queues = [random_queue(draw, name, flavors, draw.choice(cohorts)) for name in names]
    objects = [
        *(a_flavor(name, nodeLabels={"pool": name}) for name in flavors),
        *tree,
        *queues,
        *(a_local_queue(name, name) for name in names),
        a_priority_class("low", 0),
        a_priority_class("high", 10),
    ]
    return objects, names


STRATEGIES = (
    ["LessThanOrEqualToFinalShare", "LessThanInitialShare"],
    ["LessThanOrEqualToFinalShare"],
    ["LessThanInitialShare"],
)


def _cohorts(draw: random.Random) -> tuple[list[Manifest], list[str]]:
    """Returns Cohort objects, and the names of the cohorts that queues may be in; "" for none."""
    shape = draw.random()
    if shape < 0.15:
        return [], ["", "all"]
    if shape < 0.65:
        return [], ["all"]
    tree = [{"apiVersion": API, "kind": "Cohort", "metadata": {"name": "root"}, "spec": {}}]
    for name in ("left", "right"):
        spec: Manifest = {"parentName": "root"}
        if draw.random() < 0.4:
            flavors = [{"name": "x", "resources": [_limited(draw, "cpu", draw.randint(0, 4))]}]
            spec["resourceGroups"] = [{"coveredResources": ["cpu"], "flavors": flavors}]
        if draw.random() < 0.4:
            spec["fairSharing"] = {"weight": draw.choice(("1", "2"))}
        tree.append({"apiVersion": API, "kind": "Cohort", "metadata": {"name": name}, "spec": spec})
    return tree, ["left", "right"]


def _limited(draw: random.Random, name: str, nominal: int, limits: bool = True) -> Manifest:
    quota: Manifest = {"name": name, "nominalQuota": str(nominal)}
    if limits and draw.random() < 0.3:
        quota["borrowingLimit"] = str(draw.randint(0, 6))
    if limits and draw.random() < 0.3:
        quota["lendingLimit"] = str(draw.randint(0, nominal))
    return quota


def random_queue(draw: random.Random, name: str, flavors: Sequence[str], cohort: str) -> Manifest:
    """Returns a ClusterQueue with policies drawn at random."""
    quotas = {}
    for flavor in flavors:
        limited = _limited(draw, "cpu", draw.randint(2, 10), limits=bool(cohort))
        quotas[flavor] = {"cpu": {key: value for key, value in limited.items() if key != "name"}}
    spec: Manifest = {
        "queueingStrategy": draw.choice(("BestEffortFIFO", "BestEffortFIFO", "StrictFIFO")),
        "preemption": {
            "withinClusterQueue": draw.choice(("Never", "LowerPriority", "LowerOrNewerEqualPriority")),
            "reclaimWithinCohort": draw.choice(("Never", "LowerPriority", "Any", "Any")),
        },
        "flavorFungibility": {
            "whenCanBorrow": draw.choice(("MayStopSearch", "TryNextFlavor")),
            "whenCanPreempt": draw.choice(("MayStopSearch", "TryNextFlavor")),
        },
    }
    if cohort:
        spec["cohortName"] = cohort
    if spec["preemption"]["reclaimWithinCohort"] != "Never" and draw.random() < 0.3:
        spec["preemption"]["borrowWithinCohort"] = {"policy": "LowerPriority"}
        if draw.random() < 0.5:
            spec["preemption"]["borrowWithinCohort"]["maxPriorityThreshold"] = draw.choice((-1, 0, 5))
    if draw.random() < 0.3:
        spec["fairSharing"] = {"weight": draw.choice(("1", "2", "500m"))}
    return a_cluster_queue(name, quotas, **spec)


def random_jobs(draw: random.Random, names: Sequence[str]) -> list[Manifest]:
    """Returns Jobs with arrivals some seconds apart: what comes in the same second has no order in Kueue."""
    jobs, time = [], 5
    for i in range(20):
        pods = draw.randint(1, 4)
        job = a_job(
            f"j{i}",
            draw.choice(names),
            time,
            draw.randint(15, 120),
            {"cpu": str(draw.randint(1, 3))},
            pods,
            draw.choice(("", "low", "high")),
        )
        if pods > 1 and draw.random() < 0.2:
            job["metadata"]["annotations"]["kueue.x-k8s.io/job-min-parallelism"] = str(draw.randint(1, pods - 1))
        jobs.append(job)
        time += draw.randint(2, 14)
    return jobs
