"""Environment variables of containers, and references to fields of pods."""

from __future__ import annotations

import re
from collections.abc import Collection

from wavetank.apiserver.fielderrors import invalid, required, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, each_invalid, structs
from wavetank.apiserver.validation.paths import check_no_backsteps
from wavetank.quantity import value_of

OF_VARIABLES = frozenset(
    [
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
    ]
)
OF_FILES = frozenset({"metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.annotations"})
_CONVERTIBLE = OF_VARIABLES | OF_FILES | {"spec.restartPolicy", "spec.schedulerName", "status.phase"}
_RESOURCES = tuple(
    f"{kind}.{name}" for kind in ("limits", "requests") for name in ("cpu", "ephemeral-storage", "memory")
)
_PAGES = ("limits.hugepages-", "requests.hugepages-")
_SIZES = ("1", *(f"1{suffix}" for suffix in ("k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")))
_SUBSCRIPT = re.compile(r"(?P<path>[^\[]+)\['(?P<key>.*)'\]")
_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")


def check_variables(container: Document, path: str) -> Errors:
    """Checks `env` and `envFrom`."""
    for where, variable in structs(container, path, "env"):
        name = variable.get("name", "")
        if not name:
            yield required(f"{where}.name")
        else:
            yield from each_invalid(f"{where}.name", name, names.variable_problems(name))
        if "valueFrom" in variable:
            yield from _check_source(variable, f"{where}.valueFrom")
    for where, source in structs(container, path, "envFrom"):
        yield from _check_set(source, where, f"{path}.envFrom")


def check_field_reference(reference: Document, allowed: Collection[str], path: str) -> Errors:
    """Checks a reference to a field of the pod."""
    field = reference.get("fieldPath", "")
    if not reference.get("apiVersion"):
        yield required(f"{path}.apiVersion")
    elif not field:
        yield required(f"{path}.fieldPath")
    elif reference["apiVersion"] != "v1":
        problem = f"error converting fieldPath: unsupported pod version: {reference['apiVersion']}"
        yield invalid(f"{path}.fieldPath", field, problem)
    elif not _is_convertible(field):
        verb = "does not support subscript" if _SUBSCRIPT.fullmatch(field) else "not supported"
        yield invalid(f"{path}.fieldPath", field, f"error converting fieldPath: field label {verb}: {field}")
    else:
        yield from _check_field(field, allowed, path)


def check_resource_reference(reference: Document, in_volume: bool, path: str) -> Errors:
    """Checks a reference to requests or limits of a container."""
    resource = reference.get("resource", "")
    if in_volume and not reference.get("containerName"):
        yield required(f"{path}.containerName")
    elif not resource:
        yield required(f"{path}.resource")
    elif resource not in _RESOURCES and not resource.startswith(_PAGES):
        yield unsupported(f"{path}.resource", resource, _RESOURCES)
    yield from _check_divisor(resource, reference.get("divisor", "0"), path)


def _check_source(variable: Document, path: str) -> Errors:
    source = variable["valueFrom"] or {}
    given = [name for name in _SOURCES if name in source]
    for name in given:
        yield from _check_reference(name, source[name], f"{path}.{name}")
    if not given:
        listed = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        yield invalid(path, "", f"must specify one of: {listed}")
    elif variable.get("value"):
        yield invalid(path, "", "may not be specified when `value` is not empty")
    elif len(given) > 1:
        yield invalid(path, "", "may not have more than one field specified at a time")


def _check_reference(kind: str, reference: Document, path: str) -> Errors:
    if kind == "fieldRef":
        yield from check_field_reference(reference, OF_VARIABLES, path)
    elif kind == "resourceFieldRef":
        yield from check_resource_reference(reference, False, path)
    elif kind == "fileKeyRef":
        yield from _check_file(reference, path)
    else:
        name, key = reference.get("name", ""), reference.get("key", "")
        yield from each_invalid(f"{path}.name", name, names.subdomain_problems(name))
        if not key:
            yield required(f"{path}.key")
        else:
            yield from each_invalid(f"{path}.key", key, names.config_key_problems(key))


def _check_file(reference: Document, path: str) -> Errors:
    key, volume, file = reference.get("key", ""), reference.get("volumeName", ""), reference.get("path", "")
    if not key:
        yield required(f"{path}.key")
    yield from each_invalid(f"{path}.key", key, names.variable_problems(key) if key else ())
    if not volume:
        yield required(f"{path}.volumeName")
    yield from each_invalid(f"{path}.volumeName", volume, names.label_problems(volume) if volume else ())
    if not file:
        yield required(f"{path}.path")
    yield from check_no_backsteps(file, f"{path}.path")


def _check_set(source: Document, where: str, path: str) -> Errors:
    prefix = source.get("prefix", "")
    if prefix:
        yield from each_invalid(f"{where}.prefix", prefix, names.variable_problems(prefix))
    given = [name for name in ("configMapRef", "secretRef") if name in source]
    for kind in given:
        name = (source[kind] or {}).get("name", "")
        if not name:
            yield required(f"{where}.{kind}.name")
        else:
            yield from each_invalid(f"{where}.{kind}.name", name, names.subdomain_problems(names.masked(name)))
    if not given:
        yield invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
    elif len(given) > 1:
        yield invalid(path, "", "may not have more than one field specified at a time")


def _is_convertible(field: str) -> bool:
    match = _SUBSCRIPT.fullmatch(field)
    return match["path"] in ("metadata.annotations", "metadata.labels") if match else field in _CONVERTIBLE


def _check_field(field: str, allowed: Collection[str], path: str) -> Errors:
    match = _SUBSCRIPT.fullmatch(field)
    if match is None:
        if field not in allowed:
            yield unsupported(f"{path}.fieldPath", field, sorted(allowed))
        return
    key = match["key"].lower() if match["path"] == "metadata.annotations" else match["key"]
    yield from each_invalid(path, key, names.label_key_problems(key))


def _check_divisor(resource: str, divisor: str, path: str) -> Errors:
    if value_of(divisor) == 0:
        return
    name = resource.partition(".")[2]
    if name == "cpu" and divisor not in ("1m", "1"):
        yield invalid(f"{path}.divisor", resource, "only divisor's values 1m and 1 are supported with the cpu resource")
    shown = {"memory": "memory", "ephemeral-storage": "local ephemeral storage"}.get(name)
    if shown is None and name.startswith("hugepages-"):
        shown = "hugepages"
    if shown is not None and divisor not in _SIZES:
        listed = ", ".join(_SIZES)
        yield invalid(
            f"{path}.divisor", resource, f"only divisor's values {listed} are supported with the {shown} resource"
        )
