"""The spec of pods and of templates of pods."""

from __future__ import annotations

from collections.abc import Iterator

from wavetank.apiserver.fielderrors import (
    duplicate,
    forbidden,
    invalid,
    not_found_value,
    required,
    too_long,
    unsupported,
)
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, check_choice, each_invalid, structs
from wavetank.apiserver.validation.metadata import check_labels
from wavetank.apiserver.validation.pods.containers import (
    Surroundings,
    check_containers,
    check_ephemeral_containers,
    check_init_containers,
)
from wavetank.apiserver.validation.pods.placement import check_affinity, check_spreading, check_tolerations
from wavetank.apiserver.validation.pods.security import check_host_users, check_pod_context
from wavetank.apiserver.validation.pods.volumes import check_volumes
from wavetank.apiserver.validation.quantities import check_pod_resource_name, check_requirements
from wavetank.cluster.quota.sums import container_amounts
from wavetank.quantity import value_of

_MAX_INT32 = 2**31 - 1
_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_SUBDOMAINS = ("serviceAccountName", "nodeName")
_SYSTEMS = ("linux", "windows")


def check_pod_spec(spec: Document, pod: Document | None, path: str) -> Errors:
    """Checks a spec; `pod` is the metadata of the pod, None for a template."""
    if "terminationGracePeriodSeconds" not in spec:
        yield required(f"{path}.terminationGracePeriodSeconds")
    problems, volumes = check_volumes(spec, pod, path)
    yield from problems
    claims = {claim.get("name", "") for claim in spec.get("resourceClaims") or ()} - {""}
    yield from _check_claims(spec, path)
    inside = Surroundings(spec, volumes, claims)
    yield from check_containers(inside, path)
    yield from check_init_containers(inside, path)
    yield from check_ephemeral_containers(inside, path)
    yield from _check_whole(spec, path)
    yield from _check_host_network(spec, pod is not None, path)
    yield from check_choice(f"{path}.restartPolicy", spec.get("restartPolicy"), ("Always", "OnFailure", "Never"))
    yield from check_choice(f"{path}.dnsPolicy", spec.get("dnsPolicy"), _DNS_POLICIES)
    yield from check_labels(spec.get("nodeSelector"), f"{path}.nodeSelector")
    yield from check_pod_context(spec, path)
    yield from check_affinity(spec.get("affinity"), f"{path}.affinity")
    yield from _check_dns(spec, f"{path}.dnsConfig")
    yield from _check_gates(spec, path)
    yield from check_spreading(spec, path)
    yield from check_host_users(spec, path)
    yield from _check_host_name(spec, path)
    yield from _check_names(spec, path)
    yield from check_tolerations(spec.get("tolerations") or [], f"{path}.tolerations")
    yield from _check_rest(spec, path)


def _check_claims(spec: Document, path: str) -> Errors:
    seen: set[str] = set()
    for where, claim in structs(spec, path, "resourceClaims"):
        name = claim.get("name", "")
        if not name:
            yield required(f"{where}.name")
        elif name in seen:
            yield duplicate(f"{where}.name", name)
        else:
            yield from each_invalid(f"{where}.name", name, names.label_problems(name))
        seen.add(name)
        yield from _check_claim_source(claim, where)


def _check_claim_source(claim: Document, path: str) -> Errors:
    kinds = ("resourceClaimName", "resourceClaimTemplateName")
    given = [kind for kind in kinds if kind in claim]
    shown = internal("core.PodResourceClaim", claim)
    if len(given) == 2:
        problem = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        yield invalid(path, shown, problem)
    elif not given:
        yield invalid(path, shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")
    for kind in given:
        yield from each_invalid(f"{path}.{kind}", claim[kind], names.subdomain_problems(claim[kind]))


def _check_whole(spec: Document, path: str) -> Errors:
    """Checks the requests and limits of a pod as a whole."""
    resources, where = spec.get("resources"), f"{path}.resources"
    if resources is None:
        return
    if (spec.get("os") or {}).get("name") == "windows":
        yield forbidden(where, "may not be set for a windows pod")
        return
    if "claims" in resources:
        yield forbidden(f"{where}.claims", "claims may not be set for Resources at pod-level")
    yield from check_requirements(resources, where, (), check_pod_resource_name)
    yield from _check_sums(spec, resources, where)
    limits = resources.get("limits") or {}
    for index, container in enumerate(spec.get("containers") or ()):
        for name, limit in ((container.get("resources") or {}).get("limits") or {}).items():
            if name in limits and value_of(limit) > value_of(limits[name]):
                problem = f"must be less than or equal to pod limits of {limits[name]}"
                yield invalid(f"{where}.containers[{index}][{name}].limits", limit, problem)


def _check_sums(spec: Document, resources: Document, path: str) -> Errors:
    for part in ("requests", "limits"):
        stated = resources.get(part) or {}
        for name, total in container_amounts(spec, part).items():
            counted = part == "requests" or name.startswith("hugepages-")
            if counted and name in stated and total.value > value_of(stated[name]):
                problem = f"must be greater than or equal to aggregate container {part} of {total}"
                yield invalid(f"{path}.{part}[{name}]", stated[name], problem)


def _check_host_network(spec: Document, is_pod: bool, path: str) -> Errors:
    if not spec.get("hostNetwork"):
        return
    for where, container in structs(spec, path, "containers"):
        for place, port in structs(container, where, "ports"):
            host = port.get("hostPort", 0)
            if (is_pod or host) and host != port.get("containerPort", 0):
                yield invalid(f"{place}.hostPort", host, "must match `containerPort` when `hostNetwork` is true")


def _check_dns(spec: Document, path: str) -> Errors:
    config = spec.get("dnsConfig")
    if spec.get("dnsPolicy") == "None":
        if config is None:
            yield required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not config.get("nameservers"):
            yield required(f"{path}.nameservers", "must provide at least one DNS nameserver when `dnsPolicy` is None")
            return
    if config is not None:
        yield from _check_dns_config(config, path)


def _check_dns_config(config: Document, path: str) -> Errors:
    servers, searches = config.get("nameservers") or [], config.get("searches") or []
    if len(servers) > 3:
        yield invalid(f"{path}.nameservers", servers, "must not have more than 3 nameservers")
    for index, server in enumerate(servers):
        yield from each_invalid(f"{path}.nameservers[{index}]", server, names.address_problems(server))
    if len(searches) > 32:
        yield invalid(f"{path}.searches", searches, "must not have more than 32 search paths")
    if len(" ".join(searches)) > 2048:
        problem = "must not have more than 2048 characters (including spaces) in the search list"
        yield invalid(f"{path}.searches", searches, problem)
    for index, search in enumerate(searches):
        if search != ".":
            domain = search.removesuffix(".")
            yield from each_invalid(f"{path}.searches[{index}]", domain, names.search_path_problems(domain))
    for where, option in structs(config, path, "options"):
        if not option.get("name"):
            yield required(where, "must not be empty")


def _check_gates(spec: Document, path: str) -> Errors:
    for where, gate in structs(spec, path, "readinessGates"):
        condition = gate.get("conditionType", "")
        yield from each_invalid(f"{where}.conditionType", condition, names.label_key_problems(condition))
    seen: set[str] = set()
    for where, gate in structs(spec, path, "schedulingGates"):
        name = gate.get("name", "")
        yield from each_invalid(where, name, names.label_key_problems(name))
        if name in seen:
            yield duplicate(where, name)
        seen.add(name)


def _check_host_name(spec: Document, path: str) -> Errors:
    name, where = spec.get("hostnameOverride"), f"{path}.hostnameOverride"
    if name is None:
        return
    for other in ("setHostnameAsFQDN", "hostNetwork"):
        if spec.get(other):
            yield forbidden(where, f"may not be specified when {other} is true")
    if len(name.encode()) > 64:
        yield too_long(where, 64)
    yield from each_invalid(where, name, names.subdomain_problems(name))


def _check_names(spec: Document, path: str) -> Errors:
    for field in _SUBDOMAINS:
        if spec.get(field):
            yield from each_invalid(f"{path}.{field}", spec[field], names.subdomain_problems(spec[field]))
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None:
        problems = names.range_problems(deadline, 1, _MAX_INT32)
        yield from each_invalid(f"{path}.activeDeadlineSeconds", deadline, problems)
    for field in ("hostname", "subdomain"):
        if spec.get(field):
            yield from each_invalid(f"{path}.{field}", spec[field], names.label_problems(spec[field]))


def _check_rest(spec: Document, path: str) -> Errors:
    for where, alias in structs(spec, path, "hostAliases"):
        yield from each_invalid(f"{where}.ip", alias.get("ip", ""), names.address_problems(alias.get("ip", "")))
        for index, name in enumerate(alias.get("hostnames") or ()):
            yield from each_invalid(f"{where}.hostnames[{index}]", name, names.subdomain_problems(name))
    for field in ("priorityClassName", "runtimeClassName"):
        name = spec.get(field)
        if name or (name is not None and field == "runtimeClassName"):
            yield from each_invalid(f"{path}.{field}", name, names.subdomain_problems(name))
    if "preemptionPolicy" in spec:
        policies = ("PreemptLowerPriority", "Never")
        yield from check_choice(f"{path}.preemptionPolicy", spec["preemptionPolicy"], policies)
    if spec.get("overhead"):
        yield from check_requirements({"limits": spec["overhead"]}, f"{path}.overhead")
    if "os" in spec:
        yield from _check_system((spec["os"] or {}).get("name") or "", f"{path}.os")
    for where, name, volume in _file_references(spec, path):
        if volume is None:
            yield not_found_value(where, name)
        elif "emptyDir" not in volume:
            yield invalid(where, name, "referenced volume must be of type emptyDir")


def _check_system(name: str, path: str) -> Errors:
    if not name:
        yield required(f"{path}.name")
    elif name not in _SYSTEMS:
        yield unsupported(path, name, _SYSTEMS)


def _file_references(spec: Document, path: str) -> Iterator[tuple[str, str, Document | None]]:
    """Yields the volumes from files of which variables are read."""
    volumes = {volume.get("name", ""): volume for volume in spec.get("volumes") or ()}
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for where, container in structs(spec, path, kind):
            for place, variable in structs(container, where, "env"):
                reference = (variable.get("valueFrom") or {}).get("fileKeyRef")
                if reference is not None:
                    name = reference.get("volumeName", "")
                    yield f"{place}.valueFrom.fileKeyRef.volumeName", name, volumes.get(name)
