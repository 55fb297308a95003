from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.jobs.joblives import JOB, a_job, end
from tests.controllers.worlds import World

CRON = "CronJob.batch"
FIRST = 31557600  # minutes since 1970 of the first minute of 2030


def a_world(schedule: str = "*/5 * * * *", controllers: str = "cronjob,job,garbagecollector", **spec: Any) -> World:
    world = World(controllers)
    template = {"spec": a_job()["spec"], "metadata": {"labels": {"of": "cron"}}}
    metadata = {"name": "c", "namespace": "default"}
    given = {"schedule": schedule, "jobTemplate": template, **spec}
    world.create({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": given})
    return world


def jobs(world: World) -> list[str]:
    return [job.name for job in world.store.list(JOB)]


def finish(world: World, code: int = 0) -> None:
    for pod in world.pods():
        if not pod.finished:
            end(world, pod, code)


def test_jobs_are_created_when_they_are_due() -> None:
    world = a_world()
    world.settle(300)
    assert jobs(world) == []
    world.settle(0.2)
    assert jobs(world) == [f"c-{FIRST + 5}"]
    job = world.get(JOB, f"c-{FIRST + 5}").render()
    annotation = "batch.kubernetes.io/cronjob-scheduled-timestamp"
    assert job["metadata"]["annotations"][annotation] == "2030-01-01T00:05:00Z"
    assert job["metadata"]["labels"]["of"] == "cron"
    status = world.status(CRON, "c")
    assert status["lastScheduleTime"] == "2030-01-01T00:05:00Z"
    (active,) = status["active"]
    assert (active["kind"], active["name"], active["uid"]) == ("Job", job["metadata"]["name"], job["metadata"]["uid"])
    finish(world)
    assert "active" not in world.status(CRON, "c")
    assert world.status(CRON, "c")["lastSuccessfulTime"] == "2030-01-01T00:05:01Z"
    world.settle(300)
    assert jobs(world) == [f"c-{FIRST + 5}", f"c-{FIRST + 10}"]


@pytest.mark.parametrize(
    ("policy", "left"),
    [("Allow", [5, 10]), ("Forbid", [5]), ("Replace", [10])],
)
def test_a_job_that_still_runs_is_joined_waited_for_or_replaced(policy: str, left: list[int]) -> None:
    world = a_world(concurrencyPolicy=policy)
    world.settle(601)
    assert jobs(world) == [f"c-{FIRST + minute}" for minute in left]


def test_old_jobs_go() -> None:
    world = a_world("* * * * *", successfulJobsHistoryLimit=1, failedJobsHistoryLimit=0)
    for _ in range(4):
        world.settle(60)
        finish(world)
    world.settle(1)
    assert jobs(world) == [f"c-{FIRST + 4}"]


def test_a_suspended_cron_job_starts_nothing_and_catches_up_with_the_last_one() -> None:
    world = a_world("* * * * *", suspend=True)
    world.settle(600)
    assert jobs(world) == []
    world.change(CRON, "c", suspend=False)
    assert jobs(world) == [f"c-{FIRST + 10}"]


def test_what_is_too_late_is_not_started() -> None:
    world = a_world("0 * * * *", suspend=True, startingDeadlineSeconds=60)
    world.settle(3700)
    world.change(CRON, "c", suspend=False)
    assert jobs(world) == []


def test_the_zone_of_a_schedule_is_kept() -> None:
    world = a_world("30 5 * * *", timeZone="Asia/Kolkata")
    world.settle(86400)
    assert jobs(world) == []
    world.settle(1)
    (job,) = world.store.list(JOB)
    scheduled = job.annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"]
    assert scheduled == "2030-01-02T05:30:00+05:30"


def test_another_schedule_counts_from_its_next_time() -> None:
    world = a_world("0 * * * *")
    world.change(CRON, "c", schedule="*/10 * * * *")
    world.settle(601)
    assert jobs(world) == [f"c-{FIRST + 10}"]


def test_jobs_go_some_time_after_their_end() -> None:
    world = World("job,ttl-after-finished,garbagecollector")
    world.create(a_job(ttlSecondsAfterFinished=30))
    finish(world)
    world.settle(29)
    assert jobs(world) == ["j"]
    world.settle(1)
    assert jobs(world) == []
    assert world.pods() == []
