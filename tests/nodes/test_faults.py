from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.nodes.living import GONE, World, a_run, latency
from wavetank.cluster.fields.taints import Taint
from wavetank.nodes.faults import CORDONED, UNREACHABLE

Fault = tuple[float, str, str]


def a_world(*faults: Fault, **times: float) -> World:
    world = World(latency(**times))
    world.node()
    world.faults(*faults)
    return world


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
        pytest.param(tolerating(None), None, id="for ever"),
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
    world = a_world((10, "fail", "n"))
    world.started(run=a_run(100), **spec)
    world.run(until=1000)
    assert world.of() == [(0, "Running")] + ([] if gone is None else [(gone, GONE)])


def test_an_evicted_pod_says_so() -> None:
    world = a_world((10, "fail", "n"))
    world.started(run=a_run(100))
    reasons: list[str] = []
    world.deleted = lambda old: reasons.append(old.reason)  # type: ignore[method-assign]
    world.store.subscribe("Pod", world)
    world.run()
    assert reasons[-1] == "Evicted"


def test_a_failed_node_is_not_ready_and_tainted_as_unreachable() -> None:
    world = a_world((10, "fail", "n"), (20, "recover", "n"))
    world.run(until=10)
    assert (world.the_node().ready, world.the_node().taints) == (False, UNREACHABLE)
    world.run(until=20)
    assert (world.the_node().ready, world.the_node().taints) == (True, ())


def test_nothing_happens_on_a_failed_node() -> None:
    world = a_world((10, "fail", "n"), start=4)
    world.started("starting", a_run(5), **tolerating(None))
    world.at(8, lambda: world.started("too late", a_run(5), **tolerating(None)))
    world.run(until=1000)
    assert world.diary == [(4, "starting", "Running"), (9, "starting", "Succeeded")]


def bound_later(world: World) -> None:
    world.started(run=a_run(5))


def created_bound(world: World) -> None:
    world.pod(run=a_run(5), nodeName="n")


def created_running(world: World) -> None:
    world.pod(run=a_run(5), phase="Running", nodeName="n")


@pytest.mark.parametrize("come", [bound_later, created_bound, created_running])
def test_a_pod_that_comes_to_a_failed_node_is_evicted_too(come: Callable[[World], None]) -> None:
    world = a_world((10, "fail", "n"))
    world.at(20, lambda: come(world))
    world.run()
    assert world.of() == [(320, GONE)]


def test_a_pod_that_comes_to_a_failed_node_is_started_when_it_recovers() -> None:
    world = a_world((10, "fail", "n"), (50, "recover", "n"), sync=1, start=2)
    world.at(20, lambda: bound_later(world))
    world.run()
    assert world.of() == [(53, "Running"), (58, "Succeeded")]


# a node recovers


@pytest.mark.parametrize(
    ("policy", "diary"),
    [
        pytest.param("Never", [(30, "Failed")], id="Never: its containers are lost"),
        pytest.param("OnFailure", [(30, "Running again (1)"), (130, "Succeeded")], id="OnFailure: started again"),
        pytest.param("Always", [(30, "Running again (1)")], id="Always: started again"),
    ],
)
def test_a_node_that_recovers_in_time_still_has_its_pods(policy: str, diary: list[tuple[float, str]]) -> None:
    world = a_world((10, "fail", "n"), (30, "recover", "n"))
    world.started(run=a_run(100), restartPolicy=policy)
    world.run()
    assert world.of() == [(0, "Running"), *diary]


def test_a_pod_of_a_recovered_node_says_why_it_failed() -> None:
    world = a_world((10, "fail", "n"), (30, "recover", "n"))
    world.started(run=a_run(100))
    world.run()
    assert world.get().reason == "ContainerStatusUnknown"


def test_a_restart_after_a_recovery_is_progress_even_if_it_takes_time() -> None:
    world = a_world((10, "fail", "n"), (30, "recover", "n"), start=2)
    world.started(run=a_run(100), restartPolicy="OnFailure")
    world.run()
    assert world.of()[-1] == (132, "Succeeded")


def test_recovering_in_time_calls_the_evictions_off() -> None:
    world = a_world((10, "fail", "n"), (30, "recover", "n"))
    world.started(run=a_run(None), restartPolicy="Always")
    world.run(until=1000)
    assert world.of() == [(0, "Running"), (30, "Running again (1)")]


def test_a_node_that_recovers_late_has_no_pods_left_and_takes_new_ones() -> None:
    world = a_world((10, "fail", "n"), (400, "recover", "n"))
    world.started("a", a_run(100), requests={"cpu": "4"})
    world.at(410, lambda: world.started("b", a_run(5), requests={"cpu": "4"}))
    world.run()
    assert world.of("a") == [(0, "Running"), (310, GONE)]
    assert world.of("b") == [(410, "Running"), (415, "Succeeded")]


def test_a_pod_that_had_not_begun_begins_after_the_recovery() -> None:
    world = a_world((10, "fail", "n"), (30, "recover", "n"), sync=1, start=20)
    world.started(run=a_run(5))
    world.run()
    assert world.of() == [(30 + 1 + 20, "Running"), (56, "Succeeded")]


@pytest.mark.parametrize(
    ("recovers", "gone"),
    [
        pytest.param(25, 25 + 5, id="within the grace period"),
        pytest.param(43, 45, id="shortly before its end"),
        pytest.param(100, 100, id="after it"),
    ],
)
def test_a_pod_deleted_on_a_failed_node_goes_when_it_recovers(recovers: float, gone: float) -> None:
    world = a_world((10, "fail", "n"), (recovers, "recover", "n"))
    world.started(run=a_run(None, termination=5))
    world.at(15, world.evict)
    world.run()
    assert world.of() == [(0, "Running"), (gone, GONE)]


def test_a_pod_deleted_on_a_failed_node_that_stays_so_goes_with_its_eviction() -> None:
    world = a_world((10, "fail", "n"))
    world.started(run=a_run(None, termination=5))
    world.at(15, world.evict)
    world.run()
    assert world.of() == [(0, "Running"), (310, GONE)]


def test_a_node_may_fail_again_and_again() -> None:
    world = a_world(*((10 * i, what, "n") for i in range(1, 5) for what in (("fail", "recover")[(i + 1) % 2],)))
    world.started(run=a_run(15), restartPolicy="OnFailure")
    world.run()
    restarts = [(20, "Running again (1)"), (50, "Running again (2)"), (65, "Succeeded")]
    assert world.of() == [(0, "Running"), *restarts]


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param([(5, "fail", "n"), (6, "fail", "n"), (7, "recover", "n")], id="failing twice"),
        pytest.param([(5, "fail", "n"), (7, "recover", "n"), (8, "recover", "n")], id="recovering twice"),
        pytest.param([(1, "recover", "n"), (5, "fail", "n"), (7, "recover", "n")], id="recovering without a failure"),
        pytest.param([(1, "fail", "nobody"), (5, "fail", "n"), (7, "recover", "n")], id="a node that is not there"),
    ],
)
def test_what_cannot_happen_changes_nothing(faults: list[Fault]) -> None:
    world = a_world(*faults)
    world.started(run=a_run(10), restartPolicy="OnFailure")
    world.run()
    assert world.of() == [(0, "Running"), (7, "Running again (1)"), (17, "Succeeded")]


# a node is cordoned and drained


def test_a_cordoned_node_is_marked_and_keeps_its_pods() -> None:
    world = a_world((1, "cordon", "n"), (2, "cordon", "n"), (5, "uncordon", "n"))
    world.started(run=a_run(10))
    world.run(until=3)
    assert (world.the_node().unschedulable, world.the_node().taints) == (True, (CORDONED,))
    world.run()
    assert (world.the_node().unschedulable, world.the_node().taints) == (False, ())
    assert world.of() == [(0, "Running"), (10, "Succeeded")]


def test_a_drained_node_is_cordoned_and_asks_its_pods_to_stop() -> None:
    world = a_world((5, "drain", "n"))
    world.node("m")
    world.started("a", a_run(100, termination=7))
    world.started("b", a_run(100, termination=70), terminationGracePeriodSeconds=9)
    world.started("elsewhere", a_run(100), node="m")
    world.run(until=50)
    assert world.the_node().unschedulable
    assert [world.of(name)[-1] for name in ("a", "b", "elsewhere")] == [(12, GONE), (14, GONE), (0, "Running")]


def test_a_failed_node_that_was_drained_can_recover_and_be_uncordoned() -> None:
    world = a_world((5, "fail", "n"), (6, "drain", "n"), (60, "recover", "n"), (61, "uncordon", "n"))
    world.started("a", a_run(100))
    world.at(62, lambda: world.started("b", a_run(1)))
    world.run()
    assert world.of("a") == [(0, "Running"), (60, GONE)]
    assert world.of("b") == [(62, "Running"), (63, "Succeeded")]
    assert (world.the_node().taints, world.the_node().unschedulable) == ((), False)


def test_a_node_keeps_the_taints_of_its_own() -> None:
    world = World()
    taint = {"key": "gpu", "effect": "NoSchedule"}
    world.node(spec={"taints": [taint, CORDONED.render()]})
    world.faults((1, "cordon", "n"), (2, "fail", "n"), (3, "recover", "n"), (4, "uncordon", "n"))
    world.run(until=2)
    assert world.the_node().taints == (Taint("gpu", "", "NoSchedule"), CORDONED, *UNREACHABLE)
    world.run()
    assert world.the_node().taints == (Taint("gpu", "", "NoSchedule"),)
