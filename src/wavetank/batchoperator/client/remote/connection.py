from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from wavetank.batchoperator.client.remote.kubeconfig import Server
from wavetank.cluster.store.errors import (
    AlreadyExistsError,
    ApiError,
    ConflictError,
    ExpiredError,
    InvalidError,
    NotFoundError,
)

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"
_TIMEOUT_S = 30.0
_WATCH_S = 300  # after which the server ends a watch, and a new one begins

_ERRORS: dict[str, type[ApiError]] = {
    each.reason: each for each in (NotFoundError, AlreadyExistsError, ConflictError, InvalidError, ExpiredError)
}


class UnreachableError(ApiError):
    """The API server does not answer."""

    code = 503
    reason = "ServiceUnavailable"


class RefusedError(ApiError):
    """A request that the server has refused for a reason that has no class of its own."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason


class Connection:
    """Sends requests to an API server; each thread has a connection of its own, which is kept open."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._prefix = urlsplit(server.url).path
        self._local = threading.local()
        self._watches: set[HTTPConnection] = set()

    def request(self, method: str, path: str, body: object = None, content_type: str = JSON) -> Any:
        """Returns the decoded answer; ApiError as the server's Status says, UnreachableError if there is none."""
        payload = None if body is None else json.dumps(body).encode()
        try:
            answer = self._send(method, path, payload, content_type)
            content = answer.read()
        except (OSError, HTTPException) as error:
            self.close()
            raise UnreachableError(f"{self._server.url} does not answer: {error}") from None
        if answer.status >= 300:
            raise refusal(answer.status, content)
        return json.loads(content) if content else {}

    def _send(self, method: str, path: str, payload: bytes | None, content_type: str) -> HTTPResponse:
        headers = {**self._server.headers, "Accept": JSON, "Content-Type": content_type}
        kept = getattr(self._local, "connection", None)
        if kept is not None:  # the server may have closed it meanwhile, without having read the request
            try:
                kept.request(method, self._prefix + path, payload, headers)
                return kept.getresponse()  # type: ignore[no-any-return]
            except (OSError, HTTPException):
                self.close()
                if method == "POST":
                    raise  # it may have been created
        fresh = self._local.connection = self._open(_TIMEOUT_S)
        fresh.request(method, self._prefix + path, payload, headers)
        return fresh.getresponse()

    def watch(self, path: str, version: str) -> Iterator[dict[str, Any]]:
        """Yields the events after a resource version until the server ends the watch; ApiError as `request`."""
        connection = self._open(_WATCH_S + _TIMEOUT_S)
        self._watches.add(connection)
        query = f"watch=1&allowWatchBookmarks=true&timeoutSeconds={_WATCH_S}&resourceVersion={version}"
        try:
            connection.request("GET", f"{self._prefix}{path}?{query}", headers={**self._server.headers, "Accept": JSON})
            answer = connection.getresponse()
            if answer.status != 200:
                raise refusal(answer.status, answer.read())
            for line in answer:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    status = event["object"]
                    raise refusal(int(status.get("code") or 500), json.dumps(status).encode())
                yield event
        except (OSError, HTTPException, ValueError) as error:
            raise UnreachableError(f"{self._server.url} does not answer: {error}") from None
        finally:
            self._watches.discard(connection)
            connection.close()

    def end_watches(self) -> None:
        """Ends the watches of all threads, as if the server were gone."""
        for connection in list(self._watches):
            with suppress(OSError):
                if connection.sock is not None:
                    connection.sock.shutdown(socket.SHUT_RDWR)

    def _open(self, timeout_s: float) -> HTTPConnection:
        host = urlsplit(self._server.url).netloc
        if self._server.tls is None:
            return HTTPConnection(host, timeout=timeout_s)
        return HTTPSConnection(host, timeout=timeout_s, context=self._server.tls)

    def close(self) -> None:
        """Closes this thread's connection."""
        kept = getattr(self._local, "connection", None)
        if kept is not None:
            kept.close()
            self._local.connection = None


def refusal(code: int, content: bytes) -> ApiError:
    """Returns the error that a refused request is: by the reason of its Status, else by its code."""
    try:
        status = json.loads(content)
        reason, message = str(status.get("reason") or ""), str(status.get("message") or "")
    except (ValueError, AttributeError):
        reason, message = "", content.decode(errors="replace").strip()
    message = message or f"the server has answered {code}"
    known = _ERRORS.get(reason) or {404: NotFoundError, 410: ExpiredError}.get(code)
    return RefusedError(code, reason, message) if known is None else known(message)
