"""The thesis's table 4.1: real runs of a k3s cluster, and the same workloads in Batkube."""

from __future__ import annotations

from dataclasses import dataclass

BURST, SPACED, REALISTIC = "burst", "spaced", "realistic"


@dataclass(frozen=True)
class Published:
    """Mean and deviation of makespan and mean waiting time, in seconds; no deviation if there was one run."""

    makespan: float
    waiting: float
    makespan_deviation: float | None = None
    waiting_deviation: float | None = None


REAL = {
    BURST: Published(2467, 1077, 28.3, 10.6),
    SPACED: Published(2468, 146, 5.14, 1.67),
    REALISTIC: Published(32556, 2884),
}
BATKUBE = {
    BURST: Published(2215, 970, 0.508, 12.6),
    SPACED: Published(2257, 48.1, 16.9, 9.44),
    REALISTIC: Published(32555, 2020, 1.30, 950),
}
GROUPS = (1070, 2970)  # the two waiting times of the realistic workload that the thesis saw: mean ± deviation
