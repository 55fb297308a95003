"""The metrics that every run has: the first columns of summary.csv."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wavetank.results.schema.column import SECONDS, SHARE, about


@dataclass(frozen=True, slots=True)
class CommonMetrics:
    """The metrics of every run, in the order of summary.csv; None if nothing of the kind happened."""

    pods: Annotated[int, about("pods, submitted or there from the beginning")]
    scheduled_pods: Annotated[int, about("pods that were bound")]
    unscheduled_pods: Annotated[
        int, about("pods that were never bound", label="Unscheduled pods", better="lower", heading="Pods\nleft")
    ]
    succeeded_pods: Annotated[int, about("pods that succeeded")]
    failed_pods: Annotated[
        int,
        about("pods that failed; one that was deleted before its end has failed", label="Failed pods", better="lower"),
    ]
    evicted_pods: Annotated[
        int,
        about("failed pods that ended by eviction or preemption", label="Evicted pods", better="lower"),
    ]
    makespan_s: Annotated[
        float | None,
        about(
            "last end − first submission; pods that never end do not count",
            SECONDS,
            label="Makespan",
            better="lower",
            heading="Makespan",
        ),
    ]
    mean_waiting_time_s: Annotated[
        float | None,
        about(
            "mean waiting time: start of the containers − submission, over the pods that started",
            SECONDS,
            label="Mean waiting time",
            better="lower",
            heading="Mean\nwait",
        ),
    ]
    p95_waiting_time_s: Annotated[
        float | None,
        about(
            "95th percentile of the waiting time",
            SECONDS,
            label="95th percentile of waiting",
            better="lower",
            heading="p95\nwait",
        ),
    ]
    max_waiting_time_s: Annotated[
        float | None, about("longest waiting time", SECONDS, label="Longest waiting time", better="lower")
    ]
    mean_turnaround_s: Annotated[
        float | None,
        about(
            "mean turnaround: end − submission, over the pods that ended",
            SECONDS,
            label="Mean turnaround",
            better="lower",
        ),
    ]
    cpu_utilization: Annotated[
        float,
        about(
            "requested ÷ allocatable CPU, weighted by time over the makespan (to the end of the run if no pod ended);"
            " a pod requests from its binding to its end, and failed nodes count",
            SHARE,
            label="CPU utilisation",
            better="higher",
            heading="CPU",
        ),
    ]
    memory_utilization: Annotated[
        float,
        about("the same for memory", SHARE, label="Memory utilisation", better="higher", heading="Memory"),
    ]
    nodes_used: Annotated[int, about("nodes to which a pod was bound", label="Nodes used")]
    mean_job_latency_s: Annotated[
        float | None,
        about(
            "mean job latency: end of a job's last pod − submission of its first, over the jobs that ended;"
            " a pod without a job is a job of its own; with the batch operator, end of a BatchJob − its creation",
            SECONDS,
            label="Mean job latency",
            better="lower",
        ),
    ]
    mean_slowdown: Annotated[
        float | None,
        about(
            "mean slowdown of jobs: latency ÷ running time, where running counts as at least 10 s; at least 1",
            label="Mean slowdown",
            better="lower",
        ),
    ]
    slowdown_fairness: Annotated[
        float | None,
        about(
            "Jain's index of the jobs' slowdowns: from 1 ÷ n (one job has all of it) to 1 (all alike)",
            label="Fairness of slowdowns (Jain)",
            better="higher",
        ),
    ]
    share_fairness: Annotated[
        float | None,
        about(
            "Jain's index of the namespaces' dominant shares: the larger of the shares of CPU time and memory time",
            label="Fairness of namespaces' shares (Jain)",
            better="higher",
        ),
    ]
    fragmentation: Annotated[
        float | None,
        about(
            "share of the free CPU that a pod of the workload cannot use because the pod does not fit the node;"
            " weighted by time and by how frequent each request is",
            SHARE,
            label="CPU fragmentation",
            better="lower",
        ),
    ]
