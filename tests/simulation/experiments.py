"""What the tests of this folder share: small experiments drawn at random, and a witness of what happens in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.experiments.document.experiment import Experiment, parse_experiment
from wavetank.experiments.recording import record
from wavetank.kernel.clock import Clock
from wavetank.results.metrics.jobs import FinishedJobs
from wavetank.results.metrics.machines import node_figures
from wavetank.results.metrics.metrics import Metrics, measure
from wavetank.results.metrics.podtable import PodTable
from wavetank.results.recording.podrow import PodRow
from wavetank.results.recording.recorder import Recorder
from wavetank.scheduling.attachable import Attachable, Attached, SchedulerOptions

SCHEDULERS = ["default", "most-allocated", "random-fit", "round-robin", "best-fit", "fcfs", "easy", "conservative"]
LATENCIES: list[Any] = [
    "ideal",
    "k3s",
    {"attempt": 0.5, "bind": 1, "sync": 2, "start": 1, "finish": 0.5},
    {"bind": {"uniform": [0, 9]}, "start": {"exponential": 5}, "bandwidth": "10Mi", "image_bytes": "100Mi"},
]


@st.composite
def groups_of_nodes(draw: st.DrawFn) -> list[dict[str, Any]]:
    group = st.fixed_dictionaries(
        {"count": st.integers(1, 3), "cpu": st.integers(1, 4), "memory": st.sampled_from(["2Gi", "4Gi"])},
        optional={"pods": st.integers(1, 4), "zone": st.just(["east", "west"])},
    )
    return draw(st.lists(group, min_size=1, max_size=2))


REQUESTS = st.fixed_dictionaries(
    {},
    optional={
        "cpu": st.sampled_from(["0", "100m", "1", "1500m", "3", "9"]),
        "memory": st.sampled_from(["100Mi", "1Gi", "3Gi"]),
    },
)
ARRIVALS = st.one_of(
    st.fixed_dictionaries({"kind": st.just("burst"), "at": st.integers(0, 40)}),
    st.fixed_dictionaries({"kind": st.just("spaced"), "every": st.sampled_from([0, 3, 25])}),
    st.fixed_dictionaries({"kind": st.just("poisson"), "rate": st.sampled_from([0.05, 1])}),
)


@st.composite
def generators(draw: st.DrawFn, endless: bool) -> list[dict[str, Any]]:
    durations: list[Any] = [0, 7, 60, {"exponential": 100}]
    made = []
    for number in range(draw(st.integers(1, 2))):
        fields = {"name": f"g{number}", "pods": draw(st.integers(1, 8)), "requests": draw(REQUESTS)}
        fields |= draw(ARRIVALS)
        fields |= draw(st.fixed_dictionaries({}, optional={"priority": st.integers(0, 2)}))
        if not endless or draw(st.booleans()):
            fields["duration"] = draw(st.sampled_from(durations))
        made.append(fields)
    return made


@st.composite
def faults(draw: st.DrawFn, nodes: int, kinds: list[str]) -> list[dict[str, Any]]:
    made = []
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(kinds))
        fault = {"at": draw(st.integers(0, 120)), kind: f"node-{draw(st.integers(0, nodes - 1))}"}
        if kind in ("fail", "cordon", "drain") and draw(st.booleans()):
            fault["for"] = draw(st.sampled_from([10, 200, 500]))
        made.append(fault)
    return made


ALL_FAULTS = ["fail", "recover", "cordon", "uncordon", "drain"]


@st.composite
def specs(draw: st.DrawFn, endless: bool = True, kinds: list[str] | None = None) -> dict[str, Any]:
    """Draws the spec of an experiment; without `endless` every pod that runs comes to an end by itself."""
    nodes = draw(groups_of_nodes())
    spec: dict[str, Any] = {
        "cluster": {"nodes": nodes},
        "workload": {"generators": draw(generators(endless))},
        "schedulers": [{"name": draw(st.sampled_from(SCHEDULERS))}],
        "latency": draw(st.sampled_from(LATENCIES)),
        "ties": draw(st.sampled_from(["random", "exact"])),
    }
    wanted = draw(faults(sum(group["count"] for group in nodes), kinds or ALL_FAULTS))
    if wanted:
        spec["faults"] = wanted
    if endless and draw(st.booleans()):
        spec["horizon"] = draw(st.integers(0, 300))
    return spec


def an_experiment(spec: dict[str, Any]) -> Experiment:
    return parse_experiment({"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "spec": spec}, Path())


Check = Callable[[Store, Clock], None]


@dataclass(frozen=True)
class Watched:
    """A scheduler whose cluster is looked at after every change of a pod or a node."""

    scheduler: Attachable
    check: Check

    def __getattr__(self, name: str) -> Any:
        return getattr(self.scheduler, name)

    def attach(self, context: ActorContext, options: SchedulerOptions) -> Attached:
        def look(*_: object) -> None:
            self.check(context.store, context.clock)

        for kind in ("Pod", "Node"):
            context.store.subscribe(kind, added=look, modified=look, deleted=look)
        return self.scheduler.attach(context, options)


def simulate(spec: dict[str, Any], seed: int = 1, check: Check | None = None) -> Recorder:
    """Makes one run; `check` is called after every change."""
    experiment = an_experiment(spec)
    setting = experiment.setting(experiment.schedulers[0])
    if check is not None:
        (definition,) = setting.schedulers
        setting = replace(setting, schedulers=(Watched(definition, check),))
    return record(setting, seed)


def measured(recorder: Recorder) -> Metrics:
    pods = PodTable(recorder)
    return measure(pods, FinishedJobs(pods), nodes=node_figures(pods))


def bound_requests(store: Store) -> dict[str, Counter[str]]:
    """Adds up what the pods on each node ask for, themselves included as `pods`."""
    sums: dict[str, Counter[str]] = {}
    for pod in store.list("Pod"):
        assert isinstance(pod, Pod)
        if pod.node_name and not pod.finished:
            sums.setdefault(pod.node_name, Counter()).update({"pods": 1, **pod.requests})
    return sums


def as_tuple(row: PodRow) -> tuple[Any, ...]:
    return tuple(getattr(row, slot) for slot in PodRow.__slots__ if slot != "spec")
