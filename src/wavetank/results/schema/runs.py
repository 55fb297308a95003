"""The tables of a run: pods, nodes and the cluster over time."""

from __future__ import annotations

from wavetank.results import layout
from wavetank.results.schema.column import BYTES, MILLI_CPU, SECONDS, SHARE, Column, Table

PODS = Table(
    layout.PODS,
    "one row per pod, submitted or there from the beginning",
    (
        Column("namespace", str, "namespace of the pod"),
        Column("name", str, "name of the pod"),
        Column("job", str, "job of the pod; without one, its name"),
        Column("submitted", float, "when the pod was created", SECONDS),
        Column("scheduled", float, "when it was bound", SECONDS),
        Column("started", float, "when its containers first started; empty for pods that were created bound", SECONDS),
        Column("finished", float, "when it ended", SECONDS),
        Column("node", str, "node to which it was bound"),
        Column("phase", str, "Pending, Running, Succeeded or Failed, at the end of the run"),
        Column(
            "reason",
            str,
            "why it failed: Error, Evicted, Preempted, Deleted, DeadlineExceeded, OutOfcpu, NodeAffinity, …",
        ),
        Column("restarts", int, "restarts of its containers"),
        Column("cpu_milli", int, "CPU that it requests", MILLI_CPU),
        Column("memory_bytes", int, "memory that it requests", BYTES),
        Column("requests", str, "all resources that it requests: `cpu=500m;memory=1Gi`"),
        Column("priority", int, "priority, resolved from its class"),
        Column("scheduler", str, "the scheduler responsible for it"),
        Column("message", str, "why it failed, or why it is still pending"),
        Column("gpu_milli", int, "GPUs that it requests in all, in runs that share GPUs", "milli-GPU", optional=True),
        Column("gpus", str, "numbers of the GPUs that it was given, of those of its node: `0-1-3`", optional=True),
    ),
)

NODES = Table(
    layout.NODES,
    "one row per node",
    (
        Column("name", str, "name of the node"),
        Column("cpu_milli", int, "allocatable CPU", MILLI_CPU),
        Column("memory_bytes", int, "allocatable memory", BYTES),
        Column("pods", int, "allocatable pods"),
    ),
)

NODE_STATES = Table(
    layout.NODE_STATES,
    "one row per change of a node that has been ready; only in runs in which a node failed, or was cordoned or drained",
    (
        Column("time_s", float, "when the node changed", SECONDS),
        Column("name", str, "name of the node"),
        Column("ready", str, "yes, or no: the node has failed"),
        Column("schedulable", str, "yes, or no: the node is cordoned"),
    ),
)

UTILIZATION = Table(
    layout.UTILIZATION,
    "one row per interval of time, at most 1,000: means over the interval",
    (
        Column("time_s", float, "start of the interval", SECONDS),
        Column("cpu_utilization", float, "requested ÷ allocatable CPU", SHARE),
        Column("memory_utilization", float, "requested ÷ allocatable memory", SHARE),
        Column("pods_running", float, "running pods"),
        Column("pods_pending", float, "pending pods"),
        Column("nodes", float, "nodes"),
    ),
)
