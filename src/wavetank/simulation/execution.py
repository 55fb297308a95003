"""Which model of nodes runs the pods of an experiment."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from wavetank.simulation.entries import SchedulerEntry

Execution = Literal["kubelet", "k8ssim"]

KUBELET: Execution = "kubelet"
K8SSIM: Execution = "k8ssim"
EXECUTIONS: tuple[Execution, ...] = (KUBELET, K8SSIM)


def of_k8ssim(entry: SchedulerEntry) -> SchedulerEntry:
    """Returns a scheduler to try as it is in K8sSim: Volcano with the scores of its time."""
    from wavetank.scheduling.volcano.definition import VolcanoDefinition  # which few experiments need
    from wavetank.scheduling.volcano.vintage import K8SSIM as VOLCANO_OF_K8SSIM

    schedulers = tuple(
        replace(each, vintage=VOLCANO_OF_K8SSIM) if isinstance(each, VolcanoDefinition) else each
        for each in entry.schedulers
    )
    return replace(entry, schedulers=schedulers)
