"""Heavy requests to the pages, the operator's interface and state folders give the event loop back as well."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
import uvicorn
from uvicorn.server import ServerState

from tests.apiserver.serving import NODES
from tests.support.objects import pod_manifest
from tests.ui.serving import setting_of
from wavetank.apiserver import waiting
from wavetank.apiserver.clock.heartbeat import Heartbeat
from wavetank.apiserver.clock.pacing import Pacing
from wavetank.apiserver.http.websocket import WebSocketProtocol
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.waiting import run_waiting
from wavetank.batchoperator.esi.broadcast import Broadcast
from wavetank.batchoperator.esi.runtimes import SimulatedRuntime
from wavetank.batchoperator.esi.stomp.frames import FrameReader
from wavetank.batchoperator.esi.stomp.session import StompSession
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.simulation.served.cluster import ServedCluster
from wavetank.ui import keptrequest, served, session
from wavetank.ui.explaining import explain_pod
from wavetank.ui.feed import ClusterFeed
from wavetank.ui.keptrequest import KeptRequest
from wavetank.ui.play import app as playing
from wavetank.ui.served import ServedPage
from wavetank.ui.session import Session

PING, PONG = b"\x89\x80\0\0\0\0", b"\x8a\0"


@pytest.fixture
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets every slice end after one item."""
    monkeypatch.setattr(waiting, "_SLICE_S", 0.0)


async def ticks_during(awaited: Any) -> int:
    """Returns how often the event loop went on before something was done."""
    ticks, task = 0, asyncio.ensure_future(awaited)
    while not task.done():
        await asyncio.sleep(0)
        ticks += 1
    await task
    return ticks


def noting_threads(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[str]:
    """Returns the names of the threads in which a function of a module will have been called."""
    threads: list[str] = []
    function: Callable[..., Any] = getattr(module, name)

    def noted(*args: Any, **options: Any) -> Any:
        threads.append(threading.current_thread().name)
        return function(*args, **options)

    monkeypatch.setattr(module, name, noted)
    return threads


def all_beside(threads: list[str]) -> bool:
    return bool(threads) and all(name.startswith("heavy") for name in threads)


# WebSockets


class Transport(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.reads = True

    def write(self, data: Any) -> None:
        self.written += data

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def close(self) -> None:
        self.reads = False

    def is_closing(self) -> bool:
        return False

    @property
    def pongs(self) -> int:
        return self.written.count(PONG)


async def accepting(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    await receive()


async def connected(transport: Transport) -> WebSocketProtocol:
    config = uvicorn.Config(cast(Any, accepting), ws="none", lifespan="off")
    protocol = WebSocketProtocol(config=config, server_state=ServerState(), app_state={})
    protocol.connection_made(transport)
    protocol.data_received(
        b"GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    while b"101 " not in transport.written:
        await asyncio.sleep(0)
    transport.written = b""
    return protocol


def test_many_pings_are_answered_in_pieces() -> None:
    async def scenario() -> None:
        transport = Transport()
        protocol = await connected(transport)
        protocol.data_received(PING * 5000)
        assert 0 < transport.pongs < 1000
        assert not transport.reads
        while transport.pongs < 5000:
            await asyncio.sleep(0)
        assert transport.reads
        protocol.connection_lost(None)

    asyncio.run(scenario())


def test_pings_of_a_client_that_does_not_read_wait() -> None:
    async def scenario() -> None:
        transport = Transport()
        protocol = await connected(transport)
        protocol.pause_writing()
        protocol.data_received(PING * 10)
        await asyncio.sleep(0)
        assert (transport.pongs, transport.reads) == (0, False)
        protocol.resume_writing()
        await asyncio.sleep(0)
        assert (transport.pongs, transport.reads) == (10, True)
        protocol.connection_lost(None)

    asyncio.run(scenario())


# the operator's interface


def test_a_message_of_many_frames_is_read_once() -> None:
    frames = FrameReader().feed(b"ACK\nid:1\n\n\0" * 20_000)
    assert sum(frame.headers["id"] == "1" for frame in frames) == 20_000


@pytest.mark.usefixtures("short_slices")
def test_the_loop_goes_on_between_the_frames_of_a_message() -> None:
    sent: list[bytes] = []
    stomp = StompSession(Broadcast(), sent.append, None)
    message = b"CONNECT\naccept-version:1.2\n\n\0" + b"ACK\nid:1\n\n\0" * 20
    assert asyncio.run(ticks_during(run_waiting(partial(stomp.receive, message)))) >= 20
    assert not stomp.closed


@pytest.mark.usefixtures("short_slices")
def test_the_simulated_operator_answers_in_slices() -> None:
    runtime = SimulatedRuntime(Heartbeat(Pacing(Clock(), paused=True)))
    listing = runtime.call(lambda: list(waiting.in_slices(range(10))))
    assert asyncio.run(ticks_during(listing)) >= 10


# pages


def a_session() -> Session:
    cluster = ServedCluster(setting_of(NODES), lambda token: None)
    return Session(cluster, Pacing(cluster.clock, paused=True, wall=lambda: 0), lambda token: None, lambda made: None)


def a_map(name: str, size: int) -> Request:
    body = json.dumps({"metadata": {"name": name}, "data": {"k": "0" * size}}).encode()
    headers = {"content-type": "application/json"}
    return Request("POST", "/api/v1/namespaces/default/configmaps", headers=headers, body=body)


def test_pasted_documents_are_read_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = noting_threads(monkeypatch, served, "read_requests")
    pasted = Request("POST", "/ui/api/documents", body=b"{apiVersion: v1, kind: Pod, metadata: {name: a}}")
    answer = asyncio.run(ServedPage(a_session())._read_documents(pasted))
    assert json.loads(answer.body)[0]["title"] == "Pod a"
    assert all_beside(threads)


def test_pods_are_explained_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    from wavetank.ui import explaining

    cluster = a_session().served
    cluster.store.create(parse_resource(pod_manifest("p"), cluster.store.specs))
    threads = noting_threads(monkeypatch, explaining, "Explainer")
    explained = asyncio.run(explain_pod(cluster.store, cluster.setting.schedulers, "default", "p"))
    assert explained["note"]
    assert all_beside(threads)


def test_large_writes_are_kept_and_undone_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, made = (noting_threads(monkeypatch, session, name) for name in ("KeptRequest", "ServedCluster"))
    mine = a_session()

    async def scenario() -> None:
        for name in ("a", "b"):
            assert (await run_waiting(partial(mine.handle, a_map(name, 50_000)))).status == 201  # type: ignore[union-attr]
        before = mine.served
        await mine.rewind(1)
        assert mine.served is not before

    asyncio.run(scenario())
    assert [each.name for each in mine.served.store.list("ConfigMap") if each.namespace == "default"][-1:] == ["a"]
    assert all_beside(kept)
    assert all_beside(made)


def test_titles_of_large_writes_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    large = KeptRequest(a_map("large", 50_000))
    monkeypatch.setattr(keptrequest.zlib, "decompress", None)
    assert large.title() == "create configmaps/large"


def test_recordings_are_read_beside_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "read_recording", lambda run: {"run": run})
    threads = noting_threads(monkeypatch, playing, "read_recording")
    shown = object.__new__(playing.PlayApp)
    shown._runs = {"r": cast(Any, "r")}
    answer = asyncio.run(shown._read(Request("GET", "/ui/api/recording", query=(("run", "r"),))))
    assert json.loads(answer.body) == {"run": "r"}
    assert all_beside(threads)


def a_store(pods: int) -> Store:
    store = Store(Clock())
    for i in range(pods):
        store.create(parse_resource(pod_manifest(f"p-{i}"), store.specs))
    return store


@pytest.mark.usefixtures("short_slices")
def test_what_a_new_page_gets_is_collected_in_slices() -> None:
    assert asyncio.run(ticks_during(run_waiting(ClusterFeed(a_store(20)).open))) >= 20


@pytest.mark.usefixtures("short_slices")
def test_what_changes_meanwhile_comes_later() -> None:
    store = a_store(3)

    async def scenario() -> tuple[Any, Any]:
        opening = asyncio.ensure_future(run_waiting(ClusterFeed(store).open))
        await asyncio.sleep(0)
        store.create(parse_resource(pod_manifest("new"), store.specs))
        store.delete(next(iter(store.list("Pod"))))
        stream = await opening
        stream._wake()
        return json.loads(stream.take()), json.loads(stream.take())

    first, second = asyncio.run(scenario())
    assert [row[1] for row in first["pods"]] == ["p-0", "p-1", "p-2"]
    assert [row[1] for row in second["pods"]] == ["new"]
    assert second["gone"]["pods"] == [["Pod", "default", "p-0"]]


def test_many_changes_come_in_several_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wavetank.ui.feed._MOST_ROWS", 4)
    store = a_store(0)

    async def scenario() -> list[int]:
        stream = ClusterFeed(store).open()
        stream.take()
        for i in range(10):
            store.create(parse_resource(pod_manifest(f"p-{i}"), store.specs))
        sizes = []
        while stream._changed:
            stream._wake()
            sizes.append(len(json.loads(stream.take())["pods"]))
        return sizes

    assert asyncio.run(scenario()) == [4, 4, 2]
