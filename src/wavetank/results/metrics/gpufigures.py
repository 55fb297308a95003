from __future__ import annotations

from typing import NamedTuple


class GpuFigures(NamedTuple):
    """What summary.csv says of GPUs, in percent of all of them; None where it says nothing."""

    allocation: float | None = None
    fragmentation: float | None = None
