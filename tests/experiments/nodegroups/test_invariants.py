"""Whatever the groups: no node is over-committed, no pod of a controller is lost, and machines live in order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from wavetank.cluster.context import ActorContext
from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.store.store import Store
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.results.recording.recorder import Recorder
from wavetank.simulation.observer import Observer
from wavetank.simulation.simulation import Simulation

HEAD = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment"}
CONTROL = {"cpu": 1, "memory": "1Gi", "taints": [{"key": "control", "effect": "NoSchedule"}]}
SPOTS = st.none() | st.fixed_dictionaries(
    {"notice": st.sampled_from(["0s", "30s", "2m"]), "lifetime": st.just({"exponential": "8m"})}
)


@st.composite
def groups(draw: st.DrawFn) -> list[dict[str, Any]]:
    return [
        {
            "name": f"g{i}",
            "max": draw(st.integers(2, 6)),
            "initial": draw(st.integers(0, 2)),
            "cpu": draw(st.sampled_from([2, 4, 8])),
            "memory": "16Gi",
            "boot": draw(st.sampled_from(["0s", "45s"])),
            "halt": draw(st.sampled_from(["0s", "20s"])),
            "bootFailures": draw(st.sampled_from([0, 0.3])),
            "price": 0.1,
            "spot": draw(SPOTS),
        }
        for i in range(draw(st.integers(1, 3)))
    ]


def job(completions: int) -> dict[str, Any]:
    container = {"name": "main", "resources": {"requests": {"cpu": "1500m", "memory": "1Gi"}}}
    annotations = {"wavetank.dev/duration": "3m", "cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}
    template = {
        "metadata": {"annotations": annotations},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    spec = {"completions": completions, "parallelism": 4, "backoffLimit": 1000, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job", "namespace": "default"}, "spec": spec}


class Commitments(Observer):
    """Checks after every change of a pod that no node has more bound to it than it can hold."""

    def join(self, context: ActorContext) -> None:
        self._store: Store = context.store
        context.store.subscribe("Pod", added=self._check, modified=self._check)

    def _check(self, *_: object) -> None:
        sums: dict[str, Counter[str]] = {}
        for pod in self._store.list("Pod"):
            if pod.node_name and not pod.finished:
                sums.setdefault(pod.node_name, Counter()).update(pod.spec.requests)
        for name, requested in sums.items():
            node = self._store.find("Node", "", name)
            if node is not None:
                assert all(requested[resource] <= node.allocatable[resource] for resource in (CPU, MEMORY)), name


@settings(max_examples=6, deadline=None)
@given(groups(), st.integers(1, 15), st.integers(1, 999))
def test_jobs_are_finished_on_nodes_that_come_and_go(node_groups: list[Any], completions: int, seed: int) -> None:
    spec = {
        "cluster": {"nodes": [CONTROL], "objects": [job(completions)]},
        "workload": {"generator": {"kind": "burst", "pods": 1, "duration": 5, "requests": [{"cpu": 1}]}},
        "nodeGroups": node_groups,
        "autoscaler": {"scale-down-unneeded-time": "2m", "max-node-provision-time": "3m"},
        "horizon": "5h",
    }
    experiment = parse_experiment({**HEAD, "spec": spec}, Path())
    recorder = Recorder()
    Simulation(experiment.setting(experiment.schedulers[0]), seed, [recorder, Commitments()]).run()
    finished = [row for row in recorder.rows if row.name.startswith("job-") and row.phase == "Succeeded"]
    assert len(finished) == completions
    for machine in recorder.machines.machines:
        known = (machine.ordered, machine.node, machine.ready, machine.notice, machine.removal, machine.gone)
        times = [time for time in known if time is not None]
        assert times == sorted(times), machine
    for group in experiment.node_groups:
        most = _most(recorder, group.name)
        assert most <= group.most, (group.name, most)


def _most(recorder: Recorder, group: str) -> int:
    """Returns the most machines of a group at a time, without those whose removal has begun."""
    changes = []
    for machine in recorder.machines.machines:
        if machine.group == group:
            changes.append((machine.ordered, 1))
            if machine.removal is not None:
                changes.append((machine.removal, -1))
    present = most = 0
    for _, change in sorted(changes):
        present += change
        most = max(most, present)
    return most
