"""Workloads with thousands of containers: what their controllers compute is computed beside the event loop."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import msgspec
import pytest

from tests.attack.watching import Threads
from tests.support.objects import node_manifest
from wavetank.apiserver.requests.request import Request, Response, User
from wavetank.apiserver.waiting import run_waiting
from wavetank.controllers.daemonsets import revisions as daemonsets
from wavetank.controllers.revisions import history
from wavetank.controllers.statefulsets import revisions as statefulsets
from wavetank.simulation.served import podbehavior
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting

MANY = 1000
USER = User("tester", ("system:masters",))
CONTROLLERS = frozenset({"statefulset-controller", "daemonset-controller", "replicaset-controller"})


def post(cluster: ServedCluster, path: str, document: dict[str, Any]) -> None:
    """Creates something as the server does, and lets the controllers work as it does: all of it may wait."""
    headers = {"content-type": "application/json"}
    request = Request("POST", path, headers=headers, body=msgspec.json.encode(document), user=USER)
    answer = asyncio.run(run_waiting(partial(cluster.api.handle, request)))
    assert isinstance(answer, Response)
    assert answer.status == 201, answer.body
    asyncio.run(run_waiting(partial(cluster.clock.run, cluster.clock.now)))


@pytest.fixture
def cluster() -> ServedCluster:
    made = ServedCluster(ServedSetting(kubelets=True, controllers=CONTROLLERS, start=0), lambda _: USER)
    post(made, "/api/v1/nodes", node_manifest("n"))
    return made


def workload(kind: str, size: int) -> dict[str, Any]:
    labels = {"a": "b"}
    containers = [{"name": f"c{i}", "image": "i"} for i in range(size)]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": spec}


@pytest.mark.parametrize("size", [2, MANY])
@pytest.mark.parametrize(
    ("kind", "module", "function"),
    [
        ("StatefulSet", statefulsets, "data_hash"),
        ("StatefulSet", history, "sorted_patch"),
        ("DaemonSet", daemonsets, "template_hash"),
        ("ReplicaSet", podbehavior, "stopping_time"),
    ],
)
def test_a_large_template_is_looked_at_beside_the_loop(
    kind: str, module: Any, function: str, size: int, cluster: ServedCluster, threads: Threads
) -> None:
    calls = threads(module, function)
    post(cluster, f"/apis/apps/v1/namespaces/default/{kind.lower()}s", workload(kind, size))
    (pod,) = cluster.store.list("Pod")
    assert len(pod.manifest["spec"]["containers"]) == size
    assert calls == [size == MANY]


def test_commands_of_a_large_pod_are_read_beside_the_loop(cluster: ServedCluster, threads: Threads) -> None:
    calls = threads(podbehavior, "stopping_time")
    containers = [{"name": f"c{i}", "image": "i", "command": ["sleep", str(i)]} for i in range(MANY)]
    post(cluster, "/api/v1/namespaces/default/pods", {"metadata": {"name": "p"}, "spec": {"containers": containers}})
    (pod,) = cluster.store.list("Pod")
    assert calls == [True]
    assert pod.behavior is not None
    assert pod.behavior.duration == (MANY - 1) * 10**9
