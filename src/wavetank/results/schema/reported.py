"""The metrics that reports show, and their order."""

from __future__ import annotations

from wavetank.results.schema.column import Column
from wavetank.results.schema.metrics import METRICS

# The order in which reports list metrics; others follow in the order of the file.
_REPORTED_FIRST = (
    "makespan_s",
    "mean_waiting_time_s",
    "p95_waiting_time_s",
    "max_waiting_time_s",
    "mean_turnaround_s",
    "mean_job_latency_s",
    "mean_slowdown",
    "slowdown_fairness",
    "share_fairness",
    "cpu_utilization",
    "memory_utilization",
    "p50_response_time_s",
    "p99_response_time_s",
    "failed_requests",
    "overloaded_since_s",
    "answered_requests",
    "hpa_time_above_target_s",
    "hpa_missing_pod_hours",
    "hpa_pod_hours",
    "hpa_rescales",
    "hpa_rescaled_replicas",
    "hpa_direction_changes",
    "mean_admission_wait_s",
    "p95_admission_wait_s",
    "pending_workloads",
    "workload_preemptions",
    "lost_workload_hours",
    "queue_fairness",
    "cohort_fairness",
    "gpu_allocation",
    "gpu_fragmentation",
    "fragmentation",
    "cost",
    "idle_cost",
    "cost_per_finished_pod",
    "mean_nodes",
    "most_nodes",
    "node_hours",
    "idle_cpu_hours",
    "scaling_wait_s",
    "scaling_wait_pods",
    "flaps",
    "interruptions",
    "interrupted_pods",
    "lost_pods",
    "energy_kwh",
    "mean_power_w",
    "energy_per_finished_pod_j",
    "running_pods",
    "final_nodes_used",
    "fullest_node",
    "node_imbalance",
    "zone_imbalance",
    "nodes_used",
)


def reported_metrics() -> list[Column]:
    """Returns the metrics that reports show, the most telling ones first."""
    rank = {name: i for i, name in enumerate(_REPORTED_FIRST)}
    return sorted((column for column in METRICS if column.label), key=lambda each: rank.get(each.name, len(rank)))
