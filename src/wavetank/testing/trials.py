"""Small experiments that test different aspects of a scheduler, and their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.document.schedulers import entry_of
from wavetank.experiments.document.structures.spec import API_VERSION, KIND
from wavetank.experiments.recording import record
from wavetank.results.recording.podrow import PodRow
from wavetank.scheduling.attachable import DEFAULT_OPTIONS, Attachable, Attached, SchedulerOptions

SchedulerLike = str | type | Mapping[str, Any]

_MIXED = [
    {"weight": 3, "cpu": "500m", "memory": "1Gi"},
    {"weight": 2, "cpu": 2, "memory": "2Gi"},
    {"weight": 1, "cpu": 4, "memory": "12Gi"},
]
_TAINT = {"key": "kept", "value": "yes", "effect": "NoSchedule"}

TRIALS: Mapping[str, dict[str, Any]] = {
    "a calm stream": {
        "cluster": {"nodes": [{"count": 8, "cpu": 8, "memory": "32Gi", "zone": ["a", "b"]}]},
        "workload": {
            "generator": {
                "kind": "poisson",
                "pods": 120,
                "rate": 0.5,
                "duration": {"exponential": 60},
                "requests": _MIXED,
            }
        },
    },
    "a burst that does not fit at once": {
        "cluster": {"nodes": [{"count": 3, "cpu": 4, "memory": "16Gi"}, {"name": "big", "cpu": 16, "memory": "64Gi"}]},
        "workload": {"generator": {"kind": "burst", "pods": 90, "duration": {"uniform": [5, 50]}, "requests": _MIXED}},
    },
    "nodes that are kept, and few pods on each": {
        "cluster": {
            "nodes": [
                {"count": 4, "cpu": 8, "memory": "32Gi", "pods": 3},
                {"name": "kept", "count": 2, "cpu": 32, "memory": "64Gi", "taints": [_TAINT]},
            ]
        },
        "workload": {"generator": {"kind": "spaced", "every": 2, "pods": 60, "duration": 40, "requests": _MIXED}},
    },
    "a node that fails": {
        "cluster": {"nodes": [{"count": 5, "cpu": 8, "memory": "32Gi"}]},
        "workload": {"generator": {"kind": "burst", "pods": 40, "duration": 30, "requests": _MIXED}},
        "faults": [{"at": 10, "fail": "node-0", "for": 400}, {"at": 20, "cordon": "node-1", "for": 60}],
    },
}


@dataclass
class TrialResult:
    """The rows of a run, and a message for each over-committed resource of a node."""

    rows: list[PodRow] = field(default_factory=list)
    over_committed: list[str] = field(default_factory=list)


def try_out(scheduler: SchedulerLike, trial: Mapping[str, Any], seed: int = 1) -> TrialResult:
    """Runs a trial with a scheduler, and checks the node at every binding."""
    spec = {**trial, "schedulers": [dict(scheduler) if isinstance(scheduler, Mapping) else entry_of(scheduler)]}
    experiment = parse_experiment({"apiVersion": API_VERSION, "kind": KIND, "spec": spec}, Path.cwd())
    setting = experiment.setting(experiment.schedulers[0])
    result = TrialResult()
    watched = tuple(_Watched(each, result) for each in setting.schedulers)
    result.rows = record(replace(setting, schedulers=watched), seed).rows
    return result


class _Watched:
    """A scheduler whose bindings are checked."""

    def __init__(self, scheduler: Attachable, result: TrialResult) -> None:
        self._scheduler = scheduler
        self._result = result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scheduler, name)

    def attach(self, context: ActorContext, options: SchedulerOptions = DEFAULT_OPTIONS) -> Attached:
        context.store.subscribe(POD, modified=_BindingCheck(context.store, self._result).modified)
        return self._scheduler.attach(context, options)


class _BindingCheck:
    def __init__(self, store: Store, result: TrialResult) -> None:
        self._store = store
        self._result = result

    def modified(self, old: Pod, new: Pod) -> None:
        if new.node_name and not old.node_name:
            self._check(new.node_name)

    def _check(self, node_name: str) -> None:
        node = self._store.find(NODE, "", node_name)
        there = [pod for pod in self._store.list(POD) if pod.node_name == node_name and not pod.finished]
        asked = Counter({"pods": len(there)})
        for pod in there:
            asked.update(pod.requests)
        has = node.allocatable if isinstance(node, Node) else {}
        for resource, amount in asked.items():
            if amount > has.get(resource, 0):
                self._result.over_committed.append(f"{node_name}: {amount} of {has.get(resource, 0)} {resource}")
