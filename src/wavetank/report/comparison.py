"""The comparison of the schedulers as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from wavetank.report.page.parts import items
from wavetank.results.statistics import Interval
from wavetank.results.verdict.comparison import Cell, Comparison
from wavetank.results.verdict.phrases import noun
from wavetank.results.verdict.verdict import Verdict

COLOURS = 6  # as many as report.css has classes s0, s1, …
BETTER = {"lower": "lower is better", "higher": "higher is better", "": ""}
OPEN_CARDS = 6
CARD_HEAD = (
    '<colgroup><col class="name"><col><col class="mean"><col class="verdict"></colgroup>'
    '<thead class="unseen"><tr>'
    '<th scope="col">Scheduler</th><th scope="col">Interval</th><th scope="col">Mean ± half-width</th>'
    '<th scope="col">Against the best</th></tr></thead>'
)


def verdict_list(verdict: Verdict) -> str:
    """Returns the sentences of a verdict as a list."""
    if not verdict.findings:
        return '<p class="lead">There is nothing to compare.</p>'
    return f'<ul class="verdict">{items(verdict.sentences)}</ul>'


def comparison_cards(comparisons: list[Comparison], first: Sequence[str] = ()) -> str:
    """Returns a small table with dots and whiskers per metric, and a line for metrics that are the same everywhere.

    The metrics in `first` come first, then those in which schedulers differ significantly; cards beyond OPEN_CARDS
    are folded away.
    """
    shown = [each for each in comparisons if not each.uneventful and each.has_values]
    shown.sort(key=lambda each: (each.metric.name not in first, not any(each.significant.values())))
    cards = [_card(each) for each in shown]
    quiet = ", ".join(_fact(each) for each in comparisons if each.uneventful and each.has_values)
    intro = "The same with every scheduler" if len(comparisons[0].cells) > 1 else "Besides"
    line = f'<p class="quiet">{intro}: {escape(quiet)}.</p>' if quiet else ""
    more = f"{len(cards) - OPEN_CARDS} more metrics" if len(cards) > OPEN_CARDS + 1 else ""
    folded = f"<details><summary>{more}</summary>{_cards(cards[OPEN_CARDS:])}</details>" if more else ""
    return _cards(cards[:OPEN_CARDS] if more else cards) + line + folded


def _cards(cards: Sequence[str]) -> str:
    return f'<div class="cards">{"".join(cards)}</div>' if cards else ""


def comparison_rows(comparisons: list[Comparison]) -> list[list[str | float | None]]:
    """Returns the means and intervals of all metrics in their units, a heading first; no interval is None."""
    rows: list[list[str | float | None]] = [["metric", "unit", "scheduler", "mean", "low", "high"]]
    for comparison in comparisons:
        for cell in comparison.cells:
            ends = (cell.interval.mean, cell.interval.low, cell.interval.high) if cell.interval else (None, None, None)
            rows.append([comparison.metric.name, comparison.unit, cell.scheduler, *ends])
    return rows


def comparison_table(comparisons: list[Comparison]) -> str:
    """Returns one table, a row per scheduler and a column per metric; the best means are bold and marked."""
    heads = "".join(f'<th scope="col">{escape(heading(each))}</th>' for each in comparisons)
    rows = "".join(_table_row(comparisons, cells) for cells in rows_of(comparisons))
    return (
        f'<table class="numbers"><thead><tr><th scope="col">Scheduler</th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def heading(comparison: Comparison) -> str:
    """Returns the name of a metric with its unit."""
    return f"{comparison.metric.label} [{comparison.unit}]" if comparison.unit else comparison.metric.label


def rows_of(comparisons: list[Comparison]) -> list[tuple[Cell, ...]]:
    """Returns for each scheduler its cells under all metrics."""
    return list(zip(*(each.cells for each in comparisons), strict=True))


def _table_row(comparisons: list[Comparison], cells: tuple[Cell, ...]) -> str:
    columns = "".join(map(_table_cell, comparisons, cells))
    return f'<tr><th scope="row">{escape(cells[0].scheduler)}</th>{columns}</tr>'


def _table_cell(comparison: Comparison, cell: Cell) -> str:
    text = escape(comparison.text(cell))
    mean = f"<strong>{text}</strong> (best)" if cell.verdict == "best" else text
    return f"<td>{mean}{_footnote(comparison, cell)}</td>"


def _footnote(comparison: Comparison, cell: Cell) -> str:
    note = comparison.footnote(cell)
    return f"<small> {note}</small>" if note else ""


def _fact(comparison: Comparison) -> str:
    interval = comparison.cells[0].interval
    value = comparison.number(interval.mean if interval else None)
    return f"{noun(comparison.metric)} {value} {comparison.unit}".rstrip()


def _card(comparison: Comparison) -> str:
    low, high = _range(comparison)
    rows = "".join(_card_row(comparison, i, cell, low, high) for i, cell in enumerate(comparison.cells))
    hint = f'<span class="hint">{BETTER[comparison.metric.better]}</span>'
    return (
        f'<table class="card"><caption>{escape(heading(comparison))} {hint}</caption>'
        f"{CARD_HEAD}<tbody>{rows}</tbody></table>"
    )


def _card_row(comparison: Comparison, index: int, cell: Cell, low: float, high: float) -> str:
    name = escape(cell.scheduler)
    badge = f'<span class="badge">{verdict}</span>' if (verdict := _verdict(comparison, cell)) else ""
    return (
        f'<tr class="{cell.verdict}"><th scope="row" title="{name}">{name}</th>'
        f'<td class="whisker">{_whisker(cell, index, low, high)}</td>'
        f"<td>{escape(comparison.text(cell))}{_footnote(comparison, cell)}</td><td>{badge}</td></tr>"
    )


def _verdict(comparison: Comparison, cell: Cell) -> str:
    """Returns `best`, or how far the mean is from the best one, with ≈ if they do not differ significantly."""
    best = next((each.interval.mean for each in comparison.cells if each.interval and each.verdict == "best"), None)
    if best is None or cell.interval is None or cell.verdict == "best":
        return cell.verdict
    difference = cell.interval.mean - best
    if comparison.unit == "%":
        distance = f"{difference:+.{comparison.decimals}f} pp"
    else:
        distance = _relative(difference / best) if best else f"{difference:+.{comparison.decimals}f}"
    return ("≈ " if cell.verdict == "close" else "") + distance.replace("-", "−").replace("%", " %")


def _relative(share: float) -> str:
    """Writes a difference in percent, one of more than tenfold as a factor."""
    return f"{share:+.1%}" if abs(share) < 10 else f"× {1 + share:,.0f}"


def _range(comparison: Comparison) -> tuple[float, float]:
    """Returns the least and greatest value any interval reaches, so that all rows share a scale."""
    reached = [value for cell in comparison.cells if cell.interval for value in _ends(cell.interval)]
    return min(reached, default=0.0), max(reached, default=0.0)


def _whisker(cell: Cell, index: int, low: float, high: float) -> str:
    """Returns dot and whisker of one scheduler, hidden from screen readers: the text beside it says the same."""
    body = '<line class="rail" x1="0" x2="100%" y1="50%" y2="50%"/>'
    if cell.interval:
        mean, left, right = (_place(each, low, high) for each in _ends(cell.interval))
        body += f'<line class="span" x1="{left}" x2="{right}" y1="50%" y2="50%"/>'
        body += "".join(f'<line class="span" x1="{x}" x2="{x}" y1="25%" y2="75%"/>' for x in (left, right))
        body += f'<circle cx="{mean}" cy="50%" r="4"/>'
    return f'<svg class="s{index % COLOURS}" aria-hidden="true">{body}</svg>'


def _ends(interval: Interval) -> tuple[float, float, float]:
    """Returns the mean and both ends; a single value is its own ends."""
    if interval.low is None or interval.high is None:
        return interval.mean, interval.mean, interval.mean
    return interval.mean, interval.low, interval.high


def _place(value: float, low: float, high: float) -> str:
    """Returns the position of a value on the rail, with a margin for a dot at both ends."""
    share = (value - low) / (high - low) if high > low else 0.5
    return f"{5 + 90 * share:.2f}%"
