"""Parts of the objects of the group resource.k8s.io: names, attributes and states of devices."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_interface

from wavetank.apiserver.fielderrors import Raw, duplicate, invalid, required, too_long, too_many, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, each_invalid, structs
from wavetank.apiserver.validation.pods.volumes import check_driver_name
from wavetank.apiserver.validation.workloads.policy import check_conditions
from wavetank.cel.gotext import quote

Requests = Mapping[str, set[str]]

_REFERENCE = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
_IDENTITY = ("driver", "pool", "device", "shareID")
_SOURCES = ("FromClaim", "FromClass")
_LONGEST_POOL = 253
_LONGEST_IDENTIFIER = 32
_LONGEST_VALUE = 64
_LONGEST_KEY = 253 + 1 + _LONGEST_IDENTIFIER
_MOST_PROPERTIES = 32
_MOST_CONDITIONS = 8
_VALUES = {"int": "IntValue", "bool": "BoolValue", "string": "StringValue", "version": "VersionValue"}
_NUMBER, _WORD = r"(?:0|[1-9][0-9]*)", r"[0-9a-zA-Z-]+"
_PRERELEASE = rf"(?:{_NUMBER}|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_SEMVER = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_PRERELEASE}(?:\.{_PRERELEASE})*)?(?:\+{_WORD}(?:\.{_WORD})*)?"
)


def check_label(name: str, path: str) -> Errors:
    """Checks the name of a request or of a device."""
    yield from each_invalid(path, name, names.label_problems(name))


def check_pool_name(name: str, path: str) -> Errors:
    """Checks the name of a pool: subdomains with slashes between them."""
    if not name:
        yield required(path)
        return
    if len(name) > _LONGEST_POOL:
        yield too_long(path, _LONGEST_POOL)
    for part in name.split("/"):
        yield from each_invalid(path, part, names.subdomain_problems(part))


def check_reference(name: str, known: Requests, path: str) -> Errors:
    """Checks the name of a request, or of one of its alternatives, in a claim."""
    parts = name.split("/")
    if len(parts) <= 2:
        for part in parts:
            yield from check_label(part, path)
    request, slash, alternative = name.partition("/")
    if request not in known or (slash and alternative not in known[request]):
        yield invalid(path, name, _REFERENCE)


def check_references(owner: Document, known: Requests, path: str) -> Errors:
    """Checks the names of requests that a constraint or a configuration is for."""
    yield from _check_set(
        owner.get("requests") or (), f"{path}.requests", lambda one, at: check_reference(one, known, at)
    )


def check_qualified_name(name: str, path: str) -> Errors:
    """Checks the name of an attribute or of a capacity, with a domain or without."""
    parts = name.split("/")
    if len(parts) == 1:
        yield from _check_identifier(name, path)
    elif len(parts) == 2:
        domain, identifier = parts
        if domain:
            yield from check_driver_name(domain, path)
        else:
            yield invalid(path, "", "the domain must not be empty")
        if identifier:
            yield from _check_identifier(identifier, path)
        else:
            yield invalid(path, "", "the name must not be empty")


def check_fully_qualified_name(name: str, path: str) -> Errors:
    """Checks the name of an attribute that must have a domain."""
    yield from check_qualified_name(name, path)
    if "/" not in name:
        yield invalid(path, name, "a fully qualified name must be a domain and a name separated by a slash")


def check_properties(device: Document, path: str) -> Errors:
    """Checks the attributes and capacities of a device."""
    attributes, capacities = device.get("attributes") or {}, device.get("capacity") or {}
    if len(attributes) + len(capacities) > _MOST_PROPERTIES:
        problem = f"the total number of attributes and capacities must not exceed {_MOST_PROPERTIES}"
        yield invalid(path, len(attributes) + len(capacities), problem)
    for name, attribute in attributes.items():
        where = f"{path}.attributes[{_short(name)}]"
        yield from check_qualified_name(name, where)
        yield from _check_attribute(attribute, where)
    for name in capacities:
        yield from check_qualified_name(name, f"{path}.capacity[{_short(name)}]")


def check_device_states(status: Document) -> Errors:
    """Checks what is reported of the devices that a claim has."""
    results = ((status.get("allocation") or {}).get("devices") or {}).get("results") or ()
    allocated = {_shown_device(result) for result in results}
    seen: set[str] = set()
    for where, device in structs(status, "status", "devices"):
        shown = _shown_device(device)
        yield from check_driver_name(device.get("driver") or "", f"{where}.driver")
        yield from check_pool_name(device.get("pool") or "", f"{where}.pool")
        yield from check_label(device.get("device") or "", f"{where}.device")
        if shown not in allocated:
            yield invalid(where, shown, "must be an allocated device in the claim")
        if len(device.get("conditions") or ()) > _MOST_CONDITIONS:
            yield too_many(f"{where}.conditions", len(device["conditions"]), _MOST_CONDITIONS)
        yield from check_conditions(device, where)
        yield from _check_network(device.get("networkData") or {}, f"{where}.networkData")
        if shown in seen:
            yield duplicate(where, shown)
        seen.add(shown)


def check_source(configuration: Document, path: str) -> Errors:
    """Checks whence the configuration of an allocated device comes."""
    source = configuration.get("source") or ""
    if not source:
        yield required(f"{path}.source")
    elif source not in _SOURCES:
        yield unsupported(f"{path}.source", source, _SOURCES)


def _check_set(items: Iterable[str], path: str, check: Callable[[str, str], Errors]) -> Errors:
    seen: set[str] = set()
    for index, item in enumerate(items):
        yield from check(item, f"{path}[{index}]")
        if item in seen:
            yield duplicate(f"{path}[{index}]", item)
        seen.add(item)


def _check_identifier(name: str, path: str) -> Errors:
    if len(name) > _LONGEST_IDENTIFIER:
        yield too_long(path, _LONGEST_IDENTIFIER)
    yield from each_invalid(path, name, names.identifier_problems(name))


def _check_attribute(attribute: Document, path: str) -> Errors:
    for name in ("string", "version"):
        value = attribute.get(name)
        if name == "version" and value is not None and not _SEMVER.fullmatch(value):
            yield invalid(f"{path}.version", value, "must be a string compatible with semver.org spec 2.0.0")
        if value is not None and len(value) > _LONGEST_VALUE:
            yield too_long(f"{path}.{name}", _LONGEST_VALUE)
    given = [name for name in _VALUES if attribute.get(name) is not None]
    if len(given) != 1:
        fields = (f'"{shown}":{json.dumps(attribute.get(name))}' for name, shown in _VALUES.items())
        value = Raw("{" + ",".join(fields) + "}") if given else ""
        yield invalid(path, value, "exactly one value must be specified")


def _check_network(network: Document, path: str) -> Errors:
    for name, limit in (("interfaceName", 256), ("hardwareAddress", 128)):
        if len(network.get(name) or "") > limit:
            yield too_long(f"{path}.{name}", limit)
    yield from _check_set(network.get("ips") or (), f"{path}.ips", _check_interface)


def _check_interface(text: str, path: str) -> Errors:
    try:
        if "/" not in text:
            raise ValueError(text)
        canonical = str(ip_interface(text))
    except ValueError:
        yield invalid(path, text, "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)")
        return
    if text != canonical:
        yield invalid(path, text, f"must be in canonical form ({quote(canonical)})")


def _shown_device(device: Document) -> Raw:
    fields = (f'"{name[0].upper()}{name[1:]}":{quote(device.get(name) or "")}' for name in _IDENTITY)
    return Raw("{" + ",".join(fields) + "}")


def _short(name: str) -> str:
    if len(name) <= _LONGEST_KEY:
        return name
    rest = _LONGEST_KEY - 3
    return f"{name[: (rest + 1) // 2]}...{name[len(name) - rest // 2 :]}"
