"""The node groups and costs of an experiment for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from rich import box
from rich.table import Table
from rich.text import Text

from wavetank.results.read.frames import Row, read_table
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.schema import NODE_GROUPS

_OTHERS = "other nodes"
_ALWAYS = {"mean_nodes": "Mean\nnodes", "most_nodes": "Most\nnodes"}
_IF_ANY = {
    "ordered": "Ordered",
    "removed": "Removed",
    "failed": "Never\nbooted",
    "flaps": "Flaps",
    "interruptions": "Inter-\nrupted",
    "cost": "Cost",
    "idle_cost": "Idle\ncost",
}

_Groups = Mapping[tuple[str, str], Sequence[Row]]  # the rows of all seeds, by scheduler and group


def node_table(out: Path) -> Table | None:
    """Returns a row per scheduler and node group with means over the seeds; None without groups and prices."""
    folder = ResultsFolder(out)
    groups: dict[tuple[str, str], list[Row]] = {}
    for run in folder.runs:
        if (run.path / NODE_GROUPS.file).is_file():
            for row in read_table(run.path, NODE_GROUPS, "rows"):
                groups.setdefault((run.scheduler, str(row["group"])), []).append(row)
    if not groups:
        return None
    shown = {**_ALWAYS, **{column: head for column, head in _IF_ANY.items() if _has(groups, column)}}
    several = len({scheduler for scheduler, _ in groups}) > 1
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for head in ("Scheduler", "Node group") if several else ("Node group",):
        table.add_column(head, overflow="fold")
    for head in shown.values():
        table.add_column(head, justify="right")
    for (scheduler, name), rows in groups.items():
        names = (scheduler, name or _OTHERS) if several else (name or _OTHERS,)
        table.add_row(*map(Text, names), *(_mean(rows, column) for column in shown))
    return table


def _has(groups: _Groups, column: str) -> bool:
    return any(row[column] for rows in groups.values() for row in rows)


def _mean(rows: Sequence[Row], column: str) -> str:
    values = [float(value) for row in rows if (value := row[column]) is not None]
    return f"{fmean(values):,.3g}" if values else ""
