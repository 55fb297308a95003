from __future__ import annotations

from dataclasses import dataclass, replace

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.usage.load import ExternalMetric, Load, ObjectMetric
from wavetank.nodes.usage.series import Shifted


@dataclass(frozen=True)
class MetricsSetting:
    """How and what the metrics APIs of a cluster measure; times in nanoseconds.

    Values are those of the last measurement: every `resolution`, served `lag` later; with a resolution of 0 each
    request measures. `window` is the time that a sample is said to cover. Pods without a load use what they request.
    """

    resolution: Nanoseconds = 0
    window: Nanoseconds = 15 * SECOND
    lag: Nanoseconds = 0
    loads: tuple[Load, ...] = ()
    objects: tuple[ObjectMetric, ...] = ()
    external: tuple[ExternalMetric, ...] = ()

    def beginning_at(self, start: Nanoseconds) -> MetricsSetting:
        """Returns the same with all series beginning at a time."""
        if not start:
            return self
        return replace(
            self,
            loads=tuple(replace(each, series=Shifted(each.series, start)) for each in self.loads),
            objects=tuple(replace(each, series=Shifted(each.series, start)) for each in self.objects),
            external=tuple(replace(each, series=Shifted(each.series, start)) for each in self.external),
        )

    def measured_at(self, now: Nanoseconds) -> Nanoseconds:
        """Returns when the values that are served now were measured; before the first one, a time before the start."""
        return (now - self.lag) // self.resolution * self.resolution if self.resolution else now - self.lag
