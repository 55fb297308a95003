from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.jobs.joblives import JOB, a_job, a_world, alive, conditions, end, kinds
from tests.controllers.worlds import World

REACHED = "Reached expected number of succeeded pods"


def test_a_job_runs_so_many_pods_at_a_time_until_enough_have_succeeded() -> None:
    world = a_world(completions=3, parallelism=2)
    assert len(alive(world)) == 2
    assert world.status(JOB, "j")["active"] == 2
    for _ in range(3):
        end(world, alive(world)[0])
    assert conditions(world) == [
        ("SuccessCriteriaMet", "CompletionsReached", REACHED),
        ("Complete", "CompletionsReached", REACHED),
    ]
    status = world.status(JOB, "j")
    assert status["completionTime"] == "2030-01-01T00:00:03Z"
    assert {field: status.get(field) for field in ("succeeded", "active", "ready", "terminating")} == {
        "succeeded": 3,
        "active": None,
        "ready": 0,
        "terminating": 0,
    }
    assert status["uncountedTerminatedPods"] == {}
    assert all("finalizers" not in pod.render()["metadata"] for pod in world.pods())
    assert world.told[-1] == ("Normal", "Completed", "Job completed")


def test_a_pod_is_counted_a_second_after_its_end() -> None:
    world = a_world()
    world.start()
    world.settle(5)
    (pod,) = alive(world)
    world.end(pod, "Succeeded")
    assert kinds(world) == []
    world.settle(0.9)
    assert kinds(world) == []
    world.settle(0.2)
    assert kinds(world) == ["SuccessCriteriaMet", "Complete"]


def test_a_failed_pod_is_replaced_after_a_back_off_that_grows() -> None:
    world = a_world(backoffLimit=3)
    gaps = []
    for _ in range(3):
        (pod,) = alive(world)
        end(world, pod, code=1)
        ended = world.clock.now
        while not alive(world):
            world.settle(0.5)
        gaps.append(round((world.clock.now - ended) / 1e9))
    assert gaps == [9, 19, 39]  # a second of each has passed when the failure is noticed
    end(world, alive(world)[0], code=1)
    why = ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
    assert conditions(world) == [("FailureTarget", *why), ("Failed", *why)]
    assert world.status(JOB, "j")["failed"] == 4
    assert world.told[-1] == ("Warning", *why)


def test_a_job_that_is_too_late_fails_when_its_pods_are_gone() -> None:
    world = a_world(activeDeadlineSeconds=30, parallelism=2)
    world.start()
    world.settle(29)
    assert kinds(world) == []
    world.settle(1)
    assert kinds(world) == ["FailureTarget"]
    assert world.status(JOB, "j")["terminating"] == 2
    world.bury()
    world.settle(1)
    assert kinds(world) == ["FailureTarget", "Failed"]
    assert world.status(JOB, "j")["failed"] == 2


def test_a_suspended_job_deletes_its_pods_and_begins_anew() -> None:
    world = a_world(parallelism=2)
    world.start()
    world.settle(3)
    world.change(JOB, "j", suspend=True)
    assert alive(world) == []
    assert conditions(world) == [("Suspended", "JobSuspended", "Job suspended")]
    world.bury()
    world.settle(2)
    assert "failed" not in world.status(JOB, "j")  # they do not count
    world.change(JOB, "j", suspend=False)
    assert len(alive(world)) == 2
    assert kinds(world) == []
    assert world.status(JOB, "j")["startTime"] == "2030-01-01T00:00:05Z"
    assert [reason for _, reason, _ in world.told if reason in ("Suspended", "Resumed")] == ["Suspended", "Resumed"]


def test_a_job_without_completions_is_done_with_the_last_pod_after_a_success() -> None:
    world = a_world(parallelism=3)
    first, second, third = alive(world)
    end(world, first)
    assert len(alive(world)) == 2
    end(world, second, code=1)
    end(world, third, code=1)
    assert kinds(world)[-1] == "Complete"


def test_fewer_pods_are_wanted_at_a_time() -> None:
    world = a_world(parallelism=4, completions=8)
    world.start(alive(world)[:1])
    running = alive(world)[0].name
    world.change(JOB, "j", parallelism=1)
    assert [pod.name for pod in alive(world)] == [running]


def test_containers_that_are_started_again_too_often_fail_the_job() -> None:
    world = World("job")
    world.create(a_job(policy="OnFailure", backoffLimit=2))
    world.start()
    (pod,) = alive(world)
    new = world.get("Pod", pod.name).copy()
    new.restarts = 2
    world.store.update(new)
    world.settle(1)
    assert kinds(world) == ["FailureTarget"]


@pytest.mark.parametrize(
    ("rule", "code", "kind", "failed"),
    [
        pytest.param({"action": "FailJob", "operator": "In", "values": [42]}, 42, "Failed", 1, id="the Job at once"),
        pytest.param({"action": "Ignore", "operator": "In", "values": [42]}, 42, "", None, id="not counted"),
        pytest.param({"action": "FailJob", "operator": "NotIn", "values": [42]}, 42, "", 1, id="another code"),
    ],
)
def test_a_policy_says_what_a_failure_means(rule: dict[str, Any], code: int, kind: str, failed: int | None) -> None:
    codes = {key: rule[key] for key in ("operator", "values")}
    rules = [{"action": rule["action"], "onExitCodes": codes}]
    world = a_world(podFailurePolicy={"rules": rules}, backoffLimit=2)
    (pod,) = alive(world)
    end(world, pod, code=code)
    assert (kinds(world) or [""])[-1] == kind
    assert world.status(JOB, "j").get("failed") == failed
    if kind:
        message = f"Container main for pod default/{pod.name} failed with exit code 42 matching FailJob rule at index 0"
        assert conditions(world)[-1] == ("Failed", "PodFailurePolicy", message)


def test_a_job_that_somebody_else_manages_is_left_alone() -> None:
    assert alive(a_world(managedBy="example.com/other")) == []


def test_pods_of_a_job_that_is_gone_lose_their_finalizer() -> None:
    world = a_world(parallelism=2)
    world.client.delete(world.get(JOB, "j"), policy="Background")
    world.settle()
    assert all("finalizers" not in pod.render()["metadata"] for pod in world.pods())


def test_a_pod_that_is_deleted_counts_as_failed_and_is_replaced() -> None:
    world = a_world()
    world.start()
    (pod,) = alive(world)
    world.client.delete(world.get("Pod", pod.name))
    world.settle(1)
    assert world.status(JOB, "j")["failed"] == 1
    world.settle(15)
    assert [each.name for each in alive(world)] != [pod.name]


def test_what_is_refused_is_tried_again_later() -> None:
    world = World("job")
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}}
    made = world.create({**quota, "spec": {"hard": {"pods": "1"}}})
    world.client.update_status(made, {"hard": {"pods": "1"}, "used": {"pods": "0"}})
    world.create(a_job(parallelism=3, completions=3))
    assert len(alive(world)) == 1
    assert world.status(JOB, "j")["active"] == 1
    assert world.told[-1][1] == "FailedCreate"
    quota_now = world.get("ResourceQuota", "q")
    world.client.update_status(quota_now, {"hard": {"pods": "1"}, "used": {"pods": "0"}})
    world.settle(1)
    assert len(alive(world)) == 2
