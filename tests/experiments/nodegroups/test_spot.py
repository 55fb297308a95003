"""Spot groups: machines get a notice, their nodes are drained, and others are ordered in their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.node import Node
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.recording import record
from wavetank.kernel.durations import SECOND
from wavetank.simulation.observer import Observer
from wavetank.simulation.simulation import Simulation

HEAD = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment"}
CONTROL = {"name": "control", "cpu": 1, "memory": "1Gi", "taints": [{"key": "control", "effect": "NoSchedule"}]}
GROUP = {"name": "spot", "max": 5, "initial": 1, "cpu": 4, "memory": "8Gi", "boot": "60s"}
CONTAINER = {"name": "main", "image": "nginx", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [CONTAINER]}},
    },
}
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}},
}


class NodeTimes(Observer):
    """Notes when nodes come, are cordoned and go, and where pods are when they end, in seconds."""

    def __init__(self) -> None:
        self.events: list[tuple[float, str, str]] = []
        self.pods_gone: list[float] = []

    def join(self, context: ActorContext) -> None:
        self._context = context
        context.store.subscribe("Node", added=self._added, modified=self._modified, deleted=self._deleted)
        context.store.subscribe("Pod", deleted=lambda pod: self.pods_gone.append(context.clock.now / SECOND))

    def _note(self, name: str, what: str) -> None:
        self.events.append((self._context.clock.now / SECOND, name, what))

    def _added(self, node: Node) -> None:
        if node.name.startswith("control"):
            return
        self._note(node.name, "added")

    def _modified(self, old: Node, new: Node) -> None:
        if new.unschedulable and not old.unschedulable:
            self._note(new.name, "cordoned")

    def _deleted(self, node: Node) -> None:
        self._note(node.name, "deleted")


def watch(spot: dict[str, Any], *more: dict[str, Any], horizon: str = "15m") -> NodeTimes:
    spec = {
        "cluster": {"nodes": [CONTROL], "objects": [DEPLOYMENT, *more]},
        "workload": {"generator": {"kind": "poisson", "pods": 1, "rate": 1, "duration": 1, "requests": [{"cpu": 1}]}},
        "nodeGroups": [{**GROUP, "spot": spot}],
        "horizon": horizon,
    }
    experiment = parse_experiment({**HEAD, "spec": spec}, Path())
    times = NodeTimes()
    Simulation(experiment.setting(experiment.schedulers[0]), 1, [times]).run()
    return times


def test_a_notice_cordons_the_node_and_another_machine_is_ordered_when_it_is_gone() -> None:
    times = watch({"lifetime": "5m", "notice": "2m"}, horizon="9m")
    assert times.events == [
        (0, "spot-001", "added"),
        (300, "spot-001", "cordoned"),
        (420, "spot-001", "deleted"),
        (480, "spot-002", "added"),
    ]
    assert times.pods_gone[1:] == [300, 300]  # the first is that of the workload


def test_pods_that_a_budget_protects_stay_until_pod_garbage_collection_finds_their_node_gone() -> None:
    times = watch({"lifetime": "5m", "notice": "2m"}, BUDGET, horizon="9m")
    assert times.pods_gone[1:] == [460, 460]  # 40 s after the node


def test_without_a_notice_the_machine_is_gone_at_once() -> None:
    times = watch({"lifetime": "5m", "notice": 0}, horizon="6m")
    assert [event[2] for event in times.events] == ["added", "deleted", "added"]


def test_the_interruptions_of_a_seed_are_the_same_again_and_come_at_their_rate() -> None:
    one, other = (watch({"rate": 20, "notice": 0}, horizon="50h") for _ in range(2))
    assert one.events == other.events
    gone = sum(event[2] == "deleted" for event in one.events)
    assert 50 * 20 / (1 + 20 / 60) * 0.9 < gone < 50 * 20 / (1 + 20 / 60) * 1.1  # a machine is 60 s away each time


def test_a_run_without_a_horizon_ends_with_its_pods_although_machines_are_interrupted() -> None:
    generator = {"kind": "spaced", "every": 60, "pods": 30, "duration": 120, "requests": [{"cpu": 1}]}
    spec = {
        "cluster": {"nodes": [CONTROL]},
        "workload": {"generator": generator},
        "nodeGroups": [{**GROUP, "spot": {"lifetime": "10m", "notice": "1m"}}],
    }
    experiment = parse_experiment({**HEAD, "spec": spec}, Path())
    recorder = record(experiment.setting(experiment.schedulers[0]), 1)
    assert recorder.end < 3600 * SECOND
    assert all(row.phase in ("Succeeded", "Failed") for row in recorder.rows)
    assert sum(machine.notice is not None for machine in recorder.machines.machines) >= 2


@pytest.mark.parametrize(
    ("spot", "message"),
    [
        pytest.param({}, "expected exactly one of rate, lifetime", id="neither"),
        pytest.param({"rate": 1, "lifetime": "1h"}, "expected exactly one of rate, lifetime", id="both"),
        pytest.param({"rate": -1}, "expected a number, 0 or more, got -1", id="a negative rate"),
        pytest.param({"rate": 1e9}, "expected a number, from 0 to 3600", id="more than one per second"),
        pytest.param({"lifetime": 0}, "expected times above 0", id="no lifetime at all"),
        pytest.param({"rate": 1, "notice": "soon"}, "notice: ", id="no duration"),
        pytest.param({"rate": 1, "warning": "2m"}, "unknown field", id="another field"),
    ],
)
def test_impossible_interruptions_are_refused_with_their_path(spot: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        watch(spot)
    assert str(caught.value).startswith("spec.nodeGroups[0].spot")
