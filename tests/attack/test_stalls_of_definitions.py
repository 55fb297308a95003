"""Large definitions, OpenAPI and quotas give the event loop back, with the same answers."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from tests.apiserver.inprocess import MERGE, Answer, Caller
from tests.attack.watching import Threads, served
from wavetank.apiserver import waiting
from wavetank.apiserver.custom import rules
from wavetank.apiserver.definitions import controller
from wavetank.apiserver.openapi import serving
from wavetank.apiserver.requests.request import User
from wavetank.apiserver.verbs import writing
from wavetank.apiserver.verbs.fieldmanagers import FieldManagers
from wavetank.apiserver.waiting import run_waiting
from wavetank.cluster.quota import usage
from wavetank.cluster.quota.usage import counts, counts_any

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NAME = f"{CRDS}/heavies.stall.io"
OBJECTS = "/apis/stall.io/v1/namespaces/default/heavies"
SMALL, LARGE = 5, 2500


def a_definition(size: int) -> dict[str, Any]:
    schema = {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(size)}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "heavies", "kind": "Heavy"}
    spec = {"group": "stall.io", "scope": "Namespaced", "names": names, "versions": [version]}
    return {"metadata": {"name": "heavies.stall.io"}, "spec": spec}


def an_object(name: str = "a") -> dict[str, Any]:
    return {"apiVersion": "stall.io/v1", "kind": "Heavy", "metadata": {"name": name}, "p1": "x", "unknown": 1}


@pytest.mark.parametrize(("size", "beside"), [(SMALL, False), (LARGE, True)])
def test_the_kinds_of_a_large_definition_are_made_beside_the_loop(size: int, beside: bool, threads: Threads) -> None:
    calls = threads(controller, "served_kinds")
    caller = Caller()
    assert served(caller, "POST", CRDS, a_definition(size)).status == 201
    assert calls == [beside]


@pytest.mark.parametrize(
    ("rule", "beside"),
    [
        pytest.param("self.p1.size() > 0", False, id="plain"),
        pytest.param("self.p1.replace('x', 'xxxxxxxxx').findAll('x').size() > 0", True, id="a text that becomes long"),
    ],
)
def test_a_rule_that_may_take_long_is_evaluated_beside_the_loop(rule: str, beside: bool, threads: Threads) -> None:
    calls = threads(rules, "evaluate")
    caller = Caller()
    definition = a_definition(SMALL)
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["p1"]["maxLength"] = 100
    schema["x-kubernetes-validations"] = [{"rule": rule}]
    assert served(caller, "POST", CRDS, definition).status == 201
    assert served(caller, "POST", OBJECTS, an_object()).status == 201
    assert calls == [beside]


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_they_are_served_when_its_creation_is_answered(size: int) -> None:
    caller = Caller()
    created = served(caller, "POST", CRDS, a_definition(size))
    assert created.body["status"]["conditions"] is None  # as in the real server
    conditions = {each["type"]: each["status"] for each in caller.get(NAME).body["status"]["conditions"]}
    assert conditions == {"NamesAccepted": "True", "Established": "True"}
    made = served(caller, "POST", OBJECTS, an_object())
    assert made.status == 201
    assert made.body["p1"] == "x"
    assert "unknown" not in made.body


def test_a_large_definition_that_is_changed_while_its_kinds_are_made_is_served_as_it_was_changed_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(controller, "_LARGE", 0)
    monkeypatch.setattr(waiting, "_LIGHT", 0)
    caller = Caller()
    bodies = [{"spec": {"names": {"shortNames": [f"h{i}"]}}} for i in range(5)]

    async def write() -> list[Answer]:
        first = run_waiting(partial(caller.ask, "POST", CRDS, a_definition(SMALL)))
        created = asyncio.create_task(first)
        while caller.ask("GET", NAME).status == 404:
            await asyncio.sleep(0)
        patches = (run_waiting(partial(caller.ask, "PATCH", NAME, body, content_type=MERGE)) for body in bodies)
        return [*await asyncio.gather(*patches), await created]

    statuses = {answer.status for answer in asyncio.run(write())}
    assert statuses <= {200, 201, 409}
    stored = caller.get(NAME).body
    kind = caller.api.kinds.find("stall.io", "v1", "heavies")
    assert kind is not None
    assert (
        list(kind.short_names)
        == stored["status"]["acceptedNames"]["shortNames"]
        == stored["spec"]["names"]["shortNames"]
    )


def test_a_large_definition_is_deleted_with_its_objects() -> None:
    caller = Caller()
    served(caller, "POST", CRDS, a_definition(LARGE))
    served(caller, "POST", OBJECTS, an_object())
    assert served(caller, "DELETE", NAME).status == 200
    assert caller.ask("GET", NAME).status == 404
    assert caller.ask("GET", OBJECTS).status == 404


def test_a_large_object_is_not_created_after_its_definition_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be there again with the next definition of that name."""
    caller = Caller()
    caller.create(CRDS, a_definition(SMALL))
    check = writing.Writer._check_new

    def delete_first(*arguments: Any) -> Any:
        assert caller.ask("DELETE", NAME).status == 200
        return check(*arguments)

    monkeypatch.setattr(writing.Writer, "_check_new", delete_first)
    assert served(caller, "POST", OBJECTS, an_object()).status == 403
    monkeypatch.undo()
    caller.create(CRDS, a_definition(SMALL))
    assert caller.get(OBJECTS).names == []


def test_a_watch_that_begins_while_the_definition_changes_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would go on to show objects by the old one."""
    monkeypatch.setattr(waiting, "_SLICE_S", 0.0)  # a slice for each object
    caller = Caller()
    caller.create(CRDS, a_definition(SMALL))
    for i in range(20):
        caller.create(OBJECTS, an_object(f"x{i}"))

    async def change() -> None:
        await asyncio.sleep(0)
        caller.ask("DELETE", NAME)

    async def watch() -> Any:
        stream, _ = await asyncio.gather(run_waiting(partial(caller.call, "GET", f"{OBJECTS}?watch=true")), change())
        return stream

    assert asyncio.run(watch()).closed


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3/apis/stall.io/v1"])
def test_openapi_documents_are_written_beside_the_loop_once(path: str, threads: Threads) -> None:
    calls = threads(serving, "_written_2" if path.endswith("v2") else "_written_3")
    caller = Caller()
    caller.create(CRDS, a_definition(SMALL))
    first, second = served(caller, "GET", path), served(caller, "GET", path)
    assert first.body == second.body
    assert calls == [True]
    tag = first.headers["etag"]
    assert served(caller, "GET", path, if_none_match=tag).status == 304
    caller.ask("DELETE", NAME)
    if path.endswith("v2"):
        assert served(caller, "GET", path).headers["etag"] != tag


def test_a_document_of_kinds_that_have_changed_meanwhile_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    caller = Caller()
    original = serving.document_2

    def changed_meanwhile(*arguments: Any) -> Any:
        made = original(*arguments)
        if caller.ask("GET", NAME).status == 404:
            caller.create(CRDS, a_definition(SMALL))
        return made

    monkeypatch.setattr(serving, "document_2", changed_meanwhile)
    names = [served(caller, "GET", "/openapi/v2").body["definitions"].keys() for _ in range(2)]
    assert "io.stall.v1.Heavy" not in names[0]
    assert "io.stall.v1.Heavy" in names[1]


@pytest.mark.parametrize("name", ["count/pods", "pods", "requests.a.io/r", "services", "cpu", "count/jobs.batch", "x"])
@pytest.mark.parametrize("resource", [*usage._BY_PATTERN, "configmaps", "jobs.batch", "deployments.apps"])
def test_a_quota_counts_a_kind_if_one_of_its_resources_does(resource: str, name: str) -> None:
    assert counts_any(resource, {name: "1"}) is counts(resource, name)


def test_the_status_of_a_large_object_is_written_beside_the_loop(threads: Threads) -> None:
    calls = threads(FieldManagers, "update")
    caller = Caller()
    quotas = "/api/v1/namespaces/default/resourcequotas"
    client = caller.api.actor(User("system:kube-controller-manager"))
    for size in (SMALL, LARGE):
        hard = {f"requests.a.io/r{i}": "1" for i in range(size)}
        caller.create(quotas, {"metadata": {"name": f"q{size}"}, "spec": {"hard": hard}})
        quota = caller.store.find("ResourceQuota", "default", f"q{size}")
        asyncio.run(run_waiting(partial(client.update_status, quota, {"hard": hard, "used": hard})))
    assert calls[-1]
    assert not any(calls[:-1])  # creations, and the small status
    assert caller.get(f"{quotas}/q{LARGE}").body["status"]["used"]["requests.a.io/r1"] == "1"
