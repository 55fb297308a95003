from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.clusters import ControllerCluster
from tests.controllers.jobs.joblives import JOB, a_job, end

CRON = "CronJob.batch"
FIRST = 31557600  # minutes since 1970 of the first minute of 2030


def a_cluster(
    schedule: str = "*/5 * * * *", controllers: str = "cronjob,job,garbagecollector", **spec: Any
) -> ControllerCluster:
    cluster = ControllerCluster(controllers)
    template = {"spec": a_job()["spec"], "metadata": {"labels": {"of": "cron"}}}
    metadata = {"name": "c", "namespace": "default"}
    given = {"schedule": schedule, "jobTemplate": template, **spec}
    cluster.create({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": given})
    return cluster


def jobs(cluster: ControllerCluster) -> list[str]:
    return [job.name for job in cluster.store.list(JOB)]


def finish(cluster: ControllerCluster, code: int = 0) -> None:
    for pod in cluster.pods():
        if not pod.finished:
            end(cluster, pod, code)


def test_jobs_are_created_when_they_are_due() -> None:
    cluster = a_cluster()
    cluster.run(300)
    assert jobs(cluster) == []
    cluster.run(0.2)
    assert jobs(cluster) == [f"c-{FIRST + 5}"]
    job = cluster.get(JOB, f"c-{FIRST + 5}").render()
    annotation = "batch.kubernetes.io/cronjob-scheduled-timestamp"
    assert job["metadata"]["annotations"][annotation] == "2030-01-01T00:05:00Z"
    assert job["metadata"]["labels"]["of"] == "cron"
    status = cluster.status(CRON, "c")
    assert status["lastScheduleTime"] == "2030-01-01T00:05:00Z"
    (active,) = status["active"]
    assert (active["kind"], active["name"], active["uid"]) == ("Job", job["metadata"]["name"], job["metadata"]["uid"])
    finish(cluster)
    assert "active" not in cluster.status(CRON, "c")
    assert cluster.status(CRON, "c")["lastSuccessfulTime"] == "2030-01-01T00:05:01Z"
    cluster.run(300)
    assert jobs(cluster) == [f"c-{FIRST + 5}", f"c-{FIRST + 10}"]


@pytest.mark.parametrize(
    ("policy", "left"),
    [("Allow", [5, 10]), ("Forbid", [5]), ("Replace", [10])],
)
def test_a_job_that_still_runs_is_joined_waited_for_or_replaced(policy: str, left: list[int]) -> None:
    cluster = a_cluster(concurrencyPolicy=policy)
    cluster.run(601)
    assert jobs(cluster) == [f"c-{FIRST + minute}" for minute in left]


def test_old_jobs_go() -> None:
    cluster = a_cluster("* * * * *", successfulJobsHistoryLimit=1, failedJobsHistoryLimit=0)
    for _ in range(4):
        cluster.run(60)
        finish(cluster)
    cluster.run(1)
    assert jobs(cluster) == [f"c-{FIRST + 4}"]


def test_a_suspended_cron_job_starts_nothing_and_catches_up_with_the_last_one() -> None:
    cluster = a_cluster("* * * * *", suspend=True)
    cluster.run(600)
    assert jobs(cluster) == []
    cluster.change(CRON, "c", suspend=False)
    assert jobs(cluster) == [f"c-{FIRST + 10}"]


def test_what_is_too_late_is_not_started() -> None:
    cluster = a_cluster("0 * * * *", suspend=True, startingDeadlineSeconds=60)
    cluster.run(3700)
    cluster.change(CRON, "c", suspend=False)
    assert jobs(cluster) == []


def test_the_zone_of_a_schedule_is_kept() -> None:
    cluster = a_cluster("30 5 * * *", timeZone="Asia/Kolkata")
    cluster.run(86400)
    assert jobs(cluster) == []
    cluster.run(1)
    (job,) = cluster.store.list(JOB)
    scheduled = job.annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"]
    assert scheduled == "2030-01-02T05:30:00+05:30"


def test_another_schedule_counts_from_its_next_time() -> None:
    cluster = a_cluster("0 * * * *")
    cluster.change(CRON, "c", schedule="*/10 * * * *")
    cluster.run(601)
    assert jobs(cluster) == [f"c-{FIRST + 10}"]


def test_jobs_go_some_time_after_their_end() -> None:
    cluster = ControllerCluster("job,ttl-after-finished,garbagecollector")
    cluster.create(a_job(ttlSecondsAfterFinished=30))
    finish(cluster)
    cluster.run(29)
    assert jobs(cluster) == ["j"]
    cluster.run(1)
    assert jobs(cluster) == []
    assert cluster.pods() == []
