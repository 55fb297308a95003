"""The runs of table 4.1: the workloads with the latencies of a real cluster, and without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev

from wavetank.api.experiments import run
from wavetank.studies.batkube.thesis import BURST, REALISTIC, SPACED
from wavetank.studies.batkube.workloads import RELEASE, cluster, jobs
from wavetank.studies.study import StudyContext

PHASES = tuple(range(0, 30, 3))  # seconds between a tick of the scheduler's 30 s timer and the first submission


@dataclass(frozen=True)
class Measured:
    """Makespans and mean waiting times of some runs, in seconds."""

    makespans: Sequence[float]
    waits: Sequence[float]

    @property
    def makespan(self) -> float:
        """Returns the mean."""
        return fmean(self.makespans)

    @property
    def wait(self) -> float:
        """Returns the mean."""
        return fmean(self.waits)


def spread(values: Sequence[float]) -> float:
    """Returns the standard deviation, 0 for a single value."""
    return stdev(values) if len(values) > 1 else 0.0


def measure(context: StudyContext, kind: str, kit: Path | None, release: str = RELEASE) -> Measured:
    """Runs a workload with the latencies fitted to the real runs; the realistic one at ten phases of the timer."""
    if kind == REALISTIC:
        phases = PHASES[::3] if context.small else PHASES
        found = [_run(context, kind, kit, release, later=phase) for phase in phases]
        return Measured([each.makespan for each in found], [each.wait for each in found])
    return _run(context, kind, kit, release, seeds=3 if context.small else 10)


def measure_ideal(context: StudyContext, kind: str, kit: Path | None) -> Measured:
    """Runs a workload as Batkube simulates it: no latencies, no system pod."""
    return _run(context, kind, kit, RELEASE, latency="ideal")


def _run(
    context: StudyContext,
    kind: str,
    kit: Path | None,
    release: str,
    latency: str = "k3s",
    later: float = 0,
    seeds: int = 1,
) -> Measured:
    results = run(
        cluster=cluster(kind, real=latency != "ideal"),
        workload=jobs(kind, kit, context.runs, later),
        latency=latency,
        seeds=list(range(1, seeds + 1)),
        kubernetes_version=release,
        out=context.runs / f"{kind}-{latency}-{release}-{later:g}",
        jobs=context.jobs,
    )
    rows = results.summary("rows")
    return Measured([row["makespan_s"] for row in rows], [row["mean_waiting_time_s"] for row in rows])


KINDS = (BURST, SPACED, REALISTIC)
