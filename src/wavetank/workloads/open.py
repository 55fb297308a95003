"""Files of whatever format, told by their content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Manifest
from wavetank.errors import InputError
from wavetank.kernel.randomness import Streams
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.formats import alibaba2018, dlrm, openb, philly
from wavetank.workloads.formats.batsim.platform import is_platform, read_platform
from wavetank.workloads.formats.batsim.workload import BatsimWorkload, is_batsim
from wavetank.workloads.formats.k8ssim import K8sSimWorkload, is_k8ssim, read_k8ssim_nodes
from wavetank.workloads.formats.kubernetriks import KubernetriksWorkload, is_kubernetriks, read_kubernetriks_nodes
from wavetank.workloads.formats.parquet import ParquetWorkload, is_parquet
from wavetank.workloads.formats.plaincsv import CsvWorkload, is_csv, read_csv_nodes
from wavetank.workloads.formats.schedulerperf import workload as schedulerperf
from wavetank.workloads.formats.simkube import SimkubeWorkload, is_simkube
from wavetank.workloads.formats.swf.workload import OPTIONS as SWF_OPTIONS
from wavetank.workloads.formats.swf.workload import SwfWorkload, is_swf
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.manifests.manifests import ManifestWorkload, are_manifests, read_cluster_manifests
from wavetank.workloads.workload import Arrival, ObjectArrival, Workload, object_arrivals


class Format(NamedTuple):
    """A format of files: one line on it, how to tell it, and how it is read as a workload or as a cluster.

    `detect` is asked in the order of FORMATS and the first yes counts. It should look at `file.head`; whoever
    looks at `file.documents` (the whole file as YAML) comes after those that do not. `options` are the names
    that a reader may find in `file.options`.
    """

    description: str
    detect: Callable[[InputFile], bool]
    workload: Callable[[InputFile], Workload] | None = None
    cluster: Callable[[InputFile], list[Manifest]] | None = None
    options: tuple[str, ...] = ()


# One line (or entry) per format: first those told by the first bytes, then those told by the parsed documents.
FORMATS: Mapping[str, Format] = {
    # told by file.head
    "platform": Format("SimGrid platform: XML of version 4 or 4.1", is_platform, cluster=read_platform),
    "parquet": Format("Parquet with the columns of plain CSV", is_parquet, ParquetWorkload),
    "swf": Format(
        "Standard Workload Format of the Parallel Workloads Archive", is_swf, SwfWorkload, options=SWF_OPTIONS
    ),
    "openb-nodes": Format("Alibaba's GPU trace of 2023: nodes", openb.is_openb_nodes, cluster=openb.read_openb_nodes),
    "openb-pods": Format(
        "Alibaba's GPU trace of 2023: pods", openb.is_openb_pods, openb.OpenbPods, options=openb.OPTIONS
    ),
    "dlrm": Format("Alibaba's GPU trace of 2025: instances", dlrm.is_dlrm, dlrm.DlrmWorkload, options=dlrm.OPTIONS),
    "philly": Format("Microsoft's Philly trace", philly.is_philly, philly.PhillyWorkload, options=philly.OPTIONS),
    "alibaba-machines": Format(
        "Alibaba's trace of 2018: machine_meta",
        alibaba2018.is_machine_meta,
        cluster=alibaba2018.read_machine_meta,
        options=alibaba2018.OPTIONS,
    ),
    "alibaba-tasks": Format(
        "Alibaba's trace of 2018: batch_task",
        alibaba2018.is_batch_task,
        alibaba2018.BatchTasks,
        options=alibaba2018.OPTIONS,
    ),
    "alibaba-instances": Format(
        "Alibaba's trace of 2018: batch_instance",
        alibaba2018.is_batch_instance,
        alibaba2018.BatchInstances,
        options=alibaba2018.OPTIONS,
    ),
    "kubernetriks": Format(
        "kubernetriks' generic trace: YAML events",
        is_kubernetriks,
        KubernetriksWorkload,
        cluster=read_kubernetriks_nodes,
    ),
    "csv": Format(  # after the formats that are CSV with columns of their own
        "plain CSV: nodes (name, cpu_milli, memory_bytes, …) or pods (name, arrival_s, duration_s, …)",
        is_csv,
        CsvWorkload,
        cluster=read_csv_nodes,
    ),
    # told by file.documents
    "simkube": Format("SimKube trace: MessagePack or JSON", is_simkube, SimkubeWorkload),
    "batsim": Format("Batsim workload: JSON with nb_res, jobs and profiles", is_batsim, BatsimWorkload),
    "k8ssim": Format(
        "K8sSim: nodes, Volcano Jobs or a list of pods", is_k8ssim, K8sSimWorkload, cluster=read_k8ssim_nodes
    ),
    "scheduler-perf": Format(
        "Kubernetes' scheduler_perf: a list of test cases",
        schedulerperf.is_scheduler_perf,
        schedulerperf.SchedulerPerfWorkload,
        cluster=schedulerperf.read_scheduler_perf_cluster,
        options=schedulerperf.OPTIONS,
    ),
    "manifests": Format(
        "Kubernetes manifests: YAML or JSON", are_manifests, ManifestWorkload, cluster=read_cluster_manifests
    ),
}


@dataclass(frozen=True)
class OpenedWorkload:
    """A workload from a file of a known `format`, with counts of what was left out and of what was assumed."""

    format: str
    workload: Workload
    skipped: Counter[str]
    assumed: Counter[str]

    @property
    def description(self) -> str:
        """Says what it is in a few words: 200 jobs from spaced.json."""
        left_out = self.skipped.total()
        return f"{self.workload.description} ({left_out} left out)" if left_out else self.workload.description

    @property
    def notes(self) -> list[str]:
        """Returns what the user should know of the reading, a line for each kind."""
        left_out = [f"left out: {number} × {kind}" for kind, number in self.skipped.items()]
        return left_out + [f"assumed: {number} × {kind}" for kind, number in self.assumed.items()]

    def arrivals(self, specs: SpecTable, streams: Streams) -> Iterator[Arrival]:
        """Yields the pods in the order of time."""
        return self.workload.arrivals(specs, streams)

    def object_arrivals(
        self, specs: SpecTable, streams: Streams, kinds: Collection[str]
    ) -> Iterator[Arrival | ObjectArrival]:
        """Yields what is submitted, with objects of these kinds as such where the format has them."""
        return object_arrivals(self.workload, specs, streams, kinds)


def open_workload(
    path: Path,
    format: str | None = None,  # noqa: A002
    lenient: bool = False,
    options: Mapping[str, Any] | None = None,
) -> OpenedWorkload:
    """Reads a workload; its format is told by its content unless `format` names one of FORMATS.

    A `lenient` reader leaves out and counts the entries that it cannot use. `options` are the format's own.
    """
    file = InputFile.read(path, lenient=lenient, options=options)
    name = format_of(file, format)
    reader = FORMATS[name].workload
    if reader is None:
        raise InputError(f"a {name} file is no workload: expected {_formats('workload')}", source=file.source)
    _check_options(file, name)
    return OpenedWorkload(name, reader(file), file.skipped, file.assumed)


def open_cluster(
    paths: Sequence[Path],
    format: str | None = None,  # noqa: A002
    inline: Sequence[Manifest] = (),
    options: Mapping[str, Any] | None = None,
) -> Cluster:
    """Reads the files of a cluster; they and the `inline` manifests add up.

    Formats are told by content unless `format` names one; `options` go to the files whose format has them.
    """
    files = [InputFile.read(path, options=options) for path in paths]
    manifests = [manifest for file in files for manifest in _cluster_reader(file, format)(file)]
    return Cluster([*inline, *manifests], tuple(file.name for file in files))


def format_of(file: InputFile, format: str | None = None) -> str:  # noqa: A002
    """Returns the name of a file's format, told by its content unless `format` names it."""
    if format is not None and (not isinstance(format, str) or format not in FORMATS):  # a document may say anything
        raise InputError(f"unknown format {format!r}: expected one of {', '.join(FORMATS)}", source=file.source)
    return format or _detect(file)


def _cluster_reader(file: InputFile, format: str | None) -> Callable[[InputFile], list[Manifest]]:  # noqa: A002
    name = format_of(file, format)
    reader = FORMATS[name].cluster
    if reader is None:
        raise InputError(f"a {name} file is no cluster: expected {_formats('cluster')}", source=file.source)
    _check_options(file, name)
    return reader


def _check_options(file: InputFile, format: str) -> None:  # noqa: A002
    known = FORMATS[format].options
    for option in file.options:
        if option not in known:
            expected = f"expected one of {', '.join(known)}" if known else f"{format} files have none"
            raise InputError(f"unknown option {option!r:.60}: {expected}", path="options", source=file.source)


def _detect(file: InputFile) -> str:
    for name, entry in FORMATS.items():
        if entry.detect(file):
            return name
    raise InputError(f"the format is not known: expected one of {', '.join(FORMATS)}", source=file.source)


def _formats(role: str) -> str:
    return " or ".join(name for name, entry in FORMATS.items() if getattr(entry, role) is not None)
