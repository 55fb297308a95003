from __future__ import annotations

from typing import Any

import pytest

from tests.controllers.clusters import ControllerCluster
from tests.controllers.jobs.joblives import JOB, a_cluster, a_job, alive, conditions, end, kinds

REACHED = "Reached expected number of succeeded pods"


def test_a_job_runs_so_many_pods_at_a_time_until_enough_have_succeeded() -> None:
    cluster = a_cluster(completions=3, parallelism=2)
    assert len(alive(cluster)) == 2
    assert cluster.status(JOB, "j")["active"] == 2
    for _ in range(3):
        end(cluster, alive(cluster)[0])
    assert conditions(cluster) == [
        ("SuccessCriteriaMet", "CompletionsReached", REACHED),
        ("Complete", "CompletionsReached", REACHED),
    ]
    status = cluster.status(JOB, "j")
    assert status["completionTime"] == "2030-01-01T00:00:03Z"
    assert {field: status.get(field) for field in ("succeeded", "active", "ready", "terminating")} == {
        "succeeded": 3,
        "active": None,
        "ready": 0,
        "terminating": 0,
    }
    assert status["uncountedTerminatedPods"] == {}
    assert all("finalizers" not in pod.render()["metadata"] for pod in cluster.pods())
    assert cluster.told[-1] == ("Normal", "Completed", "Job completed")


def test_a_pod_is_counted_a_second_after_its_end() -> None:
    cluster = a_cluster()
    cluster.start()
    cluster.run(5)
    (pod,) = alive(cluster)
    cluster.end(pod, "Succeeded")
    assert kinds(cluster) == []
    cluster.run(0.9)
    assert kinds(cluster) == []
    cluster.run(0.2)
    assert kinds(cluster) == ["SuccessCriteriaMet", "Complete"]


def test_a_failed_pod_is_replaced_after_a_back_off_that_grows() -> None:
    cluster = a_cluster(backoffLimit=3)
    gaps = []
    for _ in range(3):
        (pod,) = alive(cluster)
        end(cluster, pod, code=1)
        ended = cluster.clock.now
        while not alive(cluster):
            cluster.run(0.5)
        gaps.append(round((cluster.clock.now - ended) / 1e9))
    assert gaps == [9, 19, 39]  # a second of each has passed when the failure is noticed
    end(cluster, alive(cluster)[0], code=1)
    why = ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
    assert conditions(cluster) == [("FailureTarget", *why), ("Failed", *why)]
    assert cluster.status(JOB, "j")["failed"] == 4
    assert cluster.told[-1] == ("Warning", *why)


def test_a_job_that_is_too_late_fails_when_its_pods_are_gone() -> None:
    cluster = a_cluster(activeDeadlineSeconds=30, parallelism=2)
    cluster.start()
    cluster.run(29)
    assert kinds(cluster) == []
    cluster.run(1)
    assert kinds(cluster) == ["FailureTarget"]
    assert cluster.status(JOB, "j")["terminating"] == 2
    cluster.remove_deleted()
    cluster.run(1)
    assert kinds(cluster) == ["FailureTarget", "Failed"]
    assert cluster.status(JOB, "j")["failed"] == 2


def test_a_suspended_job_deletes_its_pods_and_begins_anew() -> None:
    cluster = a_cluster(parallelism=2)
    cluster.start()
    cluster.run(3)
    cluster.change(JOB, "j", suspend=True)
    assert alive(cluster) == []
    assert conditions(cluster) == [("Suspended", "JobSuspended", "Job suspended")]
    cluster.remove_deleted()
    cluster.run(2)
    assert "failed" not in cluster.status(JOB, "j")  # they do not count
    cluster.change(JOB, "j", suspend=False)
    assert len(alive(cluster)) == 2
    assert kinds(cluster) == []
    assert cluster.status(JOB, "j")["startTime"] == "2030-01-01T00:00:05Z"
    assert [reason for _, reason, _ in cluster.told if reason in ("Suspended", "Resumed")] == ["Suspended", "Resumed"]


def test_a_job_without_completions_is_done_with_the_last_pod_after_a_success() -> None:
    cluster = a_cluster(parallelism=3)
    first, second, third = alive(cluster)
    end(cluster, first)
    assert len(alive(cluster)) == 2
    end(cluster, second, code=1)
    end(cluster, third, code=1)
    assert kinds(cluster)[-1] == "Complete"


def test_fewer_pods_are_wanted_at_a_time() -> None:
    cluster = a_cluster(parallelism=4, completions=8)
    cluster.start(alive(cluster)[:1])
    running = alive(cluster)[0].name
    cluster.change(JOB, "j", parallelism=1)
    assert [pod.name for pod in alive(cluster)] == [running]


def test_containers_that_are_started_again_too_often_fail_the_job() -> None:
    cluster = ControllerCluster("job")
    cluster.create(a_job(policy="OnFailure", backoffLimit=2))
    cluster.start()
    (pod,) = alive(cluster)
    new = cluster.get("Pod", pod.name).copy()
    new.restarts = 2
    cluster.store.update(new)
    cluster.run(1)
    assert kinds(cluster) == ["FailureTarget"]


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
    cluster = a_cluster(podFailurePolicy={"rules": rules}, backoffLimit=2)
    (pod,) = alive(cluster)
    end(cluster, pod, code=code)
    assert (kinds(cluster) or [""])[-1] == kind
    assert cluster.status(JOB, "j").get("failed") == failed
    if kind:
        message = f"Container main for pod default/{pod.name} failed with exit code 42 matching FailJob rule at index 0"
        assert conditions(cluster)[-1] == ("Failed", "PodFailurePolicy", message)


def test_a_job_that_another_controller_manages_is_ignored() -> None:
    assert alive(a_cluster(managedBy="example.com/other")) == []


def test_pods_of_a_job_that_is_gone_lose_their_finalizer() -> None:
    cluster = a_cluster(parallelism=2)
    cluster.client.delete(cluster.get(JOB, "j"), policy="Background")
    cluster.run()
    assert all("finalizers" not in pod.render()["metadata"] for pod in cluster.pods())


def test_a_pod_that_is_deleted_counts_as_failed_and_is_replaced() -> None:
    cluster = a_cluster()
    cluster.start()
    (pod,) = alive(cluster)
    cluster.client.delete(cluster.get("Pod", pod.name))
    cluster.run(1)
    assert cluster.status(JOB, "j")["failed"] == 1
    cluster.run(15)
    assert [each.name for each in alive(cluster)] != [pod.name]


def test_what_is_refused_is_tried_again_later() -> None:
    cluster = ControllerCluster("job")
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}}
    made = cluster.create({**quota, "spec": {"hard": {"pods": "1"}}})
    cluster.client.update_status(made, {"hard": {"pods": "1"}, "used": {"pods": "0"}})
    cluster.create(a_job(parallelism=3, completions=3))
    assert len(alive(cluster)) == 1
    assert cluster.status(JOB, "j")["active"] == 1
    assert cluster.told[-1][1] == "FailedCreate"
    quota_now = cluster.get("ResourceQuota", "q")
    cluster.client.update_status(quota_now, {"hard": {"pods": "1"}, "used": {"pods": "0"}})
    cluster.run(1)
    assert len(alive(cluster)) == 2


def test_a_pod_that_has_lost_its_owner_is_adopted_again() -> None:
    cluster = a_cluster(parallelism=2, completions=2)
    pod = alive(cluster)[0]
    document = pod.render()
    del document["metadata"]["ownerReferences"]
    cluster.client.update(pod, document)
    cluster.run(5)
    adopted = next(each for each in cluster.pods() if each.name == pod.name)
    assert [owner["name"] for owner in adopted.manifest["metadata"]["ownerReferences"]] == ["j"]
    assert adopted.manifest["metadata"]["finalizers"] == ["batch.kubernetes.io/job-tracking"]
    assert len(alive(cluster)) == 2
