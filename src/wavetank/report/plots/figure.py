"""What all pictures share: matplotlib itself, colours, the axis of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wavetank.errors import InputError
from wavetank.results.columns.decimals import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# As in the report; the marker changes when the colours repeat.
COLOURS = ("#0072b2", "#d55e00", "#00845f", "#b35489", "#b07a00", "#2f8fc6")
MARKERS = ("o", "s", "^", "D", "v", "P")
_UNITS = (("s", 1, 600), ("min", 60, 600), ("h", 3600, 240), ("d", 86400, float("inf")))
_MOST_INSIDE = 6  # names
_DASHES = ("-", "--", ":", "-.")


def new_figure(width: float, height: float, rows: int = 1, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """Returns a figure, in inches, and its axes row by row; InputError if matplotlib is not installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise InputError("plots need matplotlib: pip install 'wavetank[plot]'") from None
    figure, axes = pyplot.subplots(rows, columns, figsize=(width, height), layout="constrained", squeeze=False)
    return figure, list(axes.flat)


def axes_for(ax: Axes | None, width: float = 7.5, height: float = 3.4) -> Axes:
    """Returns the axes that were given, or those of a new figure."""
    return new_figure(width, height)[1][0] if ax is None else ax


def line_style(index: int) -> dict[str, Any]:
    """Returns colour and dashes of a scheduler, given its place in the experiment."""
    dashes = _DASHES[index // len(COLOURS) % len(_DASHES)]
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": dashes, "linewidth": 1.3}


def dot_style(index: int) -> dict[str, Any]:
    """Returns colour and marker of a scheduler, given its place in the experiment."""
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index // len(COLOURS) % len(MARKERS)]}


def time_unit(longest_s: float) -> tuple[str, int]:
    """Returns the unit in which a time reads well, and its seconds."""
    return next((unit, seconds) for unit, seconds, most in _UNITS if longest_s < seconds * most)


def tidy(ax: Axes, title: str, grid: str = "y") -> None:
    """Gives axes a title, light lines along one axis, and no frame above and on the right."""
    ax.set_title(title, loc="left", fontsize=10)
    ax.grid(visible=True, axis="y" if grid == "y" else "x", color="#dddddd", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def legend(ax: Axes, names: Sequence[str]) -> None:
    """Shows names if there are several: a few inside the axes, many beside them."""
    if len(names) > _MOST_INSIDE:
        ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.02))
    elif len(names) > 1:
        ax.legend(frameon=True, framealpha=0.8, edgecolor="none", fontsize=9)


def longest(times: Sequence[Floats]) -> float:
    """Returns the last of all times, 0 if there are none."""
    return max((float(each[-1]) for each in times if len(each)), default=0.0)
