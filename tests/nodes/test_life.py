from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nodes.clusters import GONE, KubeletCluster, a_run, latency
from wavetank.kernel.durations import SECOND

TIMES = st.integers(0, 20)


def test_a_pod_goes_from_binding_to_its_end() -> None:
    cluster = KubeletCluster(latency(sync=1, pull_check=0, start=4, finish=0.5, bandwidth=50))
    cluster.add_node()
    cluster.started(run=a_run(10))
    cluster.run_to_end()
    assert cluster.of() == [(1 + 2 + 4, "Running"), (7 + 10 + 0.5, "Succeeded")]
    assert cluster.pod("a").started == 7 * SECOND


def test_without_latencies_all_happens_at_once() -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(0))
    assert cluster.of() == [(0, "Running"), (0, "Succeeded")]


@settings(max_examples=50)
@given(TIMES, TIMES, TIMES, TIMES)
def test_every_step_takes_its_time(sync: int, start: int, duration: int, finish: int) -> None:
    cluster = KubeletCluster(latency(sync=sync, start=start, finish=finish))
    cluster.add_node()
    cluster.started(run=a_run(duration))
    cluster.run_to_end()
    begun = sync + start
    assert cluster.of() == [(begun, "Running"), (begun + duration + finish, "Succeeded")]


@pytest.mark.parametrize(
    ("exit_code", "phase", "reason", "message"),
    [
        pytest.param(0, "Succeeded", "", "", id="exit code 0"),
        pytest.param(3, "Failed", "Error", "a container exited with code 3", id="another one"),
    ],
)
def test_the_exit_code_decides(exit_code: int, phase: str, reason: str, message: str) -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(5, exit_code))
    cluster.run_to_end()
    pod = cluster.pod("a")
    assert (pod.phase, pod.reason, pod.message) == (phase, reason, message)


@pytest.mark.parametrize("run", [None, a_run(None)], ids=["that says nothing", "without an end"])
def test_a_pod_runs_for_ever_that_has_no_end(run: None) -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=run)
    cluster.run_until(1e6)
    assert cluster.of() == [(0, "Running")]


def test_a_finished_pod_leaves_the_store_unless_it_is_kept() -> None:
    cluster = KubeletCluster(keep_finished=False)
    cluster.add_node()
    cluster.started(run=a_run(5))
    cluster.run_to_end()
    assert cluster.of() == [(0, "Running"), (5, "Succeeded"), (5, GONE)]


def test_an_unbound_pod_is_not_started() -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.submit(run=a_run(5))
    cluster.run_until(100)
    assert cluster.of() == []


def test_a_pod_that_another_client_finishes_releases_its_resources() -> None:
    cluster = KubeletCluster()
    cluster.add_node(cpu="1")
    cluster.started("a", a_run(10), requests={"cpu": "1"})

    def end() -> None:
        pod = cluster.pod("a").copy()
        pod.phase = "Failed"
        cluster.store.update(pod)
        cluster.started("b", a_run(1), requests={"cpu": "1"})

    cluster.at(3, end)
    cluster.run_to_end()
    assert cluster.of("a") == [(0, "Running"), (3, "Failed")]
    assert cluster.of("b") == [(3, "Running"), (4, "Succeeded")]


@pytest.mark.parametrize(
    ("speed", "flops", "duration", "ends"),
    [
        pytest.param("2e9", 10e9, 0, 5, id="work by the speed of the node"),
        pytest.param(None, 10e9, 0, 10, id="1 Gflop/s where the node says nothing"),
        pytest.param("2e9", 10e9, 3, 8, id="on top of its duration"),
        pytest.param("2e9", 0, 3, 3, id="no work"),
    ],
)
def test_work_takes_its_time_from_the_node(speed: str | None, flops: float, duration: float, ends: float) -> None:
    cluster = KubeletCluster()
    cluster.add_node(metadata={"annotations": {"wavetank.dev/speed": speed}} if speed else {})
    cluster.started(run=a_run(duration, flops=flops))
    cluster.run_to_end()
    assert cluster.of()[-1] == (ends, "Succeeded")


# pods of a living cluster


def test_a_running_pod_of_the_input_runs_on() -> None:
    cluster = KubeletCluster(latency(sync=1, start=1))
    cluster.add_node()
    cluster.submit(run=a_run(5), phase="Running", nodeName="n")
    cluster.run_to_end()
    assert cluster.of() == [(5, "Succeeded")]
    assert (cluster.pod("a").restarts, cluster.pod("a").started) == (0, None)


def test_a_bound_pod_of_the_input_is_started() -> None:
    cluster = KubeletCluster(latency(sync=1, start=2))
    cluster.add_node()
    cluster.submit(run=a_run(5), nodeName="n")
    cluster.run_to_end()
    assert cluster.of() == [(3, "Running"), (8, "Succeeded")]


def test_a_finished_pod_of_the_input_stays_as_it_is() -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.submit(run=a_run(5), phase="Succeeded", nodeName="n")
    cluster.run_to_end()
    assert cluster.of() == []


@pytest.mark.parametrize(
    ("phase", "log"),
    [
        pytest.param("Pending", [(8, "Running"), (13, "Succeeded")], id="waiting"),
        pytest.param("Running", [(12, "Succeeded")], id="running"),
    ],
)
def test_a_pod_waits_for_a_node_that_comes_later(phase: str, log: list[tuple[float, str]]) -> None:
    cluster = KubeletCluster(latency(start=1))
    cluster.submit(run=a_run(5), phase=phase, nodeName="n")
    cluster.at(7, cluster.add_node)
    cluster.run_to_end()
    assert cluster.of() == log


def test_a_pod_may_be_bound_to_a_node_that_comes_later() -> None:
    cluster = KubeletCluster()
    cluster.started(run=a_run(5))
    cluster.at(7, cluster.add_node)
    cluster.run_to_end()
    assert cluster.of() == [(7, "Running"), (12, "Succeeded")]


def test_a_pod_on_a_deleted_node_waits_for_it_to_come_back() -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(5))
    cluster.at(3, lambda: cluster.store.delete(cluster.the_node()))
    cluster.at(20, cluster.add_node)
    cluster.run_to_end()
    assert cluster.of() == [(0, "Running"), (25, "Succeeded")]


def test_a_new_version_of_a_node_changes_nothing_for_its_pods() -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(5))
    cluster.at(3, lambda: cluster.store.update(cluster.the_node().copy()))
    cluster.run_to_end()
    assert cluster.of() == [(0, "Running"), (5, "Succeeded")]
