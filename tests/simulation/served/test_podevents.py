from __future__ import annotations

from typing import Any

import pytest

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.simulation.served import eventlog
from wavetank.simulation.served.eventlog import EventLog
from wavetank.simulation.served.podevents import PodEvents


class World:
    """A pod, and the Events that are written of it."""

    def __init__(self, scheduler: bool = True, kubelets: bool = True) -> None:
        self.store = Store(Clock())
        PodEvents(self.store, EventLog(self.store), scheduler, kubelets)
        container = {"name": "main", "image": "nginx:1"}
        manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container]}}
        self.store.create(Pod.parse(manifest, self.store.specs))

    def change(self, **fields: Any) -> None:
        pod = self.store.get("Pod", "default", "p").copy()
        for field, value in fields.items():
            setattr(pod, field, value)
        self.store.update(pod)

    def told(self) -> list[tuple[str, str, str]]:
        events = [event.manifest for event in self.store.list("Event")]
        return [(event["source"]["component"], event["reason"], event["message"]) for event in events]


def test_a_pods_life_is_told() -> None:
    world = World()
    world.change(unschedulable="0/1 nodes are available")
    world.change(unschedulable="0/1 nodes are available")
    world.change(unschedulable="", node_name="n")
    world.change(phase="Running", started=0)
    world.change(deleted=1)
    assert world.told() == [
        ("default-scheduler", "FailedScheduling", "0/1 nodes are available"),
        ("default-scheduler", "Scheduled", "Successfully assigned default/p to n"),
        ("kubelet", "Pulled", 'Successfully pulled image "nginx:1"'),
        ("kubelet", "Created", "Container created"),
        ("kubelet", "Started", "Container started"),
        ("kubelet", "Killing", "Stopping container main"),
    ]


def test_a_refusal_of_the_node_is_a_warning() -> None:
    world = World(scheduler=False)
    world.change(node_name="n")
    world.change(phase="Failed", reason="OutOfcpu", message="Node didn't have enough resource: cpu")
    assert world.told() == [("kubelet", "OutOfcpu", "Node didn't have enough resource: cpu")]


def test_who_is_outside_tells_by_himself() -> None:
    world = World(scheduler=False, kubelets=False)
    world.change(node_name="n")
    world.change(phase="Running", started=0)
    assert world.told() == []


def test_only_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eventlog, "_MOST", 3)
    world = World(kubelets=False)
    for i in range(9):
        world.change(unschedulable=f"attempt {i}")
    assert [message for _, _, message in world.told()] == ["attempt 6", "attempt 7", "attempt 8"]
