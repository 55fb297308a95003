"""The tables of a run with services."""

from __future__ import annotations

from wavetank.results import layout
from wavetank.results.schema.column import BYTES, SECONDS, SHARE, Column, Table

_SERVICE = Column("service", str, "name of the service")
_OPERATION = Column("operation", str, "operation that users asked for")
_RATE = "requests/s"

SERVICES = Table(
    layout.SERVICES,
    "one row per operation that users asked for; only in runs with services",
    (
        _SERVICE,
        _OPERATION,
        Column("succeeded", int, "requests that were answered"),
        Column("failed", int, "requests that failed"),
        Column("failures", str, "failed requests by reason: `TIMEOUT=3;NO_INSTANCE_AVAILABLE=1`"),
        Column("throughput", float, "answered requests per second of the run", _RATE),
        Column("mean_s", float, "mean response time", SECONDS),
        Column("p50_s", float, "median of the response times", SECONDS),
        Column("p95_s", float, "95th percentile", SECONDS),
        Column("p99_s", float, "99th percentile", SECONDS),
        Column("p999_s", float, "99.9th percentile", SECONDS),
        Column("max_s", float, "longest response time", SECONDS),
    ),
)

SERVICES_OVER_TIME = Table(
    layout.SERVICES_OVER_TIME,
    "one row per interval and operation in which requests ended; only in runs with services",
    (
        Column("time_s", float, "start of the interval", SECONDS),
        _SERVICE,
        _OPERATION,
        Column("throughput", float, "answered requests per second", _RATE),
        Column("failed", int, "requests that failed"),
        Column("mean_s", float, "mean response time", SECONDS),
        Column("p50_s", float, "median of the response times", SECONDS),
        Column("p95_s", float, "95th percentile", SECONDS),
        Column("p99_s", float, "99th percentile", SECONDS),
        Column("p999_s", float, "99.9th percentile", SECONDS),
    ),
)

SERVICE_PODS = Table(
    layout.SERVICE_PODS,
    "one row per pod that was an instance of a service; only in runs with services",
    (
        _SERVICE,
        Column("pod", str, "name of the pod"),
        Column("node", str, "node it ran on"),
        Column("started", float, "when it began to take requests", SECONDS),
        Column("ended", float, "when it took no more; empty if it did to the end", SECONDS),
        Column("requests", int, "requests that it got"),
        Column("cpu_s", float, "CPU time that it used", SECONDS),
        Column("cpu_utilization", float, "CPU that it used ÷ CPU that it requests", SHARE),
        Column("throttled_s", float, "time in which its CPU limit held it back", SECONDS),
    ),
)

SERVICE_LINKS = Table(
    layout.SERVICE_LINKS,
    "one row per link that payloads crossed; only in runs with services and a network",
    (
        Column("link", str, "both ends: `east → west` between domains, `a →` out of a node, `→ a` into it"),
        Column("bandwidth", float, "what it can carry", "bit/s"),
        Column("carried", int, "payload that it carried", BYTES),
        Column("utilization", float, "payload ÷ what it could have carried during the run", SHARE),
        Column("most_flows", int, "most payloads on it at once"),
    ),
)
