from __future__ import annotations

from typing import Any

import pytest

from tests.nodes.clusters import KubeletCluster, a_run, latency
from wavetank.cluster.objects.node import Node
from wavetank.nodes.kubelet.latency import NodeLatency
from wavetank.nodes.reports.crashloops import CrashLoopReporter
from wavetank.nodes.reports.kubeletreports import KubeletReports

SLOW = latency(sync=1, start=2)


class ReportingCluster(KubeletCluster):
    """A cluster whose kubelets report of their pods."""

    def __init__(self, nodes: NodeLatency | None = None) -> None:
        super().__init__(nodes)
        self.reports = KubeletReports(self.context, "v1.35.8")
        self.add_node()

    def status(self, name: str = "p") -> dict[str, Any]:
        status: dict[str, Any] = self.reports.render(self.pod(name))["status"]
        return status

    def output(self, previous: bool = False) -> list[tuple[float, str]]:
        lines = self.reports.log(self.pod("p"), "main", previous)
        return [(time / 1e9, line) for time, line in lines]


def conditions(status: dict[str, Any]) -> dict[str, str]:
    return {condition["type"]: condition["status"] for condition in status["conditions"]}


def test_a_pod_on_its_way_is_being_created() -> None:
    cluster = ReportingCluster(SLOW)
    cluster.started("p", run=a_run(10))
    cluster.run_until(2)
    status = cluster.status()
    assert status["phase"] == "Pending"
    assert status["containerStatuses"][0]["state"] == {"waiting": {"reason": "ContainerCreating"}}
    assert status["hostIP"] == "172.16.0.1"
    assert "podIP" not in status
    assert conditions(status)["Ready"] == "False"
    assert conditions(status)["PodScheduled"] == "True"
    assert cluster.output() == []


def test_a_running_pod_is_ready() -> None:
    cluster = ReportingCluster(SLOW)
    cluster.started("p", run=a_run(10))
    cluster.run_until(5)
    status = cluster.status()
    container = status["containerStatuses"][0]
    assert (container["ready"], container["restartCount"], container["started"]) == (True, 0, True)
    assert container["state"] == {"running": {"startedAt": "2030-01-01T00:00:03Z"}}
    assert (status["podIP"], status["startTime"]) == ("10.128.0.1", "2030-01-01T00:00:00Z")
    assert set(conditions(status).values()) == {"True"}
    assert cluster.output() == [
        (0, "pod default/p was bound to node n"),
        (3, "pulled image app:1"),
        (3, "started container main"),
        (3, "running for 10 s"),
    ]


@pytest.mark.parametrize(("exit_code", "reason"), [(0, "Completed"), (3, "Error")])
def test_a_finished_pod_says_how_it_ended(exit_code: int, reason: str) -> None:
    cluster = ReportingCluster(SLOW)
    cluster.started("p", run=a_run(10, exit_code), restartPolicy="Never")
    cluster.run_until(60)
    status = cluster.status()
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (exit_code, reason)
    assert (ended["startedAt"], ended["finishedAt"]) == ("2030-01-01T00:00:03Z", "2030-01-01T00:00:13Z")
    assert conditions(status)["Ready"] == "False"
    assert cluster.output()[-1] == (13, f"finished with exit code {exit_code} after 10 s")


def test_a_pod_that_is_started_again_has_a_past() -> None:
    cluster = ReportingCluster()
    cluster.started("p", run=a_run(5, 1), restartPolicy="OnFailure")
    cluster.run_until(22)
    container = cluster.status()["containerStatuses"][0]
    assert container["restartCount"] == 2
    assert container["state"] == {"running": {"startedAt": "2030-01-01T00:00:20Z"}}
    assert container["lastState"]["terminated"]["finishedAt"] == "2030-01-01T00:00:10Z"
    assert cluster.output()[1] == (20, "started container main again, restart 2")
    assert cluster.output(previous=True)[-1] == (10, "finished with exit code 1 after 5 s")


@pytest.mark.parametrize(
    ("policy", "exit_code", "state"),
    [
        ("Always", 1, "waiting"),
        ("Always", 0, "waiting"),
        ("OnFailure", 1, "waiting"),
        ("OnFailure", 0, "terminated"),
        ("Never", 1, "terminated"),
    ],
)
def test_containers_that_wait_for_their_restart_say_so(policy: str, exit_code: int, state: str) -> None:
    cluster = ReportingCluster()
    CrashLoopReporter(cluster.context, cluster.reports)
    cluster.started("p", run=a_run(5, exit_code), restartPolicy=policy)
    cluster.run_until(7)
    running = cluster.pod("p")
    cluster.run_until(15)  # started at 0 and 5, next at 20
    status = cluster.status()
    container = status["containerStatuses"][0]
    assert list(container["state"]) == [state]
    assert container["ready"] is False
    if state == "waiting":
        assert container["state"]["waiting"]["reason"] == "CrashLoopBackOff"
        assert container["lastState"]["terminated"]["finishedAt"] == "2030-01-01T00:00:10Z"
        assert conditions(status)["Ready"] == "False"
        assert cluster.output()[-1] == (10, f"finished with exit code {exit_code} after 5 s")
        assert "running" in cluster.reports.render(running)["status"]["containerStatuses"][0]["state"]
        cluster.run_until(22)
        assert cluster.status()["containerStatuses"][0]["restartCount"] == 2
        assert conditions(cluster.status())["Ready"] == "True"


def test_a_pod_that_its_node_refuses_never_had_a_container() -> None:
    cluster = ReportingCluster()
    cluster.started("p", requests={"cpu": "64"})
    cluster.run_until(1)
    status = cluster.status()
    assert status["reason"] == "OutOfcpu"
    assert "containerStatuses" not in status


def test_an_old_version_is_told_as_it_was() -> None:
    cluster = ReportingCluster(SLOW)
    cluster.started("p", run=a_run(10), restartPolicy="Never")
    cluster.run_until(5)
    running = cluster.pod("p")
    before = cluster.reports.render(running)
    cluster.run_until(60)
    assert cluster.reports.render(running) == before


def test_pods_and_nodes_have_addresses_of_their_own() -> None:
    cluster = ReportingCluster()
    cluster.add_node("m")
    for name in ("a", "b", "c"):
        cluster.started(name)
    cluster.run_until(1)
    assert len({cluster.status(name)["podIP"] for name in ("a", "b", "c")}) == 3
    nodes = [cluster.reports.render(node)["status"]["addresses"][0] for node in cluster.store.list("Node")]
    assert nodes == [{"type": "InternalIP", "address": f"172.16.0.{number}"} for number in (1, 2)]


def test_a_node_says_what_kubectl_shows_of_it() -> None:
    cluster = ReportingCluster()
    status = cluster.reports.render(cluster.store.get("Node", "", "n"))["status"]
    ready = next(condition for condition in status["conditions"] if condition["type"] == "Ready")
    assert (ready["status"], ready["reason"]) == ("True", "KubeletReady")
    assert status["capacity"] == status["allocatable"]
    assert status["nodeInfo"]["kubeletVersion"] == "v1.35.8"
    assert len(status["conditions"]) == 4


def test_what_the_object_says_of_a_node_stays() -> None:
    cluster = ReportingCluster()
    lost = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}
    manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "x"}}
    node = Node({**manifest, "status": {"conditions": [lost, {"type": "Flaky", "status": "True"}]}})
    told = cluster.reports.render(node)["status"]["conditions"]
    assert lost in told
    assert told[-1] == {"type": "Flaky", "status": "True"}


@pytest.mark.parametrize(
    ("script", "after", "lines"),
    [
        pytest.param("echo hello", 20, [(3, "hello")], id="a line"),
        pytest.param("echo a; sleep 4; echo b", 5, [(3, "a")], id="up to now"),
        pytest.param("echo a; sleep 4; echo b", 20, [(3, "a"), (7, "b")], id="all"),
    ],
)
def test_the_log_is_what_the_command_prints(script: str, after: float, lines: list[tuple[float, str]]) -> None:
    cluster = ReportingCluster(SLOW)
    cluster.started("p", run=a_run(10), containers=[{"name": "main", "command": ["sh", "-c", script]}])
    cluster.run_until(after)
    assert cluster.output() == lines
