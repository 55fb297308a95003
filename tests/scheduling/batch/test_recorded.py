"""What Batsim's own schedulers and a real OAR did."""

import csv
import shutil

import pytest

from tests.support.paths import shared_data
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.document.structures.spec import API_VERSION
from wavetank.experiments.runner import run_experiment

NODES = [{"count": 32, "cpu": 1, "memory": "1Gi"}]


def jobs_of(workload, queue, tmp_path):
    """Runs a recorded workload on 32 nodes and returns the rows of jobs.csv by job."""
    shutil.copy(workload, tmp_path)
    spec = {"cluster": {"nodes": NODES}, "workload": {"file": workload.name}, "schedulers": [{"name": queue}]}
    experiment = parse_experiment({"apiVersion": API_VERSION, "kind": "Experiment", "spec": spec}, tmp_path)
    run_experiment(experiment, tmp_path / "out", "0.0", jobs=1)
    return rows_of(tmp_path / "out" / queue / "seed-1" / "jobs.csv", "job_id")


def rows_of(path, key):
    with path.open(newline="") as file:
        return {row[key]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("queue", ["easy", "conservative"])
def test_every_job_starts_when_and_where_batsim_started_it(queue, tmp_path):
    theirs = rows_of(shared_data(f"batsim/{queue}_out_jobs.csv"), "job_id")
    ours = jobs_of(shared_data("batsim/medium_late.workload.json"), queue, tmp_path)
    assert ours.keys() == theirs.keys()
    for job, row in theirs.items():
        assert float(ours[job]["starting_time"]) == pytest.approx(float(row["starting_time"]), abs=1e-5), job
        assert ours[job]["allocated_resources"] == row["allocated_resources"], job


def test_the_makespan_of_a_real_oar_is_met(tmp_path):
    ours = jobs_of(shared_data("oar-real-g5k/seed1.workload.json"), "conservative", tmp_path)
    makespan = max(float(row["finish_time"]) for row in ours.values())
    for run in sorted(shared_data("oar-real-g5k").glob("*.csv")):
        theirs = rows_of(run, "workload_job_id")
        assert makespan == pytest.approx(max(float(row["stop_time"]) for row in theirs.values()), rel=0.01), run.name
