"""The tables of a run with autoscalers of pods."""

from __future__ import annotations

from wavetank.results import layout
from wavetank.results.schema.column import SECONDS, Column, Table

_HPA = Column("hpa", str, "namespace/name of the autoscaler")

AUTOSCALING = Table(
    layout.AUTOSCALING,
    "one row per autoscaler and sync in which its status changed; only in runs with autoscalers",
    (
        _HPA,
        Column("time_s", float, "time of the sync", SECONDS),
        Column("replicas", int, "replicas that the target was asked for before the sync"),
        Column("desired_replicas", int, "replicas that it is asked for after the sync"),
        Column("ready_pods", int, "running pods of the target before the sync"),
        Column("metric", str, "of several metrics the one that is highest in proportion to its target"),
        Column("use", float, "its value as the autoscaler saw it: percent of the request if the target is, else units"),
        Column("target", float, "its target"),
        Column("load_pods", float, "the load in pods at the target: ready_pods · use ÷ target"),
        Column("rescaled", int, "1 if the sync changed the replicas, otherwise 0"),
    ),
)

AUTOSCALERS = Table(
    layout.AUTOSCALERS,
    "one row per autoscaler; only in runs with autoscalers",
    (
        _HPA,
        Column("scales", str, "Kind/name of what it scales"),
        Column("min_replicas", int, "fewest replicas"),
        Column("max_replicas", int, "most replicas"),
        Column("mean_pods", float, "mean of the running pods over the run"),
        Column("most_pods", int, "most pods that ran at a time"),
        Column("pod_hours", float, "running time of all its pods", "h"),
        Column("missing_pod_hours", float, "load above what the running pods carry at the target, over time", "h"),
        Column("time_above_target_s", float, "time in which use was above the target", SECONDS),
        Column("rescales", int, "changes of the replicas"),
        Column("rescaled_replicas", int, "sum of the sizes of these changes"),
        Column("largest_rescale", int, "replicas of the largest change"),
        Column("direction_changes", int, "changes in the opposite direction of the one before"),
    ),
)
