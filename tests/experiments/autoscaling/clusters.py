"""Experiments with a Deployment `web` of pods that request half a core each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.experiments.trials import HEAD
from wavetank.experiments.document.experiment import Experiment, parse_experiment

NODES = [{"count": 4, "cpu": 16, "memory": "64Gi"}]
HPA = {"target": "web", "min": 2, "max": 20, "cpu": "50%"}


def web(replicas: int = 2) -> dict[str, Any]:
    container = {"name": "web", "resources": {"requests": {"cpu": "500m", "memory": "256Mi"}}}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def total(*steps: tuple[str, float]) -> dict[str, Any]:
    """Returns metrics in which the pods of web share a load in cores."""
    return {"loads": [{"selector": {"app": "web"}, "total": {"steps": [list(step) for step in steps]}}]}


def parsed(folder: Path, **spec: Any) -> Experiment:
    (folder / "web.json").write_text(json.dumps(web()))
    usual = {"cluster": {"nodes": NODES}, "workload": {"file": "web.json"}, "horizon": "1h", "hpa": [HPA]}
    return parse_experiment({**HEAD, "spec": {**usual, **spec}}, folder)
