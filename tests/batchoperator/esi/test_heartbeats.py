"""Heart-beats of STOMP over a WebSocket, in virtual time."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.support.waiting import run_in_virtual_time
from wavetank.batchoperator.esi.broadcast import Broadcast
from wavetank.batchoperator.esi.websockets import WebSockets

SCOPE: dict[str, Any] = {"extensions": {}, "subprotocols": []}


class Client:
    """A WebSocket client: what it sends at which second, and what it receives at which second."""

    def __init__(self, *sends: tuple[float, str]) -> None:
        self._sends = list(sends)
        self.received: list[tuple[float, str]] = []

    async def receive(self) -> dict[str, Any]:
        if not self._sends:
            await asyncio.Event().wait()
        at, text = self._sends[0]
        await asyncio.sleep(at - asyncio.get_running_loop().time())
        self._sends.pop(0)
        return {"type": "websocket.receive", "text": text}

    async def send(self, message: dict[str, Any]) -> None:
        text = message.get("text", message["type"])
        self.received.append((round(asyncio.get_running_loop().time(), 3), text))


def connect(heartbeats: str) -> tuple[float, str]:
    return 1.0, f"CONNECT\naccept-version:1.2\nheart-beat:{heartbeats}\n\n\0"


def talk(client: Client, until_s: float = 60.0, framed: bool = False) -> list[tuple[float, str]]:
    """Serves a client and returns what it received after CONNECTED."""

    async def scenario() -> None:
        serving = WebSockets(Broadcast()).stomp(SCOPE, client.receive, client.send, None, framed)  # type: ignore[arg-type]
        try:
            async with asyncio.timeout(until_s):
                await serving
        except TimeoutError:
            pass

    run_in_virtual_time(scenario())
    return [each for each in client.received if not each[1].startswith(("websocket.accept", "CONNECTED", "a[", "o"))]


def test_the_server_beats_as_often_as_the_client_wants() -> None:
    assert talk(Client(connect("0,20000"))) == [(21.0, "\n"), (41.0, "\n")]


def test_a_client_that_keeps_its_promise_is_kept() -> None:
    beats = [(float(second), "\n") for second in range(10, 60, 15)]
    assert talk(Client(connect("15000,0"), *beats)) == []


def test_a_client_that_breaks_its_promise_is_dropped() -> None:
    assert talk(Client(connect("15000,0"))) == [(31.0, "websocket.close")]


def test_a_client_that_never_connects_is_dropped() -> None:
    assert talk(Client()) == [(10.0, "websocket.close")]


def test_sockjs_beats_in_its_own_way() -> None:
    text = '["' + "CONNECT\\naccept-version:1.2\\n\\n\\u0000" + '"]'
    assert talk(Client((1.0, text)), framed=True) == [(26.0, "h"), (51.0, "h")]
