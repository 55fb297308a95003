"""Folders of results as a run would write them, made up without running anything."""

from __future__ import annotations

import csv
import heapq
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

POD_COLUMNS = [
    "namespace",
    "name",
    "job",
    "submitted",
    "scheduled",
    "started",
    "finished",
    "node",
    "phase",
    "reason",
    "restarts",
    "cpu_milli",
    "memory_bytes",
    "requests",
    "priority",
    "scheduler",
    "message",
]
SUMMARY_COLUMNS = [
    "scheduler",
    "seed",
    "pods",
    "scheduled_pods",
    "unscheduled_pods",
    "succeeded_pods",
    "failed_pods",
    "evicted_pods",
    "makespan_s",
    "mean_waiting_time_s",
    "p95_waiting_time_s",
    "max_waiting_time_s",
    "mean_turnaround_s",
    "cpu_utilization",
    "memory_utilization",
    "nodes_used",
]
UTILIZATION_COLUMNS = [
    "time_s",
    "cpu_utilization",
    "memory_utilization",
    "pods_running",
    "pods_pending",
    "nodes",
]


@dataclass(frozen=True)
class Recipe:
    """What to make up; nodes have `cores` slots of one core each."""

    nodes: int = 16
    cores: int = 1
    pods: int = 200
    schedulers: Sequence[str] = ("kube-scheduler", "most-allocated", "volcano")
    seeds: Sequence[int] = (1, 2, 3, 4, 5)
    mean_runtime_s: float = 60.0
    load: float = 1.2
    buckets: int = 300
    never_schedules: Sequence[str] = ()
    cut_s: float = float("inf")  # when the run is ended, whatever still waits or runs
    failing: float = 0.02
    name: str = "Burst of short jobs"
    description: str = "Poisson arrivals, log-normal run times"
    warnings: Sequence[str] = ()
    pod_names: dict[int, str] = field(default_factory=dict)


@dataclass
class Pod:
    """A pod's life in seconds; None for what never happened."""

    index: int
    submitted: float
    runtime: float
    scheduled: float | None = None
    started: float | None = None
    finished: float | None = None
    node: int | None = None
    phase: str = "Pending"


def write_results(out: Path, recipe: Recipe) -> Path:
    """Writes a whole folder of results and returns it."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "experiment.json").write_text(json.dumps(experiment(recipe)))
    rows = [write_run(out, recipe, name, seed) for name in recipe.schedulers for seed in recipe.seeds]
    write_csv(out / "summary.csv", SUMMARY_COLUMNS, rows)
    return out


def experiment(recipe: Recipe) -> dict[str, object]:
    return {
        "wavetank": "0.1.0",
        "name": recipe.name,
        "kubernetesVersion": "1.36",
        "latency": "k3s",
        "ties": "random",
        "seeds": list(recipe.seeds),
        "horizon_s": None,
        "schedulers": [{"name": name, "description": f"the {name} policy"} for name in recipe.schedulers],
        "cluster": {
            "nodes": recipe.nodes,
            "cpu_milli": recipe.nodes * recipe.cores * 1000,
            "memory_bytes": recipe.nodes * recipe.cores * 2**32,
        },
        "workload": {"pods": recipe.pods, "description": recipe.description},
        "warnings": list(recipe.warnings),
    }


def write_run(out: Path, recipe: Recipe, scheduler: str, seed: int) -> list[object]:
    """Writes the folder of one run and returns its row of the summary."""
    pods = simulate(recipe, scheduler, seed)
    folder = out / scheduler / f"seed-{seed}"
    folder.mkdir(parents=True)
    write_csv(folder / "pods.csv", POD_COLUMNS, (pod_row(recipe, pod, scheduler) for pod in pods))
    nodes = ([f"node-{i:04}", recipe.cores * 1000, recipe.cores * 2**32, 110] for i in range(recipe.nodes))
    write_csv(folder / "nodes.csv", ["name", "cpu_milli", "memory_bytes", "pods"], nodes)
    write_csv(folder / "utilization.csv", UTILIZATION_COLUMNS, utilization(recipe, pods))
    return summary(recipe, pods, scheduler, seed)


def simulate(recipe: Recipe, scheduler: str, seed: int) -> list[Pod]:
    """Gives every pod the slot that is free first; a later scheduler in the list dawdles longer over each."""
    workload = random.Random(seed)
    choices = random.Random(f"{scheduler} {seed}")
    rate = recipe.load * recipe.nodes * recipe.cores / recipe.mean_runtime_s
    pods, now = [], 0.0
    for index in range(recipe.pods):
        now += workload.expovariate(rate)
        pods.append(Pod(index, round(now, 3), round(recipe.mean_runtime_s * workload.lognormvariate(-0.5, 1), 3)))
    if scheduler not in recipe.never_schedules:
        dawdle = 0.02 * recipe.mean_runtime_s * recipe.schedulers.index(scheduler)
        place(recipe, pods, choices, dawdle)
    return pods


def place(recipe: Recipe, pods: list[Pod], choices: random.Random, dawdle: float) -> None:
    slots = [(0.0, choices.random(), slot) for slot in range(recipe.nodes * recipe.cores)]
    heapq.heapify(slots)
    for pod in pods:
        free, _, slot = heapq.heappop(slots)
        scheduled = round(max(free, pod.submitted) + choices.random() * dawdle, 3)
        end = round(scheduled + 0.8 + pod.runtime, 3)
        failed = choices.random() < recipe.failing
        if scheduled < recipe.cut_s:
            pod.scheduled, pod.started, pod.node = scheduled, round(scheduled + 0.8, 3), slot // recipe.cores
            pod.phase = "Running"
        if end < recipe.cut_s:
            pod.finished, pod.phase = end, "Failed" if failed else "Succeeded"
        heapq.heappush(slots, (end, choices.random(), slot))


def pod_row(recipe: Recipe, pod: Pod, scheduler: str) -> list[object]:
    node = "" if pod.node is None else f"node-{pod.node:04}"
    reason = "Error" if pod.phase == "Failed" else ""
    name = recipe.pod_names.get(pod.index, f"job-{pod.index // 4}-{pod.index % 4}")
    times = ["" if t is None else t for t in (pod.submitted, pod.scheduled, pod.started, pod.finished)]
    job = f"job-{pod.index // 4}"
    requests = "cpu=1000m;memory=500Mi"
    return [
        "default",
        name,
        job,
        *times,
        node,
        pod.phase,
        reason,
        0,
        1000,
        500 * 2**20,
        requests,
        0,
        scheduler,
        "",
    ]


def utilization(recipe: Recipe, pods: list[Pod]) -> Iterable[list[object]]:
    """Yields buckets; counted at their beginning, which is near enough for a picture."""
    end = max([pod.finished or pod.submitted for pod in pods])
    running = sorted([(pod.scheduled, 1) for pod in pods if pod.scheduled is not None])
    running += [(pod.finished, -1) for pod in pods if pod.finished is not None]
    pending = [(pod.submitted, 1) for pod in pods] + [(pod.scheduled, -1) for pod in pods if pod.scheduled is not None]
    counts = zip(counted(running, end, recipe.buckets), counted(pending, end, recipe.buckets), strict=True)
    for bucket, (busy, waiting) in enumerate(counts):
        share = busy / (recipe.nodes * recipe.cores)
        yield [round(bucket * end / recipe.buckets, 3), share, share * 0.4, busy, waiting, recipe.nodes]


def counted(changes: list[tuple[float, int]], end: float, buckets: int) -> Iterable[int]:
    ordered, count, k = sorted(changes), 0, 0
    for bucket in range(buckets):
        while k < len(ordered) and ordered[k][0] <= bucket * end / buckets:
            count += ordered[k][1]
            k += 1
        yield count


def summary(recipe: Recipe, pods: list[Pod], scheduler: str, seed: int) -> list[object]:
    waits = sorted(pod.started - pod.submitted for pod in pods if pod.started is not None)
    ends = [pod.finished for pod in pods if pod.finished is not None]
    phases = [pod.phase for pod in pods]
    counts = [
        len(pods),
        len(waits),
        len(pods) - len(waits),
        phases.count("Succeeded"),
        phases.count("Failed"),
        0,
    ]
    if not waits or not ends:
        return [scheduler, seed, *counts, *[""] * 7, 0]
    held = sum((pod.finished or max(ends)) - pod.started for pod in pods if pod.started is not None)
    busy = max(0.0, held) / (max(ends) * recipe.nodes * recipe.cores)
    mean = sum(waits) / len(waits)
    times = [max(ends), mean, waits[int(0.95 * len(waits))], waits[-1], mean + recipe.mean_runtime_s]
    used = len({pod.node for pod in pods if pod.node is not None})
    return [scheduler, seed, *counts, *times, busy, busy * 0.4, used]


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
