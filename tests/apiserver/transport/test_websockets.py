"""Watches over a WebSocket, as fabric8's Java client and web pages open them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import websocket

from tests.apiserver.serving import Served, nodes_file, serving
from tests.support.waiting import PATIENCE_S
from wavetank.apiserver.codec.protobuf import PREFIX, unwrap

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
PROTOBUF = "application/vnd.kubernetes.protobuf"


@contextmanager
def connected(served: Served, target: str, **options: Any) -> Iterator[websocket.WebSocket]:
    """Opens a WebSocket with the token, over TLS, and closes it."""
    options.setdefault("header", [f"Authorization: Bearer {served.token}"])
    address = f"wss://{served.host}:{served.port}{target}"
    tls = {"context": served.trusting}
    connection = websocket.create_connection(address, timeout=PATIENCE_S, sslopt=tls, **options)
    try:
        yield connection
    finally:
        connection.close()
        connection.shutdown()


def create(served: Served, name: str) -> None:
    answer = served.ask("POST", MAPS, {"metadata": {"name": name}, "data": {"text": "ä" * 300_000}})
    assert answer.status == 201, answer.body


def refusal(served: Served, target: str, **options: Any) -> tuple[int, Any]:
    with pytest.raises(websocket.WebSocketBadStatusException) as refused, connected(served, target, **options):
        pass
    return refused.value.status_code, json.loads(refused.value.resp_body)


def test_every_event_is_a_message(bare: Served) -> None:
    create(bare, "first")
    with connected(bare, f"{MAPS}?watch=true") as connection:
        assert connection.status == 101
        added = json.loads(connection.recv())
        assert (added["type"], added["object"]["metadata"]["name"]) == ("ADDED", "first")
        bare.ask("DELETE", f"{MAPS}/first")
        assert json.loads(connection.recv())["type"] == "DELETED"


def test_protobuf_is_binary_and_without_lengths(bare: Served) -> None:
    create(bare, "second")
    header = [f"Authorization: Bearer {bare.token}", f"Accept: {PROTOBUF}"]
    target = f"{MAPS}?watch=true&fieldSelector=metadata.name%3Dsecond"
    with connected(bare, target, header=header) as connection:
        opcode, event = connection.recv_data()
        assert opcode == websocket.ABNF.OPCODE_BINARY
        assert event.startswith(b"\x0a\x05ADDED")
        assert unwrap(event[event.index(PREFIX) :])[:2] == ("v1", "ConfigMap")


def test_a_watch_that_times_out_closes_the_connection(bare: Served) -> None:
    with connected(bare, "/api/v1/nodes?watch=true&timeoutSeconds=1") as connection:
        opcode, _ = connection.recv_data()
        assert opcode == websocket.ABNF.OPCODE_CLOSE


def test_the_token_may_be_a_subprotocol_beside_another(bare: Served) -> None:
    encoded = base64.urlsafe_b64encode((bare.token or "").encode()).decode().rstrip("=")
    bearer = f"base64url.bearer.authorization.k8s.io.{encoded}"
    target = "/api/v1/nodes?watch=true&timeoutSeconds=1"
    with connected(bare, target, header=[], subprotocols=[bearer, "watch.k8s.io"]) as connection:
        assert connection.getsubprotocol() == "watch.k8s.io"
    assert refusal(bare, target, header=[], subprotocols=[bearer])[0] == 401


@pytest.mark.parametrize(
    ("target", "options", "code", "message"),
    [
        pytest.param("/api/v1/pods?watch=true", {"header": []}, 401, "Unauthorized", id="no token"),
        pytest.param("/api/v1/pods?watch=true", {"origin": "http://evil.example"}, 403, "Origin", id="a foreign page"),
        pytest.param("/api/v1/pods?watch=true", {"subprotocols": ["a", "b"]}, 400, "subprotocol", id="protocols"),
        pytest.param("/api/v1/pods?watch=true&limit=x", {}, 400, "ParseInt", id="a wrong query"),
    ],
)
def test_a_refusal_is_a_status(bare: Served, target: str, options: dict[str, Any], code: int, message: str) -> None:
    given, status = refusal(bare, target, **options)
    assert given == code
    assert message in status["message"]


def test_what_is_no_watch_is_answered_as_any_request(bare: Served) -> None:
    code, found = refusal(bare, "/api/v1/nodes")
    assert (code, found["kind"]) == (200, "NodeList")


def test_a_log_comes_in_binary_messages_and_ends(tmp_path: Path) -> None:
    with serving(tmp_path, "--cluster", nodes_file(tmp_path)) as served:
        command = ["/bin/sh", "-c", "echo container is alive; sleep 10000"]
        pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i", "command": command}]}}
        assert served.ask("POST", PODS, pod).status == 201
        served.until(f"{PODS}/p", lambda found: found["status"]["phase"] == "Running")
        options = {"subprotocols": ["binary.k8s.io"], "origin": "http://localhost"}
        with connected(served, f"{PODS}/p/log", **options) as connection:
            assert connection.recv_data() == (websocket.ABNF.OPCODE_BINARY, b"container is alive\n")
            assert connection.recv_data()[0] == websocket.ABNF.OPCODE_CLOSE
        assert refusal(served, f"{PODS}/gone/log")[0] == 404
