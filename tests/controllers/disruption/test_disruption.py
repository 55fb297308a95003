from __future__ import annotations

import random
from typing import Any

import pytest

from tests.controllers.clusters import ControllerCluster, a_workload
from tests.support.objects import pod_manifest
from wavetank.cluster.objects.kinds import PodDisruptionBudget
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.descriptors import start_controllers
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.storeclient import StoreClient
from wavetank.kernel.clock import Clock

PDB = "PodDisruptionBudget.policy"


def a_budget(cluster: ControllerCluster, **spec: Any) -> None:
    metadata = {"name": "b", "namespace": "default"}
    given = {"selector": {"matchLabels": {"app": "web"}}, **spec}
    cluster.create({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": given})


def figures(cluster: ControllerCluster) -> tuple[int, int, int, int]:
    status = cluster.status(PDB, "b")
    return tuple(status[name] for name in ("expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed"))


def condition(cluster: ControllerCluster) -> tuple[str, str, str]:
    (found,) = cluster.status(PDB, "b")["conditions"]
    return found["status"], found["reason"], found["message"]


@pytest.mark.parametrize(
    ("spec", "running", "expected"),
    [
        pytest.param({"minAvailable": 2}, 4, (4, 2, 4, 2), id="at least two"),
        pytest.param({"minAvailable": 2}, 1, (4, 2, 1, 0), id="too few are ready"),
        pytest.param({"minAvailable": "30%"}, 4, (4, 2, 4, 2), id="a share, rounded up"),
        pytest.param({"maxUnavailable": 1}, 4, (4, 3, 4, 1), id="at most one"),
        pytest.param({"maxUnavailable": "30%"}, 3, (4, 2, 3, 1), id="a share of those wanted"),
    ],
)
def test_a_budget_tells_how_many_pods_may_be_disrupted(
    spec: dict[str, Any], running: int, expected: tuple[int, ...]
) -> None:
    cluster = ControllerCluster("disruption,replicaset")
    cluster.create(a_workload("ReplicaSet", replicas=4))
    cluster.start(cluster.pods()[:running])
    a_budget(cluster, **spec)
    assert figures(cluster) == expected
    status, reason = ("True", "SufficientPods") if expected[3] else ("False", "InsufficientPods")
    assert condition(cluster) == (status, reason, "")


def test_pods_are_counted_as_they_come_and_go() -> None:
    cluster = ControllerCluster("disruption")
    a_budget(cluster, minAvailable=1)
    assert figures(cluster) == (0, 1, 0, 0)
    assert cluster.told[-1][1:] == ("NoPods", "No matching pods found")
    cluster.create(pod_manifest("one", labels={"app": "web"}))
    cluster.create(pod_manifest("two", labels={"app": "web"}))
    cluster.start()
    assert figures(cluster) == (2, 1, 2, 1)
    cluster.client.delete(cluster.get("Pod", "one"))
    cluster.run()
    assert figures(cluster) == (2, 1, 1, 0)
    cluster.remove_deleted()
    assert figures(cluster) == (1, 1, 1, 0)


def test_a_percentage_of_pods_without_a_controller_is_unknown() -> None:
    cluster = ControllerCluster("disruption,job")
    cluster.create(pod_manifest("one", labels={"app": "web"}))
    cluster.start()
    a_budget(cluster, maxUnavailable=1)
    assert figures(cluster) == (0, 0, 1, 0)
    assert cluster.told[-1][1] == "UnmanagedPods"


def test_the_number_of_pods_of_a_daemon_set_is_unknown() -> None:
    cluster = ControllerCluster("disruption")
    owner = cluster.create(a_workload("DaemonSet"))
    pod = pod_manifest("one", labels={"app": "web"})
    reference = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": owner.name, "uid": owner.uid, "controller": True}
    pod["metadata"]["ownerReferences"] = [reference]
    cluster.create(pod)
    a_budget(cluster, maxUnavailable=1)
    assert condition(cluster) == ("False", "SyncFailed", "daemonsets.apps does not implement the scale subresource")


def test_an_evicted_pod_that_stays_counts_again_after_two_minutes() -> None:
    cluster = ControllerCluster("disruption")
    cluster.create(pod_manifest("one", labels={"app": "web"}))
    cluster.start()
    a_budget(cluster, minAvailable=0)
    budget = cluster.get(PDB, "b")
    status = {**budget.manifest["status"], "disruptedPods": {"one": "2030-01-01T00:00:00Z"}}
    cluster.client.update_status(budget, status)
    cluster.run(60)
    assert figures(cluster) == (1, 0, 0, 0)
    cluster.run(61)
    assert figures(cluster) == (1, 0, 1, 1)
    assert "disruptedPods" not in cluster.status(PDB, "b")


def test_schedulers_of_a_run_read_what_is_allowed() -> None:
    clock = Clock()
    store = Store(clock)
    client = StoreClient(store, random.Random(1), lambda pod: None)
    start_controllers(ControllerContext(store, client), {"disruption-controller"})
    spec = {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 1}
    head = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}}
    store.create(PodDisruptionBudget({**head, "spec": spec}))
    for name in ("one", "two"):
        pod = client.create(pod_manifest(name, labels={"app": "web"})).copy()
        assert isinstance(pod, Pod)
        pod.phase, pod.started = "Running", 0
        store.update(pod)
    clock.run(clock.now)
    budget = store.get(PDB, "default", "b")
    assert isinstance(budget, PodDisruptionBudget)
    assert budget.disruptions_allowed == 1
