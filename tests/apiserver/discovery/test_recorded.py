"""Discovery tells exactly what the real server told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.apiserver.transcripts import Step, steps_of
from wavetank.apiserver.endpoints.discovery import Discovery
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.requests.negotiation import of_error
from wavetank.apiserver.requests.request import Request, Response

DISCOVERY = Discovery(KindTable.builtin())


@pytest.mark.parametrize("script", ["disc-groups", "disc-aggregated"])
def test_recorded_discovery(script: str) -> None:
    etags: dict[str, str] = {}
    for step in steps_of(script):
        response = answer(step, etags)
        if step["response"]["status"] == 404:
            assert response is None  # the next handler answers it
            continue
        assert response is not None
        assert response.status == step["response"]["status"], step["path"]
        headers = dict(response.headers)
        expected = step["response"]["headers"]
        if "etag" in expected:
            assert etags.setdefault(expected["etag"], headers["etag"]) == headers["etag"]
        for name in ("content-type", "vary"):
            assert headers.get(name) == expected.get(name), step["path"]
        assert body_of(response) == step["response"]["body"], step["path"]


def answer(step: Step, etags: dict[str, str]) -> Response | None:
    headers = {name.lower(): etags.get(value, value) for name, value in step["headers"].items() if value}
    request = Request(step["method"], step["path"], (), headers)
    try:
        return DISCOVERY.respond(request)
    except StatusError as error:
        representation = of_error(request)
        headers = [("content-type", representation.media_type)]
        return Response(error.code, headers, representation.encode(error.status))


def body_of(response: Response) -> Any:
    if response.body.startswith(b"{"):
        return json.loads(response.body)
    return {"$text": response.body.decode()} if response.body else None
