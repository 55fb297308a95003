from __future__ import annotations

import pytest

from tests.nodes.living import World, a_job, a_run, latency

FAST, SLOW = "2e9", "1e9"


def a_world(*names: str) -> World:
    world = World()
    for name in names or ("n",):
        world.node(name)
    return world


def test_the_work_of_a_job_begins_when_its_last_pod_runs() -> None:
    world = a_world()
    job = a_job(3)
    for name, at in (("a", 0), ("b", 5), ("c", 20)):
        world.at(at, lambda name=name: world.started(name, a_run(10, job=job)))  # type: ignore[misc]
    world.run()
    assert [world.of(name) for name in "abc"] == [[(at, "Running"), (30, "Succeeded")] for at in (0, 5, 20)]


def test_a_job_that_is_not_complete_waits_and_is_no_progress() -> None:
    world = a_world()
    world.started("a", a_run(10, job=a_job(2)))
    world.run()
    assert (world.now, world.get("a").phase) == (0, "Running")


def test_jobs_do_not_wait_for_one_another_even_if_they_look_alike() -> None:
    world = a_world()
    for name in "ab":
        world.started(name, a_run(10, job=a_job(2)))
    world.run(until=100)
    assert [world.get(name).phase for name in "ab"] == ["Running", "Running"]


def test_a_job_is_as_slow_as_its_slowest_node() -> None:
    world = World()
    for name, speed in (("n", FAST), ("m", SLOW)):
        world.node(name, metadata={"annotations": {"wavetank.dev/speed": speed}})
    job = a_job(2)
    world.started("a", a_run(1, flops=10e9, job=job), node="m")
    world.started("b", a_run(1, flops=10e9, job=job), node="n")
    world.run()
    assert [world.of(name)[-1] for name in "ab"] == [(11, "Succeeded")] * 2


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
    world = a_world()
    job = a_job(size, walltime)
    for number in range(size):
        world.started(f"p{number}", a_run(10, job=job))
    world.run()
    for number in range(size):
        assert world.of(f"p{number}")[-1] == end
        assert world.get(f"p{number}").reason == reason


def test_the_walltime_counts_from_the_beginning_of_the_work() -> None:
    world = a_world()
    job = a_job(2, walltime=15)
    world.started("a", a_run(10, job=job))
    world.at(100, lambda: world.started("b", a_run(10, job=job)))
    world.run()
    assert world.of("a")[-1] == (110, "Succeeded")


@pytest.mark.parametrize("policy", ["Never", "OnFailure", "Always"])
def test_a_walltime_ends_a_pod_whatever_its_restart_policy(policy: str) -> None:
    world = a_world()
    world.started("a", a_run(10, job=a_job(1, walltime=4)), restartPolicy=policy)
    world.run()
    assert world.of("a")[-1] == (4, "Failed")


def test_a_job_whose_pod_was_lost_before_the_start_does_not_begin() -> None:
    world = a_world()
    job = a_job(2)
    world.started("a", a_run(10, job=job))
    world.at(3, lambda: world.evict("a"))
    world.at(5, lambda: world.started("b", a_run(10, job=job)))
    world.at(9, lambda: world.started("c", a_run(10, job=job)))
    world.run()
    assert world.of("b") == [(5, "Running"), (19, "Succeeded")]


def test_pods_on_a_failed_machine_are_not_waited_for_nor_started() -> None:
    world = a_world("n", "m")
    job = a_job(2)
    world.started("a", a_run(10, job=job), node="n")
    world.faults((3, "fail", "n"))
    world.at(5, lambda: world.started("b", a_run(10, job=job), node="m"))
    world.run(until=200)
    assert [world.get(name).phase for name in "ab"] == ["Running", "Running"]


def test_a_job_of_a_deleted_node_can_be_completed_elsewhere() -> None:
    world = a_world("n", "m")
    job = a_job(2)
    world.started("a", a_run(10, job=job), node="n")
    world.at(3, lambda: world.store.delete(world.the_node("n")))
    world.at(5, lambda: world.started("b", a_run(10, job=job), node="m"))
    world.at(7, lambda: world.started("c", a_run(10, job=job), node="m"))
    world.run()
    assert [world.of(name)[-1] for name in "bc"] == [(17, "Succeeded")] * 2


def test_pods_of_a_job_that_fail_are_started_again_each_for_itself() -> None:
    world = a_world()
    job = a_job(2)
    for name in "ab":
        world.started(name, a_run(5, 1, job=job), restartPolicy="OnFailure")
    world.run(until=12)
    assert [world.of(name) for name in "ab"] == [[(0, "Running"), (5, "Running again (1)")]] * 2


def test_a_restarted_pod_does_not_set_back_the_others() -> None:
    world = World(latency(start=0))
    world.node("n")
    world.node("m")
    job = a_job(2)
    world.started("a", a_run(10, job=job), node="n", restartPolicy="OnFailure")
    world.started("b", a_run(10, job=job), node="m", restartPolicy="OnFailure")
    world.faults((4, "fail", "n"), (6, "recover", "n"))
    world.run()
    assert world.of("a") == [(0, "Running"), (6, "Running again (1)"), (16, "Succeeded")]
    assert world.of("b") == [(0, "Running"), (10, "Succeeded")]
