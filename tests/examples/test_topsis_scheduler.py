"""The stand-alone TOPSIS scheduler: on what it reads, and on a served cluster."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.apiserver.serving import serving
from tests.support.objects import pod_manifest
from wavetank.examples.topsis_scheduler import NODE_METRICS, NODES, POD_METRICS, PODS, TopsisScheduler
from wavetank.scheduling.policies.topsis.policy import Topsis

HAS = {"cpu": "4", "memory": "8Gi", "pods": "110"}


def a_listed_node(name, **status):
    return {"metadata": {"name": name}, "status": {"allocatable": HAS, "capacity": HAS, **status}}


def a_pending_pod(name, node="", scheduler="topsis", cpu="1", created="2030-01-01T00:00:00Z"):
    metadata = {"uid": name, "creationTimestamp": created}
    return pod_manifest(name, node, cpu=cpu, metadata=metadata, status={"phase": "Pending"}, schedulerName=scheduler)


def used(cpu, memory="0"):
    return {"usage": {"cpu": cpu, "memory": memory}}


class Fake:
    """A cluster that answers from lists, and notes each binding."""

    def __init__(self, nodes, pods, **metrics):
        self.lists = {NODES: nodes, PODS: pods, **metrics}
        self.bound = []
        self.said = []

    def bind(self, pod, node_name):
        self.bound.append((pod.name, node_name))
        return True

    def run(self, **args):
        scheduler = TopsisScheduler(self.lists.get, self.bind, Topsis(**args), "topsis", self.said.append)
        return scheduler.run_once()


def test_it_binds_its_pending_pods_the_oldest_first():
    waiting = [
        a_pending_pod("late", created="2030-01-01T00:00:09Z"),
        a_pending_pod("early"),
        a_pending_pod("other", scheduler="else"),
    ]
    fake = Fake([a_listed_node("n1"), a_listed_node("n2")], [*waiting, a_pending_pod("there", node="n1")])
    assert fake.run() == 2
    assert fake.bound[0] == ("early", "n2")
    assert [name for name, _ in fake.bound] == ["early", "late"]


def test_it_sees_the_load_of_others_in_the_metrics_and_does_not_count_pods_twice():
    metrics = {
        NODE_METRICS: [{"metadata": {"name": "n1"}, **used("3")}, {"metadata": {"name": "n2"}, **used("2")}],
        POD_METRICS: [{"metadata": {"name": "big", "namespace": "default"}, "containers": [used("3")]}],
    }
    pods = [a_pending_pod("big", node="n1", cpu="1"), a_pending_pod("new")]
    fake = Fake([a_listed_node("n1"), a_listed_node("n2")], pods, **metrics)
    fake.run(criteria=["cpu_utilisation"])
    assert fake.bound == [("new", "n1")]  # 1 of 4 asked for there; 2 of 4 in use here, by no pod


def test_a_pod_that_fits_nowhere_waits_and_is_named_once():
    fake = Fake([a_listed_node("n1")], [a_pending_pod("huge", cpu="64")])
    assert fake.run() == 0
    assert [said for said in fake.said if "default/huge waits" in said and "Insufficient cpu" in said]


def test_compat_seed_sends_all_to_one_node():
    fake = Fake(
        [a_listed_node("n1"), a_listed_node("n2")], [a_pending_pod("a"), a_pending_pod("b"), a_pending_pod("c")]
    )
    fake.run(compat="seed")
    assert len({node for _, node in fake.bound}) == 1


def scheduler(*words):
    command = [sys.executable, "-m", "wavetank.examples.topsis_scheduler", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_it_schedules_on_a_served_cluster(tmp_path):
    (tmp_path / "nodes.yaml").write_text(
        """
apiVersion: v1
kind: Node
metadata: {name: idle}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: busy, annotations: {wavetank.dev/load: "cpu=75%,memory=70%"}}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
"""
    )
    with serving(tmp_path, "--cluster", tmp_path / "nodes.yaml", "--scheduler", "none") as server:
        spec = {"schedulerName": "topsis", "containers": [{"name": "c", "image": "busybox"}]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": spec}
        assert server.ask("POST", "/api/v1/namespaces/default/pods", pod).status == 201
        ended = scheduler("--kubeconfig", server.kubeconfig, "--once")
        assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "default/one -> idle")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--kubeconfig", "missing.yaml"], "error: cannot use the kubeconfig: "),
        (["--criteria", "cores", "--weights", "1,2"], "error: args.weights: expected one weight for each of cores"),
        (["--weights", "a"], "error: --weights: expected numbers separated by commas, got 'a'"),
        (["--at-most", "cores"], "error: --at-most: expected CRITERION=VALUE, got 'cores'"),
    ],
)
def test_bad_input_is_one_message_and_status_2(words, message):
    ended = scheduler(*words)
    assert ended.returncode == 2
    assert ended.stderr.startswith(message)
    assert len(ended.stderr.splitlines()) == 1


def test_kube_scheduler_leaves_its_pods_alone_if_it_takes_only_its_own(tmp_path):
    (tmp_path / "nodes.yaml").write_text(
        """
apiVersion: v1
kind: Node
metadata: {name: n}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
"""
    )
    options = ("--cluster", tmp_path / "nodes.yaml", "--own-pods-only")
    with serving(tmp_path, *options) as server:
        pods = "/api/v1/namespaces/default/pods"
        for name, owner in (("theirs", "topsis"), ("mine", "default-scheduler")):
            spec = {"schedulerName": owner, "containers": [{"name": "c", "image": "busybox"}]}
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
            assert server.ask("POST", pods, pod).status == 201
        server.until(f"{pods}/mine", lambda found: found["spec"].get("nodeName") == "n")
        assert "nodeName" not in server.ask("GET", f"{pods}/theirs").json["spec"]
