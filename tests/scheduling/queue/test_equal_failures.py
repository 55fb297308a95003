"""Equal pods that wait stand in line; a scheduler that is watched tries each of them. Both must come to the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.clusters import ScheduledCluster
from tests.support.objects import node_manifest, pod_manifest
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.document.structures.spec import API_VERSION
from wavetank.experiments.recording import make_recorder
from wavetank.simulation.simulation import Simulation

KINDS = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.just("poisson"),
            "pods": st.integers(5, 60),
            "rate": st.sampled_from([0.5, 2, 20]),
            "duration": st.sampled_from([7, {"exponential": 20}, {"uniform": [1, 60]}]),
            "requests": st.sampled_from([{"cpu": 1}, {"cpu": 2, "memory": "1Gi"}, {"cpu": "500m"}]),
            "priority": st.sampled_from([0, 0, 0, 10]),
        }
    ),
    min_size=1,
    max_size=3,
)
FAULTS = st.lists(st.sampled_from(["drain", "cordon", "fail"]), max_size=2)


def document(kinds: list[dict[str, Any]], faults: list[str], version: str) -> dict[str, Any]:
    generators = [{**kind, "name": f"g{i}"} for i, kind in enumerate(kinds)]
    return {
        "apiVersion": API_VERSION,
        "kind": "Experiment",
        "spec": {
            "cluster": {"nodes": [{"count": 2, "cpu": 2, "memory": "4Gi"}]},
            "workload": {"generators": generators},
            "faults": [{"at": 20 + 30 * i, fault: "node-0", "for": 15} for i, fault in enumerate(faults)],
            "kubernetesVersion": version,
            "horizon": 4000,
        },
    }


def outcome_of(spec: dict[str, Any], watched: bool) -> tuple[int, list[tuple[Any, ...]]]:
    experiment = parse_experiment(spec, Path.cwd())
    setting = experiment.setting(experiment.schedulers[0])
    recorder = make_recorder(setting)
    simulation = Simulation(setting, 1, (recorder,), (lambda *attempt: None) if watched else None)
    simulation.run()
    told = [(row.name, row.scheduled, row.node, row.finished, row.message) for row in recorder.rows]
    return simulation.attempts, told


@settings(max_examples=40, deadline=None)
@given(KINDS, FAULTS, st.sampled_from(["1.29", "1.36"]))
def test_joining_equal_failures_changes_nothing(kinds: list[dict[str, Any]], faults: list[str], version: str) -> None:
    spec = document(kinds, faults, version)
    assert outcome_of(spec, watched=False) == outcome_of(spec, watched=True)


def deletes(number: int) -> Callable[[ScheduledCluster], None]:
    return lambda cluster: cluster.store.delete(cluster.pod(f"p{number}"))


def labels(number: int) -> Callable[[ScheduledCluster], None]:
    def change(cluster: ScheduledCluster) -> None:
        pod = cluster.pod(f"p{number}").copy()
        pod.manifest = {**pod.manifest, "metadata": {**pod.manifest["metadata"], "labels": {"a": "b"}}}
        pod.labels = {"a": "b"}
        cluster.store.update(pod)

    return change


def bound_after(disturb: Callable[[ScheduledCluster], None], watched: bool) -> list[str]:
    """Lets six equal pods wait for one node, disturbs them, and returns the order in which it takes them."""
    there = [pod_manifest("full", "n", cpu="3"), *(pod_manifest(f"small-{i}", "n", cpu="100m") for i in range(4))]
    cluster = ScheduledCluster(node_manifest("n"), *there, podMaxBackoffSeconds=1, watched=watched)
    for number in range(6):
        cluster.create(pod_manifest(f"p{number}", cpu="4"))
    for number in range(4):  # each end leads to an attempt at all of them
        cluster.run(5)
        cluster.store.delete(cluster.pod(f"small-{number}"))
    cluster.run(5)
    assert (len(cluster.scheduler.queue.unschedulable) < 6) is not watched
    disturb(cluster)
    order = []
    while cluster.nodes_of_pods():
        (name,) = cluster.nodes_of_pods()
        order.append(name)
        cluster.store.delete(cluster.pod(name))
        cluster.run(20)
    return order[1:]


@pytest.mark.parametrize(
    ("disturb", "left"),
    [
        pytest.param(lambda cluster: None, 6, id="undisturbed"),
        pytest.param(deletes(0), 5, id="the first is deleted"),
        pytest.param(deletes(3), 5, id="one in the middle is deleted"),
        pytest.param(deletes(5), 5, id="the last is deleted"),
        pytest.param(labels(0), 6, id="the first is changed"),
        pytest.param(labels(3), 6, id="one in the middle is changed"),
    ],
)
def test_disturbed_equal_pods_are_bound_as_if_each_had_been_tried(
    disturb: Callable[[ScheduledCluster], None], left: int
) -> None:
    joined = bound_after(disturb, watched=False)
    assert len(joined) == left
    assert joined == bound_after(disturb, watched=True)
