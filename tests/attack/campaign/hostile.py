"""Hostile requests: no answer is a 5xx, the server goes on, and no request keeps others waiting for long."""

from __future__ import annotations

import http.client
import json
import socket
import tempfile
import threading
import time
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from tests.apiserver.fuzz.test_fuzz import UPSTREAM
from tests.apiserver.serving import Served, nodes_file, serving
from tests.attack.campaign.outcome import Budget, Outcome
from tests.attack.documents import DEEP

_NAMESPACE = "/api/v1/namespaces/default"
_PATHS = {
    "Pod": f"{_NAMESPACE}/pods",
    "ConfigMap": f"{_NAMESPACE}/configmaps",
    "Service": f"{_NAMESPACE}/services",
    "Node": "/api/v1/nodes",
    "Event": f"{_NAMESPACE}/events",
    "Deployment": "/apis/apps/v1/namespaces/default/deployments",
    "DaemonSet": "/apis/apps/v1/namespaces/default/daemonsets",
    "StatefulSet": "/apis/apps/v1/namespaces/default/statefulsets",
    "Job": "/apis/batch/v1/namespaces/default/jobs",
    "CronJob": "/apis/batch/v1/namespaces/default/cronjobs",
    "HorizontalPodAutoscaler": "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    "CustomResourceDefinition": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
}
_ODD: list[Any] = [
    *(
        None,
        True,
        -1,
        0,
        2**31,
        2**63 - 1,
        -(2**63),
        10**30,
        1.5,
        1e308,
        [],
        {},
        [None],
        [[]],
        {"": None},
        [{"name": None}],
    ),
    *("", "a", "x" * 5000, "\u0000", "\x1b[31m", "=1+1", "9" * 5000, "1e30", "100m", "Infinity", "../..", "a/b", "∞"),
]
_TEMPLATE = {
    "metadata": {"labels": {"a": "b"}},
    "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]},
}
_SCHEMA = {"openAPIV3Schema": {"type": "object"}}
_SPEC = {
    "selector": {"matchLabels": {"a": "b"}},
    "template": _TEMPLATE,
    "replicas": 1,
    "schedule": "* * * * *",
    "minAvailable": 1,
    "jobTemplate": {"spec": {"template": _TEMPLATE}},
    "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}],
    "maxReplicas": 2,
    "scaleTargetRef": {"kind": "Deployment", "name": "a"},
    "ports": [{"port": 80}],
    "taints": [{"key": "a", "effect": "NoSchedule"}],
    "group": "x.io",
    "names": {"plural": "as", "kind": "A"},
    "scope": "Namespaced",
    "nodeName": "n1",
    "versions": [{"name": "v1", "served": True, "storage": True, "schema": _SCHEMA}],
}
_PATCHES = ("application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json")
_APPLY = "application/apply-patch+yaml"
_LONG_S = 2.0  # on a busy machine; the figure says how long it was


def attack(random: Random, budget: Budget) -> Outcome:
    """Sends mutated objects, odd requests and heavy ones."""
    outcome = Outcome("hostile requests")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with serving(folder, "--cluster", nodes_file(folder), "--speed", "max") as served:
            watching = _Stopwatch(served)
            for text in DEEP.values():
                _ask(served, outcome, "POST", _PATHS["ConfigMap"], text.encode(), "application/yaml")
            for body, media in _heavy():
                _ask(served, outcome, "POST", _PATHS["ConfigMap"], body, media)
            while budget.left():
                _mutant(served, random, outcome)
                _garbage(served, random, outcome)
            outcome.check(served.ask("GET", "/readyz").status == 200, "the server is no longer ready")
            outcome.figures = {"s the longest wait of another client": round(watching.stop(), 2)}
            outcome.check(watching.longest < _LONG_S, f"another client has waited for {watching.longest:.1f} s")
    return outcome


def _heavy() -> list[tuple[bytes, str]]:
    """Returns bodies of almost 3 MB that ask for much work."""
    labels = {f"!{i}": "!" for i in range(150_000)}
    many = {"metadata": {"name": "labels", "labels": labels}}
    lines = "metadata: {name: lines}\ndata:\n" + "".join(f" a{i}:\n" for i in range(250_000))
    return [(json.dumps(many).encode(), "application/json"), (lines.encode(), "application/yaml")]


def _mutant(served: Served, random: Random, outcome: Outcome) -> None:
    """Creates, patches and deletes an object with odd values in odd places."""
    kind = random.choice(sorted(_PATHS))
    name = f"{kind.lower()}-{random.randrange(20)}"
    document = json.loads(
        json.dumps({"metadata": {"name": name, "labels": {"a": "b"}}, "spec": _SPEC, "data": {"a": "b"}})
    )
    for _ in range(random.randint(1, 3)):
        _mutate(document, random)
    body = json.dumps(document, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
    path = f"{_PATHS[kind]}/{name}"
    _ask(served, outcome, "POST", _PATHS[kind], body, "application/json")
    _ask(served, outcome, "PUT", path, body, "application/json")
    _ask(served, outcome, "PATCH", path, body, random.choice(_PATCHES[1:]))
    _ask(served, outcome, "PATCH", f"{path}?fieldManager=m&force=true", body, _APPLY)
    operations = [
        {
            "op": random.choice(["add", "copy", "test", "move"]),
            "path": "/spec",
            "from": "/spec/a",
            "value": random.choice(_ODD),
        }
    ]
    _ask(served, outcome, "PATCH", path, json.dumps(operations).encode(), _PATCHES[0])
    if random.random() < 0.5:
        policy = random.choice(["Foreground", "Background", "Orphan", "x"])
        _ask(served, outcome, "DELETE", f"{path}?propagationPolicy={policy}", b"", "")


def _mutate(document: dict[str, Any], random: Random) -> None:
    place: Any = document
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = random.choice(keys)
        if random.random() < 0.35 or not isinstance(place[key], dict | list) or not place[key]:
            place[key] = deepcopy(random.choice(_ODD))
            return
        place = place[key]


def _garbage(served: Served, random: Random, outcome: Outcome) -> None:
    """Asks for something that does not exist in a way that makes no sense."""
    odd = random.choice(
        ["limit=" + "9" * 5000, "labelSelector=%00", "fieldSelector=a%3Db", "continue=x", "watch=1&timeoutSeconds=-1"]
    )
    _ask(served, outcome, "GET", f"{random.choice(sorted(_PATHS.values()))}?{odd}", None, "")
    with suppress(OSError), socket.create_connection((served.host, served.port), timeout=10) as connection:
        connection.sendall(random.randbytes(random.randint(1, 200)) + b"\r\n\r\n")
    outcome.ran += 1


def _ask(served: Served, outcome: Outcome, method: str, path: str, body: bytes | None, media: str) -> None:
    outcome.ran += 1
    try:
        answer = served.ask(method, path, body, Content_Type=media)
    except (OSError, http.client.HTTPException) as error:
        outcome.check(False, f"{method} {path[:80]}: {error!r}; body {(body or b'')[:300]!r}")
        return
    known = UPSTREAM.search(answer.body.decode("utf-8", "replace"))
    fine = answer.status < 500 or answer.status == 501 or known is not None
    outcome.check(fine, f"{method} {path[:80]}: {answer.status} {answer.body[:150]!r}; body {(body or b'')[:600]!r}")


class _Stopwatch:
    """A client that asks for something small again and again; `longest` is how long it has waited at most."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._end = threading.Event()
        self.longest = 0.0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """Stops asking; returns the longest wait in seconds."""
        self._end.set()
        self._thread.join()
        return self.longest

    def _run(self) -> None:
        while not self._end.wait(0.01):
            begun = time.monotonic()
            with suppress(OSError):  # the server has ended: others say so
                self._served.ask("GET", "/readyz")
            self.longest = max(self.longest, time.monotonic() - begun)
