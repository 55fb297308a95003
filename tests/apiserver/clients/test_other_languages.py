"""Clients in Go, JavaScript, Java and Rust: each attaches with the written kubeconfig as it is."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.apiserver.clients.programs import FOLDER, cargo_build, go_build, maven_jars, needs_builds, npm_modules
from tests.apiserver.serving import Served
from tests.support.waiting import PATIENCE_S

pytestmark = needs_builds

JSON, PROTOBUF = "application/json", "application/vnd.kubernetes.protobuf"
MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"


def environment(served: Served, folder: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(folder), "KUBECONFIG": str(served.kubeconfig)}


def run(served: Served, folder: Path, *command: str | Path) -> list[str]:
    """Runs a client to its end and returns the lines that it prints."""
    words = [str(each) for each in command]
    done = subprocess.run(
        words, cwd=folder, env=environment(served, folder), capture_output=True, text=True, timeout=10 * PATIENCE_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("media_type", [JSON, PROTOBUF], ids=["JSON", "protobuf"])
def test_client_go_elects_a_leader_and_follows_pods(served: Served, tmp_path: Path, media_type: str) -> None:
    leading, created, running, *rest = run(served, tmp_path, go_build("goclients", "informers"), media_type)
    assert (leading, created) == ("leading", "created followed true default-scheduler")
    assert running in ("running followed n1 1", "running followed n2 1")
    assert rest == ["deleted followed", 'get: pods "followed" not found', "released"]
    lease = served.ask("GET", "/apis/coordination.k8s.io/v1/namespaces/default/leases/informers").json
    assert lease["spec"]["holderIdentity"] == ""


def test_an_operator_of_controller_runtime_runs_pods(served: Served, tmp_path: Path) -> None:
    binary = go_build("goclients", "operator")
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen([binary], env=environment(served, tmp_path), stdout=log, stderr=log)
    try:
        settings = {"metadata": {"name": "job", "labels": {"runs": ""}}, "data": {"image": "nginx"}}
        assert served.ask("POST", MAPS, settings).status == 201
        found = served.until(f"{MAPS}/job", lambda it: it["metadata"].get("annotations", {}).get("phase") == "Running")
        pod = served.ask("GET", f"{PODS}/job").json
        assert pod["metadata"]["ownerReferences"][0]["uid"] == found["metadata"]["uid"]
        served.ask("DELETE", f"{MAPS}/job")
        served.until(PODS, lambda it: not it["items"])  # by garbage collection
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0, (tmp_path / "log").read_text()[-2000:]


def test_client_node_runs_a_deployment(served: Served, tmp_path: Path) -> None:
    assert run(served, tmp_path, "node", npm_modules("javascript") / "scenario.mjs") == [
        "nodes n1 n2",
        "created web RollingUpdate",
        "running 2",
        "running 3",
        "running 0",
        "read 404",
    ]


def test_fabric8_watches_over_a_websocket(served: Served, tmp_path: Path) -> None:
    patience = [f"-Dkubernetes.{what}.timeout={PATIENCE_S * 1000:.0f}" for what in ("connection", "request")]
    command = ["java", *patience, "-cp", f"{maven_jars('java')}/*", FOLDER / "java" / "Scenario.java"]
    assert run(served, tmp_path, *command) == ["node n1", "node n2", "watched", "pods 3", "deleted"]


def test_kube_rs_follows_a_pod(served: Served, tmp_path: Path) -> None:
    *lines, running, deleted = run(served, tmp_path, cargo_build("rust", "rust-client"))
    assert lines == ["node n1", "node n2", "created followed"]
    assert running in ("running on n1", "running on n2")
    assert deleted == "deleted"
