"""The files of a run with services."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.results import schema
from wavetank.results.write.csvfiles import write_rows
from wavetank.services.cluster.services import ClusterServices, PodInstance
from wavetank.services.engine.nodecpu import LEAST_WEIGHT
from wavetank.services.measures.timeline import QUANTILES, IntervalFigures

_QUANTILE_COLUMNS = ("p50_s", "p95_s", "p99_s", "p999_s")


def write_services(services: ClusterServices, end: Nanoseconds, folder: Path) -> None:
    """Writes the tables of services, over time and in total."""
    keys = sorted({*services.timeline.histograms, *(key[:2] for key in services.timeline.failures)})
    write_rows(folder, schema.SERVICES, [_total(services, key, end) for key in keys])
    interval = services.timeline.interval
    write_rows(folder, schema.SERVICES_OVER_TIME, [_interval(each, interval) for each in services.timeline.intervals()])
    write_rows(folder, schema.SERVICE_PODS, [_pod(each, end) for each in services.instances])
    if links := list(_links(services, end)):
        write_rows(folder, schema.SERVICE_LINKS, links)


def _total(services: ClusterServices, key: tuple[str, str], end: Nanoseconds) -> Mapping[str, object]:
    histogram = services.timeline.histograms[key]
    reasons = {
        reason: n
        for (service, operation, reason), n in services.timeline.failures.items()
        if (service, operation) == key
    }
    number = histogram.number
    quantiles = (histogram.quantile(share) for share in QUANTILES)
    return {
        "service": key[0],
        "operation": key[1],
        "succeeded": number,
        "failed": sum(reasons.values()),
        "failures": ";".join(f"{reason}={n}" for reason, n in sorted(reasons.items())),
        "throughput": _rounded(number * SECOND / end if end else 0.0),
        "mean_s": _rounded(histogram.mean()),
        **{name: _rounded(value) for name, value in zip(_QUANTILE_COLUMNS, quantiles, strict=True)},
        "max_s": _rounded(histogram.maximum / SECOND),
    }


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


def _pod(each: PodInstance, end: Nanoseconds) -> Mapping[str, object]:
    lasted = ((end if each.ended is None else each.ended) - each.started) / SECOND
    requested = each.share.weight / 1024 * lasted if each.share.weight > LEAST_WEIGHT else 0.0
    return {
        "service": each.instance.service.name,
        "pod": each.pod,
        "node": each.node,
        "started": _rounded(each.started / SECOND),
        "ended": None if each.ended is None else _rounded(each.ended / SECOND),
        "requests": each.instance.received,
        "cpu_s": _rounded(each.share.cpu.used),
        "cpu_utilization": _rounded(each.share.cpu.used / requested) if requested else None,
        "throttled_s": _rounded(each.share.throttled),
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


def _rounded(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")
