"""Random ClusterQueues, cohorts and Jobs, and runs of them under the built-in and the real Kueue."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.support.kueue import API, a_cluster_queue, a_flavor, a_job, a_local_queue, a_priority_class, run_kueue
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.simulation.simulation import Simulation
from wavetank.testing.queues import QueueHistory

Manifest = dict[str, Any]
NODES: tuple[Manifest, ...] = (
    {"name": "x", "count": 4, "cpu": 32, "memory": "128Gi", "labels": {"pool": "x"}},
    {"name": "y", "count": 4, "cpu": 32, "memory": "128Gi", "labels": {"pool": "y"}},
)
HORIZON = "10m"


@dataclass
class Scenario:
    """Queues and Jobs, and Kueue's configuration."""

    queues: list[Manifest]
    jobs: list[Manifest]
    config: Manifest = field(default_factory=dict)

    def run_builtin(self) -> QueueHistory:
        """Runs the scenario under the built-in Kueue."""
        return run_builtin(self.queues, self.jobs, self.config, horizon=HORIZON)

    def run_real(self) -> QueueHistory:
        """Runs the scenario under the real Kueue."""
        process = {"config": {"apiVersion": CONFIG, "kind": "Configuration", **self.config}} if self.config else {}
        return run_kueue(self.queues, self.jobs, NODES, HORIZON, process=process)


CONFIG = "config.kueue.x-k8s.io/v1beta2"


def run_builtin(
    queues: Iterable[Manifest],
    jobs: Iterable[Manifest],
    config: Mapping[str, Any] | None = None,
    nodes: Sequence[Manifest] = NODES,
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
        Simulation(experiment.setting(experiment.schedulers[0]), 1, [history]).run()
    return history


def random_run(seed: int) -> Scenario:
    """Returns a scenario drawn at random: two to four queues with 20 Jobs."""
    draw = random.Random(seed)
    flavors = ["x", "y"][: draw.choice((1, 1, 2))]
    tree, cohorts = _cohorts(draw)
    names = [f"q{i}" for i in range(draw.randint(2, 4))]
    queues = [_queue(draw, name, flavors, draw.choice(cohorts)) for name in names]
    objects = [
        *(a_flavor(name, nodeLabels={"pool": name}) for name in flavors),
        *tree,
        *queues,
        *(a_local_queue(name, name) for name in names),
        a_priority_class("low", 0),
        a_priority_class("high", 10),
    ]
    config: Manifest = {}
    if draw.random() < 0.35:
        config = {"fairSharing": {"preemptionStrategies": draw.choice(STRATEGIES)}}
    return Scenario(objects, _jobs(draw, names), config)


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


def _queue(draw: random.Random, name: str, flavors: Sequence[str], cohort: str) -> Manifest:
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


def _jobs(draw: random.Random, names: Sequence[str]) -> list[Manifest]:
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
