"""An API whose webhooks are functions of the test."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from tests.apiserver.inprocess import Caller
from wavetank.apiserver.api import Api
from wavetank.apiserver.webhooks.calls import Endpoint, unreachable

Document = dict[str, Any]
Hook = Callable[[Document], Document | bytes | tuple[int, bytes]]

CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1"
RULE = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}


class Hooked(Caller):
    """A client of an API with webhooks: each is a function from the request of a review to the response.

    `asked` are the names of the webhooks that were called, with the requests.
    """

    def __init__(self) -> None:
        super().__init__()
        self.hooks: dict[str, Hook] = {}
        self.asked: list[tuple[str, Document]] = []
        self.endpoints: list[Endpoint] = []
        self.api = Api(self.store, webhooks=self)
        self._numbers = iter(range(100))

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.asked]

    def reaches(self, endpoint: Endpoint) -> bool:
        return endpoint.service != "hooks/simulated"

    def post(self, endpoint: Endpoint, body: bytes) -> tuple[int, bytes]:
        self.endpoints.append(endpoint)
        name = endpoint.path.removeprefix("/").partition("?")[0]
        if name not in self.hooks:
            raise unreachable(endpoint)
        review = json.loads(body)
        self.asked.append((name, review["request"]))
        answer = self.hooks[name](review["request"])
        if isinstance(answer, tuple):
            return answer
        if isinstance(answer, bytes):
            return 200, answer
        response = {"uid": review["request"]["uid"], **answer}
        return 200, json.dumps({**review, "response": response}).encode()

    def add(
        self, name: str, hook: Hook | None, *, mutating: bool = True, configuration: str = "", **fields: Any
    ) -> None:
        """Adds a webhook in a configuration of its own."""
        if hook is not None:
            self.hooks[name] = hook
        kind = "Mutating" if mutating else "Validating"
        webhook = {
            "name": f"{name}.example.com",
            "clientConfig": {"service": {"namespace": "hooks", "name": "all", "path": f"/{name}"}},
            "rules": [RULE],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **fields,
        }
        head = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": f"{kind}WebhookConfiguration"}
        metadata = {"name": configuration or f"c{next(self._numbers):02d}"}
        plural = f"{kind.lower()}webhookconfigurations"
        answer = self.ask("POST", f"{CONFIGURATIONS}/{plural}", {**head, "metadata": metadata, "webhooks": [webhook]})
        assert answer.status == 201, answer.body


def allow(request: Document) -> Document:
    return {"allowed": True}


def patch(*operations: Document, **more: Any) -> Hook:
    """Returns a webhook that answers with a patch."""
    encoded = base64.b64encode(json.dumps(operations).encode()).decode()
    return lambda request: {"allowed": True, "patchType": "JSONPatch", "patch": encoded, **more}


def label(name: str) -> Hook:
    """Returns a webhook that sets a label."""
    return lambda request: patch(
        *(
            []
            if "labels" in request["object"]["metadata"]
            else [{"op": "add", "path": "/metadata/labels", "value": {}}]
        ),
        {"op": "add", "path": f"/metadata/labels/{name}", "value": "yes"},
    )(request)


def a_map(name: str = "m", **metadata: Any) -> Document:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {"a": "1"}}
