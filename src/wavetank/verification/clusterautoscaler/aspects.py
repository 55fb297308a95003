"""In which aspects a run is compared with its recording."""

from __future__ import annotations

SIZES = "sizes"
OF_LOOPS = ("scale-up", "utilization", "obstacles", "unneeded", "removals")
NODE_ASPECTS = (SIZES, *OF_LOOPS)
