"""kubectl against a simulated cluster; the tests of this file build on each other's pods only where they say so."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.clients.gobuild import kubectl_binary
from tests.apiserver.serving import Served, a_small_pod, nodes_file, serving
from tests.support.waiting import PATIENCE_S, eventually

Kubectl = Callable[..., str]


@pytest.fixture(scope="module")
def kubectl(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    """Runs kubectl; fails unless it ends as expected, and returns what it printed."""
    binary, home = kubectl_binary(), tmp_path_factory.mktemp("home")
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "KUBECONFIG": str(served.kubeconfig)}

    def run(*words: str, stdin: object = None, status: int = 0, timeout: float = PATIENCE_S) -> str:
        given = None if stdin is None else json.dumps(stdin)
        done = subprocess.run(
            [str(binary), *words], input=given, capture_output=True, text=True, env=environment, timeout=timeout
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def create(kubectl: Kubectl, *pods: dict[str, Any]) -> None:
    for pod in pods:
        kubectl("create", "-f", "-", stdin=pod)


def columns(printed: str) -> list[list[str]]:
    return [re.split(r"\s{2,}", line.strip()) for line in printed.splitlines()]


def test_version_says_which_release_is_served(kubectl: Kubectl) -> None:
    assert "Server Version: v1.35" in kubectl("version")


def test_get_nodes_shows_them_ready(kubectl: Kubectl) -> None:
    head, *rows = columns(kubectl("get", "nodes"))
    assert head == ["NAME", "STATUS", "ROLES", "AGE", "VERSION"]
    assert [row[:3] for row in rows] == [["n1", "Ready", "<none>"], ["n2", "Ready", "<none>"]]


def test_a_pod_is_created_runs_and_is_shown(kubectl: Kubectl) -> None:
    create(kubectl, a_small_pod("web"))
    kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=300s")
    head, row = columns(kubectl("get", "pods", "web"))
    assert head == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert row[:4] == ["web", "1/1", "Running", "0"]
    wide = columns(kubectl("get", "pods", "web", "-o", "wide"))[1]
    assert wide[5].startswith("10.128.")
    assert wide[6] in ("n1", "n2")


def test_run_makes_a_pod(kubectl: Kubectl) -> None:
    assert "pod/ran created" in kubectl("run", "ran", "--image=nginx")
    kubectl("wait", "--for=condition=Ready", "pod/ran", "--timeout=300s")


def test_describe_tells_of_pods_and_nodes(kubectl: Kubectl) -> None:
    create(kubectl, a_small_pod("described"))
    kubectl("wait", "--for=condition=Ready", "pod/described", "--timeout=300s")
    pod = kubectl("describe", "pod", "described")
    for line in (
        r"Status:\s+Running",
        r"Ready\s+True",
        r"State:\s+Running",
        r"Restart Count:\s+0",
        r"Image:\s+app:1",
    ):
        assert re.search(line, pod), pod
    for event in (
        r"Scheduled .*default-scheduler +Successfully assigned default/described to n",
        r"Started .*kubelet ",
    ):
        assert re.search(event, pod), pod
    node = kubectl("describe", "node", "n1")
    for line in (
        r"Ready\s+True",
        r"InternalIP:\s+172\.16\.0\.\d",
        r"cpu:\s+4",
        r"Kubelet Version:\s+v1\.35",
        r"OS Image:",
    ):
        assert re.search(line, node), node


def test_labels_and_annotations_come_and_go(kubectl: Kubectl) -> None:
    create(kubectl, a_small_pod("labelled"))
    kubectl("label", "pod", "labelled", "tier=front")
    assert "labelled" in kubectl("get", "pods", "-l", "tier=front", "-o", "name")
    kubectl("label", "pod", "labelled", "tier=back", status=1)
    kubectl("label", "pod", "labelled", "tier=back", "--overwrite")
    kubectl("label", "pod", "labelled", "tier-")
    assert kubectl("get", "pods", "-l", "tier", "-o", "name") == ""
    kubectl("annotate", "pod", "labelled", "note=hello")
    assert kubectl("get", "pod", "labelled", "-o", "jsonpath={.metadata.annotations.note}") == "hello"
    kubectl("label", "node", "n2", "disk=ssd")
    assert kubectl("get", "nodes", "-l", "disk=ssd", "-o", "name") == "node/n2\n"


@pytest.mark.parametrize(
    ("type_", "patch"),
    [
        ("merge", '{"metadata":{"labels":{"patched":"merge"}}}'),
        ("json", '[{"op":"add","path":"/metadata/labels","value":{"patched":"json"}}]'),
        ("strategic", '{"metadata":{"labels":{"patched":"strategic"}}}'),
    ],
)
def test_patches_of_all_kinds_are_applied(kubectl: Kubectl, type_: str, patch: str) -> None:
    create(kubectl, a_small_pod(f"patched-{type_}"))
    kubectl("patch", "pod", f"patched-{type_}", "--type", type_, "-p", patch)
    assert kubectl("get", "pods", "-l", f"patched={type_}", "-o", "name") == f"pod/patched-{type_}\n"


def test_a_strategic_patch_merges_containers_by_name(kubectl: Kubectl) -> None:
    create(kubectl, a_small_pod("merged"))
    patch = '{"spec":{"containers":[{"name":"main","image":"busybox:2"}]}}'
    kubectl("patch", "pod", "merged", "-p", patch)
    image = "jsonpath={.spec.containers[*].image} {.spec.containers[0].resources.requests.cpu}"
    assert kubectl("get", "pod", "merged", "-o", image) == "busybox:2 100m"


def test_logs_say_what_the_container_did(kubectl: Kubectl) -> None:
    create(kubectl, a_small_pod("logged", duration="30s"))
    kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/logged", "--timeout=300s")
    printed = kubectl("logs", "logged")
    assert "started container main" in printed
    assert "finished with exit code 0 after 30 s" in printed
    assert re.search(r"^\d{4}-\d\d-\d\dT\S+Z ", kubectl("logs", "logged", "--timestamps"))
    assert kubectl("logs", "logged", "--tail=1").count("\n") == 1


def test_a_log_can_be_followed_to_its_end(kubectl: Kubectl) -> None:
    create(kubectl, a_small_pod("followed", duration="60s"))
    kubectl("wait", "--for=condition=Ready", "pod/followed", "--timeout=300s")
    printed = kubectl("logs", "-f", "followed", timeout=PATIENCE_S)
    assert printed.count("started container main") == 1
    assert printed.endswith("finished with exit code 0 after 60 s\n")
    assert "not found" in kubectl("logs", "--previous", "followed", status=1)


def test_a_finished_pod_is_shown_as_completed(kubectl: Kubectl) -> None:
    create(kubectl, a_small_pod("finished", duration="10s"))
    kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/finished", "--timeout=300s")
    assert columns(kubectl("get", "pod", "finished"))[1][1:3] == ["0/1", "Completed"]


def test_delete_waits_until_the_pod_is_gone(kubectl: Kubectl) -> None:
    create(kubectl, a_small_pod("deleted"))
    kubectl("wait", "--for=condition=Ready", "pod/deleted", "--timeout=300s")
    assert "deleted" in kubectl("delete", "pod", "deleted", timeout=PATIENCE_S)
    assert "NotFound" in kubectl("get", "pod", "deleted", status=1)


def test_a_cordoned_node_takes_no_pods_and_a_drained_one_has_none(kubectl: Kubectl) -> None:
    kubectl("cordon", "n1")
    try:
        assert columns(kubectl("get", "node", "n1"))[1][1] == "Ready,SchedulingDisabled"
        create(kubectl, a_small_pod("elsewhere"))
        kubectl("wait", "--for=condition=Ready", "pod/elsewhere", "--timeout=300s")
        assert kubectl("get", "pod", "elsewhere", "-o", "jsonpath={.spec.nodeName}") == "n2"
        kubectl("uncordon", "n1")
        drained = kubectl("drain", "n2", "--force", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=300s")
        assert "node/n2 drained" in drained
        left = kubectl("get", "pods", "--field-selector=spec.nodeName=n2,status.phase=Running", "-o", "name")
        assert left == ""
    finally:
        kubectl("uncordon", "n1", "n2")


def test_watch_shows_what_becomes_of_a_pod(kubectl: Kubectl, served: Served, tmp_path: Path) -> None:
    words = [str(kubectl_binary()), "--kubeconfig", str(served.kubeconfig), "get", "pods", "-w", "-l", "seen=yes"]
    with (tmp_path / "out").open("w") as out:
        watching = subprocess.Popen(words, stdout=out, env={**os.environ, "HOME": str(tmp_path)})
        try:
            create(kubectl, a_small_pod("first", labels={"seen": "yes"}))
            eventually(lambda: "first" in (tmp_path / "out").read_text(), "the watch never starts")
            create(kubectl, a_small_pod("watched", duration="20s", labels={"seen": "yes"}))
            eventually(lambda: "Completed" in (tmp_path / "out").read_text(), (tmp_path / "out").read_text)
        finally:
            watching.terminate()
            watching.wait()
    seen = [row[2] for row in columns((tmp_path / "out").read_text())[1:] if row[0] == "watched"]
    assert seen[0] == "Pending"
    assert seen[-1] == "Completed"
    assert "Running" in seen


def test_apply_creates_and_then_changes(kubectl: Kubectl) -> None:
    config: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}}
    assert "created" in kubectl("apply", "-f", "-", stdin={**config, "data": {"a": "1", "b": "2"}})
    assert "unchanged" in kubectl("apply", "-f", "-", stdin={**config, "data": {"a": "1", "b": "2"}})
    assert "configured" in kubectl("apply", "-f", "-", stdin={**config, "data": {"a": "3"}})
    assert kubectl("get", "configmap", "applied", "-o", "jsonpath={.data}") == '{"a":"3"}'


@pytest.mark.parametrize(
    ("words", "resource"),
    [
        (("configmap", "made", "--from-literal=a=b"), "configmap/made"),
        (("namespace", "made"), "namespace/made"),
        (("secret", "generic", "made", "--from-literal=a=b"), "secret/made"),
        (("deployment", "made", "--image=nginx"), "deployment/made"),
        (("job", "made", "--image=busybox"), "job/made"),
        (("priorityclass", "made", "--value=7"), "priorityclass/made"),
        (("poddisruptionbudget", "made", "--selector=a=b", "--min-available=1"), "poddisruptionbudget/made"),
    ],
)
def test_create_by_words_sends_protobuf(kubectl: Kubectl, words: tuple[str, ...], resource: str) -> None:
    kubectl("create", *words)
    assert kubectl("get", resource, "-o", "name").strip().endswith("/made")


def test_a_mistake_is_told(kubectl: Kubectl) -> None:
    pod = a_small_pod("mistaken")
    pod["spec"]["containers"][0]["imag"] = "x"
    assert 'unknown field "spec.containers[0].imag"' in kubectl("create", "-f", "-", stdin=pod, status=1)
    assert "spec.containers" in kubectl("create", "-f", "-", stdin={**a_small_pod("m"), "spec": {}}, status=1)


def test_exec_is_refused_clearly(kubectl: Kubectl) -> None:
    create(kubectl, a_small_pod("shell"))
    kubectl("wait", "--for=condition=Ready", "pod/shell", "--timeout=300s")
    assert "simulated" in kubectl("exec", "shell", "--", "ls", status=1)


def test_explain_and_api_resources_know_the_kinds(kubectl: Kubectl) -> None:
    assert "restartPolicy" in kubectl("explain", "pod.spec")
    assert re.search(r"^deployments +deploy +apps/v1 +true +Deployment$", kubectl("api-resources"), re.MULTILINE)


def test_over_plain_http_it_is_the_same(tmp_path: Path) -> None:
    options = ("--cluster", nodes_file(tmp_path), "--latency", "ideal", "--http")
    with serving(tmp_path, *options) as served:
        environment = {**os.environ, "HOME": str(tmp_path), "KUBECONFIG": str(served.kubeconfig)}

        def kubectl(*words: str) -> str:
            done = subprocess.run([str(kubectl_binary()), *words], capture_output=True, text=True, env=environment)
            return done.stdout + done.stderr

        assert "pod/web created" in kubectl("run", "web", "--image=nginx")
        assert "condition met" in kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=300s")
        assert "started container web" in kubectl("logs", "web")
        assert "simulated" in kubectl("exec", "web", "--", "ls")
