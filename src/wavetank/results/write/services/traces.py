"""Sampled traces for other programs: Perfetto (Chrome's trace events) and Jaeger (the JSON of its user interface)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from wavetank.cluster.objects.resource import EPOCH_SECONDS
from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.measures.spans import Span, TraceFormat
from wavetank.results.layout import JAEGER, PERFETTO

Json = dict[str, Any]


def write_traces(spans: Sequence[Span], formats: Sequence[TraceFormat], folder: Path) -> None:
    """Writes the traces in these formats."""
    for each in formats:
        name, make = _FORMATS[each]
        (folder / name).write_bytes(msgspec.json.encode(make(spans)))


def phases(span: Span) -> Iterator[tuple[str, Nanoseconds, Nanoseconds]]:
    """Yields what a span consists of: (phase, begin, end), as far as it came."""
    points = (
        ("request under way", span.sent, span.received),
        ("waits for its calls", span.received, span.queued),
        ("CPU", span.queued, span.computed),
        ("answer under way", span.computed, span.ended),
    )
    for name, begin, end in points:
        if begin is not None and end is not None and end > begin:
            yield name, begin, end


def _end(span: Span) -> Nanoseconds:
    """Returns the end of a span, or the last that is known of one without an end."""
    times = (span.sent, span.received, span.queued, span.computed, span.ended)
    return max(time for time in times if time is not None) if span.ended is None else span.ended


def _by_trace(spans: Sequence[Span]) -> Iterator[tuple[int, list[Span]]]:
    for trace, some in groupby(spans, key=lambda span: span.trace):
        yield trace, list(some)


# Perfetto: a process for each trace, a thread for each span, so that calls at the same time do not overlap.


def perfetto(spans: Sequence[Span]) -> Json:
    """Returns the traces as Chrome's trace events; times are in microseconds."""
    events = [event for trace, some in _by_trace(spans) for event in _trace_events(trace, some)]
    return {"displayTimeUnit": "ms", "traceEvents": events}


def _trace_events(trace: int, spans: list[Span]) -> Iterator[Json]:
    root = spans[0]
    milliseconds = (_end(root) - root.sent) / 1e6
    yield _name("process_name", trace, 0, f"{root.service}.{root.operation}: {milliseconds:.1f} ms")
    for span in spans:
        place = {"pid": trace, "tid": span.number}
        where = f" on {span.instance}" if span.instance else ""
        yield _name("thread_name", trace, span.number, f"{span.service}.{span.operation}{where}")
        yield {
            "name": "thread_sort_index",
            "ph": "M",
            **place,
            "args": {"sort_index": span.number},
        }
        yield _slice(f"{span.service}.{span.operation}", "request", span.sent, _end(span), place, _tags(span))
        for name, begin, end in phases(span):
            yield _slice(name, "phase", begin, end, place, {})
        if span.parent is not None:
            arrow = {"name": "call", "cat": "call", "id": trace * 1_000_000 + span.number, "ts": span.sent / 1000}
            yield {**arrow, "ph": "s", "pid": trace, "tid": span.parent}
            yield {**arrow, "ph": "f", "bp": "e", **place}


def _name(kind: str, process: int, thread: int, name: str) -> Json:
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}


def _slice(name: str, category: str, begin: Nanoseconds, end: Nanoseconds, place: Json, args: Json) -> Json:
    times = {"ts": begin / 1000, "dur": (end - begin) / 1000}
    return {"name": name, "cat": category, "ph": "X", **times, **place, "args": args}


def _tags(span: Span) -> dict[str, str]:
    tags = {"pod": span.instance, "node": span.node, "failure": span.reason}
    return {key: value for key, value in tags.items() if value}


# Jaeger: spans with references, a process for each pod; times are microseconds since 1970.


def jaeger(spans: Sequence[Span]) -> Json:
    """Returns the traces as Jaeger's user interface reads them from a file."""
    traces = [_jaeger_trace(trace, some) for trace, some in _by_trace(spans)]
    return {"data": traces, "total": len(traces), "limit": 0, "offset": 0, "errors": None}


def _jaeger_trace(trace: int, spans: list[Span]) -> Json:
    pods = {(span.service, span.instance, span.node): None for span in spans}
    processes = {pod: f"p{i}" for i, pod in enumerate(pods, 1)}
    return {
        "traceID": _trace_id(trace),
        "spans": [_jaeger_span(span, processes[span.service, span.instance, span.node]) for span in spans],
        "processes": {
            process: {"serviceName": service, "tags": [_tag("pod", pod), _tag("node", node)]}
            for (service, pod, node), process in processes.items()
        },
        "warnings": None,
    }


def _jaeger_span(span: Span, process: str) -> Json:
    trace = _trace_id(span.trace)
    parent = [] if span.parent is None else [{"refType": "CHILD_OF", "traceID": trace, "spanID": f"{span.parent:016x}"}]
    failure = [_tag("error", True), _tag("failure", span.reason)] if span.reason else []
    return {
        "traceID": trace,
        "spanID": f"{span.number:016x}",
        "flags": 1,
        "operationName": span.operation,
        "references": parent,
        "startTime": _microseconds(span.sent),
        "duration": _microseconds(_end(span)) - _microseconds(span.sent),
        "tags": [_tag("span.kind", "server"), *failure],
        "logs": [
            {"timestamp": _microseconds(begin), "fields": [_tag("event", name)]} for name, begin, _ in phases(span)
        ],
        "processID": process,
        "warnings": None,
    }


def _trace_id(trace: int) -> str:
    return f"{trace:032x}"


def _tag(key: str, value: str | bool) -> Json:
    return {"key": key, "type": "bool" if isinstance(value, bool) else "string", "value": value}


def _microseconds(time: Nanoseconds) -> int:
    return EPOCH_SECONDS * 1_000_000 + round(time / 1000)


_FORMATS: dict[TraceFormat, tuple[str, Callable[[Sequence[Span]], Json]]] = {
    "perfetto": (PERFETTO, perfetto),
    "jaeger": (JAEGER, jaeger),
}
