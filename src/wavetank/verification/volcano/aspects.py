"""The aspects of a session that are compared, and how."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wavetank.scheduling.volcano.session.closing import ORIGIN
from wavetank.scheduling.volcano.session.outcome import SessionOutcome
from wavetank.verification.volcano.recording import Result, SessionRecord
from wavetank.verification.volcano.trace import Trace

Pair = tuple[Any, Any]  # recorded, ours


@dataclass
class Replayed:
    """The result of wavetank's session: its outcome, and what is compared besides."""

    outcome: SessionOutcome
    trace: Trace
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    fit_errors: dict[str, str] = field(default_factory=dict)
    open: dict[str, Any] = field(default_factory=dict)
    close: dict[str, Any] = field(default_factory=dict)


def compared(record: SessionRecord, ours: Replayed) -> Iterator[tuple[str, Pair]]:
    """Yields (aspect, (recorded, ours)) for each aspect that is repeatable.

    If the real scheduler had several outcomes, any of them is right, and the rest is compared only if ours is the
    recorded one.
    """
    got = _outcome(ours.outcome)
    expected = _recorded_outcome(record.result)
    others = [_alternative(document) for document in record.runs.alternatives]
    if not record.runs.same_outcome and got != expected and got in others:
        yield from ((aspect, (got[aspect], got[aspect])) for aspect in got)
        return
    yield from ((aspect, (expected[aspect], got[aspect])) for aspect in got)
    exact = record.runs.same_all
    for aspect, compare in _DETAILS.items():
        pair = compare(record.result, ours)
        near = _nearly_equal(*pair) if aspect in ("open", "close", "queues") and not exact else _says_the_same(*pair)
        yield aspect, (pair[0], pair[0]) if near else pair
    if exact:
        yield "trace", _first_difference(record.result.trace, ours.trace.steps)


def is_recorded(record: SessionRecord, ours: Replayed) -> bool:
    """Tells whether our outcome is one of the real scheduler's."""
    known = [_recorded_outcome(record.result), *map(_alternative, record.runs.alternatives)]
    return _outcome(ours.outcome) in known


# the outcome


def _outcome(outcome: SessionOutcome) -> dict[str, Any]:
    return {
        "enqueued": [job.key for job in outcome.enqueued],
        "binds": [[task.key, node] for task, node in outcome.binds],
        "evicts": [[task.key, reason] for task, reason in outcome.evicts],
        "pipelined": outcome.pipelined,
        "groups": {key: _cut_group(status) for key, status in outcome.groups.items()},
    }


def _recorded_outcome(result: Result) -> dict[str, Any]:
    return {
        "enqueued": result.enqueued,
        "binds": result.binds,
        "evicts": result.evicts,
        "pipelined": result.pipelined,
        "groups": {key: _cut_group(status) for key, status in result.pod_groups.items()},
    }


def _alternative(document: Mapping[str, Any]) -> dict[str, Any]:
    groups = document.get("podGroups") or {}
    return {
        "enqueued": document.get("enqueued") or [],
        "binds": document.get("binds") or [],
        "evicts": document.get("evicts") or [],
        "pipelined": document.get("pipelined") or {},
        "groups": {key: _cut_group(status) for key, status in groups.items()},
    }


def _cut_group(status: Mapping[str, Any]) -> dict[str, Any]:
    conditions = [
        {field: _cut(str(text)) for field, text in condition.items() if text}
        for condition in status.get("conditions") or ()
    ]
    counts = {field: status.get(field) or 0 for field in ("running", "succeeded", "failed")}
    return {"phase": status.get("phase") or "", "conditions": conditions, **counts}


def _cut(message: str) -> str:
    """Removes the name of one task among several, which the real scheduler takes from a Go map."""
    return message.partition(ORIGIN)[0]


# the rest


def _jobs(result: Result, ours: Replayed) -> Pair:
    return result.jobs, ours.jobs


def _conditions(result: Result, ours: Replayed) -> Pair:
    expected = {
        key: {**condition, "message": _cut(condition["message"])} for key, condition in result.pod_conditions.items()
    }
    got = {}
    for key, condition in ours.outcome.conditions.items():
        nominated = {"nominated": condition.nominated} if condition.nominated else {}
        got[key] = {"reason": condition.reason, "message": _cut(condition.message), **nominated}
    return expected, got


def _fit_errors(result: Result, ours: Replayed) -> Pair:
    return result.fit_errors, ours.fit_errors


def _open(result: Result, ours: Replayed) -> Pair:
    return _as_floats(result.open), ours.open


def _close(result: Result, ours: Replayed) -> Pair:
    return _as_floats(result.close), ours.close


def _queues(result: Result, ours: Replayed) -> Pair:
    return result.queue_allocated, {name: ours.outcome.queues[name] for name in result.queue_allocated}


def _events(result: Result, ours: Replayed) -> Pair:
    expected = sorted([key, reason, _sorted(message)] for key, reason, message in result.events)
    return expected, sorted([key, reason, _sorted(message)] for key, reason, message in ours.outcome.events)


def _sorted(message: str) -> str:
    """Sorts the names of scalar resources, which the real scheduler has in a Go map's order."""
    return ", ".join(sorted(_cut(message).split(", ")))


_DETAILS: Mapping[str, Callable[[Result, Replayed], Pair]] = {
    "jobs": _jobs,
    "conditions": _conditions,
    "fit errors": _fit_errors,
    "open": _open,
    "close": _close,
    "queues": _queues,
    "events": _events,
}

_SHORT = re.compile(r"\d+ Insufficient (?!cpu$|memory$)\S+")

SESSION_ASPECTS = ("enqueued", "binds", "evicts", "pipelined", "groups", *_DETAILS, "trace")


def _first_difference(expected: list[dict[str, Any]], got: list[dict[str, Any]]) -> Pair:
    """Returns the first step that differs, with its number: a whole trace would be too long to read."""
    for i in range(max(len(expected), len(got))):
        theirs = expected[i] if i < len(expected) else None
        mine = got[i] if i < len(got) else None
        if theirs is not None and mine is not None:
            mine = {key: value for key, value in mine.items() if key in theirs or key not in ("s", "total")}
        if theirs != mine:
            return {"step": i, **(theirs or {})}, {"step": i, **(mine or {})}
    return len(expected), len(expected)


def _says_the_same(left: Any, right: Any) -> bool:
    """Compares texts without the names of insufficient resources if there are several: the real one names any."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_says_the_same(left[key], right[key]) for key in left)
    if isinstance(left, str) and isinstance(right, str) and left != right:
        return _without_scalars(left) == _without_scalars(right)
    return bool(left == right)


def _without_scalars(text: str) -> tuple[int, list[str]]:
    head, colon, tail = text.partition(": ")
    parts = tail.removesuffix(".").split(", ")
    short = [part for part in parts if _SHORT.fullmatch(part)]
    rest = [part for part in parts if part not in short]
    return sum(int(part.partition(" ")[0]) for part in short), [head, colon, *rest]


def _as_floats(value: Any) -> Any:
    """Converts all numbers to floats: the largest are written like integers."""
    if isinstance(value, Mapping):
        return {key: _as_floats(part) for key, part in value.items()}
    return float(value) if isinstance(value, int) else value


def _nearly_equal(left: Any, right: Any) -> bool:
    """Compares floats without their last bits."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_nearly_equal(left[key], right[key]) for key in left)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)
    return bool(left == right)
