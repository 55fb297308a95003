"""The examples of the batch operator: jobs and slots as committed, and the same with the real kube-scheduler."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.loop.realscheduler import VERSION, find_kube_scheduler
from tests.support.paths import EXAMPLES
from wavetank.experiments.document.experiment import load_experiment
from wavetank.experiments.run import RunPlan, make_run

FOLDER = EXAMPLES / "batch-operator"
DOCUMENTS = sorted(FOLDER.glob("[0-9]*/experiment.yaml"))
TABLES = ("batch_jobs.csv", "slots.csv")


def run(document: Path, folder: Path, **changes: object) -> Path:
    experiment = load_experiment(document, changes)
    (entry,) = experiment.schedulers
    make_run(RunPlan(entry.name, 1, experiment.setting(entry), folder, "test"))
    return folder


@pytest.mark.parametrize("document", [pytest.param(path, id=path.parent.name) for path in DOCUMENTS])
def test_jobs_get_the_slots_that_they_got_before(document: Path, tmp_path: Path) -> None:
    results = run(document, tmp_path / "out")
    expected = document.parent / "expected"
    for table in TABLES:
        if os.environ.get("WAVETANK_UPDATE"):
            expected.mkdir(exist_ok=True)
            (expected / table).write_bytes((results / table).read_bytes())
        assert (results / table).read_text() == (expected / table).read_text()
    assert (results / "slots.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("document", [pytest.param(path, id=path.parent.name) for path in DOCUMENTS])
def test_the_real_kube_scheduler_with_the_extender_makes_the_same_schedule(document: Path, tmp_path: Path) -> None:
    find_kube_scheduler()
    process = {"package": "kube-scheduler", "version": VERSION, "config": "../scheduler.yaml"}
    results = run(document, tmp_path / "out", schedulers=[{"name": "real", "process": process}])
    for table in TABLES:
        assert (results / table).read_text() == (document.parent / "expected" / table).read_text()
