"""The compiled loops over nodes: whether they are on disk already, and how to compile them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from wavetank.cluster.objects.gpus import GPU
from wavetank.cluster.releases import NEWEST
from wavetank.results.columns import decimals
from wavetank.results.recording.gpuuse import GpuUse
from wavetank.scheduling.attachable import SchedulerOptions
from wavetank.scheduling.framework.cycle import kernels as cyclekernels
from wavetank.scheduling.framework.nodes import kernels as topologykernels
from wavetank.scheduling.framework.nodes import nodearrays
from wavetank.scheduling.gpusharing import fragmentation
from wavetank.scheduling.named import find_scheduler
from wavetank.scheduling.plugins.defaultpreemption import kernels as preemptionkernels
from wavetank.scheduling.plugins.noderesources import kernels as resourcekernels
from wavetank.scheduling.plugins.podtopologyspread import kernels as spreadkernels
from wavetank.scheduling.scheduler.scheduler import Explain
from wavetank.scheduling.volcano.model import kernels as volcanokernels
from wavetank.simulation.observer import Observer
from wavetank.simulation.world import World

_MODULES = (
    decimals,
    fragmentation,
    cyclekernels,
    nodearrays,
    preemptionkernels,
    resourcekernels,
    spreadkernels,
    topologykernels,
    volcanokernels,
)
_ROOM = {"cpu": "2", "memory": "4Gi", "pods": "10", GPU: "1"}


def are_compiled() -> bool:
    """Tells whether all compiled loops are on disk, compiled from the present sources."""
    return all(map(_is_cached, _kernels()))


def compile_kernels() -> None:
    """Compiles or loads the loops by using each of them once on a small cluster."""
    _schedule("default")
    _schedule("default", lambda *_: None)  # a plain attempt is another loop than one whose tables are kept
    gpus = GpuUse()
    _schedule("FGD", observer=gpus)
    gpus.fragmentation(())
    _compile_books()
    decimals.seconds_cells(np.zeros(1, np.int64))
    decimals.microsecond_cells(np.zeros(1, np.int64))
    _mark_as_current()


def _schedule(name: str, explain: Explain | None = None, observer: Observer | None = None) -> None:
    world = World(NEWEST)
    if observer is not None:
        observer.join(world.context)
    world.create(_node(number) for number in range(3))
    world.attach([find_scheduler(name, NEWEST)], SchedulerOptions(explain=explain))
    world.create(_pod(*pod) for pod in _PODS)
    world.run(1)


def _compile_books() -> None:
    """Compiles the loops over Volcano's accounts of nodes."""
    book, rows, amounts, slots = np.zeros((1, 1)), np.zeros(1, np.int64), np.zeros(1), np.zeros(1, np.int64)
    volcanokernels.lacking_later(book, book, book, book, rows, amounts, slots)
    volcanokernels.has_room(book, book, rows, amounts, slots)
    volcanokernels.add_amounts(book, rows, amounts, 0, 1)
    cyclekernels.highest(amounts)  # for totals that are not integers


def _kernels() -> Iterator[Any]:
    for module in _MODULES:
        yield from filter(_is_kernel, vars(module).values())


def _is_kernel(value: Any) -> bool:
    """Tells whether something is a compiled function; one that is inlined into others has no code of its own."""
    if not hasattr(value, "stats") or not hasattr(value, "py_func"):
        return False
    return bool(value.targetoptions.get("inline") != "always")


def _is_cached(kernel: Any) -> bool:
    source = Path(kernel.py_func.__code__.co_filename)
    return max((index.stat().st_mtime for index in _indexes(kernel)), default=0.0) > source.stat().st_mtime


def _mark_as_current() -> None:
    """Touches the files: Numba leaves them as they are if a source was only saved again."""
    for kernel in _kernels():
        for index in _indexes(kernel):
            with suppress(OSError):  # another user's installation
                index.touch()


def _indexes(kernel: Any) -> Iterator[Path]:
    stem = Path(kernel.py_func.__code__.co_filename).stem
    return Path(kernel.stats.cache_path).glob(f"{stem}.{kernel.py_func.__qualname__}-*.nbi")


def _node(number: int) -> dict[str, Any]:
    metadata = {"name": f"n{number}", "labels": {_ZONE: f"z{number}"}}
    status = {"allocatable": _ROOM, "capacity": _ROOM}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}


def _pod(name: str, cpu: str, more: Mapping[str, Any]) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu, "memory": "1Gi"}}}
    metadata = {"name": name, "labels": _APP}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **more}}


def _spread(when: str) -> dict[str, Any]:
    constraint = {"maxSkew": 1, "topologyKey": _ZONE, "whenUnsatisfiable": when}
    return {"topologySpreadConstraints": [{**constraint, "labelSelector": {"matchLabels": _APP}}]}


_ZONE, _APP = "topology.kubernetes.io/zone", {"app": "a"}
_TERM = {"topologyKey": _ZONE, "labelSelector": {"matchLabels": _APP}}
_REQUIRED = {"requiredDuringSchedulingIgnoredDuringExecution": [_TERM]}
_PREFERRED = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": _TERM}]}
_PODS: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("plain", "1", {}),
    ("spread", "100m", _spread("DoNotSchedule")),
    ("spread-if-possible", "100m", _spread("ScheduleAnyway")),
    ("near", "100m", {"affinity": {"podAffinity": _REQUIRED}}),
    ("rather-near", "100m", {"affinity": {"podAffinity": _PREFERRED}}),
    ("far", "100m", {"affinity": {"podAntiAffinity": _REQUIRED}}),
    ("large", "2", {}),
    ("urgent", "2", {"priority": 1}),
    ("huge", "3", {}),
)
