"""kubectl on workloads that controllers keep alive: apply, scale, rollout status, history, undo, pause, restart."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.apiserver.clients.gobuild import kubectl_binary
from tests.controllers.clusters import a_template, a_workload
from tests.support.controlplane.clusters import SERVERS, both_servers
from tests.support.waiting import PATIENCE_S

Kubectl = Callable[..., str]


@pytest.fixture(scope="module", params=SERVERS)
def kubectl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """Runs kubectl on a served or real cluster; fails unless it ends as expected, and returns what it printed."""
    binary, folder = kubectl_binary(), tmp_path_factory.mktemp(request.param)
    with both_servers(request.param, folder) as kubeconfig:
        environment = {"HOME": str(folder), "PATH": os.environ["PATH"], "KUBECONFIG": str(kubeconfig)}

        def run(*words: str, stdin: object = None, status: int = 0) -> str:
            given = None if stdin is None else json.dumps(stdin)
            command = [str(binary), *words]
            done = subprocess.run(
                command, input=given, capture_output=True, text=True, env=environment, timeout=PATIENCE_S
            )
            assert done.returncode == status, done.stdout + done.stderr
            return done.stdout + done.stderr

        yield run


def apply(kubectl: Kubectl, kind: str, name: str, **spec: Any) -> None:
    labels = {"app": name}
    document = a_workload(kind, name, selector={"matchLabels": labels}, template=a_template(labels), **spec)
    assert "created" in kubectl("apply", "-f", "-", stdin=document)
    kubectl("rollout", "status", f"{kind.lower()}/{name}", "--timeout=300s")


def images(kubectl: Kubectl, name: str) -> list[str]:
    pods = json.loads(kubectl("get", "pods", "-l", f"app={name}", "-o", "json"))["items"]
    alive = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
    return [pod["spec"]["containers"][0]["image"] for pod in alive]


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        pytest.param("Deployment", {"replicas": 2}, id="Deployment"),
        pytest.param("StatefulSet", {"replicas": 2, "serviceName": "s"}, id="StatefulSet"),
        pytest.param("DaemonSet", {}, id="DaemonSet"),
    ],
)
def test_a_workload_is_rolled_out_and_back(kubectl: Kubectl, kind: str, spec: dict[str, Any]) -> None:
    name = f"{kind.lower()}-a"
    target = f"{kind.lower()}/{name}"
    apply(kubectl, kind, name, **spec)
    assert images(kubectl, name) == ["nginx", "nginx"]
    kubectl("set", "image", target, "main=nginx:2")
    kubectl("rollout", "status", target, "--timeout=300s")
    assert images(kubectl, name) == ["nginx:2", "nginx:2"]
    history = kubectl("rollout", "history", target)
    assert [line.split()[0] for line in history.splitlines() if line[:1].isdigit()] == ["1", "2"]
    assert "nginx:2" in kubectl("rollout", "history", target, "--revision=2")
    assert "rolled back" in kubectl("rollout", "undo", target)
    kubectl("rollout", "status", target, "--timeout=300s")
    assert images(kubectl, name) == ["nginx", "nginx"]
    kubectl("rollout", "restart", target)
    kubectl("rollout", "status", target, "--timeout=300s")
    assert "restartedAt" in kubectl("get", "pods", "-l", f"app={name}", "-o", "yaml")
    assert "deleted" in kubectl("delete", target, "--wait=false")


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "ReplicaSet"])
def test_a_workload_is_scaled(kubectl: Kubectl, kind: str) -> None:
    name = f"{kind.lower()}-b"
    labels = {"app": name}
    more = {"serviceName": "s"} if kind == "StatefulSet" else {}
    document = a_workload(kind, name, selector={"matchLabels": labels}, template=a_template(labels), replicas=1, **more)
    kubectl("apply", "-f", "-", stdin=document)
    kubectl("scale", f"{kind.lower()}/{name}", "--replicas=3")
    kubectl("wait", f"{kind.lower()}/{name}", "--for=jsonpath={.status.readyReplicas}=3", "--timeout=300s")
    assert len(images(kubectl, name)) == 3
    kubectl("scale", f"{kind.lower()}/{name}", "--replicas=0", "--current-replicas=3")
    kubectl("wait", "pod", "-l", f"app={name}", "--for=delete", "--timeout=300s")


def test_a_paused_deployment_waits(kubectl: Kubectl) -> None:
    apply(kubectl, "Deployment", "paused", replicas=1)
    assert "paused" in kubectl("rollout", "pause", "deployment/paused")
    kubectl("set", "image", "deployment/paused", "main=nginx:2")
    assert images(kubectl, "paused") == ["nginx"]
    kubectl("rollout", "resume", "deployment/paused")
    kubectl("rollout", "status", "deployment/paused", "--timeout=300s")
    assert images(kubectl, "paused") == ["nginx:2"]


def test_what_was_done_is_described(kubectl: Kubectl) -> None:
    apply(kubectl, "Deployment", "told", replicas=1)
    described = kubectl("describe", "deployment", "told")
    assert "Scaled up replica set told-" in described
    assert "1 desired | 1 updated | 1 total | 1 available | 0 unavailable" in described
