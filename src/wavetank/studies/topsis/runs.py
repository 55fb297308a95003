"""Runs of the study: which node the schedulers choose, and how full nodes become."""

from __future__ import annotations

from collections.abc import Sequence

from wavetank.api import Results, run
from wavetank.studies.study import StudyContext

SIZES = ((4, "16Gi"), (8, "32Gi"), (16, "64Gi"))
LOAD = 60  # percent of memory that other programs use on every second node
PODS, POD_GIB = 560, 2
MEMORY_FIRST = {"criteria": ["free_memory", "memory_utilisation"], "weights": [1, 3]}
SCHEDULERS = (
    {"name": "default"},
    {"name": "topsis"},
    {"name": "topsis-memory", "policy": "topsis", "args": MEMORY_FIRST},
)


def choices(context: StudyContext, case: int, loads: Sequence[int]) -> dict[str, int]:
    """Returns the number of the node that each scheduler chooses among three equal ones under these loads."""
    nodes = [
        {"name": f"kclient-{i}", "cpu": 2, "memory": "4Gi", "load": {"memory": f"{load}%"}}
        for i, load in enumerate(loads, 1)
    ]
    results = run(
        cluster={"nodes": nodes},
        workload={"generator": {"kind": "burst", "pods": 1, "requests": {"cpu": "100m"}}},
        schedulers=["default", "topsis"],
        ties="exact",
        out=context.runs / f"case-{case}",
        jobs=1,
    )
    return {name: _node(results, name) for name in ("default", "topsis")}


def _node(results: Results, scheduler: str) -> int:
    (pod,) = results.pods(scheduler, 1, "rows")
    return int(pod["node"].split("-")[1])


def pressure(context: StudyContext) -> dict[str, list[float]]:
    """Returns by scheduler the memory that each node needs, in percent of what it has, the highest first.

    Sixty nodes of three sizes; on half of them other programs use memory and CPU.
    """
    groups = [
        {"count": 10, "name": f"{kind}-{cpu}", "cpu": cpu, "memory": memory, "load": load}
        for cpu, memory in SIZES
        for kind, load in (("idle", {}), ("busy", {"memory": f"{LOAD}%", "cpu": "30%"}))
    ]
    results = run(
        cluster={"nodes": groups},
        workload={"generator": {"kind": "burst", "pods": PODS, "requests": {"cpu": "500m", "memory": f"{POD_GIB}Gi"}}},
        schedulers=SCHEDULERS,
        out=context.runs / "sixty-nodes",
        jobs=1,
    )
    return {str(each["name"]): _pressure(results, str(each["name"])) for each in SCHEDULERS}


def _pressure(results: Results, scheduler: str) -> list[float]:
    sizes = dict(SIZES)
    needs = {
        f"{kind}-{cpu}-{i}": LOAD if kind == "busy" else 0.0
        for kind in ("idle", "busy")
        for cpu in sizes
        for i in range(10)
    }
    for pod in results.pods(scheduler, 1, "rows"):
        needs[pod["node"]] += 100 * POD_GIB / int(sizes[int(pod["node"].split("-")[1])].removesuffix("Gi"))
    return sorted(needs.values(), reverse=True)
