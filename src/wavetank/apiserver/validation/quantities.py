"""Amounts of resources, and the names of resources."""

from __future__ import annotations

from collections.abc import Callable, Collection

from wavetank.apiserver.fielderrors import NOT_FOUND, FieldError, duplicate, forbidden, invalid, required, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import NEGATIVE, Document, Errors, each_invalid
from wavetank.errors import InputError
from wavetank.quantity import value_of, whole

_REQUESTED = ("cpu", "memory", "ephemeral-storage")
_COUNTED = frozenset(
    [
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    ]
)
_OF_CONTAINERS = frozenset(_REQUESTED)
_OF_QUOTAS = frozenset(
    (*_REQUESTED, *(f"{kind}.{name}" for kind in ("requests", "limits") for name in _REQUESTED), "requests.storage")
)
_STANDARD = _COUNTED | _OF_QUOTAS | {"storage"}
_PAGES = "hugepages-"
_OF_PODS = ("cpu", "hugepages-", "memory")


def is_native(name: str) -> bool:
    """Tells whether a resource is one of Kubernetes' own."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended(name: str) -> bool:
    """Says whether a resource is an extended resource."""
    return not is_native(name) and not name.startswith("requests.") and not names.label_key_problems(f"requests.{name}")


def may_overcommit(name: str) -> bool:
    """Tells whether more of a resource may be promised than there is."""
    return is_native(name) and not name.startswith(_PAGES)


def check_resource_name(name: str, path: str) -> Errors:
    """Checks the name of a resource."""
    problems = names.label_key_problems(name)
    if problems:
        yield from each_invalid(path, name, problems)
    elif "/" not in name and name not in _STANDARD and not _is_quota_of_pages(name):
        yield invalid(path, name, "must be a standard resource type or fully qualified")


def check_container_resource_name(name: str, path: str) -> Errors:
    """Checks the name of a resource that a container may ask for."""
    yield from check_resource_name(name, path)
    if "/" not in name:
        if name not in _OF_CONTAINERS and not name.startswith(_PAGES):
            yield invalid(path, name, "must be a standard resource for containers")
    elif not is_native(name) and not is_extended(name):
        yield invalid(path, name, "doesn't follow extended resource name standard")


def check_pod_resource_name(name: str, path: str) -> Errors:
    """Checks the name of a resource that a pod as a whole may ask for."""
    errors = list(check_resource_name(name, path))
    yield from errors
    if not errors and name not in ("cpu", "memory") and not name.startswith(_PAGES):
        yield unsupported(path, name, _OF_PODS)


def check_quota_resource_name(name: str, path: str) -> Errors:
    """Checks the name of a resource of which a quota may limit the use."""
    yield from check_resource_name(name, path)
    if "/" not in name and name not in _OF_QUOTAS | _COUNTED and not _is_quota_of_pages(name):
        yield invalid(path, name, "must be a standard resource for quota")


def check_amount(name: str, amount: str, path: str) -> Errors:
    """Checks an amount: not negative, and whole where things are counted."""
    value = value_of(amount)
    if value < 0:
        yield invalid(path, amount, NEGATIVE)
    if (name in _COUNTED or is_extended(name)) and value % 1:
        yield invalid(path, amount, "must be an integer")


def check_not_negative_amount(amount: str, path: str) -> Errors:
    """Checks an amount that may be zero."""
    if value_of(amount) < 0:
        yield invalid(path, amount, NEGATIVE)


def check_requirements(
    resources: Document,
    path: str,
    claims: Collection[str] = (),
    check_name: Callable[[str, str], Errors] = check_container_resource_name,
) -> Errors:
    """Checks requests against limits; `claims` are the names of the pod's claims of devices."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name, limit in limits.items():
        yield from _check_one(name, limit, f"{path}.limits[{name}]", check_name)
    for name, request in requests.items():
        where = f"{path}.requests[{name}]"
        yield from check_name(name, where)
        yield from check_amount(name, request, where)
        yield from _check_against_limit(name, request, limits, path)
        yield from _check_pages(name, request, where)
    asked = {*limits, *requests}
    if any(name.startswith(_PAGES) for name in asked) and not asked & {"cpu", "memory"}:
        yield forbidden(path, "HugePages require cpu or memory")
    yield from _check_claims(resources.get("claims") or [], claims, f"{path}.claims")


def _check_one(name: str, amount: str, path: str, check_name: Callable[[str, str], Errors]) -> Errors:
    yield from check_name(name, path)
    yield from check_amount(name, amount, path)
    yield from _check_pages(name, amount, path)


def _check_against_limit(name: str, request: str, limits: Document, path: str) -> Errors:
    limit = limits.get(name)
    if limit is None:
        if not may_overcommit(name):
            yield required(f"{path}.limits", "Limit must be set for non overcommitable resources")
    elif not may_overcommit(name) and value_of(request) != value_of(limit):
        yield invalid(f"{path}.requests", request, f"must be equal to {name} limit of {limit}")
    elif value_of(request) > value_of(limit):
        yield invalid(f"{path}.requests", request, f"must be less than or equal to {name} limit of {limit}")


def _check_pages(name: str, amount: str, path: str) -> Errors:
    if not name.startswith(_PAGES):
        return
    try:
        size = whole(name.removeprefix(_PAGES))
    except InputError:
        size = 0
    if size <= 0 or whole(amount) % size:
        yield invalid(path, amount, f"{amount} is not positive integer multiple of {name}")


def _check_claims(claims: list[Document], known: Collection[str], path: str) -> Errors:
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        name, request = claim.get("name") or "", claim.get("request") or ""
        where = f"{path}[{index}]"
        if not name:
            yield required(where)
            continue
        yield from _check_claim_once(name, request, seen, where)
        if name not in known:
            listed = f": {', '.join(sorted(known))}" if known else " which is empty"
            yield FieldError(NOT_FOUND, where, name, f"must be one of the names in pod.spec.resourceClaims{listed}")


def _check_claim_once(name: str, request: str, seen: set[str], path: str) -> Errors:
    if name in seen:
        yield duplicate(path, name)
        return
    key = f"{name}/{request}" if request else name
    if request:
        yield from each_invalid(f"{path}.request", request, names.label_problems(request))
    if key in seen:
        yield duplicate(path, key)
    elif not request:
        for _ in (one for one in seen if one.startswith(f"{name}/")):
            yield duplicate(path, name)
    seen.add(key)


def _is_quota_of_pages(name: str) -> bool:
    return name.startswith((_PAGES, f"requests.{_PAGES}"))
