from __future__ import annotations

import numpy as np

from wavetank.scheduling.framework.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.cycle import Cycle, Outcome
from wavetank.scheduling.framework.plugin import (
    SKIP,
    PluginError,
    PostFilterPlugin,
    PreFilterPlugin,
    PreFilterResult,
    ScorePlugin,
)


class DynamicResources(PreFilterPlugin, PostFilterPlugin, ScorePlugin):
    """Allocates the devices that a pod's resource claims ask for."""

    name = "DynamicResources"

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Has nothing to filter for a pod without claims."""
        cycle.state[self.name] = ()
        return SKIP

    def post_filter(self, cycle: Cycle, outcome: Outcome) -> str:
        """Says that no claim can be given back; fails if an earlier PreFilter kept this plugin's from running."""
        if self.name not in cycle.state:
            raise PluginError("not found")
        return "no new claims to deallocate"

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Gives nothing to any node."""
        return np.zeros(len(nodes), np.int64)
