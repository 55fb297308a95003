"""A real application's manifests, as its Helm chart renders them, applied by both kubectls: Volcano, with its kinds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.apiserver.clients.gobuild import kubectl_binary
from tests.apiserver.serving import Served, nodes_file, serving
from tests.support.waiting import PATIENCE_S

MODULE = "volcano.sh/volcano@v1.15.1"
SYSTEM_KUBECTL = Path("/usr/bin/kubectl")  # Debian's
Kubectl = Callable[..., str]

QUEUE = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "Queue",
    "metadata": {"name": "research"},
    "spec": {"weight": 2, "reclaimable": True},
}


def manifests() -> Path:
    """Returns the folder of Volcano's manifests in the cache of Go modules; skips where they cannot be had."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("there is no Go on this machine to fetch the manifests with")
    done = subprocess.run(
        [go, "mod", "download", "-json", MODULE], capture_output=True, text=True, cwd=tempfile.gettempdir()
    )
    if done.returncode != 0:
        pytest.skip(f"{MODULE} cannot be fetched: {done.stdout[-300:]}")
    return Path(json.loads(done.stdout)["Dir"]) / "installer"


@pytest.fixture(scope="module", params=["built", "debian"])
def kubectl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """Runs a kubectl against a cluster of its own; fails unless it ends as expected, and returns what it printed."""
    binary = kubectl_binary() if request.param == "built" else SYSTEM_KUBECTL
    if not binary.exists():
        pytest.skip(f"there is no {binary}")
    folder = tmp_path_factory.mktemp(request.param)
    with serving(folder, "--cluster", nodes_file(folder), "--latency", "ideal") as served:
        yield runner(binary, served, folder)


def runner(binary: Path, served: Served, home: Path) -> Kubectl:
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "KUBECONFIG": str(served.kubeconfig)}

    def run(*words: str, stdin: object = None, status: int = 0) -> str:
        given = None if stdin is None else json.dumps(stdin)
        done = subprocess.run(
            [str(binary), *words], input=given, capture_output=True, text=True, env=environment, timeout=PATIENCE_S
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def test_volcano_is_installed_used_and_removed(kubectl: Kubectl) -> None:
    file = str(manifests() / "volcano-development.yaml")
    created = kubectl("apply", "-f", file)
    assert created.count("customresourcedefinition.apiextensions.k8s.io/") == created.count(".volcano.sh created") > 8
    again = kubectl("apply", "-f", file).splitlines()
    # the scope of a webhook's rules is a default inside of a list, which kubectl takes for a change, here as elsewhere
    notice = "Warning: webhook "  # its Service is simulated, so that it is not called
    changed = [line for line in again if not line.endswith(" unchanged") and not line.startswith(notice)]
    assert all("webhookconfiguration" in line and line.endswith(" configured") for line in changed), changed

    kubectl("rollout", "status", "deployment/volcano-scheduler", "-n", "volcano-system", "--timeout=300s")
    kubectl("wait", "--for=condition=established", "crd/queues.scheduling.volcano.sh", "--timeout=300s")
    assert "queue.scheduling.volcano.sh/research created" in kubectl("apply", "-f", "-", stdin=QUEUE)
    assert "research" in kubectl("get", "queues.scheduling.volcano.sh")
    refused = kubectl("apply", "-f", "-", stdin={**QUEUE, "spec": {"weight": 0}}, status=1)
    assert "spec.weight in body should be greater than or equal to 1" in refused
    assert "FIELD: weight <integer>" in kubectl("explain", "queue.spec.weight")

    kubectl("delete", "-f", file, "--wait=false")
    assert "No resources found" in kubectl("get", "crd")
