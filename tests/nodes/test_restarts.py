from __future__ import annotations

import pytest

from tests.nodes.clusters import KubeletCluster, a_run, latency
from wavetank.kernel.durations import SECOND
from wavetank.nodes.containers.restarts import CrashLoop

DELAYS = [0, 10, 20, 40, 80, 160, 300, 300, 300]


def test_the_delay_doubles_up_to_five_minutes() -> None:
    loop = CrashLoop()
    assert [loop.next_delay(ran_for=0) / SECOND for _ in DELAYS] == DELAYS


@pytest.mark.parametrize(
    ("ran_for", "delays"),
    [
        pytest.param(599, [40, 80], id="9:59 minutes are not enough"),
        pytest.param(600, [0, 10], id="after 10 minutes all is forgiven"),
    ],
)
def test_a_long_run_forgives(ran_for: int, delays: list[int]) -> None:
    loop = CrashLoop()
    for _ in range(3):
        loop.next_delay(0)
    assert [loop.next_delay(ran_for * SECOND) / SECOND, loop.next_delay(0) / SECOND] == delays


@pytest.mark.parametrize(
    ("policy", "exit_code", "end"),
    [
        pytest.param("Never", 0, "Succeeded", id="Never: a success is the end"),
        pytest.param("Never", 1, "Failed", id="Never: so is a failure"),
        pytest.param("OnFailure", 0, "Succeeded", id="OnFailure: a success is the end"),
        pytest.param("OnFailure", 1, "Running", id="OnFailure: a failure is not"),
        pytest.param("Always", 0, "Running", id="Always: a success is not the end"),
        pytest.param("Always", 1, "Running", id="Always: nor is a failure"),
    ],
)
def test_the_restart_policy_decides_whether_a_pod_ends(policy: str, exit_code: int, end: str) -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(5, exit_code), restartPolicy=policy)
    cluster.run_until(100)
    pod = cluster.pod("a")
    assert (pod.phase, pod.restarts > 0) == (end, end == "Running")


def test_a_crashing_pod_is_started_later_and_later() -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(5, 1), restartPolicy="Always")
    cluster.run_until(400)
    gaps = [later - earlier - 5 for earlier, later in zip(cluster.starts(), cluster.starts()[1:], strict=False)]
    assert gaps == [0, 10, 20, 40, 80, 160]
    assert (cluster.pod("a").restarts, cluster.pod("a").phase) == (6, "Running")


def test_a_restart_takes_the_time_of_a_start_but_no_pull() -> None:
    cluster = KubeletCluster(latency(sync=3, start=2, finish=1, bandwidth=100, image_bytes=100))
    cluster.add_node()
    cluster.started(run=a_run(5, 1), restartPolicy="OnFailure")
    cluster.run_until(20)
    assert cluster.starts() == [3 + 1 + 2, 6 + 5 + 1 + 2]


def test_a_pod_keeps_the_time_of_its_first_start() -> None:
    cluster = KubeletCluster(latency(start=2))
    cluster.add_node()
    cluster.started(run=a_run(5), restartPolicy="Always")
    cluster.run_until(100)
    assert cluster.pod("a").started == 2 * SECOND


@pytest.mark.parametrize(
    ("policy", "exit_code"),
    [
        pytest.param("Always", 0, id="that is always started again"),
        pytest.param("OnFailure", 1, id="that always fails"),
    ],
)
def test_a_pod_makes_no_progress(policy: str, exit_code: int) -> None:
    cluster = KubeletCluster()
    cluster.add_node()
    cluster.started(run=a_run(5, exit_code), restartPolicy=policy)
    cluster.run_to_end()
    assert cluster.now <= 10  # the first restart comes at once, then there is nothing but waiting


def test_a_pod_in_its_back_off_keeps_its_resources() -> None:
    cluster = KubeletCluster()
    cluster.add_node(cpu="1")
    cluster.started("a", a_run(1, 1), restartPolicy="Always", requests={"cpu": "1"})
    cluster.at(5, lambda: cluster.started("b", requests={"cpu": "1"}))
    cluster.run_until(6)
    assert (cluster.pod("b").phase, cluster.pod("b").reason) == ("Failed", "OutOfcpu")
