"""Compares what the autoscaler writes: taints, evictions, its status and Events. What is chance is left open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from wavetank.cluster.objects.resource import render_time
from wavetank.kernel.durations import Nanoseconds
from wavetank.verification.clusterautoscaler.sizes import CLOSE
from wavetank.verification.decisions.agreement import Count

Json = dict[str, Any]
Status = tuple[Nanoseconds, Json]
Difference = tuple[Nanoseconds, Any, Any]  # time, recorded, ours

_ByInstant = dict[Nanoseconds, Counter[Any]]

_REFUSED = 400  # from this HTTP status on
_RECORDED_EPOCH = "2023-11-14T22:13:20Z"
_COMBINED = "(combined from similar events): "
_REASONS, _PODS = "pod didn't trigger scale-up: ", "pods to reschedule: "
_DURATION = re.compile(r"(?<=within |.after )[0-9hm.]+s\b")


def compare_statuses(recorded: Iterable[Any], ours: Iterable[Status]) -> tuple[Count, list[Difference]]:
    """Compares the last status of each instant in which it changed."""
    expected = _by_instant((time, _read(status, _RECORDED_EPOCH)) for time, status in recorded)
    got = _by_instant((time, _read(status, render_time(0))) for time, status in ours)
    count, differences = Count(), []
    for time, one in expected:
        other = next((status for when, status in reversed(got) if when <= time + CLOSE), None)
        count.add(one == other)
        if one != other:
            differences.append((time, *_differing(one, other)))
    return count, differences


def _differing(one: Any, other: Any) -> tuple[Any, Any]:
    """Returns only those parts of two statuses that differ."""
    if isinstance(one, list) and isinstance(other, list):
        one, other = ({str(number): each for number, each in enumerate(part)} for part in (one, other))
    if not isinstance(one, dict) or not isinstance(other, dict):
        return one, other
    keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
    parts = {key: _differing(one.get(key), other.get(key)) for key in keys}
    return {key: part[0] for key, part in parts.items()}, {key: part[1] for key, part in parts.items()}


def _by_instant(statuses: Iterable[Status]) -> list[Status]:
    found: list[Status] = []
    for time, status in statuses:
        if found and time - found[-1][0] <= CLOSE:
            found[-1] = (found[-1][0], status)
        else:
            found.append((time, status))
    return found


def _read(value: Any, epoch: str) -> Any:
    """Returns a status with times in seconds from the start, and without durations."""
    if isinstance(value, dict):
        return {
            key: _seconds(text, epoch) if key == "lastTransitionTime" else _read(text, epoch)
            for key, text in value.items()
        }
    if isinstance(value, list):
        return [_read(each, epoch) for each in value]
    return _DURATION.sub("", value) if isinstance(value, str) else value


def _seconds(text: Any, epoch: str) -> int:
    start, time = (datetime.fromisoformat(str(each).replace("Z", "+00:00")) for each in (epoch, text))
    return int((time - start).total_seconds())


def compare_events(recorded: Sequence[Any], ours: Sequence[Any]) -> tuple[Count, list[Difference]]:
    """Compares the Events of each instant, in any order."""
    return _compare_instants(*(_grouped(events, _event) for events in (recorded, ours)))


def compare_taints(recorded: Sequence[Any], ours: Sequence[Any]) -> tuple[Count, list[Difference]]:
    """Compares the taints that are added to and removed from nodes of each group, and whether they are cordoned."""
    return _compare_instants(*(_grouped(writes, _taints) for writes in (recorded, ours)))


def compare_evictions(recorded: Sequence[Any], ours: Sequence[Any]) -> tuple[Count, list[Difference]]:
    """Compares the pods that were evicted."""
    granted = [each for each in recorded if each[4] < _REFUSED]
    return _compare_instants(*(_grouped(evictions, lambda each: each[1]) for evictions in (granted, ours)))


def _compare_instants(expected: _ByInstant, got: _ByInstant) -> tuple[Count, list[Difference]]:
    count, differences = Count(), []
    for time in sorted({*expected, *got}):
        one, other = expected.get(time, Counter()), got.get(time, Counter())
        equal = (one & other).total()
        count.add(equal, max(one.total(), other.total()))
        if one != other:
            differences.append((time, sorted(one - other), sorted(other - one)))
    return count, differences


def _grouped(rows: Sequence[Any], read: Callable[[Any], Any]) -> _ByInstant:
    found: _ByInstant = {}
    for row in rows:
        found.setdefault(round(row[0] / CLOSE) * CLOSE, Counter())[read(row)] += 1
    return found


def _event(row: Any) -> Any:
    _, type_, reason, about, message, *_ = row
    return type_, reason, about, _plain(message)


def _taints(row: Any) -> Any:
    _, node, added, removed, cordoned = row
    return node.rpartition("-")[0], tuple(sorted(added)), tuple(sorted(removed)), bool(cordoned)


def _plain(message: str) -> str:
    message = _DURATION.sub("", message.removeprefix(_COMBINED))
    for head, separator in ((_REASONS, ", "), (_PODS, ",")):
        before, found, listed = message.partition(head)
        if found:
            message = before + head + separator.join(sorted(listed.split(separator)))
    return message
