"""What the scenarios of a sweep cost, the cheapest first."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import fsum
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from wavetank.report.page.parts import scrolling
from wavetank.report.sweep.verdicts import about
from wavetank.results.read.sweepfolder import SweepFolder
from wavetank.results.statistics import Interval, mean_interval, paired_p_value, seeds_to_tell

_CAPTION = "mean over the seeds, ± 95 % confidence; × the cheapest"
_DOUBTS = "?: these seeds cannot tell whether it is dearer"
_SIGNIFICANT = 0.05
# Metrics beside the cost: heading, divisor, format.
_OTHERS = {
    "makespan_s": ("Makespan\n[min]", 60, ",.1f"),
    "mean_waiting_time_s": ("Mean wait\n[s]", 1, ",.1f"),
    "interruptions": ("Interrupted\nnodes", 1, ",.3g"),
    "lost_pods": ("Lost\npods", 1, ",.3g"),
    "unscheduled_pods": ("Pods\nleft", 1, ",.3g"),
}


@dataclass(frozen=True)
class RankedCost:
    """The cost of a scenario and scheduler: `ratio` to the cheapest, and means of other metrics by name.

    `mark` is "?" if the common seeds cannot tell it from the cheapest (paired t-test at 5 %), and `seeds_to_tell` about
    how many would; it is "(equal)" if the cost is the same with every seed.
    """

    scenario: str
    scheduler: str
    cost: Interval
    ratio: float
    mark: str
    seeds_to_tell: int | None
    others: dict[str, float]


def ranked_costs(folder: SweepFolder) -> list[RankedCost]:
    """Returns the costs of a sweep, the cheapest first; none if there are not two to compare."""
    rows: dict[tuple[str, str], list[dict[str, float]]] = {}
    for row in folder.rows:
        if row.get("cost") is not None:
            rows.setdefault((row["scenario"], row["scheduler"]), []).append(row)
    costs = {key: mean_interval([row["cost"] for row in of]) for key, of in rows.items()}
    if len(costs) < 2:
        return []
    ranked = sorted(costs, key=lambda key: costs[key].mean)
    best = ranked[0]
    return [
        RankedCost(
            *key,
            costs[key],
            costs[key].mean / costs[best].mean if costs[best].mean else 1.0,
            *(("", None) if key == best else _mark(rows[key], rows[best])),
            _means(rows[key]),
        )
        for key in ranked
    ]


def _mark(rows: list[dict[str, float]], best: list[dict[str, float]]) -> tuple[str, int | None]:
    cheapest = {row["seed"]: row["cost"] for row in best}
    differences = [row["cost"] - cheapest[row["seed"]] for row in rows if row["seed"] in cheapest]
    p = paired_p_value(differences) if differences else None
    if p is None or p <= _SIGNIFICANT:
        return "", None
    return ("?", seeds_to_tell(differences)) if any(differences) else ("(equal)", None)


def _caption(ranked: list[RankedCost]) -> str:
    return f"{_CAPTION}; {_DOUBTS}" if any(each.mark == "?" for each in ranked) else _CAPTION


def cost_table(out: Path) -> Table | None:
    """Returns a row per scenario and scheduler; None if there are no costs to compare."""
    ranked = ranked_costs(SweepFolder(out))
    if not ranked:
        return None
    table = Table(title="Cost", caption=_caption(ranked), box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    head, *rows = _cells(ranked)
    for name in head:
        table.add_column(Text(name), justify="left" if name.startswith("Sc") else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def cost_section(ranked: list[RankedCost]) -> str:
    """Returns the section of the report, nothing if there are no costs to compare."""
    if not ranked:
        return ""
    head, *rows = _cells(ranked)
    most = ranked[-1].ratio
    bars = [f'<span class="cost-bar" style="width:{100 * each.ratio / most:.1f}%"></span>' for each in ranked]
    heads = "".join(f"<th>{escape(name)}</th>" for name in (head[0], "", *head[1:]))
    body = "".join(
        f'<tr><th>{escape(row[0])}</th><td class="cost-cell">{bar}</td>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row, bar in zip(rows, bars, strict=True)
    )
    table = f'<table class="numbers"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'
    return (
        '<section id="costs" aria-labelledby="costs-title"><h2 id="costs-title">Cost</h2>'
        f'<p class="lead">The cheapest first: {_caption(ranked)}.</p>'
        f'<div id="cost-chart">{scrolling(table)}</div></section>\n\n'
    )


def cost_rows(ranked: list[RankedCost]) -> list[list[str | float | None]]:
    """Returns the costs with their confidence intervals, a heading first; no interval is None."""
    heading: list[str | float | None] = ["scenario", "scheduler", "cost", "low", "high", *_OTHERS]
    rows: list[list[str | float | None]] = [
        [each.scenario, each.scheduler, each.cost.mean, each.cost.low, each.cost.high, *map(each.others.get, _OTHERS)]
        for each in ranked
    ]
    return [heading, *rows]


def _cells(ranked: list[RankedCost]) -> list[list[str]]:
    """Returns the head and a row for each entry, without columns in which nothing stands."""
    several = len({each.scheduler for each in ranked}) > 1
    shown = [name for name in _OTHERS if any(each.others.get(name) for each in ranked)]
    doubtful = any(each.mark == "?" for each in ranked)
    head = ["Scenario", *(["Scheduler"] if several else []), "Cost", "×", *(["Seeds\nto tell"] if doubtful else [])]
    head += [_OTHERS[name][0] for name in shown]
    rows = [
        [
            each.scenario,
            *([each.scheduler] if several else []),
            _text(each.cost),
            f"{each.ratio:.2f} {each.mark}".rstrip(),
            *([_needed(each)] if doubtful else []),
            *(_other(each, name) for name in shown),
        ]
        for each in ranked
    ]
    return [head, *rows]


def _needed(each: RankedCost) -> str:
    return "" if each.seeds_to_tell is None else about(each.seeds_to_tell)


def _other(each: RankedCost, name: str) -> str:
    _, divisor, form = _OTHERS[name]
    return format(each.others[name] / divisor, form) if name in each.others else ""


def _means(rows: list[dict[str, float]]) -> dict[str, float]:
    values = {name: [row[name] for row in rows if row.get(name) is not None] for name in _OTHERS}
    return {name: fsum(of) / len(of) for name, of in values.items() if of}


def _text(cost: Interval) -> str:
    spread = "" if cost.half_width is None else f" ±{cost.half_width:.2g}"
    return f"{cost.mean:,.3g}{spread}"
