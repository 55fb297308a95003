from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from wavetank.controllers.karpenter.nodepools import NodePool
from wavetank.kernel.durations import SECOND, Nanoseconds


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the provisioner itself, with Karpenter's defaults."""

    batch_idle: Nanoseconds = SECOND
    batch_max: Nanoseconds = 10 * SECOND
    spot_to_spot: bool = False  # the feature gate SpotToSpotConsolidation

    @property
    def nomination(self) -> Nanoseconds:
        """Returns how long a node is kept for the pods that are expected on it."""
        return max(2 * self.batch_max, 10 * SECOND)


@dataclass(frozen=True, slots=True)
class Launch:
    """How an instance starts: after `registered` its Node is there, `initialized` later pods can use it."""

    registered: Nanoseconds
    initialized: Nanoseconds = 0


@dataclass(frozen=True, slots=True)
class Interruption:
    """When a spot instance is taken back: the notice comes `after` its registration, `notice` later it is gone."""

    after: Nanoseconds
    notice: Nanoseconds


class InstanceProvider(Protocol):
    """The cloud behind NodeClaims."""

    def launch(self, pool: NodePool) -> Launch | None:
        """Returns how a new instance starts, or None if it never does."""

    def halt(self, pool: NodePool) -> Nanoseconds:
        """Returns how long it takes to terminate an instance once its node is drained."""

    def interruption(self, pool: NodePool) -> Interruption | None:
        """Returns when a new spot instance is taken back, None for never."""
