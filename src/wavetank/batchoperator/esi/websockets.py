"""The WebSockets of the interface: STOMP, plain or within SockJS, and the plain stream of events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from functools import partial

from wavetank.apiserver.http.messagetypes import Message, Receive, Send
from wavetank.apiserver.waiting import in_slices, run_waiting
from wavetank.batchoperator.esi import sockjs
from wavetank.batchoperator.esi.broadcast import Broadcast
from wavetank.batchoperator.esi.mailbox import Mailbox
from wavetank.batchoperator.esi.stomp.frames import HEARTBEAT
from wavetank.batchoperator.esi.stomp.session import StompSession
from wavetank.batchoperator.esi.streams import follow

_STOMP = ("v12.stomp", "v11.stomp", "v10.stomp")
_GRACE = 2.0  # a client is gone after this multiple of the interval of its heart-beats
_WELCOME_S = 10.0  # for the first frame
_POLICY_VIOLATION = 1008
_NORMAL = 1000


class Connection:
    """An accepted WebSocket whose client may be slow: messages are sent from a mailbox, by a task of their own.

    The connection of a client that leaves too much unread is aborted.
    """

    def __init__(self, scope: Message, receive: Receive, send: Send, mailbox: Mailbox) -> None:
        self.mailbox = mailbox
        self.code = _NORMAL
        self.farewell = ""  # sent at the end, if the protocol has one
        self._receive = receive
        self._send = send
        self._abort: Callable[[], None] | None = scope["extensions"].get("wavetank.cut", {}).get("cut")
        self._ready = asyncio.Event()
        mailbox.notify = self._wake

    def _wake(self) -> None:
        self._ready.set()
        if self.mailbox.overflowed and self._abort is not None:
            self._abort()

    async def receive(self, timeout_s: float | None) -> bytes | None:
        """Returns the next message; None at the end, or if there is none within the time."""
        try:
            async with asyncio.timeout(timeout_s):
                message = await self._receive()
        except TimeoutError:
            return None
        if message["type"] != "websocket.receive":
            return None
        return message.get("bytes") or (message.get("text") or "").encode()

    async def send_all(self, wrap: Callable[[bytes], str], beat: Callable[[], tuple[float | None, str]]) -> None:
        """Sends what comes into the mailbox until it is closed, and beats while there is nothing to send."""
        while True:
            self._ready.clear()
            for message in self.mailbox.take_all():
                await self._send({"type": "websocket.send", "text": wrap(message)})
            if self.mailbox.closed:
                break
            await self._wait(*beat())
        if self.farewell:
            await self._send({"type": "websocket.send", "text": self.farewell})
        await self._send({"type": "websocket.close", "code": self.code})

    async def _wait(self, timeout_s: float | None, heartbeat: str) -> None:
        try:
            async with asyncio.timeout(timeout_s):
                await self._ready.wait()
        except TimeoutError:
            await self._send({"type": "websocket.send", "text": heartbeat})


class WebSockets:
    """Serves WebSockets, and ends them all when the server stops."""

    def __init__(self, broadcast: Broadcast) -> None:
        self._broadcast = broadcast
        self._mailboxes: set[Mailbox] = set()

    def close(self) -> None:
        """Ends all connections."""
        for mailbox in list(self._mailboxes):
            mailbox.close()

    async def stream(self, kinds: Iterable[str], scope: Message, receive: Receive, send: Send) -> None:
        """Sends events; what the client sends is ignored."""
        await send({"type": "websocket.accept", "subprotocol": _chosen(scope, ("json.esi",))})
        connection = self._open(scope, receive, send)
        unsubscribe = follow(self._broadcast, list(kinds), connection.mailbox.put)

        async def read() -> None:
            while await connection.receive(None) is not None:
                pass

        await self._run(connection, read(), bytes.decode, lambda: (None, ""), unsubscribe)

    async def stomp(
        self, scope: Message, receive: Receive, send: Send, is_token: Callable[[str], bool] | None, framed: bool
    ) -> None:
        """Serves a STOMP session; `framed` within SockJS. `is_token` is None if the handshake had the token."""
        await send({"type": "websocket.accept", "subprotocol": _chosen(scope, _STOMP)})
        connection = self._open(scope, receive, send)
        if framed:
            await send({"type": "websocket.send", "text": sockjs.OPEN})
            connection.farewell = sockjs.GO_AWAY
        session = StompSession(self._broadcast, connection.mailbox.put, is_token)
        wrap = sockjs.wrap if framed else bytes.decode
        await self._run(
            connection, _read_stomp(connection, session, framed), wrap, lambda: _beat(session, framed), session.close
        )

    def _open(self, scope: Message, receive: Receive, send: Send) -> Connection:
        connection = Connection(scope, receive, send, Mailbox())
        self._mailboxes.add(connection.mailbox)
        return connection

    async def _run(
        self,
        connection: Connection,
        reading: Coroutine[None, None, None],
        wrap: Callable[[bytes], str],
        beat: Callable[[], tuple[float | None, str]],
        end: Callable[[], None],
    ) -> None:
        """Reads and writes until either side ends the connection."""
        reader = asyncio.create_task(reading)
        reader.add_done_callback(lambda _: connection.mailbox.close())
        try:
            await connection.send_all(wrap, beat)
        finally:
            end()
            reader.cancel()
            connection.mailbox.close()
            self._mailboxes.discard(connection.mailbox)


async def _read_stomp(connection: Connection, session: StompSession, framed: bool) -> None:
    timeout_s: float | None = _WELCOME_S
    while not session.closed and (data := await connection.receive(timeout_s)) is not None:
        try:
            messages = sockjs.unwrap(data.decode()) if framed else [data]
            await run_waiting(partial(_receive_all, session, messages))
        except ValueError:
            connection.code = _POLICY_VIOLATION
            return
        if session.connected:
            timeout_s = session.expect_every_ms * _GRACE / 1000 or None


def _receive_all(session: StompSession, messages: list[bytes]) -> None:
    for message in in_slices(messages):
        session.receive(message)


def _beat(session: StompSession, framed: bool) -> tuple[float | None, str]:
    """Returns after how many seconds of silence to send what."""
    stomp_s = session.send_every_ms / 1000 or None
    if not framed:
        return stomp_s, HEARTBEAT.decode()
    return (stomp_s, sockjs.wrap(HEARTBEAT)) if stomp_s else (sockjs.HEARTBEAT_S, sockjs.HEARTBEAT)


def _chosen(scope: Message, known: Iterable[str]) -> str | None:
    """Returns the subprotocol to accept, None if the client offers no known one."""
    return next((each for each in known if each in scope["subprotocols"]), None)
