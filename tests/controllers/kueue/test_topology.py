"""Topology-aware scheduling in the built-in Kueue: which domains pods get, and how they get there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.controllers.kueue.placed import BLOCK, HOSTNAME, RACK, a_topology
from tests.controllers.kueue.scenarios import run_builtin
from tests.support.kueue import a_cluster_queue, a_flavor, a_job, a_local_queue, a_priority_class
from tests.support.objects import a_node
from wavetank.cluster.fields.taints import Tolerations
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.controllers.kueue.topology.domains import DomainTree, count_in
from wavetank.controllers.kueue.topology.placement import PlacementSearch
from wavetank.controllers.kueue.topology.requests import (
    PREFERRED,
    REQUIRED,
    UNCONSTRAINED,
    DomainCount,
    Placement,
    PlacementRequest,
    TopologyRequest,
    read_placement,
    render_placement,
)
from wavetank.kernel.durations import SECOND
from wavetank.testing.queues import QueueHistory

LEVELS = (BLOCK, RACK, HOSTNAME)
# CPUs of the nodes of each rack: block a has racks of 4 and 6 CPUs, block b one of 3
RACKS = {"a1": (2, 2), "a2": (5, 1), "b1": (3,)}
Manifest = dict[str, Any]


def a_tree(levels: tuple[str, ...] = LEVELS) -> DomainTree:
    nodes = [
        a_node(f"{rack}-{i}", cpu=str(cpu), labels={BLOCK: rack[0], RACK: rack, HOSTNAME: f"{rack}-{i}"})
        for rack, sizes in RACKS.items()
        for i, cpu in enumerate(sizes)
    ]
    return DomainTree(levels, nodes)


def place(pods: int, mode: str, level: str = "", tree: DomainTree | None = None) -> Placement | str:
    """Places pods of one CPU each."""
    spec = PodSpec({"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]})
    search = PlacementSearch(tree or a_tree(), "racks", Tolerations.parse(None))
    return search.find(PlacementRequest(spec, pods, TopologyRequest(mode, level)))


def counts(found: Placement | str) -> dict[str, int]:
    assert isinstance(found, Placement), found
    return {",".join(each.values): each.pods for each in found.domains}


@pytest.mark.parametrize(
    ("pods", "mode", "level", "domains"),
    [
        pytest.param(2, REQUIRED, HOSTNAME, {"a1-0": 2}, id="the node that fits best"),
        pytest.param(3, REQUIRED, HOSTNAME, {"b1-0": 3}, id="a larger one for more pods"),
        pytest.param(4, REQUIRED, RACK, {"a1-0": 2, "a1-1": 2}, id="the rack that fits best"),
        pytest.param(6, REQUIRED, RACK, {"a2-0": 5, "a2-1": 1}, id="the nodes of a rack, the largest first"),
        pytest.param(8, REQUIRED, BLOCK, {"a1-0": 2, "a2-0": 5, "a2-1": 1}, id="the racks of a block"),
        pytest.param(7, PREFERRED, RACK, {"a1-0": 2, "a2-0": 5}, id="more than a rack holds: one block"),
        pytest.param(12, PREFERRED, RACK, {"a1-0": 2, "a1-1": 2, "a2-0": 5, "b1-0": 3}, id="more than a block holds"),
        pytest.param(1, UNCONSTRAINED, "", {"a2-1": 1}, id="the node with the least free capacity"),
        pytest.param(4, UNCONSTRAINED, "", {"a2-0": 4}, id="the smallest node that holds all"),
        pytest.param(6, UNCONSTRAINED, "", {"a1-0": 2, "a1-1": 2, "a2-1": 1, "b1-0": 1}, id="the smallest nodes"),
    ],
)
def test_pods_get_the_domains_that_fit_best(pods: int, mode: str, level: str, domains: dict[str, int]) -> None:
    assert counts(place(pods, mode, level)) == domains


@pytest.mark.parametrize(
    ("pods", "mode", "level", "message"),
    [
        pytest.param(6, REQUIRED, HOSTNAME, 'topology "racks" allows to fit only 5 out of 6 pod(s)', id="a node"),
        pytest.param(14, PREFERRED, RACK, 'topology "racks" allows to fit only 13 out of 14 pod(s)', id="preferred"),
        pytest.param(14, UNCONSTRAINED, "", 'topology "racks" allows to fit only 13 out of 14 pod(s)', id="anywhere"),
    ],
)
def test_pods_for_which_there_are_no_domains(pods: int, mode: str, level: str, message: str) -> None:
    assert place(pods, mode, level) == message


def test_a_message_counts_the_nodes_that_hold_no_pod() -> None:
    tree = a_tree()
    tree.occupy(("a1-0",), {"cpu": 2000})
    tree.occupy(("b1-0",), {"cpu": 3000})
    said = 'topology "racks" allows to fit only 5 out of 6 pod(s). Total nodes: 5; excluded: resource "cpu": 2'
    assert place(6, REQUIRED, HOSTNAME, tree) == said


def test_domains_above_the_nodes_are_named_by_all_their_values() -> None:
    assert counts(place(6, PREFERRED, RACK, a_tree((BLOCK, RACK)))) == {"a,a2": 6}


def test_what_is_used_does_not_fit_again() -> None:
    tree = a_tree()
    tree.occupy(("a1-0",), {"cpu": 2000, "pods": 2})
    tree.reduce("b1-0", {"cpu": 1000})
    assert counts(place(2, REQUIRED, HOSTNAME, tree)) == {"a1-1": 2}
    assert place(3, REQUIRED, HOSTNAME, tree) == Placement((HOSTNAME,), (DomainCount(("a2-0",), 3),))


@pytest.mark.parametrize(
    ("requests", "capacity", "found"),
    [
        pytest.param({"cpu": 2, "memory": 3}, {"cpu": 7, "memory": 6}, (2, "memory"), id="the scarcest"),
        pytest.param({"cpu": 2, "memory": 3}, {"cpu": 4, "memory": 6}, (2, "cpu"), id="the first of equals"),
        pytest.param({"gpu": 1}, {"cpu": 4}, (0, "gpu"), id="none of it"),
        pytest.param({"cpu": 2}, {"cpu": -5}, (-2, "cpu"), id="too much in use: as Go divides"),
    ],
)
def test_how_often_requests_fit(requests: dict[str, int], capacity: dict[str, int], found: tuple[int, str]) -> None:
    assert count_in(requests, capacity) == found


@given(st.lists(st.tuples(st.text("ab0", max_size=6), st.integers(1, 3)), max_size=6))
def test_an_assignment_is_read_as_it_was_written(domains: list[tuple[str, int]]) -> None:
    placement = Placement((HOSTNAME,), tuple(DomainCount((value,), pods) for value, pods in domains))
    assert read_placement(render_placement(placement)) == placement


def test_common_parts_of_names_are_written_once() -> None:
    placement = Placement((HOSTNAME,), (DomainCount(("rack-1-x",), 2), DomainCount(("rack-12-x",), 2)))
    [written] = render_placement(placement)["slices"]
    assert written["valuesPerLevel"] == [{"individual": {"prefix": "rack-1", "suffix": "-x", "roots": ["", "2"]}}]
    assert written["podCounts"] == {"universal": 2}


# runs

NODES = [
    {"name": rack, "count": 2, "cpu": cpu, "memory": "8Gi", "labels": {"pool": "x", BLOCK: rack[0], RACK: rack}}
    for rack, cpu in (("a1", 2), ("a2", 4), ("b1", 2))
]


def queues(*levels: str) -> list[Manifest]:
    return [
        a_topology("racks", levels or LEVELS),
        a_flavor("x", nodeLabels={"pool": "x"}, topologyName="racks"),
        a_cluster_queue("q", {"x": {"cpu": 16}}, preemption={"withinClusterQueue": "LowerPriority"}),
        a_local_queue("q", "q"),
        a_priority_class("low", 0),
        a_priority_class("high", 10),
    ]


def job(name: str, at_s: float, pods: int, priority: str = "low", for_s: float = 60, **asked: str) -> Manifest:
    made = a_job(name, "q", at_s, for_s, {"cpu": "1"}, pods, priority, completionMode="Indexed")
    notes = {f"kueue.x-k8s.io/podset-{name.replace('_', '-')}": value for name, value in asked.items()}
    made["spec"]["template"]["metadata"] = {"annotations": notes}
    return made


def placed(history: QueueHistory) -> list[tuple[str, float, dict[str, int]]]:
    return [
        (each.workload.removeprefix("default/"), round(each.at / SECOND, 1), {v[-1]: pods for v, pods in each.domains})
        for each in history.of("Admitted")
    ]


def test_pods_start_in_their_domains_a_second_after_their_job() -> None:
    history = run_builtin(queues(), [job("j", 0, 4, required_topology=RACK)], nodes=NODES)
    assert placed(history) == [("j", 0, {"a1-0": 2, "a1-1": 2})]
    [finished] = history.of("Finished")
    assert finished.at == 62 * SECOND  # pods wait 1 s for their domain, the Job controller 1 s for its pods


def test_a_job_waits_for_domains_though_there_is_quota() -> None:
    jobs = [job(f"j{i}", 5 * i, 6, required_topology=RACK) for i in range(2)]
    assert placed(run_builtin(queues(), jobs, nodes=NODES)) == [
        ("j0", 0, {"a2-0": 4, "a2-1": 2}),
        ("j1", 62, {"a2-0": 4, "a2-1": 2}),
    ]


def test_a_job_preempts_others_for_its_domain() -> None:
    jobs = [job("low", 0, 6, required_topology=RACK), job("high", 10, 8, "high", required_topology=RACK)]
    history = run_builtin(queues(), jobs, nodes=NODES)
    assert [each.workload for each in history.of("Preempted")] == ["default/low"]
    assert [name for name, _, _ in placed(history)] == ["low", "high", "low"]


def test_jobs_of_a_queue_whose_flavors_all_have_topologies_are_placed_unasked() -> None:
    assert placed(run_builtin(queues(), [job("j", 0, 3)], nodes=NODES)) == [("j", 0, {"a2-0": 3})]


def test_other_pods_leave_less_of_a_node() -> None:
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": "3"}}}
    spec = {"restartPolicy": "Never", "containers": [container], "nodeSelector": {HOSTNAME: "a2-0"}}
    notes = {"wavetank.dev/arrival": "0s", "wavetank.dev/duration": "500s"}
    metadata = {"name": "other", "namespace": "default", "annotations": notes}
    other = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    jobs = [other, job("j", 10, 4, required_topology=HOSTNAME)]
    assert placed(run_builtin(queues(), jobs, nodes=NODES)) == [("j", 10, {"a2-1": 4})]


def a_group(pods: int, at_s: float, **asked: str) -> list[Manifest]:
    """Returns a group of pods: the first one needs two CPUs, the others one."""
    made = []
    for i in range(pods):
        requests = {"cpu": "1" if i else "2"}
        spec = {"restartPolicy": "Never", "containers": [{"name": "c", "resources": {"requests": requests}}]}
        labels = {"kueue.x-k8s.io/queue-name": "q", "kueue.x-k8s.io/pod-group-name": "group"}
        labels["kueue.x-k8s.io/priority-class"] = "low"
        notes = {f"kueue.x-k8s.io/podset-{name.replace('_', '-')}": value for name, value in asked.items()}
        notes |= {"kueue.x-k8s.io/pod-group-total-count": str(pods)}
        notes |= {"wavetank.dev/arrival": f"{at_s}s", "wavetank.dev/duration": "60s"}
        metadata = {"name": f"p{i}", "namespace": "default", "labels": labels, "annotations": notes}
        made.append({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    return made


def test_the_pods_of_a_group_are_placed_role_by_role() -> None:
    history = run_builtin(queues(), a_group(3, 0, required_topology=HOSTNAME), nodes=NODES)
    [admitted] = history.of("Admitted")
    assert admitted.domains == ((("a1-0",), 1), (("a1-1",), 2))  # the first is full after the larger pod
    [finished] = history.of("Finished")
    assert finished.at - admitted.at == 61 * SECOND  # they wait for their domains a second


@pytest.mark.parametrize(
    "made",
    [
        pytest.param([job("j", 0, 9, required_topology=RACK)], id="more pods than any rack holds"),
        pytest.param([job("j", 0, 2, required_topology="row")], id="a level that the topology has not"),
        pytest.param(
            [job("j", 0, 4, required_topology=BLOCK, slice_required_topology=RACK, slice_size="2")], id="slices"
        ),
        pytest.param(a_group(3, 0, required_topology=RACK, group_name="all"), id="roles that are placed together"),
    ],
)
def test_a_job_stays_pending(made: list[Manifest]) -> None:
    assert run_builtin(queues(), made, nodes=NODES, horizon="5m").of("Admitted") == []


def test_a_queue_without_its_topology_admits_nothing() -> None:
    history = run_builtin(queues()[1:], [job("j", 0, 1)], nodes=NODES, horizon="5m")
    assert history.of("Admitted") == []
