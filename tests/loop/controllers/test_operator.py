"""An operator written with controller-runtime, as a user would, lives in virtual time, repeatably."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.experiments.nodepools.pools import deployment
from tests.loop.controllers.operators import FOLDER, VERSION, find_night_shift
from tests.loop.programs import an_experiment
from wavetank.experiments.document.experiment import Experiment
from wavetank.kernel.durations import SECOND
from wavetank.loop.errors import ProcessError
from wavetank.simulation.observer import Observer
from wavetank.simulation.simulation import Simulation

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs run in the loop on Linux")

HOUR = 3600 * SECOND
SHIFT = {
    "apiVersion": "example.org/v1",
    "kind": "NightShift",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"deployment": "web", "day": 6, "night": 1, "from": 8, "to": 20},
}


class Replicas(Observer):
    """Notes when the Deployment is scaled, and to how many replicas."""

    def __init__(self) -> None:
        self.scaled: list[tuple[int, int]] = []

    def join(self, context: Any) -> None:
        """Watches Deployments."""

        def modified(old: Any, new: Any) -> None:
            before, after = (each.manifest["spec"].get("replicas") for each in (old, new))
            if before != after:
                self.scaled.append((context.clock.now, after))

        context.store.subscribe("Deployment.apps", modified=modified)


def two_days(folder: Path, objects: list[Any], horizon: str = "48h", **process: Any) -> Experiment:
    (folder / "web.yaml").write_text(yaml.safe_dump(deployment("web", 1, "500m")))
    return an_experiment(
        cluster={"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi"}], "objects": objects},
        workload={"file": str(folder / "web.yaml")},
        controllers=[{"name": "night-shift", "process": {"version": VERSION, "timerSlack": "10s", **process}}],
        schedulers=[{"name": "default"}],
        horizon=horizon,
    )


def scaled(experiment: Experiment) -> list[tuple[int, int]]:
    replicas = Replicas()
    Simulation(experiment.setting(experiment.schedulers[0]), 1, [replicas]).run()
    return replicas.scaled


def kinds() -> list[Any]:
    return list(yaml.safe_load_all((FOLDER / "crd.yaml").read_text()))


def test_it_acts_by_the_hours_of_two_days(tmp_path):
    find_night_shift()
    runs = [scaled(two_days(tmp_path, [*kinds(), SHIFT])) for _ in range(2)]
    assert [(at // HOUR, count) for at, count in runs[0]] == [(8, 6), (20, 1), (32, 6), (44, 1)]
    assert all(at % HOUR <= 10 * SECOND for at, _ in runs[0])  # its slack
    assert runs[0] == runs[1]


def test_it_keeps_its_lease_in_virtual_time(tmp_path):
    find_night_shift()
    early = {**SHIFT, "spec": {**SHIFT["spec"], "from": 0}}
    experiment = two_days(tmp_path, [*kinds(), early], "2m", args=["--leader-elect"], timerSlack="1ms")
    assert [count for _, count in scaled(experiment)] == [6]


def test_without_its_kind_it_is_named_with_its_last_requests(tmp_path):
    find_night_shift()
    with pytest.raises(ProcessError, match="controller night-shift ") as raised:
        scaled(two_days(tmp_path, [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "empty"}}]))
    assert raised.value.exit_status == 3
    assert "its last requests: " in str(raised.value)
