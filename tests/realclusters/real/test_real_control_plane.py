"""Simulated nodes and replays under kube-apiserver, kube-controller-manager, kube-scheduler and etcd themselves."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import yaml

from tests.cli.commands import Wavetank
from tests.realclusters.joining import write_nodes
from tests.realclusters.replaying import replay_words, rows_of
from tests.support.controlplane.clusters import need_all, real_cluster
from tests.support.controlplane.servers import ControlPlane
from tests.support.waiting import PATIENCE_S, eventually
from wavetank.batchoperator.client.remote.connection import Connection
from wavetank.batchoperator.client.remote.kubeconfig import read_server
from wavetank.cluster.store.errors import ApiError, ConflictError

PODS = "/api/v1/namespaces/{}/pods"


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    need_all()
    folder = tmp_path_factory.mktemp("plane")
    with real_cluster(folder, write_nodes(folder, 16, "node")) as made:
        yield made


@pytest.fixture
def api(plane: ControlPlane) -> Iterator[Connection]:
    connection = Connection(read_server(plane.kubeconfig))
    yield connection
    connection.close()


def write_experiment(folder: Path, pods: int, rate: float, duration: list[float]) -> Path:
    generator = {"kind": "poisson", "pods": pods, "rate": rate, "duration": {"uniform": duration}, "requests": REQUESTS}
    spec: dict[str, Any] = {
        "cluster": {"nodes": [{"count": 16, "cpu": 4, "memory": "16Gi"}]},
        "workload": {"generator": generator},
        "schedulers": [{"name": "default"}],
        "kubernetesVersion": "1.35",
    }
    document = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "q"}, "spec": spec}
    path = folder / "experiment.yaml"
    path.write_text(yaml.safe_dump(document))
    return path


REQUESTS = {"cpu": 1, "memory": "1Gi"}


def test_a_replay_is_within_a_few_percent_of_its_simulation(
    wavetank: Wavetank, here: Path, plane: ControlPlane
) -> None:
    experiment = write_experiment(here, 200, 40, [6, 14])
    for out in ("real-1", "real-2"):
        ended = wavetank(*replay_words(plane.kubeconfig, experiment, here / out))
        assert ended.status == 0, ended.err
        rows = rows_of(here / out)
        assert len(rows) == 200
        assert {row["phase"] for row in rows} == {"Succeeded"}
    found = json.loads(wavetank("fit", "real-1", "real-2", "--json").out)["validation"]
    assert abs(fmean(each["makespan_error"] for each in found)) < 0.03, found
    assert abs(fmean(each["mean_wait_error"] for each in found)) < 0.05, found


def test_a_killed_api_server_costs_no_pod(here: Path, plane: ControlPlane, api: Connection) -> None:
    experiment = write_experiment(here, 60, 6, [1, 3])
    words = replay_words(plane.kubeconfig, experiment, here / "killed")
    command = [sys.executable, "-m", "wavetank", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    eventually(lambda: len(names(api, "ns-killed")) >= 10)
    plane.kill("kube-apiserver")
    plane.start_apiserver()
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    rows = rows_of(here / "killed")
    assert len({row["name"] for row in rows}) == len(rows) == 60
    assert {row["phase"] for row in rows} == {"Succeeded"}


def names(api: Connection, namespace: str) -> list[str]:
    try:
        items = api.request("GET", PODS.format(namespace)).get("items") or ()
    except ApiError:
        return []
    return [item["metadata"]["name"] for item in items]


def kubectl(plane: ControlPlane, *words: str, stdin: object = None) -> str:
    command = ["kubectl", "--kubeconfig", str(plane.kubeconfig), *words]
    given = None if stdin is None else json.dumps(stdin)
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def deployment(name: str, replicas: int) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": "main", "image": "nginx", "resources": {"requests": {"cpu": "500m"}}}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def test_a_drained_node_loses_its_pods_to_others(plane: ControlPlane) -> None:
    kubectl(plane, "apply", "-f", "-", stdin=deployment("web", 32))
    kubectl(plane, "rollout", "status", "deployment/web", "--timeout=300s")
    kubectl(plane, "drain", "node-3", "--timeout=300s")
    kubectl(plane, "rollout", "status", "deployment/web", "--timeout=300s")
    pods = json.loads(kubectl(plane, "get", "pods", "-l", "app=web", "-o", "json"))["items"]
    running = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
    assert len(running) == 32
    assert "node-3" not in {pod["spec"]["nodeName"] for pod in running}
    kubectl(plane, "uncordon", "node-3")
    kubectl(plane, "delete", "deployment/web", "--wait=false")
    eventually(lambda: not kubectl(plane, "get", "pods", "-l", "app=web", "-o", "name"))


def test_pods_end_while_others_write_them_all_the_time(plane: ControlPlane, api: Connection) -> None:
    for i in range(40):
        container = {"name": "main", "image": "busybox", "command": ["sleep", "3"]}
        spec = {"restartPolicy": "Never", "containers": [container]}
        api.request("POST", PODS.format("default"), {"metadata": {"name": f"storm-{i}"}, "spec": spec})
    stopped, conflicts = threading.Event(), []
    writers = [threading.Thread(target=write, args=(plane, stopped, conflicts)) for _ in range(6)]
    for writer in writers:
        writer.start()
    try:
        eventually(lambda: phases(api) == {"Succeeded"}, lambda: str(phases(api)))
    finally:
        stopped.set()
        for writer in writers:
            writer.join()
    assert conflicts


def phases(api: Connection) -> set[str]:
    return {item["status"]["phase"] for item in api.request("GET", PODS.format("default")).get("items") or ()}


def write(plane: ControlPlane, stopped: threading.Event, conflicts: list[str]) -> None:
    """Replaces pods again and again, each with the version that was read: most writes conflict with others."""
    api, count = Connection(read_server(plane.kubeconfig)), 0
    while not stopped.is_set():
        for item in api.request("GET", PODS.format("default")).get("items") or ():
            count += 1
            item["metadata"].setdefault("annotations", {})["count"] = str(count)
            try:
                api.request("PUT", f"{PODS.format('default')}/{item['metadata']['name']}", item)
            except ConflictError as error:
                conflicts.append(str(error))
    api.close()
