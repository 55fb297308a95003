"""The bodies of /updateNodes and /updatePods. As in the published adapter, the case of letters in keys is ignored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wavetank.cluster.objects.podspec import SpecTable
from wavetank.documents import reading
from wavetank.errors import InputError
from wavetank.workloads.manifests.objects import make_object

Manifest = Mapping[str, Any]

_EVENTS = ("ADDED", "MODIFIED", "DELETED")


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """A change of an object: ADDED, MODIFIED or DELETED."""

    type: str
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class NodesUpdate:
    """All nodes of the simulation; machine sets turn the cluster autoscaler on."""

    nodes: list[Manifest]
    events: list[WatchEvent]
    machine_sets: list[Manifest]
    machines: list[Manifest]


@dataclass(frozen=True, slots=True)
class PodsUpdate:
    """All pods of the simulation, and those that want a node."""

    pods: list[Manifest]
    events: list[WatchEvent]
    to_be_placed: list[Manifest]


def read_nodes(body: bytes) -> NodesUpdate:
    """Reads the body of /updateNodes."""
    given = _Body(body)
    return NodesUpdate(
        given.listed("allNodes", "Node"),
        given.events("Node"),
        given.objects("machineSets", "MachineSet"),
        given.objects("machines", "Machine"),
    )


def read_pods(body: bytes) -> PodsUpdate:
    """Reads the body of /updatePods."""
    given = _Body(body)
    return PodsUpdate(given.listed("allPods", "Pod"), given.events("Pod"), given.listed("podsToBePlaced", "Pod"))


class _Body:
    def __init__(self, body: bytes) -> None:
        try:
            value = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise InputError(f"expected JSON: {error}") from None
        self._given = _lowered(value, "")

    def listed(self, name: str, kind: str) -> list[Manifest]:
        """Reads the items of a Kubernetes list."""
        found = self._given.get(name.lower())
        items = {} if found is None else _lowered(found, name)
        return _objects(items.get("items"), f"{name}.items", kind)

    def objects(self, name: str, kind: str) -> list[Manifest]:
        """Reads a list of objects."""
        return _objects(self._given.get(name.lower()), name, kind)

    def events(self, kind: str) -> list[WatchEvent]:
        """Reads a list of watch events."""
        return [_event(each, path, kind) for path, each in _list(self._given.get("events"), "events")]


def _lowered(value: object, path: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"expected an object, got {value!r:.60}", path=path)
    return {str(key).lower(): each for key, each in value.items()}


def _list(value: object, path: str) -> list[tuple[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"expected a list, got {value!r:.60}", path=path)
    return [(f"{path}[{i}]", each) for i, each in enumerate(value)]


def _objects(value: object, path: str, kind: str) -> list[Manifest]:
    return [_object(each, where, kind) for where, each in _list(value, path)]


def _object(value: object, path: str, kind: str) -> Manifest:
    """Returns an object, with its kind and apiVersion, which clients leave out in lists."""
    metadata = value.get("metadata") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(metadata, Mapping) or not metadata.get("name"):
        raise InputError(f"expected a {kind} with metadata.name, got {value!r:.60}", path=path)
    if value.get("kind") not in (None, "", kind):
        raise InputError(f"expected a {kind}, got a {value['kind']}", path=f"{path}.kind")
    version = "v1" if kind in ("Node", "Pod") else "cluster.x-k8s.io/v1beta1"
    manifest = {**value, "kind": kind, "apiVersion": value.get("apiVersion") or version}
    _check(manifest, path)
    return manifest


def _check(manifest: Manifest, path: str) -> None:
    """Refuses an object that the cluster could not take, before any other is taken."""
    try:
        for name in ("spec", "status"):
            reading.mapping(manifest.get(name) or {}, name)
        make_object(manifest, SpecTable())
        if manifest["kind"] == "Machine":
            _check_machine(manifest)
    except InputError as error:
        raise error.inside(path=path) from None


def _check_machine(manifest: Manifest) -> None:
    where = "metadata.ownerReferences"
    for i, owner in enumerate(reading.sequence(manifest["metadata"].get("ownerReferences") or [], where)):
        reading.text(reading.mapping(owner, f"{where}[{i}]").get("name"), f"{where}[{i}].name")
    reading.mapping((manifest.get("status") or {}).get("nodeRef") or {}, "status.nodeRef")


def _event(value: object, path: str, kind: str) -> WatchEvent:
    given = _lowered(value, path)
    if given.get("type") not in _EVENTS:
        raise InputError(f"expected {', '.join(_EVENTS)}, got {given.get('type')!r:.60}", path=f"{path}.type")
    return WatchEvent(given["type"], _object(given.get("object"), f"{path}.object", kind))
