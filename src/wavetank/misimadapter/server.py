from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from wavetank.errors import WavetankError
from wavetank.misimadapter.cluster import AdapterCluster
from wavetank.misimadapter.requests import read_nodes, read_pods

_AUTOSCALER = "cluster-autoscaler"
_ACTIONS = {"Scheduled": "Binding", "FailedScheduling": "Scheduling"}


class Answer(NamedTuple):
    """An HTTP status and a JSON body."""

    status: int
    body: bytes


class AdapterServer:
    """Answers the requests of misim-orchestration, without the transport.

    An invalid request is answered with 400 and {"error": message}, and changes nothing.
    """

    def __init__(self, cluster: AdapterCluster) -> None:
        self._cluster = cluster
        self._handlers = {
            ("POST", "/updateNodes"): self._update_nodes,
            ("POST", "/updatePods"): self._update_pods,
            ("GET", "/getEventsApiEvents"): self._scheduler_events,
            ("GET", "/getCoreApiEvents"): self._autoscaler_events,
        }

    def handle(self, method: str, path: str, body: bytes) -> Answer:
        """Answers a request."""
        path = path.rstrip("/")
        handler = self._handlers.get((method, path))
        if handler is None:
            methods = [known for known, where in self._handlers if where == path]
            paths = ", ".join(f"{known} {where}" for known, where in self._handlers)
            return _answer(405 if methods else 404, {"error": f"there is no {method} {path}: expected one of {paths}"})
        try:
            return _answer(200, handler(body))
        except WavetankError as error:
            return _answer(400, {"error": str(error)})

    def _update_nodes(self, body: bytes) -> Any:
        update = read_nodes(body)
        self._cluster.update_nodes(update)
        return {"Updated NodeList with": _list("NodeList", "v1", [dict(node) for node in update.nodes])}

    def _update_pods(self, body: bytes) -> Any:
        result = self._cluster.update_pods(read_pods(body))
        return {
            "Failed": [{"Pod": pod, "Message": message} for pod, message in result.failed],
            "Binded": [{"Pod": pod, "Node": node} for pod, node in result.bound],
            "NewNodes": result.new_nodes,
            "DeletedNodes": result.deleted_nodes,
        }

    def _scheduler_events(self, _: bytes) -> Any:
        items = [_new_form(each) for each in self._cluster.events() if each["reportingComponent"] != _AUTOSCALER]
        return _list("EventList", "events.k8s.io/v1", items)

    def _autoscaler_events(self, _: bytes) -> Any:
        items = [each for each in self._cluster.events() if each["reportingComponent"] == _AUTOSCALER]
        return _list("EventList", "v1", items)


def _answer(status: int, value: Any) -> Answer:
    return Answer(status, json.dumps(value).encode())


def _list(kind: str, version: str, items: list[Any]) -> dict[str, Any]:
    return {"kind": kind, "apiVersion": version, "metadata": {}, "items": items}


def _new_form(event: Mapping[str, Any]) -> dict[str, Any]:
    """Returns an Event in the form of events.k8s.io/v1."""
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": event["metadata"],
        "eventTime": event["firstTimestamp"],
        "reportingController": event["reportingComponent"],
        "reportingInstance": event["reportingInstance"],
        "action": _ACTIONS.get(event["reason"], event["reason"]),
        "reason": event["reason"],
        "regarding": event["involvedObject"],
        "note": event["message"],
        "type": event["type"],
        "deprecatedCount": event["count"],
    }
