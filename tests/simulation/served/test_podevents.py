from __future__ import annotations

from typing import Any

import pytest

from tests.support.clusters import Cluster
from tests.support.objects import pod_manifest
from wavetank.simulation.served import eventlog
from wavetank.simulation.served.eventlog import EventLog
from wavetank.simulation.served.podevents import PodEvents


class EventCluster(Cluster):
    """A pod, and the Events that are written of it."""

    def __init__(self, scheduler: bool = True, kubelets: bool = True) -> None:
        super().__init__()
        PodEvents(self.store, EventLog(self.store), scheduler, kubelets)
        self.create(pod_manifest("p"))

    def change(self, **fields: Any) -> None:
        pod = self.store.get("Pod", "default", "p").copy()
        for field, value in fields.items():
            setattr(pod, field, value)
        self.store.update(pod)

    def told(self) -> list[tuple[str, str, str]]:
        events = [event.manifest for event in self.store.list("Event")]
        return [(event["source"]["component"], event["reason"], event["message"]) for event in events]


def test_a_pods_life_is_told() -> None:
    cluster = EventCluster()
    cluster.change(unschedulable="0/1 nodes are available")
    cluster.change(unschedulable="0/1 nodes are available")
    cluster.change(unschedulable="", node_name="n")
    cluster.change(phase="Running", started=0)
    cluster.change(deleted=1)
    assert cluster.told() == [
        ("default-scheduler", "FailedScheduling", "0/1 nodes are available"),
        ("default-scheduler", "Scheduled", "Successfully assigned default/p to n"),
        ("kubelet", "Pulled", 'Successfully pulled image "app:1"'),
        ("kubelet", "Created", "Container created"),
        ("kubelet", "Started", "Container started"),
        ("kubelet", "Killing", "Stopping container main"),
    ]


def test_a_preempted_pod_is_told_by_whom() -> None:
    cluster = EventCluster(kubelets=False)
    cluster.change(node_name="n")
    cluster.create(pod_manifest("higher"))
    higher = cluster.store.get("Pod", "default", "higher").copy()
    cluster.store.evict(cluster.store.get("Pod", "default", "p"), "Preempted")
    higher.nominated_node = "n"
    cluster.store.update(higher)
    cluster.store.clock.run(10**9)
    message = f"Preempted by pod {higher.uid} on node n"
    assert cluster.told()[-1] == ("default-scheduler", "Preempted", message)


def test_a_refusal_of_the_node_is_a_warning() -> None:
    cluster = EventCluster(scheduler=False)
    cluster.change(node_name="n")
    cluster.change(phase="Failed", reason="OutOfcpu", message="Node didn't have enough resource: cpu")
    assert cluster.told() == [("kubelet", "OutOfcpu", "Node didn't have enough resource: cpu")]


def test_programs_outside_write_their_own_events() -> None:
    cluster = EventCluster(scheduler=False, kubelets=False)
    cluster.change(node_name="n")
    cluster.change(phase="Running", started=0)
    assert cluster.told() == []


def test_only_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eventlog, "_MOST", 3)
    cluster = EventCluster(kubelets=False)
    for i in range(9):
        cluster.change(unschedulable=f"attempt {i}")
    assert [message for _, _, message in cluster.told()] == ["attempt 6", "attempt 7", "attempt 8"]
