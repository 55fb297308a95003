from __future__ import annotations

from typing import Protocol

from wavetank.cluster.objects.pod import Pod


class Evictions(Protocol):
    """Evicts pods as the eviction API does."""

    def evict(self, pod: Pod, grace_s: int) -> None:
        """Asks a pod to stop; ApiError if its disruption budget does not allow it or it is gone."""
