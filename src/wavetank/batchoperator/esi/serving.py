from __future__ import annotations

import socket
from dataclasses import dataclass

from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.server import listen, make_server
from wavetank.apiserver.http.websocket import WebSocketProtocol
from wavetank.batchoperator.esi.app import App, Runtime
from wavetank.batchoperator.esi.interface import Interface


@dataclass(frozen=True)
class ServedInterface:
    """The interface on its address; `token` None admits every request that comes from no foreign web page."""

    interface: Interface
    host: str
    listening: socket.socket
    token: str | None

    @classmethod
    def listen(cls, interface: Interface, host: str, port: int, token: str | None) -> ServedInterface:
        """Takes an address; port 0 is any free one. WavetankError if it is taken."""
        return cls(interface, host, listen(host, port), token)

    @property
    def url(self) -> str:
        """Returns where it is served."""
        name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        port = self.listening.getsockname()[1]
        return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"

    @property
    def page(self) -> str:
        """Returns the link to the page, with the token in its fragment, which browsers do not send."""
        return f"{self.url}/#token={self.token}" if self.token else f"{self.url}/"

    def serve(self, runtime: Runtime) -> None:
        """Serves until SIGINT or SIGTERM; raises the error with which the runtime fails, if it does."""
        app = App(self.interface, Authenticator(self.token, self.host), runtime)
        with self.listening:
            make_server(app, websocket=WebSocketProtocol).serve_on(self.listening)
