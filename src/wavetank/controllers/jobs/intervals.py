"""Sets of completion indexes as intervals, written `1,3-5,7`."""

from __future__ import annotations

from collections.abc import Iterable

Interval = tuple[int, int]  # the first and the last index
Intervals = list[Interval]


def parse_intervals(text: str, completions: int) -> Intervals:
    """Parses indexes below `completions`; invalid parts are ignored."""
    found: Intervals = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        if not first.isdigit() or (last and not last.isdigit()):
            continue
        if int(first) >= completions:
            break
        found = _appended(found, (int(first), min(int(last or first), completions - 1)))
    return found


def merged(one: Intervals, other: Intervals) -> Intervals:
    """Returns the union."""
    result: Intervals = []
    for interval in sorted([*one, *other]):
        result = _appended(result, interval)
    return result


def with_indexes(intervals: Intervals, indexes: Iterable[int]) -> Intervals:
    """Returns the union with single indexes."""
    return merged(intervals, [(index, index) for index in indexes])


def count(intervals: Intervals) -> int:
    """Returns how many indexes there are."""
    return sum(last - first + 1 for first, last in intervals)


def has(intervals: Intervals, index: int) -> bool:
    """Tells whether the intervals contain an index."""
    return any(first <= index <= last for first, last in intervals)


def render_intervals(intervals: Intervals) -> str:
    """Renders indexes; two consecutive ones are written separately, as upstream does."""
    return ",".join(_text(*interval) for interval in intervals)


def first_missing(intervals: Intervals, number: int, completions: int) -> list[int]:
    """Returns the first indexes below `completions` that are not in the intervals, at most `number`."""
    result: list[int] = []
    candidate = 0
    for first, last in [*intervals, (completions, completions)]:
        result.extend(range(candidate, min(first, completions, candidate + number - len(result))))
        candidate = max(candidate, last + 1)
    return result


def overlap(one: Intervals, other: Intervals) -> int:
    """Returns how many indexes are in both."""
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0]) + 1) for a in one for b in other)


def _appended(intervals: Intervals, interval: Interval) -> Intervals:
    """Appends an interval that does not start before the last one, or extends that one."""
    if intervals and interval[0] <= intervals[-1][1] + 1:
        first, last = intervals[-1]
        intervals[-1] = (first, max(last, interval[1]))
    else:
        intervals.append(interval)
    return intervals


def _text(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first},{last}" if last == first + 1 else f"{first}-{last}"
