"""The schema of results: every table, and of every column the name, type, unit, label and which way is better."""

from wavetank.results.schema.autoscaling import AUTOSCALERS, AUTOSCALING
from wavetank.results.schema.batchoperator import BATCH_JOBS, SLOT_USES
from wavetank.results.schema.batsim import JOBS, SCHEDULE
from wavetank.results.schema.column import Better, Column, Kind, Table
from wavetank.results.schema.energy import ENERGY, NODE_ENERGY
from wavetank.results.schema.k8ssim import JOBS as K8SSIM_JOBS
from wavetank.results.schema.k8ssim import TASKS as K8SSIM_TASKS
from wavetank.results.schema.metrics import METRIC_NAMES, METRICS, SUMMARY, Metrics
from wavetank.results.schema.nodes import CAPACITY, NAMESPACE_COSTS, NODE_GROUPS, NODE_TIMELINE
from wavetank.results.schema.queues import QUEUE_QUOTAS, QUEUE_USAGE, QUEUES, WORKLOADS
from wavetank.results.schema.reported import reported_metrics
from wavetank.results.schema.runs import NODE_STATES, NODES, PODS, UTILIZATION
from wavetank.results.schema.services import (
    SERVICE_CALLS,
    SERVICE_HISTOGRAMS,
    SERVICE_LINKS,
    SERVICE_LOAD,
    SERVICE_OVERLOADS,
    SERVICE_PODS,
    SERVICE_SPANS,
    SERVICES,
    SERVICES_OVER_TIME,
)
from wavetank.results.schema.sweeps import (
    CLOSE_RATE,
    COMPARED,
    COMPARISONS,
    JOB_LATENCY,
    LATENCIES,
    QUANTILES,
    SWEEP_SUMMARY,
)

RUN_TABLES = (
    PODS,
    NODES,
    NODE_STATES,
    UTILIZATION,
    JOBS,
    SCHEDULE,
    K8SSIM_TASKS,
    K8SSIM_JOBS,
    AUTOSCALING,
    AUTOSCALERS,
    QUEUES,
    QUEUE_QUOTAS,
    QUEUE_USAGE,
    WORKLOADS,
    ENERGY,
    NODE_ENERGY,
    CAPACITY,
    NODE_TIMELINE,
    NODE_GROUPS,
    NAMESPACE_COSTS,
    SERVICES,
    SERVICES_OVER_TIME,
    SERVICE_LOAD,
    SERVICE_PODS,
    SERVICE_CALLS,
    SERVICE_HISTOGRAMS,
    SERVICE_OVERLOADS,
    SERVICE_SPANS,
    SERVICE_LINKS,
    BATCH_JOBS,
    SLOT_USES,
)
SWEEP_TABLES = (SWEEP_SUMMARY, COMPARISONS, LATENCIES)

__all__ = [
    "AUTOSCALERS",
    "AUTOSCALING",
    "BATCH_JOBS",
    "CAPACITY",
    "CLOSE_RATE",
    "COMPARED",
    "COMPARISONS",
    "ENERGY",
    "JOBS",
    "JOB_LATENCY",
    "K8SSIM_JOBS",
    "K8SSIM_TASKS",
    "LATENCIES",
    "METRICS",
    "METRIC_NAMES",
    "NAMESPACE_COSTS",
    "NODES",
    "NODE_ENERGY",
    "NODE_GROUPS",
    "NODE_STATES",
    "NODE_TIMELINE",
    "PODS",
    "QUANTILES",
    "QUEUES",
    "QUEUE_QUOTAS",
    "QUEUE_USAGE",
    "RUN_TABLES",
    "SCHEDULE",
    "SERVICES",
    "SERVICES_OVER_TIME",
    "SERVICE_CALLS",
    "SERVICE_HISTOGRAMS",
    "SERVICE_LINKS",
    "SERVICE_LOAD",
    "SERVICE_OVERLOADS",
    "SERVICE_PODS",
    "SERVICE_SPANS",
    "SLOT_USES",
    "SUMMARY",
    "SWEEP_SUMMARY",
    "SWEEP_TABLES",
    "UTILIZATION",
    "WORKLOADS",
    "Better",
    "Column",
    "Kind",
    "Metrics",
    "Table",
    "reported_metrics",
]
