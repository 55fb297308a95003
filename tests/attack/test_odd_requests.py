"""Requests that no client sends by accident get an answer that makes sense, never a 500."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import MAPS, Caller
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.requests.request import Response

DIGITS = "9" * 5000


@pytest.mark.parametrize("query", [f"limit={DIGITS}", f"resourceVersion={DIGITS}", f"watch=1&timeoutSeconds={DIGITS}"])
def test_a_number_of_thousands_of_digits_is_a_bad_request(query: str) -> None:
    assert Caller().ask("GET", f"{MAPS}?{query}").status == 400


def test_an_event_needs_a_name() -> None:
    event = {"apiVersion": "v1", "kind": "Event", "involvedObject": {"namespace": "default"}}
    refused = Caller().ask("POST", "/api/v1/namespaces/default/events", event)
    assert (refused.status, refused.body["details"]["causes"][0]["field"]) == (422, "metadata.name")


def test_a_response_has_fewer_headers_than_clients_refuse() -> None:
    unknown: dict[str, Any] = {f"unknown{i}": 1 for i in range(1000)}
    answer = Caller().call(
        "POST", MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, **unknown}
    )
    assert isinstance(answer, Response)
    assert answer.status == 201
    assert 10 < len(answer.headers) < 100


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_token_may_have_any_characters(encoding: str) -> None:
    headers = {"host": "localhost", "authorization": "Bearer " + "geheimnüs".encode(encoding).decode("latin-1")}
    assert Authenticator("geheimnüs", "127.0.0.1").has_token(headers)


def test_an_origin_that_is_no_url_is_foreign() -> None:
    with pytest.raises(StatusError) as refused:
        Authenticator(None, "127.0.0.1").check_site({"host": "localhost", "origin": "http://["})
    assert refused.value.code == 403
