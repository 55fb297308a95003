"""The models of nodes that can run the pods of an experiment."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from wavetank.scheduling.attachable import Attachable

Execution = Literal["kubelet", "k8ssim", "sharing"]

KUBELET: Execution = "kubelet"
K8SSIM: Execution = "k8ssim"
SHARING: Execution = "sharing"  # as kubelet, but nodes take pods that do not fit
EXECUTIONS: tuple[Execution, ...] = (KUBELET, K8SSIM)  # by name


def as_in_k8ssim(schedulers: tuple[Attachable, ...]) -> tuple[Attachable, ...]:
    """Returns schedulers as K8sSim has them: Volcano with the scores of its older release."""
    from wavetank.scheduling.volcano.definition import VolcanoDefinition  # few experiments need it
    from wavetank.scheduling.volcano.release import K8SSIM as VOLCANO_OF_K8SSIM

    return tuple(
        replace(each, release=VOLCANO_OF_K8SSIM) if isinstance(each, VolcanoDefinition) else each for each in schedulers
    )
