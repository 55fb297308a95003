"""A proxy that writes down what a client asks of a server, streams included."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}


class Proxy(ThreadingHTTPServer):
    """Passes requests on to one server; `taken` returns those since the last call."""

    daemon_threads = True

    def __init__(self, host: str, port: int, token: str) -> None:
        self.target = (host, port)
        self.token = token  # kubectl sends its own only over TLS
        self._seen: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def note(self, request: dict[str, Any]) -> None:
        with self._lock:
            self._seen.append(request)

    def taken(self) -> list[dict[str, Any]]:
        with self._lock:
            seen, self._seen = self._seen, []
        return seen

    def version(self) -> str:
        """Asks the server itself for the version of its last write."""
        connection = http.client.HTTPConnection(*self.target, timeout=30)
        try:
            connection.request("GET", "/api/v1/namespaces", headers={"Authorization": f"Bearer {self.token}"})
            return str(json.loads(connection.getresponse().read())["metadata"]["resourceVersion"])
        finally:
            connection.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        noted: dict[str, Any] = {"method": self.command, "path": path, "query": query, "status": None}
        noted |= {"content_type": self.headers.get("Content-Type", "")} | _read(body)
        self.server.note(noted)
        upstream = http.client.HTTPConnection(*self.server.target, timeout=120)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
            headers["Authorization"] = f"Bearer {self.server.token}"
            upstream.request(self.command, self.path, body or None, headers)
            answer = upstream.getresponse()
            noted["status"] = answer.status
            self._answer(answer)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # kubectl has had enough of a watch
        finally:
            upstream.close()

    def _answer(self, answer: http.client.HTTPResponse) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP:
                self.send_header(name, value)
        if answer.status == 304:
            self.end_headers()
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while piece := answer.read1(65536):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *words: object) -> None:
        """Says nothing."""


for _method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
    setattr(_Handler, f"do_{_method}", _Handler._pass_on)


def _read(body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    try:
        return {"body": json.loads(body)}
    except ValueError:
        return {"body_bytes": len(body)}


@contextmanager
def proxy_to(host: str, port: int, token: str) -> Iterator[Proxy]:
    """Runs a proxy on a free port until the block ends."""
    with Proxy(host, port, token) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
