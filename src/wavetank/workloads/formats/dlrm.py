"""Alibaba's trace of disaggregated recommendation models (cluster-trace-gpu-v2025)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wavetank.cluster.fields.resources import CPU, EPHEMERAL_STORAGE, MEMORY
from wavetank.cluster.objects.gpus import GPU
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.tables import windows
from wavetank.workloads.tables.gpupods import GpuKind
from wavetank.workloads.tables.jobtable import NONE, Jobs, TableWorkload
from wavetank.workloads.tables.tracerows import Row, TraceJob, cells_of_head, jobs_of, rows_under_header

OPTIONS = windows.OPTIONS
DAWN = 8  # o'clock: where K8sSim parts the day and the night of GPU traces
RDMA = "wavetank.dev/rdma-percent"  # annotation: of a network card's bandwidth
MOST_PER_NODE = "wavetank.dev/max-instances-per-node"  # annotation: of one app; absent if there is no limit

_GIB = 1 << 30
_AMOUNTS = ("cpu", "gpu", "rdma", "memory", "disk")
_COLUMNS = (
    *("instance_sn", "role", "app_name"),
    *(f"{amount}_{field}" for amount in _AMOUNTS for field in ("request", "limit")),
    *("max_instance_per_node", "creation_time", "scheduled_time", "deletion_time"),
)
_BEFORE = "an instance without a creation time is there from the start of the trace"
_AFTER = "an instance without a deletion time runs forever"


def is_dlrm(file: InputFile) -> bool:
    """Tells whether a file looks like this trace."""
    return {"instance_sn", "role", "app_name"} <= set(cells_of_head(file))


class DlrmWorkload(TableWorkload):
    """The instances of the trace, each a pod with the labels `app` and `role` (CN or HN).

    Requests count, limits do not; cores, GPUs, GiB of memory and of disk are requested, the share of a network
    card and the limit of an app's instances per node are kept as annotations. A pod runs from `scheduled_time` to
    `deletion_time`. Options: `window` (day: 8 to 24 h, night: 0 to 8 h) and `day`.
    """

    def __init__(self, file: InputFile) -> None:
        self._window = windows.read_window(file.options, DAWN)
        super().__init__(file, self._read, _kind, of_jobs=False)

    def _read(self, file: InputFile) -> Iterator[Jobs]:
        return jobs_of(file, rows_under_header(file, _COLUMNS), lambda row: self._instance(file, row))

    def _instance(self, file: InputFile, row: Row) -> TraceJob | None:
        time = self._window.since(row.time("creation_time") if row.get("creation_time") else 0)
        if time is None:
            return None
        if not row.get("creation_time"):
            file.assumed[_BEFORE] += 1
        return TraceJob(row.line, row.name("instance_sn"), time, _duration(file, row), _ask(row))


class _Ask(NamedTuple):
    cpu: int
    memory: int
    disk: int
    gpus: int
    rdma: str
    most: int
    app: str
    role: str


def _ask(row: Row) -> _Ask:
    role, app = row.text("role"), row.label("app_name")
    if role not in ("CN", "HN"):
        raise row.refusal("role", "CN or HN")
    memory, disk = (round(row.number(f"{amount}_request", 1e6) * _GIB) for amount in ("memory", "disk"))
    cpu, gpus = round(row.number("cpu_request", 1e6) * 1000), row.integer("gpu_request", 0, 1024)
    row.number("rdma_request")
    return _Ask(cpu, memory, disk, gpus, row.text("rdma_request"), row.integer("max_instance_per_node", -1), app, role)


def _kind(ask: _Ask) -> GpuKind:
    requests = {CPU: ask.cpu, MEMORY: ask.memory, EPHEMERAL_STORAGE: ask.disk}
    if ask.gpus:
        requests[GPU] = ask.gpus
    annotations = {RDMA: ask.rdma}
    if ask.most >= 0:
        annotations[MOST_PER_NODE] = str(ask.most)
    return GpuKind(requests, labels={"app": ask.app, "role": ask.role}, annotations=annotations)


def _duration(file: InputFile, row: Row) -> Nanoseconds:
    if not row.get("deletion_time"):
        file.assumed[_AFTER] += 1
        return NONE
    duration = row.time("deletion_time") - (row.time("scheduled_time") if row.get("scheduled_time") else 0)
    if duration < 0:
        raise row.refusal("deletion_time", f"a time at or after scheduled_time, {row.get('scheduled_time')}")
    return duration
