"""Quotas and limit ranges."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import duplicate, forbidden, invalid, required
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import IMMUTABLE, Document, Errors, each_invalid, structs
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update
from wavetank.apiserver.validation.quantities import (
    check_amount,
    check_container_resource_name,
    check_quota_resource_name,
    check_resource_name,
    may_overcommit,
)
from wavetank.quantity import value_of

_SCOPES = frozenset(
    {
        "Terminating",
        "NotTerminating",
        "BestEffort",
        "NotBestEffort",
        "PriorityClass",
        "VolumeAttributesClass",
        "CrossNamespacePodAffinity",
    }
)
_BARE = ("BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity")
_PAIRS = ({"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"})
_OF_PODS = frozenset({"cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory", "pods"})
_TYPES = ("Pod", "Container", "PersistentVolumeClaim")
_PARTS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")


def check_quota(quota: Document) -> Errors:
    """Checks a new quota."""
    yield from check_metadata(quota["metadata"], True, names.subdomain_problems)
    yield from _check_quota_spec(quota.get("spec") or {})


def check_quota_update(new: Document, old: Document) -> Errors:
    """Checks a changed quota: its scopes may not change."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    yield from _check_quota_spec(new.get("spec") or {})
    scopes, before = ((one.get("spec") or {}).get("scopes") or [] for one in (new, old))
    if {*scopes} != {*before}:
        yield invalid("spec.scopes", scopes or None, IMMUTABLE)


def check_quota_status_update(new: Document, old: Document) -> Errors:
    """Checks what a quota counts."""
    yield from check_metadata_update(new["metadata"], old["metadata"])
    for part in ("hard", "used"):
        yield from _check_counts((new.get("status") or {}).get(part) or {}, f"status.{part}")


def check_limit_range(limits: Document) -> Errors:
    """Checks a limit range."""
    yield from check_metadata(limits["metadata"], True, names.subdomain_problems)
    seen: set[str] = set()
    for where, limit in structs(limits.get("spec") or {}, "spec", "limits"):
        kind = limit.get("type") or ""
        yield from _check_limit_type(kind, f"{where}.type")
        if kind in seen:
            yield duplicate(f"{where}.type", kind)
        seen.add(kind)
        yield from _check_limit(limit, kind, where)


def check_limit_range_update(new: Document, old: Document) -> Errors:
    """Checks a changed limit range."""
    return check_limit_range(new)


def _check_quota_spec(spec: Document) -> Errors:
    hard = spec.get("hard") or {}
    yield from _check_counts(hard, "spec.hard")
    scopes = spec.get("scopes") or []
    for scope in scopes:
        if scope not in _SCOPES:
            yield invalid("spec.scopes", scopes, "unsupported scope")
        for _ in (name for name in hard if not _fits(scope, name)):
            yield invalid("spec.scopes", scopes, "unsupported scope applied to resource")
    for pair in _PAIRS:
        if pair <= {*scopes}:
            yield invalid("spec.scopes", scopes, "conflicting scopes")
    if spec.get("scopeSelector") is not None:
        yield from _check_scope_selector(spec, hard)


def _check_scope_selector(spec: Document, hard: Document) -> Errors:
    path, selector = "spec.scopeSelector.matchExpressions", spec["scopeSelector"]
    for requirement in selector.get("matchExpressions") or ():
        scope, operator = requirement.get("scopeName") or "", requirement.get("operator") or ""
        values = requirement.get("values") or []
        if scope not in _SCOPES:
            yield invalid(f"{path}.scopeName", scope, "unsupported scope")
        for _ in (name for name in hard if not _fits(scope, name)):
            yield invalid(path, internal("core.ScopeSelector", selector), "unsupported scope applied to resource")
        if scope in _BARE and operator != "Exists":
            shown = ("Terminating", "NotTerminating", "BestEffort", "NotBestEffort")
            listed = ", ".join(f"ResourceQuotaScope{one}" for one in shown)
            last = "ResourceQuotaScopeCrossNamespacePodAffinity"
            yield invalid(f"{path}.operator", operator, f"must be 'Exists' when scope is any of {listed} or {last}")
        if operator in ("In", "NotIn"):
            if not values:
                problem = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
                yield required(f"{path}.values", problem)
        elif operator in ("Exists", "DoesNotExist"):
            if values:
                problem = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
                yield invalid(f"{path}.values", values, problem)
        else:
            yield invalid(f"{path}.operator", operator, "not a valid selector operator")


def _fits(scope: str, name: str) -> bool:
    """Tells whether a scope makes sense for a resource of quotas; others are not judged."""
    if list(check_quota_resource_name(name, "")) or "/" in name:
        return True
    if scope == "BestEffort":
        return name == "pods"
    if scope == "VolumeAttributesClass":
        return name in ("persistentvolumeclaims", "requests.storage")
    return name in _OF_PODS or scope not in _SCOPES


def _check_counts(amounts: Document, path: str) -> Errors:
    for name, amount in amounts.items():
        yield from check_quota_resource_name(name, f"{path}[{name}]")
        yield from check_amount(name, amount, f"{path}[{name}]")


def _check_limit_type(kind: str, path: str) -> Errors:
    problems = names.label_key_problems(kind)
    yield from each_invalid(path, kind, problems)
    if not problems and "/" not in kind and kind not in _TYPES:
        yield invalid(path, kind, "must be a standard limit type or fully qualified")


def _check_limit(limit: Document, kind: str, path: str) -> Errors:
    check_name = check_container_resource_name if kind in ("Pod", "Container") else check_resource_name
    for part in _PARTS:
        if kind == "Pod" and part in ("default", "defaultRequest"):
            if limit.get(part):
                yield forbidden(f"{path}.{part}", "may not be specified when `type` is 'Pod'")
            continue
        for name in limit.get(part) or ():
            yield from check_name(name, f"{path}.{part}[{name}]")
    if kind == "PersistentVolumeClaim" and not any("storage" in (limit.get(part) or {}) for part in ("min", "max")):
        problem = "either minimum or maximum storage value is required, but neither was provided"
        yield required(f"{path}.limits", problem)
    defaults = () if kind == "Pod" else ("default", "defaultRequest")
    counted = {part: limit.get(part) or {} for part in _PARTS if part in defaults or not part.startswith("default")}
    for name in {name: None for given in counted.values() for name in given}:
        yield from _check_bounds(name, {part: counted.get(part, {}).get(name) for part in _PARTS}, path)


def _check_bounds(name: str, given: dict[str, str | None], path: str) -> Errors:
    low, high, default, request, ratio = (
        given[part] for part in ("min", "max", "default", "defaultRequest", "maxLimitRequestRatio")
    )
    asked, limited = f"{path}.defaultRequest[{name}]", f"{path}.default[{name}]"
    if _exceeds(low, high):
        yield invalid(f"{path}.min[{name}]", low, f"min value {low} is greater than max value {high}")
    if _exceeds(low, request):
        yield invalid(asked, request, f"min value {low} is greater than default request value {request}")
    if _exceeds(request, high):
        yield invalid(asked, request, f"default request value {request} is greater than max value {high}")
    if _exceeds(request, default):
        yield invalid(asked, request, f"default request value {request} is greater than default limit value {default}")
    if _exceeds(low, default):
        yield invalid(limited, low, f"min value {low} is greater than default value {default}")
    if _exceeds(default, high):
        yield invalid(limited, high, f"default value {default} is greater than max value {high}")
    yield from _check_ratio(ratio, low, high, f"{path}.maxLimitRequestRatio[{name}]")
    if not may_overcommit(name) and default and request and value_of(default) != value_of(request):
        problem = f"default value {default} must equal to defaultRequest value {request} in {name}"
        yield invalid(asked, request, problem)


def _check_ratio(ratio: str | None, low: str | None, high: str | None, path: str) -> Errors:
    if ratio is None:
        return
    if value_of(ratio) < 1:
        yield invalid(path, ratio, f"ratio {ratio} is less than 1")
    if low is not None and high is not None and value_of(low):
        widest = value_of(high) / value_of(low)
        if value_of(ratio) > widest:
            yield invalid(path, ratio, f"ratio {ratio} is greater than max/min = {float(widest):f}")


def _exceeds(amount: str | None, other: str | None) -> bool:
    return amount is not None and other is not None and value_of(amount) > value_of(other)
