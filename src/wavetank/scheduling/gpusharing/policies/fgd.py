from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wavetank.scheduling.forecast import Forecast
from wavetank.scheduling.framework.boundedcache import BoundedCache
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.gpusharing.fragmentation import descend
from wavetank.scheduling.gpusharing.gpunodes import GpuNodes
from wavetank.scheduling.gpusharing.podmix import PodKind, PodMix, TypicalPods
from wavetank.scheduling.gpusharing.policy import GpuPolicy
from wavetank.scheduling.gpusharing.request import GpuRequest

_MOST_KINDS = 1024  # of pods with cached scores


class _Known(NamedTuple):
    """The scores of the nodes by slot, and the version of the state at which each was found; -1 if it was not yet."""

    scores: IntArray
    versions: IntArray


class FGD(GpuPolicy):
    """Fragmentation gradient descent, the node and device where the fewest free GPUs become useless.

    Useless to the pods that usually come: those of the workload, if it is known before the run. If it is not, those
    that were to be placed so far, counted anew whenever their number has doubled.
    """

    def __init__(self) -> None:
        self._mix = PodMix()
        self._expects = False
        self._counted = 0
        self._typical: TypicalPods | None = None
        self._memory: BoundedCache[tuple[int, int, int], _Known] = BoundedCache(_MOST_KINDS)

    def expect(self, forecast: Forecast) -> None:
        """Learns which pods will come."""
        super().expect(forecast)
        self._mix.add_pods(forecast.pods())
        self._expects = self._mix.total > 0

    def score(self, request: GpuRequest, state: GpuNodes, nodes: IntArray) -> IntArray:
        """100 · sigmoid(GPUs that are less useless than before), 50 if nothing changes.

        A node that has not changed since an equal pod looked at it has the score that it had.
        """
        self._learn(request)
        known = self._known(request, state)
        outdated = nodes[state.changed[nodes] > known.versions[nodes]]
        if len(outdated):
            scores = np.empty(len(outdated), np.int64)
            self._descend(request, state, outdated, scores)
            known.scores[outdated], known.versions[outdated] = scores, state.version
        return known.scores[nodes]

    def device(self, request: GpuRequest, state: GpuNodes, slot: int) -> int:
        """Returns the device for which the node has got its score."""
        return self._descend(request, state, np.array([slot]), np.empty(1, np.int64))

    def _known(self, request: GpuRequest, state: GpuNodes) -> _Known:
        self._typical_pods(state, len(request.accepted))  # where they are others, nothing is known
        kind = (request.cpu, request.gpus, request.milli)
        known = self._memory.get(kind)
        if known is None or len(known.scores) < len(state.gpus):
            known = self._memory.keep(kind, _Known(*np.full((2, len(state.gpus)), -1)))
        return known

    def _descend(self, request: GpuRequest, state: GpuNodes, nodes: IntArray, scores: IntArray) -> int:
        asked = (request.cpu, request.gpus, request.milli)
        typical = self._typical_pods(state, len(request.accepted))
        return int(descend(nodes, state.cpu_free, state.free, state.models, typical, asked, scores))

    def _typical_pods(self, state: GpuNodes, models: int) -> TypicalPods:
        """Returns the typical pods, made anew where nodes of another model have come."""
        if self._typical is None or self._typical.accepted.shape[1] != models:
            self._typical = self._mix.typical(state)
            self._memory.clear()
        return self._typical

    def _learn(self, request: GpuRequest) -> None:
        if self._expects:
            return
        self._mix.add(PodKind(request.cpu, request.milli, request.gpus, "|".join(request.models)))
        if self._mix.total >= 2 * self._counted:
            self._counted, self._typical = self._mix.total, None
