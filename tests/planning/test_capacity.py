"""How many nodes are needed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.planning.shop import SHOP, shop
from tests.planning.test_whatif import owned
from tests.support.objects import node_manifest, pod_manifest
from wavetank.api.planning import capacity
from wavetank.errors import InputError
from wavetank.planning.capacity.headroom import Headroom
from wavetank.planning.capacity.question import CapacityQuestion
from wavetank.planning.options import read_options
from wavetank.snapshots.snapshot import make_snapshot


def asked(objects, *types, **fields):
    return CapacityQuestion([read_options(latency="ideal")], make_snapshot(objects), types=types, **fields).ask()


def pods(number, cpu="1", **fields):
    return [pod_manifest(f"p{i}", cpu=cpu, **fields) for i in range(number)]


def test_the_fewest_nodes_are_found_and_the_pods_that_bind_them():
    (answer,) = asked([node_manifest("n"), *pods(9)]).answers
    assert (answer.nodes, answer.short, len(answer.binding)) == (3, "2 nodes", 1)
    assert "Insufficient cpu" in next(iter(answer.binding.values()))


def test_daemon_pods_are_counted_on_every_node():
    daemons = [owned("agent-x", "n", "DaemonSet", "agent", cpu="1")]
    (answer,) = asked([node_manifest("n"), *daemons, *pods(9)]).answers
    assert answer.nodes == 3
    (without,) = asked([node_manifest("n"), *pods(8)]).answers
    (with_daemons,) = asked([node_manifest("n"), *daemons, *pods(8)]).answers
    assert (without.nodes, with_daemons.nodes) == (2, 3)


def test_large_pods_leave_parts_of_nodes_unused():
    (answer,) = asked([node_manifest("n"), *pods(4, cpu="3")]).answers
    assert answer.nodes == 4  # 12 CPUs would fit on three nodes of 4


def test_what_fits_on_no_node_is_named():
    (answer,) = asked([node_manifest("n"), *pods(2), pod_manifest("huge", cpu="5")]).answers
    assert (answer.fits, list(answer.binding)) == (False, ["default/huge"])


@pytest.mark.parametrize(
    ("headroom", "number"),
    [(Headroom(), 2), (Headroom(nodes=1), 3), (Headroom(nodes=2), 4), (Headroom(zone=True), 4)],
)
def test_headroom_is_for_nodes_and_zones_that_fail(headroom, number):
    nodes = [node_manifest(f"n{zone}", zone=zone) for zone in "ab"]
    (answer,) = asked([*nodes, *pods(8)], headroom=headroom).answers
    assert answer.nodes == number


@pytest.mark.parametrize(
    ("types", "counts"),
    [
        pytest.param(("cpu=4,memory=16Gi,price=1", "cpu=8,memory=32Gi,price=1.8"), [0, 2], id="large ones are cheaper"),
        pytest.param(("cpu=4,memory=16Gi,price=1", "cpu=8,memory=32Gi,price=2.5"), [4, 0], id="small ones are"),
        pytest.param(("cpu=4,memory=16Gi,price=1", "cpu=12,memory=48Gi,price=2.5"), [1, 1], id="a mix is"),
    ],
)
def test_the_cheapest_mix_is_found(types, counts):
    (answer,) = asked([node_manifest("n"), *pods(16)], *types).answers
    assert [each.count for each in answer.types] == counts


def test_types_of_which_each_is_needed_are_mixed():
    gpu = pod_manifest("gpu", requests={"cpu": "1", "nvidia.com/gpu": "1"})
    selecting = pod_manifest("ssd", nodeSelector={"disk": "ssd"})
    types = ("cpu=4,memory=16Gi,disk=ssd", "cpu=4,memory=16Gi,nvidia.com/gpu=1")
    (answer,) = asked([node_manifest("n"), gpu, selecting], *types).answers
    assert [each.count for each in answer.types] == [1, 1]


def test_the_types_of_the_snapshot_are_the_default():
    (answer,) = CapacityQuestion([read_options(latency="ideal")], shop()).ask().answers
    assert ([each.name for each in answer.types], answer.nodes, answer.price) == (["a-0"], 5, 1.0)


def test_a_workload_reaches_a_goal(tmp_path):
    trace = tmp_path / "trace.csv"
    rows = "".join(f"p{i},0,60,1000,1073741824\n" for i in range(8))
    trace.write_text("name,arrival_s,duration_s,cpu_milli,memory_bytes\n" + rows)
    few = capacity(workload=trace, nodes="cpu=2,memory=8Gi")
    at_once = capacity(workload=trace, nodes="cpu=2,memory=8Gi", goal="max_waiting_time_s == 0")
    later = capacity(workload=trace, nodes="cpu=2,memory=8Gi", goal="max_waiting_time_s <= 60")
    assert (few.nodes, at_once.nodes, later.nodes) == ({"default": 1}, {"default": 4}, {"default": 2})


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({}, "expected a snapshot or a workload"),
        ({"snapshot": SHOP, "goal": "pods == 1"}, "a goal is for a workload"),
        ({"workload": SHOP}, "a workload needs types of nodes"),
        ({"workload": SHOP, "nodes": "cpu=1,memory=1Gi", "failures": 1}, "headroom is for a snapshot"),
        ({"snapshot": SHOP, "nodes": "nope"}, "no node has the name 'nope'"),
        ({"snapshot": SHOP, "zones": ["a"], "zone_failure": True}, "needs nodes in two zones"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(question, message):
    with pytest.raises(InputError) as refused:
        capacity(**question)
    assert message in str(refused.value)


def test_a_goal_is_about_metrics(tmp_path):
    (tmp_path / "pod.json").write_text(json.dumps(pod_manifest()))
    with pytest.raises(InputError, match="--goal: there is no metric 'x'"):
        capacity(workload=tmp_path / "pod.json", nodes="cpu=1,memory=1Gi", goal="x < 1")


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(["500m", "1", "2", "3"]), min_size=1, max_size=12))
def test_one_node_less_is_never_enough(sizes):
    objects = [node_manifest("n"), *(pod_manifest(f"p{i}", cpu=size) for i, size in enumerate(sizes))]
    (answer,) = asked(objects).answers
    assert answer.fits
    assert answer.nodes == 1 or answer.binding
