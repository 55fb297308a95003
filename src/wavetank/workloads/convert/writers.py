"""Workloads into files: by the suffix of the file, or by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from wavetank.errors import InputError
from wavetank.files import replacing
from wavetank.workloads.convert.batsim import write_batsim
from wavetank.workloads.convert.losses import Losses
from wavetank.workloads.convert.manifests import write_manifests
from wavetank.workloads.convert.swf import write_swf
from wavetank.workloads.convert.tables import write_csv, write_parquet
from wavetank.workloads.records import Records


class Target(NamedTuple):
    """A format to write: the suffixes of its files, and the function that writes one and returns its entries."""

    suffixes: tuple[str, ...]
    write: Callable[[Records, Path, Losses], int]


TARGETS: Mapping[str, Target] = {
    "batsim": Target((".json",), write_batsim),
    "swf": Target((".swf",), write_swf),
    "csv": Target((".csv",), write_csv),
    "parquet": Target((".parquet", ".pq"), write_parquet),
    "manifests": Target((".yaml", ".yml"), write_manifests),
}


class Written(NamedTuple):
    """What was written: the format, the number of entries, and a line for each thing that it cannot express."""

    format: str
    entries: int
    notes: list[str]


def write_workload(records: Records, path: Path, format: str | None = None) -> Written:  # noqa: A002
    """Writes a file whole or not at all."""
    name = format or _format_of(path)
    if name not in TARGETS:
        raise InputError(f"cannot write {name!r}: expected one of {', '.join(TARGETS)}", source=str(path))
    losses = Losses(name)
    with replacing(path) as unfinished:
        entries = TARGETS[name].write(records, unfinished, losses)
    return Written(name, entries, losses.notes)


def _format_of(path: Path) -> str:
    for name, target in TARGETS.items():
        if path.suffix.lower() in target.suffixes:
            return name
    known = ", ".join(suffix for target in TARGETS.values() for suffix in target.suffixes)
    raise InputError(f"the suffix does not tell the format: expected one of {known}", source=str(path))
