from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.nodes.clusters import GONE, KubeletCluster, a_run, latency


@pytest.mark.parametrize(
    ("grace_s", "needs", "gone"),
    [
        pytest.param(30, 0, 5, id="containers that stop at once"),
        pytest.param(30, 7, 12, id="containers that need their time"),
        pytest.param(30, 60, 35, id="but no more than the grace period"),
        pytest.param(4, 60, 9, id="of the pod"),
    ],
)
def test_a_deleted_pod_stops_within_its_grace_period(grace_s: int, needs: float, gone: float) -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(None, termination=needs), terminationGracePeriodSeconds=grace_s)
    cluster.at(5, cluster.evict)
    cluster.run_to_end()
    assert cluster.of() == [(0, "Running"), (gone, GONE)]


def test_a_pod_that_is_being_deleted_neither_ends_nor_restarts() -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(8, termination=20), restartPolicy="Always")
    cluster.at(5, cluster.evict)
    cluster.run_to_end()
    assert cluster.of() == [(0, "Running"), (25, GONE)]


def test_a_pod_that_is_being_deleted_holds_its_room_until_it_is_gone() -> None:
    cluster = KubeletCluster()
    cluster.add_node(cpu="1")
    cluster.started("a", a_run(None, termination=20), requests={"cpu": "1"})
    cluster.at(5, lambda: cluster.evict("a"))
    cluster.at(24, lambda: cluster.started("b", requests={"cpu": "1"}))
    cluster.at(26, lambda: cluster.started("c", requests={"cpu": "1"}))
    cluster.run_to_end()
    assert (cluster.pod("b").reason, cluster.pod("c").phase) == ("OutOfcpu", "Running")


@pytest.mark.parametrize(
    ("runs", "policy", "states"),
    [
        pytest.param(None, "Never", [(0, "Running"), (30, "Failed")], id="that runs forever"),
        pytest.param(20, "Never", [(0, "Running"), (20, "Succeeded")], id="that ends before"),
        pytest.param(
            20, "Always", [(0, "Running"), (20, "Running again (1)"), (30, "Failed")], id="that is started again"
        ),
    ],
)
def test_a_pod_ends_at_its_deadline(runs: float | None, policy: str, states: list[tuple[float, str]]) -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(runs), restartPolicy=policy, activeDeadlineSeconds=30)
    cluster.run_to_end()
    assert cluster.of() == states


SLOW = latency(sync=10, start=10, bandwidth=10, image_bytes=100)


def waiting(cluster: KubeletCluster) -> None:
    cluster.add_node()
    cluster.submit(run=a_run(100))


def bound(cluster: KubeletCluster) -> None:
    waiting(cluster)
    cluster.bind()


def nodeless(cluster: KubeletCluster) -> None:
    cluster.submit(run=a_run(100), nodeName="n")


def crashing(cluster: KubeletCluster) -> None:
    cluster.add_node()
    cluster.started(run=a_run(0, 1), restartPolicy="Always")


STATES = [
    pytest.param(waiting, 5, id="unbound"),
    pytest.param(bound, 5, id="bound, not begun"),
    pytest.param(bound, 15, id="pulling"),
    pytest.param(bound, 25, id="starting"),
    pytest.param(bound, 50, id="running"),
    pytest.param(crashing, 50, id="waiting in its back-off"),
    pytest.param(nodeless, 5, id="on a node that is not there"),
]


@pytest.mark.parametrize("how", ["evicted", "deleted at once"])
@pytest.mark.parametrize(("prepare", "at"), STATES)
def test_a_pod_can_be_deleted_in_every_state(prepare: Callable[[KubeletCluster], None], at: float, how: str) -> None:
    cluster = KubeletCluster(SLOW)
    prepare(cluster)
    cluster.at(at, cluster.evict if how == "evicted" else lambda: cluster.store.delete(cluster.pod("a")))
    cluster.at(at + 1, lambda: cluster.submit("a", a_run(1)))
    cluster.run_until(1000)
    assert cluster.of()[-1] == (at, GONE)
    assert cluster.pod("a").phase == "Pending"  # nothing happens to its successor


def test_a_finished_pod_can_be_deleted() -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(5))
    cluster.at(10, cluster.evict)
    cluster.run_to_end()
    assert cluster.of() == [(0, "Running"), (5, "Succeeded"), (10, GONE)]


def test_a_deleted_pods_room_is_free_whatever_its_state() -> None:
    cluster = KubeletCluster(SLOW)
    cluster.add_node(cpu="1")
    for number, until in enumerate((5, 15, 25, 60)):
        cluster.started(f"p{number}", a_run(100), requests={"cpu": "1"})
        cluster.run_until(cluster.now + until)
        cluster.evict(f"p{number}")
    cluster.started("last", a_run(1), requests={"cpu": "1"})
    cluster.run_to_end()
    assert cluster.pod("last").phase == "Succeeded"


def test_a_second_deletion_with_no_grace_removes_the_pod_at_once() -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(None, termination=20))
    cluster.at(5, cluster.evict)
    cluster.at(8, lambda: cluster.evict(grace_s=0))
    cluster.run_to_end()
    assert cluster.of() == [(0, "Running"), (8, GONE)]


def test_a_pod_that_is_being_deleted_goes_with_its_node() -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(None, termination=20))
    cluster.at(5, cluster.evict)
    cluster.at(8, lambda: cluster.store.delete(cluster.the_node()))
    cluster.run_to_end()
    assert cluster.of() == [(0, "Running"), (8, GONE)]


def test_a_pod_that_is_bound_and_deleted_in_one_instant_is_gone_at_once() -> None:
    cluster = KubeletCluster(SLOW)
    waiting(cluster)

    def bind_and_evict() -> None:
        cluster.bind()
        cluster.evict()

    cluster.at(5, bind_and_evict)
    cluster.run_until(1000)
    assert cluster.of() == [(5, GONE)]
