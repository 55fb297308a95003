"""The built-in scheduler and the real one in the loop decide the same, pod by pod and instant by instant."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from tests.loop.programs import REAL, an_experiment, placements, run_entry

SEEDS = range(40) if os.environ.get("WAVETANK_ALL") else range(4)


def a_random_experiment(seed: int) -> dict[str, Any]:
    """Draws a cluster and a workload of several hundred pods that is now and then too much for it."""
    draw = random.Random(seed)
    groups = [_group(draw, i) for i in range(draw.randint(1, 4))]
    generators = [_generator(draw, i) for i in range(draw.randint(5, 9))]
    return {"cluster": {"nodes": groups}, "workload": {"generators": generators}}


def _group(draw: random.Random, number: int) -> dict[str, Any]:
    group: dict[str, Any] = {"name": f"g{number}", "count": draw.randint(3, 12), "pods": draw.choice([8, 20, 110])}
    group |= {"cpu": draw.choice([2, 4, 8, 16]), "memory": draw.choice(["8Gi", "16Gi", "32Gi"])}
    if draw.random() < 0.5:
        group["zone"] = ["a", "b", "c"]
    if draw.random() < 0.3:
        group["taints"] = [{"key": "slow", "value": "yes", "effect": "PreferNoSchedule"}]
    return group


def _generator(draw: random.Random, number: int) -> dict[str, Any]:
    arrivals = [
        {"kind": "burst", "at": draw.randint(0, 300)},
        {"kind": "spaced", "every": draw.choice([1, 2.5, 7])},
        {"kind": "poisson", "rate": draw.choice([0.2, 1, 3])},
    ]
    requests = {
        "cpu": draw.choice(["100m", "250m", "500m", "1", "1500m", "2"]),
        "memory": draw.choice(["100Mi", "512Mi", "1Gi", "3Gi"]),
    }
    usual = {"name": f"w{number}", "pods": draw.randint(20, 70), "duration": {"uniform": [5, 150]}}
    return {**usual, "requests": requests, **draw.choice(arrivals)}


@pytest.mark.parametrize("seed", SEEDS)
def test_every_pod_goes_to_the_same_node_at_the_same_time(seed):
    schedulers = [{"name": "default"}, {"name": "real", "process": REAL}]
    experiment = an_experiment(schedulers=schedulers, ties="exact", **a_random_experiment(seed))
    built_in, real = (placements(run_entry(experiment, number, seed)) for number in (0, 1))
    assert len(built_in) >= 100
    different = {name: (built_in[name], real.get(name)) for name in built_in if built_in[name] != real.get(name)}
    assert not different
