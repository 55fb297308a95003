"""The cluster addresses of services."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import duplicate, invalid, required, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, each_invalid

_FAMILIES = ("IPv4", "IPv6")
_POLICIES = ("PreferDualStack", "RequireDualStack", "SingleStack")


def validate_cluster_ips(service: Document, old: Document | None) -> Errors:
    """Checks addresses, IP families and the policy by which they are chosen."""
    spec = service["spec"]
    if spec.get("type") == "ExternalName":
        return
    yield from _check_first(spec)
    yield from _check_families(spec)
    addresses = spec.get("clusterIPs") or []
    known = ((old or {}).get("spec") or {}).get("clusterIPs") or []
    problems = list(_check_addresses(addresses, known))
    yield from problems
    if len(addresses) > 2:
        yield invalid("spec.clusterIPs", addresses, "may only hold up to 2 values")
    if problems or addresses == ["None"]:
        return
    versions = [6 if ":" in address else 4 for address in addresses]
    if len(versions) > 1 and len({*versions}) == 1:
        yield invalid("spec.clusterIPs", addresses, "may specify no more than one IP for each IP family")
    for index, (address, version) in enumerate(zip(addresses, versions, strict=True)):
        wanted = (spec.get("ipFamilies") or [])[index : index + 1]
        if wanted in (["IPv4"], ["IPv6"]) and wanted != [f"IPv{version}"]:
            problem = f"expected an {wanted[0]} value as indicated by `ipFamilies[{index}]`"
            yield invalid(f"spec.clusterIPs[{index}]", address, problem)


def check_addresses_kept(new: Document, old: Document) -> Errors:
    """Checks that addresses and IP families do not change once they are set."""
    spec, before = new["spec"], old["spec"]
    if "ExternalName" in (spec.get("type"), before.get("type")):
        return
    headless, was_headless = _is_headless(spec), _is_headless(before)
    if not (headless and was_headless):
        yield from _check_kept(spec.get("clusterIPs") or [], before.get("clusterIPs") or [], spec)
    if not headless and not was_headless:
        yield from _check_families_kept(spec, before)


def _check_families_kept(spec: Document, before: Document) -> Errors:
    families, known = spec.get("ipFamilies") or [], before.get("ipFamilies") or []
    path = "spec.ipFamilies[0]"
    if len(families) == len(known):
        for new, old in zip(families, known, strict=True):
            if new != old:
                yield invalid(path, families, "may not change once set")
        return
    addresses = spec.get("clusterIPs") or None
    if len(families) < len(known) and not addresses:
        yield invalid(path, families or None, "primary ipFamily can not be unset")
    if families and known and families[0] != known[0]:
        yield invalid(path, addresses, "may not change once set")
    if len(families) == 1 < len(known) and spec.get("ipFamilyPolicy") != "SingleStack":
        problem = "must be set to 'SingleStack' when releasing the secondary ipFamily"
        yield invalid("spec.ipFamilyPolicy", spec.get("ipFamilyPolicy"), problem)


def _is_headless(spec: Document) -> bool:
    return spec.get("clusterIPs") == ["None"]


def _check_kept(addresses: list[str], known: list[str], spec: Document) -> Errors:
    if len(addresses) == len(known):
        for index, (new, old) in enumerate(zip(addresses, known, strict=True)):
            if new != old:
                yield invalid(f"spec.clusterIPs[{index}]", addresses, "may not change once set")
        return
    if not addresses:
        yield invalid("spec.clusterIPs[0]", None, "primary clusterIP can not be unset")
    elif known and addresses[0] != known[0]:
        yield invalid("spec.clusterIPs[0]", addresses, "may not change once set")
    if len(addresses) == 1 < len(known) and spec.get("ipFamilyPolicy") != "SingleStack":
        problem = "must be set to 'SingleStack' when releasing the secondary clusterIP"
        yield invalid("spec.ipFamilyPolicy", spec.get("ipFamilyPolicy"), problem)


def _check_first(spec: Document) -> Errors:
    address, addresses = spec.get("clusterIP") or "", spec.get("clusterIPs") or []
    if address and not addresses:
        yield required("spec.clusterIPs")
    elif address and addresses[0] != address:
        yield invalid("spec.clusterIPs", addresses, "first value must match `clusterIP`")
    elif not address and addresses:
        yield invalid("spec.clusterIPs", addresses, "must be empty when `clusterIP` is not specified")


def _check_families(spec: Document) -> Errors:
    seen: set[str] = set()
    for index, family in enumerate(spec.get("ipFamilies") or ()):
        if family not in _FAMILIES:
            yield unsupported(f"spec.ipFamilies[{index}]", family, _FAMILIES)
        if family in seen:
            yield duplicate(f"spec.ipFamilies[{index}]", family)
        seen.add(family)
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in _POLICIES:
        yield unsupported("spec.ipFamilyPolicy", policy, _POLICIES)


def _check_addresses(addresses: list[str], known: list[str]) -> Errors:
    for index, address in enumerate(addresses):
        if index == 0 and address == "None":
            if len(addresses) > 1:
                yield invalid("spec.clusterIPs", addresses, "'None' must be the first and only value")
        elif address not in known:
            yield from each_invalid(f"spec.clusterIPs[{index}]", address, names.address_problems(address))
