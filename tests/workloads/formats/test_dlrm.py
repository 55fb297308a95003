from __future__ import annotations

import pytest

from tests.support.paths import shared_data
from tests.workloads.formats.tracefiles import a_trace, lines_of, lives_of, only_pod
from tests.workloads.inputs import arrivals_of
from wavetank.cluster.objects.gpus import GPU
from wavetank.errors import InputError
from wavetank.workloads.formats.dlrm import MOST_PER_NODE, RDMA, DlrmWorkload, is_dlrm
from wavetank.workloads.inputfile import InputFile

HEADER = (
    "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,"
    "memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time"
)


def a_line(name: str = "i_0", role: str = "HN", most: int = 8, times: str = ",,") -> str:
    return f"{name},{role},app_7,12,12,1,1,25,25,120.0,120.0,640.0,800.0,{most},{times}"


def test_requests_are_cores_gib_and_gpus() -> None:
    pod = only_pod(DlrmWorkload(a_trace(HEADER, a_line())))
    assert pod.requests == {"cpu": 12_000, "memory": 120 << 30, "ephemeral-storage": 640 << 30, GPU: 1}
    assert pod.labels == {"app": "app_7", "role": "HN"}
    assert pod.annotations == {RDMA: "25", MOST_PER_NODE: "8"}


def test_no_limit_of_instances_per_node_is_no_annotation() -> None:
    assert MOST_PER_NODE not in only_pod(DlrmWorkload(a_trace(HEADER, a_line(most=-1)))).annotations


def test_missing_times_are_those_outside_of_the_trace() -> None:
    file = a_trace(
        HEADER, a_line("a"), a_line("b", times=",,50.0"), a_line("c", times="10,12.5,"), a_line("d", times="7,8,9")
    )
    expected = [("a", 0, None), ("b", 0, 50), ("d", 7, 1), ("c", 10, None)]
    assert lives_of(DlrmWorkload(file)) == expected
    assert sorted(file.assumed.values()) == [2, 2]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param(a_line(role="XN"), "line 2, role: expected CN or HN, got 'XN'", id="a role"),
        pytest.param(a_line(times="1,9,5"), "line 2, deletion_time: expected a time at or after", id="time runs back"),
        pytest.param(a_line(times="-1,,"), "line 2, creation_time: expected a number", id="before the trace"),
    ],
)
def test_a_faulty_row_is_named(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        DlrmWorkload(a_trace(HEADER, line))


def test_the_real_trace_adds_up() -> None:
    path = shared_data("alibaba-dlrm-2025/disaggregated_DLRM_trace.csv")
    rows = lines_of(path)[1:]
    file = InputFile.read(path)
    assert is_dlrm(file)
    pods = [arrival.pod for arrival in arrivals_of(DlrmWorkload(file))]
    assert len(pods) == len(rows) == 23_871
    assert sum(pod.requests["cpu"] for pod in pods) == sum(int(row[3]) for row in rows) * 1000
    assert sum(pod.requests.get(GPU, 0) for pod in pods) == sum(int(row[5]) for row in rows)
