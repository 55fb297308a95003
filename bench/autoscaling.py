"""Runs under autoscalers of pods and of nodes; their seconds are CPU time."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.document.structures.spec import API_VERSION
from wavetank.experiments.recording import record
from wavetank.kernel.garbage import rare_collections

Result = tuple[int, str, float]

_SYNCS = 24 * 3600 // 15
_LOOPS = 24 * 3600 // 10


def day(autoscalers: int = 20, pods: int = 2_000) -> Result:
    """A simulated day of Deployments under HPAs whose load follows the day, with so many pods in all on average."""
    cluster = {"cluster": {"nodes": [{"count": 100, "cpu": 32, "memory": "128Gi", "pods": 250}]}}
    return autoscalers * _SYNCS, "syncs", _deployed(autoscalers, pods, cluster)


def nodes_day(autoscalers: int = 20, nodes: int = 200) -> Result:
    """The same on three node groups under the cluster autoscaler, with 16 pods on a node when it is full."""
    groups = [_group(f"pool-{zone}", 8, nodes, nodes // 4, zone) for zone in "abc"]
    return _LOOPS, "loops", _deployed(autoscalers, 16 * nodes, _scaled(groups))


def nodes_wave(nodes: int = 5_000, pods: int = 100_000, batches: int = 60) -> Result:
    """A batch of pods every minute until so many run at the same time, on so many nodes; until all nodes are gone."""
    groups = [_group(f"pool-{zone}", 10, nodes, 1, zone) for zone in "abc"]
    draws = Random(1)
    lines = ["name,arrival_s,duration_s,cpu_milli,memory_bytes"]
    for number in range(pods):
        arrival = 60 * (number * batches // pods) + 30
        length = 60 * batches - arrival + draws.expovariate(1 / 1800)  # all run at the same time for a moment
        lines.append(f"pod-{number},{arrival},{length:.3f},{10_000 * nodes // pods},268435456")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pods.csv"
        file.write_text("\n".join(lines))
        spec = {**_scaled(groups), "workload": {"file": file.name}, "horizon": "8h"}
        return pods, "pods", _simulated(spec, Path(folder))


def _deployed(autoscalers: int, pods: int, cluster: dict[str, Any]) -> float:
    """Returns the CPU seconds of a day of Deployments under HPAs on a cluster."""
    each = pods // autoscalers
    names = [f"web-{number}" for number in range(autoscalers)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "deployments.yaml"
        file.write_text("\n---\n".join(json.dumps(_deployment(name, each)) for name in names))
        spec = {
            **cluster,
            "workload": {"file": file.name},
            "horizon": "1d",
            "latency": {"start": "5s"},
            "hpa": [{"target": name, "min": 2, "max": 4 * each, "cpu": "50%"} for name in names],
            "metrics": {"resolution": "15s", "loads": [_load(name, 0.25 * each, i) for i, name in enumerate(names)]},
        }
        return _simulated(spec, Path(folder))


def _simulated(spec: dict[str, Any], folder: Path) -> float:
    experiment = parse_experiment({"apiVersion": API_VERSION, "kind": "Experiment", "spec": spec}, folder)
    with rare_collections():
        begun = time.process_time()
        record(experiment.setting(experiment.schedulers[0]), 1)
        return time.process_time() - begun


def _scaled(groups: list[dict[str, Any]]) -> dict[str, Any]:
    control = {"name": "control", "cpu": 1, "memory": "1Gi", "taints": [{"key": "control", "effect": "NoSchedule"}]}
    return {"cluster": {"nodes": [control]}, "nodeGroups": groups, "autoscaler": {"expander": "least-waste"}}


def _group(name: str, cpu: int, most: int, initial: int, zone: str) -> dict[str, Any]:
    size = {"min": 1, "max": most, "initial": initial, "cpu": cpu, "memory": "32Gi"}
    return {"name": name, **size, "boot": "60s", "labels": {"topology.kubernetes.io/zone": zone}}


def _load(name: str, cores: float, number: int) -> dict[str, Any]:
    curve = {"mean": cores, "swing": 0.5, "peak": f"{10 + number % 8}h"}
    return {"selector": {"app": name}, "total": {"diurnal": curve}}


def _deployment(name: str, replicas: int) -> dict[str, Any]:
    container = {"name": "web", "resources": {"requests": {"cpu": "500m", "memory": "256Mi"}}}
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
