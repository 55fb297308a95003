"""`cluster` and `workload` of an experiment: inline, or from files relative to a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest
from wavetank.errors import InputError
from wavetank.experiments.document.structures.spec import ClusterSpec, WorkloadSpec
from wavetank.nodes.faults import Fault
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats.batsim.events import faults_of, read_events
from wavetank.workloads.generators.generators import Generator, Generators
from wavetank.workloads.generators.inflation import inflate
from wavetank.workloads.manifests.objects import make_object
from wavetank.workloads.nodegroups import make_nodes
from wavetank.workloads.open import OpenedWorkload, open_cluster, open_workload
from wavetank.workloads.workload import NoWorkload, Workload, Workloads


def make_cluster(spec: ClusterSpec, folder: Path, path: str) -> Cluster:
    """Returns the cluster: the nodes of groups, objects written in place, and those of files."""
    manifests = make_nodes(spec.nodes or (), f"{path}.nodes")
    manifests.extend(_objects(spec.objects or (), f"{path}.objects"))
    try:
        return open_cluster(_paths(spec, folder), spec.format, manifests, spec.options)
    except InputError as error:
        raise error.inside(path=path) from None


def make_workload(spec: WorkloadSpec | None, folder: Path, cluster: Cluster, path: str) -> tuple[Workload, list[str]]:
    """Returns the workload, and notes for the user on how it was read."""
    if spec is None:
        return NoWorkload(), []
    workload, notes = _make_workload(spec, folder, path)
    if spec.inflate is not None:
        workload = inflate(workload, spec.inflate, cluster, f"{path}.inflate")
    return workload, notes


def read_machine_events(spec: WorkloadSpec | None, folder: Path, cluster: Cluster, path: str) -> tuple[Fault, ...]:
    """Reads the faults of a workload's external events (`events: FILE`), if it has any."""
    if spec is None or spec.events is None:
        return ()
    file = folder / spec.events
    try:
        return faults_of(read_events(file, spec.lenient), cluster, str(file))
    except InputError as error:
        raise error.inside(path=f"{path}.events") from None


def _make_workload(spec: WorkloadSpec, folder: Path, path: str) -> tuple[Workload, list[str]]:
    if spec.generator is not None:
        return Generator(spec.generator, f"{path}.generator", folder), []
    if spec.generators is not None:
        return Generators(spec.generators, f"{path}.generators", folder), []
    opened = [_open(file, spec, path) for file in _paths(spec, folder)]
    notes = [note for workload in opened for note in workload.notes]
    return (opened[0] if len(opened) == 1 else Workloads(opened)), notes


def _open(file: Path, spec: WorkloadSpec, path: str) -> OpenedWorkload:
    try:
        return open_workload(file, spec.format, spec.lenient, spec.options)
    except InputError as error:
        raise error.inside(path=f"{path}.file") from None


def _objects(manifests: Sequence[Mapping[str, Any]], path: str) -> Iterator[Manifest]:
    specs = SpecTable()
    for i, manifest in enumerate(manifests):
        try:
            make_object(manifest, specs)
        except InputError as error:
            raise error.inside(path=f"{path}[{i}]") from None
        yield manifest


def _paths(spec: ClusterSpec | WorkloadSpec, folder: Path) -> list[Path]:
    names = [*([spec.file] if spec.file else ()), *(spec.files or ())]
    return [folder / name for name in names]
