"""Services."""

from __future__ import annotations

from ipaddress import ip_address

from wavetank.apiserver.fielderrors import duplicate, forbidden, invalid, required, unsupported
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, check_choice, each_invalid, structs
from wavetank.apiserver.validation.metadata import check_labels, check_metadata, check_metadata_update
from wavetank.apiserver.validation.network.clusterips import check_addresses_kept, validate_cluster_ips
from wavetank.apiserver.validation.pods.containers import PROTOCOLS
from wavetank.apiserver.validation.pods.handlers import check_port

_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_REACHABLE = ("NodePort", "LoadBalancer")
_DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")
_BALANCED = "may only be used when `type` is 'LoadBalancer'"
_LONGEST_AFFINITY_S = 86400


def check_service(service: Document) -> Errors:
    """Checks a new service."""
    yield from check_metadata(service["metadata"], True, names.label_1035_problems)
    yield from _check_service(service, None)


def check_service_update(new: Document, old: Document) -> Errors:
    """Checks a changed service."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_addresses_kept(new, old)
    yield from _check_class_kept(new["spec"], old["spec"])
    spec, before = new["spec"], old["spec"]
    changed = spec.get("healthCheckNodePort") != before.get("healthCheckNodePort")
    if changed and _needs_check(spec) and _needs_check(before):
        yield forbidden("spec.healthCheckNodePort", "field is immutable")
    yield from _check_service(new, old)


def check_service_status_update(new: Document, old: Document) -> Errors:
    """Checks the addresses at which a load balancer can be reached."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    balancer = (new.get("status") or {}).get("loadBalancer") or {}
    if balancer.get("ingress") and new["spec"].get("type") != "LoadBalancer":
        yield forbidden("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'")
        return
    for where, entry in structs(balancer, "status.loadBalancer", "ingress"):
        yield from _check_ingress(entry, where)


def check_endpoint_address(address: str, path: str) -> Errors:
    """Checks an address that others are to reach: no special ones."""
    if not names.is_address(address):
        yield invalid(path, address, "must be a valid IP address")
        return
    ip = ip_address(address)
    if ip.is_unspecified:
        yield invalid(path, address, f"may not be unspecified ({address})")
    if ip.is_loopback:
        yield invalid(path, address, "may not be in the loopback range (127.0.0.0/8, ::1/128)")
    if ip.is_link_local:
        yield invalid(path, address, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")
    if address.startswith("224.0.0.") or (ip.version == 6 and address.lower().startswith("ff02:")):
        yield invalid(path, address, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")


def _check_service(service: Document, old: Document | None) -> Errors:
    spec = service["spec"]
    kind, headless = spec.get("type"), spec.get("clusterIPs") == ["None"]
    if not spec.get("ports") and not headless and kind != "ExternalName":
        yield required("spec.ports")
    yield from _check_type(spec, headless)
    yield from _check_ports(spec)
    yield from check_labels(spec.get("selector"), "spec.selector")
    yield from _check_affinity(spec)
    yield from validate_cluster_ips(service, old)
    for index, address in enumerate(spec.get("externalIPs") or ()):
        problems = names.address_problems(address)
        yield from each_invalid(f"spec.externalIPs[{index}]", address, problems)
        if not problems:
            yield from check_endpoint_address(address, f"spec.externalIPs[{index}]")
    yield from check_choice("spec.type", kind, _TYPES)
    yield from _check_numbers(spec)
    yield from _check_balancer(spec)
    yield from _check_traffic(spec)


def _check_type(spec: Document, headless: bool) -> Errors:
    kind = spec.get("type")
    if headless and kind in _REACHABLE:
        yield invalid("spec.clusterIPs[0]", "None", f"may not be set to 'None' for {kind} services")
    if kind == "ExternalName":
        for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            if spec.get(name) or (name == "ipFamilyPolicy" and spec.get(name) is not None):
                yield forbidden(f"spec.{name}", "may not be set for ExternalName services")
        domain = (spec.get("externalName") or "").removesuffix(".")
        if domain:
            yield from each_invalid("spec.externalName", domain, names.subdomain_problems(domain))
        else:
            yield required("spec.externalName")


def _check_ports(spec: Document) -> Errors:
    seen: set[str] = set()
    several = len(spec.get("ports") or ()) > 1
    for where, port in structs(spec, "spec", "ports"):
        name = port.get("name") or ""
        if several and not name:
            yield required(f"{where}.name")
        elif name:
            yield from each_invalid(f"{where}.name", name, names.label_problems(name))
            if name in seen:
                yield duplicate(f"{where}.name", name)
            seen.add(name)
        number = port.get("port", 0)
        yield from each_invalid(f"{where}.port", number, names.port_problems(number))
        yield from check_choice(f"{where}.protocol", port.get("protocol"), PROTOCOLS)
        yield from check_port(port.get("targetPort"), f"{where}.targetPort")
        if port.get("appProtocol") is not None:
            problems = names.label_key_problems(port["appProtocol"])
            yield from each_invalid(f"{where}.appProtocol", port["appProtocol"], problems)


def _check_affinity(spec: Document) -> Errors:
    affinity, config, path = (
        spec.get("sessionAffinity"),
        spec.get("sessionAffinityConfig"),
        "spec.sessionAffinityConfig",
    )
    yield from check_choice("spec.sessionAffinity", affinity, ("ClientIP", "None"))
    if affinity == "None" and config is not None:
        yield forbidden(path, "must not be set when session affinity is None")
    if affinity == "ClientIP":
        timeout = ((config or {}).get("clientIP") or {}).get("timeoutSeconds")
        if timeout is None:
            yield required(f"{path}.clientIP.timeoutSeconds", "when session affinity type is ClientIP")
        elif not 0 < timeout <= _LONGEST_AFFINITY_S:
            problem = f"must be greater than 0 and less than {_LONGEST_AFFINITY_S}"
            yield invalid(f"{path}.clientIP.timeoutSeconds", timeout, problem)


def _check_numbers(spec: Document) -> Errors:
    if spec.get("type") == "ClusterIP":
        for where, port in structs(spec, "spec", "ports"):
            if port.get("nodePort"):
                yield forbidden(f"{where}.nodePort", "may not be used when `type` is 'ClusterIP'")
    seen: set[tuple[str, int]] = set()
    for where, port in structs(spec, "spec", "ports"):
        key = port.get("protocol", ""), port.get("nodePort") or 0
        if key[1] and key in seen:
            yield duplicate(f"{where}.nodePort", key[1])
        seen.add(key)
    seen = set()
    for where, port in structs(spec, "spec", "ports"):
        key = port.get("protocol", ""), port.get("port", 0)
        if key in seen:
            yield duplicate(where, internal("core.ServicePort", {"protocol": key[0], "port": key[1]}))
        seen.add(key)


def _check_balancer(spec: Document) -> Errors:
    balanced = spec.get("type") == "LoadBalancer"
    ranges = spec.get("loadBalancerSourceRanges") or []
    if ranges and not balanced:
        yield forbidden("spec.LoadBalancerSourceRanges", _BALANCED)
    for index, network in enumerate(ranges):
        text = network.strip()
        yield from each_invalid(f"spec.LoadBalancerSourceRanges[{index}]", text, names.network_problems(text))
    if spec.get("allocateLoadBalancerNodePorts") is not None and not balanced:
        yield forbidden("spec.allocateLoadBalancerNodePorts", _BALANCED)
    yield from _check_class(spec)


def _check_class(spec: Document) -> Errors:
    given = spec.get("loadBalancerClass")
    if given is None:
        return
    if spec.get("type") != "LoadBalancer":
        yield forbidden("spec.loadBalancerClass", _BALANCED)
    else:
        yield from each_invalid("spec.loadBalancerClass", given, names.label_key_problems(given))


def _check_class_kept(spec: Document, before: Document) -> Errors:
    given = spec.get("loadBalancerClass")
    if spec.get("type") == before.get("type") == "LoadBalancer" and given != before.get("loadBalancerClass"):
        yield invalid("spec.loadBalancerClass", given, "may not change once set")
    yield from _check_class(spec)


def _check_traffic(spec: Document) -> Errors:
    policy, kind = spec.get("externalTrafficPolicy") or "", spec.get("type")
    if kind not in _REACHABLE and not (kind == "ClusterIP" and spec.get("externalIPs")):
        if policy:
            problem = "may only be set for externally-accessible services"
            yield invalid("spec.externalTrafficPolicy", policy, problem)
    else:
        yield from check_choice("spec.externalTrafficPolicy", policy, ("Cluster", "Local"))
    port = spec.get("healthCheckNodePort") or 0
    if not _needs_check(spec):
        if port:
            problem = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
            yield invalid("spec.healthCheckNodePort", port, problem)
    elif not port:
        yield required("spec.healthCheckNodePort")
    else:
        yield from each_invalid("spec.healthCheckNodePort", port, names.port_problems(port))
    if kind in ("ClusterIP", *_REACHABLE) and spec.get("internalTrafficPolicy") is None:
        yield required("spec.internalTrafficPolicy")
    elif spec.get("internalTrafficPolicy") not in (None, "Cluster", "Local"):
        yield unsupported("spec.internalTrafficPolicy", spec["internalTrafficPolicy"], ("Cluster", "Local"))
    distribution = spec.get("trafficDistribution")
    if distribution is not None and distribution not in _DISTRIBUTIONS:
        yield unsupported("spec.trafficDistribution", distribution, _DISTRIBUTIONS)


def _needs_check(spec: Document) -> bool:
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def _check_ingress(entry: Document, path: str) -> Errors:
    address, mode, host = entry.get("ip") or "", entry.get("ipMode"), entry.get("hostname") or ""
    if address:
        yield from each_invalid(f"{path}.ip", address, names.address_problems(address))
    if mode is None and address:
        yield required(f"{path}.ipMode", "must be specified when `ip` is set")
    elif mode is not None and not address:
        yield forbidden(f"{path}.ipMode", "may not be specified when `ip` is not set")
    elif mode is not None and mode not in ("Proxy", "VIP"):
        yield unsupported(f"{path}.ipMode", mode, ("Proxy", "VIP"))
    if host:
        yield from each_invalid(f"{path}.hostname", host, names.subdomain_problems(host))
        if names.is_address(host):
            yield invalid(f"{path}.hostname", host, "must be a DNS name, not an IP address")
