from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.groupkinds import SERVICE
from wavetank.cluster.objects.kinds import Service
from wavetank.cluster.objects.resource import render_time
from wavetank.cluster.store.errors import ApiError
from wavetank.controllers.endpoints.servicepods import (
    PodFacts,
    ServicePods,
    find_port,
    has_endpoints,
    hostname_of,
    is_headless,
)
from wavetank.controllers.endpoints.triggers import ANNOTATION
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key

_ENDPOINTS = "Endpoints"
_HEADLESS = "service.kubernetes.io/headless"
_MANAGED_BY, _CONTROLLER = "endpoints.kubernetes.io/managed-by", "endpoint-controller"
Document = dict[str, Any]
_Port = tuple[tuple[str, Any], ...]


class EndpointObjects:
    """The endpoints-controller: writes the addresses of each Service's pods into its Endpoints."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._services = ServicePods(context, self._queue.add)

    def _sync(self, key: Key) -> None:
        service = self._store.find(SERVICE, *key)
        present = self._store.find(_ENDPOINTS, *key)
        if not isinstance(service, Service):
            if present is not None:
                self._context.client.delete(present)
            return
        if not has_endpoints(service):
            return
        facts = self._services.of(service)
        times = ((each.pod.name, each.triggered) for each in facts)
        trigger = self._services.triggers.next(key, render_time(service.created), times)
        subsets, labels = _subsets(service, facts), _labels(service)
        if present is None:
            self._create(service, subsets, labels, trigger)
        elif subsets != (present.manifest.get("subsets") or []) or labels != dict(present.labels):
            document = present.render()
            annotations = {name: text for name, text in present.annotations.items() if name != ANNOTATION}
            annotations |= {ANNOTATION: trigger} if trigger else {}
            document["metadata"] = {**document["metadata"], "labels": labels, "annotations": annotations}
            document["subsets"] = subsets
            for owner, field in ((document["metadata"], "annotations"), (document, "subsets")):
                if not owner[field]:
                    del owner[field]
            self._context.client.update(present, document)

    def _create(self, service: Service, subsets: list[Document], labels: dict[str, str], trigger: str) -> None:
        metadata: Document = {"name": service.name, "namespace": service.namespace, "labels": labels}
        metadata |= {"annotations": {ANNOTATION: trigger}} if trigger else {}
        head: Document = {"apiVersion": "v1", "kind": _ENDPOINTS, "metadata": metadata}
        try:
            self._context.client.create({**head, **({"subsets": subsets} if subsets else {})})
        except ApiError as error:
            if "NamespaceTerminating" not in str(error.status.get("details")):
                raise


def _labels(service: Service) -> dict[str, str]:
    labels = {name: value for name, value in service.labels.items() if name != _HEADLESS}
    return {**labels, **({_HEADLESS: ""} if is_headless(service) else {}), _MANAGED_BY: _CONTROLLER}


def _subsets(service: Service, facts: list[PodFacts]) -> list[Document]:
    """Returns subsets: addresses with their common ports, ready and not ready ones apart."""
    spec = service.manifest.get("spec") or {}
    anyhow = bool(spec.get("publishNotReadyAddresses"))
    groups: dict[tuple[_Port, ...], tuple[list[Document], list[Document]]] = {}
    for each in sorted(facts, key=lambda facts: (facts.address, facts.pod.uid)):
        if not each.address or (each.pod.deleted is not None and not anyhow):
            continue
        ports = _ports(spec.get("ports") or [], each)
        if ports or (not spec.get("ports") and is_headless(service)):
            ready, unready = groups.setdefault(ports, ([], []))
            (ready if each.ready or anyhow else unready).append(_address(service, each))
    return [_subset(ports, *groups[ports]) for ports in sorted(groups)]


def _subset(ports: tuple[_Port, ...], ready: list[Document], unready: list[Document]) -> Document:
    parts = {"addresses": ready, "notReadyAddresses": unready, "ports": [dict(port) for port in ports]}
    return {name: part for name, part in parts.items() if part}


def _address(service: Service, facts: PodFacts) -> Document:
    pod = facts.pod
    address: Document = {"ip": facts.address}
    if hostname := hostname_of(pod, service):
        address["hostname"] = hostname
    if pod.node_name:
        address["nodeName"] = pod.node_name
    return {**address, "targetRef": {"kind": "Pod", "namespace": pod.namespace, "name": pod.name, "uid": pod.uid}}


def _ports(given: list[Document], facts: PodFacts) -> tuple[_Port, ...]:
    found = []
    for port in given:
        number = find_port(facts.pod, port)
        if number is not None:
            made = {"name": port["name"]} if port.get("name") else {}
            made |= {"port": number, "protocol": port.get("protocol") or "TCP"}
            made |= {"appProtocol": port["appProtocol"]} if port.get("appProtocol") else {}
            found.append(tuple(made.items()))
    return tuple(sorted(found, key=str))
