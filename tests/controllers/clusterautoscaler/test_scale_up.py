"""When nodes are added, how many, and to which group."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.clusterautoscaler.scenarios import (
    group,
    last_sizes,
    play,
    scale,
    sizes,
    told,
    workload,
)

CAPACITY = "capacity.cluster-autoscaler.kubernetes.io/"


def test_new_pods_wait_one_loop_for_more_and_then_get_their_nodes() -> None:
    # One node has room for four pods, each new one for three beside what the template reserves.
    seen = play([group()], [workload()], [scale(20, "web", 10)], minutes=5)
    assert sizes(seen) == [(30, "g", 3)]
    assert [loop.all_new for loop in seen.loops if 19e9 < loop.time < 21e9] == [True, True]
    assert {text for _, _, text in told(seen, "TriggeredScaleUp")} == {
        "pod triggered scale-up: [{MachineDeployment/default/g 1->3 (max: 8)}]"
    }


@pytest.mark.parametrize(
    ("flags", "size"),
    [
        pytest.param({}, 8, id="the maximum of the group"),
        pytest.param({"max-nodes-total": 4}, 4, id="nodes of the cluster"),
        pytest.param({"cores-total": "0:12"}, 3, id="CPUs of the cluster"),
        pytest.param({"memory-total": "0:40"}, 2, id="memory of the cluster in GiB"),
    ],
)
def test_a_limit_ends_the_growth(flags: dict[str, Any], size: int) -> None:
    seen = play([group()], [workload()], [scale(20, "web", 100)], flags, minutes=5)
    assert last_sizes(seen) == {"g": size}


def test_nodes_per_scale_up_are_limited_and_the_next_loop_goes_on() -> None:
    seen = play([group()], [workload()], [scale(20, "web", 13)], {"max-nodes-per-scaleup": 2}, minutes=5)
    assert [size for _, _, size in sizes(seen)] == [3, 4]


def test_similar_groups_grow_equally_if_that_is_asked_for() -> None:
    groups = [group(zone, labels={"topology.kubernetes.io/zone": zone}) for zone in ("z0", "z1", "z2")]
    balanced = play(groups, [workload()], [scale(20, "web", 30)], {"balance-similar-node-groups": "true"}, minutes=5)
    assert last_sizes(balanced) == {"z0": 3, "z1": 3, "z2": 3}
    assert len(last_sizes(play(groups, [workload()], [scale(20, "web", 30)], minutes=5))) == 1


def test_daemon_sets_take_their_part_of_every_new_node() -> None:
    agent = workload("agent", "1900m", "DaemonSet")
    seen = play([group(initial=0)], [workload(), agent], [scale(20, "web", 4)], minutes=5)
    assert last_sizes(seen) == {"g": 2}


@pytest.mark.parametrize(
    ("groups", "pods", "reasons"),
    [
        pytest.param([group()], workload(cpu="5"), "1 Insufficient cpu", id="too large for any node"),
        pytest.param(
            [group(initial=0)],
            workload(spec={"nodeSelector": {"disk": "fast"}}),
            "1 node(s) didn't match Pod's node affinity/selector",
            id="no group has the label",
        ),
        pytest.param(
            [group(initial=0, annotations={CAPACITY + "cpu": "many"})],
            workload(),
            "1 not ready for scale-up",
            id="a machine set without valid capacity annotations",
        ),
        pytest.param([group(most=2, initial=2)], workload(cpu="3"), "1 max node group size reached", id="a full group"),
    ],
)
def test_pods_that_no_group_can_help_are_told_why_every_five_minutes(
    groups: list[dict[str, Any]], pods: dict[str, Any], reasons: str
) -> None:
    seen = play(groups, [pods], [scale(20, "web", 3)], minutes=12)
    events = [event for event in told(seen, "NotTriggerScaleUp") if event[1] == "Pod/web-0003"]
    assert {text for _, _, text in events} == {f"pod didn't trigger scale-up: {reasons}"}
    assert [time for time, _, _ in events] == [30, 330, 630]


def test_a_node_whose_daemon_sets_fill_it_helps_no_pod() -> None:
    agent = workload("agent", "4", "DaemonSet")
    seen = play([group(initial=0)], [workload(), agent], [scale(20, "web", 1)], minutes=5)
    assert sizes(seen) == []
    assert told(seen, "NotTriggerScaleUp")[0][2] == "pod didn't trigger scale-up: 1 Insufficient cpu"


def test_expendable_pods_are_not_helped() -> None:
    seen = play([group()], [workload(spec={"priority": -11})], [scale(20, "web", 9)], minutes=5)
    assert sizes(seen) == []


def test_pods_are_helped_after_the_delay_for_new_ones() -> None:
    seen = play([group()], [workload()], [scale(20, "web", 9)], {"new-pod-scale-up-delay": "1m"}, minutes=5)
    assert sizes(seen) == [(80, "g", 3)]


def test_groups_below_their_minimum_grow_if_that_is_enforced() -> None:
    groups = [group(least=3)]
    assert sizes(play(groups, [], [], {"enforce-node-group-min-size": "true"}, minutes=2)) == [(10, "g", 3)]
    assert sizes(play(groups, [], [], minutes=2)) == []


def test_loops_follow_each_other_by_the_scan_interval() -> None:
    loops = play([group()], [], [], {"scan-interval": "30s"}, minutes=2).loops
    assert [round(loop.time / 1e9, 1) for loop in loops] == [30.2, 60.2, 90.2]


def test_without_frequent_loops_pods_start_none() -> None:
    events = [scale(24, "web", 9)]
    loops = play([group()], [workload()], events, {"frequent-loops-enabled": "false"}, minutes=1).loops
    assert [round(loop.time / 1e9) for loop in loops] == [10, 20, 30, 40, 50]
