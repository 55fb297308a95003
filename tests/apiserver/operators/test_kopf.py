"""A kopf operator brings its own kind and reconciles on the simulated cluster."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.serving import Served, nodes_file, serving
from tests.support.waiting import PATIENCE_S, eventually

pytest.importorskip("kopf", reason="kopf is not installed")

OPERATOR = Path(__file__).parent / "pond_operator.py"
PONDS = "/apis/wavetank.dev/v1/namespaces/default/ponds"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "properties": {"fish": {"type": "integer", "minimum": 0, "default": 1}}},
        "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "ponds.wavetank.dev"},
    "spec": {
        "group": "wavetank.dev",
        "scope": "Namespaced",
        "names": {"plural": "ponds", "singular": "pond", "kind": "Pond"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": SCHEMA},
                "subresources": {"status": {}},
            }
        ],
    },
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with serving(folder, "--cluster", nodes_file(folder), "--latency", "ideal") as server:
        created = server.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION)
        assert created.status == 201
        yield server


@pytest.fixture(scope="module")
def operator(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Runs the operator as its users do."""
    log = tmp_path_factory.mktemp("operator") / "log"
    environment = {**os.environ, "KUBECONFIG": str(served.kubeconfig), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "kopf", "run", "--standalone", "--all-namespaces", str(OPERATOR)]
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment)
        try:
            yield
            assert process.poll() is None, log.read_text()[-3000:]
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def pods(served: Served, selector: str) -> list[dict[str, Any]]:
    found = served.ask("GET", f"/api/v1/namespaces/default/pods?labelSelector={selector}").json["items"]
    return [each for each in found if each["status"].get("phase") == "Running"]


def test_a_pond_is_dug_restocked_and_drained(served: Served, operator: None) -> None:
    pond = {"apiVersion": "wavetank.dev/v1", "kind": "Pond", "metadata": {"name": "koi"}, "spec": {"fish": 2}}
    assert served.ask("POST", PONDS, pond).status == 201
    dug = served.until(f"{PONDS}/koi", lambda found: found.get("status", {}).get("fish") == 2)
    assert dug["status"]["phase"] == "Dug"
    assert dug["metadata"]["finalizers"] == ["kopf.zalando.org/KopfFinalizerMarker"]
    eventually(lambda: len(pods(served, "pond%3Dkoi")) == 2)

    more = served.ask("PATCH", f"{PONDS}/koi", {"spec": {"fish": 3}}, Content_Type="application/merge-patch+json")
    assert more.status == 200
    eventually(lambda: len(pods(served, "pond%3Dkoi")) == 3)

    assert served.ask("DELETE", f"{PONDS}/koi").status == 200
    eventually(lambda: served.ask("GET", f"{PONDS}/koi").status == 404)
    assert served.ask("GET", "/api/v1/namespaces/default/configmaps/koi-was-here").status == 200
    eventually(lambda: not pods(served, "pond%3Dkoi"))
