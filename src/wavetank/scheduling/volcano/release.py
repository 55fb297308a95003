from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wavetank.cluster.releases import Version
from wavetank.scheduling.config import ResourceSpec

_GPU = "nvidia.com/gpu"


def _resources(weight: int, gpu: int = 0) -> tuple[ResourceSpec, ...]:
    both = (ResourceSpec("cpu", weight), ResourceSpec("memory", weight))
    return (*both, ResourceSpec(_GPU, gpu)) if gpu else both


@dataclass(frozen=True)
class VolcanoRelease:
    """What Volcano's releases differ in where they score nodes; `libraries` is the release of kube-scheduler in it.

    `least`, `most` and `balanced` are the resources that count in those scores; `weights` what the parts of nodeorder
    weigh where a configuration does not say. `largest_first`: of the best nodes the one with the most CPU is taken.
    """

    name: str
    libraries: Version
    least: tuple[ResourceSpec, ...]
    most: tuple[ResourceSpec, ...]
    balanced: tuple[ResourceSpec, ...] = _resources(1, 1)
    weights: Mapping[str, int] = field(default_factory=dict)
    largest_first: bool = False


V1_15 = VolcanoRelease(
    "1.15",
    (1, 35),
    _resources(50),
    _resources(1),
    weights={
        "leastrequested": 1,
        "mostrequested": 0,
        "balancedresource": 1,
        "nodeaffinity": 2,
        "podaffinity": 2,
        "tainttoleration": 3,
        "podtopologyspread": 2,
        "imagelocality": 1,
    },
)
# Volcano 1.5 as K8sSim has changed it: GPUs count, and ties are no matter of chance.
K8SSIM = VolcanoRelease(
    "k8ssim",
    (1, 23),
    _resources(50, 50),
    _resources(1, 50),
    weights={
        "leastrequested": 1,
        "mostrequested": 0,
        "balancedresource": 1,
        "nodeaffinity": 1,
        "podaffinity": 1,
        "tainttoleration": 1,
        "podtopologyspread": 0,
        "imagelocality": 1,
    },
    largest_first=True,
)
