"""How services are written, and what of them is allocated: cluster addresses and node ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import ip_address, ip_network
from typing import Any

from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.errors import invalid as invalid_object
from wavetank.apiserver.fielderrors import FieldError, invalid
from wavetank.apiserver.strategies.nodeports import (
    NodePorts,
    assign_ports,
    needs_health_check,
    node_ports,
    reassign_ports,
)
from wavetank.apiserver.strategies.strategy import Document, WriteContext
from wavetank.apiserver.validation.network.clusterips import validate_cluster_ips
from wavetank.cluster.objects.groupkinds import SERVICE
from wavetank.cluster.store.store import Store

SERVICE_NETWORK = ip_network("10.0.0.0/16")
_ANYWHERE = ("NodePort", "LoadBalancer")


def prepare_service_update(new: Document, old: Document, context: WriteContext) -> None:
    """Drops what a service of another type no longer has, where the client just repeated it."""
    spec, before = new["spec"], old["spec"]
    if _has_address(before) and not _has_address(spec):
        if _same(spec, before, "clusterIP", "clusterIPs"):
            _drop(spec, "clusterIP", "clusterIPs")
        _drop(spec, *(name for name in ("ipFamilies", "ipFamilyPolicy") if _same(spec, before, name)))
    if before.get("type") in _ANYWHERE and spec.get("type") not in _ANYWHERE and node_ports(before) >= node_ports(spec):
        for port in spec.get("ports") or ():
            port.pop("nodePort", None)
    if needs_health_check(before) and not needs_health_check(spec) and _same(spec, before, "healthCheckNodePort"):
        _drop(spec, "healthCheckNodePort")
    if before.get("type") == "LoadBalancer" != spec.get("type"):
        _drop(spec, *(n for n in ("allocateLoadBalancerNodePorts", "loadBalancerClass") if _same(spec, before, n)))
    if _reachable(before) and not _reachable(spec) and _same(spec, before, "externalTrafficPolicy"):
        _drop(spec, "externalTrafficPolicy")
    if spec.get("type") != "LoadBalancer":
        new["status"] = {**new.get("status", {}), "loadBalancer": {}}


def allocate(store: Store, new: Document, old: Document | None, *, dry_run: bool) -> None:
    """Gives a service its cluster addresses and node ports before it is validated."""
    allocator = ServiceAllocator(store)
    if old is None:
        allocator.create(new, dry_run=dry_run)
    else:
        allocator.update(new, old, dry_run=dry_run)


class ServiceAllocator:
    """Gives services their cluster addresses and node ports; what is taken is read from the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(self, service: Document, *, dry_run: bool = False) -> None:
        """Completes a new service, before it is validated; in a dry run with values that mean nothing."""
        spec = service["spec"]
        if spec.get("clusterIP") and not spec.get("clusterIPs"):
            spec["clusterIPs"] = [spec["clusterIP"]]
        self._choose_families(service, None)
        self._assign_addresses(service, dry_run=dry_run)
        assign_ports(service, self._node_ports(dry_run=dry_run))

    def update(self, new: Document, old: Document, *, dry_run: bool = False) -> None:
        """Completes a changed service, before it is validated; what the client left out is kept."""
        spec, before = new["spec"], old["spec"]
        _keep_allocated(spec, before)
        _normalize_addresses(spec, before)
        self._choose_families(new, old)
        if not _has_address(before) and _has_address(spec):
            self._assign_addresses(new, dry_run=dry_run)
        reassign_ports(new, before, self._node_ports(dry_run=dry_run))

    def _choose_families(self, service: Document, old: Document | None) -> None:
        spec = service["spec"]
        if not _has_address(spec):
            return
        headless_by_hand = spec.get("clusterIP") == "None" and not spec.get("selector")
        kept = (old or {}).get("spec", {}).get("ipFamilyPolicy")
        default = kept or ("RequireDualStack" if headless_by_hand else "SingleStack")
        policy = spec.setdefault("ipFamilyPolicy", default)
        _refuse(service, validate_cluster_ips(service, old))
        families = spec["ipFamilies"] = list(spec.get("ipFamilies") or ())
        families.extend(self._families_of(service)[len(families) :])
        if headless_by_hand:
            _fill_families(families, policy)
        else:
            _refuse(service, _unavailable(spec, policy, families))
            spec["ipFamilies"] = families or ["IPv4"]

    def _families_of(self, service: Document) -> list[str]:
        addresses = service["spec"].get("clusterIPs") or []
        families = [f"IPv{ip_address(text).version}" for text in addresses if text != "None"]
        for index, family in enumerate(families):
            if family != "IPv4" and index >= len(service["spec"]["ipFamilies"]):
                problem = f"{family} is not configured on this cluster"
                _refuse(service, [invalid(f"spec.clusterIPs[{index}]", addresses, problem)])
        return families

    def _assign_addresses(self, service: Document, *, dry_run: bool) -> None:
        spec = service["spec"]
        if not _has_address(spec) or spec.get("clusterIP") == "None":
            return
        used = {text for other in self._specs() for text in other.get("clusterIPs") or ()} | {"10.0.0.1"}
        wanted = (spec.get("clusterIPs") or [""])[0]
        if not service["metadata"].get("name") and not dry_run:
            _refuse(service, [_nameless(wanted, next(_free_addresses(used)))])
        if wanted:
            _refuse(service, _address_problems(wanted, set() if dry_run else used, spec, dry_run=dry_run))
        elif dry_run:
            wanted = str(SERVICE_NETWORK[0])
        else:
            wanted = next(_free_addresses(used))
        spec["clusterIP"], spec["clusterIPs"] = wanted, [wanted]

    def _node_ports(self, *, dry_run: bool) -> NodePorts:
        taken = (port for spec in self._specs() for port in (*node_ports(spec), spec.get("healthCheckNodePort") or 0))
        return NodePorts(taken, dry_run=dry_run)

    def _specs(self) -> Iterator[Document]:
        """Yields the specs of all services, among them one with the name of a new one, which keeps what it has."""
        for service in self._store.list(SERVICE):
            yield service.manifest.get("spec") or {}


def _refuse(service: Document, errors: Iterable[FieldError]) -> None:
    problems = list(errors)
    if problems:
        error: StatusError = invalid_object("Service", service["metadata"].get("name", ""), problems)
        raise error


def _unavailable(spec: Document, policy: str, families: list[str]) -> Iterator[FieldError]:
    if policy == "SingleStack":
        for name, what in (("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")):
            if len(spec.get(name) or ()) == 2:
                problem = f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
                yield invalid("spec.ipFamilyPolicy", policy, problem)
    if policy == "RequireDualStack":
        yield invalid("spec.ipFamilyPolicy", policy, "this cluster is not configured for dual-stack services")
    for index, family in enumerate(families):
        if family != "IPv4":
            yield invalid(f"spec.ipFamilies[{index}]", family, "not configured on this cluster")


def _fill_families(families: list[str], policy: str) -> None:
    if not families:
        families.append("IPv4")
    if len(families) < 2 and policy != "SingleStack":
        families.append("IPv6" if families[0] == "IPv4" else "IPv4")


def _free_addresses(used: set[str]) -> Iterator[str]:
    return (str(host) for host in SERVICE_NETWORK.hosts() if str(host) not in used)


def _nameless(wanted: str, free: str) -> FieldError:
    """Returns the error about a service without a name, which its IPAddress could not refer to."""
    problem = f'IPAddress.networking.k8s.io "{wanted or free}" is invalid: spec.parentRef.name: Required value'
    return invalid("spec.clusterIPs", [wanted], f"failed to allocate IP{f' {wanted}' if wanted else ''}: {problem}")


def _address_problems(wanted: str, taken: set[str], spec: Document, *, dry_run: bool) -> Iterator[FieldError]:
    address = ip_address(wanted)
    if address not in SERVICE_NETWORK and not dry_run:
        problem = "the provided network does not match the current range"
    elif address not in SERVICE_NETWORK or address in (SERVICE_NETWORK[0], SERVICE_NETWORK[-1]):
        problem = f"the provided IP ({address}) is not in the valid range. The range of valid IPs is {SERVICE_NETWORK}"
    elif wanted in taken:
        problem = "provided IP is already allocated"
    else:
        return
    yield invalid("spec.clusterIPs", spec["clusterIPs"], f"failed to allocate IP {wanted}: {problem}")


def _keep_allocated(spec: Document, before: Document) -> None:
    if _has_address(spec) and _has_address(before):
        for name in ("clusterIP", "clusterIPs"):
            if not spec.get(name) and before.get(name):
                spec[name] = before[name]
    if _allocates_ports(spec) and _allocates_ports(before):
        repeated = node_ports(before) & node_ports(spec)
        known = {port.get("name", ""): port.get("nodePort") or 0 for port in before.get("ports") or ()}
        for port in spec.get("ports") or ():
            kept = known.get(port.get("name", ""), 0)
            if not port.get("nodePort") and kept and kept not in repeated:
                port["nodePort"] = kept
    if needs_health_check(spec) and needs_health_check(before):
        spec["healthCheckNodePort"] = spec.get("healthCheckNodePort") or before.get("healthCheckNodePort", 0)


def _normalize_addresses(spec: Document, before: Document) -> None:
    """Lets clients that know only clusterIP change it."""
    if before.get("clusterIP") != spec.get("clusterIP") and _same(spec, before, "clusterIPs"):
        spec["clusterIPs"] = [spec["clusterIP"]] if spec.get("clusterIP") else []


def _has_address(spec: Document) -> bool:
    return bool(spec.get("type") != "ExternalName")


def _allocates_ports(spec: Document) -> bool:
    balanced = spec.get("type") == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts", True)
    return bool(spec.get("type") == "NodePort" or balanced)


def _reachable(spec: Document) -> bool:
    return spec.get("type") in _ANYWHERE or bool(spec.get("type") == "ClusterIP" and spec.get("externalIPs"))


def _same(spec: Document, before: Document, *names: str) -> bool:
    return all((spec.get(name) or None) == (before.get(name) or None) for name in names)


def _drop(spec: dict[str, Any], *names: str) -> None:
    for name in names:
        spec.pop(name, None)
