"""The real kube-controller-manager beside `wavetank serve`, by the wall clock, as a user starts it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apiserver.serving import Served, nodes_file, serving
from tests.controllers.real.clusters import real_manager
from tests.controllers.real.test_manager import DEPLOYMENTS, JOBS, a_deployment, a_job

# What docs/in-the-loop.md says.
FLAGS = ("--leader-elect=false", "--secure-port=0", "--use-service-account-credentials=false")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    file = real_manager()
    with serving(tmp_path, "--cluster", nodes_file(tmp_path), "--controllers", "none") as served:
        with (tmp_path / "log").open("wb") as log:
            command = [file, "--kubeconfig", str(served.kubeconfig), *FLAGS]
            manager = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield served
            assert manager.poll() is None, (tmp_path / "log").read_text()[-2000:]
        finally:
            manager.terminate()
            manager.wait(20)


def test_a_deployment_comes_up_and_a_job_completes(server: Served) -> None:
    job = a_job(1)
    job["spec"]["template"]["metadata"]["annotations"]["wavetank.dev/duration"] = "1s"
    assert server.ask("POST", DEPLOYMENTS, a_deployment(2)).status == 201
    assert server.ask("POST", JOBS, job).status == 201
    server.until(f"{DEPLOYMENTS}/web", lambda found: (found.get("status") or {}).get("availableReplicas") == 2)
    server.until(f"{JOBS}/j", lambda found: (found.get("status") or {}).get("succeeded") == 1)
