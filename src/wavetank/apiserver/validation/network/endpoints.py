"""Endpoints and slices of them."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import duplicate, invalid, required, too_many, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, check_choice, check_immutable, each_invalid, structs
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update
from wavetank.apiserver.validation.network.services import check_endpoint_address
from wavetank.apiserver.validation.pods.containers import PROTOCOLS

_MOST_ENDPOINTS = 1000
_MOST_ADDRESSES = 100
_MOST_HINTS = 8


def check_endpoints(endpoints: Document) -> Errors:
    """Checks endpoints."""
    yield from check_metadata(endpoints["metadata"], True, names.subdomain_problems)
    for index, subset in enumerate(endpoints.get("subsets") or ()):
        path = f"subsets[{index}]"
        if not subset.get("addresses") and not subset.get("notReadyAddresses"):
            yield required(path, "must specify `addresses` or `notReadyAddresses`")
        for kind in ("addresses", "notReadyAddresses"):
            for where, address in structs(subset, path, kind):
                yield from _check_address(address, where)
        several = len(subset.get("ports") or ()) > 1
        for where, port in structs(subset, path, "ports"):
            yield from _check_port(port, several, where)


def check_endpoints_update(new: Document, old: Document) -> Errors:
    """Checks changed endpoints."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_endpoints(new)


def check_slice(endpoints: Document, old: Document | None = None) -> Errors:
    """Checks a slice of endpoints; those that it had are fine."""
    yield from check_metadata(endpoints["metadata"], True, names.subdomain_problems)
    kind = endpoints.get("addressType") or ""
    yield from check_choice("addressType", kind, ("FQDN", "IPv4", "IPv6"))
    yield from _check_ports(endpoints)
    if old is None or endpoints.get("endpoints") != old.get("endpoints"):
        yield from _check_endpoints(endpoints, kind)


def _check_endpoints(endpoints: Document, kind: str) -> Errors:
    listed = endpoints.get("endpoints") or []
    if len(listed) > _MOST_ENDPOINTS:
        yield too_many("endpoints", len(listed), _MOST_ENDPOINTS)
        return
    for index, endpoint in enumerate(listed):
        yield from _check_endpoint(endpoint, kind, f"endpoints[{index}]")


def check_slice_update(new: Document, old: Document) -> Errors:
    """Checks a changed slice of endpoints."""
    yield from check_slice(new, old)
    yield from check_immutable("addressType", new.get("addressType") or "", old.get("addressType") or "")


def _check_address(address: Document, path: str) -> Errors:
    text = address.get("ip") or ""
    yield from each_invalid(f"{path}.ip", text, names.address_problems(text))
    if address.get("hostname"):
        yield from each_invalid(f"{path}.hostname", address["hostname"], names.label_problems(address["hostname"]))
    if address.get("nodeName") is not None:
        problems = names.subdomain_problems(address["nodeName"])
        yield from each_invalid(f"{path}.nodeName", address["nodeName"], problems)
    yield from check_endpoint_address(text, f"{path}.ip")


def _check_port(port: Document, several: bool, path: str) -> Errors:
    name, number = port.get("name") or "", port.get("port") or 0
    if several and not name:
        yield required(f"{path}.name")
    elif name:
        yield from each_invalid(f"{path}.name", name, names.label_problems(name))
    yield from each_invalid(f"{path}.port", number, names.port_problems(number))
    yield from check_choice(f"{path}.protocol", port.get("protocol"), PROTOCOLS)
    if port.get("appProtocol") is not None:
        problems = names.label_key_problems(port["appProtocol"])
        yield from each_invalid(f"{path}.appProtocol", port["appProtocol"], problems)


def _check_ports(endpoints: Document) -> Errors:
    seen: set[str] = set()
    for index, port in enumerate(endpoints.get("ports") or ()):
        path, name = f"ports[{index}]", port.get("name") or ""
        if name:
            yield from each_invalid(f"{path}.name", name, names.label_problems(name))
        if name in seen:
            yield duplicate(f"{path}.name", name)
        seen.add(name)
        protocol = port.get("protocol")
        if protocol is None:
            yield required(f"{path}.protocol")
        elif protocol not in PROTOCOLS:
            yield unsupported(f"{path}.protocol", protocol, PROTOCOLS)
        if port.get("appProtocol") is not None:
            problems = names.label_key_problems(port["appProtocol"])
            yield from each_invalid(f"{path}.appProtocol", port["appProtocol"], problems)


def _check_endpoint(endpoint: Document, kind: str, path: str) -> Errors:
    addresses = endpoint.get("addresses") or []
    if not addresses:
        yield required(f"{path}.addresses", "must contain at least 1 address")
    elif len(addresses) > _MOST_ADDRESSES:
        yield too_many(f"{path}.addresses", len(addresses), _MOST_ADDRESSES)
    for index, address in enumerate(addresses):
        yield from _check_slice_address(address, kind, f"{path}.addresses", index)
    if endpoint.get("nodeName") is not None:
        problems = names.subdomain_problems(endpoint["nodeName"])
        yield from each_invalid(f"{path}.nodeName", endpoint["nodeName"], problems)
    if endpoint.get("hostname") is not None:
        yield from each_invalid(f"{path}.hostname", endpoint["hostname"], names.label_problems(endpoint["hostname"]))
    yield from _check_hints(endpoint.get("hints") or {}, f"{path}.hints")


def _check_hints(hints: Document, path: str) -> Errors:
    for kind, problems in (("forZones", names.label_value_problems), ("forNodes", names.subdomain_problems)):
        listed = hints.get(kind) or []
        if len(listed) > _MOST_HINTS:
            yield too_many(f"{path}.{kind}", len(listed), _MOST_HINTS)
            return
        seen: set[str] = set()
        for where, hint in structs(hints, path, kind):
            name = hint.get("name") or ""
            if name in seen:
                yield duplicate(f"{where}.name", name)
            seen.add(name)
            yield from each_invalid(f"{where}.name", name, problems(name))


def _check_slice_address(address: str, kind: str, path: str, index: int) -> Errors:
    if kind == "FQDN":
        domain = address.removesuffix(".")
        problems = names.subdomain_problems(domain)
        if problems:
            yield invalid(f"{path}[{index}]", domain, ",".join(problems))
        elif "." not in domain:
            problem = "should be a domain with at least two segments separated by dots"
            yield invalid(f"{path}[{index}]", domain, problem)
    elif kind in ("IPv4", "IPv6"):
        problems = names.address_problems(address)
        yield from each_invalid(f"{path}[{index}]", address, problems)
        if not problems:
            if (":" in address) != (kind == "IPv6"):
                yield invalid(path, address, f"must be an {kind} address")
            yield from check_endpoint_address(address, f"{path}[{index}]")
