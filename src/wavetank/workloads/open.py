"""Files of whatever format, told by their content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from wavetank.cluster.resource import Manifest
from wavetank.errors import InputError
from wavetank.workloads.batsim import BatsimWorkload, is_batsim
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.manifests import ManifestWorkload, read_cluster_manifests
from wavetank.workloads.platform import read_platform
from wavetank.workloads.workload import Workload


class Format(NamedTuple):
    """A format of files: one line on it, and how it is read as a workload or as a cluster, if it can be."""

    description: str
    workload: Callable[[InputFile], Workload] | None = None
    cluster: Callable[[InputFile], list[Manifest]] | None = None


FORMATS: Mapping[str, Format] = {
    "batsim": Format("Batsim workload: JSON with nb_res, jobs and profiles", workload=BatsimWorkload),
    "platform": Format("SimGrid platform: XML of version 4 or 4.1", cluster=read_platform),
    "manifests": Format(
        "Kubernetes manifests: YAML or JSON", workload=ManifestWorkload, cluster=read_cluster_manifests
    ),
}


def open_workload(path: Path, format: str | None = None) -> Workload:  # noqa: A002
    """Reads a workload; its format is told by its content unless `format` names one of FORMATS."""
    file = InputFile.read(path)
    name = _format_of(file, format)
    reader = FORMATS[name].workload
    if reader is None:
        raise InputError(f"a {name} file is no workload: expected {_formats('workload')}", source=file.source)
    return reader(file)


def open_cluster(
    paths: Sequence[Path],
    format: str | None = None,  # noqa: A002
    inline: Sequence[Manifest] = (),
) -> Cluster:
    """Reads the files of a cluster; they and the `inline` manifests add up.

    Formats are told by content unless `format` names one.
    """
    files = [InputFile.read(path) for path in paths]
    manifests = [manifest for file in files for manifest in _cluster_reader(file, format)(file)]
    return Cluster([*inline, *manifests], tuple(file.name for file in files))


def _cluster_reader(file: InputFile, format: str | None) -> Callable[[InputFile], list[Manifest]]:  # noqa: A002
    name = _format_of(file, format)
    reader = FORMATS[name].cluster
    if reader is None:
        raise InputError(f"a {name} file is no cluster: expected {_formats('cluster')}", source=file.source)
    return reader


def _format_of(file: InputFile, format: str | None) -> str:  # noqa: A002
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown format {format!r}: expected one of {', '.join(FORMATS)}", source=file.source)
    return format or _detect(file)


def _detect(file: InputFile) -> str:
    if file.text.lstrip().startswith("<"):
        return "platform"
    first = file.documents[0] if file.documents else None
    if is_batsim(first):
        return "batsim"
    if isinstance(first, list) or (isinstance(first, dict) and "kind" in first):
        return "manifests"
    known = "; ".join(f"{name} ({entry.description})" for name, entry in FORMATS.items())
    raise InputError(f"the format is not known: expected one of {known}", source=file.source)


def _formats(role: str) -> str:
    return " or ".join(name for name, entry in FORMATS.items() if getattr(entry, role) is not None)
