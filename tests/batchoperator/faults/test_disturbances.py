"""API errors and conflicts at random, ghost pods deleted by hand, lost nodes, an extender that cannot be reached."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.batchoperator.cluster import LABEL, OperatedCluster
from tests.batchoperator.faults.clients import unreliable
from wavetank.batchoperator.client.client import Change
from wavetank.batchoperator.resources.applications import APPLICATIONS
from wavetank.batchoperator.resources.groups import ESI
from wavetank.kernel.durations import SECOND, seconds
from wavetank.scheduling.framework.extenders.answers import ExtenderError


def count_applications(cluster: OperatedCluster) -> Counter[str]:
    created: Counter[str] = Counter()

    def note(change: Change) -> None:
        created[change.object.name] += change.action == "ADDED"

    for kind in APPLICATIONS:
        cluster.plain.subscribe(kind, note)
    return created


def check_end(cluster: OperatedCluster, slots: int = 4) -> None:
    """Checks that the queue has finished, and that every slot has its ghost pod."""
    assert cluster.state("q") == "Finished", cluster.problems(ESI.scheduling, "q")
    entries = cluster.find(ESI.testbed, "bed").status["slots"]
    assert [slot["state"] for slot in entries] == ["FREE"] * slots
    assert {slot["podName"] for slot in entries} == {pod.name for pod in cluster.plain.list("Pod")}


@pytest.mark.parametrize("cpu", [2, 4])
@pytest.mark.parametrize("seed", range(12))
def test_errors_and_conflicts_at_random_change_nothing_in_the_end(seed: int, cpu: int) -> None:
    cluster = OperatedCluster(cpu=cpu, wrap=partial(unreliable, seed=seed))
    created = count_applications(cluster)
    cluster.testbed()
    for name in ("a", "b", "c"):
        cluster.spark(name)
    cluster.queue("q", "a", "a", "b", "c", "c")
    cluster.run(7200)
    check_end(cluster)
    assert dict(created) == {"a": 1, "b": 1, "c": 1}


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(5, 90)), min_size=1, max_size=6),
    st.lists(st.floats(0, 200), max_size=6),
    st.sampled_from([2, 4]),
    st.integers(0, 2**16),
)
def test_ghost_pods_that_are_deleted_by_hand_come_back(
    jobs: list[tuple[int, int]], times: list[float], cpu: int, seed: int
) -> None:
    cluster = OperatedCluster(cpu=cpu)
    created = count_applications(cluster)
    draws = random.Random(seed)

    def delete_one() -> None:
        ghosts = [pod for pod in cluster.plain.list("Pod") if pod.name.startswith("ghostpod")]
        if ghosts:
            cluster.plain.delete(draws.choice(ghosts))

    for time in times:
        cluster.clock.at(seconds(time), delete_one)
    cluster.testbed()
    queue = []
    for i, (replication, work) in enumerate(jobs):
        cluster.spark(f"j{i}", f"{work}s")
        queue += [f"j{i}"] * replication
    cluster.queue("q", *queue)
    cluster.run(7200)
    check_end(cluster)
    assert all(count == 1 for count in created.values())
    assert len(created) == len(jobs)


def test_a_lost_node_takes_its_slots_with_it() -> None:
    cluster = OperatedCluster(nodes=3)
    cluster.testbed()
    cluster.spark("a")
    cluster.spark("b")
    cluster.queue("q", "a", "a", "a", "b", "b")
    cluster.run(10)
    lost = cluster.store.get("Node", "", "n1")
    cluster.store.delete(lost)
    for pod in cluster.plain.list("Pod"):  # as the garbage collector of pods does
        if pod.node_name == "n1":
            cluster.plain.delete(pod, grace_s=0)
    cluster.run(3600)
    assert cluster.state("q") == "Finished"
    slots = cluster.find(ESI.testbed, "bed").status["slots"]
    assert [slot["nodeName"] for slot in slots] == ["n0", "n2"] * 2
    assert [slot["state"] for slot in slots] == ["FREE"] * 4


class DownFor:
    """An extender that cannot be reached until a time."""

    def __init__(self, until_s: float) -> None:
        self.until = until_s * SECOND
        self.cluster: OperatedCluster | None = None

    def call(self, verb: str, request: Mapping[str, Any]) -> Any:
        assert self.cluster is not None
        if self.cluster.clock.now < self.until:
            raise ExtenderError("connection refused")
        assert self.cluster.operator is not None
        return self.cluster.operator.extender.call(verb, request)


@pytest.mark.parametrize("cpu", [2, 4])
def test_pods_wait_for_an_extender_that_cannot_be_reached(cpu: int) -> None:
    extender = DownFor(100)
    cluster = OperatedCluster(cpu=cpu, extender=extender)
    extender.cluster = cluster
    cluster.testbed()
    cluster.spark("a")
    cluster.queue("q", "a", "a")
    cluster.run(90)
    assert cluster.job_state("a") in ("InQueue", "Submitted")
    cluster.run(7200)
    check_end(cluster)


def test_a_pod_without_a_slot_is_deleted_after_some_attempts_and_made_anew() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.run(1)
    assert cluster.operator is not None
    term = {"matchExpressions": [{"key": LABEL, "operator": "Exists"}]}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "p",
            "namespace": "default",
            "labels": {
                "batchjob.tuberlin.de/slots-resource-name": "bed",
                "batchjob.tuberlin.de/slots-ids": "0",
                "batchjob.tuberlin.de/slots-is-ghost-pod": "false",
            },
        },
        "spec": {
            "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}],
            "priorityClassName": "high-priority",
            "schedulerName": "external-scheduler",
            "affinity": {
                "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
            },
        },
    }
    made = cluster.plain.create(pod)
    testbed = cluster.find(ESI.testbed, "bed")
    slots = [{**slot, "state": "OCCUPIED"} for slot in testbed.status["slots"]]
    cluster.plain.update_status(testbed, {**testbed.status, "slots": slots})
    request = {"Pod": made.render(), "NodeNameToMetaVictims": {"n0": {"Pods": []}}}
    for _ in range(4):
        assert cluster.plain.get("Pod", "default", "p") is not None
        assert cluster.operator.extender.call("preemption", request) == {"NodeNameToMetaVictims": {}}
    assert cluster.plain.get("Pod", "default", "p") is None


def test_an_application_may_complete_without_having_been_seen_to_run() -> None:
    extender = DownFor(10_000)  # so that no executor is ever scheduled
    cluster = OperatedCluster(extender=extender)
    extender.cluster = cluster
    cluster.testbed()
    spec = {"sparkSpec": {}, "externalScheduler": {"profiler": [{"a": "24 (16)"}]}}
    cluster.create("BatchJob", "a", spec)
    extender.until = 0
    cluster.run(1)
    extender.until = 10_000 * SECOND
    cluster.queue("q", "a")
    cluster.run(2)
    assert cluster.job_state("a") == "Submitted"
    application = cluster.find("SparkApplication.sparkoperator.k8s.io", "a")
    cluster.plain.update_status(application, {"applicationState": {"state": "COMPLETED"}})
    cluster.run(3)
    job = cluster.find(ESI.batchjob, "a")
    assert job.status["scheduledEvents"] == [
        {"stop": "2030-01-01T00:00:02Z", "successful": True, "scheduling": {"name": "q", "namespace": "default"}}
    ]
    assert job.spec["externalScheduler"] == {"profiler": [{"a": "24 (16)"}]}
    assert cluster.state("q") == "Finished"


def test_an_application_that_fails_does_not_stop_the_queue() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.spark("a")
    cluster.spark("b")
    cluster.queue("q", "a", "a", "a", "a", "b")
    cluster.run(10)
    application = cluster.find("SparkApplication.sparkoperator.k8s.io", "a")
    cluster.plain.update_status(application, {**application.status, "applicationState": {"state": "FAILED"}})
    cluster.run(11)
    assert cluster.job_state("a") == "Failed"
    assert cluster.problems(ESI.scheduling, "q") == ["job default/a: the application has failed"]
    cluster.run(7200)
    assert cluster.find(ESI.batchjob, "b").status["scheduledEvents"][0]["successful"]
    assert cluster.find(ESI.batchjob, "a").status["scheduledEvents"][0]["successful"] is False
