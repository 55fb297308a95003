"""What is measured: each case returns (how many, of what, in how many seconds)."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from wavetank.experiments.document import API_VERSION, parse_experiment
from wavetank.experiments.simulation import Simulation
from wavetank.kernel.clock import Clock

Result = tuple[int, str, float]


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


def lives(nodes: int, pods: int, duration: float | None) -> Result:
    """Whole lives of pods under the default profile: submit, schedule, start, run, finish, record."""
    generator = {"kind": "poisson", "pods": pods, "rate": 100, "requests": {"cpu": "500m", "memory": "500Mi"}}
    if duration is not None:
        generator["duration"] = {"exponential": duration}
    zones = ["a", "b", "c"]
    document = {
        "apiVersion": API_VERSION,
        "kind": "Experiment",
        "spec": {
            "cluster": {"nodes": [{"count": nodes, "cpu": 32, "memory": "128Gi", "zone": zones}]},
            "workload": {"generator": generator},
        },
    }
    experiment = parse_experiment(document, Path.cwd())
    simulation = Simulation(experiment.setting(experiment.schedulers[0]), seed=1)
    begun = time.perf_counter()
    simulation.run()
    return pods, "pods", time.perf_counter() - begun


CASES: dict[str, Callable[[], Result]] = {
    "events: bare callbacks, 100 pending": events,
    "events: bare callbacks, 100,000 pending": partial(events, 300_000, 100_000),
    "lives: 1,000 nodes, 10,000 pods": partial(lives, 1_000, 10_000, 60),
    "lives: 5,000 nodes, 10,000 pods": partial(lives, 5_000, 10_000, 60),
    "placement: 5,000 nodes, 10,000 pods that stay": partial(lives, 5_000, 10_000, None),
}
