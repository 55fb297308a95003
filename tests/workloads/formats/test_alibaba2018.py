from __future__ import annotations

import pytest

from tests.support.paths import shared_data
from tests.workloads.formats.tracefiles import a_trace, lines_of, lives_of, only_pod
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats.alibaba2018 import (
    BatchInstances,
    BatchTasks,
    is_batch_instance,
    is_batch_task,
    is_machine_meta,
    read_machine_meta,
)
from wavetank.workloads.inputfile import InputFile


def a_task(name: str, times: str, job: str = "j_1", instances: int = 1, plan: str = "100,0.5") -> str:
    return f"{name},{instances},{job},1,Terminated,{times},{plan}"


def an_instance(name: str, times: str, attempt: str = "1,1") -> str:
    return f"{name},M1,j_1,1,Terminated,{times},m_9,{attempt},20,50,0.5,2"


def test_a_machine_is_as_its_first_row_in_use_says() -> None:
    file = a_trace("m_1,0,3,17,64,50,IMPORT_INSTALLING", "m_1,5,3,17,96,100,USING", "m_1,9,3,17,1,1,USING")
    (manifest,) = read_machine_meta(file)
    node = Node(manifest)
    assert (node.name, node.allocatable["cpu"], node.allocatable["memory"]) == ("m-1", 96_000, 512 << 30)
    assert node.labels["wavetank.dev/failure-domain-2"] == "17"
    assert not node.unschedulable


def test_a_machine_that_is_never_in_use_takes_no_pods() -> None:
    (manifest,) = read_machine_meta(a_trace("m_1,0,3,17,96,100,IMPORT_INSTALLING"))
    assert Node(manifest).unschedulable


def test_memory_of_100_is_an_option() -> None:
    (manifest,) = read_machine_meta(a_trace("m_1,0,3,17,96,50,USING", memory="1Ti"))
    assert Node(manifest).allocatable["memory"] == 512 << 30


def test_a_task_is_as_many_pods_as_it_has_instances() -> None:
    assert lives_of(BatchTasks(a_trace(a_task("M1", "100,160", instances=2)))) == [
        ("j-1-m1-0", 100, 60),
        ("j-1-m1-1", 100, 60),
    ]


@pytest.mark.parametrize(
    ("name", "submitted"),
    [
        pytest.param("R3_1_2", 200, id="when the last of those it waits for has ended"),
        pytest.param("R3_1", 150, id="one of them"),
        pytest.param("R3", 300, id="when it started, if it waits for none"),
        pytest.param("R3_9", 300, id="or for one that is not there"),
        pytest.param("task_Nzg5", 300, id="or is in no graph"),
        pytest.param("J3_1_2_Stg4", 200, id="names may go on"),
    ],
)
def test_a_task_is_submitted(name: str, submitted: int) -> None:
    tasks = [a_task("M1", "100,150"), a_task("M2", "100,200"), a_task(name, "300,310")]
    times = {pod: time for pod, time, _ in lives_of(BatchTasks(a_trace(*tasks)))}
    assert times[f"j-1-{name.lower().replace('_', '-')}"] == submitted


def test_a_task_that_started_before_those_it_waits_for_ended_does_so_again() -> None:
    lives = lives_of(BatchTasks(a_trace(a_task("M1", "100,500"), a_task("R2_1", "300,600"))))
    assert ("j-1-r2-1", 300, 300) in lives


def test_plans_are_percents() -> None:
    assert only_pod(BatchTasks(a_trace(a_task("M1", "1,2", plan="50,0.5"), memory="100Gi"))).requests == {
        "cpu": 500,
        "memory": 512 << 20,
    }
    assert only_pod(BatchTasks(a_trace(a_task("M1", "1,2", plan=",")))).requests == {}


def test_what_did_not_end_in_the_trace_is_left_out_and_counted() -> None:
    file = a_trace(a_task("M1", "100,0"), a_task("M2", ","), a_task("M3", "100,101"))
    assert len(lives_of(BatchTasks(file))) == 1
    assert file.skipped.total() == 2


def test_an_instance_asks_for_the_most_that_it_used() -> None:
    pod = only_pod(BatchInstances(a_trace(an_instance("ins_1", "5,9"), memory="100Gi")))
    assert pod.requests == {"cpu": 500, "memory": 2 << 30}


def test_attempts_of_an_instance_are_pods_of_their_own() -> None:
    file = a_trace(an_instance("ins_1", "5,9", "1,2"), an_instance("ins_1", "20,30", "2,2"))
    assert lives_of(BatchInstances(file)) == [("ins-1-1", 5, 4), ("ins-1-2", 20, 10)]


def test_the_night_ends_at_six() -> None:
    tasks = [a_task(f"M{i}", f"{i * 3600},{i * 3600 + 1}") for i in (5, 6, 25)]
    assert [time for _, time, _ in lives_of(BatchTasks(a_trace(*tasks, window="night")))] == [18_000, 90_000]
    assert [time for _, time, _ in lives_of(BatchTasks(a_trace(*tasks, window="day")))] == [0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param(a_task("M1", "9,5"), "line 1, end_time: expected a time at or after start_time, 9", id="back"),
        pytest.param(a_task("M1", "1,2", plan="-5,1"), "line 1, plan_cpu: expected a number", id="a negative plan"),
        pytest.param(a_task("M1", "1,2", instances=0), "line 1, instance_num: expected", id="no instance"),
        pytest.param("M1,1,j_1", "line 1: expected 9 cells, got 3", id="cut off"),
    ],
)
def test_a_faulty_row_is_named_and_a_lenient_reading_goes_on(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        BatchTasks(a_trace(line))
    file = a_trace(line, a_task("M7", "1,2"), lenient=True)
    assert len(lives_of(BatchTasks(file))) == 1
    assert file.skipped.total() == 1


def test_each_file_is_told_by_its_first_line() -> None:
    machine, task, instance = "m_1,0,3,17,96,100,USING", a_task("M1", "1,2"), an_instance("ins_1", "1,2")
    for detect, own in ((is_machine_meta, machine), (is_batch_task, task), (is_batch_instance, instance)):
        assert [detect(a_trace(line)) for line in (machine, task, instance)] == [
            line == own for line in (machine, task, instance)
        ]


def test_the_real_machines_add_up() -> None:
    path = shared_data("alibaba-2018/machine_meta.csv")
    rows = lines_of(path)
    file = InputFile.read(path)
    assert is_machine_meta(file)
    nodes = Cluster(read_machine_meta(file)).resources(SpecTable())
    assert len(nodes) == len({row[0] for row in rows}) == 4034
    in_use = {row[0] for row in rows if row[6] == "USING"}
    assert sum(not node.unschedulable for node in nodes) == len(in_use)  # type: ignore[attr-defined]
