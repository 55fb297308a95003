from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.nodes.clusters import GONE, KubeletCluster, a_run, latency
from wavetank.cluster.fields.taints import Taint
from wavetank.nodes.faults import CORDONED, UNREACHABLE

Fault = tuple[float, str, str]


def a_cluster(*faults: Fault, **times: float) -> KubeletCluster:
    cluster = KubeletCluster(latency(**times))
    cluster.add_node()
    cluster.faults(*faults)
    return cluster


def tolerating(seconds: int | None, key: str = "node.kubernetes.io/unreachable") -> dict[str, Any]:
    toleration = {"key": key, "operator": "Exists", "effect": "NoExecute"}
    return {"tolerations": [toleration if seconds is None else {**toleration, "tolerationSeconds": seconds}]}


# a node fails


@pytest.mark.parametrize(
    ("spec", "gone"),
    [
        pytest.param({}, 310, id="five minutes unless it says otherwise"),
        pytest.param(tolerating(60), 70, id="its own toleration"),
        pytest.param(tolerating(0), 10, id="no patience"),
        pytest.param(tolerating(-5), 10, id="less than none"),
        pytest.param(tolerating(None), None, id="forever"),
        pytest.param(tolerating(60, key="gpu"), 310, id="a toleration of something else"),
        pytest.param({"tolerations": [{"operator": "Exists"}]}, None, id="a pod that tolerates everything"),
        pytest.param(
            {"tolerations": tolerating(60)["tolerations"] + tolerating(20, key="")["tolerations"]},
            30,
            id="the shortest of several",
        ),
    ],
)
def test_a_pod_stays_on_a_failed_node_as_long_as_it_tolerates_it(spec: dict[str, Any], gone: float | None) -> None:
    cluster = a_cluster((10, "fail", "n"))
    cluster.started(run=a_run(100), **spec)
    cluster.run_until(1000)
    assert cluster.of() == [(0, "Running")] + ([] if gone is None else [(gone, GONE)])


def test_an_evicted_pod_says_so() -> None:
    cluster = a_cluster((10, "fail", "n"))
    cluster.started(run=a_run(100))
    reasons: list[str] = []
    cluster.deleted = lambda old: reasons.append(old.reason)  # type: ignore[method-assign]
    cluster.store.subscribe("Pod", cluster)
    cluster.run_to_end()
    assert reasons[-1] == "Evicted"


def test_a_failed_node_is_not_ready_and_tainted_as_unreachable() -> None:
    cluster = a_cluster((10, "fail", "n"), (20, "recover", "n"))
    cluster.run_until(10)
    assert (cluster.the_node().ready, cluster.the_node().taints) == (False, UNREACHABLE)
    cluster.run_until(20)
    assert (cluster.the_node().ready, cluster.the_node().taints) == (True, ())


def test_nothing_happens_on_a_failed_node() -> None:
    cluster = a_cluster((10, "fail", "n"), start=4)
    cluster.started("starting", a_run(5), **tolerating(None))
    cluster.at(8, lambda: cluster.started("too late", a_run(5), **tolerating(None)))
    cluster.run_until(1000)
    assert cluster.log == [(4, "starting", "Running"), (9, "starting", "Succeeded")]


def bound_later(cluster: KubeletCluster) -> None:
    cluster.started(run=a_run(5))


def created_bound(cluster: KubeletCluster) -> None:
    cluster.submit(run=a_run(5), nodeName="n")


def created_running(cluster: KubeletCluster) -> None:
    cluster.submit(run=a_run(5), phase="Running", nodeName="n")


@pytest.mark.parametrize("come", [bound_later, created_bound, created_running])
def test_a_pod_that_comes_to_a_failed_node_is_evicted_too(come: Callable[[KubeletCluster], None]) -> None:
    cluster = a_cluster((10, "fail", "n"))
    cluster.at(20, lambda: come(cluster))
    cluster.run_to_end()
    assert cluster.of() == [(320, GONE)]


def test_a_pod_that_comes_to_a_failed_node_is_started_when_it_recovers() -> None:
    cluster = a_cluster((10, "fail", "n"), (50, "recover", "n"), sync=1, start=2)
    cluster.at(20, lambda: bound_later(cluster))
    cluster.run_to_end()
    assert cluster.of() == [(53, "Running"), (58, "Succeeded")]


# a node recovers


@pytest.mark.parametrize(
    ("policy", "log"),
    [
        pytest.param("Never", [(30, "Failed")], id="Never: its containers are lost"),
        pytest.param("OnFailure", [(30, "Running again (1)"), (130, "Succeeded")], id="OnFailure: started again"),
        pytest.param("Always", [(30, "Running again (1)")], id="Always: started again"),
    ],
)
def test_a_node_that_recovers_in_time_still_has_its_pods(policy: str, log: list[tuple[float, str]]) -> None:
    cluster = a_cluster((10, "fail", "n"), (30, "recover", "n"))
    cluster.started(run=a_run(100), restartPolicy=policy)
    cluster.run_to_end()
    assert cluster.of() == [(0, "Running"), *log]


def test_a_pod_of_a_recovered_node_says_why_it_failed() -> None:
    cluster = a_cluster((10, "fail", "n"), (30, "recover", "n"))
    cluster.started(run=a_run(100))
    cluster.run_to_end()
    assert cluster.pod("a").reason == "ContainerStatusUnknown"


def test_a_restart_after_a_recovery_is_progress_even_if_it_takes_time() -> None:
    cluster = a_cluster((10, "fail", "n"), (30, "recover", "n"), start=2)
    cluster.started(run=a_run(100), restartPolicy="OnFailure")
    cluster.run_to_end()
    assert cluster.of()[-1] == (132, "Succeeded")


def test_recovering_in_time_calls_the_evictions_off() -> None:
    cluster = a_cluster((10, "fail", "n"), (30, "recover", "n"))
    cluster.started(run=a_run(None), restartPolicy="Always")
    cluster.run_until(1000)
    assert cluster.of() == [(0, "Running"), (30, "Running again (1)")]


def test_a_node_that_recovers_late_has_no_pods_left_and_takes_new_ones() -> None:
    cluster = a_cluster((10, "fail", "n"), (400, "recover", "n"))
    cluster.started("a", a_run(100), requests={"cpu": "4"})
    cluster.at(410, lambda: cluster.started("b", a_run(5), requests={"cpu": "4"}))
    cluster.run_to_end()
    assert cluster.of("a") == [(0, "Running"), (310, GONE)]
    assert cluster.of("b") == [(410, "Running"), (415, "Succeeded")]


def test_a_pod_that_had_not_begun_begins_after_the_recovery() -> None:
    cluster = a_cluster((10, "fail", "n"), (30, "recover", "n"), sync=1, start=20)
    cluster.started(run=a_run(5))
    cluster.run_to_end()
    assert cluster.of() == [(30 + 1 + 20, "Running"), (56, "Succeeded")]


@pytest.mark.parametrize(
    ("recovers", "gone"),
    [
        pytest.param(25, 25 + 5, id="within the grace period"),
        pytest.param(43, 45, id="shortly before its end"),
        pytest.param(100, 100, id="after it"),
    ],
)
def test_a_pod_deleted_on_a_failed_node_goes_when_it_recovers(recovers: float, gone: float) -> None:
    cluster = a_cluster((10, "fail", "n"), (recovers, "recover", "n"))
    cluster.started(run=a_run(None, termination=5))
    cluster.at(15, cluster.evict)
    cluster.run_to_end()
    assert cluster.of() == [(0, "Running"), (gone, GONE)]


def test_a_pod_deleted_on_a_failed_node_that_stays_so_goes_with_its_eviction() -> None:
    cluster = a_cluster((10, "fail", "n"))
    cluster.started(run=a_run(None, termination=5))
    cluster.at(15, cluster.evict)
    cluster.run_to_end()
    assert cluster.of() == [(0, "Running"), (310, GONE)]


def test_a_node_may_fail_again_and_again() -> None:
    cluster = a_cluster(*((10 * i, what, "n") for i in range(1, 5) for what in (("fail", "recover")[(i + 1) % 2],)))
    cluster.started(run=a_run(15), restartPolicy="OnFailure")
    cluster.run_to_end()
    restarts = [(20, "Running again (1)"), (50, "Running again (2)"), (65, "Succeeded")]
    assert cluster.of() == [(0, "Running"), *restarts]


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param([(5, "fail", "n"), (6, "fail", "n"), (7, "recover", "n")], id="failing twice"),
        pytest.param([(5, "fail", "n"), (7, "recover", "n"), (8, "recover", "n")], id="recovering twice"),
        pytest.param([(1, "recover", "n"), (5, "fail", "n"), (7, "recover", "n")], id="recovering without a failure"),
        pytest.param([(1, "fail", "missing"), (5, "fail", "n"), (7, "recover", "n")], id="a node that is not there"),
    ],
)
def test_what_cannot_happen_changes_nothing(faults: list[Fault]) -> None:
    cluster = a_cluster(*faults)
    cluster.started(run=a_run(10), restartPolicy="OnFailure")
    cluster.run_to_end()
    assert cluster.of() == [(0, "Running"), (7, "Running again (1)"), (17, "Succeeded")]


# a node is cordoned and drained


def test_a_cordoned_node_is_marked_and_keeps_its_pods() -> None:
    cluster = a_cluster((1, "cordon", "n"), (2, "cordon", "n"), (5, "uncordon", "n"))
    cluster.started(run=a_run(10))
    cluster.run_until(3)
    assert (cluster.the_node().unschedulable, cluster.the_node().taints) == (True, (CORDONED,))
    cluster.run_to_end()
    assert (cluster.the_node().unschedulable, cluster.the_node().taints) == (False, ())
    assert cluster.of() == [(0, "Running"), (10, "Succeeded")]


def test_a_drained_node_is_cordoned_and_asks_its_pods_to_stop() -> None:
    cluster = a_cluster((5, "drain", "n"))
    cluster.add_node("m")
    cluster.started("a", a_run(100, termination=7))
    cluster.started("b", a_run(100, termination=70), terminationGracePeriodSeconds=9)
    cluster.started("elsewhere", a_run(100), node="m")
    cluster.run_until(50)
    assert cluster.the_node().unschedulable
    assert [cluster.of(name)[-1] for name in ("a", "b", "elsewhere")] == [(12, GONE), (14, GONE), (0, "Running")]


def test_a_failed_node_that_was_drained_can_recover_and_be_uncordoned() -> None:
    cluster = a_cluster((5, "fail", "n"), (6, "drain", "n"), (60, "recover", "n"), (61, "uncordon", "n"))
    cluster.started("a", a_run(100))
    cluster.at(62, lambda: cluster.started("b", a_run(1)))
    cluster.run_to_end()
    assert cluster.of("a") == [(0, "Running"), (60, GONE)]
    assert cluster.of("b") == [(62, "Running"), (63, "Succeeded")]
    assert (cluster.the_node().taints, cluster.the_node().unschedulable) == ((), False)


def test_a_node_keeps_the_taints_of_its_own() -> None:
    cluster = KubeletCluster()
    taint = {"key": "gpu", "effect": "NoSchedule"}
    cluster.add_node(taints=[taint, CORDONED.render()])
    cluster.faults((1, "cordon", "n"), (2, "fail", "n"), (3, "recover", "n"), (4, "uncordon", "n"))
    cluster.run_until(2)
    assert cluster.the_node().taints == (Taint("gpu", "", "NoSchedule"), CORDONED, *UNREACHABLE)
    cluster.run_to_end()
    assert cluster.the_node().taints == (Taint("gpu", "", "NoSchedule"),)
