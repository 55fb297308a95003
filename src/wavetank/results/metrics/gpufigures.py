from __future__ import annotations

from typing import NamedTuple


class GpuFigures(NamedTuple):
    """GPU metrics of a run, in percent of all GPUs; None if they do not apply."""

    allocation: float | None = None
    fragmentation: float | None = None
