"""The definitions of both API groups: what an API server accepts, and what it refuses with the path."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.apiserver.inprocess import Caller
from tests.support.paths import shared_data
from wavetank.batchoperator.resources.definitions import definitions
from wavetank.batchoperator.resources.groups import ESI, GCR, GROUPS, ApiGroup

PLURALS = {"BatchJob": "batchjobs", "Testbed": "testbeds", "Slot": "slots", "Scheduling": "schedulings"}


@pytest.fixture
def caller() -> Caller:
    caller = Caller()
    for definition in definitions():
        caller.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
    return caller


def post(caller: Caller, kind: str, spec: dict[str, Any], group: ApiGroup = ESI) -> Any:
    document = {"apiVersion": group.api_version, "kind": kind, "metadata": {"name": "it"}, "spec": spec}
    return caller.ask("POST", f"/apis/{group.api_version}/namespaces/default/{PLURALS[kind]}", document)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_all_kinds_of_a_group_are_established_with_a_status_subresource(caller: Caller, group: ApiGroup) -> None:
    served = {item["name"]: item for item in caller.get(f"/apis/{group.api_version}").body["resources"]}
    for plural in ("batchjobs", group.testbed_plural, "schedulings"):
        assert {plural, f"{plural}/status"} <= served.keys()


@pytest.mark.parametrize(
    "file", ["jobs/flink", "jobs/sample3", "jobs/spark-crawler", "schedulings/queue-based-scheduling"]
)
def test_published_objects_are_accepted(caller: Caller, file: str) -> None:
    document = yaml.safe_load((shared_data(f"batch-operator/{file}.yaml")).read_text())
    answer = post(caller, document["kind"], document["spec"])
    assert answer.status == 201, answer.body


QUEUE = {"queueBased": [{"name": "a", "namespace": "default"}]}
SLOTS = {"slotBased": {"mode": "strict", "jobs": [{"name": {"name": "a"}, "slotIds": [0]}]}}
TESTBED = {"testbed": {"name": "t", "namespace": "default"}}
BED = {"slotsPerNode": 2, "nodeLabel": "slots", "resourcesPerSlot": {"cpu": "1"}}


@pytest.mark.parametrize(
    ("kind", "spec", "path"),
    [
        pytest.param("Scheduling", {**QUEUE, **SLOTS, **TESTBED}, "spec: Invalid", id="both a queue and slots"),
        pytest.param("Scheduling", TESTBED, "spec: Invalid", id="neither a queue nor slots"),
        pytest.param("Scheduling", QUEUE, "spec: Invalid", id="no testbed"),
        pytest.param("Scheduling", {**TESTBED, "queueBased": [{}]}, "spec.queueBased[0].name", id="no name"),
        pytest.param(
            "Scheduling",
            {**TESTBED, "slotBased": {"jobs": [{"name": {"name": "a"}, "slotIds": [-1]}]}},
            "spec.slotBased.jobs[0].slotIds[0]",
            id="a negative slot",
        ),
        pytest.param("Testbed", {**BED, "slotsPerNode": 0}, "spec.slotsPerNode", id="no slots"),
        pytest.param(
            "Testbed", {**BED, "resourcesPerSlot": {"cpu": "much"}}, "spec.resourcesPerSlot.cpu", id="no amount"
        ),
        pytest.param("BatchJob", {"sparkSpec": {}, "flinkSpec": {}}, "spec: Invalid", id="Spark and Flink"),
    ],
)
def test_bad_objects_are_refused_with_their_path(caller: Caller, kind: str, spec: dict[str, Any], path: str) -> None:
    answer = post(caller, kind, spec)
    assert answer.status == 422
    assert path in answer.body["message"]


def test_testbeds_are_slots_in_the_older_group(caller: Caller) -> None:
    assert post(caller, "Slot", BED, GCR).status == 201
