"""Watches by time, without a server: bookmarks, ends, and clients that do not read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from typing import Any

import pytest

from tests.support.waiting import run_in_virtual_time
from wavetank.apiserver.http.streaming import LONGEST_S, PATIENCE_S, Streaming

Message = MutableMapping[str, Any]


class FakeStream:
    """A watch of which a test decides what waits."""

    def __init__(self, timeout_s: float | None = None) -> None:
        self.headers = [("content-type", "application/json")]
        self.timeout_s = timeout_s
        self.notify: Callable[[], None] | None = None
        self.closed = False
        self._waiting: list[bytes] = []

    def take(self) -> bytes:
        taken, self._waiting = b"".join(self._waiting), []
        return taken

    def push(self, event: bytes) -> None:
        self._waiting.append(event)
        if self.notify is not None:
            self.notify()

    def bookmark(self) -> None:
        self.push(b"bookmark\n")

    def close(self) -> None:
        self.closed = True
        if self.notify is not None:
            self.notify()


class Client:
    """The other side: what it got, whether it reads, and whether its connection was cut."""

    def __init__(self) -> None:
        self.got: list[bytes] = []
        self.ended = False
        self.was_cut = False
        self.reads = asyncio.Event()
        self.reads.set()
        self._gone = asyncio.Event()

    @property
    def scope(self) -> Message:
        return {"extensions": {"wavetank.cut": {"cut": self.cut}}}

    def cut(self) -> None:
        self.was_cut = True
        self.leave()

    def leave(self) -> None:
        self._gone.set()
        self.reads.set()

    async def receive(self) -> Message:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        await self.reads.wait()
        if message["type"] == "http.response.body":
            if message["body"]:
                self.got.append(message["body"])
            self.ended = not message.get("more_body", False)


async def served(stream: FakeStream, client: Client, meanwhile: Callable[[], Any] | None = None) -> None:
    """Runs a watch to its end, while something happens."""
    running = asyncio.create_task(Streaming().run(stream, client.scope, client.receive, client.send))
    await asyncio.sleep(0.01)
    if meanwhile is not None:
        await meanwhile()
    await running


def test_events_are_sent_as_they_come_and_together_if_they_came_together() -> None:
    async def scenario() -> None:
        stream, client = FakeStream(), Client()

        async def meanwhile() -> None:
            stream.push(b"1\n")
            await asyncio.sleep(0.01)
            stream.push(b"2\n")
            stream.push(b"3\n")
            await asyncio.sleep(0.01)
            stream.close()

        await served(stream, client, meanwhile)
        assert client.got == [b"1\n", b"2\n3\n"]
        assert client.ended

    run_in_virtual_time(scenario())


def test_a_bookmark_comes_every_minute() -> None:
    async def scenario() -> None:
        client = Client()
        await served(FakeStream(timeout_s=200), client)
        assert client.got == [b"bookmark\n"] * 3
        assert client.ended

    run_in_virtual_time(scenario())


@pytest.mark.parametrize(("asked", "lasts"), [(7.0, 7), (None, LONGEST_S)], ids=["asked for", "the longest"])
def test_a_watch_ends_by_itself(asked: float | None, lasts: float) -> None:
    async def scenario() -> None:
        client = Client()
        await served(FakeStream(asked), client)
        assert asyncio.get_running_loop().time() == pytest.approx(lasts)
        assert client.ended
        assert not client.was_cut

    run_in_virtual_time(scenario())


def test_a_client_that_leaves_ends_its_watch() -> None:
    async def scenario() -> None:
        stream, client = FakeStream(), Client()

        async def meanwhile() -> None:
            client.leave()

        await served(stream, client, meanwhile)
        assert stream.closed
        assert stream.notify is None, "it is not referred to any more"

    run_in_virtual_time(scenario())


def test_a_client_that_does_not_read_is_cut_when_its_stream_has_had_enough() -> None:
    async def scenario() -> None:
        stream, client = FakeStream(), Client()

        async def meanwhile() -> None:
            client.reads.clear()
            stream.push(b"unread\n")
            await asyncio.sleep(0.01)
            stream.close()  # as a stream does by itself when too much has piled up

        await served(stream, client, meanwhile)
        assert client.was_cut

    run_in_virtual_time(scenario())


def test_a_client_that_reads_late_but_in_time_gets_everything() -> None:
    async def scenario() -> None:
        stream, client = FakeStream(), Client()

        async def meanwhile() -> None:
            client.reads.clear()
            stream.push(b"late\n")
            stream.close()
            await asyncio.sleep(PATIENCE_S - 1)
            client.reads.set()

        await served(stream, client, meanwhile)
        assert (client.got, client.ended, client.was_cut) == ([b"late\n"], True, False)

    run_in_virtual_time(scenario())
