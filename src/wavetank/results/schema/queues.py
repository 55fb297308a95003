"""The tables of a run with ClusterQueues of Kueue."""

from __future__ import annotations

from wavetank.results import layout
from wavetank.results.schema.column import SECONDS, SHARE, Column, Table

_QUEUE = Column("queue", str, "name of the ClusterQueue")
_UNITS = "milli-CPU, bytes or counts"

QUEUES = Table(
    layout.QUEUES,
    "one row per ClusterQueue; only in runs with ClusterQueues",
    (
        _QUEUE,
        Column("cohort", str, "path of its cohorts, from the root"),
        Column("workloads", int, "Workloads that were queued"),
        Column("admitted", int, "Workloads that were admitted at least once"),
        Column("finished", int, "Workloads that finished"),
        Column("pending", int, "Workloads that were pending at the end"),
        Column("mean_wait_s", float, "mean time from the creation of a Workload to its first admission", SECONDS),
        Column("p95_wait_s", float, "95th percentile of it", SECONDS),
        Column("max_wait_s", float, "longest of it", SECONDS),
        Column("preempted", int, "preemptions of its Workloads"),
        Column("preempting", int, "preemptions for its Workloads"),
        Column("lost_time_s", float, "time for which preempted Workloads had been admitted, which is lost", SECONDS),
        Column("use", float, "mean use ÷ nominal quota, of the resource of which it is highest", "ratio"),
        Column("borrowing_time", float, "share of the time in which it used more than its nominal quota", SHARE),
    ),
)

QUEUE_QUOTAS = Table(
    layout.QUEUE_QUOTAS,
    "one row per ClusterQueue, flavor and resource; only in runs with ClusterQueues",
    (
        _QUEUE,
        Column("flavor", str, "name of the ResourceFlavor"),
        Column("resource", str, "name of the resource"),
        Column("nominal", int, "nominal quota", _UNITS),
        Column("mean_used", float, "mean of what its Workloads held", _UNITS),
        Column("most_used", int, "most that they held at a time", _UNITS),
        Column("mean_borrowed", float, "mean of what they held above the nominal quota", _UNITS),
        Column("most_borrowed", int, "most of it at a time", _UNITS),
        Column("borrowing_time_s", float, "time in which they held more than the nominal quota", SECONDS),
    ),
)

QUEUE_USAGE = Table(
    layout.QUEUE_USAGE,
    "one row per change of what a ClusterQueue holds; only in runs with ClusterQueues",
    (
        Column("time_s", float, "time of the change", SECONDS),
        _QUEUE,
        Column("flavor", str, "name of the ResourceFlavor"),
        Column("resource", str, "name of the resource"),
        Column("used", int, "what its Workloads hold from then on", _UNITS),
        Column("borrowed", int, "the part of it above the nominal quota", _UNITS),
    ),
)

WORKLOADS = Table(
    layout.WORKLOADS,
    "one row per Workload of Kueue; only in runs with ClusterQueues",
    (
        Column("namespace", str, "namespace of the Workload"),
        Column("workload", str, "name of the Workload"),
        Column("owner", str, "name of its Job or pod"),
        Column("local_queue", str, "name of the LocalQueue"),
        _QUEUE,
        Column("priority", int, "priority of the Workload"),
        Column("submitted_s", float, "time at which the Workload was created", SECONDS),
        Column("admitted_s", float, "time of its first admission", SECONDS),
        Column("wait_s", float, "time between the two", SECONDS),
        Column("admissions", int, "how often it was admitted"),
        Column("preemptions", int, "how often it was preempted"),
        Column("preempted_by", str, "ClusterQueue for which it was preempted last"),
        Column("reason", str, "reason of that, in Kueue's words"),
        Column("finished_s", float, "time at which it finished", SECONDS),
        Column("flavors", str, "flavors of its last admission"),
    ),
)
