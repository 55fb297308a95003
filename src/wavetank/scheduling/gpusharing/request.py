from __future__ import annotations

from typing import NamedTuple

from wavetank.cluster.objects.gpus import WHOLE
from wavetank.scheduling.framework.nodes.arrays import BoolArray

SHARES = 0  # the size of pods that share a GPU; that of others is their number of GPUs


class GpuRequest(NamedTuple):
    """What a pod asks for, as policies read it: CPU in thousandths, `milli` thousandths of each of `gpus` GPUs.

    It takes GPUs of one of the `models`, of any if none is named; `accepted` says so by the numbers of GpuNodes.models.
    """

    cpu: int
    gpus: int
    milli: int
    models: tuple[str, ...]
    accepted: BoolArray

    @property
    def total(self) -> int:
        """Returns the thousandths of a GPU in all."""
        return self.gpus * self.milli

    @property
    def is_share(self) -> bool:
        """Returns whether it is for a part of one GPU."""
        return 0 < self.milli < WHOLE

    @property
    def size(self) -> int:
        """Returns SHARES for a part of a GPU, else the number of GPUs."""
        return SHARES if self.is_share else self.gpus
