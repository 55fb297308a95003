from __future__ import annotations

import pytest

from tests.nodes.clusters import KubeletCluster, a_job, a_run, latency

FAST, SLOW = "2e9", "1e9"


def a_cluster(*names: str) -> KubeletCluster:
    cluster = KubeletCluster()
    for name in names or ("n",):
        cluster.add_node(name)
    return cluster


def test_the_work_of_a_job_begins_when_its_last_pod_runs() -> None:
    cluster = a_cluster()
    job = a_job(3)
    for name, at in (("a", 0), ("b", 5), ("c", 20)):
        cluster.at(at, lambda name=name: cluster.started(name, a_run(10, job=job)))  # type: ignore[misc]
    cluster.run_to_end()
    assert [cluster.of(name) for name in "abc"] == [[(at, "Running"), (30, "Succeeded")] for at in (0, 5, 20)]


def test_a_job_that_is_not_complete_waits_and_is_no_progress() -> None:
    cluster = a_cluster()
    cluster.started("a", a_run(10, job=a_job(2)))
    cluster.run_to_end()
    assert (cluster.now, cluster.pod("a").phase) == (0, "Running")


def test_jobs_do_not_wait_for_one_another_even_if_they_look_alike() -> None:
    cluster = a_cluster()
    for name in "ab":
        cluster.started(name, a_run(10, job=a_job(2)))
    cluster.run_until(100)
    assert [cluster.pod(name).phase for name in "ab"] == ["Running", "Running"]


def test_a_job_is_as_slow_as_its_slowest_node() -> None:
    cluster = KubeletCluster()
    for name, speed in (("n", FAST), ("m", SLOW)):
        cluster.add_node(name, metadata={"annotations": {"wavetank.dev/speed": speed}})
    job = a_job(2)
    cluster.started("a", a_run(1, flops=10e9, job=job), node="m")
    cluster.started("b", a_run(1, flops=10e9, job=job), node="n")
    cluster.run_to_end()
    assert [cluster.of(name)[-1] for name in "ab"] == [(11, "Succeeded")] * 2


@pytest.mark.parametrize(
    ("size", "walltime", "end", "reason"),
    [
        pytest.param(1, None, (10, "Succeeded"), "", id="no limit"),
        pytest.param(1, 20, (10, "Succeeded"), "", id="in time"),
        pytest.param(1, 10, (10, "Succeeded"), "", id="just in time"),
        pytest.param(1, 4, (4, "Failed"), "DeadlineExceeded", id="too long"),
        pytest.param(2, 4, (4, "Failed"), "DeadlineExceeded", id="several pods too long"),
    ],
)
def test_a_job_has_its_walltime(size: int, walltime: float | None, end: tuple[float, str], reason: str) -> None:
    cluster = a_cluster()
    job = a_job(size, walltime)
    for number in range(size):
        cluster.started(f"p{number}", a_run(10, job=job))
    cluster.run_to_end()
    for number in range(size):
        assert cluster.of(f"p{number}")[-1] == end
        assert cluster.pod(f"p{number}").reason == reason


def test_the_walltime_counts_from_the_beginning_of_the_work() -> None:
    cluster = a_cluster()
    job = a_job(2, walltime=15)
    cluster.started("a", a_run(10, job=job))
    cluster.at(100, lambda: cluster.started("b", a_run(10, job=job)))
    cluster.run_to_end()
    assert cluster.of("a")[-1] == (110, "Succeeded")


@pytest.mark.parametrize("policy", ["Never", "OnFailure", "Always"])
def test_a_walltime_ends_a_pod_whatever_its_restart_policy(policy: str) -> None:
    cluster = a_cluster()
    cluster.started("a", a_run(10, job=a_job(1, walltime=4)), restartPolicy=policy)
    cluster.run_to_end()
    assert cluster.of("a")[-1] == (4, "Failed")


def test_a_job_whose_pod_was_lost_before_the_start_does_not_begin() -> None:
    cluster = a_cluster()
    job = a_job(2)
    cluster.started("a", a_run(10, job=job))
    cluster.at(3, lambda: cluster.evict("a"))
    cluster.at(5, lambda: cluster.started("b", a_run(10, job=job)))
    cluster.at(9, lambda: cluster.started("c", a_run(10, job=job)))
    cluster.run_to_end()
    assert cluster.of("b") == [(5, "Running"), (19, "Succeeded")]


def test_pods_on_a_failed_machine_are_not_waited_for_nor_started() -> None:
    cluster = a_cluster("n", "m")
    job = a_job(2)
    cluster.started("a", a_run(10, job=job), node="n")
    cluster.faults((3, "fail", "n"))
    cluster.at(5, lambda: cluster.started("b", a_run(10, job=job), node="m"))
    cluster.run_until(200)
    assert [cluster.pod(name).phase for name in "ab"] == ["Running", "Running"]


def test_a_job_of_a_deleted_node_can_be_completed_elsewhere() -> None:
    cluster = a_cluster("n", "m")
    job = a_job(2)
    cluster.started("a", a_run(10, job=job), node="n")
    cluster.at(3, lambda: cluster.store.delete(cluster.the_node("n")))
    cluster.at(5, lambda: cluster.started("b", a_run(10, job=job), node="m"))
    cluster.at(7, lambda: cluster.started("c", a_run(10, job=job), node="m"))
    cluster.run_to_end()
    assert [cluster.of(name)[-1] for name in "bc"] == [(17, "Succeeded")] * 2


def test_pods_of_a_job_that_fail_are_started_again_each_for_itself() -> None:
    cluster = a_cluster()
    job = a_job(2)
    for name in "ab":
        cluster.started(name, a_run(5, 1, job=job), restartPolicy="OnFailure")
    cluster.run_until(12)
    assert [cluster.of(name) for name in "ab"] == [[(0, "Running"), (5, "Running again (1)")]] * 2


def test_a_restarted_pod_does_not_set_back_the_others() -> None:
    cluster = KubeletCluster(latency(start=0))
    cluster.add_node("n")
    cluster.add_node("m")
    job = a_job(2)
    cluster.started("a", a_run(10, job=job), node="n", restartPolicy="OnFailure")
    cluster.started("b", a_run(10, job=job), node="m", restartPolicy="OnFailure")
    cluster.faults((4, "fail", "n"), (6, "recover", "n"))
    cluster.run_to_end()
    assert cluster.of("a") == [(0, "Running"), (6, "Running again (1)"), (16, "Succeeded")]
    assert cluster.of("b") == [(0, "Running"), (10, "Succeeded")]
