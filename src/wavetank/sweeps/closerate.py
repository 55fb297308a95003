from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from wavetank.experiments.run import RunResult


def close_rates(results: Sequence[RunResult]) -> dict[str, float]:
    """Returns the CloseRate of each scheduler of a scenario: 1 is the best.

    CloseRate (K8sSim) is the mean job latency of a scheduler ÷ the lowest of any scheduler, each the mean over the
    seeds. A scheduler that left pods unscheduled has none.
    """
    latencies: dict[str, list[float | None]] = {}
    for result in results:
        complete = not result.metrics.unscheduled_pods
        latencies.setdefault(result.scheduler, []).append(result.metrics.mean_job_latency_s if complete else None)
    means = {
        scheduler: fsum(known) / len(known)
        for scheduler, values in latencies.items()
        if len(known := [value for value in values if value is not None]) == len(values)
    }
    best = min(means.values(), default=0)
    return {scheduler: mean / best for scheduler, mean in means.items()} if best else {}
