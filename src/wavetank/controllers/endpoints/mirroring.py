from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import ENDPOINT_SLICE, SERVICE
from wavetank.cluster.objects.kinds import Service
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.ownership import controller_reference
from wavetank.controllers.framework.queue import Key

_ENDPOINTS = "Endpoints"
_NAME, _MANAGED_BY = "kubernetes.io/service-name", "endpointslice.kubernetes.io/managed-by"
_CONTROLLER = "endpointslicemirroring-controller.k8s.io"
_SKIP = "endpointslice.kubernetes.io/skip-mirror"
_LEADER = "control-plane.alpha.kubernetes.io/leader"
_OWN = "endpoints.kubernetes.io/managed-by"  # set by the endpoints-controller, whose Services have slices anyway
_DROPPED = ("kubectl.kubernetes.io/last-applied-configuration", "endpoints.kubernetes.io/last-change-trigger-time")
_MOST = 1000  # endpoints of a subset that are mirrored
Document = dict[str, Any]
Slices = dict[tuple[str, str], Document]  # by type of address and ports


class MirroredSlices:
    """The endpointslicemirroring-controller: custom Endpoints of a Service without a selector become EndpointSlices."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._mirrors: dict[Key, dict[str, Resource]] = {}  # slices by Service and name
        for each in self._store.list(ENDPOINT_SLICE):
            self._keep(each)
        for group_kind in (_ENDPOINTS, SERVICE):
            self._store.subscribe(
                group_kind,
                added=self._enqueue,
                modified=lambda old, new: self._enqueue(new),
                deleted=self._enqueue,
            )
            for each in self._store.list(group_kind):
                self._enqueue(each)
        self._store.subscribe(
            ENDPOINT_SLICE, added=self._keep, modified=lambda old, new: self._changed(new), deleted=self._drop
        )

    def _enqueue(self, resource: Resource) -> None:
        self._queue.add((resource.namespace, resource.name))

    # slices

    def _keep(self, piece: Resource) -> None:
        if key := _service_of(piece):
            self._mirrors.setdefault(key, {})[piece.name] = piece

    def _changed(self, piece: Resource) -> None:
        self._keep(piece)
        if key := _service_of(piece):
            self._queue.add(key)

    def _drop(self, piece: Resource) -> None:
        if key := _service_of(piece):
            self._mirrors.get(key, {}).pop(piece.name, None)
            self._queue.add(key)

    # work

    def _sync(self, key: Key) -> None:
        endpoints, service = self._store.find(_ENDPOINTS, *key), self._store.find(SERVICE, *key)
        present = list(self._mirrors.get(key, {}).values())
        wanted: Slices = {}
        if endpoints is not None and isinstance(service, Service) and _is_mirrored(endpoints, service):
            wanted = _wanted(endpoints)
        for piece in present:
            made = wanted.pop(_key_of(piece.manifest), None)
            if made is None or endpoints is None:
                self._context.client.delete(piece)
            elif _changed(piece, endpoints, made):
                metadata = {**piece.render()["metadata"], **_metadata(endpoints)}
                self._context.client.update(piece, {**piece.render(), **made, "metadata": metadata})
        if endpoints is not None:
            for made in wanted.values():
                self._create(endpoints, made)

    def _create(self, endpoints: Resource, made: Document) -> None:
        metadata: Document = {"generateName": f"{endpoints.name}-", "namespace": endpoints.namespace}
        metadata |= {**_metadata(endpoints), "ownerReferences": [controller_reference(endpoints)]}
        head = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": metadata}
        self._context.client.create({**head, **made})


def _is_mirrored(endpoints: Resource, service: Service) -> bool:
    if endpoints.labels.get(_SKIP) == "true" or endpoints.labels.get(_OWN) or _LEADER in endpoints.annotations:
        return False
    spec = service.manifest.get("spec") or {}
    return not spec.get("selector") and endpoints.deleted is None and service.deleted is None


def _service_of(piece: Resource) -> Key | None:
    """Returns the Service of a slice that mirrors Endpoints, None of another one."""
    name = piece.labels.get(_NAME)
    return (piece.namespace, name) if name and piece.labels.get(_MANAGED_BY) == _CONTROLLER else None


def _metadata(endpoints: Resource) -> Document:
    labels = {**endpoints.labels, _NAME: endpoints.name, _MANAGED_BY: _CONTROLLER}
    annotations = {name: text for name, text in endpoints.annotations.items() if name not in _DROPPED}
    return {"labels": labels, **({"annotations": annotations} if annotations else {})}


def _changed(piece: Resource, endpoints: Resource, made: Document) -> bool:
    metadata = _metadata(endpoints)
    same = metadata["labels"] == dict(piece.labels) and metadata.get("annotations", {}) == dict(piece.annotations)
    return not same or any((piece.manifest.get(name) or []) != made[name] for name in ("endpoints", "ports"))


def _wanted(endpoints: Resource) -> Slices:
    """Returns the slices of Endpoints: one for each kind of address and set of ports."""
    found: Slices = {}
    for subset in endpoints.manifest.get("subsets") or ():
        ports = [_port(each) for each in subset.get("ports") or ()]
        for kind, endpoint in list(_endpoints(subset))[:_MOST]:
            made: Document = {"addressType": kind, "endpoints": [], "ports": ports}
            found.setdefault(_key_of(made), made)["endpoints"].append(endpoint)
    return found


def _endpoints(subset: Document) -> Iterator[tuple[str, Document]]:
    for field, ready in (("addresses", True), ("notReadyAddresses", False)):
        for address in subset.get(field) or ():
            kind = "IPv6" if ipaddress.ip_address(address["ip"]).version == 6 else "IPv4"
            endpoint: Document = {"addresses": [address["ip"]], "conditions": {"ready": ready}}
            endpoint |= {name: address[name] for name in ("hostname", "targetRef", "nodeName") if address.get(name)}
            yield kind, endpoint


def _port(port: Document) -> Document:
    made = {"name": port.get("name") or "", "port": port["port"], "protocol": port.get("protocol") or "TCP"}
    return {**made, **({"appProtocol": port["appProtocol"]} if port.get("appProtocol") else {})}


def _key_of(piece: Mapping[str, Any]) -> tuple[str, str]:
    ports = sorted(str(sorted(_port(port).items())) for port in piece.get("ports") or ())
    return piece["addressType"], str(ports)
