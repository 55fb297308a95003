"""The tables of a sweep."""

from __future__ import annotations

from wavetank.results import layout
from wavetank.results.schema.column import SECONDS, Column, Table
from wavetank.results.schema.metrics import METRICS, SUMMARY

QUANTILES = (0, 5, 25, 50, 75, 95, 100)  # of job latency, in percent
JOB_LATENCY = "mean_job_latency_s"  # what schedulers are ranked by

# The metrics in which every two schedulers are compared.
COMPARED = (
    JOB_LATENCY,
    "makespan_s",
    "mean_waiting_time_s",
    "p95_waiting_time_s",
    "mean_slowdown",
    "cpu_utilization",
    "fragmentation",
    "cost",
)

CLOSE_RATE = Column(
    "close_rate",
    float,
    "K8sSim's CloseRate: mean job latency of the scheduler ÷ the lowest of any scheduler in the scenario;"
    " empty if it left pods unscheduled",
    label="CloseRate",
    better="lower",
)

_SCENARIO = Column("scenario", str, "name of the scenario")
_SCHEDULER, _SEED = SUMMARY.columns[:2]

SWEEP_SUMMARY = Table(
    layout.SUMMARY,
    "one row per scenario, scheduler and seed; also as summary.parquet if polars is installed",
    (_SCENARIO, _SCHEDULER, _SEED, *METRICS, CLOSE_RATE),
)

COMPARISONS = Table(
    layout.COMPARISONS,
    "one row per scenario, metric and pair of schedulers, over the seeds that both have",
    (
        _SCENARIO,
        Column("metric", str, "name of the metric"),
        Column("a", str, "one scheduler"),
        Column("b", str, "the other scheduler"),
        Column("seeds", int, "common seeds"),
        Column("mean_a", float, "mean of a"),
        Column("mean_b", float, "mean of b"),
        Column("difference", float, "mean of b − a"),
        Column("low", float, "lower end of its 95 % confidence interval"),
        Column("high", float, "upper end of its 95 % confidence interval"),
        Column("p", float, "p-value of the paired t-test over the seeds"),
        Column("significant", str, "yes or no, at 5 % with Holm's correction for all pairs of the metric"),
        Column(
            "seeds_to_tell",
            float,
            "if it is not significant: about how many seeds would tell a true difference of this size and variance"
            " from 0, in 80 % of the cases; empty if the mean difference is 0",
        ),
    ),
)

LATENCIES = Table(
    layout.LATENCIES,
    "one row per run in which a job ended",
    (
        _SCENARIO,
        _SCHEDULER,
        _SEED,
        *(Column(f"p{share}", float, f"{share} % quantile of job latency", SECONDS) for share in QUANTILES),
    ),
)
