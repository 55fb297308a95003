"""Runs of the study: which node the schedulers choose, and how full nodes become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from wavetank.api.experiments import run
from wavetank.api.results import Results
from wavetank.scheduling.policies.topsis.criteria import BANDWIDTH, FREQUENCY, LATENCY
from wavetank.studies.study import StudyContext

SIZES = ((4, "16Gi"), (8, "32Gi"), (16, "64Gi"))
LOAD = 60  # percent of memory that other programs use on every second node
PODS, POD_GIB = 560, 2  # for ten nodes of each size and kind
MANY = 6  # times as many nodes and pods in the full form: 360 nodes, 3,360 pods
MEMORY_FIRST = {"criteria": ["free_memory", "memory_utilisation"], "weights": [1, 3]}
SCHEDULERS = (
    {"name": "default"},
    {"name": "topsis"},
    {"name": "topsis-memory", "policy": "topsis", "args": MEMORY_FIRST},
)
ONE_POD: dict[str, Any] = {"kind": "burst", "pods": 1, "requests": {"cpu": "100m"}}
EQUAL_WEIGHTS = {"criteria": ["cores", "free_memory", "disk", "free_disk", "frequency"]}
NETWORK_FIRST = {"criteria": ["cores", "free_memory", "latency", "bandwidth"], "weights": [1, 1, 3, 1]}
# Section 6.2: CPUs, memory, storage and frequency of the three nodes, and a network, which is ours.
_NODES = (
    (2, "1536Mi", "35Gi", "1.8", "20ms", "1Gi"),
    (1, "1536Mi", "30Gi", "1.7", "2ms", "1Gi"),
    (1, "3Gi", "30Gi", "1.8", "80ms", "100Mi"),
)
Entry = Mapping[str, Any]


def thesis_nodes() -> list[dict[str, Any]]:
    """Returns the worker nodes of section 6.2."""
    return [
        {
            "name": f"kclient-{i}",
            "cpu": cpu,
            "memory": memory,
            "resources": {"ephemeral-storage": disk},
            "labels": {FREQUENCY: frequency},
            "annotations": {LATENCY: latency, BANDWIDTH: bandwidth},
        }
        for i, (cpu, memory, disk, frequency, latency, bandwidth) in enumerate(_NODES, 1)
    ]


def under_load(context: StudyContext, case: int, loads: Sequence[int]) -> dict[str, int]:
    """Returns the number of the node that each scheduler chooses among three equal ones under these loads."""
    nodes = [
        {"name": f"kclient-{i}", "cpu": 2, "memory": "4Gi", "load": {"memory": f"{load}%"}}
        for i, load in enumerate(loads, 1)
    ]
    entries = [{"name": "default"}, {"name": "topsis"}]
    chosen = _choices(context, f"load-{case}", nodes, entries, ONE_POD)
    return {name: numbers[0] for name, numbers in chosen.items()}


def on_thesis_nodes(
    context: StudyContext, entry: Entry, pods: int = 1, requests: Mapping[str, str] = ONE_POD["requests"]
) -> list[int]:
    """Returns the numbers of the nodes of section 6.2 that a scheduler chooses for pods that come at once."""
    generator = {**ONE_POD, "pods": pods, "requests": requests}
    name = str(entry["name"])
    return _choices(context, f"{name}-{pods}-{'-'.join(requests)}", thesis_nodes(), [entry], generator)[name]


def _choices(
    context: StudyContext, name: str, nodes: Sequence[Entry], entries: Sequence[Entry], generator: Entry
) -> dict[str, list[int]]:
    results = run(
        cluster={"nodes": nodes},
        workload={"generator": generator},
        schedulers=entries,
        ties="exact",
        out=context.runs / name,
        jobs=1,
    )
    return {str(entry["name"]): _numbers(results, str(entry["name"])) for entry in entries}


def _numbers(results: Results, scheduler: str) -> list[int]:
    return [int(pod["node"].split("-")[1]) for pod in results.pods(scheduler, 1, "rows")]


def demonstration(context: StudyContext) -> dict[str, str]:
    """Returns phase and node of a ReplicationController's pod, without and with its scheduler (figures 8 and 9)."""
    template = {
        "metadata": {"labels": {"app": "nginx"}},
        "spec": {"schedulerName": "topsis", "containers": [{"name": "nginx", "image": "nginx"}]},
    }
    controller = {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": "nginx"},
        "spec": {"replicas": 1, "template": template},
    }
    workload = context.runs / "nginxrc.json"
    workload.write_bytes(msgspec.json.encode(controller))
    # Two schedulers run together, so that each takes only the pods with its schedulerName.
    others = {
        "without": {"name": "worst-fit", "schedulerName": "spare"},
        "with": {"name": "topsis", "policy": "topsis", "args": EQUAL_WEIGHTS, "schedulerName": "topsis"},
    }
    entries = [{"name": name, "together": [{"name": "default"}, other]} for name, other in others.items()]
    results = run(
        cluster={"nodes": thesis_nodes()},
        workload=workload,
        schedulers=entries,
        horizon="23s",
        out=context.runs / "demonstration",
        jobs=1,
    )
    found = {name: results.pods(name, 1, "rows") for name in others}
    return {name: f"{pod['phase']} on {pod['node'] or 'no node'}" for name, (pod,) in found.items()}


def pressure(context: StudyContext) -> dict[str, list[float]]:
    """Returns by scheduler the memory that each node needs, in percent of what it has, the highest first.

    The nodes have three sizes; on half of them other programs use memory and CPU.
    """
    times = 1 if context.small else MANY
    groups = [
        {"count": 10 * times, "name": f"{kind}-{cpu}", "cpu": cpu, "memory": memory, "load": load}
        for cpu, memory in SIZES
        for kind, load in (("idle", {}), ("busy", {"memory": f"{LOAD}%", "cpu": "30%"}))
    ]
    requests = {"cpu": "500m", "memory": f"{POD_GIB}Gi"}
    results = run(
        cluster={"nodes": groups},
        workload={"generator": {"kind": "burst", "pods": PODS * times, "requests": requests}},
        schedulers=SCHEDULERS,
        out=context.runs / "large",
        jobs=1,
    )
    return {str(each["name"]): _pressure(results, str(each["name"]), 10 * times) for each in SCHEDULERS}


def _pressure(results: Results, scheduler: str, count: int) -> list[float]:
    sizes = {cpu: int(memory.removesuffix("Gi")) for cpu, memory in SIZES}
    loads = {"idle": 0.0, "busy": float(LOAD)}
    needs = {f"{kind}-{cpu}-{i}": load for kind, load in loads.items() for cpu in sizes for i in range(count)}
    for pod in results.pods(scheduler, 1, "rows"):
        needs[pod["node"]] += 100 * POD_GIB / sizes[int(pod["node"].split("-")[1])]
    return sorted(needs.values(), reverse=True)
