from __future__ import annotations

from dataclasses import dataclass

from wavetank.cluster.releases import Version
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.randomness import Streams


@dataclass(frozen=True, slots=True)
class ActorContext:
    """What all actors of a simulated cluster share; every actor is made with it, followed by its own options.

    `version` is the Kubernetes release, such as (1, 36).
    """

    store: Store
    streams: Streams
    version: Version

    @property
    def clock(self) -> Clock:
        """Returns the clock of the cluster."""
        return self.store.clock
