"""Draws the study: where each policy places the services, how long users wait, and how long a run takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10

from wavetank.studies.charts import COLOURS, QUIET, RULE, Cell, Drawing, svg, text

POLICY_COLOURS = (QUIET, *COLOURS)
ON_PLACE = "#14181c"  # text that stays dark in dark themes
PLACES = {
    "worker-1-eu-west": ("Europe 1", "#cfe3f5"),
    "worker-2-eu-west": ("Europe 2", "#a9cdec"),
    "worker-us-central1": ("USA", "#f6d3b3"),
    "worker-southamerica-east1": ("Brazil", "#d5e8cf"),
    "worker-asia-southeast1": ("Singapore", "#ecd3e6"),
}
WIDTH, HEIGHT = 900, 590
_LEAST, _MOST = 5.0, 1000.0  # ms
_BARS_LEFT, _BARS_TOP, _BARS_WIDTH, _BARS_HEIGHT = 60, 340, 500, 190


@dataclass(frozen=True)
class Chart:
    """What is drawn: nodes and means (s) by policy; published means by policy; times of a run (s) by their label."""

    placements: Mapping[str, Mapping[str, str]]
    means: Mapping[str, Mapping[str, float]]
    published: Mapping[str, Mapping[str, float]]
    times: Mapping[str, float]


def picture(chart: Chart) -> Drawing:
    """Returns the picture and its data."""
    parts = [*_placements(chart.placements), *_bars(chart), *_times(chart.times)]
    return Drawing(svg(parts, WIDTH, HEIGHT), _rows(chart))


def _rows(chart: Chart) -> list[list[Cell]]:
    rows: list[list[Cell]] = [["what", "policy or program", "of", "value"]]
    rows += [["node", policy, pod, node] for policy, nodes in chart.placements.items() for pod, node in nodes.items()]
    for what, means in (("mean_response_time_s", chart.means), ("misim_mean_response_time_s", chart.published)):
        rows += [[what, policy, name, mean] for policy, values in means.items() for name, mean in values.items()]
    rows += [["time_of_a_run_s", program, "", seconds] for program, seconds in chart.times.items()]
    return rows


def _placements(placements: Mapping[str, Mapping[str, str]]) -> list[str]:
    services = [name for name in next(iter(placements.values())) if not name.startswith("dummy")]
    parts = [text(20, 28, "Where the pods are (as in figure 4a of the paper)", 15)]
    for column, policy in enumerate(placements):
        left = 150 + column * 240
        parts.append(text(left + 110, 58, policy, 13, "middle"))
        for row, service in enumerate(services):
            name, colour = PLACES[placements[policy][service]]
            top = 68 + row * 31
            parts.append(_box(left, top, 220, 27, colour))
            parts.append(text(left + 110, top + 18, name, 12, "middle", ON_PLACE))
    for row, service in enumerate(services):
        parts.append(text(138, 86 + row * 31, service.removeprefix("teastore-"), 12, "end"))
    return parts


def _bars(chart: Chart) -> list[str]:
    parts = [text(20, _BARS_TOP - 24, "Mean response time, 20 requests/s for 300 s", 15)]
    for value in (10, 100, 1000):
        y = _y(value)
        parts.append(f'<line x1="{_BARS_LEFT}" x2="{_BARS_LEFT + _BARS_WIDTH}" y1="{y}" y2="{y}" stroke="{RULE}"/>')
        parts.append(text(_BARS_LEFT - 6, y + 4, f"{value} ms", 11, "end"))
    operations = list(next(iter(chart.means.values())))
    step = _BARS_WIDTH / len(operations)
    for i, operation in enumerate(operations):
        left = _BARS_LEFT + i * step + 8
        for j, (policy, means) in enumerate(chart.means.items()):
            parts += _bar(left + j * 36, 1000 * means[operation], POLICY_COLOURS[j])
            published = chart.published.get(policy, {}).get(operation)
            if published is not None:
                parts.append(_mark(left + j * 36 + 16, _y(1000 * published)))
        parts.append(text(left + 52, _BARS_TOP + _BARS_HEIGHT + 18, operation.rpartition("_")[2], 12, "middle"))
    return [*parts, *_legend(list(chart.means), bool(chart.published))]


def _bar(x: float, value: float, colour: str) -> list[str]:
    y = _y(value)
    bar = f'<rect x="{x:.1f}" y="{y:.1f}" width="32" height="{_BARS_TOP + _BARS_HEIGHT - y:.1f}" fill="{colour}"/>'
    return [bar, text(x + 16, y - 9, f"{value:.0f}", 11, "middle")]


def _mark(x: float, y: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="white" stroke="#222222" stroke-width="1.6"/>'


def _legend(policies: Sequence[str], has_marks: bool) -> list[str]:
    parts, bottom = [], _BARS_TOP + _BARS_HEIGHT + 44
    for i, policy in enumerate(policies):
        parts.append(_box(_BARS_LEFT + i * 120, bottom - 10, 12, 12, POLICY_COLOURS[i]))
        parts.append(text(_BARS_LEFT + 18 + i * 120, bottom, policy, 12))
    if has_marks:
        parts.append(_mark(_BARS_LEFT + 366, bottom - 4))
        parts.append(text(_BARS_LEFT + 378, bottom, "misim-orchestration itself", 12))
    return parts


def _times(times: Mapping[str, float]) -> list[str]:
    parts = [text(620, _BARS_TOP - 24, "Time of a run", 15)]
    longest = max(times.values())
    for i, (label, seconds) in enumerate(times.items()):
        top = _BARS_TOP + 8 + i * 56
        parts.append(text(620, top, label, 12))
        parts.append(_box(620, top + 8, max(2.0, 190 * seconds / longest), 18, POLICY_COLOURS[min(i, 1)]))
        parts.append(text(628 + 190 * seconds / longest, top + 22, f"{seconds:.1f} s", 12))
    return parts


def _y(milliseconds: float) -> float:
    share = log10(milliseconds / _LEAST) / log10(_MOST / _LEAST)
    return _BARS_TOP + _BARS_HEIGHT * (1 - min(1.0, max(0.0, share)))


def _box(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="3" fill="{colour}"/>'
