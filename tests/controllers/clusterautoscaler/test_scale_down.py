"""Which nodes are removed, when, and what keeps them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.clusterautoscaler.scenarios import QUICK, group, last_sizes, play, scale, sizes, told, workload

SAFE = "cluster-autoscaler.kubernetes.io/safe-to-evict"
SAFE_VOLUMES = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
DISABLED = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
SCRATCH = {"volumes": [{"name": "scratch", "emptyDir": {}}]}


def test_an_empty_node_goes_when_it_was_unneeded_for_long_enough() -> None:
    seen = play([group(initial=2, least=1)], [], [], QUICK, minutes=10)
    # found at 10 s, tainted two minutes later, and its machine marked five seconds after that
    assert sizes(seen) == [(135, "g", 1)]
    events = told(seen, "ScaleDownEmpty")
    assert [time for time, _, _ in events] == [130, 135]
    assert events[0][2].startswith('Scale-down: removing empty node "g-00')


@pytest.mark.parametrize(
    ("flags", "size"),
    [
        pytest.param({}, 1, id="half of the CPU is requested: at the threshold"),
        pytest.param({"scale-down-utilization-threshold": 0.4}, 2, id="above the threshold"),
        pytest.param({"scale-down-enabled": "false"}, 2, id="no node is removed"),
    ],
)
def test_a_node_goes_if_no_larger_share_is_requested_than_the_threshold(flags: dict[str, Any], size: int) -> None:
    events = [scale(5, "web", 2)]
    seen = play([group(initial=2)], [workload(cpu="2")], events, {**QUICK, **flags}, minutes=10)
    assert last_sizes(seen).get("g", 2) == size


def test_pods_of_a_drained_node_are_evicted_and_run_elsewhere() -> None:
    seen = play([group(initial=2)], [workload(cpu="2")], [scale(5, "web", 2)], QUICK, minutes=10)
    assert len([event for event in told(seen, "ScaleDown") if event[1].startswith("Pod/")]) == 1
    assert told(seen, "ScaleDown")[-1][2].endswith("removed with drain")
    assert seen.loops[-1].scheduled == 2


def test_no_node_goes_for_some_time_after_nodes_were_added() -> None:
    # a node is added at 30 s for a short job, and unneeded soon after it has booted
    job = workload("job", "3", "Job", run_ns=1_000_000_000)
    events = [scale(5, "web", 1), (20.0, "add", {"workload": "job", "n": 1})]
    removals = []
    for delay in ("0s", "6m"):
        flags = {"scale-down-unneeded-time": "1m", "scale-down-delay-after-add": delay}
        seen = play([group(least=1)], [workload(cpu="3"), job], events, flags, minutes=12)
        removals.append([time for time, _, size in sizes(seen) if size == 1])
    assert removals == [[135], [395]]


def test_a_further_removal_waits_for_the_delay_after_one() -> None:
    flags = {**QUICK, "max-scale-down-parallelism": 1, "scale-down-delay-after-delete": "4m"}
    seen = play([group(initial=3)], [], [], flags, minutes=15)
    first, second = (time for time, _, _ in sizes(seen)[:2])
    assert second - first == 240


@pytest.mark.parametrize(
    ("flags", "size"),
    [
        pytest.param({"scale-down-unready-time": "4m"}, 1, id="after the time for unready nodes"),
        pytest.param({"scale-down-unready-enabled": "false"}, 2, id="they are left alone"),
    ],
)
def test_an_unready_node_goes_by_a_time_of_its_own(flags: dict[str, Any], size: int) -> None:
    keeper = workload(cpu="3", spec={"nodeSelector": {"kubernetes.io/hostname": "g-001"}})
    events = [scale(5, "web", 1), (6.0, "node.ready", {"name": "g-002", "ready": False})]
    settings = {**QUICK, "max-node-startup-time": "0s", "ok-total-unready-count": 5, **flags}
    seen = play([group(initial=2, least=1)], [keeper], events, settings, minutes=9)
    assert last_sizes(seen).get("g", 2) == size
    if size == 1:
        assert 250 <= sizes(seen)[0][0] <= 260


BUDGET = (4.0, "pdb.create", {"name": "b", "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}}})


@pytest.mark.parametrize(
    ("pods", "events", "flags", "why"),
    [
        pytest.param(workload(kind="None"), [], {}, "is not replicated", id="a bare pod"),
        pytest.param(workload(kind="Widget"), [], {}, "is not replicated", id="a pod of an unknown controller"),
        pytest.param(workload(annotations={SAFE: "false"}), [], {}, "not safe to evict", id="a pod marked as not safe"),
        pytest.param(workload(spec=SCRATCH), [], {}, "local storage", id="local storage"),
        pytest.param(workload(namespace="kube-system"), [], {}, "kube-system pod", id="a system pod"),
        pytest.param(workload(), [BUDGET], {}, "not enough pod disruption budget", id="a disruption budget"),
        pytest.param(workload(), [], {"min-replica-count": 5}, "too few replicas", id="a controller with few replicas"),
    ],
)
def test_a_pod_keeps_its_node(pods: dict[str, Any], events: list[Any], flags: dict[str, Any], why: str) -> None:
    # each of two nodes has one pod of 1 CPU; both pods would fit one node
    start = [(5.0, "add", {"workload": "web", "n": 2})]
    seen = play([group(initial=2)], [pods], [*events, *start], {**QUICK, **flags}, minutes=6)
    assert sizes(seen) == []
    reasons = {reason for loop in seen.loops if loop.down for reason in loop.down.cannot.values()}
    assert any(why in reason for reason in reasons)


@pytest.mark.parametrize(
    ("pods", "flags"),
    [
        pytest.param(workload(), {}, id="pods of a ReplicaSet"),
        pytest.param(workload(kind="None", annotations={SAFE: "true"}), {}, id="a bare pod that is safe to evict"),
        pytest.param(workload(spec=SCRATCH), {"skip-nodes-with-local-storage": "false"}, id="local storage allowed"),
        pytest.param(workload(spec=SCRATCH, annotations={SAFE_VOLUMES: "scratch"}), {}, id="a volume that is safe"),
        pytest.param(workload(namespace="kube-system"), {"skip-nodes-with-system-pods": "false"}, id="system pods"),
        pytest.param(workload(kind="Widget"), {"skip-nodes-with-custom-controller-pods": "false"}, id="any controller"),
    ],
)
def test_a_pod_that_may_move_does_not_keep_its_node(pods: dict[str, Any], flags: dict[str, Any]) -> None:
    start = [(5.0, "add", {"workload": "web", "n": 2})]
    seen = play([group(initial=2)], [pods], start, {**QUICK, **flags}, minutes=6)
    assert last_sizes(seen) == {"g": 1}


def test_an_annotated_node_is_kept() -> None:
    events = [(1.0, "node.annotate", {"name": f"g-00{number}", "annotations": {DISABLED: "true"}}) for number in (1, 2)]
    assert sizes(play([group(initial=2)], [], events, QUICK, minutes=6)) == []


def test_daemon_set_pods_keep_no_node_and_can_be_left_out_of_its_use() -> None:
    agent = workload("agent", "2500m", "DaemonSet")
    assert sizes(play([group(initial=2)], [agent], [], QUICK, minutes=6)) == []  # 62.5 % of the CPU
    flags = {**QUICK, "ignore-daemonsets-utilization": "true"}
    assert last_sizes(play([group(initial=2)], [agent], [], flags, minutes=6)) == {"g": 0}


def test_the_minimum_of_the_cluster_keeps_nodes() -> None:
    assert last_sizes(play([group(initial=4)], [], [], {**QUICK, "cores-total": "8:100"}, minutes=6)) == {"g": 2}


def test_unneeded_nodes_are_candidates_in_the_status() -> None:
    seen = play([group(initial=3, least=1)], [], [], QUICK, minutes=1)
    assert seen.statuses[-1][1]["clusterWide"]["scaleDown"]["candidates"] == 3
