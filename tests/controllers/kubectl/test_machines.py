"""kubectl on node groups: machines are listed, sets are scaled, nodes come and go, spot machines are interrupted."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.apiserver.clients.gobuild import kubectl_binary
from tests.apiserver.serving import serving
from tests.support.waiting import PATIENCE_S, eventually

Kubectl = Callable[..., str]

GROUPS = """
nodeGroups:
- {name: pool, min: 0, max: 4, initial: 1, cpu: 4, memory: 8Gi, boot: 30s}
- {name: own, kind: MachineSet, max: 1, initial: 1, cpu: 2, memory: 4Gi, taints: [{key: own, effect: NoSchedule}]}
- {name: spot, max: 1, initial: 1, cpu: 1, memory: 2Gi, boot: 10s, spot: {lifetime: 10m, notice: 2m},
   taints: [{key: spot, effect: NoSchedule}]}
"""
AUTOSCALED = """
nodeGroups: [{name: pool, min: 0, max: 4, initial: 1, cpu: 4, memory: 8Gi, boot: 30s}]
autoscaler: {scale-down-unneeded-time: 3m, scale-down-delay-after-add: 1m}
"""
UNKNOWN = """
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineSet
metadata: {name: unknown}
spec: {replicas: 1}
"""
ANNOUNCED = """
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineSet
metadata:
  name: mine
  annotations:
    capacity.cluster-autoscaler.kubernetes.io/cpu: "16"
    capacity.cluster-autoscaler.kubernetes.io/memory: 64Gi
    capacity.cluster-autoscaler.kubernetes.io/labels: disk=fast
spec: {replicas: 1}
"""


@contextmanager
def serving_groups(folder: Path, groups: str) -> Iterator[Kubectl]:
    """Serves node groups, with a clock that is 120 times as fast; yields kubectl, which must end well."""
    (folder / "groups.yaml").write_text(groups)
    binary = str(kubectl_binary())
    with serving(folder, "--node-groups", "groups.yaml", "--speed", "120") as served:
        environment = {"HOME": str(folder), "PATH": os.environ["PATH"], "KUBECONFIG": str(served.kubeconfig)}

        def run(*words: str, text: str | None = None) -> str:
            done = subprocess.run(
                [binary, *words], capture_output=True, text=True, env=environment, timeout=PATIENCE_S, input=text
            )
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout

        yield run


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    with serving_groups(tmp_path_factory.mktemp("served"), GROUPS) as run:
        yield run


def nodes(kubectl: Kubectl, group: str) -> list[str]:
    names = kubectl("get", "nodes", "-o", "name").split()
    return [name.removeprefix("node/") for name in names if name.startswith(f"node/{group}-")]


def test_groups_sets_and_machines_are_listed(kubectl: Kubectl) -> None:
    listed = kubectl("get", "machinedeployments,machinesets,machines", "-A")
    for name in (
        "machinedeployment.cluster.x-k8s.io/pool",
        "machineset.cluster.x-k8s.io/pool",
        "machine.cluster.x-k8s",
    ):
        assert name in listed
    assert "machinedeployment.cluster.x-k8s.io/own" not in listed
    assert kubectl("get", "ma", "own-001").split()[:8] == [
        *("NAME", "NODENAME", "PROVIDERID", "PHASE", "AGE"),
        *("own-001", "own-001", "wavetank://default/own-001"),
    ]


@pytest.mark.parametrize("what", ["machineset/own", "machineset/pool", "machinedeployment/pool"])
def test_a_scaled_group_gets_and_loses_nodes(kubectl: Kubectl, what: str) -> None:
    group = what.partition("/")[2]
    assert "scaled" in kubectl("scale", what, "--replicas=3")
    eventually(lambda: len(nodes(kubectl, group)) == 3)
    assert "scaled" in kubectl("scale", what, "--replicas=1")
    eventually(lambda: len(nodes(kubectl, group)) == 1)


def test_the_autoscaler_orders_machines_for_pending_pods_and_removes_them(tmp_path: Path) -> None:
    with serving_groups(tmp_path, AUTOSCALED) as kubectl:
        kubectl("create", "deployment", "web", "--image=nginx", "--replicas=9")
        kubectl("set", "resources", "deployment", "web", "--requests=cpu=1")
        eventually(lambda: len(nodes(kubectl, "pool")) >= 3)
        kubectl("delete", "deployment", "web")
        eventually(lambda: len(nodes(kubectl, "pool")) == 0)
        assert "ScaledUpGroup" in kubectl("get", "events", "-A")


def test_a_spot_machine_is_interrupted_and_replaced(kubectl: Kubectl) -> None:
    eventually(lambda: nodes(kubectl, "spot") not in ([], ["spot-001"]))
    assert "SpotInterruption" in kubectl("get", "events", "-A")


def test_a_set_of_a_user_gets_nodes_by_its_annotations(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", text=ANNOUNCED)
    eventually(lambda: nodes(kubectl, "mine") == ["mine-001"])
    assert (
        kubectl("get", "node", "mine-001", "-o", "jsonpath={.metadata.labels.disk} {.status.capacity.cpu}") == "fast 16"
    )


def test_a_set_without_annotations_says_why_it_gets_none(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", text=UNKNOWN)
    eventually(lambda: "Failed" in kubectl("get", "machine", "unknown-001"))
    assert "has no annotations capacity.cluster-autoscaler.kubernetes.io/cpu" in kubectl("get", "events")
