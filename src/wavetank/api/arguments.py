"""Arguments of Python functions as fields of an Experiment's spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wavetank.errors import InputError
from wavetank.experiments.document.schedulers import entry_of

SchedulerLike = str | Path | type | Mapping[str, Any]
Schedulers = Sequence[SchedulerLike] | SchedulerLike
Cluster = str | Path | Sequence[str | Path] | Mapping[str, Any]
Workload = str | Path | Mapping[str, Any]
Seeds = int | str | Sequence[int]


def experiment_fields(
    cluster: Cluster | None,
    workload: Workload | None,
    schedulers: Schedulers | None,
    seeds: Seeds | None,
    **others: Any,
) -> dict[str, Any]:
    """Returns the fields that were given; `others` have the names and values of a document."""
    fields = {
        "cluster": _cluster(cluster),
        "workload": {"file": str(Path(workload).resolve())} if isinstance(workload, str | Path) else workload,
        "schedulers": None if schedulers is None else list(map(_entry, scheduler_list(schedulers))),
        "seeds": seeds if seeds is None or isinstance(seeds, int | str) else list(seeds),
        **others,
    }
    return {name: value for name, value in fields.items() if value is not None}


def scheduler_list(given: Schedulers) -> list[SchedulerLike]:
    """Returns schedulers as a list, also a single one."""
    return list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]


def paths(given: str | Path | Sequence[str | Path]) -> list[Path]:
    """Returns files as a list, also a single one."""
    return [Path(given)] if isinstance(given, str | Path) else [Path(path) for path in given]


def _cluster(value: object) -> object:
    if value is None or isinstance(value, Mapping):
        return value
    given = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    paths = [Path(path) for path in given if isinstance(path, str | Path)]
    if len(paths) < len(given):
        raise InputError(f"expected files, or a mapping such as {{'nodes': […]}}, got {value!r:.60}", path="cluster")
    return {"files": [str(path.resolve()) for path in paths]}


def _entry(given: SchedulerLike) -> object:
    return given if isinstance(given, Mapping) else entry_of(given)
