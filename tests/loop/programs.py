"""Runs with programs in the loop, for the tests of this folder."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wavetank.experiments.document.experiment import Experiment, parse_experiment
from wavetank.experiments.recording import record
from wavetank.kernel.durations import SECOND
from wavetank.loop.processes.configuration import HEAD
from wavetank.loop.processes.definition import ProcessDefinition
from wavetank.results.recording.recorder import PodRow, Recorder

PUPPET = Path(__file__).with_name("puppet.py")
REAL = {"package": "kube-scheduler", "version": "v1.35.8"}


def a_puppet(folder: Path, behaviour: str, patience_s: float = 20, name: str = "puppet") -> ProcessDefinition:
    """Makes a program that behaves in that way."""
    file = folder / f"{name}.sh"
    file.write_text(f'#!/bin/sh\nPUPPET_OF={folder} exec {sys.executable} {PUPPET} "{behaviour}" "$@"\n')
    file.chmod(0o755)
    return ProcessDefinition(name, "puppet", "v1.35.8", str(file), HEAD, patience_s=patience_s)


def an_experiment(**spec: Any) -> Experiment:
    usual: dict[str, Any] = {
        "kubernetesVersion": "1.35",
        "ties": "exact",
        "cluster": {"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi"}]},
        "workload": {"generator": {"kind": "burst", "pods": 3, "duration": 10, "requests": {"cpu": 1}}},
        "schedulers": [{"name": "real", "process": REAL}],
    }
    head = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "looped"}}
    return parse_experiment({**head, "spec": {**usual, **spec}}, Path())


def a_loaded_cluster() -> dict[str, Any]:
    """Returns a cluster and a workload that is now and then too much for it; no two pods end in the same nanosecond."""
    usual = {"duration": {"uniform": [20, 200]}}
    generators = [
        {"name": "a", "kind": "poisson", "pods": 150, "rate": 1, "requests": {"cpu": "500m", "memory": "1Gi"}, **usual},
        {"name": "b", "kind": "burst", "at": 30, "pods": 60, "requests": {"cpu": "1500m", "memory": "512Mi"}, **usual},
    ]
    nodes = [{"count": 6, "cpu": 8, "memory": "16Gi", "zone": ["a", "b"]}, {"name": "big", "cpu": 16, "memory": "64Gi"}]
    return {"cluster": {"nodes": nodes}, "workload": {"generators": generators}}


def run_entry(experiment: Experiment, number: int = 0, seed: int = 1) -> Recorder:
    """Makes a run of one of the experiment's schedulers."""
    return record(experiment.setting(experiment.schedulers[number]), seed)


def run_real(seed: int = 1, **spec: Any) -> Recorder:
    return run_entry(an_experiment(**spec), seed=seed)


def rows_by_name(recorder: Recorder) -> dict[str, PodRow]:
    return {row.name: row for row in recorder.rows}


def told(rows: Iterable[PodRow]) -> list[tuple[object, ...]]:
    """Returns all that is known of pods, to be compared with another run."""
    return [(row.name, row.node, row.scheduled, row.started, row.finished, row.phase, row.message) for row in rows]


def placements(recorder: Recorder, floor_ns: int = 10_000) -> dict[str, tuple[object, ...]]:
    """Returns where and when each pod went, without the nanoseconds that a process adds by looking at its clock."""
    return {row.name: (row.node, _floored(row.scheduled, floor_ns), row.phase) for row in recorder.rows}


def _floored(time: int | None, floor_ns: int) -> int | None:
    return None if time is None else time // floor_ns


def assert_nothing_over_allocated(recorder: Recorder, resource: str = "cpu") -> None:
    """Adds up, at every instant, what the pods of each node ask for."""
    capacity = {node.name: node.allocatable.get(resource, 0) for node in recorder.nodes}
    changes = []
    for row in recorder.rows:
        if row.scheduled is not None:
            amount = row.spec.requests.get(resource, 0)
            changes.append((row.scheduled, 1, row.node, amount))
            if row.finished is not None:
                changes.append((row.finished, 0, row.node, -amount))
    used: Counter[str] = Counter()
    for _, _, node, amount in sorted(changes):
        used[node] += amount
        assert used[node] <= capacity[node], f"{node} holds {used[node]} of {capacity[node]}"


def seconds_of(time: int | None) -> float | None:
    return None if time is None else time / SECOND
