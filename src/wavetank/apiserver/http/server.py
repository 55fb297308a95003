"""The HTTP server: uvicorn, and what a Kubernetes API server needs in addition."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import ssl
import sys
from collections.abc import Callable
from types import FrameType
from typing import Protocol

import uvicorn

from wavetank.apiserver.http.acceptor import Acceptor
from wavetank.apiserver.http.connectionlimit import LIMIT
from wavetank.apiserver.http.messagetypes import Message, Receive, Send
from wavetank.apiserver.http.protocol import HEAD_S, HttpProtocol
from wavetank.apiserver.http.tls import Certificate
from wavetank.apiserver.waiting import free_large_later
from wavetank.errors import WavetankError
from wavetank.kernel.garbage import collect_while_busy, short_collections

_IDLE_S = 180  # how long an idle connection is kept: longer than clients keep it, or they would use a closed one
_LAST_WORDS_S = 2  # how long watches may take to end when the server does
_ENDS = [signal.SIGINT, signal.SIGTERM] + ([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])
_NO_CHECK_TIME = 0x200000  # OpenSSL's X509_V_FLAG_NO_CHECK_TIME, which the ssl module does not name
_TURN_S = 0.001  # of threads for heavy requests, while the event loop waits for its own turn; 5 ms by default
_LARGEST_MESSAGE = 1 << 20  # bytes of a WebSocket message from a client


class App(Protocol):
    """An ASGI application that is started and stopped with its server."""

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Starts what runs beside the requests, in the running loop; `failed` is called if it fails."""

    def stop(self) -> None:
        """Stops it, and ends all streams."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serves one request, or one WebSocket."""


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
        LIMIT.raise_to_system()
        short_collections()
        sys.setswitchinterval(_TURN_S)
        self.run([listening])
        if self.error is not None:
            raise self.error

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stops after the present request; another signal ends the process at once, whatever it does."""
        for number in _ENDS:
            signal.signal(number, signal.SIG_DFL)
        self.should_exit = True  # and not more: uvicorn would raise the signal again at the end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listens."""
        free_large_later()
        self._collecting = asyncio.create_task(collect_while_busy())
        self._app.start(self._fail)
        if self.config.ssl is not None:
            # certificates of clients are valid in simulated time, which the application checks
            self.config.ssl.verify_flags |= _NO_CHECK_TIME
        if self._plain_too and self.config.ssl is not None and sockets:
            self._acceptor = Acceptor(
                sockets[0], self._make_protocol, self.config.ssl, HEAD_S, self.server_state.connections
            )
            sockets = []
        await super().startup(sockets)

    def _make_protocol(self) -> asyncio.Protocol:
        made = HttpProtocol(self.config, self.server_state, self.lifespan.state)
        made.admitted = True
        return made

    def _fail(self, error: Exception) -> None:
        self.error = error
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends watches, answers pending requests, stops; connections of clients that do not read are aborted."""
        self._app.stop()
        if self._acceptor is not None:
            self._acceptor.close()
        cutting = asyncio.get_running_loop().call_later(_LAST_WORDS_S / 2, self._abort_connections)
        await super().shutdown(sockets)
        cutting.cancel()
        self._collecting.cancel()

    def _abort_connections(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()


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
        ws_per_message_deflate=False,  # the size of a message is only known once it is unpacked: 64 kB may be 64 MB
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=_LAST_WORDS_S,
        ssl_certfile=str(certificate.certificate) if certificate else None,
        ssl_keyfile=str(certificate.key) if certificate else None,
        ssl_ca_certs=str(certificate.authority) if certificate else None,
        ssl_cert_reqs=ssl.CERT_OPTIONAL if certificate else ssl.CERT_NONE,
    )


def make_server(
    app: App,
    certificate: Certificate | None = None,
    websocket: type[asyncio.Protocol] | None = None,
    plain_too: bool = False,
) -> Server:
    """Returns a server that SIGINT, SIGTERM and SIGHUP stop from now on, by a flag: an exception could get lost.

    A second signal ends the process at once. `plain_too` is as of `Server`.
    """
    server = Server(make_config(app, certificate, websocket), app, plain_too)
    for number in _ENDS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(number, server.handle_exit)
    return server
