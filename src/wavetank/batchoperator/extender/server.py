"""The extender over HTTP, for a real kube-scheduler."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from wavetank.errors import InputError, WavetankError

PREFIX = "/extender/"
_LARGEST_BODY = 256 << 20  # bytes: whole nodes of a large cluster
_PATIENCE_S = 180  # how long a client may keep a connection idle, or send or read nothing

Call = Callable[[str, Mapping[str, Any]], dict[str, Any]]


class ExtenderServer:
    """Serves POST /extender/filter and /extender/preemption; `call` is called with `lock` held.

    InputError if the address cannot be listened on.
    """

    def __init__(self, host: str, port: int, call: Call, lock: threading.RLock) -> None:
        handler = type("Handler", (_Handler,), {"call": staticmethod(call), "lock": lock})
        try:
            self._server = ThreadingHTTPServer((host, port), handler)
        except OSError as error:
            raise InputError(f"cannot listen on {host}:{port}: {error.strerror}") from None
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True, name="extender")
        self._thread.start()

    @property
    def url(self) -> str:
        """Returns the urlPrefix for a KubeSchedulerConfiguration."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}{PREFIX.rstrip('/')}"

    def close(self) -> None:
        """Stops serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    call: Call
    lock: threading.RLock
    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE_S

    def do_POST(self) -> None:
        """Answers a call of kube-scheduler."""
        length = self.headers.get("Content-Length") or "0"
        if not length.isdecimal() or int(length) > _LARGEST_BODY:
            self.close_connection = True
            self._answer(413, {"error": "the request is too large"})
            return
        if "Origin" in self.headers:  # which kube-scheduler does not send
            self.close_connection = True
            self._answer(403, {"error": "web pages may not ask"})
            return
        self._answer(*self._call(self.path.removeprefix(PREFIX), self.rfile.read(int(length))))

    def _call(self, verb: str, body: bytes) -> tuple[int, Mapping[str, Any]]:
        """Returns the status and the answer; a client that does not read it does not hold the lock."""
        try:
            request = json.loads(body)
            with self.lock:
                return 200, self.call(verb, request)
        except KeyError:
            return 404, {"error": f"there is no {self.path}"}
        except (ValueError, TypeError, RecursionError) as error:
            return 400, {"error": f"not what kube-scheduler sends: {error}"}
        except WavetankError as error:
            return 500, {"error": str(error)}

    def _answer(self, status: int, document: Mapping[str, Any]) -> None:
        body = json.dumps(document).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (ConnectionError, TimeoutError):  # kube-scheduler has not waited for the answer
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name of its base
        """Logs nothing: every attempt of the scheduler is a request."""
