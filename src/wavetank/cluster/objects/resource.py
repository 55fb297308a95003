from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Self

from wavetank.cluster.fields.labels import indexed
from wavetank.cluster.objects.groupkinds import GroupKind, group_kind_of
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds

Manifest = Mapping[str, Any]


class Resource:
    """One version of a Kubernetes object; a write makes a new version, this one never changes.

    `manifest` is the object as it was given: whatever this class does not know is kept there and rendered back.
    """

    __slots__ = ("created", "deleted", "labels", "manifest", "name", "namespace", "resource_version", "uid")

    kind = ""
    api_version = "v1"
    namespaced = True

    def __init__(self, manifest: Manifest, *, name: str = "", namespace: str = "") -> None:
        metadata = manifest.get("metadata") or {}
        if not isinstance(metadata, Mapping):
            raise InputError(f"expected a mapping, got {metadata!r}", path="metadata")
        self.manifest = manifest
        self.name = name or str(metadata.get("name") or "")
        self.namespace = (namespace or str(metadata.get("namespace") or "default")) if self.namespaced else ""
        self.labels = indexed(metadata.get("labels") or {})
        self.uid = str(metadata.get("uid") or "")
        self.resource_version = 0
        self.created: Nanoseconds = 0
        self.deleted: Nanoseconds | None = None
        if not self.name:
            raise InputError(f"a {self.kind or 'resource'} needs a name", path="metadata.name")

    @property
    def key(self) -> tuple[str, str]:
        """Returns (namespace, name), unique within a kind."""
        return self.namespace, self.name

    @property
    def annotations(self) -> Mapping[str, str]:
        """Returns the annotations."""
        return (self.manifest.get("metadata") or {}).get("annotations") or {}

    def copy(self) -> Self:
        """Returns a new version that the caller may change before it gives it to the store."""
        new = object.__new__(type(self))
        if type(self) is Resource:  # written out: most objects without a class of their own are written by controllers
            new.created, new.deleted, new.labels, new.manifest = self.created, self.deleted, self.labels, self.manifest
            new.name, new.namespace, new.uid = self.name, self.namespace, self.uid
            new.resource_version = self.resource_version
            return new
        for slot in slots_of(type(self)):
            setattr(new, slot, getattr(self, slot))
        return new

    def set_labels(self, labels: dict[str, str]) -> None:
        """Changes the labels of a version that the store does not have yet, in its manifest too."""
        self.labels = indexed(labels)
        self.manifest = {**self.manifest, "metadata": {**(self.manifest.get("metadata") or {}), "labels": labels}}

    def render(self) -> dict[str, Any]:
        """Returns the object as Kubernetes JSON, unknown fields included."""
        metadata = dict(self.manifest.get("metadata") or {})
        metadata["name"] = self.name
        if self.namespaced:
            metadata["namespace"] = self.namespace
        if self.uid:
            metadata["uid"] = self.uid
        if self.resource_version:
            metadata["resourceVersion"] = str(self.resource_version)
            metadata["creationTimestamp"] = render_time(self.created)
        if self.deleted is not None:
            metadata["deletionTimestamp"] = render_time(self.deleted)
        head = {"apiVersion": self.manifest.get("apiVersion", self.api_version), "kind": self.manifest_kind}
        return {**head, **self.manifest, "metadata": metadata}

    @property
    def manifest_kind(self) -> str:
        """Returns the kind's name, also for kinds that have no class of their own."""
        return self.kind or str(self.manifest.get("kind", ""))

    @property
    def group_kind(self) -> GroupKind:
        """Returns the name of the store's table that holds this kind: Pod, Deployment.apps."""
        return group_kind_of(
            self.manifest.get("apiVersion", self.api_version), self.kind or self.manifest.get("kind", "")
        )

    def __repr__(self) -> str:
        return f"<{self.manifest_kind} {'/'.join(part for part in self.key if part)}>"


# Virtual time 0 in the calendar; a whole second, so that truncation to seconds is the same in both.
EPOCH_SECONDS = 1_893_456_000  # 2030-01-01T00:00:00Z


def render_time(time: Nanoseconds) -> str:
    """Writes a virtual time as Kubernetes does: RFC 3339, whole seconds."""
    return _render_second(time // SECOND)


@lru_cache(maxsize=8192)
def _render_second(second: int) -> str:
    """Writes a whole second; the same few are asked for again and again when a cluster is listed."""
    from datetime import UTC, datetime

    return datetime.fromtimestamp(EPOCH_SECONDS + second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_time(text: object, path: str) -> Nanoseconds | None:
    """Reads a time in RFC 3339 as virtual time, before 0 if it is of the past; None stays None."""
    from datetime import UTC, datetime

    if text is None:
        return None
    try:
        since = datetime.fromisoformat(str(text)) - datetime.fromtimestamp(EPOCH_SECONDS, UTC)
        return round(since.total_seconds() * SECOND)
    except (ValueError, TypeError, OverflowError):  # TypeError: a time without its zone
        raise InputError(f"expected a time such as 2024-01-01T00:00:00Z, got {text!r:.60}", path=path) from None


def slots_of(cls: type) -> tuple[str, ...]:
    """Returns all slots of a class and its bases."""
    if cls not in _slots:
        _slots[cls] = tuple(slot for base in cls.__mro__ for slot in getattr(base, "__slots__", ()))
    return _slots[cls]


_slots: dict[type, tuple[str, ...]] = {}
