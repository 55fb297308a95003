from __future__ import annotations

from typing import Any

import pytest

from tests.nodes.living import World, a_run, latency
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.nodes.kubelet.latency import NodeLatency
from wavetank.nodes.reports.crashloops import CrashLoopReporter
from wavetank.nodes.reports.kubeletreports import KubeletReports

SLOW = latency(sync=1, start=2)


class Told(World):
    """Nodes at work, and somebody who tells of them."""

    def __init__(self, nodes: NodeLatency | None = None) -> None:
        super().__init__(nodes)
        self.reports = KubeletReports(self.context, "v1.35.8")
        self.node()

    def pod_now(self, name: str = "p") -> Pod:
        pod = self.store.get("Pod", "default", name)
        assert isinstance(pod, Pod)
        return pod

    def status(self, name: str = "p") -> dict[str, Any]:
        status: dict[str, Any] = self.reports.render(self.pod_now(name))["status"]
        return status

    def log(self, previous: bool = False) -> list[tuple[float, str]]:
        lines = self.reports.log(self.pod_now(), "main", previous)
        return [(time / 1e9, line) for time, line in lines]


def conditions(status: dict[str, Any]) -> dict[str, str]:
    return {condition["type"]: condition["status"] for condition in status["conditions"]}


def test_a_pod_on_its_way_is_being_created() -> None:
    world = Told(SLOW)
    world.started("p", run=a_run(10))
    world.run(2)
    status = world.status()
    assert status["phase"] == "Pending"
    assert status["containerStatuses"][0]["state"] == {"waiting": {"reason": "ContainerCreating"}}
    assert status["hostIP"] == "172.16.0.1"
    assert "podIP" not in status
    assert conditions(status)["Ready"] == "False"
    assert conditions(status)["PodScheduled"] == "True"
    assert world.log() == []


def test_a_running_pod_is_ready() -> None:
    world = Told(SLOW)
    world.started("p", run=a_run(10))
    world.run(5)
    status = world.status()
    container = status["containerStatuses"][0]
    assert (container["ready"], container["restartCount"], container["started"]) == (True, 0, True)
    assert container["state"] == {"running": {"startedAt": "2030-01-01T00:00:03Z"}}
    assert (status["podIP"], status["startTime"]) == ("10.128.0.1", "2030-01-01T00:00:00Z")
    assert set(conditions(status).values()) == {"True"}
    assert world.log() == [
        (0, "pod default/p was bound to node n"),
        (3, "pulled image busybox:1"),
        (3, "started container main"),
        (3, "running for 10 s"),
    ]


@pytest.mark.parametrize(("exit_code", "reason"), [(0, "Completed"), (3, "Error")])
def test_a_finished_pod_says_how_it_ended(exit_code: int, reason: str) -> None:
    world = Told(SLOW)
    world.started("p", run=a_run(10, exit_code), restartPolicy="Never")
    world.run(60)
    status = world.status()
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (exit_code, reason)
    assert (ended["startedAt"], ended["finishedAt"]) == ("2030-01-01T00:00:03Z", "2030-01-01T00:00:13Z")
    assert conditions(status)["Ready"] == "False"
    assert world.log()[-1] == (13, f"finished with exit code {exit_code} after 10 s")


def test_a_pod_that_is_started_again_has_a_past() -> None:
    world = Told()
    world.started("p", run=a_run(5, 1), restartPolicy="OnFailure")
    world.run(22)
    container = world.status()["containerStatuses"][0]
    assert container["restartCount"] == 2
    assert container["state"] == {"running": {"startedAt": "2030-01-01T00:00:20Z"}}
    assert container["lastState"]["terminated"]["finishedAt"] == "2030-01-01T00:00:10Z"
    assert world.log()[1] == (20, "started container main again, restart 2")
    assert world.log(previous=True)[-1] == (10, "finished with exit code 1 after 5 s")


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
    world = Told()
    CrashLoopReporter(world.context, world.reports)
    world.started("p", run=a_run(5, exit_code), restartPolicy=policy)
    world.run(7)
    running = world.pod_now()
    world.run(15)  # started at 0 and 5, next at 20
    status = world.status()
    container = status["containerStatuses"][0]
    assert list(container["state"]) == [state]
    assert container["ready"] is False
    if state == "waiting":
        assert container["state"]["waiting"]["reason"] == "CrashLoopBackOff"
        assert container["lastState"]["terminated"]["finishedAt"] == "2030-01-01T00:00:10Z"
        assert conditions(status)["Ready"] == "False"
        assert world.log()[-1] == (10, f"finished with exit code {exit_code} after 5 s")
        assert "running" in world.reports.render(running)["status"]["containerStatuses"][0]["state"]
        world.run(22)
        assert world.status()["containerStatuses"][0]["restartCount"] == 2
        assert conditions(world.status())["Ready"] == "True"


def test_a_pod_that_its_node_refuses_never_had_a_container() -> None:
    world = Told()
    world.started("p", requests={"cpu": "64"})
    world.run(1)
    status = world.status()
    assert status["reason"] == "OutOfcpu"
    assert "containerStatuses" not in status


def test_an_old_version_is_told_as_it_was() -> None:
    world = Told(SLOW)
    world.started("p", run=a_run(10), restartPolicy="Never")
    world.run(5)
    running = world.pod_now()
    before = world.reports.render(running)
    world.run(60)
    assert world.reports.render(running) == before


def test_pods_and_nodes_have_addresses_of_their_own() -> None:
    world = Told()
    world.node("m")
    for name in ("a", "b", "c"):
        world.started(name)
    world.run(1)
    assert len({world.status(name)["podIP"] for name in ("a", "b", "c")}) == 3
    nodes = [world.reports.render(node)["status"]["addresses"][0] for node in world.store.list("Node")]
    assert nodes == [{"type": "InternalIP", "address": f"172.16.0.{number}"} for number in (1, 2)]


def test_a_node_says_what_kubectl_shows_of_it() -> None:
    world = Told()
    status = world.reports.render(world.store.get("Node", "", "n"))["status"]
    ready = next(condition for condition in status["conditions"] if condition["type"] == "Ready")
    assert (ready["status"], ready["reason"]) == ("True", "KubeletReady")
    assert status["capacity"] == status["allocatable"]
    assert status["nodeInfo"]["kubeletVersion"] == "v1.35.8"
    assert len(status["conditions"]) == 4


def test_what_somebody_else_says_of_a_node_stays() -> None:
    world = Told()
    lost = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}
    manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "x"}}
    node = Node({**manifest, "status": {"conditions": [lost, {"type": "Flaky", "status": "True"}]}})
    told = world.reports.render(node)["status"]["conditions"]
    assert lost in told
    assert told[-1] == {"type": "Flaky", "status": "True"}
