from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wavetank.controllers.framework.queue import Key

ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time"


class _State(NamedTuple):
    service: str
    pods: dict[str, str]


class Triggers:
    """The times of the changes that caused the endpoints of a Service to change, in the API's format."""

    def __init__(self) -> None:
        self._states: dict[Key, _State] = {}

    def next(self, key: Key, created: str, pods: Iterable[tuple[str, str]]) -> str:
        """Returns the earliest time that is new since the last call; for a new Service, that of its creation."""
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
        """Drops a deleted Service."""
        self._states.pop(key, None)
