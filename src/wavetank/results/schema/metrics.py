"""The metrics of a run: the columns of summary.csv. A new one is a field here, computed by `measure`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wavetank.results import layout
from wavetank.results.schema.column import PERCENT, PRICE, SECONDS, SHARE, Column, Table, about, columns_of
from wavetank.results.schema.commonmetrics import CommonMetrics


@dataclass(frozen=True, slots=True)
class Metrics(CommonMetrics):
    """All metrics of a run, in the order of summary.csv: those of every run, then those of some runs only."""

    cost: Annotated[
        float | None,
        about(
            "what all nodes cost, by their label or annotation `wavetank.dev/price` (per hour): over the makespan, or"
            " with node groups over the whole run, each node from its order until it is gone",
            PRICE,
            label="Cost",
            better="lower",
            optional=True,
        ),
    ]
    gpu_allocation: Annotated[
        float | None,
        about(
            "share of all GPUs that submitted pods hold: the mean over the makespan, or at the end of the run if no"
            " pod ended; empty for schedulers that do not [share GPUs](../schedulers.md#gpu-sharing)",
            PERCENT,
            label="GPU allocation",
            better="higher",
            heading="GPU",
            optional=True,
        ),
    ] = None
    gpu_fragmentation: Annotated[
        float | None,
        about(
            "if no pod ended: share of all GPUs that are free at the end but unusable for typical pods of the workload",
            PERCENT,
            label="GPU fragmentation",
            better="lower",
            optional=True,
        ),
    ] = None
    answered_requests: Annotated[
        int | None, about("requests of users that services answered", label="Answered requests", optional=True)
    ] = None
    failed_requests: Annotated[
        int | None,
        about("requests of users that failed", label="Failed requests", better="lower", optional=True),
    ] = None
    p50_response_time_s: Annotated[
        float | None,
        about(
            "median response time of the users' requests, over all operations",
            SECONDS,
            label="Median response time",
            better="lower",
            optional=True,
        ),
    ] = None
    p99_response_time_s: Annotated[
        float | None,
        about(
            "99th percentile of the response times",
            SECONDS,
            label="99th percentile of response times",
            better="lower",
            heading="p99\nresponse",
            optional=True,
        ),
    ] = None
    overloaded_since_s: Annotated[
        float | None,
        about(
            "since when a service or a link has been overloaded until the end of the run, the earliest of all;"
            " [service_overloads.csv](#service_overloadscsv) has the definition",
            SECONDS,
            label="Overloaded since",
            optional=True,
        ),
    ] = None
    hpa_pod_hours: Annotated[
        float | None,
        about(
            "running time of the pods of all autoscalers, in hours; the next ones are sums over autoscalers, too",
            label="Pod-hours under HPAs",
            better="lower",
            heading="Pod-\nhours",
            optional=True,
        ),
    ] = None
    hpa_missing_pod_hours: Annotated[
        float | None,
        about(
            "load above what the running pods carry at the target, over time, in pod-hours",
            label="Missing pod-hours",
            better="lower",
            optional=True,
        ),
    ] = None
    hpa_time_above_target_s: Annotated[
        float | None,
        about(
            "time in which the use that an autoscaler saw was above its target",
            SECONDS,
            label="Time above target",
            better="lower",
            heading="Above\ntarget",
            optional=True,
        ),
    ] = None
    hpa_rescales: Annotated[
        int | None,
        about(
            "changes of replicas by autoscalers", label="Rescales", better="lower", heading="Re-\nscales", optional=True
        ),
    ] = None
    hpa_rescaled_replicas: Annotated[
        int | None,
        about("sum of the sizes of these changes", label="Rescaled replicas", better="lower", optional=True),
    ] = None
    hpa_direction_changes: Annotated[
        int | None,
        about(
            "rescales in the opposite direction of the one before: flapping",
            label="Direction changes",
            better="lower",
            optional=True,
        ),
    ] = None
    workloads: Annotated[
        int | None, about("Workloads of Kueue in runs with ClusterQueues, as the next ones", optional=True)
    ] = None
    pending_workloads: Annotated[
        int | None,
        about("Workloads that were not admitted at the end", label="Pending workloads", better="lower", optional=True),
    ] = None
    mean_admission_wait_s: Annotated[
        float | None,
        about(
            "mean time from the creation of a Workload to its first admission",
            SECONDS,
            label="Mean wait for admission",
            better="lower",
            heading="Wait for\nadmission",
            optional=True,
        ),
    ] = None
    p95_admission_wait_s: Annotated[
        float | None,
        about("95th percentile of it", SECONDS, label="p95 wait for admission", better="lower", optional=True),
    ] = None
    workload_preemptions: Annotated[
        int | None,
        about(
            "preemptions of Workloads by Kueue",
            label="Preempted workloads",
            better="lower",
            heading="Pre-\nempted",
            optional=True,
        ),
    ] = None
    lost_workload_hours: Annotated[
        float | None,
        about(
            "time for which evicted Workloads had been admitted, in hours",
            label="Lost workload-hours",
            better="lower",
            optional=True,
        ),
    ] = None
    queue_fairness: Annotated[
        float | None,
        about(
            "Jain's index of mean use ÷ nominal quota over the ClusterQueues that had Workloads",
            SHARE,
            label="Fairness between queues",
            better="higher",
            optional=True,
        ),
    ] = None
    cohort_fairness: Annotated[
        float | None,
        about(
            "the same over root cohorts, with the mean of their ClusterQueues",
            SHARE,
            label="Fairness between cohorts",
            better="higher",
            optional=True,
        ),
    ] = None
    idle_cost: Annotated[
        float | None,
        about(
            "the cost that is charged to no pod: capacity that no pod requests, and the time in which nodes boot",
            PRICE,
            label="Cost of idle capacity",
            better="lower",
            optional=True,
        ),
    ] = None
    cost_per_finished_pod: Annotated[
        float | None,
        about("cost ÷ pods that succeeded", PRICE, label="Cost per finished pod", better="lower", optional=True),
    ] = None
    energy_kwh: Annotated[
        float | None,
        about(
            "energy of all nodes with a power model over the run",
            "kWh",
            label="Energy [kWh]",
            heading="Energy\n[kWh]",
            better="lower",
            optional=True,
        ),
    ] = None
    mean_power_w: Annotated[
        float | None, about("mean power of these nodes", "W", label="Mean power [W]", better="lower", optional=True)
    ] = None
    energy_per_finished_pod_j: Annotated[
        float | None,
        about("energy ÷ pods that succeeded", "J", label="Energy per finished pod [J]", better="lower", optional=True),
    ] = None
    mean_nodes: Annotated[
        float | None,
        about("mean number of nodes in runs with node groups, as the next ones", label="Mean nodes", optional=True),
    ] = None
    most_nodes: Annotated[int | None, about("most nodes at a time", label="Most nodes", optional=True)] = None
    node_hours: Annotated[
        float | None, about("time of all nodes, in hours", label="Node-hours", better="lower", optional=True)
    ] = None
    idle_cpu_hours: Annotated[
        float | None,
        about(
            "allocatable CPU that no pod requests, in core-hours",
            label="Idle core-hours",
            better="lower",
            optional=True,
        ),
    ] = None
    scaling_wait_s: Annotated[
        float | None,
        about(
            "pending time that scaling caused: for pods whose node was not there when they were submitted, the time"
            " until it was ready; sum over the pods",
            SECONDS,
            label="Waiting for nodes",
            better="lower",
            optional=True,
        ),
    ] = None
    scaling_wait_pods: Annotated[
        int | None, about("pods that waited for their node", label="Pods that waited for nodes", optional=True)
    ] = None
    flaps: Annotated[
        int | None,
        about(
            "nodes that scaling removed although their group ordered another within 10 minutes; an order counts once",
            label="Flaps",
            better="lower",
            optional=True,
        ),
    ] = None
    interruptions: Annotated[
        int | None, about("nodes that the cloud took back", label="Interruptions", optional=True)
    ] = None
    interrupted_pods: Annotated[
        int | None,
        about("pods that interruptions ended", label="Interrupted pods", better="lower", optional=True),
    ] = None
    lost_pods: Annotated[
        int | None,
        about(
            "interrupted pods without a controller, which are not created again",
            label="Lost pods",
            better="lower",
            optional=True,
        ),
    ] = None
    running_pods: Annotated[
        int | None,
        about(
            "pods on nodes at the end of a run in which no pod succeeds, as with services that never end; the next ones"
            " are of the same moment",
            label="Running pods at the end",
            better="higher",
            optional=True,
        ),
    ] = None
    final_nodes_used: Annotated[
        int | None,
        about("nodes with pods", label="Nodes with pods at the end", better="lower", optional=True),
    ] = None
    fullest_node: Annotated[
        float | None,
        about("highest requested share of a node's CPU", SHARE, label="Fullest node at the end", optional=True),
    ] = None
    node_imbalance: Annotated[
        float | None,
        about(
            "standard deviation of the nodes' requested shares of CPU",
            SHARE,
            label="Imbalance of nodes at the end",
            optional=True,
        ),
    ] = None
    zone_imbalance: Annotated[
        int | None,
        about(
            "most − fewest pods of a zone; empty without zones", label="Imbalance of zones at the end", optional=True
        ),
    ] = None


METRICS = columns_of(Metrics)
METRIC_NAMES = tuple(column.name for column in METRICS)

SUMMARY = Table(
    layout.SUMMARY,
    "one row per scheduler and seed",
    (Column("scheduler", str, "name of the scheduler"), Column("seed", int, "seed of the run"), *METRICS),
)
