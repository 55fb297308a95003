"""OpenAPI documents tell what the real server's tell, and change as custom kinds come and go."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from tests.apiserver.inprocess import Caller
from tests.apiserver.openapi.definitions import CRON_TAB
from tests.apiserver.transcripts import TRANSCRIPTS
from tests.support.paths import needs_shared
from wavetank.apiserver.openapi.descriptions import descriptions
from wavetank.apiserver.requests.request import Response

FOLDER = TRANSCRIPTS / "openapi"
# Types that only tell of the server's own paths.
ELSEWHERE = ("APIResource", "APIResourceList", "WatchEvent", "DeleteOptions", "Status", "StatusDetails", "StatusCause")
PLACES = ("api/v1", "apis/apps/v1", "apis/batch/v1", "apis/apiextensions.k8s.io/v1", "apis/resource.k8s.io/v1")
NOT_COMPARED = ("description", "required", "default", "enum", "x-kubernetes-unions", "x-kubernetes-group-version-kind")


def get(caller: Caller, path: str, **headers: str) -> Response:
    answer = caller.call("GET", path, **headers)
    assert isinstance(answer, Response)
    return answer


def document(caller: Caller, path: str) -> Any:
    answer = get(caller, path)
    assert answer.status == 200, answer.body
    return json.loads(answer.body)


def link(caller: Caller, place: str) -> str:
    return str(document(caller, "/openapi/v3")["paths"][place]["serverRelativeURL"])


@needs_shared(FOLDER)
@pytest.mark.parametrize("place", PLACES)
def test_types_are_those_of_the_real_server(place: str) -> None:
    recorded = json.loads(gzip.decompress((FOLDER / f"v3-{place.replace('/', '__')}.json.gz").read_bytes()))
    ours = document(Caller(), f"/openapi/v3/{place}")
    for name, theirs in recorded["components"]["schemas"].items():
        if name.rpartition(".")[2] in ELSEWHERE:
            continue
        assert without(ours["components"]["schemas"][name]) == without(theirs), name


@needs_shared(FOLDER)
@pytest.mark.parametrize("place", PLACES)
def test_patches_and_their_parameters_are_those_of_the_real_server(place: str) -> None:
    recorded = json.loads(gzip.decompress((FOLDER / f"v3-{place.replace('/', '__')}.json.gz").read_bytes()))
    ours = document(Caller(), f"/openapi/v3/{place}")
    for path, item in recorded["paths"].items():
        if "patch" not in item or "/proxy" in path:
            continue
        mine, theirs = ours["paths"][path]["patch"], item["patch"]
        assert mine["operationId"] == theirs["operationId"], path
        assert mine["requestBody"]["content"].keys() == theirs["requestBody"]["content"].keys()
        assert mine["x-kubernetes-group-version-kind"] == theirs["x-kubernetes-group-version-kind"]
        names = [{each["name"] for each in one["parameters"]} for one in (mine, theirs)]
        assert names[0] == names[1]


def without(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {"allOf"}:
        return value["allOf"][0]
    if isinstance(value, dict):
        return {key: without(each) for key, each in value.items() if not is_left_out(key, each)}
    return [without(each) for each in value] if isinstance(value, list) else value


def is_left_out(key: str, value: Any) -> bool:
    return key in NOT_COMPARED and not (isinstance(value, dict) and "type" in value)


def test_a_custom_kind_has_a_document_while_it_is_served() -> None:
    caller = Caller()
    before = document(caller, "/openapi/v3")["paths"]
    assert caller.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRON_TAB).status == 201
    found = document(caller, link(caller, "apis/stable.example.com/v1"))
    types = found["components"]["schemas"]
    assert types["com.example.stable.v1.CronTab"]["properties"]["spec"]["properties"]["replicas"]["type"] == "integer"
    assert "com.example.stable.v1.CronTabList" in types
    item = found["paths"]["/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}"]
    assert "application/strategic-merge-patch+json" not in item["patch"]["requestBody"]["content"]
    caller.call("DELETE", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{CRON_TAB['metadata']['name']}")
    assert document(caller, "/openapi/v3")["paths"] == before


def test_a_changed_schema_has_another_hash_and_the_old_one_leads_to_it() -> None:
    caller = Caller()
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    caller.call("POST", path, CRON_TAB)
    old = link(caller, "apis/stable.example.com/v1")
    change = [{"op": "add", "path": "/spec/versions/0/schema/openAPIV3Schema/description", "value": "times"}]
    name = CRON_TAB["metadata"]["name"]
    assert caller.call("PATCH", f"{path}/{name}", change, content_type="application/json-patch+json").status == 200
    new = link(caller, "apis/stable.example.com/v1")
    assert new != old
    moved = get(caller, old)
    assert (moved.status, dict(moved.headers)["location"]) == (301, new)


@pytest.mark.parametrize("path", ["/openapi/v2", "/openapi/v3/apis/apps/v1"])
def test_what_a_client_has_is_not_sent_again(path: str) -> None:
    caller = Caller()
    etag = dict(get(caller, path).headers)["etag"]
    assert get(caller, path, if_none_match=etag).status == 304


def test_the_list_of_documents_is_new_every_second() -> None:
    caller = Caller()
    first = dict(get(caller, "/openapi/v3").headers)["last-modified"]
    assert get(caller, "/openapi/v3", if_modified_since=first).status == 304
    caller.clock.run(1_000_000_000)
    assert get(caller, "/openapi/v3", if_modified_since=first).status == 200


def test_version_2_has_every_type_once_and_comes_in_protobuf_too() -> None:
    caller = Caller()
    types = document(caller, "/openapi/v2")["definitions"]
    assert types["io.k8s.api.core.v1.Pod"]["properties"]["spec"] == {
        **(
            {"description": types["io.k8s.api.core.v1.Pod"]["properties"]["spec"]["description"]}
            if descriptions()
            else {}
        ),
        "$ref": "#/definitions/io.k8s.api.core.v1.PodSpec",
    }
    packed = get(caller, "/openapi/v2", accept="application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
    assert dict(packed.headers)["content-type"] == "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
    assert packed.body.startswith(b"\x0a\x032.0")


@pytest.mark.skipif(not descriptions(), reason="the extra `schema` is not installed")
def test_with_the_extra_fields_are_described() -> None:
    types = document(Caller(), "/openapi/v3/api/v1")["components"]["schemas"]
    assert types["io.k8s.api.core.v1.PodSpec"]["properties"]["nodeName"]["description"].startswith("NodeName ")
