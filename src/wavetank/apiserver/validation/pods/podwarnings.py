"""Warnings for valid pods with fields that are deprecated, ignored or probably a mistake."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import merge
from itertools import islice

from wavetank.apiserver.fielderrors import ENOUGH
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, structs
from wavetank.cel.gotext import quote
from wavetank.quantity import value_of

Warnings = Iterator[str]

NODE_LABELS: Mapping[str, str] = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}
_ANNOTATIONS: Mapping[str, str] = {
    "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
    "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
    "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
}
VOLUMES: Mapping[str, tuple[str, str]] = {
    "photonPersistentDisk": ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    "gitRepo": ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    "scaleIO": ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    "flocker": ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    "storageos": ("storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    "quobyte": ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    "glusterfs": ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    "cephfs": ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    "rbd": ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
}
_NO_SELECTOR = "a null labelSelector results in matching no pod"
_KINDS = ("initContainers", "containers", "ephemeralContainers")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def pod_warnings(metadata: Document, spec: Document, prefix: str = "") -> Warnings:
    """Yields warnings about a pod, or about a template at a path that ends with a dot."""
    path = f"{prefix}spec"
    for key in spec.get("nodeSelector") or ():
        if key in NODE_LABELS:
            yield f"{path}.nodeSelector[{key}]: {NODE_LABELS[key]}"
    yield from _node_affinity_warnings((spec.get("affinity") or {}).get("nodeAffinity") or {}, path)
    for where, constraint in structs(spec, path, "topologySpreadConstraints"):
        key = constraint.get("topologyKey", "")
        if key in NODE_LABELS:
            yield f"{where}.topologyKey: {key} is {NODE_LABELS[key]}"
        if constraint.get("labelSelector") is None:
            yield f"{where}.labelSelector: {_NO_SELECTOR}"
    for key, message in _ANNOTATIONS.items():
        if key in (metadata.get("annotations") or {}):
            yield f"{prefix}metadata.annotations[{key}]: {message}"
    for where, volume in structs(spec, path, "volumes"):
        yield from _volume_warnings(volume, where)
    yield from _repeated(spec, path)
    yield from _container_warnings(spec, path)
    yield from _port_warnings(spec, path)
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        invalid = "must be >= 0; negative values are invalid and will be treated as 1"
        yield f"{path}.terminationGracePeriodSeconds: {invalid}"
    yield from _pod_affinity_warnings(spec.get("affinity") or {}, f"{path}.affinity")


def term_warnings(term: Document, path: str, values: bool) -> Warnings:
    """Yields warnings about one way to choose nodes; `values`: also about values that no label can have."""
    for where, expression in structs(term, path, "matchExpressions"):
        key = expression.get("key", "")
        if key in NODE_LABELS:
            yield f"{where}.key: {key} is {NODE_LABELS[key]}"
        for index, value in enumerate(expression.get("values") or () if values else ()):
            for problem in names.label_value_problems(value):
                yield f"{where}.values[{index}]: {value} is invalid, {problem}"


def claim_spec_warnings(spec: Document, path: str) -> Warnings:
    """Yields warnings about a claim of a fraction of a byte."""
    resources = spec.get("resources") or {}
    for part in ("requests", "limits"):
        yield from _fraction((resources.get(part) or {}).get("storage"), f"{path}.resources.{part}[storage]")


def _fraction(amount: str | None, path: str) -> Warnings:
    if amount is not None and value_of(amount) % 1:
        yield f"{path}: fractional byte value {quote(amount)} is invalid, must be an integer"


def _node_affinity_warnings(affinity: Document, path: str) -> Warnings:
    where = f"{path}.affinity.nodeAffinity"
    for place, term in structs(affinity.get(_REQUIRED) or {}, f"{where}.{_REQUIRED}", "nodeSelectorTerms"):
        yield from term_warnings(term, place, values=False)
    for place, term in structs(affinity, where, _PREFERRED):
        yield from term_warnings(term.get("preference") or {}, f"{place}.preference", values=True)


def _pod_affinity_warnings(affinity: Document, path: str) -> Warnings:
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(kind) or {}
        for where, term in structs(terms, f"{path}.{kind}", _REQUIRED):
            if term.get("labelSelector") is None:
                yield f"{where}.labelSelector: {_NO_SELECTOR}"
        for where, term in structs(terms, f"{path}.{kind}", _PREFERRED):
            if (term.get("podAffinityTerm") or {}).get("labelSelector") is None:
                yield f"{where}.podAffinityTerm.labelSelector: {_NO_SELECTOR}"


def _volume_warnings(volume: Document, path: str) -> Warnings:
    for kind, (shown, message) in VOLUMES.items():
        if kind in volume:
            yield f"{path}.{shown}: {message}"
    template = (volume.get("ephemeral") or {}).get("volumeClaimTemplate")
    if template is not None:
        yield from claim_spec_warnings(template.get("spec") or {}, f"{path}.ephemeral.volumeClaimTemplate.spec")


def _repeated(spec: Document, path: str) -> Warnings:
    for kind, field in (("hostAliases", "ip"), ("imagePullSecrets", "name")):
        seen: set[str] = set()
        for where, item in structs(spec, path, kind):
            if item.get(field, "") in seen:
                yield f"{where}.{field}: duplicate {field} {quote(item.get(field, ''))}"
            seen.add(item.get(field, ""))
    for where, item in structs(spec, path, "imagePullSecrets"):
        if not item.get("name"):
            yield f'{where}.name: invalid empty name ""'


def _container_warnings(spec: Document, path: str) -> Warnings:
    for resource in ("memory", "ephemeral-storage"):
        yield from _fraction((spec.get("overhead") or {}).get(resource), f"{path}.overhead[{resource}]")
    for kind in _KINDS:
        for where, container in structs(spec, path, kind):
            resources = container.get("resources") or {}
            for resource in ("memory", "ephemeral-storage"):
                for part in ("limits", "requests"):
                    amount = (resources.get(part) or {}).get(resource)
                    yield from _fraction(amount, f"{where}.resources.{part}[{resource}]")
            yield from _variable_warnings(container, where)


def _variable_warnings(container: Document, path: str) -> Warnings:
    seen: set[str] = set()
    for where, variable in structs(container, path, "env"):
        name, value = variable.get("name", ""), variable.get("value", "")
        reference = f"$({name})"
        extends = "valueFrom" not in variable and value != reference and reference in value
        if name in seen and not extends:
            yield f"{where}: hides previous definition of {quote(name)}, which may be dropped when using apply"
        seen.add(name)


def _port_warnings(spec: Document, path: str) -> Warnings:
    ports = [
        (where, port)
        for kind in _KINDS
        for place, container in structs(spec, path, kind)
        for where, port in structs(container, place, "ports")
    ]
    yield from islice(_overlaps(ports), ENOUGH)  # each port with each other one could be billions
    named: dict[str, str] = {}
    for where, port in ports:
        name = port.get("name") or ""
        if name in named:
            first = named[name]
            use = f"services and probes that select ports by name will use {first}"
            yield f"{where}: duplicate port name {quote(name)} with {first}, {use}"
        elif name:
            named[name] = where


def _overlaps(ports: list[tuple[str, Document]]) -> Warnings:
    alike: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)  # places of earlier ports that may overlap
    for index, (where, port) in enumerate(ports):
        number, protocol, host, host_port = _address(port)
        among = (number, protocol)
        for other in _earlier(alike, among, host, host_port):
            yield from _overlap(port, ports[other][1], where, ports[other][0])
        for key in (among, (*among, host_port), (*among, host_port, host)):
            alike[key].append(index)


def _earlier(
    alike: Mapping[tuple[object, ...], list[int]], among: tuple[int, str], host: str, host_port: int
) -> Iterable[int]:
    """Returns the ports before one of this host and host port that overlap with it, in their order."""
    if not host_port:
        return alike.get(among, ())
    same = (*among, host_port)
    if not host:
        return merge(alike.get((*among, 0), ()), alike.get(same, ()))
    return merge(*(alike.get(key, ()) for key in ((*among, 0), (*same, ""), (*same, host))))


def _address(port: Document) -> tuple[int, str, str, int]:
    number, protocol = port.get("containerPort", 0), port.get("protocol", "")
    return number, protocol, port.get("hostIP") or "", port.get("hostPort") or 0


def _overlap(port: Document, other: Document, where: str, other_place: str) -> Warnings:
    (*_, host, number), (*_, other_host, other_number) = _address(port), _address(other)
    if (host, number) == (other_host, other_number):
        yield f"{where}: duplicate port definition with {other_place}"
    elif not number or not other_number:
        yield f"{where}: overlapping port definition with {other_place}"
    elif number == other_number and (not host) != (not other_host):
        yield f"{where}: dangerously ambiguous port definition with {other_place}"
