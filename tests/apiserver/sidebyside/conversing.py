"""A conversation with one server: requests and watches, and what was answered."""

from __future__ import annotations

import http.client
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"

HEADERS = ("content-type", "warning", "retry-after", "allow", "location")

Document = dict[str, Any]


@dataclass
class Step:
    """A request, and its answer as a document: status, headers, and the body or the events of a watch."""

    request: str
    answer: Document
    asked: int  # seconds since the epoch, rounded up

    @property
    def status(self) -> int:
        return int(self.answer["status"])

    @property
    def body(self) -> Any:
        return self.answer.get("body")


@dataclass
class Conversation:
    """Talks to a server and keeps all steps; `connect` opens a connection, `token` is sent with each request."""

    connect: Callable[[], http.client.HTTPConnection]
    token: str
    steps: list[Step] = field(default_factory=list)
    _connection: http.client.HTTPConnection | None = None

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        query: Mapping[str, object] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
        **headers: str,
    ) -> Step:
        """Makes a request; a body that is no text is sent as compact JSON."""
        target = f"{path}?{urlencode(query)}" if query else path
        text = body if isinstance(body, str) or body is None else json.dumps(body, separators=(",", ":"))
        asked = time.time()
        sent = self._send(method, target, text, self._headers(content_type, accept, headers))
        found: Document = {"status": 0}  # the server closed the connection, as kube-apiserver does after a panic
        if sent is not None:
            answer, content = sent
            found = {"status": answer.status, "headers": _headers(answer), "body": _read(content)}
        return self._keep(f"{method} {target} {content_type} {accept} {text or ''}", found, asked)

    def watch(self, path: str, query: Mapping[str, object], count: int, timeout: float = 1, accept: str = JSON) -> Step:
        """Watches until there are `count` events, the server ends the stream, or `timeout` seconds pass without one."""
        target = f"{path}?{urlencode({'watch': 'true', **query})}"
        asked = time.time()
        connection = self.connect()
        try:
            connection.request("GET", target, headers=self._headers("", accept, {}))
            answer = connection.getresponse()
            found: Document = {"status": answer.status, "headers": _headers(answer)}
            if answer.status == 200 and connection.sock is not None:
                connection.sock.settimeout(timeout)
                found["events"], found["ended"] = _read_events(answer, count)
            else:
                found["body"] = _read(answer.read())
            answer.close()
        finally:
            connection.close()
        return self._keep(f"WATCH {target} {accept}", found, asked)

    def close(self) -> None:
        """Ends the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _send(
        self, method: str, target: str, text: str | None, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes] | None:
        for _ in range(2):
            connection = self._connection = self._connection or self.connect()
            try:
                connection.request(method, target, text.encode() if text is not None else None, headers)
                answer = connection.getresponse()
                return answer, answer.read()
            except (http.client.RemoteDisconnected, ConnectionError):  # it was closed after the previous answer
                connection.close()
                self._connection = None
        return None

    def _headers(self, content_type: str, accept: str, others: Mapping[str, str]) -> dict[str, str]:
        sent = {"Authorization": f"Bearer {self.token}", "User-Agent": "compare/1", "Accept": accept}
        if content_type:
            sent["Content-Type"] = content_type
        return {**sent, **{name.replace("_", "-"): value for name, value in others.items()}}

    def _keep(self, request: str, answer: Document, asked: float) -> Step:
        step = Step(request, answer, math.ceil(asked))
        self.steps.append(step)
        return step


def _headers(answer: http.client.HTTPResponse) -> Document:
    found: dict[str, list[str]] = {}
    for name, value in answer.getheaders():
        if name.lower() in HEADERS:
            found.setdefault(name.lower(), []).append(value)
    return found


def _read(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return {"text": content.decode(errors="replace")}


def _read_events(answer: http.client.HTTPResponse, count: int) -> tuple[list[Any], str]:
    events: list[Any] = []
    while len(events) < count:
        try:
            line = answer.readline()
        except TimeoutError:
            return events, "nothing more"
        if not line:
            return events, "closed"
        event = json.loads(line)
        if event.get("type") == "BOOKMARK":  # its version depends on what else the server has written
            event["object"]["metadata"].pop("resourceVersion", None)
        if event.get("type") != "BOOKMARK" or "annotations" in event["object"].get("metadata", {}):
            events.append(event)
    return events, "enough"
