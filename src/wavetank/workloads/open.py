"""Workloads and clusters from files, whose format is recognized by their content."""

from __future__ import annotations

import codecs
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
from wavetank.workloads.formats import (
    alibaba2018,
    dlrm,
    k8ssim,
    kubernetriks,
    manifests,
    openb,
    pai,
    parquet,
    philly,
    plaincsv,
    simkube,
)
from wavetank.workloads.formats.batsim import platform
from wavetank.workloads.formats.batsim import workload as batsim
from wavetank.workloads.formats.schedulerperf import workload as schedulerperf
from wavetank.workloads.formats.swf import workload as swf
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.workload import Arrival, ObjectArrival, Workload, object_arrivals


class Format(NamedTuple):
    """A format of files: a line about it, how it is recognized, and how it is read as a workload or as a cluster.

    `detect` is called in the order of FORMATS, and the first that returns true decides. It should look at `file.head`;
    those that need `file.documents` (the whole file as YAML) come after the others. `options` are the names that a
    reader may find in `file.options`.
    """

    description: str
    detect: Callable[[InputFile], bool]
    workload: Callable[[InputFile], Workload] | None = None
    cluster: Callable[[InputFile], list[Manifest]] | None = None
    options: tuple[str, ...] = ()


# One entry for each format: first those recognized by the first bytes, then those recognized by parsed documents.
FORMATS: Mapping[str, Format] = {
    # by file.head
    "platform": Format(
        "SimGrid platform: XML of version 4 or 4.1",
        platform.is_platform,
        cluster=platform.read_platform,
    ),
    "parquet": Format(
        "Parquet with the columns of plain CSV",
        parquet.is_parquet,
        workload=parquet.ParquetWorkload,
    ),
    "swf": Format(
        "Standard Workload Format of the Parallel Workloads Archive",
        swf.is_swf,
        workload=swf.SwfWorkload,
        options=swf.OPTIONS,
    ),
    "openb-nodes": Format(
        "Alibaba's GPU trace of 2023: nodes",
        openb.is_openb_nodes,
        cluster=openb.read_openb_nodes,
    ),
    "openb-pods": Format(
        "Alibaba's GPU trace of 2023: pods",
        openb.is_openb_pods,
        workload=openb.OpenbPods,
        options=openb.OPTIONS,
    ),
    "dlrm": Format(
        "Alibaba's GPU trace of 2025: instances",
        dlrm.is_dlrm,
        workload=dlrm.DlrmWorkload,
        options=dlrm.OPTIONS,
    ),
    "philly": Format(
        "Microsoft's Philly trace",
        philly.is_philly,
        workload=philly.PhillyWorkload,
        options=philly.OPTIONS,
    ),
    "alibaba-machines": Format(
        "Alibaba's trace of 2018: machine_meta",
        alibaba2018.is_machine_meta,
        cluster=alibaba2018.read_machine_meta,
        options=alibaba2018.OPTIONS,
    ),
    "alibaba-tasks": Format(
        "Alibaba's trace of 2018: batch_task",
        alibaba2018.is_batch_task,
        workload=alibaba2018.BatchTasks,
        options=alibaba2018.OPTIONS,
    ),
    "alibaba-instances": Format(
        "Alibaba's trace of 2018: batch_instance",
        alibaba2018.is_batch_instance,
        workload=alibaba2018.BatchInstances,
        options=alibaba2018.OPTIONS,
    ),
    "pai-machines": Format(
        "Alibaba's GPU trace of 2020: pai_machine_spec",
        pai.is_pai_machines,
        cluster=pai.read_pai_machines,
    ),
    "pai-jobs": Format(
        "Alibaba's GPU trace of 2020: pai_job_table, with pai_task_table",
        pai.is_pai_jobs,
        workload=pai.PaiJobs,
        options=pai.OPTIONS,
    ),
    "pai-tasks": Format(
        "Alibaba's GPU trace of 2020: pai_task_table",
        pai.is_pai_tasks,
        workload=pai.PaiTasks,
        options=pai.TASK_OPTIONS,
    ),
    "pai-instances": Format(
        "Alibaba's GPU trace of 2020: pai_instance_table, with pai_task_table",
        pai.is_pai_instances,
        workload=pai.PaiInstances,
        options=pai.OPTIONS,
    ),
    "kubernetriks": Format(
        "kubernetriks' generic trace: YAML events",
        kubernetriks.is_kubernetriks,
        workload=kubernetriks.KubernetriksWorkload,
        cluster=kubernetriks.read_kubernetriks_nodes,
    ),
    "csv": Format(  # after the formats that are CSV with columns of their own
        "plain CSV: nodes (name, cpu_milli, memory_bytes, …) or pods (name, arrival_s, duration_s, …)",
        plaincsv.is_csv,
        workload=plaincsv.CsvWorkload,
        cluster=plaincsv.read_csv_nodes,
    ),
    # by file.documents
    "simkube": Format(
        "SimKube trace: MessagePack or JSON",
        simkube.is_simkube,
        workload=simkube.SimkubeWorkload,
    ),
    "batsim": Format(
        "Batsim workload: JSON with nb_res, jobs and profiles",
        batsim.is_batsim,
        workload=batsim.BatsimWorkload,
    ),
    "k8ssim": Format(
        "K8sSim: nodes, Volcano Jobs or a list of pods",
        k8ssim.is_k8ssim,
        workload=k8ssim.K8sSimWorkload,
        cluster=k8ssim.read_k8ssim_nodes,
    ),
    "scheduler-perf": Format(
        "Kubernetes' scheduler_perf: a list of test cases",
        schedulerperf.is_scheduler_perf,
        workload=schedulerperf.SchedulerPerfWorkload,
        cluster=schedulerperf.read_scheduler_perf_cluster,
        options=schedulerperf.OPTIONS,
    ),
    "manifests": Format(
        "Kubernetes manifests: YAML or JSON",
        manifests.are_manifests,
        workload=manifests.ManifestWorkload,
        cluster=manifests.read_cluster_manifests,
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
    """Reads a workload; its format is recognized by its content unless `format` names one of FORMATS.

    A `lenient` reader leaves out and counts the entries that it cannot use. `options` are the format's own.
    """
    file = InputFile.read(path, lenient=lenient, options=options)
    name = format_of(file, format)
    reader = FORMATS[name].workload
    if reader is None:
        raise InputError(f"a {name} file is not a workload: expected {_formats('workload')}", source=file.source)
    _check_options(file, name)
    return OpenedWorkload(name, reader(file), file.skipped, file.assumed)


def open_cluster(
    paths: Sequence[Path],
    format: str | None = None,  # noqa: A002
    inline: Sequence[Manifest] = (),
    options: Mapping[str, Any] | None = None,
) -> Cluster:
    """Reads the files of a cluster; they and the `inline` manifests add up.

    Formats are recognized by content unless `format` names one; `options` go to the files whose format has them.
    """
    files = [InputFile.read(path, options=options) for path in paths]
    manifests = [manifest for file in files for manifest in _cluster_reader(file, format)(file)]
    return Cluster([*inline, *manifests], tuple(file.name for file in files))


def format_of(file: InputFile, format: str | None = None) -> str:  # noqa: A002
    """Returns the name of a file's format, recognized by its content unless `format` names it."""
    if format is not None and (not isinstance(format, str) or format not in FORMATS):  # a document may say anything
        raise InputError(f"unknown format {format!r}: expected one of {', '.join(FORMATS)}", source=file.source)
    return format or _detect(file)


def _cluster_reader(file: InputFile, format: str | None) -> Callable[[InputFile], list[Manifest]]:  # noqa: A002
    name = format_of(file, format)
    reader = FORMATS[name].cluster
    if reader is None:
        raise InputError(f"a {name} file is not a cluster: expected {_formats('cluster')}", source=file.source)
    _check_options(file, name)
    return reader


def _check_options(file: InputFile, format: str) -> None:  # noqa: A002
    known = FORMATS[format].options
    for option in file.options:
        if option not in known:
            expected = f"expected one of {', '.join(known)}" if known else f"{format} files have none"
            raise InputError(f"unknown option {option!r:.60}: {expected}", path="options", source=file.source)


def _detect(file: InputFile) -> str:
    if not file.head.removeprefix(codecs.BOM_UTF8).strip():
        raise InputError("the file is empty", source=file.source)
    for name, entry in FORMATS.items():
        if entry.detect(file):
            return name
    raise InputError(f"the format is not known: expected one of {', '.join(FORMATS)}", source=file.source)


def _formats(role: str) -> str:
    return " or ".join(name for name, entry in FORMATS.items() if getattr(entry, role) is not None)
