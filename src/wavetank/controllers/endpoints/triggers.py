from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wavetank.controllers.framework.queue import Key

ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time"


class _State(NamedTuple):
    service: str
    pods: dict[str, str]


class Triggers:
    """When that happened which made the endpoints of a service change; times are texts, as objects have them."""

    def __init__(self) -> None:
        self._states: dict[Key, _State] = {}

    def next(self, key: Key, created: str, pods: Iterable[tuple[str, str]]) -> str:
        """Returns the earliest time that is new since the last look; of a new service that of its creation."""
        known = self._states.get(key)
        times = {name: time for name, time in pods if time}
        self._states[key] = _State(created, times)
        if known is None:
            return created
        new = [time for name, time in times.items() if time > known.pods.get(name, "")]
        if created > known.service:
            new.append(created)
        return min(new, default="")

    def forget(self, key: Key) -> None:
        """Forgets a service."""
        self._states.pop(key, None)
