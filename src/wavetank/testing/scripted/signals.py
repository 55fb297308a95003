from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds, parse_duration
from wavetank.nodes.usage.load import ExternalMetric, Load, ObjectMetric
from wavetank.nodes.usage.series import FunctionSeries, Series
from wavetank.quantity import milli
from wavetank.simulation.metrics.document import MetricsSpec
from wavetank.simulation.metrics.setting import MetricsSetting

_VALUES = ("value", "each", "total", "share")
_Measured = TypeVar("_Measured", Load, ObjectMetric, ExternalMetric)


class Signal:
    """A value over time that a script sets: a quantity, or None while there is none."""

    def __init__(self, value: str | float | None = None) -> None:
        self._steps: list[tuple[Nanoseconds, int, int | None]] = []
        self.set(value, 0)

    def set(self, value: str | float | None, at: str | float) -> None:
        """Sets the value from a time on (seconds, or 1m30s, since the start of the cluster), until the next one."""
        step = (parse_duration(at), len(self._steps), None if value is None else milli(value))
        insort(self._steps, step, key=lambda each: each[:2])

    def at(self, time: Nanoseconds) -> int | None:
        """Returns the value at a time, in thousandths."""
        index = bisect_right(self._steps, time, key=lambda each: each[0]) - 1
        return self._steps[index][2] if index >= 0 else None


def read_metrics(document: Mapping[str, Any], folder: Path) -> MetricsSetting:
    """Reads a metrics document in which values may also be Signals, or functions of the time in seconds."""
    plain: dict[str, Any] = dict(document)
    given: dict[str, list[Series | None]] = {}
    for part in ("loads", "objects", "external"):
        items = document.get(part)
        if isinstance(items, Sequence) and all(isinstance(item, Mapping) for item in items):
            pairs = [_separate(item) for item in items]
            plain[part] = [item for item, _ in pairs]
            given[part] = [series for _, series in pairs]
    try:
        setting = MetricsSpec.read(plain, "").setting(folder)
    except InputError as error:
        raise error.inside(path="metrics") from None
    return replace(
        setting,
        loads=_with_series(setting.loads, given.get("loads")),
        objects=_with_series(setting.objects, given.get("objects")),
        external=_with_series(setting.external, given.get("external")),
    )


def _separate(item: Mapping[str, Any]) -> tuple[dict[str, Any], Series | None]:
    """Returns an item with a constant in place of a Signal or a function, and that."""
    plain, series = dict(item), None
    for name in _VALUES:
        value = plain.get(name)
        if isinstance(value, Signal) or callable(value):
            plain[name] = 0
            series = value if isinstance(value, Signal) else FunctionSeries(value)
    return plain, series


def _with_series(items: tuple[_Measured, ...], given: Sequence[Series | None] | None) -> tuple[_Measured, ...]:
    if given is None:
        return items
    return tuple(
        item if series is None else replace(item, series=series) for item, series in zip(items, given, strict=True)
    )
