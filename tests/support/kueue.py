"""Runs under the real Kueue, for tests: build it with `wavetank controller build kueue`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from wavetank.errors import InputError
from wavetank.experiments.document.experiment import Experiment, parse_experiment
from wavetank.loop.building.cache import Cache, Program
from wavetank.loop.recipes import RECIPES
from wavetank.simulation.observer import Observer
from wavetank.simulation.simulation import Simulation
from wavetank.simulation.world import World
from wavetank.testing.queues import QueueHistory

Manifest = dict[str, Any]
Drive = Callable[[QueueHistory, World], None]
API = "kueue.x-k8s.io/v1beta2"
QUEUE = "kueue.x-k8s.io/queue-name"


def find_kueue() -> Program:
    """Finds the real Kueue in the cache; else skips."""
    if sys.platform != "linux":
        pytest.skip("programs run in the loop on Linux")
    try:
        return Cache().find("kueue", RECIPES["kueue"].version, "controller")
    except InputError as error:
        pytest.skip(str(error))


def a_flavor(name: str = "default", **spec: Any) -> Manifest:
    """Returns a ResourceFlavor."""
    return {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": name}, "spec": spec}


def a_cluster_queue(name: str, quotas: Mapping[str, Mapping[str, Any]], **spec: Any) -> Manifest:
    """Returns a ClusterQueue; `quotas` are nominal quotas by flavor and resource, or whole entries of resources."""
    resources = sorted({resource for each in quotas.values() for resource in each})
    flavors = [
        {"name": flavor, "resources": [_quota(name, each[name]) for name in resources]}
        for flavor, each in quotas.items()
    ]
    groups = [{"coveredResources": resources, "flavors": flavors}]
    whole = {"namespaceSelector": {}, "resourceGroups": groups, **spec}
    return {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": whole}


def _quota(resource: str, quota: Any) -> Manifest:
    return {"name": resource, **(quota if isinstance(quota, Mapping) else {"nominalQuota": quota})}


def a_local_queue(name: str, cluster_queue: str, namespace: str = "default") -> Manifest:
    """Returns a LocalQueue."""
    head = {"apiVersion": API, "kind": "LocalQueue", "metadata": {"name": name, "namespace": namespace}}
    return {**head, "spec": {"clusterQueue": cluster_queue}}


def a_priority_class(name: str, value: int) -> Manifest:
    """Returns a WorkloadPriorityClass."""
    return {"apiVersion": API, "kind": "WorkloadPriorityClass", "metadata": {"name": name}, "value": value}


def a_job(
    name: str,
    queue: str,
    arrival_s: float = 0,
    duration_s: float = 60,
    requests: Mapping[str, Any] | None = None,
    pods: int = 1,
    priority: str = "",
    **spec: Any,
) -> Manifest:
    """Returns a Job of a LocalQueue."""
    labels = {QUEUE: queue, **({"kueue.x-k8s.io/priority-class": priority} if priority else {})}
    annotations = {"wavetank.dev/arrival": f"{arrival_s}s", "wavetank.dev/duration": f"{duration_s}s"}
    container = {"name": "c", "image": "x", "resources": {"requests": dict(requests or {"cpu": "1"})}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "default", "labels": labels, "annotations": annotations},
        "spec": {"parallelism": pods, "completions": pods, "suspend": True, "template": template, **spec},
    }


def run_kueue(
    queues: Iterable[Manifest],
    jobs: Iterable[Manifest],
    nodes: Sequence[Manifest] = ({"count": 4, "cpu": 16, "memory": "64Gi"},),
    horizon: str = "1h",
    seed: int = 1,
    process: Mapping[str, Any] | None = None,
    observers: Sequence[Observer] = (),
    drive: Drive | None = None,
    history: QueueHistory | None = None,
    **spec: Any,
) -> QueueHistory:
    """Runs Jobs under the real Kueue and returns its decisions.

    `process` are more fields of its entry in `controllers`, such as `config`; `spec` replaces those of the experiment.
    `drive` runs the clock, otherwise it runs to the horizon.
    """
    find_kueue()
    history = history or QueueHistory()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "jobs.yaml").write_text(yaml.safe_dump_all(jobs), encoding="utf-8")
        experiment = _experiment(folder, queues, nodes, horizon, process or {}, spec)
        run_experiment(experiment, history, seed, observers, drive)
    return history


def run_experiment(
    experiment: Experiment,
    history: QueueHistory,
    seed: int = 1,
    observers: Sequence[Observer] = (),
    drive: Drive | None = None,
) -> None:
    """Runs an experiment with its first scheduler; `drive` gets the history, too."""
    setting = experiment.setting(experiment.schedulers[0])
    driven = None if drive is None else partial(drive, history)
    Simulation(setting, seed, [history, *observers], drive=driven).run()


def _experiment(
    folder: str,
    queues: Iterable[Manifest],
    nodes: Sequence[Manifest],
    horizon: str,
    process: Mapping[str, Any],
    spec: Mapping[str, Any],
) -> Experiment:
    usual = {
        "kubernetesVersion": "1.35",
        "cluster": {"nodes": list(nodes), "objects": list(queues)},
        "workload": {"file": "jobs.yaml"},
        "controllers": [{"name": "kueue", "process": dict(process)}],
        "schedulers": [{"name": "default"}],
        "horizon": horizon,
    }
    head = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "queued"}}
    return parse_experiment({**head, "spec": {**usual, **spec}}, Path(folder))
