"""The HTTP server: uvicorn, and what a Kubernetes API server needs in addition."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import Protocol

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from wavetank.apiserver.http.acceptor import Acceptor
from wavetank.apiserver.http.streaming import Message, Receive, Send
from wavetank.apiserver.http.tls import Certificate
from wavetank.errors import WavetankError

_IDLE_S = 180  # how long an idle connection is kept: longer than clients keep it, or they would use a closed one
_HEAD_S = 30  # how long a client may take for the head of a request, its first one included
_LAST_WORDS_S = 2  # how long watches may take to end when the server does
_LARGEST_HEAD = 1 << 20  # bytes, as of the real server
_LARGEST_MESSAGE = 1 << 20  # bytes of a WebSocket message from a client
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
# kubectl shows the reason in the first line and nothing else.
_WHY = "exec, attach, cp and port-forward are not possible: containers are simulated, there is no process"
_NO_TUNNEL = f"HTTP/1.1 501 {_WHY}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode()


class App(Protocol):
    """An ASGI application that is started and stopped with its server."""

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Starts what runs beside the requests, in the running loop; `failed` is called if it fails."""

    def stop(self) -> None:
        """Stops it, and ends all streams."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serves one request, or one WebSocket."""


class HttpProtocol(HttpToolsProtocol):
    """HTTP that answers half-closed connections, and can abort those of clients that do not read."""

    _head: int | None = None  # bytes of an incomplete head
    _impatience: asyncio.TimerHandle | None = None  # closes a connection that does not complete a head

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Waits for a first request, but not for ever: idle connections would use up all descriptors."""
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits for nothing more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if self._impatience is None:
            self._impatience = self.loop.call_later(_HEAD_S, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._impatience is not None:
            self._impatience.cancel()
            self._impatience = None

    def data_received(self, data: bytes) -> None:
        """Parses more data, unless a head is too long."""
        super().data_received(data)
        if self._head is not None:
            self._head += len(data)
            if self._head > _LARGEST_HEAD and not self.transport.is_closing():
                self.transport.write(_TOO_LARGE)
                self.transport.close()

    def on_message_begin(self) -> None:
        """Tells the application how to abort the connection."""
        self._head = 0
        self._wait_for_head()
        super().on_message_begin()
        self.scope["extensions"] = {"wavetank.cut": {"cut": self.transport.abort}}

    def on_headers_complete(self) -> None:
        """Refuses CONNECT: kubectl sends it to its proxy, which is this server, before exec and attach."""
        self._head = None
        self._stop_waiting()
        if self.parser.get_method() == b"CONNECT":
            self.transport.write(_NO_TUNNEL)
            self.transport.close()
        else:
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Notes that a request is complete, if there is one."""
        if self.cycle is not None:
            super().on_message_complete()

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Keeps the connection for the answer to a complete request; watches and incomplete requests end here."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete or cycle.response_started or cycle.more_body:
            return None
        cycle.keep_alive = False
        return self.scheme == "http"  # TLS has no half-closed connections


class Server(uvicorn.Server):
    """A server that starts and stops its application, whose streams would otherwise keep it running.

    `error` is the exception with which the application failed, if it did; the server stops then. With `plain_too` a
    server with a certificate answers plain HTTP as well, on the same port.
    """

    def __init__(self, config: uvicorn.Config, app: App, plain_too: bool = False) -> None:
        super().__init__(config)
        self.error: Exception | None = None
        self._app = app
        self._plain_too = plain_too
        self._acceptor: Acceptor | None = None

    def serve_on(self, listening: socket.socket) -> None:
        """Serves until it is interrupted, or until the application fails: then its error is raised."""
        self.run([listening])
        if self.error is not None:
            raise self.error

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stops after the present request; another signal ends the process at once, whatever it does."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        self.should_exit = True  # and not more: uvicorn would raise the signal again at the end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listens."""
        self._app.start(self._fail)
        if self._plain_too and self.config.ssl is not None and sockets:
            self._acceptor = Acceptor(sockets[0], self._make_protocol, self.config.ssl, _HEAD_S)
            sockets = []
        await super().startup(sockets)

    def _make_protocol(self) -> asyncio.Protocol:
        return HttpProtocol(self.config, self.server_state, self.lifespan.state)

    def _fail(self, error: Exception) -> None:
        self.error = error
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends watches, answers pending requests, stops."""
        self._app.stop()
        if self._acceptor is not None:
            self._acceptor.close()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """Returns a socket that is bound to an address; port 0 is any free one. WavetankError if it is taken."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        hint = " (--port 0 picks a free one)" if error.errno == errno.EADDRINUSE else ""
        raise WavetankError(f"cannot listen on {host}:{port}: {_why(error)}{hint}") from None


def _why(error: OSError) -> str:
    """Returns the system's message without the address that Python adds."""
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)


def make_config(
    app: App, certificate: Certificate | None = None, websocket: type[asyncio.Protocol] | None = None
) -> uvicorn.Config:
    """Returns the configuration of a server; `websocket` is the protocol of WebSockets, which are else refused."""
    return uvicorn.Config(
        app,
        http=HttpProtocol,
        ws=websocket or "none",
        ws_max_size=_LARGEST_MESSAGE,
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=_LAST_WORDS_S,
        ssl_certfile=str(certificate.certificate) if certificate else None,
        ssl_keyfile=str(certificate.key) if certificate else None,
    )


def make_server(
    app: App,
    certificate: Certificate | None = None,
    websocket: type[asyncio.Protocol] | None = None,
    plain_too: bool = False,
) -> Server:
    """Returns a server that SIGINT and SIGTERM stop from now on, by a flag: an exception could get lost.

    A second signal ends the process at once. `plain_too` is as of `Server`.
    """
    server = Server(make_config(app, certificate, websocket), app, plain_too)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, server.handle_exit)
    return server
