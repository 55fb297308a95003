from __future__ import annotations

import base64

import pytest

from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.requests.request import User

HOME = {"host": "127.0.0.1:8001"}
KNOWN = {**HOME, "authorization": "Bearer secret"}


def admitted(headers: dict[str, str], host: str = "127.0.0.1", token: str | None = "secret") -> User:
    return Authenticator(token, host).admit(headers)


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"authorization": "Bearer secret"}, id="a token"),
        pytest.param({"authorization": "bearer  secret"}, id="schemes are not case-sensitive"),
        pytest.param({"proxy-authorization": basic("wavetank", "secret")}, id="as kubectl sends it over plain HTTP"),
    ],
)
def test_requests_with_the_token_are_let_in(headers: dict[str, str]) -> None:
    assert admitted({**HOME, **headers}).name == "admin"


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"authorization": "Bearer wrong"}, id="another token"),
        pytest.param({"authorization": "Bearer "}, id="an empty token"),
        pytest.param({"authorization": "Bearer s\u00e9cret"}, id="a token that is not ASCII"),
        pytest.param({"authorization": basic("wavetank", "secret")}, id="another scheme"),
        pytest.param({"proxy-authorization": basic("other", "secret")}, id="another user"),
        pytest.param({"proxy-authorization": "Basic %%%"}, id="no base64"),
        pytest.param(
            {"authorization": "Bearer wrong", "proxy-authorization": basic("wavetank", "secret")},
            id="a wrong token is not made good by a proxy",
        ),
    ],
)
def test_other_requests_are_not(headers: dict[str, str]) -> None:
    with pytest.raises(StatusError) as refused:
        admitted({**HOME, **headers})
    assert (refused.value.code, refused.value.reason, str(refused.value)) == (401, "Unauthorized", "Unauthorized")


@pytest.mark.parametrize(
    ("host", "listening", "code"),
    [
        pytest.param("127.0.0.1:8001", "127.0.0.1", 200, id="the address"),
        pytest.param("localhost", "127.0.0.1", 200, id="the name of loopback"),
        pytest.param("LOCALHOST:80", "127.0.0.1", 200, id="names are not case-sensitive"),
        pytest.param("[::1]:8001", "127.0.0.1", 200, id="IPv6 in brackets"),
        pytest.param("evil.example:8001", "127.0.0.1", 403, id="a foreign name that points here"),
        pytest.param("127.0.0.1.evil.example", "127.0.0.1", 403, id="a name that begins like ours"),
        pytest.param("192.168.0.7:8001", "127.0.0.1", 403, id="an address that is not listened on"),
        pytest.param("192.168.0.7:8001", "0.0.0.0", 200, id="any address if all are listened on"),
        pytest.param("evil.example", "0.0.0.0", 403, id="but not any name"),
        pytest.param("tank.lab:8001", "tank.lab", 200, id="the name that is listened on"),
    ],
)
def test_only_our_own_names_are_served(host: str, listening: str, code: int) -> None:
    if code == 200:
        admitted({**KNOWN, "host": host}, listening)
        return
    with pytest.raises(StatusError) as refused:
        admitted({**KNOWN, "host": host}, listening)
    assert refused.value.code == code


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"origin": "http://evil.example"}, id="another site"),
        pytest.param({"origin": "http://127.0.0.1:9000"}, id="another port"),
        pytest.param({"origin": "null"}, id="a file or a sandbox"),
        pytest.param({"sec-fetch-site": "cross-site"}, id="a browser says so itself"),
    ],
)
def test_web_pages_of_others_are_refused_even_without_auth(headers: dict[str, str]) -> None:
    with pytest.raises(StatusError) as refused:
        admitted({**HOME, **headers}, token=None)
    assert refused.value.code == 403


def test_a_web_page_of_this_server_is_not() -> None:
    assert admitted({**KNOWN, "origin": "http://127.0.0.1:8001", "sec-fetch-site": "same-origin"})


def test_a_request_without_host_is_no_request() -> None:
    with pytest.raises(StatusError) as refused:
        admitted({"authorization": "Bearer secret"})
    assert refused.value.code == 400


def test_without_a_token_everybody_is_admin() -> None:
    assert admitted(HOME, token=None).groups == ("system:masters", "system:authenticated")


def test_a_service_account_is_admitted_by_its_own_token_where_these_are_accepted() -> None:
    account = User("system:serviceaccount:default:sa", ("system:authenticated",))
    headers = {**HOME, "authorization": "Bearer a.b.c"}
    guard = Authenticator("secret", "127.0.0.1")
    assert guard.admit(headers, {"a.b.c": account}.get) == account
    with pytest.raises(StatusError, match="Unauthorized"):
        guard.admit(headers)


def test_the_user_of_a_client_certificate_needs_no_token() -> None:
    jane = User("jane", ("system:authenticated",))
    assert Authenticator("secret", "127.0.0.1").admit(HOME, client=jane) == jane
    assert Authenticator("secret", "127.0.0.1").admit(KNOWN, client=jane) == jane


def test_a_program_with_the_token_may_name_localhost_as_its_origin() -> None:
    assert admitted({**KNOWN, "origin": "http://localhost"}).name == "admin"
    for headers, token in (({**HOME, "origin": "http://localhost"}, None), ({**KNOWN, "origin": "http://x"}, "secret")):
        with pytest.raises(StatusError, match="is not this server"):
            admitted(headers, token=token)
