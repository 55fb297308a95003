"""Random clusters and workloads of Volcano Jobs, on which the built-in scheduler and Volcano's own are compared."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.loop.programs import an_experiment
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import Experiment
from wavetank.loop.building.cache import Cache
from wavetank.loop.recipes import FAMILIES

# With binpack, whose scores are fractions: where two nodes are equally good Volcano takes any of them.
PLUGINS = (
    ("priority", "gang", "conformance"),
    ("overcommit", "drf", "predicates", "proportion", "nodeorder", "binpack"),
)
PACKED = (("priority", "gang"), ("predicates", "proportion", "nodeorder", "binpack"))
CAPACITIES = (("priority", "gang", "conformance"), ("drf", "predicates", "capacity", "nodeorder", "binpack"))
CONFS = [
    {"actions": actions, "tiers": [{"plugins": [{"name": name} for name in tier]} for tier in tiers]}
    for actions in (
        "enqueue, allocate, backfill",
        "enqueue, allocate, preempt, backfill",
        "enqueue, allocate, preempt, reclaim, backfill",
    )
    for tiers in (PLUGINS, PACKED, CAPACITIES)
]
SECONDS = 240  # of a run
QUEUE = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue"}
JOB = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job"}
CLASS = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}


def find_volcano() -> Path:
    """Returns the folder of its scheduler; its programs take minutes to build, so the test is skipped without them."""
    try:
        found = [Cache().find(name, "v1.15.1", "controller") for name in FAMILIES["volcano"]]
    except InputError as error:
        pytest.skip(str(error))
    return Path(found[0].file).parent


@dataclass(frozen=True)
class Case:
    """A cluster, jobs and a configuration of Volcano.

    Jobs arrive at nine tenths of a second and run for a number of seconds and a half, so that nothing happens at the
    instant of a session, whose phase is another in the real program.
    """

    nodes: list[dict[str, Any]]
    objects: list[dict[str, Any]]
    jobs: list[dict[str, Any]]
    conf: dict[str, Any]


def a_case(seed: int) -> Case:
    chance = random.Random(seed)
    # all different, so that no two of them are equally good
    nodes = [
        {
            "name": f"n{i}",
            "cpu": f"{chance.randrange(4000, 16000) + i}m",
            "memory": f"{chance.randrange(8000, 32000)}Mi",
        }
        for i in range(chance.randint(3, 8))
    ]
    queues = [
        {
            **QUEUE,
            "metadata": {"name": name},
            "spec": {
                "weight": chance.randint(1, 4),
                "reclaimable": True,
                "deserved": {"cpu": chance.randint(2, 20), "memory": f"{chance.randint(4, 60)}Gi"},
            },
        }
        for name in ("a", "b")
    ]
    classes = [{**CLASS, "metadata": {"name": name}, "value": value} for name, value in (("low", 10), ("high", 100))]
    jobs = [_job(chance, number) for number in range(chance.randint(10, 25))]
    return Case(nodes, [*queues, *classes], jobs, chance.choice(CONFS))


def _job(chance: random.Random, number: int) -> dict[str, Any]:
    size = chance.randint(1, 6)
    requests = {"cpu": f"{chance.randrange(200, 3000)}m", "memory": f"{chance.randrange(100, 4000)}Mi"}
    template = {
        "metadata": {"annotations": {"wavetank.dev/duration": f"{chance.randint(5, 60)}.5s"}},
        "spec": {
            "restartPolicy": "OnFailure",
            "containers": [{"name": "c", "image": "i", "resources": {"requests": requests}}],
        },
    }
    least = chance.randint(1, size)
    task = {"name": "w", "replicas": size, "minAvailable": least, "maxRetry": 3, "template": template}
    metadata = {
        "name": f"j{number:02d}",
        "namespace": "default",
        "annotations": {"wavetank.dev/arrival": f"{chance.randint(0, 60)}.9s"},
    }
    spec = {"schedulerName": "volcano", "queue": chance.choice("ab"), "minAvailable": least, "maxRetry": 3}
    spec |= {"priorityClassName": chance.choice(("low", "high")), "tasks": [task]}
    return {**JOB, "metadata": metadata, "spec": spec}


def an_experiment_of(case: Case, folder: Path, **spec: Any) -> Experiment:
    """Returns a run with the built-in scheduler, then one with the real program."""
    (folder / "jobs.yaml").write_text(yaml.safe_dump_all(case.jobs))
    conf = yaml.safe_dump(case.conf)
    return an_experiment(
        **{
            "cluster": {"nodes": case.nodes, "objects": case.objects},
            "workload": {"file": str(folder / "jobs.yaml")},
            "schedulers": [
                {"name": "built-in", "volcano": {"conf": conf}},
                {"name": "real", "process": {"package": "vc-scheduler", "version": "v1.15.1", "config": case.conf}},
            ],
            "horizon": f"{SECONDS}s",
            **spec,
        }
    )
