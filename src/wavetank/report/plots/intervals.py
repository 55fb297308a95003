from __future__ import annotations

from typing import TYPE_CHECKING

from wavetank.report.plots.figure import dot_style
from wavetank.results.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_interval(ax: Axes, interval: Interval, y: float, index: int, label: str = "") -> None:
    """Draws a mean and its 95 % confidence interval along x; a single value is a dot."""
    style = dot_style(index)
    ax.plot([interval.mean], [y], linestyle="", markersize=6, label=label or "_", **style)
    if interval.low is not None and interval.high is not None:
        ax.plot([interval.low, interval.high], [y, y], color=style["color"], linewidth=1.8)
