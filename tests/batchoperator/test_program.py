"""The operator as a program: on `wavetank serve`, with the real kube-scheduler, all over HTTP."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from tests.apiserver.serving import Served, serving
from tests.batchoperator.cluster import CONFIGURATION, LABEL
from tests.loop.realscheduler import find_kube_scheduler
from tests.support.objects import node_manifest
from tests.support.waiting import PATIENCE_S
from wavetank.batchoperator.extender.server import ExtenderServer
from wavetank.batchoperator.resources.groups import ESI
from wavetank.cluster.store.errors import ApiError
from wavetank.errors import InputError

OBJECTS = f"/apis/{ESI.api_version}/namespaces/default"


def wavetank(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "wavetank", *words], capture_output=True, text=True, timeout=120)


@contextmanager
def running(*command: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def post(served: Served, kind: str, plural: str, name: str, spec: dict[str, Any]) -> None:
    document = {"apiVersion": ESI.api_version, "kind": kind, "metadata": {"name": name}, "spec": spec}
    answer = served.ask("POST", f"{OBJECTS}/{plural}", document)
    assert answer.status == 201, answer.body


def test_a_queue_runs_on_a_served_cluster_with_the_real_scheduler(tmp_path: Path) -> None:
    scheduler = find_kube_scheduler()
    nodes = [node_manifest(f"n{i}", cpu=2, labels={LABEL: str(i)}) for i in range(2)]
    cluster = tmp_path / "nodes.yaml"
    cluster.write_text(yaml.safe_dump_all([*nodes, node_manifest("drivers", cpu=16)]))
    with serving(tmp_path, "--cluster", str(cluster), "--scheduler", "none", token=None) as served:
        kubeconfig = ("--kubeconfig", str(served.kubeconfig))
        installed = wavetank("operator", "install", "--applications", *kubeconfig)
        assert "testbeds.esi.tu-berlin.de: created" in installed.stdout, installed.stderr
        assert "testbeds.esi.tu-berlin.de: exists" in wavetank("operator", "install", *kubeconfig).stdout
        words = ("operator", "run", *kubeconfig, "--extender", "127.0.0.1:0", "--simulate-applications", "--work", "1s")
        with running(sys.executable, "-m", "wavetank", *words) as operator:
            assert operator.stdout is not None
            url = operator.stdout.readline().removeprefix("extender: ").strip()
            config = {
                **CONFIGURATION,
                "clientConnection": {"kubeconfig": str(served.kubeconfig)},
                "leaderElection": {"leaderElect": False},
                "extenders": [{**CONFIGURATION["extenders"][0], "urlPrefix": url, "nodeCacheCapable": False}],
            }
            file = tmp_path / "scheduler.yaml"
            file.write_text(yaml.safe_dump(config))
            with running(str(scheduler.file), f"--config={file}", "--secure-port=0"):
                _submit(served)
                done = served.until(f"{OBJECTS}/schedulings/q", _is_finished)
        assert [job["slotIds"] for job in done["status"]["jobs"]] == [[0, 1], [0, 1, 2]]
        job = served.ask("GET", f"{OBJECTS}/batchjobs/b").json
        assert [event["successful"] for event in job["status"]["scheduledEvents"]] == [True]


def _is_finished(scheduling: dict[str, Any]) -> bool:
    return bool(scheduling.get("status", {}).get("state") == "FinishedState")


def _submit(served: Served) -> None:
    bed = {"slotsPerNode": 2, "nodeLabel": LABEL, "resourcesPerSlot": {"cpu": "1", "memory": "1Gi"}}
    post(served, "Testbed", "testbeds", "bed", bed)
    post(served, "BatchJob", "batchjobs", "a", {"sparkSpec": {"driver": {"coreRequest": "100m", "memory": "512m"}}})
    post(served, "BatchJob", "batchjobs", "b", {"flinkSpec": {"jarFile": "x.jar"}})
    served.until(f"{OBJECTS}/testbeds/bed", lambda it: it.get("status", {}).get("state") == "SUCCESS")
    queue = [{"name": name} for name in ("a", "a", "b", "b", "b")]
    post(served, "Scheduling", "schedulings", "q", {"testbed": {"name": "bed"}, "queueBased": queue})


def answer(verb: str, request: Any) -> dict[str, Any]:
    if request.get("fails"):
        raise ApiError("the API server does not answer")
    return {"filter": {"NodeNames": []}}[verb]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        pytest.param("/extender/filter", b"{}", 200, id="a call"),
        pytest.param("/extender/prioritize", b"{}", 404, id="another verb"),
        pytest.param("/extender/filter", b"{", 400, id="no JSON"),
        pytest.param("/extender/filter", b'{"fails": true}', 500, id="the API server is gone"),
    ],
)
def test_the_extender_answers_every_call_with_a_status(path: str, body: bytes, status: int) -> None:
    server = ExtenderServer("127.0.0.1", 0, answer, threading.RLock())
    try:
        connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
        connection.request("POST", path, body)
        answered = connection.getresponse()
        assert answered.status == status
        json.loads(answered.read())
        connection.close()
        with pytest.raises(InputError, match="cannot listen"):
            ExtenderServer("127.0.0.1", urlsplit(server.url).port or 0, answer, threading.RLock())
    finally:
        server.close()


def test_the_extender_refuses_web_pages() -> None:
    server = ExtenderServer("127.0.0.1", 0, answer, threading.RLock())
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=PATIENCE_S)
    try:
        connection.request("POST", "/extender/filter", b"{}", {"Origin": "http://evil.example"})
        assert connection.getresponse().status == 403
    finally:
        connection.close()
        server.close()


def test_a_client_that_does_not_read_its_answer_does_not_hold_the_operators_lock() -> None:
    lock, called = threading.RLock(), threading.Event()

    def answer_much(verb: str, request: Any) -> dict[str, Any]:
        called.set()
        return {"Error": "x" * 50_000_000}

    server = ExtenderServer("127.0.0.1", 0, answer_much, lock)
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    try:
        connection.request("POST", "/extender/filter", b"{}")
        assert called.wait(PATIENCE_S)
        assert lock.acquire(timeout=PATIENCE_S)
        lock.release()
    finally:
        connection.close()
        server.close()
