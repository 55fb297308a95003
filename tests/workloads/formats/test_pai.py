"""Alibaba's GPU trace of 2020, in files made to its published schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.workloads.formats.tracefiles import a_trace, lives_of, only_pod
from wavetank.cli.main import cli
from wavetank.cluster.objects.node import Node
from wavetank.errors import InputError
from wavetank.workloads.formats.pai import PaiInstances, PaiJobs, PaiTasks, read_pai_machines
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.open import format_of, open_workload

JOB, OTHER = "4b3f04b66a525d2df903eb16", "4f057009a5d481acec67b088"
EAST = 8 * 3600  # the trace's midnight is that of UTC+8


def a_task(job: str = JOB, name: str = "worker", number: str = "1.0", times: str = "100.0,160.0", **plan: str) -> str:
    given = {"cpu": "600.0", "mem": "29.296875", "gpu": "50.0", "type": "MISC"} | plan
    return f"{job},{name},{number},Terminated,{times},{given['cpu']},{given['mem']},{given['gpu']},{given['type']}"


def a_job(name: str = JOB, times: str = "90.0,170.0", status: str = "Terminated") -> str:
    return f"{name},8cb3bec23d14dbde320b6613452e768cbbf35b8bd64ee28fcceb77d3c47d,58540f191766,{status},{times}"


def an_instance(worker: str, times: str, task: str = "worker") -> str:
    return f"{JOB},{task},0d39aa867a79,{worker},e387fbc18d80,Terminated,{times},471dda9ed84965451e042145"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A folder with all tables of a trace: two jobs, one of which has two tasks."""
    tasks = [a_task(name="ps", gpu="0.0"), a_task(number="2.0"), a_task(OTHER, "tensorflow", times="50.0,80.0")]
    instances = [an_instance("54db", "100.0,150.0"), an_instance("aa01", "110.0,160.0", "ps")]
    machine = "82e5af3cd5c4af3f56c62c54,T4,96,512,2"
    tables = {
        "pai_task_table": tasks,
        "pai_job_table": [a_job(), a_job(OTHER, "10.0,80.0")],
        "pai_instance_table": instances,
        "pai_machine_spec": [machine],
    }
    for name, lines in tables.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pai_task_table", "pai-tasks"),
        ("pai_job_table", "pai-jobs"),
        ("pai_instance_table", "pai-instances"),
        ("pai_machine_spec", "pai-machines"),
    ],
)
def test_each_table_is_recognized(trace: Path, name: str, expected: str) -> None:
    assert format_of(InputFile.read(trace / f"{name}.csv")) == expected


def test_a_machine_is_a_node_with_its_gpus() -> None:
    (manifest,) = read_pai_machines(a_trace("82e5af3cd5c4af3f56c62c54,T4,96,512,2"))
    node = Node(manifest)
    assert (node.allocatable["cpu"], node.allocatable["memory"]) == (96_000, 512 << 30)
    assert node.allocatable["nvidia.com/gpu"] == 2
    assert node.labels["alibabacloud.com/gpu-card-model"] == "T4"


def test_a_task_is_as_many_pods_as_it_has_instances() -> None:
    workload = PaiTasks(a_trace(a_task(number="2.0")))
    assert lives_of(workload) == [(f"{JOB}-worker-0", EAST + 100, 60), (f"{JOB}-worker-1", EAST + 100, 60)]


@pytest.mark.parametrize(
    ("plan", "requested", "annotated"),
    [
        pytest.param("50.0", {}, ("1", "500"), id="a part of a GPU"),
        pytest.param("100.0", {"nvidia.com/gpu": 1}, ("1", "1000"), id="a GPU"),
        pytest.param("400.0", {"nvidia.com/gpu": 4}, ("4", "1000"), id="four"),
        pytest.param("150.0", {"nvidia.com/gpu": 2}, ("2", "1000"), id="one and a half: two"),
        pytest.param("", {}, (None, None), id="none"),
    ],
)
def test_plans_are_percents_and_gibibytes(plan: str, requested: dict[str, int], annotated: tuple[str, str]) -> None:
    pod = only_pod(PaiTasks(a_trace(a_task(gpu=plan))))
    assert pod.requests == {"cpu": 6000, "memory": 30_000 << 20, **requested}
    found = [pod.annotations.get(f"alibabacloud.com/gpu-{what}") for what in ("count", "milli")]
    assert tuple(found) == annotated
    assert pod.annotations["wavetank.dev/gpu-type"] == "MISC"


def test_tasks_of_a_job_are_submitted_with_it(trace: Path) -> None:
    assert lives_of(PaiJobs(InputFile.read(trace / "pai_job_table.csv"))) == [
        (f"{OTHER}-tensorflow", EAST + 10, 30),
        (f"{JOB}-ps", EAST + 90, 60),
        (f"{JOB}-worker-0", EAST + 90, 60),
        (f"{JOB}-worker-1", EAST + 90, 60),
    ]


def test_an_instance_asks_for_the_plan_of_its_task(trace: Path) -> None:
    workload = PaiInstances(InputFile.read(trace / "pai_instance_table.csv"))
    assert lives_of(workload) == [("54db", EAST + 100, 50), ("aa01", EAST + 110, 50)]


def test_the_table_of_tasks_may_be_elsewhere(trace: Path) -> None:
    (trace / "pai_task_table.csv").rename(trace / "t.csv")
    with pytest.raises(InputError, match=r"needs pai_task_table\.csv next to it, or the option tasks"):
        open_workload(trace / "pai_job_table.csv")
    assert len(lives_of(open_workload(trace / "pai_job_table.csv", options={"tasks": "t.csv"}).workload)) == 4
    with pytest.raises(InputError, match="expected the columns job_name, task_name"):
        open_workload(trace / "pai_job_table.csv", options={"tasks": "pai_machine_spec.csv"})


def test_the_night_ends_at_eight_in_china() -> None:
    tasks = [a_task(name=f"t{i}", times=f"{i * 3600}.0,{i * 3600 + 1}.0") for i in (0, 15, 16, 23, 24)]
    assert [time for _, time, _ in lives_of(PaiTasks(a_trace(*tasks, window="night")))] == [24 * 3600, 31 * 3600]
    assert [time for _, time, _ in lives_of(PaiTasks(a_trace(*tasks, window="day")))] == [0, 15 * 3600, 24 * 3600]
    assert [time for _, time, _ in lives_of(PaiTasks(a_trace(*tasks, window="day", day=1)))] == [0]


def test_what_did_not_end_in_the_trace_is_left_out_and_counted() -> None:
    file = a_trace(a_task(times="100.0,"), a_task(name="b"), a_task(name="c", times=","))
    assert len(lives_of(PaiTasks(file))) == 1
    assert file.skipped.total() == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param(a_task(times="9.0,5.0"), r"line 1, end_time: expected a time at or after start_time", id="back"),
        pytest.param(a_task(cpu="-1"), "line 1, plan_cpu: expected a number", id="a negative plan"),
        pytest.param(a_task(number="0.0"), "line 1, inst_num: expected a whole number", id="no instance"),
        pytest.param("a,b", "line 1: expected 10 cells, got 2", id="cut off"),
    ],
)
def test_a_faulty_row_is_named_and_a_lenient_reading_goes_on(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PaiTasks(a_trace(line))
    assert len(lives_of(PaiTasks(a_trace(line, a_task(name="good"), lenient=True)))) == 1


def test_inspect_and_convert_read_it(trace: Path) -> None:
    runner = CliRunner()
    inspected = runner.invoke(cli, ["inspect", str(trace / "pai_job_table.csv"), "--json"])
    assert inspected.exit_code == 0, inspected.output
    assert json.loads(inspected.output)["format"] == "pai-jobs"
    converted = runner.invoke(cli, ["convert", str(trace / "pai_task_table.csv"), str(trace / "out.csv")])
    assert converted.exit_code == 0, converted.output
    assert (trace / "out.csv").read_text().count(f"{JOB}-worker,28900,60,6000,31457280000,2") == 1
