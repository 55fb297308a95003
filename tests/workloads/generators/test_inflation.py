"""Workloads that are made to ask for so much of a cluster."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workloads.formats.tracefiles import a_trace, lives_of
from tests.workloads.inputs import arrivals_of, cluster_of, names_of
from wavetank.errors import InputError
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats.openb import OpenbPods
from wavetank.workloads.generators.inflation import Inflated, InflateSpec, demand_of, inflate, known_pods

PODS = a_trace(
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time,scheduled_time",
    *(
        f"p{i},1000,1,{gpus},{milli},{i},{i + 50},{i + 1}"
        for i, (gpus, milli) in enumerate([(1, 500), (2, 1000), (0, 0)])
    ),
)


def a_cluster(gpus: int = 10) -> Cluster:
    return cluster_of([{"cpu": 8, "memory": "1Gi", "resources": {"nvidia.com/gpu": gpus}}])


def inflated(resource: str = "gpu", target: float = 1.3, gpus: int = 10) -> Inflated:
    return inflate(OpenbPods(PODS), InflateSpec(resource=resource, target=target), a_cluster(gpus), "inflate")


def test_clones_come_after_the_originals_until_there_are_enough() -> None:
    names = names_of(inflated())
    assert sorted(names[:3]) == ["p0", "p1", "p2"]
    assert len(set(names)) == len(names)
    assert {name.partition("-clone-")[0] for name in names[3:]} <= {"p0", "p1", "p2"}
    asked = sum(demand_of(arrival.pod, "gpu") for arrival in arrivals_of(inflated()))
    assert 12_000 < asked <= 14_000  # of the last clone one GPU fits, the other may not


def test_all_are_there_from_the_start_and_stay() -> None:
    assert {(time, duration) for _, time, duration in lives_of(inflated())} == {(0, None)}


def test_the_order_follows_the_seed() -> None:
    orders = [[arrival.pod.name for arrival in arrivals_of(inflated(target=3), seed)] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]


def test_so_does_the_order_of_the_nodes() -> None:
    names = [f"n{i}" for i in range(20)]
    orders = [inflated().node_order(names, seed) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(names)
    assert inflated().node_order(names[::-1], 1) == orders[0]


def test_what_is_too_much_is_left_out() -> None:
    assert names_of(inflated(target=0.05)) in (["p0", "p2"], ["p2", "p0"], ["p0"], ["p2"], [])
    asked = sum(demand_of(arrival.pod, "gpu") for arrival in arrivals_of(inflated(target=2, gpus=1)))
    assert asked <= 2000


def test_other_resources_are_those_that_pods_request() -> None:
    pods = arrivals_of(inflated("cpu", 2))
    assert sum(arrival.pod.requests["cpu"] for arrival in pods) == 16_000


def test_it_is_known_by_its_originals() -> None:
    workload = inflated(target=5)
    assert [pod.name for pod in known_pods(workload, 1)] == ["p0", "p1", "p2"]
    assert [pod.name for pod in known_pods(workload.original, 1)] == ["p0", "p1", "p2"]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        pytest.param("gpu", "inflate: expected a mapping", id="no mapping"),
        pytest.param({"target": 1}, "inflate.resource: this field is required (text)", id="no resource"),
        pytest.param({"resource": "gpu"}, "inflate.target: this field is required (number)", id="no target"),
        pytest.param({"resource": "gpu", "target": -1}, "inflate.target: expected a number", id="less than nothing"),
        pytest.param({"resource": "tpu", "target": 1}, "inflate.resource: no node has tpu", id="no node has it"),
        pytest.param(
            {"resource": "pods", "target": 1}, "inflate.resource: no pod asks for pods", id="no pod asks for it"
        ),
        pytest.param(
            {"resource": "gpu", "target": 1e9}, "inflate.target: expected a target for at most", id="too many"
        ),
        pytest.param({"resource": "gpu", "target": 1, "x": 1}, "inflate: unknown field 'x'", id="unknown"),
    ],
)
def test_what_is_refused(wanted: Any, message: str) -> None:
    with pytest.raises(InputError) as refused:
        inflate(OpenbPods(PODS), InflateSpec.read(wanted, "inflate"), a_cluster(), "inflate")
    assert message in str(refused.value)
