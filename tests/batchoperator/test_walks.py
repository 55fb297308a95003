"""Whole runs: queues, fixed slots, extension while they run, release, and both scenarios of the extender."""

from __future__ import annotations

from typing import Any

import pytest

from tests.batchoperator.cluster import LABEL, OperatedCluster
from wavetank.batchoperator.client.client import Change
from wavetank.batchoperator.resources.groups import ESI, GROUPS, ApiGroup
from wavetank.batchoperator.resources.labels import CLAIM_NAME


def walk(cluster: OperatedCluster, kind: str, name: str) -> list[str]:
    """Returns the states of an object, filled in as it goes through them."""
    states: list[str] = []

    def note(change: Change) -> None:
        state = str(change.object.status.get("state") or "").removesuffix("State")
        if change.object.name == name and state and states[-1:] != [state]:
            states.append(state)

    cluster.plain.subscribe(kind, note)
    return states


def starts(cluster: OperatedCluster, *jobs: str) -> dict[str, list[int]]:
    """Returns for each job when its runs started, in seconds after the beginning of 2030."""
    found = {}
    for name in jobs:
        events = cluster.find(cluster.group.batchjob, name).status.get("scheduledEvents") or ()
        found[name] = [_second(event["start"]) for event in events]
    return found


def _second(text: str) -> int:
    hours, minutes, seconds = text.rstrip("Z").partition("T")[2].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds)


@pytest.mark.parametrize("form", ["labels", "spec"])
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_a_queue_runs_in_order_and_returns_everything(group: ApiGroup, form: Any) -> None:
    cluster = OperatedCluster(group=group, form=form)
    cluster.testbed()
    cluster.run(0)
    for name in ("a", "b", "c"):
        cluster.spark(name)
    states, job = walk(cluster, group.scheduling, "q"), walk(cluster, group.batchjob, "a")
    cluster.queue("q", "a", "b", "b", "c", "c", "c")
    cluster.run()
    assert starts(cluster, "a", "b", "c") == {"a": [0], "b": [0], "c": [60]}
    assert states == [
        "Acquire",
        "Confirmation",
        "Submission",
        "Confirmation",
        "AwaitingCompletion",
        "Completed",
        "Finished",
    ]
    assert job == ["Ready", "InQueue", "Submitted", "Scheduled", "Running", "Completed", "Ready"]
    assert cluster.slot_states() == ["FREE"] * 4
    assert CLAIM_NAME not in cluster.find(group.testbed, "bed").labels


def test_a_job_that_waits_is_not_overtaken() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    for name, work in {"a": "30s", "b": "60s", "big": "10s", "small": "10s"}.items():
        cluster.spark(name, work)
    cluster.queue("q", "a", "b", "big", "big", "big", "big", "small")
    cluster.run()
    assert starts(cluster, "a", "b", "big", "small") == {"a": [0], "b": [0], "big": [60], "small": [70]}


@pytest.mark.parametrize(("mode", "last"), [("strict", 60), ("relaxed", 0)])
def test_strict_jobs_wait_for_those_before_and_relaxed_ones_only_for_their_slots(mode: str, last: int) -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    for name in ("a", "b", "c"):
        cluster.flink(name)
    cluster.slots("s", mode, ("a", [0, 1]), ("b", [1, 2]), ("c", [3]))
    cluster.run()
    assert starts(cluster, "a", "b", "c") == {"a": [0], "b": [60], "c": [last]}


def test_jobs_run_in_their_own_slots() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.flink("a")
    cluster.slots("s", "strict", ("a", [1, 2]))
    cluster.run(10)
    slots = cluster.find(ESI.testbed, "bed").status["slots"]
    assert [slot["state"] for slot in slots] == ["FREE", "OCCUPIED", "OCCUPIED", "FREE"]
    assert [(slot["nodeName"], slot["slotPositionOnNode"]) for slot in slots] == [
        ("n0", 0),
        ("n1", 0),
        ("n0", 1),
        ("n1", 1),
    ]
    assert {slot["podName"] for slot in slots[1:3]} == {"a-taskmanager-0", "a-taskmanager-1"}


def test_a_queue_may_be_extended_while_it_runs() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    for name in ("a", "b", "c"):
        cluster.spark(name)
    states = walk(cluster, ESI.scheduling, "q")
    cluster.queue("q", "a", "a", "b")
    cluster.run(10)
    assert cluster.state("q") == "AwaitingCompletion"
    cluster.extend("q", "c", "c")
    cluster.run()
    assert starts(cluster, "c") == {"c": [60]}
    assert cluster.state("q") == "Finished"
    assert states.count("AwaitingCompletion") == 2


@pytest.mark.parametrize("scenario", ["no room beside the slots", "room beside the slots"])
def test_ghost_pods_give_way_to_exactly_the_pods_that_were_promised_their_slots(scenario: str) -> None:
    cluster = OperatedCluster(nodes=2, cpu=2 if scenario.startswith("no") else 8)
    cluster.testbed()
    cluster.spark("a")
    cluster.run(1)
    ghosts = {pod.name: pod for pod in cluster.plain.list("Pod")}
    cluster.slots("s", "strict", ("a", [0, 3]))
    cluster.run(10)
    slots = cluster.find(ESI.testbed, "bed").status["slots"]
    assert [slot["state"] for slot in slots] == ["OCCUPIED", "FREE", "FREE", "OCCUPIED"]
    left = {pod.name for pod in cluster.plain.list("Pod") if pod.uid == getattr(ghosts.get(pod.name), "uid", None)}
    assert left == {"ghostpod-bed-1-0-n1", "ghostpod-bed-0-1-n0"}
    cluster.run()
    assert cluster.slot_states() == ["FREE"] * 4


def test_a_flink_job_with_a_jar_uri_becomes_a_flink_deployment() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.flink("a", jarURI="local:///job.jar", image="flink:1.17")
    cluster.queue("q", "a", "a")
    cluster.run(10)
    made = cluster.find("FlinkDeployment.flink.apache.org", "a")
    assert made.spec["image"] == "flink:1.17"
    assert made.spec["job"]["parallelism"] == 2
    cluster.run()
    assert cluster.state("q") == "Finished"


def test_a_job_runs_again_for_every_scheduling() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.spark("a")
    for day in range(3):
        cluster.queue(f"day-{day}", "a")
        cluster.run()
    events = cluster.find(ESI.batchjob, "a").status["scheduledEvents"]
    assert [event["scheduling"]["name"] for event in events] == ["day-0", "day-1", "day-2"]
    assert all(event["successful"] for event in events)


def test_deleting_a_scheduling_releases_its_jobs_and_removes_their_applications() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.spark("a")
    cluster.spark("b")
    found = cluster.queue("q", "a", "a", "a", "b", "b")
    cluster.run(10)
    assert (cluster.job_state("a"), cluster.job_state("b")) == ("Running", "InQueue")
    cluster.plain.delete(cluster.find(ESI.scheduling, found.name))
    cluster.run(20)
    assert (cluster.job_state("a"), cluster.job_state("b")) == ("Ready", "Ready")
    assert cluster.plain.list("SparkApplication.sparkoperator.k8s.io") == []
    assert cluster.slot_states() == ["FREE"] * 4


def test_a_released_job_is_claimed_and_run_again() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.spark("a")
    cluster.queue("q", "a")
    cluster.run(10)
    cluster.plain.patch_labels(cluster.find(ESI.batchjob, "a"), {CLAIM_NAME: None})
    cluster.run()
    events = cluster.find(ESI.batchjob, "a").status["scheduledEvents"]
    assert cluster.state("q") == "Finished"
    assert events[-1]["successful"]


def test_an_application_that_is_deleted_is_run_again() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.spark("a")
    cluster.queue("q", "a")
    cluster.run(10)
    cluster.plain.delete(cluster.find("SparkApplication.sparkoperator.k8s.io", "a"))
    cluster.run()
    events = cluster.find(ESI.batchjob, "a").status["scheduledEvents"]
    assert [event["successful"] for event in events] == [False, True]


def test_two_testbeds_share_a_node_if_both_fit() -> None:
    cluster = OperatedCluster(nodes=1, cpu=4)
    cluster.testbed("first", slots=2)
    cluster.testbed("second", slots=2)
    cluster.testbed("third", slots=1)
    cluster.run(1)
    assert cluster.slot_states("first") == cluster.slot_states("second") == ["FREE"] * 2
    assert cluster.find(ESI.testbed, "third").status["state"] == "ERROR"
    assert cluster.problems(ESI.testbed, "third") == ["node n0: 1 slots need 1 of cpu, 0 are left"]


def test_a_node_without_its_label_leaves_the_testbed() -> None:
    cluster = OperatedCluster(nodes=3)
    cluster.testbed()
    cluster.run(1)
    cluster.store.patch("Node", "", "n1", {"metadata": {"labels": {LABEL: None}}})
    cluster.run(2)
    slots = cluster.find(ESI.testbed, "bed").status["slots"]
    assert [slot["nodeName"] for slot in slots] == ["n0", "n2"] * 2
    assert {pod.node_name for pod in cluster.plain.list("Pod")} == {"n0", "n2"}
    cluster.store.patch("Node", "", "n1", {"metadata": {"labels": {LABEL: "1"}}})
    cluster.run(3)
    assert len(cluster.slot_states()) == 6


def test_slots_of_another_size_replace_the_ghost_pods() -> None:
    cluster = OperatedCluster()
    old = cluster.testbed()
    cluster.run(1)
    found = cluster.find(ESI.testbed, old.name)
    cluster.plain.update(found, {**found.spec, "resourcesPerSlot": {"cpu": "500m"}})
    cluster.run(2)
    requests = [pod.spec["containers"][0]["resources"]["requests"] for pod in cluster.plain.list("Pod")]
    assert requests == [{"cpu": "500m"}] * 4
    assert cluster.find(ESI.testbed, "bed").status["state"] == "SUCCESS"


def test_deleting_a_testbed_deletes_its_ghost_pods() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.run(1)
    cluster.plain.delete(cluster.find(ESI.testbed, "bed"))
    cluster.run(2)
    assert cluster.plain.list("Pod") == []
