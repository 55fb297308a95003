from __future__ import annotations

import pytest

from tests.apiserver.inprocess import Caller


@pytest.fixture(scope="module")
def caller() -> Caller:
    return Caller()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("GET", "/api/v1/pods", 200, id="all namespaces"),
        pytest.param("GET", "/api/v1/namespaces//pods", 200, id="an empty namespace is all of them"),
        pytest.param("GET", "/api/v1/namespaces/default/pods/", 200, id="a slash at the end"),
        pytest.param("GET", "/api/v1/namespaces/default", 200, id="a namespace"),
        pytest.param("GET", "/apis/apps/v1/deployments", 200, id="a group"),
        pytest.param("GET", "/api/v1/pods/a", 404, id="an object without its namespace"),
        pytest.param("GET", "/api/v1/namespaces/default/nodes", 404, id="a kind without namespaces in one"),
        pytest.param("GET", "/api/v1/boats", 404, id="an unknown kind"),
        pytest.param("GET", "/apis/apps/v9/deployments", 404, id="an unknown version"),
        pytest.param("GET", "/api/v1/namespaces/default/pods/a/sails", 404, id="an unknown subresource"),
        pytest.param("POST", "/api/v1/pods", 405, id="creating without a namespace"),
        pytest.param("DELETE", "/api/v1/pods", 405, id="deleting everywhere"),
        pytest.param("PUT", "/api/v1/namespaces/default/pods", 405, id="replacing a collection"),
        pytest.param("POST", "/api/v1/namespaces/default/pods/a", 405, id="creating by name"),
        pytest.param("HEAD", "/api/v1/nodes", 405, id="HEAD"),
        pytest.param("GET", "/api/v1/namespaces/default/bindings", 405, id="what can only be created"),
    ],
)
def test_a_path_and_a_method_lead_to_what_the_real_server_does(
    caller: Caller, method: str, path: str, status: int
) -> None:
    answer = caller.ask(method, path)
    assert answer.status == status
    if status >= 400:
        assert (answer.body["kind"], answer.body["details"]) == ("Status", {})


@pytest.mark.parametrize("path", ["/apis/example.com/v1/boats", "/sails", "/apis/example.com/v1"])
def test_what_no_group_serves_is_told_in_plain_text(caller: Caller, path: str) -> None:
    answer = caller.ask("GET", path)
    assert (answer.status, answer.body) == (404, b"404 page not found\n")
