"""Figures 4.2 to 4.6: the real kube-scheduler synchronized by time steps, with other values of Batkube's parameters."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wavetank.api.experiments import run
from wavetank.cluster.releases import SERVED
from wavetank.errors import InputError, WavetankError
from wavetank.loop.building.cache import Cache, Program
from wavetank.studies.batkube.thesis import BURST, REALISTIC, SPACED
from wavetank.studies.batkube.workloads import cluster, jobs
from wavetank.studies.study import StudyContext

PROGRAM = "kube-scheduler"
MIN_DELAY, TIMEOUT, STEP = "min-delay", "timeout-value", "max-simulation-timestep"
# Milliseconds; the thesis has more values in between.
VALUES: Mapping[str, Sequence[int]] = {
    MIN_DELAY: (0, 10, 20, 35, 50),
    TIMEOUT: (0, 2, 5, 10, 20, 50),
    STEP: (2000, 5000, 20_000, 100_000, 1_000_000),
}
_OTHERS: Mapping[str, Mapping[str, str]] = {
    MIN_DELAY: {TIMEOUT: "20ms", STEP: "20s"},
    TIMEOUT: {MIN_DELAY: "0ms", STEP: "20s"},
    STEP: {MIN_DELAY: "0ms", TIMEOUT: "50ms", "base-simulation-timestep": "10ms"},
}
_LEAST_STEP = 20_000  # in the realistic workload of nine hours: smaller steps take most of an hour
_CPUS = {BURST: 1, SPACED: 1, REALISTIC: 6}


@dataclass(frozen=True)
class Step:
    """One run: what was varied, and its results. `over` counts pods on nodes with too little free CPU."""

    kind: str
    parameter: str
    value: int
    crashed: bool
    duration_s: float
    makespan: float = 0.0
    wait: float = 0.0
    over: int = 0


def find_program() -> Program | None:
    """Returns a kube-scheduler that was built for the loop, if there is one."""
    try:
        return Cache().find(PROGRAM, SERVED.tag)
    except InputError:
        return None


def vary(context: StudyContext, program: Program, kit: Path | None) -> list[Step]:
    """Makes all runs, one after another because they are measured in real time."""
    wanted = [
        (kind, parameter, value)
        for kind in _CPUS
        for parameter in VALUES
        for value in VALUES[parameter]
        if not (kind == REALISTIC and parameter == STEP and value < _LEAST_STEP)
    ]
    return [
        _step(context, program, kit, *each)
        for each in context.track(wanted, lambda each: f"{each[0]}, {each[1]} {each[2]} ms")
    ]


def _step(context: StudyContext, program: Program, kit: Path | None, kind: str, parameter: str, value: int) -> Step:
    sync = {"mode": "timestep", "detect-scheduler-deadlock": True, **_OTHERS[parameter], parameter: f"{value}ms"}
    process = {"package": program.name, "version": program.version, "sync": sync}
    begun = time.perf_counter()
    try:
        results = run(
            cluster=cluster(kind, real=False),
            workload=jobs(kind, kit, context.runs),
            schedulers=[{"name": "real", "process": process}],
            execution={"sharing": True},
            kubernetes_version=SERVED.name,
            out=context.runs / f"{kind}-{parameter}-{value}",
            jobs=1,
        )
    except WavetankError:
        return Step(kind, parameter, value, True, time.perf_counter() - begun)
    duration = time.perf_counter() - begun
    (summary,) = results.summary("rows")
    over = sum(overcommitted(results.pods("real", 1, "rows"), 1000 * _CPUS[kind]))
    return Step(kind, parameter, value, False, duration, summary["makespan_s"], summary["mean_waiting_time_s"], over)


def overcommitted(pods: Sequence[Mapping[str, Any]], milli: int) -> Iterator[bool]:
    """Yields for each start, in order of time, whether its node had too little CPU left."""
    changes = sorted(
        (pod[time_of], starts, pod["node"], pod["cpu_milli"] if starts else -pod["cpu_milli"])
        for pod in pods
        if pod["started"] is not None and pod["finished"] is not None
        for time_of, starts in (("finished", False), ("started", True))
    )
    used: defaultdict[str, int] = defaultdict(int)
    for _, starts, node, amount in changes:
        used[node] += amount
        if starts:
            yield used[node] > milli
