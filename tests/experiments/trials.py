"""Small experiments for the tests of this folder."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from wavetank.experiments.document.experiment import Experiment, parse_experiment
from wavetank.experiments.runner import run_experiment

HEAD = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "trial"}}
NODES = [{"count": 2, "cpu": 2, "memory": "4Gi"}]
BURST = {"kind": "burst", "pods": 3, "duration": 10, "requests": {"cpu": 1, "memory": "1Gi"}}


def a_document(**spec: Any) -> dict[str, Any]:
    usual = {"cluster": {"nodes": NODES}, "workload": {"generator": BURST}}
    return {**HEAD, "spec": {**usual, **spec}}


def parsed(folder: Path = Path(), **spec: Any) -> Experiment:
    return parse_experiment(a_document(**spec), folder)


def ran(out: Path, jobs: int = 1, folder: Path = Path(), **spec: Any) -> Path:
    """Runs an experiment and returns the folder of its results."""
    run_experiment(parsed(folder, **spec), out, "0.0", jobs=jobs)
    return out


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def header_of(path: Path) -> list[str]:
    with path.open(newline="") as file:
        return next(csv.reader(file))


def a_batsim_workload(path: Path, *jobs: dict[str, Any], resources: int = 8) -> dict[str, str]:
    """Writes jobs that take 5 s each unless they say otherwise, and returns the field that names the file."""
    usual = {"subtime": 0, "res": 1, "profile": "five"}
    profiles = {"five": {"type": "delay", "delay": 5}, "ten": {"type": "delay", "delay": 10}}
    document = {"nb_res": resources, "jobs": [{**usual, **job} for job in jobs], "profiles": profiles}
    path.write_text(json.dumps(document))
    return {"file": path.name}
