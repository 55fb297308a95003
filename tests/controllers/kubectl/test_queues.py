"""kubectl on a served cluster with queues of Kueue's: Jobs and pods wait for quota and are released."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.apiserver.clients.gobuild import kubectl_binary
from tests.apiserver.serving import serving
from tests.support.kueue import a_cluster_queue, a_flavor, a_job, a_local_queue
from tests.support.waiting import PATIENCE_S

Kubectl = Callable[..., str]
POD = """
apiVersion: v1
kind: Pod
metadata: {name: NAME, labels: {kueue.x-k8s.io/queue-name: q}}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "3"}}}]}
"""


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """Serves a queue of 4 CPUs; runs kubectl, fails unless it ends well, and returns what it printed."""
    binary, folder = str(kubectl_binary()), tmp_path_factory.mktemp("served")
    allocatable = {"cpu": "8", "memory": "16Gi", "pods": "110"}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": allocatable}}
    queues = [node, a_flavor("x"), a_cluster_queue("q", {"x": {"cpu": 4}}), a_local_queue("q", "q")]
    Path(folder, "queues.yaml").write_text(yaml.safe_dump_all(queues))
    with serving(folder, "--cluster", "queues.yaml", "--speed", "20") as served:
        environment = {"HOME": str(folder), "PATH": os.environ["PATH"], "KUBECONFIG": str(served.kubeconfig)}

        def run(*words: str, given: str = "") -> str:
            done = subprocess.run(
                [binary, *words], input=given, capture_output=True, text=True, env=environment, timeout=PATIENCE_S
            )
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout

        yield run


def test_a_job_is_admitted_and_finishes(kubectl: Kubectl) -> None:
    job = a_job("short", "q", duration_s=5)
    del job["spec"]["suspend"]  # which Kueue sets
    kubectl("apply", "-f", "-", given=yaml.safe_dump(job))
    kubectl("wait", "job/short", "--for=condition=Complete", f"--timeout={PATIENCE_S}s")
    workload = kubectl("get", "workloads", "-o", "name").strip()
    assert workload.startswith("workload.kueue.x-k8s.io/job-short-")
    kubectl("wait", workload, "--for=condition=Finished", f"--timeout={PATIENCE_S}s")


def test_a_pod_is_gated_and_released_when_another_one_is_gone(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=POD.replace("NAME", "first"))
    kubectl("wait", "pod/first", "--for=condition=Ready", f"--timeout={PATIENCE_S}s")
    kubectl("apply", "-f", "-", given=POD.replace("NAME", "second"))
    gates = "jsonpath={.spec.schedulingGates[*].name} {.status.phase}"
    assert kubectl("get", "pod", "second", "-o", gates) == "kueue.x-k8s.io/admission Pending"
    kubectl("delete", "pod", "first", "--grace-period=1")
    kubectl("wait", "pod/second", "--for=condition=Ready", f"--timeout={PATIENCE_S}s")
    assert kubectl("get", "pod", "second", "-o", gates) == " Running"
