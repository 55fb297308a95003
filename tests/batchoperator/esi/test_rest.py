from __future__ import annotations

from typing import Any

import pytest

from tests.batchoperator.esi.serving import SmallCluster, slots
from wavetank.batchoperator.esi.external import ExternalScheduling
from wavetank.batchoperator.esi.interface import Interface
from wavetank.batchoperator.resources.groups import GCR


def test_testbeds_are_listed_with_their_slots_by_node(cluster: SmallCluster) -> None:
    [testbed] = cluster.ask("GET", "/external/testbeds").json
    assert testbed["name"] == "testbed"
    assert testbed["state"] == "SUCCESS"
    assert (testbed["numberOfNodes"], testbed["numberOfSlotsPerNode"]) == (2, 2)
    assert [slot["position"] for slot in testbed["slotsByNode"]["n1"]] == [1, 3]
    assert testbed["slotsByNode"]["n0"][0] == {**slots("FREE")[0], "reservedFor": None}
    assert cluster.ask("GET", "/external/testbeds/testbed").json == testbed


def test_jobs_are_listed_by_name(cluster: SmallCluster) -> None:
    jobs = cluster.ask("GET", "/external/jobs").json
    assert list(jobs) == ["spark-pi", "word-count"]
    assert jobs["spark-pi"]["state"] == "ReadyState"
    assert cluster.ask("GET", "/external/jobs/spark-pi").json == jobs["spark-pi"]


def test_resources_of_other_namespaces_are_not_there(cluster: SmallCluster) -> None:
    cluster.create("BatchJob", "foreign", {"sparkSpec": {}}, "other")
    assert "foreign" not in cluster.ask("GET", "/external/jobs").json
    assert cluster.ask("GET", "/external/jobs/foreign").status == 404


@pytest.mark.parametrize("path", ["/external/jobs/", "/external/jobs"])
def test_a_scheduler_stores_data_with_a_job(cluster: SmallCluster, path: str) -> None:
    data = {"profiler": [{"word-count": "24 (16)"}]}
    answer = cluster.ask("PUT", path, {"name": "spark-pi", "externalScheduler": data, "state": "CompletedState"})
    assert answer.status == 200
    assert answer.json["externalScheduler"] == data
    assert answer.json["state"] == "ReadyState"  # only the data was stored
    assert cluster.get("BatchJob", "spark-pi").spec == {
        "sparkSpec": {"type": "Scala"},
        "externalScheduler": data,
    }


def test_a_queue_is_created_as_a_scheduling(cluster: SmallCluster) -> None:
    body = {"name": "s", "testBed": "testbed", "queue": ["spark-pi", "spark-pi", "word-count"]}
    answer = cluster.ask("POST", "/external/schedulings", body)
    assert answer.status == 200
    assert answer.json == {**body, "slots": None, "state": "InitialState", "jobStatus": [], "problems": []}
    assert cluster.ask("GET", "/external/schedulings").json == [answer.json]
    assert cluster.get("Scheduling", "s").spec == {
        "testbed": {"name": "testbed", "namespace": "default"},
        "queueBased": [{"name": name, "namespace": "default"} for name in body["queue"]],
    }


def test_fixed_slots_are_created_as_a_scheduling(cluster: SmallCluster) -> None:
    slots = {"mode": "relaxed", "jobs": [{"name": "spark-pi", "slots": [0, 3]}]}
    answer = cluster.ask("POST", "/external/schedulings", {"name": "s", "testBed": "testbed", "slots": slots})
    assert answer.json["slots"] == slots
    assert cluster.get("Scheduling", "s").spec["slotBased"] == {
        "mode": "relaxed",
        "jobs": [{"name": {"name": "spark-pi", "namespace": "default"}, "slotIds": [0, 3]}],
    }


def test_posting_a_scheduling_again_extends_its_queue(cluster: SmallCluster) -> None:
    body = {"name": "s", "testBed": "testbed", "queue": ["spark-pi"], "slots": None, "jobStatus": None}
    cluster.ask("POST", "/external/schedulings", body)
    answer = cluster.ask("POST", "/external/schedulings", {**body, "queue": ["spark-pi", "word-count"]})
    assert answer.status == 200
    assert cluster.ask("GET", "/external/schedulings/s").json["queue"] == ["spark-pi", "word-count"]


def test_a_scheduling_shows_each_job_once_with_its_furthest_state(cluster: SmallCluster) -> None:
    cluster.ask("POST", "/external/schedulings", {"name": "s", "testBed": "testbed", "queue": ["spark-pi"]})
    jobs = [
        {"name": {"name": name, "namespace": "default"}, "state": state}
        for name, state in (("a", "InQueue"), ("a", "Completed"), ("a", "Scheduled"), ("b", "Acquiring"))
    ]
    cluster.set_status("Scheduling", "s", {"state": "SubmissionState", "jobs": jobs})
    scheduling = cluster.ask("GET", "/external/schedulings/s").json
    assert scheduling["state"] == "SubmissionState"
    assert scheduling["jobStatus"] == [{"name": "a", "state": "Completed"}, {"name": "b", "state": "Acquiring"}]


def test_a_deleted_scheduling_is_returned_as_it_was(cluster: SmallCluster) -> None:
    body = {"name": "s", "testBed": "testbed", "queue": ["spark-pi"]}
    created = cluster.ask("POST", "/external/schedulings", body).json
    assert cluster.ask("DELETE", "/external/schedulings/s").json == created
    missing = cluster.ask("DELETE", "/external/schedulings/s")
    assert (missing.status, missing.body) == (304, b"")


@pytest.mark.parametrize("path", ["testbeds/x", "jobs/x", "schedulings/x", "pods", "jobs/spark-pi/x"])
def test_what_is_not_there_is_not_found(cluster: SmallCluster, path: str) -> None:
    answer = cluster.ask("GET", f"/external/{path}")
    assert answer.status == 404
    assert answer.json["path"] == f"/external/{path}"


def scheduling(**fields: Any) -> dict[str, Any]:
    return {"name": "s", "testBed": "testbed", **fields}


def slot_based(*jobs: tuple[str, list[int]], **fields: Any) -> dict[str, Any]:
    return scheduling(slots={"jobs": [{"name": name, "slots": slots} for name, slots in jobs], **fields})


BOTH = {"queue": ["spark-pi"], "slots": {"jobs": [{"name": "spark-pi", "slots": [0]}]}}


@pytest.mark.parametrize(
    ("body", "status", "field", "message"),
    [
        pytest.param(scheduling(), 400, "queue", "either queue or slots", id="neither queue nor slots"),
        pytest.param(scheduling(**BOTH), 400, "queue", "either queue or slots", id="queue and slots"),
        pytest.param(scheduling(queue=[]), 400, "queue", "at least one job", id="empty queue"),
        pytest.param(scheduling(queue="spark-pi"), 400, "queue", "Expected `array | null`", id="queue is no list"),
        pytest.param(scheduling(queue=["spark-pi", 7]), 400, "queue[1]", "Expected `str`", id="job is no text"),
        pytest.param({"name": "s", "queue": []}, 400, "", "missing required field `testBed`", id="no testbed"),
        pytest.param(scheduling(queue=["x"], name="A b"), 400, "name", "a name in lower case", id="name"),
        pytest.param(b"{", 400, "", "the body is no JSON", id="no JSON"),
        pytest.param(b"", 400, "", "the body is no JSON", id="no body"),
        pytest.param([], 400, "", "Expected `object`", id="a list"),
        pytest.param(scheduling(queue=["spark-pi"], testBed="x"), 422, "testBed", "no testbed 'x'", id="testbed"),
        pytest.param(scheduling(queue=["spark-pi", "x"]), 422, "queue[1]", "there is no job 'x'", id="unknown job"),
        pytest.param(slot_based(("x", [0])), 422, "slots.jobs[0].name", "no job 'x'", id="unknown job with slots"),
        pytest.param(
            slot_based(("spark-pi", [0, 4])), 422, "slots.jobs[0].slots[1]", "a slot from 0 to 3, not 4", id="slot 4"
        ),
        pytest.param(
            slot_based(("word-count", [0]), ("spark-pi", [-1])), 422, "slots.jobs[1].slots[0]", "not -1", id="slot -1"
        ),
        pytest.param(slot_based(("spark-pi", [])), 400, "slots.jobs[0].slots", "at least one slot", id="no slot"),
        pytest.param(slot_based(), 400, "slots.jobs", "at least one job", id="no job"),
        pytest.param(slot_based(("spark-pi", [1, 1])), 400, "slots.jobs[0].slots[1]", "twice", id="slot twice"),
        pytest.param(
            slot_based(("spark-pi", [1]), ("spark-pi", [2])), 400, "slots.jobs[1].name", "twice", id="job twice"
        ),
        pytest.param(
            slot_based(("spark-pi", [1]), mode="lazy"), 400, "slots.mode", "Invalid enum value 'lazy'", id="mode"
        ),
    ],
)
def test_a_bad_scheduling_is_refused_with_the_place(
    cluster: SmallCluster, body: object, status: int, field: str, message: str
) -> None:
    answer = cluster.ask("POST", "/external/schedulings", body)
    assert answer.status == status
    assert answer.json["status"] == status
    assert answer.json.get("field", "") == field
    assert message in answer.json["message"]
    assert answer.json["path"] == "/external/schedulings"
    assert cluster.ask("GET", "/external/schedulings").json == []


def test_slots_of_a_testbed_that_is_not_set_up_yet_are_accepted(cluster: SmallCluster) -> None:
    cluster.set_status("Testbed", "testbed", {"state": "IN_PROGRESS", "slots": []})
    assert cluster.ask("POST", "/external/schedulings", slot_based(("spark-pi", [9]))).status == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [({"name": "x", "externalScheduler": {}}, 404), ({"name": "spark-pi", "externalScheduler": {"a": "b"}}, 400)],
)
def test_bad_data_of_jobs_is_refused(cluster: SmallCluster, body: object, status: int) -> None:
    assert cluster.ask("PUT", "/external/jobs", body).status == status


def test_a_path_says_which_methods_it_has(cluster: SmallCluster) -> None:
    answer = cluster.ask("PATCH", "/external/schedulings/s")
    assert (answer.status, answer.headers["allow"]) == (405, "GET, DELETE")


def test_a_resource_of_another_version_stops_neither_the_stream_nor_the_operator(cluster: SmallCluster) -> None:
    published: list[str] = []
    cluster.interface.publish_to(lambda topic, action, resource: published.append(f"{action} {resource.name}"))
    cluster.set_status("BatchJob", "spark-pi", {"state": "StateOfTheFuture"})
    cluster.set_status("BatchJob", "word-count", {"state": "RunningState"})
    assert published[-1] == "MODIFIED word-count"


def test_resources_of_the_older_group_are_served(cluster: SmallCluster) -> None:
    for kind, name, spec in (
        ("Slot", "old", {"slotsPerNode": 1, "nodeLabel": "a"}),
        ("BatchJob", "job", {"sparkSpec": {}}),
    ):
        metadata = {"name": name, "namespace": "default"}
        cluster.client.create({"apiVersion": GCR.api_version, "kind": kind, "metadata": metadata, "spec": spec})
    interface = Interface(cluster.client, group=GCR)
    created = interface.put_scheduling(ExternalScheduling("s", "old", queue=["job"]))
    assert (created.test_bed, created.queue) == ("old", ["job"])
    found = cluster.client.get(GCR.scheduling, "default", "s")
    assert found is not None
    assert found.spec["slots"] == {"name": "old", "namespace": "default"}
    assert list(interface.jobs()) == ["job"]
