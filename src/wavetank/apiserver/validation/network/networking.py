"""Network policies, ingresses and their classes."""

from __future__ import annotations

from ipaddress import ip_network

from wavetank.apiserver.fielderrors import forbidden, invalid, required, too_long, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, check_immutable, each_invalid, structs
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update, check_selector
from wavetank.apiserver.validation.workloads.jobs import check_domain_path

_PROTOCOLS = ("TCP", "UDP", "SCTP")
_TYPES = ("Ingress", "Egress")
_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_BAD_PATHS = ("//", "/./", "/../", "%2f", "%2F")
_BAD_ENDS = ("/..", "/.")


def check_network_policy(policy: Document) -> Errors:
    """Checks a network policy."""
    yield from check_metadata(policy["metadata"], True, names.subdomain_problems)
    yield from _check_policy_spec(policy["spec"])


def check_network_policy_update(new: Document, old: Document) -> Errors:
    """Checks a changed network policy, its spec twice as the real server does."""
    yield from check_network_policy(new)
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from _check_policy_spec(new["spec"])


def check_ingress(ingress: Document) -> Errors:
    """Checks a new ingress."""
    yield from check_metadata(ingress["metadata"], True, names.subdomain_problems)
    yield from _check_ingress_spec(ingress["spec"])


def check_ingress_update(new: Document, old: Document) -> Errors:
    """Checks a changed ingress."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from check_ingress(new)


def check_ingress_class(ingress_class: Document) -> Errors:
    """Checks an ingress class."""
    yield from check_metadata(ingress_class["metadata"], False, names.subdomain_problems)
    spec = ingress_class.get("spec") or {}
    controller = spec.get("controller") or ""
    if len(controller) > 250:
        yield too_long("spec.controller", 250)
    yield from check_domain_path(controller, "spec.controller")
    if spec.get("parameters") is not None:
        yield from _check_parameters(spec["parameters"], "spec.parameters")


def check_ingress_class_update(new: Document, old: Document) -> Errors:
    """Checks a changed ingress class: its controller may not change."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    controller, before = ((one.get("spec") or {}).get("controller") for one in (new, old))
    yield from check_immutable("spec.controller", controller or "", before or "")
    yield from check_ingress_class(new)


def _check_policy_spec(spec: Document) -> Errors:
    yield from check_selector(spec.get("podSelector"), "spec.podSelector")
    for kind, peers in (("ingress", "from"), ("egress", "to")):
        for where, rule in structs(spec, "spec", kind):
            for place, port in structs(rule, where, "ports"):
                yield from _check_policy_port(port, place)
            for place, peer in structs(rule, where, peers):
                yield from _check_peer(peer, place)
    types = spec.get("policyTypes") or []
    if len(types) > 2:
        yield invalid("spec.policyTypes", types, "may not specify more than two policyTypes")
        return
    for index, kind in enumerate(types):
        if kind not in _TYPES:
            yield unsupported(f"spec.policyTypes[{index}]", kind, _TYPES)


def _check_policy_port(port: Document, path: str) -> Errors:
    protocol, number, end = port.get("protocol"), port.get("port"), port.get("endPort")
    if protocol is not None and protocol not in _PROTOCOLS:
        yield unsupported(f"{path}.protocol", protocol, _PROTOCOLS)
    if isinstance(number, int):
        yield from each_invalid(f"{path}.port", number, names.port_problems(number))
        if end is not None:
            if end < number:
                yield invalid(f"{path}.endPort", number, "must be greater than or equal to `port`")
            yield from each_invalid(f"{path}.endPort", end, names.port_problems(end))
    elif isinstance(number, str):
        if end is not None:
            yield invalid(f"{path}.endPort", end, "may not be specified when `port` is non-numeric")
        yield from each_invalid(f"{path}.port", number, names.port_name_problems(number))
    elif end is not None:
        yield invalid(f"{path}.endPort", end, "may not be specified when `port` is not specified")


def _check_peer(peer: Document, path: str) -> Errors:
    for name in ("podSelector", "namespaceSelector"):
        yield from check_selector(peer.get(name), f"{path}.{name}")
    if peer.get("ipBlock") is not None:
        yield from _check_block(peer["ipBlock"], f"{path}.ipBlock")
    given = [name for name in ("podSelector", "namespaceSelector", "ipBlock") if peer.get(name) is not None]
    if not given:
        yield required(path, "must specify a peer")
    elif len(given) > 1 and "ipBlock" in given:
        yield forbidden(path, "may not specify both ipBlock and another peer")


def _check_block(block: Document, path: str) -> Errors:
    network = block.get("cidr") or ""
    if not network:
        yield required(f"{path}.cidr")
        return
    problems = names.network_problems(network)
    yield from each_invalid(f"{path}.cidr", network, problems)
    for index, inner in enumerate(block.get("except") or () if not problems else ()):
        bad = names.network_problems(inner)
        yield from each_invalid(f"{path}.except[{index}]", inner, bad)
        if not bad and not _is_inside(inner, network):
            yield invalid(f"{path}.except[{index}]", inner, "must be a strict subset of `cidr`")


def _is_inside(inner: str, outer: str) -> bool:
    small, large = ip_network(inner, strict=False), ip_network(outer, strict=False)
    same = small.version == large.version
    return same and small.prefixlen > large.prefixlen and small.network_address in large


def _check_ingress_spec(spec: Document) -> Errors:
    if not spec.get("rules") and spec.get("defaultBackend") is None:
        yield invalid("spec", None, "either `defaultBackend` or `rules` must be specified")
    if spec.get("defaultBackend") is not None:
        yield from _check_backend(spec["defaultBackend"], "spec.defaultBackend")
    for where, rule in structs(spec, "spec", "rules"):
        yield from _check_host(rule.get("host") or "", f"{where}.host")
        if rule.get("http") is not None:
            if not rule["http"].get("paths"):
                yield required(f"{where}.http.paths")
            for place, path in structs(rule["http"], f"{where}.http", "paths"):
                yield from _check_path(path, place)
    for where, tls in structs(spec, "spec", "tls"):
        for index, host in enumerate(tls.get("hosts") or ()):
            yield from each_invalid(f"{where}.hosts[{index}]", host, _host_problems(host))
        if tls.get("secretName"):
            problems = names.subdomain_problems(tls["secretName"])
            yield from each_invalid(f"{where}.secretName", tls["secretName"], problems)
    if spec.get("ingressClassName") is not None:
        problems = names.subdomain_problems(spec["ingressClassName"])
        yield from each_invalid("spec.ingressClassName", spec["ingressClassName"], problems)


def _host_problems(host: str) -> list[str]:
    return names.wildcard_problems(host) if "*" in host else names.subdomain_problems(host)


def _check_host(host: str, path: str) -> Errors:
    if not host:
        return
    if names.is_address(host):
        yield invalid(path, host, "must be a DNS name, not an IP address")
    yield from each_invalid(path, host, _host_problems(host))


def _check_path(path: Document, where: str) -> Errors:
    kind, text = path.get("pathType"), path.get("path") or ""
    if kind is None:
        yield required(f"{where}.pathType", "pathType must be specified")
        return
    if kind in ("Exact", "Prefix"):
        if not text.startswith("/"):
            yield invalid(f"{where}.path", text, "must be an absolute path")
        for part in _BAD_PATHS:
            if part in text:
                yield invalid(f"{where}.path", text, f"must not contain '{part}'")
        for end in _BAD_ENDS:
            if text.endswith(end):
                yield invalid(f"{where}.path", text, f"cannot end with '{end}'")
    elif kind == "ImplementationSpecific":
        if text and not text.startswith("/"):
            yield invalid(f"{where}.path", text, "must be an absolute path")
    else:
        yield unsupported(f"{where}.pathType", kind, _PATH_TYPES)
    yield from _check_backend(path.get("backend") or {}, f"{where}.backend")


def _check_backend(backend: Document, path: str) -> Errors:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        yield invalid(path, "", "cannot set both resource and service backends")
    elif resource is not None:
        yield from _check_reference(resource, f"{path}.resource")
    elif service is not None:
        yield from _check_service(service, path)
    else:
        yield invalid(path, "", "resource or service backend is required")


def _check_service(service: Document, path: str) -> Errors:
    name, port = service.get("name") or "", service.get("port") or {}
    if not name:
        yield required(f"{path}.service.name")
    else:
        yield from each_invalid(f"{path}.service.name", name, names.label_1035_problems(name))
    named, number = port.get("name") or "", port.get("number") or 0
    if named and number:
        yield invalid(path, "", "cannot set both port name & port number")
    elif named:
        yield from each_invalid(f"{path}.service.port.name", named, names.port_name_problems(named))
    elif number:
        yield from each_invalid(f"{path}.service.port.number", number, names.port_problems(number))
    else:
        yield required(path, "port name or number is required")


def _check_reference(reference: Document, path: str) -> Errors:
    if reference.get("apiGroup") is not None:
        problems = names.subdomain_problems(reference["apiGroup"])
        yield from each_invalid(f"{path}.apiGroup", reference["apiGroup"], problems)
    for field in ("kind", "name"):
        text = reference.get(field) or ""
        if not text:
            yield required(f"{path}.{field}")
        else:
            yield from each_invalid(f"{path}.{field}", text, names.path_segment_problems(text))


def _check_parameters(parameters: Document, path: str) -> Errors:
    yield from _check_reference(parameters, path)
    scope, namespace = parameters.get("scope"), parameters.get("namespace")
    if scope is None:
        yield required(f"{path}.scope")
    elif scope not in ("Cluster", "Namespace"):
        yield unsupported(f"{path}.scope", scope, ("Cluster", "Namespace"))
    elif scope == "Namespace" and namespace is None:
        yield required(f"{path}.namespace", "`parameters.scope` is set to 'Namespace'")
    elif scope == "Namespace":
        yield from each_invalid(f"{path}.namespace", namespace, names.label_problems(namespace or ""))
    elif namespace is not None:
        yield forbidden(f"{path}.namespace", "`parameters.scope` is set to 'Cluster'")
