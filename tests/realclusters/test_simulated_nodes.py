"""`wavetank nodes` under the API server of `wavetank serve`, with its scheduler and controllers, without kubelets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.serving import Served, a_small_pod, serving
from tests.cli.commands import Wavetank
from tests.realclusters.joining import joining, write_nodes
from tests.support.objects import node_manifest, pod_manifest
from tests.support.waiting import eventually

PODS = "/api/v1/namespaces/default/pods"
MERGE = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), "--kubelets", "off", "--speed", "1") as server:
        yield server


@pytest.fixture(scope="module")
def nodes(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with joining(served.kubeconfig, write_nodes(tmp_path_factory.mktemp("nodes"), 3)):
        yield


def created(served: Served, document: dict[str, Any]) -> str:
    answer = served.ask("POST", PODS, document)
    assert answer.status == 201, answer.body
    return f"{PODS}/{document['metadata']['name']}"


def test_a_pod_runs_for_its_duration_and_its_status_is_that_of_a_kubelet(served: Served, nodes: None) -> None:
    path = created(served, a_small_pod("short", duration="200ms"))
    pod = served.until(path, lambda pod: pod["status"].get("phase") == "Succeeded")
    status = pod["status"]
    conditions = {each["type"]: each for each in status["conditions"]}
    assert conditions["PodScheduled"]["status"] == "True"
    assert conditions["Ready"] | {"reason": "PodCompleted", "status": "False"} == conditions["Ready"]
    (container,) = status["containerStatuses"]
    assert container["state"]["terminated"]["exitCode"] == 0
    assert status.keys() >= {"hostIP", "podIP", "startTime"}


def test_nodes_have_leases_and_the_conditions_of_a_kubelet(served: Served, nodes: None) -> None:
    node = served.until("/api/v1/nodes/sim-1", lambda node: len(node["status"].get("conditions") or ()) == 4)
    assert node["metadata"]["labels"]["kubernetes.io/hostname"] == "sim-1"
    assert {each["type"]: each["status"] for each in node["status"]["conditions"]}["Ready"] == "True"
    lease = served.ask("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/sim-1").json
    assert lease["spec"]["holderIdentity"] == "sim-1"


def test_a_node_that_was_taken_for_lost_reports_that_it_is_ready(served: Served, nodes: None) -> None:
    lost = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}
    strategic = {"Content-Type": "application/strategic-merge-patch+json"}
    body = {"status": {"conditions": [lost]}}
    assert served.ask("PATCH", "/api/v1/nodes/sim-1/status", body, **strategic).status == 200
    served.until("/api/v1/nodes/sim-1", lambda node: ready_reason(node) == "KubeletReady")


def ready_reason(node: dict[str, Any]) -> str:
    conditions = node["status"]["conditions"]
    return str(next(each["reason"] for each in conditions if each["type"] == "Ready"))


def test_a_deleted_pod_is_stopped_and_removed(served: Served, nodes: None) -> None:
    path = created(served, a_small_pod("stopped"))
    served.until(path, lambda pod: pod["status"].get("phase") == "Running")
    served.ask("DELETE", path)
    eventually(lambda: served.ask("GET", path).status == 404)


def test_a_pod_that_does_not_fit_is_rejected(served: Served, nodes: None) -> None:
    path = created(served, pod_manifest("large", requests={"cpu": "64"}, nodeName="sim-0"))
    pod = served.until(path, lambda pod: pod["status"].get("phase") == "Failed")
    assert pod["status"]["reason"] == "OutOfcpu"


def test_a_crashed_node_starts_nothing_until_it_is_repaired(served: Served, nodes: None) -> None:
    def annotate(value: str | None) -> None:
        body = {"metadata": {"annotations": {"wavetank.dev/fault": value}}}
        assert served.ask("PATCH", "/api/v1/nodes/sim-2", body, **MERGE).status == 200

    annotate("crash")
    probe = created(served, pod_manifest("probe", nodeName="sim-1"))  # events arrive in order: the crash was seen
    path = created(served, pod_manifest("on-crashed", nodeName="sim-2"))
    served.until(probe, lambda pod: pod["status"].get("phase") == "Running")
    after = created(served, pod_manifest("after", nodeName="sim-1"))
    served.until(after, lambda pod: pod["status"].get("phase") == "Running")
    assert served.ask("GET", path).json["status"]["phase"] == "Pending"
    annotate(None)
    served.until(path, lambda pod: pod["status"].get("phase") == "Running")


def test_running_pods_are_taken_over_by_the_next_run_of_the_program(served: Served, tmp_path: Path) -> None:
    file = write_nodes(tmp_path, 1, "again")
    with joining(served.kubeconfig, file) as first:
        path = created(served, pod_manifest("taken", duration="1s", nodeName="again-0", restartPolicy="Never"))
        began = served.until(path, lambda pod: pod["status"].get("phase") == "Running")["status"]
        first.kill()
        first.wait()
    with joining(served.kubeconfig, file):
        ended = served.until(path, lambda pod: pod["status"].get("phase") == "Succeeded")["status"]
    assert ended["podIP"] == began["podIP"]
    started = began["containerStatuses"][0]["state"]["running"]["startedAt"]
    assert ended["containerStatuses"][0]["state"]["terminated"]["startedAt"] == started
    assert served.ask("GET", "/api/v1/nodes/again-0").status == 404


STAGE = """
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: ready}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: .status.podIP, operator: DoesNotExist}
    - {key: .metadata.deletionTimestamp, operator: DoesNotExist}
  next:
    statusTemplate: |
      {{ $now := Now }}
      phase: Running
      podIP: {{ PodIPWith .spec.nodeName false .metadata.uid | Quote }}
      startTime: {{ $now | Quote }}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: complete}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector: {matchExpressions: [{key: .status.phase, operator: In, values: [Running]}]}
  delay: {durationMilliseconds: 50}
  next: {statusTemplate: "phase: Succeeded"}
"""


def test_stages_take_pods_through_the_lifecycle_that_they_describe(served: Served, tmp_path: Path) -> None:
    (tmp_path / "stages.yaml").write_text(STAGE)
    with joining(served.kubeconfig, write_nodes(tmp_path, 1, "kwok"), "--stages", str(tmp_path / "stages.yaml")):
        path = created(served, pod_manifest("staged", nodeName="kwok-0"))
        pod = served.until(path, lambda pod: pod["status"].get("phase") == "Succeeded")
    assert pod["status"]["podIP"].startswith("10.128.")


def test_a_node_with_a_kubelet_of_its_own_is_left_alone(wavetank: Wavetank, served: Served, tmp_path: Path) -> None:
    assert served.ask("POST", "/api/v1/nodes", node_manifest("real-0")).status == 201
    file = write_nodes(tmp_path, 1, "real")
    ended = wavetank("nodes", "--kubeconfig", served.kubeconfig, "--context", "wavetank", "--cluster", file)
    assert (ended.status, ended.out) == (2, "")
    assert "node real-0 exists in the cluster and has a kubelet of its own" in ended.err


def test_a_cluster_is_used_only_if_its_context_is_named(wavetank: Wavetank, served: Served, tmp_path: Path) -> None:
    ended = wavetank("nodes", "--kubeconfig", served.kubeconfig, "--cluster", write_nodes(tmp_path, 1))
    assert ended.status == 2
    assert "--context" in ended.err
