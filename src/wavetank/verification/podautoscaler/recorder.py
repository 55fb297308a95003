"""Notes what wavetank's controller does: outcomes of syncs, writes and Events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.scale import Scale
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.framework.client import Client, Document
from wavetank.controllers.podautoscaler.sync import SyncOutcome
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds
from wavetank.simulation.served.correlation import Correlator

Event = tuple[Nanoseconds, str, str, str, str]  # time, autoscaler, type, reason, message


@dataclass
class ObservedSync:
    """One sync of wavetank's controller: its outcome, its writes, and the status if that was written."""

    outcome: SyncOutcome
    writes: list[list[Any]]
    status: Document | None


@dataclass
class Observations:
    """All that the controller has done in a scenario."""

    syncs: list[ObservedSync] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    replicas: list[tuple[Nanoseconds, str, int | None, str]] = field(default_factory=list)


class Recorder:
    """A client that passes everything on and notes it; `tell` sends Events as client-go's recorder does."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self.observations = Observations()
        self._client = client
        self._clock = clock
        self._correlator = Correlator()
        self._writes: list[list[Any]] = []
        self._status: Document | None = None

    def done(self, outcome: SyncOutcome) -> None:
        """Notes that a sync is over."""
        self.observations.syncs.append(ObservedSync(outcome, self._writes, self._status))
        self._writes, self._status = [], None

    def tell(self, about: Resource, type_: str, reason: str, message: str, component: str) -> None:
        """Notes an Event unless it is one too many."""
        event: dict[str, Any] = {"type": type_, "reason": reason, "message": message}
        event["source"] = {"component": component}
        event["involvedObject"] = {"kind": about.manifest_kind, "name": about.name, "uid": about.uid}
        self._correlator.combine(event, self._clock.now)
        if self._correlator.within_limit(event, self._clock.now):
            self.observations.events.append((self._clock.now, about.name, type_, reason, event["message"]))

    # of the client

    def get_scale(self, group: str, kind: str, namespace: str, name: str) -> Scale:
        """Reads a scale; only what comes after a write is noted."""
        noted = bool(self._writes)
        try:
            scale = self._client.get_scale(group, kind, namespace, name)
        except ApiError as error:
            if noted:
                self._writes.append(["GET scale", error.code])
            raise
        if noted:
            self._writes.append(["GET scale", 200, [scale.spec_replicas, scale.status_replicas]])
        return scale

    def update_scale(self, scale: Scale, replicas: int) -> None:
        """Writes a scale."""
        code = 200
        try:
            self._client.update_scale(scale, replicas)
        except ApiError as error:
            code = error.code
            raise
        finally:
            self._writes.append(["PUT scale", code, replicas])

    def update_status(self, old: Resource, status: Document, annotations: Mapping[str, str] | None = None) -> Resource:
        """Writes a status."""
        code = 200
        self._status = status
        try:
            return self._client.update_status(old, status, annotations)
        except ApiError as error:
            code = error.code
            raise
        finally:
            self._writes.append(["PUT status", code])

    def create(self, document: Mapping[str, Any], name: str = "") -> Resource:
        """Creates an object."""
        return self._client.create(document, name)

    def update(self, old: Resource, document: Document) -> Resource:
        """Replaces an object."""
        return self._client.update(old, document)

    def delete(self, old: Resource, grace_s: int | None = None, policy: str | None = None) -> None:
        """Deletes an object."""
        self._client.delete(old, grace_s, policy)

    def finalize(self, old: Resource, document: Document) -> None:
        """Replaces the finalizers of a namespace."""
        self._client.finalize(old, document)
