from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from wavetank.results.recording.recorder import Recorder
from wavetank.scheduling.scheduler.scheduler import Explain
from wavetank.simulation.execution import K8SSIM
from wavetank.simulation.simulation import Setting, Simulation

if TYPE_CHECKING:
    from wavetank.simulation.microservices import ServiceObserver


def record(setting: Setting, seed: int, explain: Explain | None = None) -> Recorder:
    """Makes one run without files; returns what was recorded. `explain` is called with every scheduling attempt."""
    recorder = make_recorder(setting)
    Simulation(setting, seed, (recorder,), explain).run()
    return recorder


def make_recorder(setting: Setting, tell: Callable[[int], None] | None = None) -> Recorder:
    """Returns a recorder for a run: also of GPUs if they are shared, and of tasks if K8sSim's nodes run them.

    `tell` is called now and then with the number of pods that have finished.
    """
    gpus = tasks = None
    if setting.shares_gpus:
        from wavetank.results.recording.gpuuse import GpuUse  # few runs need it

        gpus = GpuUse()
    if setting.execution == K8SSIM:
        from wavetank.results.recording.k8ssimtasks import TaskLedger

        tasks = TaskLedger()
    return Recorder(tell, gpus, tasks)


def service_observer(setting: Setting) -> ServiceObserver | None:
    """Returns what simulates the requests to microservices; None if there are none."""
    if setting.services is None:
        return None
    from wavetank.simulation.microservices import ServiceObserver  # few runs need it

    return ServiceObserver(setting.services)
