"""Preemptions whose victims are replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def _container() -> dict[str, Any]:
    return {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}


def a_preemption(folder: Path, version: str, replicas: int, horizon: str = "2m") -> dict[str, Any]:
    """A pod that keeps a zone free of the pods of a StatefulSet, and preempts them on one of the zone's two nodes."""
    labels = {"app": "web"}
    stateful = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web"},
        "spec": {
            "serviceName": "web",
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [_container()]}},
        },
    }
    apart = [{"labelSelector": {"matchLabels": labels}, "topologyKey": "zone"}]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "vip", "annotations": {"wavetank.dev/arrival": "10s"}},
        "spec": {
            "priority": 1000,
            "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": apart}},
            "containers": [_container()],
        },
    }
    workload = folder / "workload.yaml"
    workload.write_text(yaml.safe_dump_all([stateful, pod]))
    return {
        "kubernetesVersion": version,
        "cluster": {"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi", "labels": {"zone": "a"}}]},
        "workload": {"file": str(workload)},
        "schedulers": [{"name": "TTP"}],
        "ties": "exact",
        "horizon": horizon,
    }
