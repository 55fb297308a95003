"""Of several mistakes the one is told that the real server finds first."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import Query, Request, Response
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock

MAPS = "/api/v1/namespaces/default/configmaps"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def ask(method: str, path: str, query: Query = (), body: Any = None, **headers: str) -> Response:
    sent = {"content-type": headers.pop("content", "application/json"), **headers}
    data = b"" if body is None else json.dumps(body).encode()
    response = Api(Store(Clock(), history=100)).handle(Request(method, path, query, sent, data))
    assert isinstance(response, Response)
    return response


def told(response: Response) -> tuple[int, str]:
    return response.status, json.loads(response.body)["message"]


@pytest.mark.parametrize(
    ("response", "status", "message"),
    [
        pytest.param(
            ask("PATCH", f"{MAPS}/a", body={}, accept="text/html"),
            415,
            "415: Unsupported Media Type",
            id="a patch's type before what is accepted",
        ),
        pytest.param(
            ask("POST", MAPS, (("dryRun", "x"),), {}, content="text/plain"),
            415,
            "the body of the request was in an unknown format - accepted media types include: application/json, "
            "application/yaml, application/vnd.kubernetes.protobuf",
            id="a new object's type before the options",
        ),
        pytest.param(
            ask("GET", f"{MAPS}/a", (("includeObject", "x"),), accept=TABLE),
            404,
            'configmaps "a" not found',
            id="what is missing before how it is shown",
        ),
        pytest.param(
            ask("GET", f"{MAPS}/a", (("timeout", "5"),), accept="text/html"),
            400,
            'invalid timeout specified in the request URL - time: missing unit in duration "5"',
            id="the time-out before everything",
        ),
        pytest.param(
            ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body={}, accept=TABLE),
            406,
            "only the following media types are accepted: application/json, application/yaml, "
            "application/vnd.kubernetes.protobuf",
            id="reviews have no Tables",
        ),
    ],
)
def test_the_first_mistake_is_told(response: Response, status: int, message: str) -> None:
    assert told(response) == (status, message)


def test_a_refused_body_is_warned_of_as_well() -> None:
    response = ask("POST", MAPS, body={"metadata": {"name": "A"}, "odd": 1})
    assert response.status == 422
    assert ("warning", '299 - "unknown field \\"odd\\""') in response.headers
