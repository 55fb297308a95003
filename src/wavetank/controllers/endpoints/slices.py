from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from wavetank.cluster.objects.groupkinds import ENDPOINT_SLICE, NODE, SERVICE
from wavetank.cluster.objects.kinds import Service
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.resource import Resource, render_time
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
from wavetank.controllers.framework.ownership import controller_reference
from wavetank.controllers.framework.queue import Key

_NAME, _MANAGED_BY = "kubernetes.io/service-name", "endpointslice.kubernetes.io/managed-by"
_HEADLESS = "service.kubernetes.io/headless"
_CONTROLLER = "endpointslice-controller.k8s.io"
_RESERVED = (_NAME, _MANAGED_BY, _HEADLESS)
_ZONE = "topology.kubernetes.io/zone"
_MOST = 100  # endpoints per slice
Document = dict[str, Any]
Ports = tuple[tuple[tuple[str, Any], ...], ...]  # of a slice, hashable


@dataclass
class _Plan:
    """Slices to update, with their new endpoints, slices to create, and surplus ones."""

    kept: list[tuple[Resource, Ports, list[Document]]] = field(default_factory=list)
    new: list[tuple[Ports, list[Document]]] = field(default_factory=list)
    left: list[Resource] = field(default_factory=list)


class EndpointSlices:
    """The endpointslice-controller: writes the addresses of each Service's pods into EndpointSlices."""

    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._store = context.store
        self._queue = context.queue(self._sync)
        self._slices = context.owned(ENDPOINT_SLICE)
        self._services = ServicePods(context, self._queue.add)
        self._store.subscribe(ENDPOINT_SLICE, self)

    # events

    def added(self, new: Resource) -> None:
        """Does nothing: a slice of another manager is not changed."""

    def modified(self, old: Resource, new: Resource) -> None:
        """Enqueues the Service of a changed slice."""
        self._look_at_service(new)

    def deleted(self, old: Resource) -> None:
        """Enqueues the Service of a deleted slice."""
        self._look_at_service(old)

    def _look_at_service(self, piece: Resource) -> None:
        if piece.labels.get(_MANAGED_BY) == _CONTROLLER and piece.labels.get(_NAME):
            self._queue.add((piece.namespace, piece.labels[_NAME]))

    # work

    def _sync(self, key: Key) -> None:
        service = self._store.find(SERVICE, *key)
        if not isinstance(service, Service) or not has_endpoints(service) or service.deleted is not None:
            return
        facts = self._services.of(service)
        times = ((each.pod.name, each.triggered) for each in facts)
        trigger = self._services.triggers.next(key, render_time(service.created), times)
        wanted = self._wanted(service, facts)
        present = [piece for piece in self._slices.of(service.uid) if piece.labels.get(_MANAGED_BY) == _CONTROLLER]
        self._carry_out(service, self._plan(present, wanted), trigger)

    def _plan(self, present: list[Resource], wanted: dict[Ports, list[Document]]) -> _Plan:
        """Plans which slices to update, create and delete, as few as possible."""
        plan = _Plan()
        for ports in dict.fromkeys([*map(_ports_of, present), *wanted]):
            _share_out(ports, [each for each in present if _ports_of(each) == ports], wanted.get(ports, []), plan)
        if not plan.kept and not plan.new:
            plan.new.append(((), []))
        while plan.new and plan.left:  # reuse a surplus slice
            plan.kept.append((plan.left.pop(0), *plan.new.pop(0)))
        return plan

    def _carry_out(self, service: Service, plan: _Plan, trigger: str) -> None:
        for ports, endpoints in plan.new:
            self._create(service, ports, endpoints, trigger)
        for piece, ports, endpoints in plan.kept:
            self._rewrite(service, piece, ports, endpoints, trigger)
        for piece in plan.left:
            self._context.client.delete(piece)

    def _wanted(self, service: Service, facts: list[PodFacts]) -> dict[Ports, list[Document]]:
        """Returns the endpoints of a Service by their ports."""
        wanted: dict[Ports, list[Document]] = {}
        for each in facts:
            if each.address:
                wanted.setdefault(_ports(service, each), []).append(self._endpoint(service, each))
        return wanted

    def _endpoint(self, service: Service, facts: PodFacts) -> Document:
        pod, going = facts.pod, facts.pod.deleted is not None
        anyhow = bool((service.manifest.get("spec") or {}).get("publishNotReadyAddresses"))
        ready = anyhow or (facts.ready and not going)
        endpoint: Document = {
            "addresses": [facts.address],
            "conditions": {"ready": ready, "serving": facts.ready, "terminating": going},
        }
        if hostname := hostname_of(pod, service):
            endpoint["hostname"] = hostname
        endpoint["targetRef"] = {"kind": "Pod", "namespace": pod.namespace, "name": pod.name, "uid": pod.uid}
        if pod.node_name:
            endpoint["nodeName"] = pod.node_name
            node = self._store.find(NODE, "", pod.node_name)
            if isinstance(node, Node) and node.labels.get(_ZONE):
                endpoint["zone"] = node.labels[_ZONE]
        return endpoint

    # writing

    def _create(self, service: Service, ports: Ports, endpoints: list[Document], trigger: str) -> None:
        metadata: Document = {"generateName": f"{service.name}-", "namespace": service.namespace}
        metadata |= {"labels": _labels(service), "ownerReferences": [controller_reference(service)]}
        if trigger:
            metadata["annotations"] = {ANNOTATION: trigger}
        head = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": metadata}
        given = [dict(port) for port in ports] or None
        self._context.client.create({**head, "addressType": "IPv4", "endpoints": endpoints or None, "ports": given})

    def _rewrite(
        self, service: Service, piece: Resource, ports: Ports, endpoints: list[Document], trigger: str
    ) -> None:
        labels = _labels(service)
        same = endpoints == (piece.manifest.get("endpoints") or []) and ports == _ports_of(piece)
        if same and labels == dict(piece.labels):
            return
        document = piece.render()
        annotations = {name: text for name, text in piece.annotations.items() if name != ANNOTATION}
        annotations |= {ANNOTATION: trigger} if trigger else {}
        document["metadata"] = {**document["metadata"], "labels": labels, "annotations": annotations}
        if not annotations:
            del document["metadata"]["annotations"]
        document |= {"endpoints": endpoints or None, "ports": [dict(port) for port in ports] or None}
        self._context.client.update(piece, document)


def _share_out(ports: Ports, present: list[Resource], wanted: list[Document], plan: _Plan) -> None:
    """Fills the slices with the same ports, the fullest first, and plans new ones for the rest."""
    missing = {endpoint["targetRef"]["uid"]: endpoint for endpoint in wanted}
    kept = [(piece, _kept(piece, missing)) for piece in present]
    rest = list(missing.values())
    for piece, endpoints in sorted(kept, key=lambda each: -len(each[1])):
        free = _MOST - len(endpoints)
        endpoints += rest[:free]
        rest = rest[free:]
        if endpoints:
            plan.kept.append((piece, ports, endpoints))
        else:
            plan.left.append(piece)
    plan.new += [(ports, rest[begin : begin + _MOST]) for begin in range(0, len(rest), _MOST)]


def _kept(piece: Resource, missing: dict[str, Document]) -> list[Document]:
    """Returns the endpoints that stay in a slice, in their current form, and removes them from the missing ones."""
    uids = [(endpoint.get("targetRef") or {}).get("uid") for endpoint in piece.manifest.get("endpoints") or ()]
    return [missing.pop(uid) for uid in uids if uid in missing]


def _labels(service: Service) -> dict[str, str]:
    labels = {name: value for name, value in service.labels.items() if name not in _RESERVED}
    labels |= {_HEADLESS: ""} if is_headless(service) else {}
    return {**labels, _NAME: service.name, _MANAGED_BY: _CONTROLLER}


def _ports(service: Service, facts: PodFacts) -> Ports:
    found = []
    for port in (service.manifest.get("spec") or {}).get("ports") or ():
        number = find_port(facts.pod, port)
        if number is not None:
            made = {"name": port.get("name") or "", "port": number, "protocol": port.get("protocol") or "TCP"}
            made |= {"appProtocol": port["appProtocol"]} if port.get("appProtocol") else {}
            found.append(tuple(sorted(made.items())))
    return tuple(sorted(found))


def _ports_of(piece: Resource) -> Ports:
    return tuple(sorted(tuple(sorted(port.items())) for port in piece.manifest.get("ports") or ()))
