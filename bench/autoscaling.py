"""A day under autoscalers."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.document.structures.spec import API_VERSION
from wavetank.experiments.recording import record
from wavetank.kernel.garbage import rare_collections

_SYNCS = 24 * 3600 // 15


def day(autoscalers: int = 20, pods: int = 2_000) -> tuple[int, str, float]:
    """A simulated day of Deployments under HPAs whose load follows the day, with so many pods in all on average."""
    each = pods // autoscalers
    names = [f"web-{number}" for number in range(autoscalers)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "deployments.yaml"
        file.write_text("\n---\n".join(json.dumps(_deployment(name, each)) for name in names))
        spec = {
            "cluster": {"nodes": [{"count": 100, "cpu": 32, "memory": "128Gi", "pods": 250}]},
            "workload": {"file": file.name},
            "horizon": "1d",
            "latency": {"start": "5s"},
            "hpa": [{"target": name, "min": 2, "max": 4 * each, "cpu": "50%"} for name in names],
            "metrics": {"resolution": "15s", "loads": [_load(name, 0.25 * each, i) for i, name in enumerate(names)]},
        }
        experiment = parse_experiment({"apiVersion": API_VERSION, "kind": "Experiment", "spec": spec}, Path(folder))
        with rare_collections():
            begun = time.perf_counter()
            record(experiment.setting(experiment.schedulers[0]), 1)
            return autoscalers * _SYNCS, "syncs", time.perf_counter() - begun


def _load(name: str, cores: float, number: int) -> dict[str, Any]:
    curve = {"mean": cores, "swing": 0.5, "peak": f"{10 + number % 8}h"}
    return {"selector": {"app": name}, "total": {"diurnal": curve}}


def _deployment(name: str, replicas: int) -> dict[str, Any]:
    container = {"name": "web", "resources": {"requests": {"cpu": "500m", "memory": "256Mi"}}}
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
