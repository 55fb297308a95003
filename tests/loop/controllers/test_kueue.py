"""The real Kueue in the loop: admission, borrowing, preemption, in virtual time and repeatably."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.controllers.real.clusters import real_manager
from tests.loop.programs import REAL
from tests.loop.realscheduler import find_kube_scheduler
from tests.support.kueue import QUEUE, a_cluster_queue, a_flavor, a_job, a_local_queue, run_kueue
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.testing.queues import QueueHistory

MANAGER = {"name": "kube-controller-manager", "process": {"version": "v1.35.8", "controllers": "job-controller"}}
RECLAIM = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}


def two_teams(**spec: Any) -> list[dict[str, Any]]:
    """Returns two ClusterQueues of 8 CPUs in a cohort, each with a LocalQueue of its name."""
    queues = [a_cluster_queue(name, {"default": {"cpu": 8}}, cohortName="all", **spec) for name in ("a", "b")]
    return [a_flavor(), *queues, *(a_local_queue(name, name) for name in ("a", "b"))]


def seconds(history: QueueHistory, what: str) -> list[tuple[str, float]]:
    return [(each.workload.removeprefix("default/"), round(each.at / SECOND, 1)) for each in history.of(what)]


def test_a_job_waits_until_there_is_quota() -> None:
    queues = [a_flavor(), a_cluster_queue("q", {"default": {"cpu": 4}}), a_local_queue("q", "q")]
    jobs = [a_job(f"j{i}", "q", 10 * i, 60, pods=2) for i in range(4)]
    history = run_kueue(queues, jobs, horizon="10m")
    # the first one meets the pause of Kueue's loop; a Job ends a second after its last pod
    assert seconds(history, "Admitted") == [("j0", 0.1), ("j1", 10), ("j2", 61.1), ("j3", 71)]
    assert {each.flavors for each in history.of("Admitted")} == {(("main", "cpu", "default"),)}
    assert len(history.of("Finished")) == 4


def test_what_was_borrowed_is_reclaimed_by_preemption() -> None:
    borrowers = [a_job(f"b{i}", "b", i, 600, {"cpu": "4"}) for i in range(4)]
    claimants = [a_job("a0", "a", 60, 60, {"cpu": "8"})]
    history = run_kueue(two_teams(preemption=RECLAIM), [*borrowers, *claimants], horizon="30m")
    assert [(each.reason, round(each.at / SECOND)) for each in history.of("Preempted")] == [
        ("InCohortReclamation", 60)
    ] * 2
    assert dict(seconds(history, "Admitted"))["a0"] == 60
    assert len(history.of("Finished")) == 5


def mixed() -> list[dict[str, Any]]:
    return [
        a_job(f"j{i}", "ab"[i % 2], 7 * i, 40 + 13 * (i % 5), {"cpu": str(1 + i % 4)}, pods=1 + i % 3)
        for i in range(16)
    ]


KUEUE = {"name": "kueue", "process": {"timerSlack": "1ms"}}
SCHEDULER = {"name": "real", "process": REAL}
SLOW = pytest.mark.skipif(not os.environ.get("WAVETANK_ALL"), reason="takes some seconds: make test-all")


@pytest.mark.parametrize(
    ("controllers", "scheduler"),
    [
        pytest.param([KUEUE], {"name": "default"}, id="alone", marks=SLOW),
        pytest.param([KUEUE, MANAGER], {"name": "default"}, id="with the Job controller", marks=SLOW),
        pytest.param([KUEUE], SCHEDULER, id="with kube-scheduler", marks=SLOW),
        pytest.param([KUEUE, MANAGER], SCHEDULER, id="with both"),
    ],
)
def test_a_repeated_run_is_the_same(controllers: list[Any], scheduler: dict[str, Any]) -> None:
    find_kube_scheduler()
    real_manager()
    spec = {"controllers": controllers, "schedulers": [scheduler]}
    runs = [run_kueue(two_teams(preemption=RECLAIM), mixed(), horizon="10m", **spec).decisions for _ in range(2)]
    assert runs[0] == runs[1]
    assert len([each for each in runs[0] if each.what == "Finished"]) == 16


def test_its_webhook_suspends_jobs_and_its_conversion_reads_older_versions() -> None:
    queue = a_cluster_queue("q", {"default": {"cpu": 4}})
    queue["apiVersion"] = "kueue.x-k8s.io/v1beta1"
    queue["spec"]["cohort"] = "all"  # cohortName in v1beta2
    jobs = [a_job(f"j{i}", "q", 10 * i, 60, pods=2, suspend=False) for i in range(4)]
    history = run_kueue([a_flavor(), queue, a_local_queue("q", "q")], jobs, horizon="10m")
    assert seconds(history, "Admitted") == [("j0", 0.1), ("j1", 10), ("j2", 61.1), ("j3", 71)]


@pytest.mark.parametrize(
    ("queues", "jobs", "message"),
    [
        pytest.param(
            [a_cluster_queue("q", {"default": {"cpu": {"nominalQuota": 1, "lendingLimit": 5}}}, cohortName="c")],
            [a_job("j", "q")],
            r"ClusterQueue q: .*spec\.resourceGroups\[0\]\.flavors\[0\]\.resources\[0\]\.lendingLimit",
            id="a ClusterQueue",
        ),
        pytest.param(
            [],
            [a_job("j", "Wrong_Queue")],
            r'job default/j: admission webhook "vjob\.kb\.io" denied the request: .*queue-name.*"Wrong_Queue"',
            id="a Job",
        ),
    ],
)
def test_what_its_webhooks_deny_is_refused(queues: list[Any], jobs: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_kueue([a_flavor(), *queues], jobs, horizon="1m")


def a_pod(number: int) -> dict[str, Any]:
    times = {"wavetank.dev/arrival": f"{10 * number}s", "wavetank.dev/duration": "60s"}
    metadata = {"name": f"p{number}", "namespace": "default", "labels": {QUEUE: "q"}, "annotations": times}
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": "2"}}}
    spec = {"restartPolicy": "Never", "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def test_pods_are_queued_by_its_webhook() -> None:
    queues = [a_flavor(), a_cluster_queue("q", {"default": {"cpu": 4}}), a_local_queue("q", "q")]
    process = {"timerSlack": "1ms", "config": {"integrations": {"frameworks": ["batch/job", "pod"]}}}
    history = run_kueue(queues, [a_pod(i) for i in range(4)], horizon="5m", process=process)
    assert seconds(history, "Admitted") == [("p0", 0.1), ("p1", 10), ("p2", 60.1), ("p3", 70)]
    assert len(history.of("Finished")) == 4
