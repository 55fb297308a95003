"""What the tests of this folder share: `wavetank serve` in a process of its own, and a plain HTTP client."""

from __future__ import annotations

import http.client
import json
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.support.objects import pod_manifest
from tests.support.waiting import PATIENCE_S, eventually
from wavetank.apiserver.http.kubeconfig import read_kubeconfig

TOKEN = "secret"

NODES = """
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {topology.kubernetes.io/zone: a}}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {topology.kubernetes.io/zone: b}}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
"""


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Served:
    """A running server."""

    process: subprocess.Popen[str]
    url: str
    kubeconfig: Path
    token: str | None = TOKEN

    @property
    def host(self) -> str:
        return str(urlsplit(self.url).hostname)

    @property
    def port(self) -> int:
        return int(urlsplit(self.url).port or 0)

    @property
    def auth(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    @cached_property
    def trusting(self) -> ssl.SSLContext:
        """Returns a TLS context that trusts the authority in the kubeconfig."""
        return ssl.create_default_context(cadata=(read_kubeconfig(self.kubeconfig).authority or b"").decode())

    def connect(self, timeout: float = PATIENCE_S) -> http.client.HTTPConnection:
        """Returns a connection, which is opened by its first request."""
        if self.url.startswith("https:"):
            return http.client.HTTPSConnection(self.host, self.port, timeout=timeout, context=self.trusting)
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def ask(self, method: str, path: str, body: object = None, timeout: float = PATIENCE_S, **headers: str) -> Answer:
        """Makes one request on a connection of its own; a body that is no bytes is sent as JSON."""
        connection = self.connect(timeout)
        sent = {**self.auth, **{key.replace("_", "-"): value for key, value in headers.items()}}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Answer(answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def until(self, path: str, found: Any) -> Any:
        """Asks for an object until `found` says yes of it."""
        answer = self.ask("GET", path)

        def is_found() -> bool:
            nonlocal answer
            answer = self.ask("GET", path)
            return answer.status == 200 and bool(found(answer.json))

        eventually(is_found, lambda: f"still {answer.status} {answer.body[:2000]!r}")
        return answer.json


@contextmanager
def serving(folder: Path, *options: str, token: str | None = TOKEN, ends: int = 0) -> Iterator[Served]:
    """Runs `wavetank serve` on a free port until the block ends; it may end earlier only with the status `ends`.

    It serves HTTPS unless the options say --http, for tests that write bytes of their own.
    """
    kubeconfig = folder / "kubeconfig"
    auth = ("--token", token) if token else ("--no-auth",)
    words = ["serve", "--port", "0", "--kubeconfig", str(kubeconfig), *auth, *options]
    command = [sys.executable, "-m", "wavetank", *words]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    first = process.stdout.readline()
    try:
        assert first.startswith("serving:"), first + (process.stderr.read() if process.stderr else "")
        served = Served(process, first.split()[1], kubeconfig, token)
        yield served
        assert process.poll() in (None, ends), "it has died"
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in errors, errors


def nodes_file(folder: Path) -> str:
    """Writes a cluster of two nodes and returns its path."""
    path = folder / "nodes.yaml"
    path.write_text(NODES)
    return str(path)


def a_small_pod(name: str, duration: str = "", **fields: Any) -> dict[str, Any]:
    """Returns a pod of 100m that runs for a while, or until it is stopped."""
    policy = "Never" if duration else "Always"
    return pod_manifest(name, requests={"cpu": "100m"}, duration=duration, restartPolicy=policy, **fields)
