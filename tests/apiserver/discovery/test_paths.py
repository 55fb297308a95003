from __future__ import annotations

import json

import pytest

from wavetank.apiserver.endpoints.discovery import Discovery
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.requests.request import Request, Response

DISCOVERY = Discovery(KindTable.builtin())


def get(path: str, *query: tuple[str, str], **headers: str) -> Response | None:
    return DISCOVERY.respond(Request("GET", path, query, headers))


@pytest.mark.parametrize(
    "path", ["/healthz", "/livez", "/readyz", "/readyz/ping", "/livez/poststarthook/bootstrap-controller"]
)
def test_a_server_that_answers_is_healthy(path: str) -> None:
    response = get(path)
    assert response
    assert (response.status, response.body) == (200, b"ok")
    assert dict(response.headers)["content-type"] == "text/plain; charset=utf-8"


def test_health_can_be_told_at_length() -> None:
    response = get("/readyz", ("verbose", ""), ("exclude", "etcd"), ("exclude", "x"))
    assert response
    lines = response.body.decode().splitlines()
    assert lines[:4] == ["[+]ping ok", "[+]log ok", "[+]etcd excluded: ok", "[+]etcd-readiness ok"]
    assert lines[-3:] == [
        "[+]shutdown ok",
        'warn: some health checks cannot be excluded: no matches for "x"',
        "readyz check passed",
    ]


@pytest.mark.parametrize(
    "path", ["/healthz/nope", "/healthz/ping/x", "/apis/nope.io", "/apis/apps/v9", "/api/v2", "/x"]
)
def test_what_is_not_there_is_left_to_others(path: str) -> None:
    assert get(path) is None


def test_the_version_is_the_one_whose_behaviour_is_shown() -> None:
    response = get("/version")
    assert response
    version = json.loads(response.body)
    assert (version["major"], version["minor"], version["gitVersion"]) == ("1", "35", "v1.35.8")


def test_the_version_is_told_in_json_only() -> None:
    with pytest.raises(StatusError, match=r"Available representations: application/json$"):
        get("/version", accept="application/yaml")


def test_the_root_lists_what_can_be_asked() -> None:
    response = get("/")
    assert response
    assert {"/api/v1", "/apis/apps/v1", "/healthz", "/version"} <= set(json.loads(response.body)["paths"])


def test_core_is_found_under_api() -> None:
    response = get("/api/v1")
    assert response
    resources = {each["name"]: each for each in json.loads(response.body)["resources"]}
    assert resources["pods/eviction"]["group"] == "policy"
    assert resources["pods"]["shortNames"] == ["po"]


@pytest.mark.parametrize("path", ["/api", "/api/v1", "/apis/apps/v1", "/version"])
def test_some_paths_can_only_be_read(path: str) -> None:
    with pytest.raises(StatusError, match="does not allow this method"):
        DISCOVERY.respond(Request("POST", path))


@pytest.mark.parametrize("path", ["/apis", "/apis/apps", "/healthz", "/"])
def test_others_answer_every_method(path: str) -> None:
    response = DISCOVERY.respond(Request("POST", path))
    assert response
    assert response.status == 200
