"""The environment of a simulated container: its variables, as a kubelet sets them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import SERVICE
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.errors import InputError, WavetankError
from wavetank.quantity import parse_quantity
from wavetank.simulation.served.volumes import data_of

Variables = dict[str, str]


class ConfigError(WavetankError):
    """A container's configuration refers to something that does not exist or is not allowed."""


_FIELD = re.compile(r"metadata\.(labels|annotations)\['(.+)'\]")
_REFERENCE = re.compile(r"\$\$|\$\(([^()]+)\)")
_BASIC = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
_SOURCES = {"configMap": "ConfigMap", "secret": "Secret"}


def environment_of(
    pod: Pod, container: Mapping[str, Any], store: Store, status: Callable[[Pod], Mapping[str, Any]]
) -> Variables:
    """Returns the variables of a container; `status` returns that of a pod, for its addresses."""
    found: Variables = {**_BASIC, "HOSTNAME": str(pod.spec.manifest.get("hostname") or pod.name)}
    if pod.spec.manifest.get("enableServiceLinks") is not False:
        found.update(_services(store, pod.namespace))
    for source in container.get("envFrom") or ():
        found.update(_all_keys(source, store, pod.namespace))
    for each in container.get("env") or ():
        value = _value(each, pod, container, store, status)
        if value is not None:
            found[str(each.get("name"))] = _expanded(value, found)
    return found


def path_mistake(container: Mapping[str, Any], variables: Mapping[str, str]) -> str:
    """Returns what is wrong with a subPathExpr of a container, empty if nothing is."""
    for mount in container.get("volumeMounts") or ():
        expression = str(mount.get("subPathExpr") or "")
        for name in (match[1] for match in _REFERENCE.finditer(expression) if match[1]):
            if name not in variables:
                return f'missing value for "{name}"'
        path = _expanded(expression, variables)
        if path.startswith("/"):
            return f"error SubPath `{path}` must not be an absolute path"
        if ".." in path.split("/"):
            return f"unable to provision SubPath `{path}`: must not contain '..'"
    return ""


def _expanded(text: str, known: Mapping[str, str]) -> str:
    return _REFERENCE.sub(lambda match: known.get(match[1], match[0]) if match[1] else "$", text)


def _services(store: Store, namespace: str) -> Iterator[tuple[str, str]]:
    """Yields the variables of the services of a namespace, and of the API server's."""
    found = [each for each in store.list(SERVICE) if each.namespace == namespace]
    api = store.find(SERVICE, "default", "kubernetes")
    for service in [*([api] if api is not None else []), *found]:
        spec = service.manifest.get("spec") or {}
        address, ports = spec.get("clusterIP"), spec.get("ports") or ()
        if not address or address == "None" or not ports:
            continue
        name = service.name.upper().replace("-", "_")
        yield f"{name}_SERVICE_HOST", str(address)
        yield f"{name}_SERVICE_PORT", str(ports[0].get("port"))
        yield from _ports(name, str(address), ports)


def _ports(name: str, address: str, ports: list[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for place, port in enumerate(ports):
        number, protocol = port.get("port"), str(port.get("protocol") or "TCP")
        url = f"{protocol.lower()}://{address}:{number}"
        if port.get("name"):
            yield f"{name}_SERVICE_PORT_{str(port['name']).upper().replace('-', '_')}", str(number)
        if place == 0:
            yield f"{name}_PORT", url
        prefix = f"{name}_PORT_{number}_{protocol}"
        yield from {prefix: url, f"{prefix}_PROTO": protocol.lower(), f"{prefix}_PORT": str(number)}.items()
        yield f"{prefix}_ADDR", address


def _all_keys(source: Mapping[str, Any], store: Store, namespace: str) -> Iterator[tuple[str, str]]:
    prefix = str(source.get("prefix") or "")
    for field, kind in _SOURCES.items():
        named = source.get(f"{field}Ref")
        if named:
            if store.find(kind, namespace, str(named.get("name"))) is None and not named.get("optional"):
                raise ConfigError(f'{kind.lower()} "{named.get("name")}" not found')
            for key, value in data_of(store, kind, namespace, str(named.get("name"))).items():
                yield prefix + key, value


def _value(
    given: Mapping[str, Any],
    pod: Pod,
    container: Mapping[str, Any],
    store: Store,
    status: Callable[[Pod], Mapping[str, Any]],
) -> str | None:
    source = given.get("valueFrom")
    if not source:
        return str(given.get("value") or "")
    for field, kind in _SOURCES.items():
        key = source.get(f"{field}KeyRef")
        if key:
            return _key(key, kind, pod.namespace, store)
    if "fieldRef" in source:
        return _field(str(source["fieldRef"].get("fieldPath")), pod, status)
    if "resourceFieldRef" in source:
        return _resource(source["resourceFieldRef"], pod, container, store)
    return None


def _key(reference: Mapping[str, Any], kind: str, namespace: str, store: Store) -> str | None:
    """Returns a key's value; ConfigError if it is missing and not optional."""
    name, key = str(reference.get("name")), str(reference.get("key"))
    if store.find(kind, namespace, name) is None and not reference.get("optional"):
        raise ConfigError(f'{kind.lower()} "{name}" not found')
    value = data_of(store, kind, namespace, name).get(key)
    if value is None and not reference.get("optional"):
        raise ConfigError(f"couldn't find key {key} in {kind} {namespace}/{name}")
    return value


def _field(path: str, pod: Pod, status: Callable[[Pod], Mapping[str, Any]]) -> str:
    keyed = _FIELD.fullmatch(path)
    if keyed is not None:
        return str((pod.labels if keyed[1] == "labels" else pod.annotations).get(keyed[2], ""))
    if path.startswith("status."):
        found = status(pod).get(path.removeprefix("status."))
        return ",".join(str(each.get("ip")) for each in found) if isinstance(found, list) else str(found or "")
    fixed = {"metadata.name": pod.name, "metadata.namespace": pod.namespace, "metadata.uid": pod.uid}
    fixed |= {"spec.nodeName": pod.node_name}
    return str(fixed.get(path, pod.spec.manifest.get(path.removeprefix("spec."), "")))


def _resource(reference: Mapping[str, Any], pod: Pod, container: Mapping[str, Any], store: Store) -> str:
    """Returns a request or limit in units of the divisor, rounded up; a missing limit is what the node has."""
    kind, _, name = str(reference.get("resource")).partition(".")
    every = (pod.spec.manifest.get("containers") or (), pod.spec.manifest.get("initContainers") or ())
    named = (each for group in every for each in group if each.get("name") == reference.get("containerName"))
    owner = next(named, container) if reference.get("containerName") else container
    amount = ((owner.get("resources") or {}).get(kind) or {}).get(name)
    if amount is None and kind == "limits":
        node = store.find("Node", "", pod.node_name)
        status = (node.manifest.get("status") or {}) if node is not None else {}
        amount = (status.get("allocatable") or status.get("capacity") or {}).get(name)
    try:
        divisor = parse_quantity(str(reference.get("divisor") or "1")) or parse_quantity("1")
        return str(math.ceil(parse_quantity(str(amount or "0")) / divisor))
    except InputError:
        return ""
