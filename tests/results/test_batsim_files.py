from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.experiments.trials import a_batsim_workload, ran, rows_of
from wavetank.workloads.formats.batsim.intervals import format_intervals

FOUR_NODES = {"nodes": [{"count": 4, "cpu": 1, "memory": "1Gi"}]}
PLATFORM = """<platform version="4.1"><zone id="z" routing="Full">
<host id="master_host" speed="1Gf"/><host id="b" speed="1Gf"/><host id="a" speed="1Gf"/>
</zone></platform>"""


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([3], "3"),
        ([0, 1], "0-1"),
        ([2, 0], "0 2"),
        ([8, 1, 2, 0, 3, 5, 7], "0-3 5 7-8"),
    ],
)
def test_interval_sets(numbers: Sequence[int], text: str) -> None:
    assert format_intervals(numbers) == text


def tables(tmp_path: Path, *jobs: dict[str, Any], **spec: Any) -> tuple[list[dict[str, str]], dict[str, str]]:
    """Runs jobs on four nodes, first fit; returns the rows of jobs.csv and the one of schedule.csv."""
    workload = a_batsim_workload(tmp_path / "jobs.json", *jobs)
    spec = {"cluster": FOUR_NODES, "schedulers": [{"name": "first-fit"}], **spec}
    folder = ran(tmp_path / "out", 1, tmp_path, workload=workload, **spec) / "first-fit" / "seed-1"
    (schedule,) = rows_of(folder / "schedule.csv")
    return rows_of(folder / "jobs.csv"), schedule


def test_a_job_of_several_pods_is_one_row(tmp_path: Path) -> None:
    rows, schedule = tables(tmp_path, {"id": "wide", "res": 3, "walltime": 9}, {"id": "late", "subtime": 2, "res": 2})
    assert rows[0] == {
        "job_id": "wide",
        "workload_name": "w0",
        "profile": "five",
        "submission_time": "0.000000",
        "requested_number_of_resources": "3",
        "requested_time": "9.000000",
        "success": "1",
        "final_state": "COMPLETED_SUCCESSFULLY",
        "starting_time": "0.000000",
        "execution_time": "5.000000",
        "finish_time": "5.000000",
        "waiting_time": "0.000000",
        "turnaround_time": "5.000000",
        "stretch": "1.000000",
        "allocated_resources": "0-2",
        "consumed_energy": "-1",
        "metadata": "",
    }
    late = rows[1]  # one of its pods starts at 2, the other must wait until 5: the job runs from there
    assert (late["starting_time"], late["finish_time"], late["waiting_time"]) == ("5.000000", "10.000000", "3.000000")
    assert late["allocated_resources"] == "0 3"
    assert late["requested_time"] == "-1"
    assert (schedule["nb_jobs"], schedule["nb_jobs_success"], schedule["makespan"]) == ("2", "2", "10.000000")
    assert schedule["mean_waiting_time"] == "1.500000"
    assert schedule["mean_slowdown"] == "1.300000"
    assert schedule["nb_computing_machines"] == "4"


def test_jobs_come_in_the_order_of_their_end(tmp_path: Path) -> None:
    rows, _ = tables(tmp_path, {"id": "long", "profile": "ten"}, {"id": "short", "subtime": 1})
    assert [row["job_id"] for row in rows] == ["short", "long"]


def test_a_job_that_reaches_its_walltime(tmp_path: Path) -> None:
    rows, schedule = tables(tmp_path, {"id": "a", "walltime": 3})
    assert (rows[0]["success"], rows[0]["final_state"]) == ("0", "COMPLETED_WALLTIME_REACHED")
    assert (rows[0]["execution_time"], schedule["nb_jobs_killed"]) == ("3.000000", "1")
    assert schedule["success_rate"] == "0.000000"


def test_a_job_that_never_ends_has_no_row(tmp_path: Path) -> None:
    rows, schedule = tables(tmp_path, {"id": "a"}, {"id": "b", "cpu": 9})
    assert [row["job_id"] for row in rows] == ["a"]
    assert (schedule["nb_jobs"], schedule["nb_jobs_finished"]) == ("2", "1")


def test_machines_are_numbered_as_the_platform_numbers_them(tmp_path: Path) -> None:
    (tmp_path / "platform.xml").write_text(PLATFORM)
    rows, schedule = tables(tmp_path, {"id": "a"}, cluster={"file": "platform.xml"})
    assert schedule["nb_computing_machines"] == "2"
    assert rows[0]["allocated_resources"] == "0"  # a comes first by name, as Batsim numbers its machines
