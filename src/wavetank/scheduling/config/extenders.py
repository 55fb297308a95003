"""Checks the extenders of a configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wavetank.cluster.fields.selectors import read_field, read_label_key, read_list, read_text
from wavetank.errors import InputError
from wavetank.scheduling.config.reading import INT64_MAX, integer, read_bool, read_duration, read_object

_MANAGED = "managedResources"
_TLS = ("serverName", "certFile", "keyFile", "caFile", "certData", "keyData", "caData")


def read_extenders(raw: object) -> tuple[Mapping[str, Any], ...]:
    """Reads the list of extenders and returns each as it is."""
    extenders = read_list(_read_extender)(raw)
    binders = [index for index, extender in enumerate(extenders) if extender.get("bindVerb")]
    if len(binders) > 1:
        message = f"extender {binders[0]} binds already, expected one at most"
        raise InputError(message, path=f"[{binders[1]}].bindVerb")
    _check_managed_once(extenders)
    return extenders


def ignored_resources(extenders: tuple[Mapping[str, Any], ...]) -> tuple[str, ...]:
    """Returns the resources that extenders ask the scheduler to leave to them."""
    managed = (resource for _, resource in _managed(extenders))
    return tuple(resource["name"] for resource in managed if resource.get("ignoredByScheduler"))


def _read_extender(raw: object) -> Mapping[str, Any]:
    extender = read_object(raw, _FIELDS)
    for name, read in _FIELDS.items():
        read_field(extender, name, read)
    if extender.get("prioritizeVerb") and read_field(extender, "weight", _read_weight) <= 0:
        raise InputError("an extender that prioritizes needs a weight of 1 or more", path="weight")
    return extender


def _read_tls(raw: object) -> None:
    tls = read_object(raw, ("insecure", *_TLS))
    read_field(tls, "insecure", read_bool)
    for name in _TLS:
        read_field(tls, name, read_text)
    if tls.get("insecure") and (tls.get("caFile") or tls.get("caData")):
        raise InputError("does not go with a certificate authority, expected only one of them", path="insecure")


def _read_managed(raw: object) -> None:
    resource = read_object(raw, ("name", "ignoredByScheduler"))
    read_field(resource, "name", _check_extended_resource)
    read_field(resource, "ignoredByScheduler", read_bool)


def _check_extended_resource(raw: object) -> None:
    name = read_label_key(raw)
    if "/" not in name or "kubernetes.io/" in name or name.startswith("requests."):
        raise InputError(f"{name!r} is not an extended resource, expected a form such as example.com/gpu")
    read_label_key(f"requests.{name}")  # as a quota will write it


def _check_managed_once(extenders: tuple[Mapping[str, Any], ...]) -> None:
    seen = set[str]()
    for path, resource in _managed(extenders):
        if resource["name"] in seen:
            raise InputError(f"{resource['name']} is managed twice", path=f"{path}.name")
        seen.add(resource["name"])


def _managed(extenders: tuple[Mapping[str, Any], ...]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for index, extender in enumerate(extenders):
        for place, resource in enumerate(extender.get(_MANAGED) or ()):
            yield f"[{index}].{_MANAGED}[{place}]", resource


_read_weight = integer(0, -INT64_MAX - 1, INT64_MAX)
_FIELDS: Mapping[str, Callable[[object], object]] = {
    "urlPrefix": read_text,
    "filterVerb": read_text,
    "preemptVerb": read_text,
    "prioritizeVerb": read_text,
    "weight": _read_weight,
    "bindVerb": read_text,
    "enableHTTPS": read_bool,
    "tlsConfig": _read_tls,
    "httpTimeout": read_duration,
    "nodeCacheCapable": read_bool,
    _MANAGED: read_list(_read_managed),
    "ignorable": read_bool,
}
