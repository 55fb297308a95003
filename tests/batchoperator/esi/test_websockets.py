from __future__ import annotations

import asyncio
import base64
import json
import queue
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import stomp
import websocket
from stomp.adapter.ws import WSStompConnection
from stomp.utils import Frame

from tests.apiserver.serving import TOKEN
from tests.batchoperator.esi.serving import ServedInterface, serving
from tests.support.waiting import PATIENCE_S, eventually
from wavetank.apiserver.http.websocket import WebSocketProtocol
from wavetank.batchoperator.esi import mailbox
from wavetank.batchoperator.esi.broadcast import Topic

BEARER = {"Authorization": f"Bearer {TOKEN}"}
CONNECT = f"CONNECT\naccept-version:1.2\nhost:localhost\npasscode:{TOKEN}\n\n\0"
SUBSCRIBE = "SUBSCRIBE\nid:0\ndestination:/topic/jobs\nreceipt:r\n\n\0"


@pytest.fixture(scope="module")
def served() -> Iterator[ServedInterface]:
    with serving() as served:
        yield served


@contextmanager
def connected(served: ServedInterface, path: str, **options: Any) -> Iterator[websocket.WebSocket]:
    """Opens a WebSocket."""
    connection = websocket.create_connection(f"ws://127.0.0.1:{served.port}{path}", timeout=PATIENCE_S, **options)
    try:
        yield connection
    finally:
        connection.close()
        connection.shutdown()


class Heard(stomp.ConnectionListener):
    """What a STOMP client heard."""

    def __init__(self) -> None:
        self.messages: queue.Queue[Frame] = queue.Queue()
        self.errors: list[Frame] = []
        self.receipts: list[str] = []

    def on_message(self, frame: Frame) -> None:
        self.messages.put(frame)

    def on_error(self, frame: Frame) -> None:
        self.errors.append(frame)

    def on_receipt(self, frame: Frame) -> None:
        self.receipts.append(frame.headers["receipt-id"])


def change(served: ServedInterface, name: str, state: str) -> None:
    served.call(lambda: served.cluster.set_status("BatchJob", name, {"state": state}))


def test_a_public_stomp_client_hears_of_changes(served: ServedInterface) -> None:
    client = WSStompConnection([("127.0.0.1", served.port)], ws_path="/scheduler", heartbeats=(20_000, 20_000))
    heard = Heard()
    client.set_listener("", heard)
    client.connect("anyone", TOKEN, wait=True)
    client.subscribe("/topic/jobs", id="names")
    client.subscribe("/topic/jobs/word-count", id="whole", headers={"receipt": "both"})
    eventually(lambda: "both" in heard.receipts)
    change(served, "word-count", "RunningState")
    name, whole = heard.messages.get(timeout=PATIENCE_S), heard.messages.get(timeout=PATIENCE_S)
    assert json.loads(name.body) == {"action": "MODIFIED", "resource": "word-count"}
    assert json.loads(whole.body)["resource"]["state"] == "RunningState"
    assert whole.headers["subscription"] == "whole"
    assert whole.headers["destination"] == "/topic/jobs/word-count"
    client.disconnect(receipt="bye")
    eventually(lambda: "bye" in heard.receipts)
    assert heard.errors == []


@pytest.mark.parametrize("path", ["/scheduler", "/scheduler/", "/scheduler/websocket"])
def test_stomp_is_served_on_plain_websockets(served: ServedInterface, path: str) -> None:
    with connected(served, path, subprotocols=["v10.stomp", "v12.stomp"]) as client:
        assert client.getsubprotocol() == "v12.stomp"
        client.send(CONNECT)
        assert client.recv().startswith("CONNECTED\nversion:1.2\n")
        client.send(SUBSCRIBE)
        assert client.recv() == "RECEIPT\nreceipt-id:r\n\n\0"


def test_a_handshake_with_the_token_needs_no_passcode(served: ServedInterface) -> None:
    with connected(served, "/scheduler", header=BEARER) as client:
        client.send("CONNECT\naccept-version:1.2\n\n\0")
        assert client.recv().startswith("CONNECTED\n")


@pytest.mark.parametrize("frame", ["CONNECT\naccept-version:1.2\npasscode:guess\n\n\0", SUBSCRIBE, "HELLO\n\n\0", "\0"])
def test_a_mistake_is_answered_with_an_error_and_the_end(served: ServedInterface, frame: str) -> None:
    with connected(served, "/scheduler") as client:
        client.send(frame)
        assert client.recv().startswith("ERROR\n")
        assert client.recv() == ""
        assert client.connected is False


def test_sockjs_clients_get_their_framing(served: ServedInterface) -> None:
    info = served.ask("GET", "/scheduler/info", token=None).json
    assert (info["websocket"], info["cookie_needed"]) == (True, False)
    with connected(served, "/scheduler/000/abcdefgh/websocket") as client:
        assert client.recv() == "o"
        client.send(json.dumps([CONNECT, SUBSCRIBE]))
        assert json.loads(client.recv().removeprefix("a"))[0].startswith("CONNECTED\n")
        assert json.loads(client.recv().removeprefix("a")) == ["RECEIPT\nreceipt-id:r\n\n\0"]
        client.send("no JSON")
        assert client.recv() == 'c[3000,"Go away!"]'
        assert client.recv_data()[0] == websocket.ABNF.OPCODE_CLOSE


def test_the_plain_stream_has_the_present_state_and_every_change(served: ServedInterface) -> None:
    change(served, "spark-pi", "ReadyState")
    with connected(served, "/external/stream?topic=jobs,testbeds", header=BEARER) as client:
        first = [json.loads(client.recv()) for _ in range(4)]
        assert [(event["action"], event.get("topic"), event.get("name")) for event in first] == [
            ("ADDED", "jobs", "spark-pi"),
            ("ADDED", "jobs", "word-count"),
            ("ADDED", "testbeds", "testbed"),
            ("BOOKMARK", None, None),
        ]
        change(served, "spark-pi", "InQueueState")
        event = json.loads(client.recv())
        assert (event["action"], event["resource"]["state"]) == ("MODIFIED", "InQueueState")


def test_web_pages_send_the_token_as_a_subprotocol(served: ServedInterface) -> None:
    token = base64.urlsafe_b64encode(TOKEN.encode()).decode().rstrip("=")
    offered = [f"base64url.bearer.authorization.k8s.io.{token}", "json.esi"]
    with connected(served, "/external/stream?topic=schedulings", subprotocols=offered) as client:
        assert client.getsubprotocol() == "json.esi"
        assert json.loads(client.recv()) == {"action": "BOOKMARK"}


@pytest.mark.parametrize(
    ("path", "options", "status"),
    [
        pytest.param("/external/stream", {}, 401, id="no token"),
        pytest.param("/external/stream", {"subprotocols": ["base64url.bearer.authorization.k8s.io.%"]}, 401, id="bad"),
        pytest.param("/external/stream?topic=pods", {"header": BEARER}, 400, id="unknown topic"),
        pytest.param("/external/jobs", {"header": BEARER}, 404, id="no such path"),
        pytest.param("/scheduler", {"host": "evil.example"}, 403, id="another host"),
        pytest.param("/scheduler", {"origin": "http://evil.example"}, 403, id="another origin"),
        pytest.param("/external/stream", {"header": BEARER, "origin": "http://evil.example"}, 403, id="stream"),
    ],
)
def test_a_handshake_is_refused_with_its_reason(
    served: ServedInterface, path: str, options: dict[str, Any], status: int
) -> None:
    with pytest.raises(websocket.WebSocketBadStatusException) as refused, connected(served, path, **options):
        pass
    assert refused.value.status_code == status
    assert json.loads(refused.value.resp_body)["status"] == status


def test_server_sent_events_have_the_same_events(served: ServedInterface) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE_S) as raw:
        request = f"GET /external/stream?topic=testbeds HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}"
        raw.sendall(f"{request}\r\n\r\n".encode())
        stream = raw.makefile("rb")
        head = iter(stream.readline, b"\r\n")
        assert b"content-type: text/event-stream\r\n" in list(head)
        data = (line.removeprefix(b"data: ") for line in stream if line.startswith(b"data: "))
        assert json.loads(next(data))["name"] == "testbed"
        assert json.loads(next(data)) == {"action": "BOOKMARK"}


@pytest.mark.parametrize("path", ["/scheduler", "/external/stream"])
def test_a_client_that_never_reads_is_dropped_and_delays_no_other(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "LARGEST", 256 * 1024)
    large = {"notes": [{"text": "x" * 20_000}]}
    with serving() as served, connected(served, path, header=BEARER) as lazy:
        if path == "/scheduler":
            lazy.send(CONNECT)
            lazy.send("SUBSCRIBE\nid:0\ndestination:/topic/jobs/spark-pi\n\n\0")
        broadcast = served.broadcast
        topic = Topic("jobs", "spark-pi") if path == "/scheduler" else Topic("jobs")
        eventually(lambda: broadcast.has_subscribers(topic))
        for number in range(2_000):  # far more than the buffers of both sockets hold
            body = {"name": "spark-pi", "externalScheduler": {**large, "number": [{"n": str(number)}]}}
            assert served.ask("PUT", "/external/jobs", body).status == 200
            if not broadcast.has_subscribers(topic):
                break
        eventually(lambda: not broadcast.has_subscribers(topic), "it is still subscribed")
        with connected(served, "/external/stream?topic=jobs", header=BEARER) as eager:
            assert json.loads(eager.recv())["action"] == "ADDED"


def test_messages_are_not_compressed_so_that_a_small_one_cannot_become_large(served: ServedInterface) -> None:
    wanted = {**BEARER, "Sec-WebSocket-Extensions": "permessage-deflate"}
    with connected(served, "/scheduler", header=wanted) as connection:
        assert "sec-websocket-extensions" not in connection.getheaders()


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(b"\x81\xff" + (1 << 63).to_bytes(8) + bytes(4), id="a frame of 2**63 bytes"),
        pytest.param(b"\x89\xfe" + (126).to_bytes(2) + bytes(4 + 126), id="a ping of 126 bytes"),
        pytest.param(b"\x81\x83" + bytes(4) + b"\xc3\x28\xff", id="text that is not UTF-8"),
        pytest.param(b"\x80\x81" + bytes(4) + b"x", id="the rest of a message that was never begun"),
        pytest.param(b"\x81\xff" + (2 << 20).to_bytes(8) + bytes(4 + (2 << 20)), id="a message of 2 MiB"),
    ],
)
def test_a_frame_that_is_none_ends_the_connection(served: ServedInterface, frame: bytes) -> None:
    with connected(served, "/scheduler", header=BEARER) as connection:
        connection.sock.sendall(frame)
        while _next_opcode(connection) not in (8, None):
            pass
    with connected(served, "/scheduler", header=BEARER) as connection:
        connection.send(CONNECT)
        assert str(connection.recv()).startswith("CONNECTED")


def _next_opcode(connection: websocket.WebSocket) -> int | None:
    """Returns the kind of the next frame; None if the connection is gone."""
    try:
        return int(connection.recv_frame().opcode)
    except (OSError, websocket.WebSocketException):
        return None


def test_what_is_said_after_a_connection_was_ended_is_dropped() -> None:
    """A message that is too large ends it, while the application may be about to send."""
    protocol = WebSocketProtocol.__new__(WebSocketProtocol)
    protocol.handshake_complete = protocol.close_sent = True
    asyncio.run(protocol.send({"type": "websocket.send", "bytes": None, "text": "x"}))
