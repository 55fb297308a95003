"""`cluster` and `workload` of an experiment: inline, or from files relative to a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wavetank.cluster.objects.podspec import SpecTable
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.experiments.document.fields import CLUSTER, WORKLOAD
from wavetank.nodes.faults import Fault
from wavetank.workloads.cluster import Cluster, node_groups
from wavetank.workloads.formats.batsim.events import faults_of, read_events
from wavetank.workloads.generators.generators import Generator, Generators
from wavetank.workloads.generators.inflation import inflate
from wavetank.workloads.manifests.objects import make_object
from wavetank.workloads.open import OpenedWorkload, open_cluster, open_workload
from wavetank.workloads.several import Workloads
from wavetank.workloads.workload import Workload

_SOURCES = ("file", "files", "generator", "generators")
_OF_FILES = ("format", "lenient", "options", "events")


def read_cluster(value: object, folder: Path, path: str) -> Cluster:
    """Reads {nodes: groups, file: F, files: [F], objects: manifests}, which add up; files with format and options."""
    given = fields.mapping(value, path, CLUSTER)
    paths = _paths(given, folder, path)
    if not paths and "nodes" not in given:
        raise InputError("expected nodes, file or files", path=path)
    manifests: list[Any] = node_groups(given["nodes"], f"{path}.nodes") if "nodes" in given else []
    if "objects" in given:
        manifests.extend(_objects(given["objects"], f"{path}.objects"))
    try:
        options = fields.mapping(given.get("options", {}), "options")
        return open_cluster(paths, given.get("format"), manifests, options)
    except InputError as error:
        raise error.inside(path=path) from None


def read_workload(value: object, folder: Path, cluster: Cluster, path: str) -> tuple[Workload, list[str]]:
    """Reads a workload, and what the user should know of how it was read.

    It is {generator: …}, {generators: […]}, {file: F} or {files: [F]}, files with format, lenient and options. With
    {inflate: {resource: R, target: T}} it asks for that much of the cluster.
    """
    given = fields.mapping(value, path, WORKLOAD)
    workload, notes = _read(given, folder, path)
    if "inflate" in given:
        workload = inflate(workload, given["inflate"], cluster, f"{path}.inflate")
    return workload, notes


def _read(given: Mapping[str, Any], folder: Path, path: str) -> tuple[Workload, list[str]]:
    sources = [key for key in _SOURCES if key in given]
    if len(sources) != 1:
        raise InputError(f"expected exactly one of {', '.join(_SOURCES)}", path=path)
    if sources[0] in ("file", "files"):
        return _from_files(given, folder, path)
    for field in _OF_FILES:
        if field in given and field != "events":
            raise InputError("goes with a file", path=f"{path}.{field}")
    if "generator" in given:
        return Generator(given["generator"], f"{path}.generator", folder), []
    return Generators(given["generators"], f"{path}.generators", folder), []


def read_machine_events(value: object, folder: Path, cluster: Cluster, path: str) -> tuple[Fault, ...]:
    """Reads the faults of a workload's external events (`events: FILE`), if it has any."""
    if not isinstance(value, Mapping) or "events" not in value:
        return ()
    file = folder / fields.text(value["events"], f"{path}.events")
    try:
        return faults_of(read_events(file, _is_lenient(value, path)), cluster, str(file))
    except InputError as error:
        raise error.inside(path=f"{path}.events") from None


def _from_files(given: Mapping[str, Any], folder: Path, path: str) -> tuple[Workload, list[str]]:
    opened = [_open(name, given, path) for name in _paths(given, folder, path)]
    notes = [note for workload in opened for note in workload.notes]
    return (opened[0] if len(opened) == 1 else Workloads(opened)), notes


def _open(file: Path, given: Mapping[str, Any], path: str) -> OpenedWorkload:
    format_ = given.get("format")
    options = fields.mapping(given.get("options", {}), f"{path}.options")
    try:
        return open_workload(file, format_, _is_lenient(given, path), options)
    except InputError as error:
        raise error.inside(path=f"{path}.file") from None


def _is_lenient(given: Mapping[str, Any], path: str) -> bool:
    lenient = given.get("lenient", False)
    if not isinstance(lenient, bool):
        raise InputError(f"expected true or false, got {lenient!r:.60}", path=f"{path}.lenient")
    return lenient


def _objects(value: object, path: str) -> Iterator[Mapping[str, Any]]:
    specs = SpecTable()
    for i, item in enumerate(fields.items(value, path)):
        manifest = fields.mapping(item, f"{path}[{i}]")
        try:
            make_object(manifest, specs)
        except InputError as error:
            raise error.inside(path=f"{path}[{i}]") from None
        yield manifest


def _paths(given: Mapping[str, Any], folder: Path, path: str) -> list[Path]:
    names = [given["file"]] if "file" in given else []
    if "files" in given:
        names.extend(fields.items(given["files"], f"{path}.files"))
    return [folder / fields.text(name, f"{path}.file") for name in names]
