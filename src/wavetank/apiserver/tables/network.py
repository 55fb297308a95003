"""The rows of services, endpoints, ingresses and addresses."""

from __future__ import annotations

from collections.abc import Sequence

from wavetank.apiserver.tables.cells import (
    NONE,
    UNKNOWN,
    UNSET,
    Cells,
    Document,
    age,
    dig,
    items_at,
    labels_cell,
    name_of,
    number_at,
    selector_cell,
    shortened,
    text_at,
)


def service(document: Document, now: float) -> Cells:
    """Prints a Service."""
    spec = dig(document, "spec")
    addresses = items_at(spec, "clusterIPs")
    ports = ",".join(_service_port(port) for port in items_at(spec, "ports")) or NONE
    cells = [name_of(document), text_at(spec, "type"), addresses[0] if addresses else NONE, _external(document)]
    return [*cells, ports, age(document, now), labels_cell(dig(spec, "selector"))]


def _service_port(port: Document) -> str:
    node_port = number_at(port, "nodePort")
    middle = f":{node_port}" if node_port > 0 else ""
    return f"{number_at(port, 'port')}{middle}/{text_at(port, 'protocol')}"


def _external(document: Document) -> str:
    external = ",".join(items_at(document, "spec", "externalIPs"))
    match text_at(document, "spec", "type"):
        case "ClusterIP" | "NodePort":
            return external or NONE
        case "LoadBalancer":
            return ",".join(part for part in (_ingress_points(document), external) if part) or "<pending>"
        case "ExternalName":
            return text_at(document, "spec", "externalName")
    return UNKNOWN


def _ingress_points(document: Document) -> str:
    """Returns the addresses of a load balancer."""
    points = items_at(document, "status", "loadBalancer", "ingress")
    return ",".join(sorted({text_at(one, "ip", default=text_at(one, "hostname")) for one in points} - {""}))


def endpoints(document: Document, now: float) -> Cells:
    """Prints an Endpoints."""
    subsets = items_at(document, "subsets")
    words = [word for subset in subsets for word in _subset(subset)]
    return [name_of(document), shortened(words) if subsets else NONE, age(document, now)]


def _subset(subset: Document) -> list[str]:
    addresses = [text_at(address, "ip") for address in items_at(subset, "addresses")]
    ports = items_at(subset, "ports")
    if not ports:
        return addresses
    return [f"{_bracketed(ip)}:{number_at(port, 'port')}" for port in ports for ip in addresses]


def _bracketed(ip: str) -> str:
    return f"[{ip}]" if ":" in ip else ip


def endpoint_slice(document: Document, now: float) -> Cells:
    """Prints an EndpointSlice."""
    ports = [_endpoint_port(port) for port in items_at(document, "ports")]
    addresses = [ip for endpoint in items_at(document, "endpoints") for ip in items_at(endpoint, "addresses")]
    cells = [name_of(document), text_at(document, "addressType"), _or_unset(ports), _or_unset(addresses)]
    return [*cells, age(document, now)]


def _endpoint_port(port: Document) -> str:
    number, name = dig(port, "port"), dig(port, "name")
    return str(number) if number is not None else "*" if name is None else str(name)


def _or_unset(words: Sequence[str]) -> str:
    return shortened(words) or UNSET


def ingress(document: Document, now: float) -> Cells:
    """Prints an Ingress."""
    class_name = dig(document, "spec", "ingressClassName")
    ports = "80, 443" if items_at(document, "spec", "tls") else "80"
    cells = [name_of(document), NONE if class_name is None else class_name, _hosts(document)]
    return [*cells, _ingress_points(document), ports, age(document, now)]


def _hosts(document: Document) -> str:
    """Returns the first three hosts; rules after the third host count as more, with a host or not."""
    rules = items_at(document, "spec", "rules")
    hosts: list[str] = []
    more = False
    for rule in rules:
        more = more or len(hosts) == 3
        if not more and text_at(rule, "host"):
            hosts.append(text_at(rule, "host"))
    text = ",".join(hosts) or "*"
    return f"{text} + {len(rules) - 3} more..." if more else text


def ingress_class(document: Document, now: float) -> Cells:
    """Prints an IngressClass."""
    parameters = dig(document, "spec", "parameters")
    cell = NONE
    if parameters is not None:
        group = dig(parameters, "apiGroup")
        kind = text_at(parameters, "kind") + ("" if group is None else f".{group}")
        cell = f"{kind}/{text_at(parameters, 'name')}"
    return [name_of(document), text_at(document, "spec", "controller"), cell, age(document, now)]


def network_policy(document: Document, now: float) -> Cells:
    """Prints a NetworkPolicy."""
    return [name_of(document), selector_cell(dig(document, "spec", "podSelector")), age(document, now)]


def service_cidr(document: Document, now: float) -> Cells:
    """Prints a ServiceCIDR."""
    return [name_of(document), ",".join(items_at(document, "spec", "cidrs")), age(document, now)]


def ip_address(document: Document, now: float) -> Cells:
    """Prints an IPAddress; its age has no column, as upstream."""
    parent = dig(document, "spec", "parentRef")
    if parent is None:
        return [name_of(document), NONE, age(document, now)]
    group = text_at(parent, "group")
    resource = f"{text_at(parent, 'resource')}.{group}" if group else text_at(parent, "resource")
    namespace = f"/{parent['namespace']}" if text_at(parent, "namespace") else ""
    return [name_of(document), f"{resource.lower()}{namespace}/{text_at(parent, 'name')}", age(document, now)]
