"""The tables and metrics of runs with ClusterQueues, and their section of the report."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
import yaml

import wavetank
from tests.support.kueue import a_cluster_queue, a_flavor, a_job, a_local_queue, a_priority_class
from wavetank.report.page.html import write_report
from wavetank.results import layout


def experiment(folder: Path) -> dict[str, Any]:
    """Returns an experiment in which b borrows 8 of a's CPUs at 0 and 1 s, and a takes them back at 100 s."""
    policy = {"reclaimWithinCohort": "Any"}
    queues = [a_cluster_queue(name, {"x": {"cpu": 8}}, cohortName="all", preemption=policy) for name in "ab"]
    objects = [a_flavor("x"), *queues, *(a_local_queue(name, name) for name in "ab"), a_priority_class("low", 0)]
    jobs = [a_job(f"b{i}", "b", i, 199, {"cpu": "8"}, priority="low") for i in range(2)]
    jobs += [a_job("a0", "a", 100, 49, {"cpu": "8"}, priority="low")]
    (folder / "jobs.yaml").write_text(yaml.safe_dump_all(jobs), encoding="utf-8")
    return {
        "apiVersion": "wavetank.dev/v1alpha1",
        "kind": "Experiment",
        "metadata": {"name": "queued"},
        "spec": {
            "cluster": {"nodes": [{"count": 4, "cpu": 16, "memory": "64Gi"}], "objects": objects},
            "workload": {"file": str(folder / "jobs.yaml")},
            "horizon": "400s",
        },
    }


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("queued")
    wavetank.run(experiment(folder), out=folder / "out")
    write_report(folder / "out")
    return folder / "out"


def rows(results: Path, file: str) -> list[dict[str, str]]:
    with (results / "default/seed-1" / file).open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_each_queue_has_its_waits_preemptions_and_use(results: Path) -> None:
    a, b = rows(results, layout.QUEUES)
    assert (a["workloads"], a["preempted"], a["preempting"], a["borrowing_time"]) == ("1", "0", "1", "0")
    assert (b["workloads"], b["preempted"], b["preempting"], b["pending"]) == ("2", "1", "0", "0")
    assert float(b["lost_time_s"]) == pytest.approx(99)  # b1 ran from 1 s to 100 s in vain
    assert a["cohort"] == "all"


def test_borrowed_quota_is_what_exceeds_the_nominal_one(results: Path) -> None:
    a, b = rows(results, layout.QUEUE_QUOTAS)
    assert (a["nominal"], a["most_used"], a["most_borrowed"]) == ("8000", "8000", "0")
    assert (b["nominal"], b["most_used"], b["most_borrowed"]) == ("8000", "16000", "8000")
    # b1 borrows from 1 s to 100 s, and again from 150 s, when a0 has ended, until b0 ends at 200 s
    assert float(b["borrowing_time_s"]) == pytest.approx(149, abs=0.2)


def test_a_workload_has_its_instants(results: Path) -> None:
    found = {row["owner"]: row for row in rows(results, layout.WORKLOADS)}
    assert (found["b1"]["admitted_s"], found["b1"]["admissions"], found["b1"]["preempted_by"]) == ("1", "2", "a")
    assert found["b1"]["reason"] == "InCohortReclamation"
    assert found["a0"]["flavors"] == "x"


def test_the_summary_has_metrics_of_queues(results: Path) -> None:
    with (results / layout.SUMMARY).open(newline="") as lines:
        [row] = csv.DictReader(lines)
    assert (row["workloads"], row["pending_workloads"], row["workload_preemptions"]) == ("3", "0", "1")
    assert 0.5 < float(row["queue_fairness"]) <= 1


def test_tables_are_read_from_python(results: Path) -> None:
    found = wavetank.open_results(results)
    assert [row["queue"] for row in found.queues("default", 1, frame="rows")] == ["a", "b"]
    assert len(found.workloads("default", 1, frame="rows")) == 3


def test_the_report_has_a_section_of_queues(results: Path) -> None:
    assert 'id="queues"' in (results / layout.REPORT).read_text(encoding="utf-8")
