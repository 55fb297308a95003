from __future__ import annotations

import random
from collections.abc import Sequence

from wavetank.kernel.randomness import Streams
from wavetank.scheduling.forecast import Forecast
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.plugin import Plugin
from wavetank.scheduling.gpusharing.gpunodes import GpuNodes
from wavetank.scheduling.gpusharing.plugin import GpuSharing
from wavetank.scheduling.gpusharing.request import GpuRequest
from wavetank.scheduling.gpusharing.tieorder import TieOrder

BEST = 100  # the highest score of a node
# The unit of scores: the largest node of the cluster that the policies were published with.
MOST_CPU, MOST_GPU = 128_000, 8_000


class GpuPolicy:
    """A policy of GPU sharing: which of the feasible nodes, and which device there for a part of a GPU.

    Nodes of equal score are taken in the order of the run's forecast, or else in one that is drawn once per run, the
    same for all policies under a seed. All nodes are filtered, no pod is preempted. `random` follows the run's `seed`.
    """

    random: random.Random
    seed: int
    percentage_of_nodes_to_score = 100
    preempts = False
    order: Sequence[str] = ()

    def score(self, request: GpuRequest, state: GpuNodes, nodes: IntArray) -> IntArray:
        """Returns for each slot of `nodes` a whole number from 0 to 100; more is better."""
        raise NotImplementedError

    def device(self, request: GpuRequest, state: GpuNodes, slot: int) -> int:
        """Returns the device for a part of a GPU: the one with the least free that is enough."""
        return state.tightest_device(slot, request.milli)

    def expect(self, forecast: Forecast) -> None:
        """Learns what will come."""
        self.order = forecast.nodes

    def plugins(self, name: str) -> Sequence[Plugin]:
        """Returns what takes part in the scheduling cycle for this policy."""
        turns = TieOrder(self.order, Streams(self.seed).stream("gpu-sharing/order"))
        return [GpuSharing(name, self, turns)]
