from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wavetank.cluster.objects.gpus import gpu_demand, split_models
from wavetank.cluster.objects.pod import Pod
from wavetank.errors import InputError
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray
from wavetank.scheduling.gpusharing.gpunodes import GpuNodes

POPULARITY = 0.95  # the share of all pods that the typical ones represent, at least


class PodKind(NamedTuple):
    """Pods that ask for the same: thousandths of a core, thousandths of each GPU, GPUs, and their models, `A10|T4`."""

    cpu: int
    milli: int
    gpus: int
    models: str


class TypicalPods(NamedTuple):
    """Kinds of pods by columns, with their share among all of them; `accepted` has a row of GpuNodes.accepted each."""

    cpu: IntArray
    milli: IntArray
    gpus: IntArray
    accepted: BoolArray
    share: NDArray[np.float64]


class PodMix:
    """How many pods of each kind there are."""

    def __init__(self) -> None:
        self._pods: Counter[PodKind] = Counter()

    def add(self, kind: PodKind) -> None:
        """Counts one more."""
        self._pods[kind] += 1

    def add_pods(self, pods: Iterable[Pod]) -> None:
        """Counts all of them, except those with invalid demands."""
        for pod in pods:
            with suppress(InputError):
                gpus, milli, models = gpu_demand(pod)
                self.add(PodKind(pod.spec.nonzero_cpu, milli, gpus, "|".join(models)))

    @property
    def total(self) -> int:
        """Returns how many pods were counted."""
        return self._pods.total()

    def shares(self) -> list[tuple[PodKind, float]]:
        """Returns the most frequent kinds, as many as represent 95 % of the pods, with their shares among these.

        Of equally frequent kinds, those that ask for more come first.
        """
        ranked = sorted(self._pods.items(), key=lambda item: (item[1], item[0]), reverse=True)
        typical, pods = [], 0
        for kind, number in ranked:
            if pods >= POPULARITY * self.total:
                break
            typical.append((kind, number))
            pods += number
        return [(kind, number / pods) for kind, number in typical]

    def typical(self, state: GpuNodes) -> TypicalPods:
        """Returns them as compiled code reads them."""
        kinds = self.shares()
        asked = np.array([kind[:3] for kind, _ in kinds], np.int64).reshape(-1, 3)
        cpu, milli, gpus = (np.ascontiguousarray(column) for column in asked.T)
        rows = [state.accepted(split_models(kind.models)) for kind, _ in kinds]
        accepted = np.array(rows, np.bool_).reshape(-1, len(state.accepted(())))
        return TypicalPods(cpu, milli, gpus, accepted, np.array([share for _, share in kinds]))
