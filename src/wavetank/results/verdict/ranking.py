from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import Any, Literal

from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.schema import JOB_LATENCY

RankVerdict = Literal["best", "worse", "equal", "cannot tell"]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class RankedScheduler:
    """A scheduler of a scenario by its mean job latency; `close_rate` is that divided by the best.

    `worse`: significantly; `equal`: in every seed; `cannot tell`: the seeds are too few for a difference of this size,
    and about `seeds_to_tell` would be enough, None if a single seed says nothing about that.
    """

    scheduler: str
    mean_job_latency_s: float
    close_rate: float
    verdict: RankVerdict
    seeds_to_tell: int | None


def rank(folder: SweepFolder, scenario: str) -> list[RankedScheduler]:
    """Returns the schedulers of a scenario that finished everything, the best first."""
    means = _means(row for row in folder.rows if row["scenario"] == scenario)
    if not means:
        return []
    best, latency = means[0]
    against = {
        next(iter({row["a"], row["b"]} - {best}), best): row
        for row in folder.comparisons
        if row["scenario"] == scenario and row["metric"] == JOB_LATENCY and best in (row["a"], row["b"])
    }
    return [
        RankedScheduler(name, mean, mean / latency if latency else 1.0, *_verdict(name == best, against.get(name)))
        for name, mean in means
    ]


def _means(rows: Iterable[Row]) -> list[tuple[str, float]]:
    values: dict[str, list[float | None]] = {}
    for row in rows:
        values.setdefault(row["scheduler"], []).append(None if row["unscheduled_pods"] else row[JOB_LATENCY])
    known = {name: [each for each in of if each is not None] for name, of in values.items()}
    means = [(name, fsum(known[name]) / len(of)) for name, of in values.items() if len(known[name]) == len(of)]
    return sorted(means, key=lambda pair: pair[1])


def _verdict(is_best: bool, compared: Row | None) -> tuple[RankVerdict, int | None]:
    if is_best or compared is None:
        return ("best" if is_best else "cannot tell"), None
    if compared["significant"] == "yes":
        return "worse", None
    if compared["significant"] == "no" and not compared["low"] and not compared["high"]:
        return "equal", None
    needed = compared.get("seeds_to_tell")  # results of earlier versions lack the column
    return "cannot tell", None if needed is None else int(needed)
