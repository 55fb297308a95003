"""External schedulers compared in an experiment."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import yaml

import wavetank
from tests.support.paths import EXAMPLES
from wavetank.experiments.document.experiment import parse_experiment


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> wavetank.Results:
    return wavetank.run(EXAMPLES / "batch-operator/experiment.yaml", out=tmp_path_factory.mktemp("results") / "out")


def test_external_schedulers_are_compared_by_the_latency_of_their_jobs(results: wavetank.Results) -> None:
    with Path(results.folder, "summary.csv").open(encoding="utf-8") as file:
        summary = {row["scheduler"]: row for row in csv.DictReader(file)}
    makespans = {name: float(row["makespan_s"]) for name, row in summary.items()}
    assert makespans == {"fifo": 1140, "shortest-first": 1140, "longest-first": 900, "round-robin": 1440}
    latencies = {name: float(row["mean_job_latency_s"]) for name, row in summary.items()}
    assert min(latencies, key=latencies.__getitem__) == "shortest-first"


def test_every_job_runs_once(results: wavetank.Results) -> None:
    for scheduler in ("fifo", "round-robin"):
        table = Path(results.folder, scheduler, "seed-1", "batch_jobs.csv").read_text().splitlines()
        assert len(table) == 9
        assert all(line.endswith("CompletedState") for line in table[1:])


def test_external_schedulers_use_the_operators_scheduler_name() -> None:
    document = yaml.safe_load((EXAMPLES / "batch-operator/experiment.yaml").read_text())
    document["spec"]["operator"]["schedulerName"] = "slots"
    experiment = parse_experiment(document, EXAMPLES / "batch-operator")
    assert experiment.schedulers[0].schedulers[0].scheduler_names == ("default-scheduler", "slots")
