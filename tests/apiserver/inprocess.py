"""The API without a transport: what tests ask is answered by a call."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.verbs.watching import WatchStream
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock

JSON = "application/json"
MERGE = "application/merge-patch+json"
PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"


@dataclass
class Answer:
    """What the API said."""

    status: int
    headers: dict[str, str]
    body: Any

    @property
    def names(self) -> list[str]:
        return [item["metadata"]["name"] for item in self.body["items"]]

    @property
    def version(self) -> str:
        return str(self.body["metadata"]["resourceVersion"])


class Caller:
    """A client of an API in this process, over a store of its own."""

    def __init__(self, history: int = 1000, reports: Any = None) -> None:
        self.clock = Clock()
        self.store = Store(self.clock, history)
        self.api = Api(self.store, reports)

    def call(self, method: str, target: str, body: object = None, **headers: str) -> Response | WatchStream:
        path, _, query = target.partition("?")
        sent = {key.replace("_", "-"): value for key, value in headers.items()}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("content-type", JSON)
        parameters = tuple(parse_qsl(query, keep_blank_values=True))
        return self.api.handle(Request(method, path, parameters, sent, body or b""))

    def ask(self, method: str, target: str, body: object = None, **headers: str) -> Answer:
        answer = self.call(method, target, body, **headers)
        assert isinstance(answer, Response)
        is_json = dict(answer.headers).get("content-type") == JSON
        return Answer(answer.status, dict(answer.headers), json.loads(answer.body) if is_json else answer.body)

    def get(self, target: str, **headers: str) -> Answer:
        return self.ask("GET", target, **headers)

    def create(self, collection: str, document: dict[str, Any]) -> Answer:
        answer = self.ask("POST", collection, document)
        assert answer.status == 201, answer.body
        return answer

    def merge(self, target: str, patch: object) -> Answer:
        return self.ask("PATCH", target, patch, content_type=MERGE)

    def watch(self, target: str, **headers: str) -> Watching:
        stream = self.call("GET", target, **headers)
        assert isinstance(stream, WatchStream), stream
        return Watching(stream)


class Watching:
    """A watch, read event by event."""

    def __init__(self, stream: WatchStream) -> None:
        self.stream = stream
        self.news = 0
        stream.notify = self._hear

    def _hear(self) -> None:
        self.news += 1

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.take().splitlines()]

    def told(self) -> list[tuple[str, str]]:
        """Returns (type, name) of each event that waits."""
        return [(event["type"], event["object"]["metadata"].get("name", "")) for event in self.events()]


def a_map(name: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {"k": "v"}}
