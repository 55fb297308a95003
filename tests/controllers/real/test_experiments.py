"""An experiment whose Deployments and Jobs are looked after by the real kube-controller-manager."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.controllers.real.clusters import PACKAGE, VERSION, real_manager
from tests.controllers.real.test_manager import a_deployment, a_job
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.recording import record

HEAD = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "managed"}}
REAL = {"process": {"package": PACKAGE, "version": VERSION}}


def an_experiment(folder: Path, controllers: object, **spec: Any) -> Any:
    file = folder / "workload.yaml"
    job = a_job(3)
    job["metadata"]["annotations"] = {"wavetank.dev/arrival": "10s"}
    file.write_text(yaml.safe_dump_all([a_deployment(2), job]))
    usual = {
        "kubernetesVersion": "1.35",
        "cluster": {"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi"}]},
        "workload": {"file": str(file)},
        "faults": [{"at": "45s", "for": "60s", "fail": "node-0"}],
        "horizon": "300s",
        "controllers": controllers,
    }
    return parse_experiment({**HEAD, "spec": {**usual, **spec}}, folder)


def told(folder: Path, controllers: object) -> list[tuple[str, str, str]]:
    experiment = an_experiment(folder, controllers)
    rows = record(experiment.setting(experiment.schedulers[0]), 1).rows
    return sorted((row.name.partition("-")[0], row.phase, row.reason) for row in rows)


def test_pods_come_and_end_as_with_the_built_in_controllers(tmp_path: Path) -> None:
    real_manager()
    found = told(tmp_path, REAL)
    assert found == told(tmp_path, "*")
    assert found.count(("web", "Running", "")) == 2
    assert found.count(("j", "Succeeded", "")) == 3


def test_a_run_can_be_repeated(tmp_path: Path) -> None:
    real_manager()
    experiment = an_experiment(tmp_path, REAL)
    runs = [record(experiment.setting(experiment.schedulers[0]), 1).rows for _ in range(2)]
    first, second = ([(row.name, row.node, row.scheduled, row.finished) for row in rows] for rows in runs)
    assert first == second


@pytest.mark.parametrize(
    ("controllers", "message"),
    [
        ({"process": {"package": "nobody", "version": VERSION}}, "nobody v1.35.8 is not built"),
        ({"process": {"version": "1.2"}}, "expected a Kubernetes version"),
        ({"process": {"version": VERSION, "controllers": ["nope"]}}, "unknown controller 'nope'"),
        ({"program": {}}, "program"),
    ],
)
def test_mistakes_are_named(controllers: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        an_experiment(tmp_path, controllers)
