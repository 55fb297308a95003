"""A real cluster of 20 nodes on which Deployments of three priorities push each other out, simulated."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from typing import Any

import pytest
import yaml

import wavetank
from tests.support.paths import SHARED, needs_shared

DATA = SHARED / "data" / "ufcg-real-k8s"
RUN = DATA / "validation1_workload1"

pytestmark = needs_shared(RUN)

HOSTS, SIZE = 20, 3.75  # as hosts.txt says: CPUs, and as many GiB
# The control plane runs on one of the hosts, which never had more than nine of the pods.
CONTROL_PLANE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "control-plane", "namespace": "kube-system"},
    "spec": {
        "nodeName": "master-0",
        "priorityClassName": "system-node-critical",
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "250m"}}}],
    },
}


def rows(name: str) -> list[list[str]]:
    with (RUN / name).open(newline="") as file:
        return list(csv.reader(file))


def a_deployment(row: list[str]) -> dict[str, Any]:
    """Makes a Deployment of one pod out of a line of the workload."""
    at, job, cpu, memory, class_ = row[0], row[1], row[8], row[9], row[10]
    name = f"{class_}-{job}"
    requests = {"cpu": cpu, "memory": f"{memory}Gi"}
    spec = {
        "priorityClassName": class_,
        "containers": [{"name": "c", "image": "nginx", "resources": {"requests": requests}}],
    }
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "annotations": {"wavetank.dev/arrival": f"{at}s"}},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": template},
    }


def a_class(name: str, value: int) -> dict[str, Any]:
    head = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    return {**head, "metadata": {"name": name}, "value": value}


@pytest.fixture(scope="module", params=["ideal", "k3s"])
def pods(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Returns the pods of a simulated hour."""
    workload = rows("workload.csv")
    file = tmp_path_factory.mktemp("ufcg") / "deployments.yaml"
    file.write_text(yaml.safe_dump_all(map(a_deployment, workload)))
    classes = {row[10]: int(row[5]) for row in workload}
    size = {"cpu": str(SIZE), "memory": f"{SIZE}Gi"}
    cluster = {
        "nodes": [{"name": "master", **size}, {"name": "worker", "count": HOSTS - 1, **size}],
        "objects": [*(a_class(*pair) for pair in classes.items()), CONTROL_PLANE],
    }
    results = wavetank.run(cluster=cluster, workload=str(file), latency=request.param, horizon="3600s", jobs=1)
    return [dict(row) for row in results.pods("default", 1, frame="rows") if row["namespace"] == "default"]


def test_the_real_run_is_the_one_that_is_told_of() -> None:
    controllers = Counter(row[2] for row in rows("waiting.dat"))
    again = Counter(name.partition("-")[0] for name, pods in controllers.items() for _ in range(pods - 1))
    assert (len(controllers), again) == (256, Counter(free=40))


def test_about_as_many_are_evicted_and_made_again(pods: list[dict[str, Any]]) -> None:
    evicted = [pod for pod in pods if pod["reason"] == "Preempted"]
    assert len(pods) == 256 + len(evicted)
    assert 0.8 * 40 <= len(evicted) <= 1.2 * 40


def test_only_the_lowest_class_is_evicted(pods: list[dict[str, Any]]) -> None:
    assert {pod["name"].partition("-")[0] for pod in pods if pod["reason"] == "Preempted"} == {"free"}
    running = Counter(pod["name"].partition("-")[0] for pod in pods if pod["phase"] == "Running")
    assert (running["prod"], running["batch"]) == (80, 80)


def test_no_host_has_more_than_ten_pods_at_a_time(pods: list[dict[str, Any]]) -> None:
    changes: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for pod in pods:
        if pod["node"]:
            changes[pod["node"]].append((pod["scheduled"], 1))
            changes[pod["node"]].append((3600.0 if pod["finished"] is None else pod["finished"], -1))
    most = {node: _most(steps) for node, steps in changes.items()}
    assert sorted(most.values()) == [9, *[10] * (HOSTS - 1)]


def _most(steps: list[tuple[float, int]]) -> int:
    count = most = 0
    for _, step in sorted(steps):
        count += step
        most = max(most, count)
    return most
