from __future__ import annotations

from collections import deque
from typing import Any

from wavetank.cluster.resource import Resource, render_time
from wavetank.cluster.store import Store

_MOST = 5_000  # Events that are kept; the oldest go first, as they do by age in a real cluster
_TABLE = "Event"


class EventLog:
    """Writes Events, which `kubectl describe` shows; of too many the oldest are forgotten."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._written: deque[tuple[str, str]] = deque()

    def tell(self, about: Resource, type_: str, reason: str, message: str, component: str) -> None:
        """Writes what a controller has to say of an object."""
        self.write(about, type_, reason, message, {"component": component})

    def write(
        self, about: Resource, type_: str, reason: str, message: str, who: dict[str, str], field: str = ""
    ) -> None:
        """Writes an Event about an object, or the part of it that `field` names; `who` has component and host."""
        now = render_time(self._store.clock.now)
        name = f"{about.name}.{self._store.version:016x}"
        namespace = about.namespace or "default"
        event = {
            "apiVersion": "v1",
            "kind": _TABLE,
            "metadata": {"name": name, "namespace": namespace},
            "involvedObject": _reference(about, field),
            "reason": reason,
            "message": message,
            "source": who,
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
            "type": type_,
            "eventTime": None,
            "reportingComponent": who["component"],
            "reportingInstance": who.get("host", ""),
        }
        self._store.create(Resource(event))
        self._written.append((namespace, name))
        if len(self._written) > _MOST:
            self._forget(*self._written.popleft())

    def _forget(self, namespace: str, name: str) -> None:
        oldest = self._store.find(_TABLE, namespace, name)
        if oldest is not None:
            self._store.delete(oldest)


def _reference(about: Resource, field: str) -> dict[str, Any]:
    reference: dict[str, Any] = {"kind": about.manifest_kind, "namespace": about.namespace, "name": about.name}
    reference |= {"uid": about.uid, "apiVersion": about.manifest.get("apiVersion", about.api_version)}
    reference["resourceVersion"] = str(about.resource_version)
    if field:
        reference["fieldPath"] = field
    return {key: value for key, value in reference.items() if value}
