"""Custom resources whose definition names a conversion webhook are converted by it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.webhooks.hooks import Document, Hooked, allow

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
FIELDS = {"v1": "size", "v2": "replicas"}  # what each version calls the same thing


def version(name: str, *, storage: bool) -> Document:
    properties = {"spec": {"type": "object", "properties": {FIELDS[name]: {"type": "integer"}}}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": properties}}
    return {"name": name, "served": True, "storage": storage, "schema": schema}


def definition() -> Document:
    service = {"namespace": "hooks", "name": "all", "path": "/convert"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [version("v1", storage=False), version("v2", storage=True)],
            "conversion": {
                "strategy": "Webhook",
                "webhook": {"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]},
            },
        },
    }


def convert(request: Document) -> Document:
    wanted = request["desiredAPIVersion"]
    name = wanted.partition("/")[2]
    converted = []
    for each in request["objects"]:
        [value] = each["spec"].values()
        converted.append({**each, "apiVersion": wanted, "spec": {FIELDS[name]: value}})
    return {"result": {"status": "Success"}, "convertedObjects": converted}


def a_thing(api_version: str, **spec: int) -> Document:
    return {"apiVersion": f"example.com/{api_version}", "kind": "Thing", "metadata": {"name": "t"}, "spec": spec}


def converting(hook: Any = convert) -> Hooked:
    client = Hooked()
    client.hooks["convert"] = hook
    assert client.ask("POST", DEFINITIONS, definition()).status == 201
    return client


def test_an_object_is_stored_in_one_version_and_served_in_all() -> None:
    client = converting()
    assert client.ask("POST", "/apis/example.com/v1/things", a_thing("v1", size=3)).body["spec"] == {"size": 3}
    assert client.ask("GET", "/apis/example.com/v2/things/t").body["spec"] == {"replicas": 3}
    assert [each["spec"] for each in client.ask("GET", "/apis/example.com/v1/things").body["items"]] == [{"size": 3}]
    stored = client.store.list("Thing.example.com")
    assert [each.manifest["apiVersion"] for each in stored] == ["example.com/v2"]


def test_metadata_beside_labels_and_annotations_cannot_be_changed() -> None:
    def rename(request: Document) -> Document:
        answer = convert(request)
        for each in answer["convertedObjects"]:
            each["metadata"] = {"name": "other", "labels": {"converted": "yes"}}
        return answer

    client = converting(rename)
    made = client.ask("POST", "/apis/example.com/v1/things", a_thing("v1", size=3)).body
    assert made["metadata"]["name"] == "t"
    assert made["metadata"]["labels"] == {"converted": "yes"}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        pytest.param({"result": {"status": "Failed", "message": "no"}}, "no", id="a refusal"),
        pytest.param(
            {"result": {"status": "Failed"}}, "response.result.status was 'Failed', expected 'Success'", id="no text"
        ),
        pytest.param({"result": {"status": "Success"}}, "returned 0 objects, expected 1", id="too few objects"),
        pytest.param(b"{}", "no response provided", id="no response"),
    ],
)
def test_a_conversion_that_fails_is_an_error_of_the_request(answer: Any, why: str) -> None:
    client = converting(lambda _: answer)
    found = client.ask("POST", "/apis/example.com/v1/things", a_thing("v1", size=3))
    assert found.status == 500
    assert found.body["message"] == f"conversion webhook for example.com/v1, Kind=Thing failed: {why}"


def test_an_equivalent_version_is_what_a_webhook_gets() -> None:
    client = converting()
    rule = {"apiGroups": ["example.com"], "apiVersions": ["v2"], "operations": ["CREATE"], "resources": ["things"]}
    client.add("h", allow, rules=[rule])
    client.ask("POST", "/apis/example.com/v1/things", a_thing("v1", size=3))
    request = next(request for name, request in client.asked if name == "h")
    assert request["object"]["spec"] == {"replicas": 3}
    assert request["kind"]["version"] == "v2"
    assert request["requestKind"]["version"] == "v1"
