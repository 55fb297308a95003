"""`wavetank misim-adapter` as misim-orchestration meets it."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
from contextlib import closing
from typing import Any


def _ask(port: int, method: str, path: str, body: str) -> tuple[int, Any]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request(method, path, body, {"Content-Type": "application/json; utf-8"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def test_a_pod_gets_a_node_over_http() -> None:
    amounts = {"cpu": "4.0", "memory": "8Gi", "pods": "110"}
    node = {"metadata": {"name": "n"}, "status": {"allocatable": amounts, "capacity": amounts}}
    pod = {"metadata": {"name": "p", "namespace": "default"}, "spec": {"containers": [{"name": "c"}]}}
    program = [sys.executable, "-m", "wavetank", "misim-adapter", "--port", "0"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert found is not None
        port = int(found[1])
        assert _ask(port, "POST", "/updateNodes", json.dumps({"allNodes": {"items": [node]}}))[0] == 200
        status, answer = _ask(port, "POST", "/updatePods", json.dumps({"podsToBePlaced": {"items": [pod]}}))
        assert (status, answer["Binded"]) == (200, [{"Pod": "p", "Node": "n"}])
        assert _ask(port, "POST", "/updatePods", "{")[0] == 400
        process.terminate()
        assert process.wait(10) == 0
