from __future__ import annotations

from collections.abc import Iterable

from wavetank.cluster.objects.pod import Pod

Key = tuple[str, str]  # (namespace, claim)


class ClaimTable:
    """Which claims, of those that pods name, are in use in which slots; a pod without volumes costs nothing."""

    def __init__(self) -> None:
        self._slots: dict[Key, dict[int, int]] = {}

    def add(self, pod: Pod, slot: int, number: int = 1) -> None:
        """Counts a pod's claims in a slot; `number` -1 takes them away."""
        for volume in pod.spec.volumes:
            if volume.claim is not None:
                self._count((pod.namespace, volume.claim), slot, number)

    def slots(self, key: Key) -> Iterable[int]:
        """Returns the slots in which pods use a claim."""
        return self._slots.get(key, ())

    def _count(self, key: Key, slot: int, number: int) -> None:
        slots = self._slots.setdefault(key, {})
        slots[slot] = slots.get(slot, 0) + number
        if not slots[slot]:
            del slots[slot]
            if not slots:
                del self._slots[key]
