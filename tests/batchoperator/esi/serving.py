"""What the tests of this folder share: the interface on a small cluster, served from a thread."""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.apiserver.serving import TOKEN, Answer
from tests.batchoperator.cluster import OperatedCluster
from tests.support.waiting import PATIENCE_S, eventually
from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.clock.pacing import Pacing
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.server import Server, listen, make_config
from wavetank.apiserver.http.websocket import WebSocketProtocol
from wavetank.apiserver.requests.request import Request
from wavetank.batchoperator.client.inprocess import StoreClient
from wavetank.batchoperator.esi.app import App
from wavetank.batchoperator.esi.interface import Interface
from wavetank.batchoperator.esi.rest import answer
from wavetank.batchoperator.esi.runtimes import SimulatedRuntime
from wavetank.batchoperator.resources.groups import ESI
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework import storeclient
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import seconds


def slots(*states: str) -> list[dict[str, Any]]:
    """Returns the status of slots on two nodes, in turn."""
    return [
        {
            "position": at,
            "nodeName": f"n{at % 2}",
            "nodeId": at % 2,
            "slotPositionOnNode": at // 2,
            "state": state,
            "podName": f"ghost-{at}",
            "podUId": f"uid-{at}",
        }
        for at, state in enumerate(states)
    ]


class SmallCluster:
    """Two jobs and a testbed of four slots in a store, without an operator."""

    def __init__(self) -> None:
        self.store = Store(Clock())
        self.client = StoreClient(self.store, storeclient.StoreClient(self.store, random.Random(1), lambda pod: None))
        self.interface = Interface(self.client)
        self.create("Testbed", "testbed", {"slotsPerNode": 2, "nodeLabel": "slots", "resourcesPerSlot": {"cpu": "1"}})
        self.set_status("Testbed", "testbed", {"state": "SUCCESS", "slots": slots("FREE", "FREE", "FREE", "FREE")})
        self.create("BatchJob", "spark-pi", {"sparkSpec": {"type": "Scala"}})
        self.create("BatchJob", "word-count", {"flinkSpec": {"jarFile": "a.jar"}})

    def create(self, kind: str, name: str, spec: dict[str, Any], namespace: str = "default") -> None:
        metadata = {"name": name, "namespace": namespace}
        self.client.create({"apiVersion": ESI.api_version, "kind": kind, "metadata": metadata, "spec": spec})

    def get(self, kind: str, name: str) -> Any:
        found = self.client.get(f"{kind}.{ESI.name}", "default", name)
        assert found is not None
        return found

    def ask(self, method: str, path: str, body: object = None) -> Answer:
        """Answers a request without HTTP."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        response = answer(self.interface, Request(method, path, body=data))
        return Answer(response.status, dict(response.headers), response.body)

    def set_status(self, kind: str, name: str, status: dict[str, Any]) -> None:
        self.client.update_status(self.get(kind, name), status)


class ServedInterface:
    """A running server; `call` runs a function in its thread, as the operator would."""

    def __init__(
        self, app: App, heartbeat: Heartbeat, port: int, loop: asyncio.AbstractEventLoop, cluster: Any
    ) -> None:
        self.cluster = cluster
        self._heartbeat = heartbeat
        self.broadcast = app.broadcast
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self._loop = loop

    def call(self, function: Callable[[], None]) -> None:
        done = threading.Event()
        self._loop.call_soon_threadsafe(lambda: (function(), done.set()))
        assert done.wait(PATIENCE_S)

    def advance(self, duration_s: float) -> None:
        """Advances the clock, as fast as possible."""
        arrived = threading.Event()

        def advance() -> None:
            self._heartbeat.pacing.advance(seconds(duration_s), arrived.set)
            self._heartbeat.reschedule()

        self.call(advance)
        assert arrived.wait(PATIENCE_S)

    def ask(self, method: str, path: str, body: object = None, token: str | None = TOKEN, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        sent = {key.replace("_", "-"): value for key, value in headers.items()}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        try:
            connection.request(method, path, data, sent)
            response = connection.getresponse()
            names = {key.lower(): value for key, value in response.getheaders()}
            return Answer(response.status, names, response.read())
        finally:
            connection.close()


@contextmanager
def serving(token: str | None = TOKEN, port: int = 0) -> Iterator[ServedInterface]:
    """Serves the interface of a small cluster; port 0 is any free one."""
    cluster = SmallCluster()
    with _serving(cluster.interface, cluster.store.clock, 1.0, token, cluster, port) as served:
        yield served


@contextmanager
def operating(cluster: OperatedCluster, speed: float | None) -> Iterator[ServedInterface]:
    """Serves the interface of a cluster with an operator, whose clock runs at this speed."""
    with _serving(Interface(cluster.plain), cluster.clock, speed, TOKEN, cluster) as served:
        yield served


@contextmanager
def _serving(
    interface: Interface, clock: Clock, speed: float | None, token: str | None, cluster: Any, port: int = 0
) -> Iterator[ServedInterface]:
    heartbeat = Heartbeat(Pacing(clock, speed))
    app = App(interface, Authenticator(token, "127.0.0.1"), SimulatedRuntime(heartbeat))
    listening = listen("127.0.0.1", port)
    server = Server(make_config(app, websocket=WebSocketProtocol), app)
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve([listening])

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    eventually(lambda: server.started)
    try:
        yield ServedInterface(app, heartbeat, listening.getsockname()[1], loops[0], cluster)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
    assert server.error is None
