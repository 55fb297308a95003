"""Alibaba's GPU trace of 2023 (cluster-trace-gpu-v2023, "openb"): lists of nodes and of pods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wavetank.cluster.fields.resources import CPU, MEMORY, PODS, format_amounts
from wavetank.cluster.objects.gpus import GPU, GPU_COUNT, GPU_MILLI, GPU_MODEL
from wavetank.cluster.objects.resource import Manifest
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.manifests.nodes import MOST_PODS, node_manifest
from wavetank.workloads.tables import windows
from wavetank.workloads.tables.gpupods import GpuKind
from wavetank.workloads.tables.jobtable import NONE, Jobs, TableWorkload
from wavetank.workloads.tables.tracerows import Row, TraceJob, cells_of_head, jobs_of, read_each, rows_under_header

OPTIONS = windows.OPTIONS
DAWN = 8  # o'clock: where K8sSim parts the day and the night of GPU traces
QOS = "wavetank.dev/qos"  # annotation: LS, BE, Burstable or Guaranteed

_MIB = 1 << 20
_NODE = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
_POD = ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli")
_MORE = ("gpu_spec", "qos", "pod_phase", "creation_time", "deletion_time", "scheduled_time")
_NEVER_RAN = "a pod that never ran in the trace runs from its creation to its deletion"
_NO_TIMES = "a pod without times is there from the start and runs forever"


def is_openb_nodes(file: InputFile) -> bool:
    """Tells whether a file looks like a list of nodes."""
    return set(_NODE[:4]) <= set(cells_of_head(file))


def is_openb_pods(file: InputFile) -> bool:
    """Tells whether a file looks like a list of pods."""
    return set(_POD) <= set(cells_of_head(file))


def read_openb_nodes(file: InputFile) -> list[Manifest]:
    """Makes a node of each row: its GPUs become nvidia.com/gpu, their model the label of Alibaba's scheduler."""
    return list(read_each(file, rows_under_header(file, _NODE[:4], _NODE[4:]), _node))


class OpenbPods(TableWorkload):
    """The pods of a list, submitted at their creation.

    A pod runs as long as it did in the trace, from `scheduled_time` to `deletion_time`; its phase there is not
    replayed. Whole GPUs are requests for nvidia.com/gpu. A part of one cannot be requested in Kubernetes: it is
    kept in annotations (gpu-count, gpu-milli), which also whole ones have. `gpu_spec` is a required node affinity
    to the models, and kept as an annotation. Options: `window` (day: 8 to 24 h, night: 0 to 8 h), `day`.
    """

    def __init__(self, file: InputFile) -> None:
        self._window = windows.read_window(file.options, DAWN)
        super().__init__(file, self._read, _kind, of_jobs=False)

    def _read(self, file: InputFile) -> Iterator[Jobs]:
        return jobs_of(file, rows_under_header(file, _POD, _MORE), lambda row: self._pod(file, row))

    def _pod(self, file: InputFile, row: Row) -> TraceJob | None:
        time = self._window.since(row.time("creation_time") if row.get("creation_time") else 0)
        return None if time is None else TraceJob(row.line, row.name("name"), time, _duration(file, row), _ask(row))


class _Ask(NamedTuple):
    cpu: int
    memory: int
    gpus: int
    gpu_milli: int
    models: tuple[str, ...]
    qos: str


def _ask(row: Row) -> _Ask:
    gpus, part = row.integer("num_gpu", 0, 1024), row.integer("gpu_milli", 0, 1000)
    if (gpus == 0) != (part == 0) or (gpus > 1 and part < 1000):
        raise row.refusal("gpu_milli", f"0 for no GPU, 1 to 1000 for one and 1000 for several (num_gpu is {gpus})")
    memory = row.integer("memory_mib", 0, 10**9) * _MIB
    models = tuple(row.label("gpu_spec", model) for model in row.get("gpu_spec").split("|") if model)
    return _Ask(row.integer("cpu_milli", 0, 10**9), memory, gpus, part, models, row.get("qos"))


def _kind(ask: _Ask) -> GpuKind:
    requests = {CPU: ask.cpu, MEMORY: ask.memory}
    annotations = {}
    if ask.gpus:
        annotations = {GPU_COUNT: str(ask.gpus), GPU_MILLI: str(ask.gpu_milli)}
    if ask.gpu_milli == 1000:
        requests[GPU] = ask.gpus
    marks = {GPU_MODEL: "|".join(ask.models), QOS: ask.qos}
    annotations |= {key: value for key, value in marks.items() if value}
    return GpuKind(requests, annotations=annotations, models=tuple(sorted(set(ask.models))))


def _duration(file: InputFile, row: Row) -> Nanoseconds:
    if not row.get("deletion_time"):
        file.assumed[_NO_TIMES] += 1
        return NONE
    begun = "scheduled_time" if row.get("scheduled_time") else "creation_time"
    if begun == "creation_time":
        file.assumed[_NEVER_RAN] += 1
    duration = row.time("deletion_time") - row.time(begun)
    if duration < 0:
        raise row.refusal("deletion_time", f"a time at or after {begun}, {row.get(begun)}")
    return duration


def _node(row: Row) -> Manifest:
    name = row.name("sn")
    amounts = {
        CPU: row.integer("cpu_milli", 0, 10**9),
        MEMORY: row.integer("memory_mib", 0, 10**9) * _MIB,
        PODS: MOST_PODS,
    }
    gpus, model = row.integer("gpu", 0, 1024), row.label("model")
    if bool(gpus) != bool(model):
        raise row.refusal("model", f"a model for nodes with GPUs and none for the others (gpu is {gpus})")
    if gpus:
        amounts[GPU] = gpus
    return node_manifest(name, {GPU_MODEL: model} if gpus else {}, format_amounts(amounts))
