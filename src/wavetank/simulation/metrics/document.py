"""Loads and metrics as documents state them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.documents import patterns, reading, types
from wavetank.documents.rules import Excludes, OneOf
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.usage.diurnal import DiurnalSeries
from wavetank.nodes.usage.load import Distribution, ExternalMetric, Load, ObjectMetric
from wavetank.nodes.usage.series import Constant, FunctionSeries, Series, StepSeries, read_series
from wavetank.quantity import milli
from wavetank.simulation.metrics.functions import load_function
from wavetank.simulation.metrics.setting import MetricsSetting


def _read_quantity(value: object, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"expected a quantity such as 2, 0.5 or 250m, got {value!r:.60}", path=path)
    try:
        return milli(value)
    except InputError as error:
        raise InputError(error.message, path=path) from None


def _read_step(value: object, path: str) -> tuple[Nanoseconds, int]:
    pair = reading.sequence(value, path)
    if len(pair) != 2:
        raise InputError(f"expected [time, value], got {value!r:.60}", path=path)
    return reading.duration(pair[0], f"{path}[0]"), _read_quantity(pair[1], f"{path}[1]")


_quantity = Type("quantity", _read_quantity, patterns.QUANTITY)
_step = Type("[time, value]", _read_step, {"type": "array", "minItems": 2, "maxItems": 2})


class DailyCurveSpec(Structure):
    """A value that follows the day: mean · (1 + swing · cos(2π (t − peak) / period))."""

    mean = field(_quantity, doc="the mean over a day")
    swing = field(types.number(0, 1, "a share of the mean, 0 to 1"), default=0.8, doc="how much it varies over the day")
    peak = field(types.duration, default="14h", doc="when it is highest")
    period = field(types.duration, default="1d", doc="how long a day is")

    def check(self, path: str) -> None:
        """Refuses a day without time."""
        if not self.period:
            raise InputError("expected a period above 0 s", path=f"{path}.period")


class SeriesSpec(Structure):
    """A value over time: one that never changes, steps, a file of steps, a daily curve, or a function."""

    value = field(_quantity, default=None, doc="the value, always")
    steps = field(types.items(_step), default=None, doc="times and the values from then on")
    file = field(types.file, default=None, doc="a CSV file with lines `time,value`")
    diurnal = field(types.nested(DailyCurveSpec), default=None, doc="a curve that follows the day")
    function = field(types.text, default=None, doc="a Python function `module:name` of the time in seconds")
    period = field(types.duration, default=None, doc="the time after which the steps repeat", otherwise="never")
    rules = (OneOf("value", "steps", "file", "diurnal", "function"),)

    def check(self, path: str) -> None:
        """Refuses steps out of order."""
        times = [time for time, _ in self.steps or ()]
        for i, (earlier, later) in enumerate(pairwise(times), start=1):
            if later <= earlier:
                raise InputError("its time is not after that of the step before", path=f"{path}.steps[{i}]")

    def series(self, folder: Path) -> Series:
        """Returns the series; files and modules are looked for in `folder`."""
        if self.value is not None:
            return Constant(self.value)
        if self.steps is not None:
            return StepSeries(self.steps, self.period)
        if self.file is not None:
            return read_series(folder / self.file, self.period)
        if self.diurnal is not None:
            return DiurnalSeries(self.diurnal.mean, self.diurnal.swing, self.diurnal.peak, self.diurnal.period)
        assert self.function is not None
        return FunctionSeries(load_function(self.function, folder))


def _read_series(value: object, path: str) -> SeriesSpec:
    return SeriesSpec.read(value if isinstance(value, dict) else {"value": value}, path)


_series = Type(
    "quantity or mapping",
    _read_series,
    lambda definitions: {"anyOf": [patterns.QUANTITY, SeriesSpec.refer(definitions)]},
    [("", SeriesSpec)],
)


class LoadSpec(Structure):
    """What a metric of some pods is over time; of several loads on a pod the first counts."""

    metric = field(types.text, default="cpu", doc="cpu, memory, or the name of a custom metric")
    namespace = field(types.text, default="default", doc="of the pods")
    selector = field(types.labels, default=None, doc="labels of the pods", otherwise="all pods of the namespace")
    pods = field(types.items(types.text), default=None, doc="names of single pods; not for a total", otherwise="all")
    container = field(types.text, default=None, doc="the only container that uses it", otherwise="the first one")
    metric_labels = field(types.labels, default=None, doc="labels that select a custom metric")
    each = field(_series, default=None, doc="the value of each pod")
    total = field(_series, default=None, doc="a value that is divided equally among all ready pods")
    share = field(_series, default=None, doc="a share of what the container requests: 0.5 is half of it")
    idle = field(_quantity, default=0, doc="with `total`: the value of pods that are not ready")
    rules = (
        OneOf("each", "total", "share"),
        Excludes("pods", "total", problem="single pods have no total: expected each or share"),
    )

    def load(self, folder: Path) -> Load:
        """Returns the load."""
        given = {Distribution.EACH: self.each, Distribution.TOTAL: self.total, Distribution.SHARE: self.share}
        distribution, spec = next((kind, spec) for kind, spec in given.items() if spec is not None)
        return Load(
            self.metric,
            spec.series(folder),
            distribution,
            self.namespace,
            _selector(self.selector),
            self.container or "",
            self.idle,
            _selector(self.metric_labels),
            frozenset(self.pods or ()),
        )


class ObjectMetricSpec(Structure):
    """A custom metric of an object."""

    metric = field(types.text, doc="its name")
    resource = field(types.text, doc="the plural of the object's kind, with its group: services, deployments.apps")
    name = field(types.text, doc="of the object")
    namespace = field(types.text, default="default", doc="of the object")
    metric_labels = field(types.labels, default=None, doc="labels that select the metric")
    value = field(_series, doc="the value")

    def metric_of(self, folder: Path) -> ObjectMetric:
        """Returns the metric."""
        series, labels = self.value.series(folder), _selector(self.metric_labels)
        return ObjectMetric(self.metric, self.resource, self.name, series, self.namespace, labels)


class ExternalMetricSpec(Structure):
    """One series of an external metric."""

    metric = field(types.text, doc="its name")
    labels = field(types.labels, default=None, doc="labels that distinguish it from other series of the same name")
    namespace = field(types.text, default=None, doc="the namespace in which it is served", otherwise="all")
    value = field(_series, doc="the value")

    def metric_of(self, folder: Path) -> ExternalMetric:
        """Returns the metric."""
        return ExternalMetric(self.metric, self.value.series(folder), self.labels or {}, self.namespace)


class MetricsSpec(Structure):
    """What is measured in a cluster, and how the metrics APIs serve it. Pods without a load use what they request."""

    resolution = field(types.duration, default="0s", doc="time between two measurements; 0s: each request measures")
    window = field(types.duration, default="15s", doc="time that a sample is said to cover")
    lag = field(types.duration, default="0s", doc="how much later a measurement is served")
    loads = field(types.items(types.nested(LoadSpec), least=0), default=None, doc="of pods")
    objects = field(types.items(types.nested(ObjectMetricSpec), least=0), default=None, doc="metrics of objects")
    external = field(types.items(types.nested(ExternalMetricSpec), least=0), default=None, doc="external metrics")

    def setting(self, folder: Path) -> MetricsSetting:
        """Returns the setting; files and modules are looked for in `folder`."""
        return MetricsSetting(
            self.resolution,
            self.window,
            self.lag,
            tuple(spec.load(folder) for spec in self.loads or ()),
            tuple(spec.metric_of(folder) for spec in self.objects or ()),
            tuple(spec.metric_of(folder) for spec in self.external or ()),
        )


def _selector(labels: dict[str, str] | None) -> LabelSelector:
    return LabelSelector.parse({"matchLabels": labels or {}})
