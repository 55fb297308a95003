"""Two runs of an experiment side by side, queue by queue, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from wavetank.results.layout import QUEUES
from wavetank.results.read.frames import Row, read_table
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.schema import QUEUES as QUEUE_TABLE

_COLUMNS = (
    ("Work-\nloads", "workloads"),
    ("Mean\nwait", "mean_wait_s"),
    ("p95\nwait", "p95_wait_s"),
    ("Pending", "pending"),
    ("Pre-\nempted", "preempted"),
    ("Use of\nquota", "use"),
    ("Time\nborrowing", "borrowing_time"),
)
_TIMES, _SHARES = ("mean_wait_s", "p95_wait_s"), ("use", "borrowing_time")


def queue_change_table(before: Path, after: Path) -> Table:
    """Returns a row per ClusterQueue with its figures before and after a change: means over all runs."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("ClusterQueue")
    for heading, _ in _COLUMNS:
        table.add_column(heading, justify="right")
    old, new = _figures(before), _figures(after)
    for name in dict.fromkeys((*old, *new)):
        cells = [_cell(column, old.get(name), new.get(name)) for _, column in _COLUMNS]
        table.add_row(Text(name), *cells)
    return table


def queue_changes(before: Path, after: Path) -> list[dict[str, object]]:
    """Returns the same as data: a mapping per ClusterQueue; times in seconds, shares from 0 to 1."""
    old, new = _figures(before), _figures(after)
    return [{"queue": name, "before": old.get(name), "after": new.get(name)} for name in dict.fromkeys((*old, *new))]


def _figures(out: Path) -> dict[str, dict[str, float | None]]:
    rows: dict[str, list[Row]] = {}
    for run in ResultsFolder(out).runs:
        if (run.path / QUEUES).is_file():
            table: list[Row] = read_table(run.path, QUEUE_TABLE, "rows")
            for row in table:
                rows.setdefault(str(row["queue"]), []).append(row)
    return {name: {column: _mean(row[column] for row in some) for _, column in _COLUMNS} for name, some in rows.items()}


def _mean(values: Iterable[object]) -> float | None:
    known = [float(str(value)) for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _cell(column: str, old: dict[str, float | None] | None, new: dict[str, float | None] | None) -> Text:
    texts = [_format(column, each[column] if each else None) for each in (old, new)]
    if texts[0] == texts[1]:
        return Text(texts[0])
    return Text(f"{texts[0]}\n→ {texts[1]}", style="bold")


def _format(column: str, value: float | None) -> str:
    if value is None:
        return "–"
    if column in _SHARES:
        return f"{100 * value:.0f} %"
    return _duration(value) if column in _TIMES else f"{value:,.0f}"


_UNITS: Sequence[tuple[float, str]] = ((3600, "h"), (60, "min"), (1, "s"))


def _duration(seconds: float) -> str:
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), (1, "s"))
    return f"{seconds / size:.1f} {unit}"
