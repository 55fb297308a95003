"""The tables of a run with services."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.cluster.load import ServiceLoad
from wavetank.microservices.cluster.overloads import Overloaded
from wavetank.microservices.cluster.podinstance import PodInstance
from wavetank.microservices.cluster.services import ClusterServices
from wavetank.microservices.measures.calls import CallFigures, Edge
from wavetank.microservices.measures.histogram import Histogram
from wavetank.microservices.measures.spans import Span
from wavetank.microservices.measures.timeline import QUANTILES, IntervalFigures, coarse_bounds
from wavetank.results import schema
from wavetank.results.write.csvfiles import write_rows
from wavetank.results.write.services.traces import write_traces

_QUANTILE_COLUMNS = ("p50_s", "p95_s", "p99_s", "p999_s")


def write_services(services: ClusterServices, end: Nanoseconds, folder: Path) -> None:
    """Writes the tables of services, over time and in total, and traces in the formats that were asked for."""
    timeline = services.timeline
    keys = sorted({*timeline.histograms, *(key[:2] for key in timeline.failures)})
    intervals = timeline.intervals()
    write_rows(folder, schema.SERVICES, [_total(services, key, end) for key in keys])
    write_rows(folder, schema.SERVICES_OVER_TIME, [_interval(each, timeline.interval) for each in intervals])
    write_rows(folder, schema.SERVICE_HISTOGRAMS, [row for each in intervals for row in _buckets(each)])
    write_rows(folder, schema.SERVICE_LOAD, [_load(each, timeline.interval, end) for each in services.load.intervals])
    write_rows(folder, schema.SERVICE_PODS, [_pod(each, end) for each in services.instances])
    write_rows(folder, schema.SERVICE_CALLS, [_edge(edge, figures) for edge, figures in sorted(timeline.edges.items())])
    spans = list(timeline.traces.spans())
    write_rows(folder, schema.SERVICE_SPANS, [_span(each) for each in spans])
    write_traces(spans, services.setting.traces.formats, folder)
    if links := list(_links(services, end)):
        write_rows(folder, schema.SERVICE_LINKS, links)
    if overloads := [_overload(each) for each in services.overloads]:
        write_rows(folder, schema.SERVICE_OVERLOADS, overloads)


def _total(services: ClusterServices, key: tuple[str, str], end: Nanoseconds) -> Mapping[str, object]:
    histogram = services.timeline.histograms[key]
    reasons = {
        reason: n
        for (service, operation, reason), n in services.timeline.failures.items()
        if (service, operation) == key
    }
    number = histogram.number
    return {
        "service": key[0],
        "operation": key[1],
        "succeeded": number,
        "failed": sum(reasons.values()),
        "failures": _reasons(reasons),
        "throughput": _rounded(number * SECOND / end if end else 0.0),
        "mean_s": _rounded(histogram.mean()),
        **_quantiles(histogram),
    }


def _reasons(counts: Mapping[str, int]) -> str:
    return ";".join(f"{reason}={n}" for reason, n in sorted(counts.items()))


def _quantiles(histogram: Histogram) -> Mapping[str, str]:
    quantiles = {name: histogram.quantile(share) for name, share in zip(_QUANTILE_COLUMNS, QUANTILES, strict=True)}
    return {name: _rounded(value) for name, value in (quantiles | {"max_s": histogram.maximum / SECOND}).items()}


def _interval(each: IntervalFigures, interval: Nanoseconds) -> Mapping[str, object]:
    return {
        "time_s": _rounded(each.start / SECOND),
        "service": each.service,
        "operation": each.operation,
        "throughput": _rounded(each.succeeded * SECOND / interval),
        "failed": each.failed,
        "mean_s": _rounded(each.mean),
        **{name: _rounded(value) for name, value in zip(_QUANTILE_COLUMNS, each.quantiles, strict=True)},
    }


def _buckets(each: IntervalFigures) -> Iterator[Mapping[str, object]]:
    for bucket, count in each.buckets:
        low, high = coarse_bounds(bucket)
        yield {
            "time_s": _rounded(each.start / SECOND),
            "service": each.service,
            "operation": each.operation,
            "from_s": _rounded(low),
            "to_s": _rounded(high),
            "requests": count,
        }


def _load(each: ServiceLoad, interval: Nanoseconds, end: Nanoseconds) -> Mapping[str, object]:
    lived = each.pods * min(interval, end - each.start) / SECOND
    return {
        "time_s": _rounded(each.start / SECOND),
        "service": each.service,
        "pods": _rounded(each.pods),
        "requests": each.requests,
        "cpu": _rounded(each.cpu),
        "cpu_utilization": _rounded(each.cpu / each.requested) if each.requested else None,
        "throttled": _rounded(each.throttled / lived if lived else 0.0),
        "queue": _rounded(each.queue),
        "queue_at_end": each.queue_at_end,
        "open_requests": each.open_requests,
    }


def _pod(each: PodInstance, end: Nanoseconds) -> Mapping[str, object]:
    requested = each.requested * ((end if each.ended is None else each.ended) - each.started) / SECOND
    return {
        "service": each.instance.service.name,
        "pod": each.pod,
        "node": each.node,
        "started": _rounded(each.started / SECOND),
        "ended": _seconds(each.ended),
        "requests": each.instance.received,
        "cpu_s": _rounded(each.share.cpu.used),
        "cpu_utilization": _rounded(each.share.cpu.used / requested) if requested else None,
        "throttled_s": _rounded(each.share.throttled_until(end)),
    }


def _edge(edge: Edge, figures: CallFigures) -> Mapping[str, object]:
    histogram = figures.histogram
    number = max(1, histogram.number) * SECOND
    return {
        "caller_service": edge[0],
        "caller_operation": edge[1],
        "service": edge[2],
        "operation": edge[3],
        "succeeded": histogram.number,
        "failed": figures.failures.total(),
        "failures": _reasons(figures.failures),
        "mean_s": _rounded(histogram.mean()),
        "messages_s": _rounded(figures.messages / number),
        "calls_s": _rounded(figures.calling / number),
        "cpu_s": _rounded(figures.computing / number),
        **_quantiles(histogram),
    }


def _span(span: Span) -> Mapping[str, object]:
    return {
        "trace": span.trace,
        "span": span.number,
        "parent": span.parent,
        "service": span.service,
        "operation": span.operation,
        "pod": span.instance,
        "node": span.node,
        "sent": _seconds(span.sent),
        "received": _seconds(span.received),
        "queued": _seconds(span.queued),
        "computed": _seconds(span.computed),
        "ended": _seconds(span.ended),
        "reason": span.reason,
    }


def _overload(each: Overloaded) -> Mapping[str, object]:
    return {
        "service": each.service,
        "pod": each.pod,
        "link": each.link or None,
        "since_s": _seconds(each.times.since),
        "until_s": _seconds(each.times.until),
        "queue_at_start": each.times.queued,
        "longest_queue": each.times.longest,
    }


def _links(services: ClusterServices, end: Nanoseconds) -> Iterator[Mapping[str, object]]:
    transport = services.simulation.transport
    for link in services.network.links.values() if transport is not None else ():
        assert transport is not None
        carried = transport.network.carried(link, end)
        yield {
            "link": link.name,
            "bandwidth": _rounded(link.bandwidth * 8),
            "carried": round(carried),
            "utilization": _rounded(carried * SECOND / (link.bandwidth * end) if end else 0.0),
            "most_flows": transport.network.most[link],
        }


def _seconds(time: Nanoseconds | None) -> str | None:
    return None if time is None else _rounded(time / SECOND)


def _rounded(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")
