"""The tables of a run with services."""

from __future__ import annotations

from wavetank.results import layout
from wavetank.results.schema.column import BYTES, SECONDS, SHARE, Column, Table

_QUANTILES = (
    Column("p50_s", float, "median of the response times", SECONDS),
    Column("p95_s", float, "95th percentile", SECONDS),
    Column("p99_s", float, "99th percentile", SECONDS),
    Column("p999_s", float, "99.9th percentile", SECONDS),
)

_SERVICE = Column("service", str, "name of the service")
_OPERATION = Column("operation", str, "operation that users requested")
_RATE = "requests/s"

SERVICES = Table(
    layout.SERVICES,
    "one row per operation that users requested; only in runs with services",
    (
        _SERVICE,
        _OPERATION,
        Column("succeeded", int, "requests that were answered"),
        Column("failed", int, "requests that failed"),
        Column("failures", str, "failed requests by reason: `TIMEOUT=3;NO_INSTANCE_AVAILABLE=1`"),
        Column("throughput", float, "answered requests per second of the run", _RATE),
        Column("mean_s", float, "mean response time", SECONDS),
        *_QUANTILES,
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
        *_QUANTILES,
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

SERVICE_LOAD = Table(
    layout.SERVICE_LOAD,
    "one row per interval and service; only in runs with services",
    (
        Column("time_s", float, "start of the interval", SECONDS),
        _SERVICE,
        Column("pods", float, "mean number of pods that took requests"),
        Column("requests", int, "requests that its pods got"),
        Column("cpu", float, "CPU that it used, mean over the interval", "cores"),
        Column("cpu_utilization", float, "CPU that it used ÷ CPU that its pods request", SHARE),
        Column("throttled", float, "share of the pods' time in which CPU limits held them back", SHARE),
        Column("queue", float, "requests at the CPU, computed or waiting for it: mean over the interval"),
        Column("queue_at_end", int, "the same at the end of the interval"),
        Column("open_requests", int, "all requests that its pods had then, also those that wait for their own calls"),
    ),
)

SERVICE_CALLS = Table(
    layout.SERVICE_CALLS,
    "one row per edge of the service graph: calls of an operation by users or by another operation; only in runs with"
    " services",
    (
        Column("caller_service", str, "service that calls; empty: users"),
        Column("caller_operation", str, "operation that calls; empty: users"),
        Column("service", str, "service that is called"),
        Column("operation", str, "operation that is called"),
        Column("succeeded", int, "calls that were answered; each try counts"),
        Column("failed", int, "calls that failed"),
        Column("failures", str, "failed calls by reason: `TIMEOUT=3;NO_INSTANCE_AVAILABLE=1`"),
        Column("mean_s", float, "mean response time, as the caller sees it; the sum of the next three", SECONDS),
        Column("messages_s", float, "mean time in which request and answer are in transit", SECONDS),
        Column("calls_s", float, "mean time in which the called operation waits for its own calls", SECONDS),
        Column("cpu_s", float, "mean time at the CPU, computed or waiting for it", SECONDS),
        *_QUANTILES,
        Column("max_s", float, "longest response time", SECONDS),
    ),
)

SERVICE_HISTOGRAMS = Table(
    layout.SERVICE_HISTOGRAMS,
    "one row per interval, operation that users requested and bucket of response times; only in runs with services",
    (
        Column("time_s", float, "start of the interval", SECONDS),
        _SERVICE,
        _OPERATION,
        Column("from_s", float, "lower bound of the bucket; there are five for each power of ten", SECONDS),
        Column("to_s", float, "upper bound of the bucket", SECONDS),
        Column("requests", int, "answered requests with such a response time"),
    ),
)

SERVICE_OVERLOADS = Table(
    layout.SERVICE_OVERLOADS,
    "one row per time in which a pod was overloaded: for at least one interval its requests got less CPU than they"
    " could use at every instant, and its queue grew by more than 4 × √(requests that came). A link of the network was"
    " overloaded in intervals in which it carried all that it could, if the payloads on it grew by as much. Only if"
    " there was one",
    (
        Column("service", str, "name of the service; empty for a link"),
        Column("pod", str, "name of the pod; empty for a link"),
        Column("link", str, "name of the link; empty for a pod", optional=True),
        Column("since_s", float, "when it began", SECONDS),
        Column("until_s", float, "when it was over; empty if it lasted to the end of the run", SECONDS),
        Column("queue_at_start", int, "requests at the CPU, or payloads on the link, at the beginning"),
        Column("longest_queue", int, "the most of them"),
    ),
)

SERVICE_SPANS = Table(
    layout.SERVICE_SPANS,
    "one row per request and call of the sampled traces; only in runs with services",
    (
        Column("trace", int, "number of the user's request, in the order of their ends"),
        Column("span", int, "number inside the trace; 1 is the user's request"),
        Column("parent", int, "span that made the call; empty for the user's request"),
        Column("service", str, "service that was called"),
        Column("operation", str, "operation that was called"),
        Column("pod", str, "pod that handled it; empty if none did"),
        Column("node", str, "node of the pod"),
        Column("sent", float, "when it was sent", SECONDS),
        Column("received", float, "when the pod got it", SECONDS),
        Column("queued", float, "when it had the answers of its own calls and went to the CPU", SECONDS),
        Column("computed", float, "when the CPU was done", SECONDS),
        Column("ended", float, "when the answer was back, or the call failed", SECONDS),
        Column("reason", str, "why it failed; empty if it did not"),
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
