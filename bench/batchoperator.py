"""The batch operator: a year of daily queues, and one long queue."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.document.structures.spec import API_VERSION
from wavetank.experiments.recording import record
from wavetank.kernel.garbage import rare_collections

_LABEL = "slots"
_SCHEDULER = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [{"schedulerName": "external-scheduler"}],
    "extenders": [
        {
            "urlPrefix": "http://batch-operator/extender",
            "filterVerb": "filter",
            "preemptVerb": "preemption",
            "nodeCacheCapable": True,
            "weight": 1,
        }
    ],
}


def queues(days: int, jobs: int) -> tuple[int, str, float]:
    """So many days, each with a queue of so many jobs, on 64 slots beside which there is room.

    Jobs run for 5, 10, 15 … 60 minutes, so that several end at the same time.
    """
    draws = random.Random(1)
    nodes = [{"name": f"n{i}", "count": 1, "cpu": 8, "memory": "64Gi", "labels": {_LABEL: str(i)}} for i in range(16)]
    bed = {"slotsPerNode": 4, "nodeLabel": _LABEL, "resourcesPerSlot": {"cpu": "1", "memory": "1Gi"}}
    names = [f"job-{i}" for i in range(jobs)]
    objects = [_object("Testbed", "bed", bed)]
    objects += [_object("BatchJob", name, _SPARK, work=f"{5 * draws.randint(1, 12)}m") for name in names]
    queue = {"testbed": {"name": "bed"}, "queueBased": [{"name": name} for name in names]}
    objects += [_object("Scheduling", f"day-{day}", queue, submit=f"{24 * day}h") for day in range(days)]
    spec = {
        "cluster": {"nodes": [*nodes, {"name": "drivers", "cpu": 64, "memory": "512Gi"}]},
        "schedulers": [
            {"name": "two", "together": [{"name": "default"}, {"name": "external", "config": _SCHEDULER}]},
        ],
        "operator": {"objects": objects},
    }
    experiment = parse_experiment({"apiVersion": API_VERSION, "kind": "Experiment", "spec": spec}, Path())
    with rare_collections():
        begun = time.perf_counter()
        record(experiment.setting(experiment.schedulers[0]), 1)
        return days * jobs, "jobs", time.perf_counter() - begun


_SPARK = {"sparkSpec": {"type": "Scala", "driver": {"coreRequest": "100m", "memory": "512m"}}}


def _object(kind: str, name: str, spec: dict[str, Any], **notes: str) -> dict[str, Any]:
    annotations = {f"wavetank.dev/{key}": value for key, value in notes.items()}
    metadata = {"name": name, "namespace": "default", "annotations": annotations}
    return {"apiVersion": "esi.tu-berlin.de/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}
