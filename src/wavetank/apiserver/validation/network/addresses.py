"""IPAddresses and ServiceCIDRs."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from wavetank.apiserver.fielderrors import invalid, required
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import IMMUTABLE, Document, Errors, each_invalid
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update

_MOST_RANGES = 2
_PARENT = ("group", "resource", "namespace", "name")
_ONE_PER_FAMILY = (
    "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"  # as upstream
)


def check_ip_address(address: Document) -> Errors:
    """Checks a new IPAddress, whose name is the address."""
    yield from check_metadata(address["metadata"], False, _address_problems)
    parent = (address.get("spec") or {}).get("parentRef")
    path = "spec.parentRef"
    if parent is None:
        yield required(path)
        return
    if group := parent.get("group"):
        yield from each_invalid(f"{path}.group", group, names.subdomain_problems(group))
    for name in ("resource", "name"):
        if not parent.get(name):
            yield required(f"{path}.{name}")
        else:
            yield from each_invalid(f"{path}.{name}", parent[name], names.path_segment_problems(parent[name]))
    if namespace := parent.get("namespace"):
        yield from each_invalid(f"{path}.namespace", namespace, names.path_segment_problems(namespace))


def check_ip_address_update(new: Document, old: Document) -> Errors:
    """Checks a changed IPAddress, whose parent stays."""
    yield from check_ip_address(new)
    yield from check_metadata_update(new["metadata"], old["metadata"])
    parent, before = ((each.get("spec") or {}).get("parentRef") for each in (new, old))
    if parent != before:
        shown = {name.title(): parent.get(name, "") for name in _PARENT} if parent else None
        yield invalid("spec.parentRef", shown, IMMUTABLE)


def check_service_cidr(found: Document) -> Errors:
    """Checks a new ServiceCIDR: one range, or one of each family."""
    yield from check_metadata(found["metadata"], False, names.subdomain_problems)
    spec, path = found.get("spec") or {}, "spec.cidrs"
    ranges = spec.get("cidrs") or []
    if not ranges:
        yield required(path, "at least one CIDR required")
    elif len(ranges) > _MOST_RANGES:
        yield invalid(path, {"CIDRs": ranges}, "may only hold up to 2 values")
    else:
        yield from _check_ranges(ranges, path)


def check_service_cidr_update(new: Document, old: Document) -> Errors:
    """Checks a changed ServiceCIDR: a range of the other family may be added, nothing else."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    spec, before = (each.get("spec") or {} for each in (new, old))
    ranges, kept = spec.get("cidrs") or [], before.get("cidrs") or []
    if len(ranges) != len(kept) and (len(kept), len(ranges)) != (1, _MOST_RANGES):
        yield invalid("spec.cidrs", ranges or None, IMMUTABLE)
        return
    for index, (text, old_text) in enumerate(zip(ranges, kept, strict=False)):
        if text != old_text:
            yield invalid(f"spec.cidrs[{index}]", text, IMMUTABLE)
    if len(ranges) > len(kept):
        yield from _check_ranges(ranges, "spec.cidrs")


def _check_ranges(ranges: list[str], path: str) -> Errors:
    families = []
    for index, text in enumerate(ranges):
        try:
            network = ip_network(text if "/" in text else "")
        except ValueError:
            why = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
            yield invalid(f"{path}[{index}]", text, why)
            continue
        if str(network) != text:
            yield invalid(f"{path}[{index}]", text, f'must be in canonical form ("{network}")')
        families.append(network.version)
    if len(families) == _MOST_RANGES and len(set(families)) == 1:
        yield invalid(path, {"CIDRs": ranges}, _ONE_PER_FAMILY)


def _address_problems(name: str, prefix: bool = False) -> list[str]:
    try:
        address = ip_address(name)
    except ValueError:
        return names.address_problems(name) or ["must not have leading 0s"]
    return [] if str(address) == name else [f'must be in canonical form ("{address}")']
