"""Requests that make no sense get an answer that does."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from tests.apiserver.serving import Served, a_small_pod, serving
from tests.support.waiting import PATIENCE_S, eventually
from wavetank.apiserver.http import protocol, server

PODS = "/api/v1/namespaces/default/pods"
CONFIGS = "/api/v1/namespaces/default/configmaps"
LIMIT = 3 * 1024 * 1024


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), "--bare", "--http") as server:
        yield server


def raw(served: Served, text: bytes, half_close: bool = False, timeout: float = PATIENCE_S) -> bytes:
    """Sends bytes as they are, and returns all that comes until the server closes the connection."""
    with socket.create_connection((served.host, served.port), timeout=timeout) as connection:
        connection.sendall(text)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        received = b""
        while part := connection.recv(65536):
            received += part
        return received


def request(served: Served, line: str, *headers: str, body: bytes = b"") -> bytes:
    head = [line, f"Host: {served.host}:{served.port}", f"Authorization: Bearer {served.token}", *headers]
    return "\r\n".join([*head, "", ""]).encode() + body


@pytest.mark.parametrize(
    ("method", "path", "body", "content_type", "code", "reason"),
    [
        pytest.param("POST", PODS, b"{", "application/json", 400, "BadRequest", id="half a document"),
        pytest.param("POST", PODS, b"[1]", "application/json", 400, "BadRequest", id="a list"),
        pytest.param("POST", PODS, b"\xff\xfe\x00", "application/json", 400, "BadRequest", id="bytes"),
        pytest.param("POST", PODS, b"[" * 100_000, "application/json", 400, "BadRequest", id="a deep one"),
        pytest.param(
            "POST", PODS, b"k8s\0\xff", "application/vnd.kubernetes.protobuf", 400, "BadRequest", id="protobuf"
        ),
        pytest.param("POST", PODS, b"{}", "text/html", 415, "UnsupportedMediaType", id="a page"),
        pytest.param("PATCH", f"{PODS}/x", b"{}", "application/json", 415, "UnsupportedMediaType", id="no patch type"),
        pytest.param(
            "POST", "/api/v1/namespaces/default/unknowns", b"{}", "application/json", 404, "NotFound", id="kind"
        ),
        pytest.param(
            "POST", PODS, b'{"kind":"Secret","apiVersion":"v1"}', "application/json", 400, "BadRequest", id="type"
        ),
        pytest.param("PUT", PODS, b"{}", "application/json", 405, "MethodNotAllowed", id="a method that does not fit"),
        pytest.param("POST", CONFIGS, b"x" * (LIMIT + 1), "application/json", 413, "RequestEntityTooLarge", id="3 MB"),
        pytest.param("POST", CONFIGS, b"x" * (3 * LIMIT), "application/json", 413, "RequestEntityTooLarge", id="9 MB"),
    ],
)
def test_a_refusal_is_a_status(
    served: Served, method: str, path: str, body: bytes, content_type: str, code: int, reason: str
) -> None:
    answer = served.ask(method, path, body, Content_Type=content_type)
    assert answer.status == code, answer.body
    status = answer.json
    assert (status["kind"], status["status"], status["code"], status["reason"]) == ("Status", "Failure", code, reason)


def test_a_body_of_exactly_3_mb_is_read(served: Served) -> None:
    text = '{"metadata":{"name":"large"},"data":{"a":"%s"}}'
    body = (text % ("x" * (LIMIT - len(text) + 2))).encode()
    assert len(body) == LIMIT
    answer = served.ask("POST", CONFIGS, body)
    assert answer.status != 413, "it may be too large for a ConfigMap, but not for a request"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01", id="TLS"),
        pytest.param(b"hello?\r\n\r\n", id="words"),
        pytest.param(b"GET / HTTP/9.9\r\n\r\n", id="another HTTP"),
        pytest.param(b"GET /%ff%zz\xff HTTP/1.1\r\nHost: localhost\r\n\r\n", id="a path of bytes"),
        pytest.param(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", id="a negative length"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n", id="a header without a colon"),
        pytest.param(b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", id="no path"),
    ],
)
def test_what_is_no_http_is_told_so(served: Served, text: bytes) -> None:
    assert raw(served, text, half_close=True).startswith((b"HTTP/1.1 400", b"HTTP/1.1 401"))
    assert served.ask("GET", "/readyz").status == 200


def test_a_head_that_never_ends_is_cut_off(served: Served) -> None:
    with socket.create_connection((served.host, served.port), timeout=PATIENCE_S) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        with suppress(ConnectionError):
            for _ in range(64):
                connection.sendall(b"x" * 65536)
        with suppress(ConnectionError):
            assert connection.recv(65536).startswith(b"HTTP/1.1 431")
    assert served.ask("GET", "/readyz").status == 200


def test_a_client_that_has_closed_its_side_still_gets_its_answer(served: Served) -> None:
    answer = raw(served, request(served, "GET /version HTTP/1.1"), half_close=True)
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"gitVersion" in answer


def test_several_requests_at_once_are_answered_in_order(served: Served) -> None:
    several = request(served, "GET /version HTTP/1.1") + request(served, "GET /readyz HTTP/1.1")
    answer = raw(served, several, half_close=True)
    assert answer.count(b"HTTP/1.1 200") == 2
    assert answer.index(b"gitVersion") < answer.rindex(b"ok")


def test_an_advance_ends_when_its_client_has_closed_the_connection(tmp_path: Path) -> None:
    container = {"name": "c", "image": "i"}
    job = {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}
    cron = {"metadata": {"name": "c"}, "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job}}}
    with serving(tmp_path, "--http", "--paused") as served:
        assert served.ask("POST", "/apis/batch/v1/namespaces/default/cronjobs", cron).status == 201
        with socket.create_connection((served.host, served.port)) as connection:
            connection.sendall(request(served, "POST /wavetank/clock/advance?by=100000h HTTP/1.1"))
            eventually(lambda: time_of(served) > 0)
        eventually(lambda: stands(served))


def stands(served: Served) -> bool:
    """Tells whether its clock has not moved for a moment."""
    before = time_of(served)
    time.sleep(0.3)
    return time_of(served) == before


def time_of(served: Served) -> float:
    state: dict[str, float] = served.ask("GET", "/wavetank/clock").json
    return state["elapsedSeconds"]


def test_half_a_request_delays_no_other(served: Served) -> None:
    begun = request(served, f"POST {CONFIGS} HTTP/1.1", "Content-Type: application/json", "Content-Length: 1000")
    with socket.create_connection((served.host, served.port)) as connection:
        connection.sendall(begun + b'{"metadata":{"name":"half"}')
        assert served.ask("GET", "/readyz").status == 200
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(PATIENCE_S)
        assert connection.recv(1) == b"", "it is closed, since the rest will never come"
    assert served.ask("GET", f"{CONFIGS}/half").status == 404


def test_an_unchanged_connection_serves_request_after_request(served: Served) -> None:
    with socket.create_connection((served.host, served.port), timeout=PATIENCE_S) as connection:
        for _ in range(3):
            connection.sendall(request(served, "GET /readyz HTTP/1.1"))
            answer = b""
            while not answer.endswith(b"\r\n\r\nok"):
                answer += connection.recv(65536)


def test_an_upgrade_is_refused_with_a_status(served: Served) -> None:
    assert served.ask("POST", PODS, a_small_pod("up")).status == 201
    upgrade = {"Connection": "Upgrade", "Upgrade": "SPDY/3.1"}
    answer = served.ask("POST", f"{PODS}/up/exec?command=ls&container=main", b"", **upgrade)
    assert answer.status >= 400
    assert answer.json["kind"] == "Status"


def test_requests_without_the_token_are_refused(served: Served) -> None:
    for path in ("/api/v1/pods", "/version", "/healthz", "/wavetank/clock", "/no/such/path"):
        answer: Any = served.ask("GET", path, Authorization="Bearer wrong")
        assert (answer.status, answer.json["message"]) == (401, "Unauthorized")


@pytest.mark.parametrize("begun", [b"", b"GET /healthz HTTP/1.1\r\nHost: loc"], ids=["nothing", "half a head"])
def test_a_connection_without_a_request_is_closed(monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr(protocol, "HEAD_S", 0.05)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("there is no request")

    async def main() -> bytes:
        config = server.make_config(app)  # type: ignore[arg-type]
        config.load()
        state = uvicorn.server.ServerState()
        loop = asyncio.get_running_loop()
        make = partial(protocol.HttpProtocol, config=config, server_state=state, app_state={})
        listening = await loop.create_server(make, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
        writer.write(begun)
        try:
            return await asyncio.wait_for(reader.read(), PATIENCE_S)
        except ConnectionResetError:
            return b""
        finally:
            writer.close()
            listening.close()

    assert asyncio.run(main()) == b""
