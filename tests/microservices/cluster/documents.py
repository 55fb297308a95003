"""Experiments with services on small clusters."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from wavetank.api.experiments import run


def a_deployment(name: str, replicas: int = 1, cpu: str = "500m", **resources: Any) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}, **resources}}
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def a_document(*deployments: dict[str, Any], services: dict[str, Any], **spec: Any) -> dict[str, Any]:
    burst = {"kind": "burst", "pods": 1, "duration": 1, "requests": {"cpu": "1m"}}
    return {
        "apiVersion": "wavetank.dev/v1alpha1",
        "kind": "Experiment",
        "metadata": {"name": "services"},
        "spec": {
            "cluster": {"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi"}], "objects": list(deployments)},
            "workload": {"generator": burst},
            "horizon": "200s",
            "services": services,
            **spec,
        },
    }


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / "default" / "seed-1" / table).open() as file:
        return list(csv.DictReader(file))


def run_document(tmp_path: Path, document: dict[str, Any]) -> Path:
    out = tmp_path / "out"
    run(document, out=out)
    return out
