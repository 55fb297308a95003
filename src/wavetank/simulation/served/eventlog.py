from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.cluster.store.store import Store
from wavetank.simulation.served.correlation import Correlator, Event, Key, Part

_MOST = 5_000  # Events that are kept; then the oldest are deleted, as a real cluster does by age
_TABLE = "Event"
_RENEWED = ("count", "message", "lastTimestamp")


class EventLog:
    """Writes Events, which `kubectl describe` shows; of too many the oldest are deleted.

    Repeated Events are counted, and a source with too many Events about an object is limited, by client-go's rules.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._correlator = Correlator()
        self._written: deque[tuple[str, str, Key]] = deque()
        self._known: dict[Key, tuple[str, str]] = {}  # namespace and name of the Event with this key

    def tell(self, about: Resource, type_: str, reason: str, message: str, component: str) -> None:
        """Writes an Event of a controller about an object."""
        self.write(about, type_, reason, message, {"component": component})

    def write(
        self, about: Resource, type_: str, reason: str, message: str, source: dict[str, str], field: str = ""
    ) -> None:
        """Writes an Event about an object, or its part `field`; `source` has component and host."""
        self.write_all(about, type_, [(reason, message, field)], source)

    def write_all(self, about: Resource, type_: str, events: Iterable[Part], source: dict[str, str]) -> None:
        """Writes Events of one type about an object or its parts: their reasons, messages and fields."""
        rest = iter(events)
        for reason, message, field in rest:
            event = self._event(about, type_, reason, message, source, field)
            if not self._write(event):
                self._correlator.pass_over(event, rest, self._store.clock.now)  # an object may have thousands of parts

    def _event(
        self, about: Resource, type_: str, reason: str, message: str, source: dict[str, str], field: str
    ) -> Event:
        return {
            "apiVersion": "v1",
            "kind": _TABLE,
            "metadata": {"name": f"{about.name}.{self._store.version:016x}", "namespace": about.namespace or "default"},
            "involvedObject": _reference(about, field),
            "reason": reason,
            "message": message,
            "source": source,
            "lastTimestamp": render_time(self._store.clock.now),
            "type": type_,
            "eventTime": None,
            "reportingComponent": source["component"],
            "reportingInstance": source.get("host", ""),
        }

    def _write(self, event: Event) -> bool:
        """Writes an Event or counts it again; False if there were too many of its source about the object."""
        key = self._correlator.combine(event, self._store.clock.now)
        observed = self._correlator.observe(key, self._store.clock.now)
        event |= {"count": observed.times, "firstTimestamp": render_time(observed.first)}
        if not self._correlator.within_limit(event, self._store.clock.now):
            return False
        present = self._store.find(_TABLE, *self._known[key]) if key in self._known else None
        if present is None:
            self._create(event, key)
        else:
            self._renew(present, event)
        return True

    def _create(self, event: Event, key: Key) -> None:
        namespace, name = event["metadata"]["namespace"], event["metadata"]["name"]
        self._store.create(Resource(event))
        self._known[key] = (namespace, name)
        self._written.append((namespace, name, key))
        if len(self._written) > _MOST:
            self._forget(*self._written.popleft())

    def _renew(self, present: Resource, event: Event) -> None:
        """Writes a repeated Event, with its newest message."""
        new = present.copy()
        new.manifest = {**present.manifest, **{field: event[field] for field in _RENEWED}}
        self._store.update(new)

    def _forget(self, namespace: str, name: str, key: Key) -> None:
        if self._known.get(key) == (namespace, name):
            del self._known[key]
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
