"""Tables of pods, as CSV or Parquet, with the columns of `podcolumns`."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.kernel.durations import Nanoseconds, format_seconds
from wavetank.workloads.convert.losses import Losses
from wavetank.workloads.formats.parquet import BATCH, import_polars
from wavetank.workloads.records import Record, Records
from wavetank.workloads.tables.podcolumns import AMOUNTS, ARRIVAL, DURATION, LABEL, SELECTOR, WALLTIME

Columns = dict[str, Callable[[Record], Any]]

_COLUMN_OF = {resource: column for column, resource in AMOUNTS.items()}
_DEFAULT_SCHEDULERS = ("default", "default-scheduler")
_TEXTS = ("name", "namespace", "scheduler")


def write_csv(records: Records, path: Path, losses: Losses) -> int:
    """Writes CSV with a header and times in seconds; returns the number of rows."""
    columns = _columns(records, "_s", lambda time: None if time is None else format_seconds(time))
    rows = 0
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        for record in _expressible(records, losses):
            writer.writerow([value(record) for value in columns.values()])
            rows += 1
    return rows


def write_parquet(records: Records, path: Path, losses: Losses) -> int:
    """Writes Parquet with times in nanoseconds; returns the number of rows."""
    pl = import_polars()
    columns = _columns(records, "_ns", lambda time: time)
    schema = {name: pl.String if _is_text(name) else pl.Int64 for name in columns}
    parts = [pl.DataFrame(schema=schema)]
    pending = _expressible(records, losses)
    while batch := list(islice(pending, BATCH)):
        cells = {name: [value(record) for record in batch] for name, value in columns.items()}
        parts.append(pl.DataFrame(cells, schema=schema))
    table = pl.concat(parts)
    table.write_parquet(path, row_group_size=BATCH)
    return len(table)


def _is_text(column: str) -> bool:
    return column in _TEXTS or column.startswith((LABEL, SELECTOR))


@dataclass
class _Seen:
    """What a workload has, which says what columns it needs."""

    resources: set[str] = field(default_factory=lambda: {CPU, MEMORY})
    labels: set[str] = field(default_factory=set)
    selectors: set[str] = field(default_factory=set)
    optional: set[str] = field(default_factory=set)

    def see(self, record: Record) -> None:
        """Notes what one record needs."""
        job, pod = record.behavior.job, record.pod
        self.resources |= record.requests.keys()
        self.labels |= pod.labels.keys()
        self.selectors |= (pod.spec.manifest.get("nodeSelector") or {}).keys()
        needed = {
            "namespace": pod.namespace != "default",
            "pods": job is not None,
            "exit_code": record.behavior.exit_code,
            "priority": pod.priority,
            "scheduler": pod.scheduler_name not in _DEFAULT_SCHEDULERS,
            WALLTIME: job is not None and job.walltime is not None,
        }
        self.optional |= {column for column, is_needed in needed.items() if is_needed}


def _columns(records: Records, suffix: str, time: Callable[[Nanoseconds | None], Any]) -> Columns:
    seen = _Seen()
    for record in records():
        seen.see(record)
    columns: Columns = {
        "name": lambda record: record.name,
        ARRIVAL + suffix: lambda record: time(record.time),
        DURATION + suffix: lambda record: time(record.behavior.duration),
    }
    for resource in (CPU, MEMORY, *sorted(seen.resources - {CPU, MEMORY})):
        columns[_COLUMN_OF.get(resource, resource)] = _amount(resource)
    columns |= {name: value for name, value in _OPTIONAL.items() if name in seen.optional}
    if WALLTIME in seen.optional:
        columns[WALLTIME + suffix] = lambda record: time(record.behavior.job.walltime if record.behavior.job else None)
    columns |= {LABEL + key: _label(key) for key in sorted(seen.labels)}
    return columns | {SELECTOR + key: _selector(key) for key in sorted(seen.selectors)}


_OPTIONAL: Columns = {
    "namespace": lambda record: record.pod.namespace,
    "pods": lambda record: record.size,
    "exit_code": lambda record: record.behavior.exit_code,
    "priority": lambda record: record.pod.spec.priority,
    "scheduler": lambda record: None if record.pod.scheduler_name in _DEFAULT_SCHEDULERS else record.pod.scheduler_name,
}


def _amount(resource: str) -> Callable[[Record], Any]:
    return lambda record: record.requests.get(resource)


def _label(key: str) -> Callable[[Record], Any]:
    return lambda record: record.pod.labels.get(key)


def _selector(key: str) -> Callable[[Record], Any]:
    return lambda record: (record.pod.spec.manifest.get("nodeSelector") or {}).get(key)


def _expressible(records: Records, losses: Losses) -> Iterator[Record]:
    for record in records():
        if record.behavior.flops:
            losses.left_out["job whose time depends on the host's speed"] += 1
            continue
        losses.count_spec(record, frozenset({"nodeSelector"}))
        yield record
