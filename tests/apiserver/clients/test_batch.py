"""kubectl and what controllers do besides keeping replicas: Jobs, owners, budgets, taints, quotas, namespaces."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.clients.gobuild import kubectl_binary
from tests.apiserver.serving import a_small_pod
from tests.support.controlplane.clusters import SERVERS, both_servers
from tests.support.waiting import PATIENCE_S, eventually

Kubectl = Callable[..., str]


@pytest.fixture(scope="module", params=SERVERS)
def kubectl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """Runs kubectl on a served or real cluster; fails unless it ends as expected, and returns what it printed."""
    binary, folder = kubectl_binary(), tmp_path_factory.mktemp(request.param)

    def run(*words: str, stdin: object = None, status: int = 0) -> str:
        given = None if stdin is None else json.dumps(stdin)
        command = [str(binary), *words]
        done = subprocess.run(command, input=given, capture_output=True, text=True, env=environment, timeout=PATIENCE_S)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    with both_servers(request.param, folder, "--speed", "60", "--latency", "ideal") as kubeconfig:
        environment = {"HOME": str(folder), "PATH": os.environ["PATH"], "KUBECONFIG": str(kubeconfig)}
        yield run


def names(kubectl: Kubectl, kind: str, *more: str) -> list[str]:
    return kubectl("get", kind, "-o", "name", *more).split()


def test_a_job_completes(kubectl: Kubectl) -> None:
    kubectl("create", "job", "hello", "--image=busybox", "--", "sleep", "5")
    kubectl("wait", "--for=condition=complete", "job/hello", "--timeout=300s")
    assert kubectl("get", "job", "hello").splitlines()[1].split()[1:3] == ["Complete", "1/1"]
    described = kubectl("describe", "job", "hello")
    assert "1 Succeeded" in described
    assert "Job completed" in described
    kubectl("delete", "job", "hello")
    eventually(lambda: names(kubectl, "pods", "-l", "job-name=hello") == [])


def test_a_cron_job_starts_jobs_and_one_can_be_started_by_hand(kubectl: Kubectl) -> None:
    kubectl("create", "cronjob", "tick", "--image=busybox", "--schedule=* * * * *", "--", "sleep", "1")
    kubectl("create", "job", "now", "--from=cronjob/tick")
    kubectl("wait", "--for=condition=complete", "job/now", "--timeout=300s")
    eventually(lambda: any(name.startswith("job.batch/tick-") for name in names(kubectl, "jobs")))
    kubectl("delete", "cronjob", "tick")
    eventually(lambda: names(kubectl, "jobs") == [])


@pytest.mark.parametrize(("cascade", "left"), [("foreground", 0), ("orphan", 2), ("background", 0)])
def test_dependents_go_or_stay_as_the_user_says(kubectl: Kubectl, cascade: str, left: int) -> None:
    name = f"web-{cascade}"
    kubectl("create", "deployment", name, "--image=nginx", "--replicas=2")
    kubectl("rollout", "status", f"deployment/{name}", "--timeout=300s")
    kubectl("delete", "deployment", name, f"--cascade={cascade}")
    if left:
        assert len(names(kubectl, "pods", "-l", f"app={name}")) == left
        kubectl("delete", "rs", "-l", f"app={name}")
    eventually(lambda: names(kubectl, "rs,pods", "-l", f"app={name}") == [])


def test_a_drain_keeps_to_the_budget(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "guarded", "--image=nginx", "--replicas=2")
    kubectl("rollout", "status", "deployment/guarded", "--timeout=300s")
    kubectl("create", "poddisruptionbudget", "guard", "--selector=app=guarded", "--min-available=2")
    eventually(lambda: kubectl("get", "pdb", "guard").splitlines()[1].split()[3] == "0")
    try:
        refused = kubectl("drain", "n1", "n2", "--ignore-daemonsets", "--timeout=2s", status=1)
        assert "Cannot evict pod as it would violate the pod's disruption budget" in refused
    finally:
        kubectl("uncordon", "n1", "n2")
        kubectl("delete", "pdb/guard", "deployment/guarded")


def test_pods_leave_a_tainted_node(kubectl: Kubectl) -> None:
    pod = a_small_pod("lodger")
    pod["spec"]["nodeName"] = "n1"
    kubectl("create", "-f", "-", stdin=pod)
    kubectl("wait", "--for=condition=ready", "pod/lodger", "--timeout=300s")
    kubectl("taint", "nodes", "n1", "quake=now:NoExecute")
    try:
        eventually(lambda: names(kubectl, "pods", "--field-selector=metadata.name=lodger") == [])
    finally:
        kubectl("taint", "nodes", "n1", "quake-")


def test_a_quota_is_counted_and_kept(kubectl: Kubectl) -> None:
    kubectl("create", "namespace", "small")
    kubectl("create", "quota", "few", "--hard=pods=1", "-n", "small")
    eventually(lambda: "pods: 0/1" in kubectl("get", "quota", "few", "-n", "small"))
    kubectl("run", "one", "--image=nginx", "-n", "small")
    refused = kubectl("run", "two", "--image=nginx", "-n", "small", status=1)
    assert 'pods "two" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1' in refused
    kubectl("delete", "pod", "one", "-n", "small")
    eventually(lambda: "pods: 0/1" in kubectl("get", "quota", "few", "-n", "small"))
    kubectl("delete", "namespace", "small")
    kubectl("get", "namespace", "small", status=1)


def test_a_namespace_has_its_account_and_its_service_its_endpoints(kubectl: Kubectl) -> None:
    kubectl("create", "namespace", "home")
    eventually(lambda: names(kubectl, "serviceaccounts", "-n", "home") == ["serviceaccount/default"])
    eventually(lambda: names(kubectl, "configmaps", "-n", "home") == ["configmap/kube-root-ca.crt"])
    kubectl("create", "deployment", "web", "--image=nginx", "--replicas=2", "--port=80", "-n", "home")
    kubectl("expose", "deployment", "web", "-n", "home")
    kubectl("rollout", "status", "deployment/web", "-n", "home", "--timeout=300s")

    def ready() -> int:
        found: dict[str, Any] = json.loads(kubectl("get", "endpointslices", "-n", "home", "-o", "json"))
        endpoints = [each for piece in found["items"] for each in piece.get("endpoints") or ()]
        return sum(each["conditions"]["ready"] for each in endpoints)

    eventually(lambda: ready() == 2)
    assert ":80" in kubectl("describe", "service", "web", "-n", "home")
    kubectl("delete", "namespace", "home")


def test_resources_of_containers_come_from_the_limit_range(kubectl: Kubectl, tmp_path: Path) -> None:
    limits = [{"type": "Container", "default": {"cpu": "1"}, "defaultRequest": {"cpu": "100m"}, "max": {"cpu": "2"}}]
    kubectl("create", "namespace", "bounded")
    document = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l", "namespace": "bounded"}}
    kubectl("create", "-f", "-", stdin={**document, "spec": {"limits": limits}})
    kubectl("create", "job", "modest", "--image=busybox", "-n", "bounded", "--", "sleep", "100")
    path = "jsonpath={.items[0].spec.containers[0].resources.requests.cpu}"
    eventually(lambda: kubectl("get", "pods", "-n", "bounded", "-l", "job-name=modest", "-o", path) == "100m")
    kubectl("delete", "namespace", "bounded", "--wait=false")
