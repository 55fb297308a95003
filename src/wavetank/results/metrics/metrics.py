"""The metrics of one run; `results.schema.metrics` says what each of them means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wavetank.cluster.objects.pod import FAILED, SUCCEEDED
from wavetank.kernel.durations import SECOND
from wavetank.results.columns.decimals import NEVER, Integers
from wavetank.results.metrics.autoscaling import AutoscalerFigures
from wavetank.results.metrics.cost import HOUR
from wavetank.results.metrics.fairness import dominant_shares, jain, slowdowns
from wavetank.results.metrics.fragmentation import fragmentation
from wavetank.results.metrics.gpus import GpuFigures
from wavetank.results.metrics.jobs import FinishedJobs
from wavetank.results.metrics.lasting import lasting_figures
from wavetank.results.metrics.machines import NodeFigures, most_nodes
from wavetank.results.metrics.podtable import PodTable
from wavetank.results.metrics.queues import QueueReport
from wavetank.results.recording.recorder import EVICTED
from wavetank.results.schema import Metrics

if TYPE_CHECKING:
    from wavetank.microservices.cluster.services import ClusterServices
    from wavetank.results.metrics.energy import EnergyFigures


def measure(
    pods: PodTable,
    jobs: FinishedJobs,
    gpus: GpuFigures | None = None,
    autoscalers: Sequence[AutoscalerFigures] = (),
    nodes: NodeFigures | None = None,
    services: ClusterServices | None = None,
    energy: EnergyFigures | None = None,
    latencies: Integers | None = None,
    queues: QueueReport | None = None,
) -> Metrics:
    """Computes the metrics of a run; `latencies` are those of its jobs, if their pods do not tell them."""
    gpus = gpus or GpuFigures()
    waiting = _seconds_between(pods.submitted, pods.started)
    turnaround = _seconds_between(pods.submitted, pods.finished)
    begin, last = pods.busy_span()
    scheduled = int(np.count_nonzero(pods.scheduled != NEVER))
    slowdown = slowdowns(jobs)
    latencies = jobs.turnaround if latencies is None else latencies
    evicted = pods.reason.each(EVICTED.__contains__, np.bool_)
    return Metrics(
        pods=len(pods.rows),
        scheduled_pods=scheduled,
        unscheduled_pods=len(pods.rows) - scheduled,
        succeeded_pods=pods.phase.count(SUCCEEDED),
        failed_pods=pods.phase.count(FAILED),
        evicted_pods=int(np.count_nonzero(evicted & (pods.finished != NEVER))),
        makespan_s=(last - begin) / SECOND if len(turnaround) else None,
        mean_waiting_time_s=float(waiting.mean()) if len(waiting) else None,
        p95_waiting_time_s=float(np.percentile(waiting, 95)) if len(waiting) else None,
        max_waiting_time_s=float(waiting.max()) if len(waiting) else None,
        mean_turnaround_s=float(turnaround.mean()) if len(turnaround) else None,
        cpu_utilization=pods.usage.mean_cpu_utilization,
        memory_utilization=pods.usage.mean_memory_utilization,
        nodes_used=len(set(pods.node.values) - {""}),
        mean_job_latency_s=float(latencies.mean()) / SECOND if len(latencies) else None,
        mean_slowdown=float(slowdown.mean()) if len(slowdown) else None,
        slowdown_fairness=jain(slowdown),
        share_fairness=jain(dominant_shares(pods)),
        fragmentation=fragmentation(pods),
        cost=nodes.cost if nodes is not None else None,
        gpu_allocation=gpus.allocation,
        gpu_fragmentation=gpus.fragmentation,
        **(_of_autoscalers(autoscalers) if autoscalers else {}),
        **(_of_prices(nodes) if nodes is not None and nodes.has_prices else {}),
        **(_of_groups(nodes) if nodes is not None and nodes.has_groups else {}),
        **(_of_services(services) if services is not None else {}),
        **(energy.metrics(pods) if energy is not None else {}),
        **(_of_queues(queues) if queues is not None else {}),
        **lasting_figures(pods),
    )


def _of_autoscalers(autoscalers: Sequence[AutoscalerFigures]) -> dict[str, Any]:
    changes = [abs(change) for each in autoscalers for change in each.changes]
    return {
        "hpa_pod_hours": sum(each.pods.hours for each in autoscalers),
        "hpa_missing_pod_hours": sum(each.missing_pod_hours for each in autoscalers),
        "hpa_time_above_target_s": sum(each.time_above_target for each in autoscalers) / SECOND,
        "hpa_rescales": len(changes),
        "hpa_rescaled_replicas": sum(changes),
        "hpa_direction_changes": sum(each.direction_changes for each in autoscalers),
    }


def _of_queues(queues: QueueReport) -> dict[str, Any]:
    return dict(queues.metrics())


def _of_prices(nodes: NodeFigures) -> dict[str, Any]:
    succeeded = nodes.pods.phase.count(SUCCEEDED)
    return {
        "idle_cost": nodes.idle_cost,
        "cost_per_finished_pod": nodes.cost / succeeded if succeeded and nodes.cost is not None else None,
    }


def _of_groups(nodes: NodeFigures) -> dict[str, Any]:
    interrupted, lost = nodes.interrupted_pods
    hours = nodes.node_hours
    return {
        "mean_nodes": hours * HOUR / nodes.span.end if nodes.span.end else 0.0,
        "most_nodes": most_nodes(nodes.machines),
        "node_hours": hours,
        "idle_cpu_hours": nodes.capacity.idle_cpu_hours,
        "scaling_wait_s": float(nodes.scaling_waits.sum()) / SECOND,
        "scaling_wait_pods": len(nodes.scaling_waits),
        "flaps": sum(group.flaps for group in nodes.groups),
        "interruptions": sum(group.interruptions for group in nodes.groups),
        "interrupted_pods": interrupted,
        "lost_pods": lost,
    }


def _of_services(services: ClusterServices) -> dict[str, Any]:
    from wavetank.microservices.measures.histogram import Histogram  # few runs need it

    total = Histogram()
    for histogram in services.timeline.histograms.values():
        total.include(histogram)
    since = [each.times.since for each in services.overloads if each.times.until is None]
    return {
        "answered_requests": total.number,
        "failed_requests": sum(services.timeline.failures.values()),
        "p50_response_time_s": total.quantile(0.5) if total.number else None,
        "p99_response_time_s": total.quantile(0.99) if total.number else None,
        "overloaded_since_s": min(since) / SECOND if since else None,
    }


def _seconds_between(earlier: Integers, later: Integers) -> NDArray[np.float64]:
    """Returns the times from one event to the other, of the pods that reached the later one."""
    seconds: NDArray[np.float64] = (later - earlier)[later != NEVER] / SECOND
    return seconds
