"""Workloads that are changed or deleted while their controller creates their pods, in the breaks of a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.objects import node_manifest
from tests.ui.test_session_breaks import Broken
from wavetank.cluster.objects.groupkinds import POD

PODS = 50
NAMESPACE = "namespaces/default"
PATHS = {
    "Deployment": f"/apis/apps/v1/{NAMESPACE}/deployments",
    "ReplicaSet": f"/apis/apps/v1/{NAMESPACE}/replicasets",
    "StatefulSet": f"/apis/apps/v1/{NAMESPACE}/statefulsets",
    "DaemonSet": f"/apis/apps/v1/{NAMESPACE}/daemonsets",
    "Job": f"/apis/batch/v1/{NAMESPACE}/jobs",
    "ReplicationController": f"/api/v1/{NAMESPACE}/replicationcontrollers",
}
FIVE = ({"replicas": 5}, 5)
SCALED: dict[str, tuple[dict[str, Any], int]] = {  # a change of the spec, and how many pods are left
    "Deployment": FIVE,
    "ReplicaSet": FIVE,
    "StatefulSet": FIVE,
    "DaemonSet": ({"template": {"spec": {"nodeSelector": {"even": "yes"}}}}, PODS // 2),
    "Job": ({"suspend": True}, 0),
    "ReplicationController": FIVE,
}


class Bursting(Broken):
    """A session in which a workload `w` is created whose controller creates many pods at once."""

    def __init__(self, kind: str) -> None:
        super().__init__(start=0)
        self.kind = kind
        for i in range(PODS if kind == "DaemonSet" else 0):
            even = {"even": "yes"} if i % 2 else {}
            self.write("POST", "/api/v1/nodes", node_manifest(f"m{i}", labels={"new": "yes", **even}))
        self.advance(5)

    def write(self, method: str, path: str, body: object) -> None:
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        assert self.ask(method, path, body, kind).status < 300

    def create(self) -> None:
        labels = {"app": "w"}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        spec: dict[str, Any] = {"template": template}
        if self.kind == "Job":
            template["spec"]["restartPolicy"] = "Never"
            spec |= {"parallelism": PODS, "completions": PODS}
        elif self.kind == "DaemonSet":
            template["spec"]["nodeSelector"] = {"new": "yes"}
        else:
            spec["replicas"] = PODS
        if self.kind == "StatefulSet":
            spec |= {"serviceName": "s", "podManagementPolicy": "Parallel"}
        if self.kind != "Job":
            spec["selector"] = labels if self.kind == "ReplicationController" else {"matchLabels": labels}
        version = PATHS[self.kind].removeprefix("/apis/").removeprefix("/api/").partition(f"/{NAMESPACE}")[0]
        manifest = {"apiVersion": version, "kind": self.kind, "metadata": {"name": "w"}, "spec": spec}
        self.write("POST", PATHS[self.kind], manifest)

    def delete(self) -> None:
        self.write("DELETE", f"{PATHS[self.kind]}/w", {"propagationPolicy": "Background"})

    def recreate(self) -> None:
        self.delete()
        self.create()

    def scale(self) -> None:
        change, _ = SCALED[self.kind]
        self.write("PATCH", f"{PATHS[self.kind]}/w", {"spec": change})

    def pods_after(self, act: Callable[[], None], break_: int) -> int:
        """Returns how many pods there are some minutes after something was done in a break of the creation."""
        self.in_breaks = [*([lambda: None] * break_), lambda: self._in_the_middle(act)]
        self.create()
        self.advance(300)
        assert not self.in_breaks, "there were as many breaks"
        return len(self.names())

    def _in_the_middle(self, act: Callable[[], None]) -> None:
        assert 0 < len(list(self.session.served.store.list(POD))) < PODS, "the creation is under way"
        act()


@pytest.mark.parametrize("break_", [0, 1])
@pytest.mark.parametrize("kind", PATHS)
class TestAWorkloadInTheMiddleOfItsCreation:
    def test_leaves_no_pods_if_it_is_deleted(self, kind: str, break_: int) -> None:
        session = Bursting(kind)
        assert session.pods_after(session.delete, break_) == 0

    def test_has_all_its_pods_if_it_is_created_anew(self, kind: str, break_: int) -> None:
        session = Bursting(kind)
        assert session.pods_after(session.recreate, break_) == PODS

    def test_has_as_many_pods_as_it_is_scaled_to(self, kind: str, break_: int) -> None:
        session = Bursting(kind)
        assert session.pods_after(session.scale, break_) == SCALED[kind][1]


def test_a_job_that_is_deleted_while_it_adopts_pods_leaves_none() -> None:
    session = Bursting("Job")
    pod = {"metadata": {"labels": {"app": "w"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    for i in range(20):
        manifest = {**pod, "apiVersion": "v1", "kind": "Pod", "metadata": {**pod["metadata"], "name": f"p{i}"}}
        session.write("POST", f"/api/v1/{NAMESPACE}/pods", manifest)
    session.advance(5)
    session.in_breaks = [session.delete]
    spec = {"manualSelector": True, "selector": {"matchLabels": {"app": "w"}}, "parallelism": 20}
    pod["spec"]["restartPolicy"] = "Never"
    manifest = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "w"}, "spec": {**spec, "template": pod}}
    session.write("POST", PATHS["Job"], manifest)
    session.advance(300)
    assert not session.in_breaks
    assert session.names() == []
